#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""kprobes trace on processes: what a place is called in a script.

Owns: questions that name one function in many ways: by its file, by a link to that, by an
address, as its source has it, in a parameter; and files that were replaced meanwhile.
Prints one "ok" or "not ok" line a test.  Usage: named.py BUILD
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import answers
from answers import PATIENCE, report, until_set
from asking import KPROBES

C_SOURCE = """
__attribute__((noipa)) int work(int n) { return n + 1; }
__attribute__((noipa)) int other(int n) { return n + 2; }
int main(void) { int i, n = 0; for (i = 0; i < 20; i++) n = other(work(n)); return n < 0; }
"""
CXX_SOURCE = """
#define NI __attribute__((noipa))
struct box { int n; NI box(int k) : n(k) {} NI int get() const { return n; } };
NI void fun(int n) { asm volatile("" :: "r"(n)); }
NI void fun(const char *s) { asm volatile("" :: "r"(s)); }
NI void fun(const char *s, int n) { asm volatile("" :: "r"(s), "r"(n)); }
NI void plain() { asm volatile(""); }
template <class T> NI T twice(T n) { asm volatile("" : "+r"(n)); return n; }
namespace ns { namespace { NI int hidden(int n) { asm volatile("" : "+r"(n)); return n; } } }
int main()
{
	box b(1);
	auto add = [&](int n) __attribute__((noipa)) { asm volatile("" : "+r"(n)); return n; };
	for (int i = 0; i < 10; i++) {
		fun(1);
		for (int k = 0; k < 2; k++) fun("x");
		for (int k = 0; k < 3; k++) fun("x", 1);
		for (int k = 0; k < 4; k++) plain();
		for (int k = 0; k < 5; k++) ns::hidden(k);
		for (int k = 0; k < 6; k++) add(k);
		for (int k = 0; k < 7; k++) b.get();
		for (int k = 0; k < 8; k++) twice(k);
	}
}
"""
WAITING = """
#include <stdio.h>
int fn(int n);
__attribute__((noipa)) int own(int n) { return n + 1; }
int main(void)
{
	int c;
	puts("ready"); fflush(stdout);
	while ((c = getchar()) != EOF) { own(fn(c)); puts("done"); fflush(stdout); }
}
"""


def compiled(name, source, *words, compiler="gcc"):
    language = "c++" if compiler == "g++" else "c"
    subprocess.run([compiler, "-O1", "-w", "-o", name, "-x", language, "-", "-x", "none", *words],
                   input=source, text=True, check=True)


