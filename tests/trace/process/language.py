#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""kprobes trace: what newer scripts write, in a process; and what a script is given and lists.

Owns: args as a whole, watched arguments, places by FILE@SOURCE:LINE, time series, options
behind --, -l without a process, scripts that end by themselves, self:signal.
Prints one "ok" or "not ok" line a test.  Usage: language.py BUILD
"""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import answers
from answers import PATIENCE, report

BUILD = os.path.abspath(sys.argv[1])
KPROBES = os.path.join(BUILD, "kprobes")
PROGRAM = """
struct item { int id; char name[12]; long w[2]; };
enum color { RED, GREEN = 3 };
__attribute__((noinline)) int work(struct item *it, int n, enum color c)
{
	it->id += n;				/* line 6 */
	__asm__ volatile("" ::: "memory");
	return it->id + c;
}
int main(void)
{
	struct item it = { 1, "abc", { 5, 6 } };
	for (int i = 0; i < 3; i++)
		work(&it, i, GREEN);
	return 0;
}
"""


def trace(*words, **more):
    return subprocess.run([KPROBES, "trace", *words], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=False, **more)


def says(name, found, pattern, status=0, errors=r""):
    good = found.returncode == status and re.search(pattern, found.stdout, re.S) and \
        re.search(errors, found.stderr, re.S)
    report(f"language: {name}", None if good else f"{found}")


def in_a_process(program):
    def run(script, *words):
        return trace(*words, script, "--", program)

    says("args as a whole", run("uprobe:work { print(args); $a = args; print($a.n); @x = args; }"),
         r"\{ \.it = 0x[0-9a-f]+, \.n = 0, \.c = GREEN \}\n0\n.*@x: \{ \.it")
    says("a structure", run("uprobe:work { print(*args.it); }"),
         r"\{ \.id = 1, \.name = abc, \.w = \[5,6\] \}")
    says("an array as a number, and as one",
         run("uprobe:work { print((uint64)(uint8[])args.it.w[0]); print(args.it.w == args.it.w); "
             "print(&args.it->w[1]); }"), r"5\ntrue\n0x[0-9a-f]+")
    says("an array is no number of another size",
         run("uprobe:work { print((uint64)args.it.w); }"), r"^$", 2, "16 bytes, and uint64 has 8")
    says("a place by FILE@SOURCE:LINE", run(f"uprobe:{program}@made.c:6 {{ @[args.n] = count(); }}"),
         r"@\[0\]: 1\n@\[1\]: 1\n@\[2\]: 1")
    says("a watched argument",
         run('watchpoint:work+arg0:4:c { printf("%d -> %d\\n", args.before, args.after); }'),
         r"1 -> 2\n2 -> 4\n")
    says("execution is a probe", run("watchpoint:work:8:x { @ = count(); }"), r"@: 3")
    says("a time series", run('uprobe:work { @ = tseries(args.n, 1h, 2, "max"); }'),
         r"@: \n +(\d) +\1\nhh:mm:ss.ms  \|_+\|\n.*\* +\| 2\n +v_+v\n")
    found = run("uprobe:work { @ = tseries(args.n, 1h, 2, \"sum\"); }", "-f", "json")
    lines = [json.loads(line) for line in found.stdout.splitlines()]
    values = [part["value"] for line in lines if line["type"] == "tseries"
              for part in line["data"]["@"]]
    report("language: a time series as JSON", None if sum(values) == 3 else f"{found}")
    says("finer histograms", run("uprobe:work { @ = hist(args.n + 8, 2); }"),
         r"\[8, 10\) +2 .*\[10, 12\) +1 ")
    says("calls as a tree", trace("--calls", "work", "--", program),
         r"CALLS +FUNCTION\n.* +3 100\.0%  main\n +3 100\.0%  work\n")
    says("what is not set leaves no line behind",
         run("uprobe:work+1 { print(1); } BEGIN { print(2); }"), r"^$", 5)
    says("calls that the engine watches are told with -v only",
         run("syscall:exit_group { @ = count(); }"), r"@: 1", 0, r"^(?!.*watched by)")


def lists(program):
    says("-l of a file", trace("-l", f"uprobe:{program}:wor*"),
         rf"^uprobe:{program}:work\n    struct item \*it\n    int n\n    enum color c\n$")
    says("-l of all of a file", trace("-l", f"uprobe:{program}"), r":work\n.*:main\n|:main\n.*:work\n")
    says("-l of a library", trace("-l", "uprobe:libc:mallo*"), r"uprobe:libc:malloc\n")
    says("-l of a command", trace("-l", "uprobe:bash:readline"), r"uprobe:bash:readline\n")
    says("-l of a script", trace("-l", "-e", f"uprobe:{program}:work {{ print(1); }} i:s:1 {{ }}"),
         r":work\n")
    says("-l of all kinds", trace("-l", "*:wor*", "--", program), r"^uprobe:work\n", 0,
         r"^(?!.*is left out)")


def options():
    script = 'begin { print((getopt("aa", 1), getopt("bb"), getopt("cc", "x"))); }'
    says("options", trace(script, "--", "--aa=20", "--bb", "--cc=long"), r"\(20, true, long\)")
    says("options that are not given", trace(script), r"\(1, false, x\)")
    says("options, then a command", trace(script, "--", "--aa=0x10", "--", "/bin/true"),
         r"\(16, false, x\)")
    says("options beside -c", trace('begin { print(getopt("aa", 1)); print($1); }', "-c", "/bin/true",
                                    "--", "--aa=3", "word"), r"3\nword")
    says("an unknown option", trace(script, "--", "--dd"), r"^$", 2, "no option --dd")
    says("an option that is no number", trace(script, "--", "--aa=x"), r"^$", 2, "is a number")


def alone():
    begin = time.monotonic()
    found = trace('begin { print(syscall_name(__NR_openat)); @x = 1; } end { print("over"); }')
    says("begin and end alone end by themselves", found, r"openat\nover\n.*@x: 1")
    report("language: at once", None if time.monotonic() - begin < PATIENCE / 2 else "it waited")
    with subprocess.Popen([KPROBES, "trace", "begin { @x = 5; } self:signal:SIGUSR1 { print(probe); "
                           "exit(); }"], stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        process.send_signal(signal.SIGUSR1)
        said = process.communicate(timeout=PATIENCE)[0]
    report("language: self:signal", None if "self:signal:SIGUSR1" in said and
           said.count("@x: 5") == 1 else said)
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "x.pftrace")
        found = trace("--perfetto", file, "uprobe:nosuch", "--", "/bin/true")
        report("language: a refused timeline leaves no file",
               None if found.returncode and not os.path.exists(file) else f"{found}")
        with open(file, "w", encoding="utf-8") as old:
            old.write("old")
        trace("--perfetto", file, "uprobe:nosuch", "--", "/bin/true")
        report("language: a refused timeline leaves the file that was there",
               None if os.path.getsize(file) == 3 else "it is another one")


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "made")
        with open(program + ".c", "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        subprocess.run(["cc", "-g", "-O1", "-o", program, "made.c"], cwd=folder, check=True)
        in_a_process(program)
        lists(program)
    options()
    alone()

    sys.exit(answers.failed)


if __name__ == "__main__":
    main()
