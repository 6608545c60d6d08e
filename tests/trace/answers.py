# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What tests of `kprobes trace` have in common.

Owns: how a test's end is said, one "ok", "not ok" or "skip" line each, whether any has
failed, how long what must come may take on a machine with much to do, when a
command has said something, and who are a process's children.
"""
import threading

PATIENCE = 120
failed = False


class Skipped(Exception):
    """It cannot run on this machine, and this is the reason."""


def report(words, problem=None):
    """Say how it ended; problem: what is wrong, if anything is."""
    global failed
    print(("not ok" if problem else "ok") + f" trace: {words}", flush=True)
    if problem:
        failed = True
        for line in str(problem).splitlines()[:40]:
            print("# " + line, flush=True)


def children_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def until_says(command, pipe, text):
    """The lines that it writes there up to one with this, or to its end; bufsize=0."""
    guard = threading.Timer(PATIENCE, command.kill)
    guard.start()
    said = b""
    for line in pipe:
        said += line
        if text.encode() in line:
            break
    guard.cancel()
    return said


def until_set(command, pipe):
    """The same, with -v: then its probes are set."""
    return until_says(command, pipe, "the probes are set")
