#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""kprobes trace on processes: debugging information in units and files of its own.

Owns: one program, compiled with -gsplit-dwarf, with -fdebug-types-section, with both, as C and as
C++; and where the .dwo files may be.
Prints one "ok" or "not ok" line a test.  Usage: units.py BUILD
"""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from answers import PATIENCE, report
from asking import KPROBES

SOURCE = """
struct deep { int a, b; };
struct thing { int id; char name[8]; struct thing *next; struct deep d; };
enum color { RED = -1, GREEN = 5 };
__attribute__((noipa)) int take(struct thing *p, enum color c, short s)
{
	return p->id + c + s;
}
int main(void)
{
	struct thing t = { -5, "abc", 0, { 1, 2 } };

	t.next = &t;
	take(&t, RED, -7);
	return 0;
}
"""
SCRIPT = ('uprobe:take { printf("%d %d %s %d %d %d %d\\n", args.p->id, args.p->next->id, '
          'args.p->name, args.c, args.s, ((struct thing *)arg0)->d.b, GREEN); } '
          'uretprobe:take { printf("%d\\n", retval); } uprobe:unit.c:7 { @n = count(); }')
WANTED = ["-5 -5 abc -1 -7 2 5", "-13", "@n: 1"]


def compiled(name, *words, language="c", compiler="gcc"):
    with open("unit.c", "w") as file:
        file.write(SOURCE)
    subprocess.run([compiler, "-O1", "-x", language, "-c", "unit.c", "-o", f"{name}.o", *words],
                   check=True)
    subprocess.run([compiler, "-o", name, f"{name}.o"], check=True)


def traced(program, env=None):
    run = subprocess.run([KPROBES, "trace", SCRIPT, "--", program], stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=False,
                         env={**os.environ, **(env or {})})
    return [line for line in run.stdout.splitlines() if line and "Attached" not in line]


def told(words, program, env=None):
    lines = traced(program, env)
    report(f"units: {words}", None if lines == WANTED else lines)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for version in (4, 5):
            for language in ("c", "c++"):
                for words in (["-fdebug-types-section"], ["-gsplit-dwarf"],
                              ["-gsplit-dwarf", "-fdebug-types-section"]):
                    compiled("prog", f"-gdwarf-{version}", *words, language=language)
                    told(f"DWARF {version}, {language}, {' '.join(words)}", "./prog")
        os.mkdir("moved")
        shutil.copy("prog", "moved")
        os.rename("prog.dwo", "moved/prog.dwo")
        told("beside the program", "moved/prog")
        os.mkdir("kept")
        os.rename("moved/prog.dwo", "kept/prog.dwo")
        told("in KPROBES_DEBUG_DIR", "moved/prog", {"KPROBES_DEBUG_DIR": f"{folder}/kept"})
        lines = traced("moved/prog")
        report("units: a file that is not there is named",
               None if "prog.dwo, which is not to be had" in lines[0] else lines)
        compiled("other", "-gdwarf-5", "-gsplit-dwarf", "-DOTHER")
        os.rename("other.dwo", "prog.dwo")
        lines = traced("./prog")
        report("units: ... and so is one of another build",
               None if "prog.dwo, which is not to be had" in lines[0] else lines)


main()
