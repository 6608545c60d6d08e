#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Compare what scripts become with golden files.

  programs.in  the instructions, names and types
  errors.in    what is refused, where, and what to use instead
  runs.in      what is printed, on a machine made for tests
  manual.in    the same, of what bpftrace's manual shows, section by section

Usage: golden.py SHOW [--rebase]
"""
import difflib
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def sections(text):
    """Name -> what stands behind its line."""
    found = {}
    for part in ("\n" + text).split("\n=== ")[1:]:
        name, _, rest = part.partition("\n")
        found[name] = rest.rstrip("\n")
    return found


def main():
    show, rebase = sys.argv[1], "--rebase" in sys.argv
    failed = False
    for kind in ("programs", "errors", "runs", "manual"):
        base = os.path.join(HERE, kind)
        command = [show] + (["-r"] if kind in ("runs", "manual") else []) + [base + ".in"]
        text = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode(
            "utf-8", "replace")
        if rebase:
            with open(base + ".out", "w", encoding="utf-8") as file:
                file.write(text)
            continue
        with open(base + ".out", encoding="utf-8") as file:
            wanted = sections(file.read())
        for name, is_now in sections(text).items():
            good = wanted.get(name) == is_now
            failed |= not good
            print(f"{'ok' if good else 'not ok'} trace front: {kind}: {name}")
            if not good:
                print("\n".join(difflib.unified_diff(
                    wanted.get(name, "").split("\n"), is_now.split("\n"),
                    lineterm="")))
        missing = set(wanted) - set(sections(text))
        if missing:
            failed = True
            print(f"not ok trace front: {kind}: no more: {', '.join(sorted(missing))}")
    sys.exit(failed)


main()
