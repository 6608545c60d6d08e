# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What the tests of this folder share.

Owns: where things are, how the command is called, and how a result is told.
"""
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.join(ROOT, os.environ.get("B", "build"))
KPROBES = os.path.join(BUILD, "kprobes")
OUT = os.path.join(BUILD, "tests", "any")
SOURCES = os.path.join(HERE, "programs")
FAILED = []				# the names of the tests that failed


def report(name, problem):
    """True: there was no problem."""
    print(f"{'not ok' if problem else 'ok'} any: {name}", flush=True)
    if problem:
        FAILED.append(name)
        print("\n".join("# " + line for line in str(problem).splitlines()), flush=True)
    return not problem


def kprobes(*args, seconds=30):
    """Its exit status, and all that it says."""
    run = subprocess.run([KPROBES, *args], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, errors="replace", timeout=seconds, check=False)
    return run.returncode, run.stdout


def trace(pid, script, enough, spans=(100, 400, 3000), seconds=30):
    """Longer each time, until it has said enough: other tests run beside this one."""
    for ms in spans:
        code, said = kprobes("trace", "-p", str(pid), f"{script} interval:ms:{ms} {{ exit(); }}",
                             seconds=seconds)
        if code or enough(said):
            break
    return code, said
