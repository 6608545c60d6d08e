#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""kprobes trace: what an address is called.

Owns: stacks of programs whose functions are known in another way than by symbols:
Go's, and what a process makes while it runs; and the forms in which they are shown.
Prints one "ok" or "not ok" line a test.  Usage: shown.py BUILD
"""
import os
import re
import signal
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import answers
from answers import report
from asking import BUILD, Trace, Work, asked, maps

GO = os.path.join(BUILD, "tests", "trace", "deep")
MADE = os.path.join(BUILD, "tests", "trace", "made")


def go():
    asked("a stack of Go, stripped",
          'uprobe:main.(*Box).put { @[reg("bx"), ustack] = count(); }', ["x"] * 3,
          lambda out: re.search(r"@\[5, \n +main\.\(\*Box\)\.put\+0\n", out) and
          len(re.findall(r"^ +main\.deep\+\d+$", out, re.M)) == 21 and
          re.search(r"^ +main\.main\.func\d\+\d+\n +runtime\.goexit\+1\n\]: 3$", out,
                    re.M), program=GO)
    asked("Go's functions by wildcard, at instructions, too",
          "uprobe:deep:main.(?Box).p* { @[func] = sum(reg(\"bx\")); }"
          " uprobe:main.deep+4 { @n = count(); }", ["x"] * 3,
          lambda out: maps(out)["@[main.(*Box).put]"] == "15" and
          int(maps(out)["@n"]) >= 63, program=GO)
    work = Work(GO)
    trace = Trace("uretprobe:main.deep { @ = count(); }", pid=work.pid)
    out, status = trace.end(how=None)
    report("a return probe on Go's code is refused, with the reason", not (
        status and "Go finds its frames by return addresses" in trace.err and
        "ret instructions sees the same\n" in trace.err) and
        f"{status} {out} {trace.err}")
    work.do("x")
    report("... and it goes on", work.end())


def made_code():
    """Code that the process has made, by its own file."""
    new = r"Made:\*work /x\.js:12\+16"
    cases = (
        ("that is there", ["both"], ["end"], new),
        ("that was there, for it has been killed", ["both"], ["kill"], new),
        ("that comes later", [], ["both", "end"], new),
        ("by its latest line", ["old"], ["new", "end"], new),
        ("that it does not speak of", [], ["end"], "0x[0-9a-f]+"),
        ("with a link in place of its file", ["link"], ["end"], "0x[0-9a-f]+"),
        ("with a hostile file", ["hostile"], ["end"], r"a\\x1b\[2Jb\+16"),
        ("with another user's file", ["both", "chown"], ["end"], "0x[0-9a-f]+"))
    # The last one takes root.
    for words, before, after, name in cases[:None if os.geteuid() == 0 else -1]:
        work = Work(MADE)
        work.do(*before)
        trace = Trace("uprobe:seen { @[ustack(5)] = count(); }", pid=work.pid)
        trace.armed(work)
        work.do("work", *after[:-1])
        if after[-1] == "kill":
            work.process.kill()
        out, status = trace.end(how=signal.SIGINT if after[-1] == "end" else None)
        report("code that a process makes, " + words, not (
            not status and re.search(r"^ +seen\+0\n +outer\+\d+\n +" + name + r"\n +untold\+6\n +main\+",
                                     out, re.M)) and f"{status} {out} {trace.err}")
        work.process.stdin.close()
        work.process.wait()
        if os.path.lexists(f"/tmp/perf-{work.pid}.map"):
            os.unlink(f"/tmp/perf-{work.pid}.map")


def forms():
    """How stacks are shown."""
    at = r"made\.c:\d+"
    asked("stacks with lines, and what was inlined",
          "uprobe:seen { @[ustack(lines)] = count(); }", ["both", "work"],
          lambda out: re.search(rf"^ +seen\+0 at {at}\n +within \(inlined\) at {at}\n"
                                rf" +outer\+\d+ at {at}\n +Made:\*work /x\.js:12\+16\n"
                                rf" +untold\+6\n +main\+\d+ at {at}\n", out, re.M), program=MADE)
    asked("stacks with their objects",
          "uprobe:seen { @[ustack(perf, 4)] = count(); }", ["both", "work"],
          lambda out: re.search(rf"^\t[0-9a-f]+ seen\+0 \({MADE}\)\n"
                                rf"\t[0-9a-f]+ outer\+\d+ \({MADE}\)\n"
                                r"\t[0-9a-f]+ Made:\*work /x\.js:12\+16 \(\[JIT\]\)\n",
                                out, re.M), program=MADE)
    work = Work(MADE)
    trace = Trace("uprobe:seen { @[ustack(lines)] = count(); }", "--folded", pid=work.pid)
    trace.probed(work, 1)
    work.do("both", "work")
    out, _ = trace.end()
    report("folded stacks with what was inlined", not re.search(
        r";main;untold;Made:\*work /x\.js:12;outer;within;seen 1$", out, re.M) and
        out + trace.err)
    work.end()


for part in (go, made_code, forms):
    if len(sys.argv) < 3 or part.__name__ in sys.argv[2:]:
        part()
sys.exit(answers.failed)
