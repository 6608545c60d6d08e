#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""kprobes trace: what a command line means, and scripts that no process is needed for.

Owns: processes that are not there, "-f" before all kinds of words, pointers in maps,
addresses without a name, and signals that show what there is.
Prints one "ok" or "not ok" line a test.  Usage: words.py BUILD
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import answers
from answers import PATIENCE, report
from asking import Work

BUILD = os.path.abspath(sys.argv[1])
KPROBES = os.path.join(BUILD, "kprobes")
NOBODY = "4194300"
RAN = 'BEGIN { printf("ran\\n"); exit(); }'


def run(*words):
    return subprocess.run([KPROBES, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=PATIENCE, check=False)


def nobody():
    for words in (["trace", RAN], ["trace", "uprobe:main { }"], ["trace", "i:s:1 { exit(); }"],
                  ["trace", "-l", "uprobe:*"], ["trace", "-f", RAN], ["top", "malloc"],
                  ["watch", "x"], ["list"], ["funcs", "x"], ["load", "/dev/null"],
                  ["unload", "x"], ["enabled"], ["blacklist"], ["log"]):
        found = run(*words, "-p", NOBODY)
        good = found.returncode and "ran" not in found.stdout and \
            f"there is no process {NOBODY}" in found.stderr
        report(f"no process: {' '.join(words)}", None if good else f"{found}")
    found = run("trace", RAN, "-p", f"{NOBODY},{os.getpid()}")
    report("no process: another one is asked without it",
           None if not found.returncode and "ran" in found.stdout and
           f"there is no process {NOBODY}" in found.stderr else f"{found}")


def formats():
    with tempfile.NamedTemporaryFile("w", suffix=".bt", dir=".") as file:
        file.write(RAN)
        file.flush()
        script = os.path.basename(file.name)
        # words, status, and whether it is JSON
        for words, works, is_json in (
                (["-f", "jsno", "-e", RAN], False, False),
                (["-f", "JSON", "-e", RAN], False, False), (["-f", "txt", RAN], False, False),
                (["-e", RAN, "-f", "param"], False, False), (["-fjsno", RAN], False, False),
                (["--format", "jsno", RAN], False, False), (["-f", "json", RAN], True, True),
                (["-f", "json", "-e", RAN], True, True), (["-e", RAN, "-f", "json"], True, True),
                (["-fjson", RAN], True, True), (["-f", "text", RAN], True, False),
                (["--format=json", RAN], True, True), (["-f", RAN], True, False),
                (["-f", script], True, False), (["-f", "-e", RAN], True, False),
                (["-e", RAN, "-f"], True, False), (["-f", "-f", "json", RAN], True, True),
                (["-e", RAN, "--follow", "param"], True, False)):
            found = run("trace", *words)
            good = (not found.returncode) == works and \
                ("ran" in found.stdout) == works and ("printf" in found.stdout) == is_json
            report(f"-f: {' '.join(words).replace(RAN, 'SCRIPT').replace(script, 'FILE')}",
                   None if good else f"{found}")


POINTERS = {
    "@ = (int32 *)0x100; @ += 2": 0x108, "@ = (int32 *)0x100; @ -= 1": 0xfc,
    "$n = 3; @ = (int64 *)0x100; @ += $n": 0x118, "$n = 3; @ = (int16 *)0x100; @ -= $n": 0xfa,
    "@ = (int32 *)0x100; @++": 0x104, "@ = (int32 *)0x100; --@": 0xfc,
    "@ = (int32 *)0x100; @ = @ + 2": 0x108, "@ = (int32 *)0x100; @ = 2 + @": 0x108,
    "@ = (struct odd *)0x100; @ += 2": 0x118, "$n = 2; @ = (struct odd *)0x100; @ -= $n": 0xe8,
    "@ = (int8 *)0x100; @ += 3": 0x103, "@ = (int32 *)0x100; @ += (int8)2": 0x108,
    "@ = (int32 *)0x100; @ += (uint64)2 * 2": 0x110, "$p = (int32 *)0x100; $p += 2; @ = $p": 0x108,
    "$p = (int32 *)0x100; $p++; --$p; $p -= 1; @ = $p": 0xfc,
    "@ = (struct odd **)0x100; @ += 1": 0x108, "@ = (int32 *)((int64)(int32 *)0x100 + 2)": 0x102,
    "@ = (void *)0x100; @ += 2": 0x102,
}


def pointers():
    for body, value in POINTERS.items():
        found = run("trace", "struct odd { char a[12]; }; BEGIN { " + body + "; exit(); }")
        report(f"pointers: {body}", None if re.search(f"^@: {value:#x}$", found.stdout, re.M)
               else f"{found}")
    body = "@a[1] = (int32 *)0x100; @a[1] += 2; @a[2] = (int32 *)0x100; @a[2]--;"
    found = run("trace", f"BEGIN {{ {body} exit(); }}")
    report("pointers: of several keys", None if "@a[1]: 0x108" in found.stdout and
           "@a[2]: 0xfc" in found.stdout else f"{found}")


def names():
    script = "i:ms:20 { @a[usym(1)] = count(); @b[usym(-1)] = count(); @c[ksym(1)] = count(); " \
        "exit(); }"
    for words in (["--", "/bin/sleep", "5"], ["-p", str(os.getpid())], []):
        found = run("trace", script, *words)
        report(f"no name: usym(1) {' '.join(words[:1])}",
               None if "@a[0x1]: 1" in found.stdout and "@b[0xffffffffffffffff]: 1" in found.stdout
               and not found.returncode else f"{found}")


def shown():
    """SIGUSR1: the maps as they are, and on."""
    for words, script in (([], "i:ms:5 { @n = count(); }"),
                          (["-f", "json"], "i:ms:5 { @n = count(); }"),
                          ([], 'uprobe:plain { @ = count(); } i:ms:5 { @n = count(); }')):
        work = Work() if "uprobe" in script else None
        command = [KPROBES, "trace", *words, "-e", script] + (["-p", str(work.pid)] if work else [])
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as trace:
            guard = threading.Timer(PATIENCE, trace.kill)
            guard.start()
            lines, asked = [], 0
            for line in trace.stdout:
                lines.append(line)
                if "ttach" not in line and "@n" not in line:
                    continue
                # It runs, or has shown them: once more, and then the end.
                asked += 1
                time.sleep(0.1)
                trace.send_signal(signal.SIGUSR1 if asked < 3 else signal.SIGINT)
            status = trace.wait()
            guard.cancel()
        numbers = [int(n) for n in re.findall(r'@n(?:: |": )(\d+)', "".join(lines))]
        good = not status and len(numbers) == 3 and numbers == sorted(set(numbers))
        report(f"SIGUSR1: {' '.join(words)} {script}", None if good else f"{status} {lines}")
        if work:
            work.end()


def main():
    for part in (nobody, formats, pointers, names, shown):
        part()
    sys.exit(answers.failed)


if __name__ == "__main__":
    main()