def asked(place, program="./prog", params=(), env=None):
    """What the script counts in a new process, and all that it has said."""
    run = subprocess.run([KPROBES, "trace", f"{place} {{ @n = count(); }}", *params,
                          "--", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, timeout=PATIENCE, check=False,
                         env={**os.environ, **(env or {})})
    found = re.search(r"@n: (\d+)", run.stdout)
    return int(found[1]) if found else None, run.stdout


def counts(words, wanted, *args, **options):
    got, said = asked(*args, **options)
    report(f"named: {words}", None if got == wanted else f"{args}: {got} of {wanted}\n{said}")


def refused(words, text, *args, **options):
    got, said = asked(*args, **options)
    report(f"named: {words}", None if got is None and text in said else f"{args}: {said}")


def address_of(program, name):
    for line in subprocess.run(["nm", program], stdout=subprocess.PIPE, text=True,
                               check=True).stdout.splitlines():
        if line.endswith(f" {name}"):
            return int(line.split()[0], 16)
    raise RuntimeError(f"{program} has no {name}")


def addresses():
    at = address_of("prog", "work")
    subprocess.run(["strip", "-o", "stripped", "prog"], check=True)
    for place in (f"uprobe:./stripped:{at:#x}", f"uprobe:stripped:{at:#x}",
                  f"uprobe:stripped+{at:#x}"):
        counts(f"an address in a file without symbols: {place.split(':', 1)[1][:12]}", 20,
               place, program="./stripped")
    refused("an offset behind the end of the function", "work has only",
            "uprobe:prog:work+1000000")
    refused("... of none that a pattern finds", "no function has such a name",
            "uprobe:prog:wor*+1000000")
    refused("an address that the file does not have", "no file of that name has an address",
            "uprobe:prog:0x7fffff000")
    refused("... and of no file", "no file of that name", f"uprobe:nosuch:{at:#x}")


def links():
    os.symlink("prog", "alias")
    os.mkdir("bin")
    os.symlink("../prog", "bin/command")
    env = {"PATH": f"{os.getcwd()}/bin:{os.environ['PATH']}"}
    counts("a file by a link to it", 20, "uprobe:./alias:work")
    counts("... and its functions by a pattern", 40, "uprobe:./alias:*o[rt]*[kr]")
    counts("... that is found as a command", 20, "uprobe:command:work", env=env)
    counts("... by its whole path", 20, f"uprobe:{os.getcwd()}/bin/command:work")


def parameters():
    counts("a place in a parameter", 20, "uprobe:$1", params=["work"])
    counts("... with its file", 20, "uprobe:$1", params=["prog:work"])
    counts("... with a wildcard", 20, "uprobe:$1", params=["prog:wor*"])
    counts("... as its last word", 20, "uprobe:prog:$1", params=["w?rk"])


def of_the_source():
    compiled("cxx", CXX_SOURCE, compiler="g++")
    for place, wanted in (
            ('"fun(int)"', 10), ('"fun(char const*)"', 20), ('"fun(char const*, int)"', 30),
            ('"fun(char*"', 50), ("plain", 40), ("*hidden", 50), ("*lambda*", 60),
            ("box::get", 70), ('"box::*"', 71), ("twice", 80), ('"twice<*"', 80)):
        counts(f"as the source has it: {place}", wanted, f"uprobe:{place}", program="./cxx")


def of_a_file():
    """Three functions of one name, each local to its file."""
    for debug in (["-g"], []):
        objects = []
        for name, calls in (("one", 1), ("two", 2), ("three", 3)):
            source = (f"static __attribute__((noipa)) int helper(int n) {{ return n + {calls}; }}\n"
                      f"int of_{name}(void) {{ int i, n = 0; for (i = 0; i < {calls}; i++) "
                      "n += helper(i); return n; }\n")
            with open(f"{name}.c", "w") as file:
                file.write(source)
            subprocess.run(["gcc", "-O1", *debug, "-c", f"{name}.c"], check=True)
            objects.append(f"{name}.o")
        compiled("three", "int of_one(void), of_two(void), of_three(void);"
                 "int main(void) { return of_one() + of_two() + of_three() < 0; }", *objects)
        how = "with debugging information" if debug else "by the symbol table"
        for place, wanted in (("helper", 6), ("one.c:helper", 1), ("two.c:helper", 2),
                              ("three:three.c:helper", 3), ("./three:two.c:h*", 2)):
            counts(f"{place}, {how}", wanted, f"uprobe:{place}", program="./three")
        refused(f"a file that has no such function, {how}", "no function of that name is from that",
                "uprobe:one.c:of_two", program="./three")


def replaced():
    """As by an upgrade: the map calls the files "(deleted)" then."""
    compiled("libfn.so.1", "int fn(int n) { return n + 1; }", "-shared", "-fPIC",
             "-Wl,-soname,libfn.so.1")
    compiled("waits", WAITING, "./libfn.so.1", f"-Wl,-rpath,{os.getcwd()}")
    with subprocess.Popen("./waits", stdin=subprocess.PIPE, stdout=subprocess.PIPE) as target:
        target.stdout.readline()
        for name in ("libfn.so.1", "waits"):
            shutil.copy(name, "new")
            os.rename("new", name)
        for place in ("uprobe:fn", "uprobe:libfn.so.1:fn", "uprobe:libfn:fn",
                      f"uprobe:{os.getcwd()}/libfn.so.1:fn", "uprobe:waits:own",
                      f"uprobe:{os.getcwd()}/waits:own"):
            with subprocess.Popen([KPROBES, "trace", "-v", f"{place} {{ @n = count(); }}", "-p",
                                   str(target.pid)], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, bufsize=0) as trace:
                said = until_set(trace, trace.stderr)
                for _ in range(5):
                    target.stdin.write(b"x")
                    target.stdin.flush()
                    target.stdout.readline()
                trace.send_signal(2)
                out, err = trace.communicate(timeout=PATIENCE)
            report(f"named: a file that was replaced: {os.path.basename(place)}",
                   None if b"@n: 5" in out else (said + out + err).decode(errors="replace"))
        target.stdin.close()


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        compiled("prog", C_SOURCE)
        addresses()
        links()
        parameters()
        of_the_source()
        of_a_file()
        replaced()
        os.chdir("/")


if __name__ == "__main__":
    main()
    sys.exit(answers.failed)
