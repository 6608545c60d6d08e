#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Attaching to programs that are built with sanitizers, 20 times.

Owns: that the program goes on as if nothing had been, with its masks, and ends
as it would have: AddressSanitizer ends a program with a failure for memory to
which no pointer is left.  Once without a sanitizer: masks change there, too.
"""
import subprocess

import common
from common import COUNTER, Victim, expect, kprobes, report, said

ROUNDS = 20
SYMBOLS = ("sum_of", "malloc", "opendir")


def build(kind):
    name = f"allocates-{kind or 'plain'}"
    flags = [f"-fsanitize={kind}"] if kind else []
    try:
        common.compile_one(name, "allocates.c", "-O1", "-pthread", *flags)
    except subprocess.CalledProcessError as err:
        report(f"{kind or 'none'}: is built", err)
        return None
    return name


def in_and_out(pid, i):
    """What went wrong, or None."""
    for words in (("load", COUNTER, f"symbol={SYMBOLS[i % len(SYMBOLS)]}"),
                  ("list",), ("unload", "-a")):
        run = kprobes(*words, "-p", pid)
        if run.returncode:
            return f"round {i}: {words[0]}: {said(run)}"
        if words[0] == "list" and len(run.stdout.splitlines()) != 1:
            return f"round {i}: {said(run)}"
    return None


def main():
    common.compile_all()
    for kind in ("", "address", "undefined"):
        name = build(kind)
        if not name:
            continue
        with Victim(program=name) as victim:
            problem = None
            for i in range(ROUNDS):
                problem = problem or in_and_out(victim.pid, i)
            report(f"{kind or 'none'}: in and out {ROUNDS} times", problem)
            report("... and it ends as without", victim.finish())
    name = build("thread")
    if name:
        with Victim(program=name) as victim:
            expect("thread: is refused, with the way out", 1, "load", COUNTER,
                   "symbol=sum_of", "-p", victim.pid,
                   says="ThreadSanitizer.*load ... -- COMMAND")
            report("... and it is not harmed", victim.finish())
    common.end()


main()
