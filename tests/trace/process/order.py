#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""kprobes trace on processes: clauses of one place run in the script's order.

Owns: questions in which several clauses are hit by the same instruction, for each
kind of probe; each clause prints a letter.
Prints one "ok" or "not ok" line a test.  Usage: order.py BUILD
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import answers
from answers import PATIENCE, report
from asking import BUILD, KPROBES, asked


def clauses(*places):
    """One a place, which prints the next letter; the last one ends the line."""
    return " ".join(
        f'{place} {{ printf("{chr(ord("a") + i)}{end}"); }}'
        for i, place in enumerate(places)
        for end in ["\\n" if i == len(places) - 1 else ""])


def told(out):
    return re.findall(r"^[a-z]+$", out, re.M)


def in_order(words, places, job, times=3):
    line = "".join(chr(ord("a") + i) for i in range(len(places)))
    asked(f"order: {words}", clauses(*places), [f"{job} {times}"],
          lambda out: told(out) == [line] * times)


def of_a_command(words, script, command, line):
    run = subprocess.run([KPROBES, "trace", "-e", script, "--",
                          os.path.join(BUILD, "tests", "trace", command)], input="x",
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         timeout=PATIENCE, check=False)
    lines = [one for one in told(run.stdout) if set(one) <= set(line)]
    report(f"order: {words}", None if lines and set(lines) == {line} else
           run.stdout + run.stderr)


def main():
    in_order("at a function's entry", ["uprobe:plain"] * 5, "plain")
    in_order("at its return", ["uretprobe:plain"] * 5, "plain")
    in_order("at its entry and its return, mixed",
             ["uprobe:plain", "uprobe:plain", "uretprobe:plain", "uretprobe:plain"],
             "plain")
    in_order("wildcards that overlap",
             ["uprobe:pla*", "uprobe:plain", "uprobe:*lain", "uprobe:pl?in"], "plain")
    in_order("several places of a clause",
             ["uprobe:sized,uprobe:plain", "uprobe:plain,uprobe:sized",
              "uprobe:plain"], "plain")
    in_order("predicates among them",
             ["uprobe:plain /arg0 < 3/", "uprobe:plain", "uprobe:plain /arg0 != 7/",
              "uprobe:plain"], "plain")
    in_order("arguments by name among them",
             ["uprobe:plain /args.n < 3/", "uprobe:plain", "uprobe:plain /args.n < 3/"],
             "plain")
    in_order("at an offset", ["uprobe:plain+0", "uprobe:plain", "uprobe:plain+0"],
             "plain")
    in_order("markers of the program", ["usdt:work:told"] * 3, "plain", times=1)
    asked("order: watched memory", clauses(*["watchpoint:counter:8:w"] * 3),
          ["stored 3"], lambda out: told(out) == ["abc"] * 3)
    of_a_command("system calls and their returns",
                 clauses("syscall:geteuid", "tracepoint:syscalls:sys_enter_geteuid",
                         "sysret:geteuid", "tracepoint:syscalls:sys_exit_geteuid"),
                 "calls", "abcd")
    of_a_command("watched memory, of some code",
                 clauses(*["watchpoint:shop+32:8:w"] * 3) + " code:retitle { }",
                 "overrun", "abc")


if __name__ == "__main__":
    main()
    sys.exit(answers.failed)
