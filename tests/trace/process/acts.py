#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""kprobes trace: cat() and system() do what the script says, and nothing else.

Owns: scripts of blocks, and of a process whose name is a shell's command.
Prints one "ok" or "not ok" line a test.  Usage: acts.py BUILD
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import answers
from answers import PATIENCE, report

BUILD = os.path.abspath(sys.argv[1])
KPROBES = os.path.join(BUILD, "kprobes")


def trace(script, *words):
    run = subprocess.run([KPROBES, "trace", "-e", script, *words],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         timeout=PATIENCE, check=False)
    lines = [line for line in run.stdout.splitlines()
             if line and not line.startswith("Attached")]
    return lines, run.stderr


def says(words, script, wanted, *more, refused=0):
    lines, err = trace(script, *more)
    lost = f"Lost {refused} command" if refused else None
    good = lines == wanted and (lost in err if lost else "Lost" not in err)
    report(f"acts: {words}", None if good else f"{lines}\n{err}")


def main():
    says("a file and a command", 'i:ms:5 { cat("/proc/sys/kernel/ostype"); '
         'system("echo from-%s", "shell"); exit(); }', ["Linux", "from-shell"])
    says("in their order, beside prints", 'BEGIN { printf("1\\n"); system("sleep 0.2; echo 2"); '
         'printf("3\\n"); system("echo %d; echo %x%%", -4, 255); exit(); } '
         'END { system("echo 5"); }', ["1", "2", "3", "-4", "ff%", "5"])
    says("a value in the name of a file", 'BEGIN { cat("/proc/sys/kernel/%s", "ostype"); exit(); }',
         ["Linux"])
    for value in ("a;id", "$(id)", "`id`", "a b", "-rf", "a|b", "a'b", "a>b", "a&b", "*"):
        says(f"a value {value!r} reaches no shell",
             f'BEGIN {{ system("echo %s", "{value}"); exit(); }}', [], refused=1)
    says("a value leads nowhere up", 'BEGIN { cat("/%s", "proc/../etc/hostname"); exit(); }', [],
         refused=1)
    says("no such file", 'BEGIN { cat("/no/such"); exit(); }', [], refused=1)
    says("a command that prints nothing", 'BEGIN { system("true"); printf("x\\n"); exit(); }',
         ["x"])
    lines, err = trace('BEGIN { system("echo a"); exit(); }', "-f", "json")
    found = [json.loads(line) for line in lines]
    report("acts: as JSON", None if {"type": "syscall", "data": "a\n"} in found else f"{lines} {err}")
    with tempfile.TemporaryDirectory() as folder:
        for name, wanted, refused in (("plain", ["plain"] * 3, 0), ("a;echo b", [], 3)):
            path = os.path.join(folder, name)
            shutil.copy(os.path.join(BUILD, "tests", "trace", "typed"), path)
            says(f"of a process called {name!r}",
                 'uprobe:r_int { system("echo %s", comm); }', wanted, "--", path,
                 refused=refused)


if __name__ == "__main__":
    main()
    sys.exit(answers.failed)
