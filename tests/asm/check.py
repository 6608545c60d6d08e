#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Compare the slot images that a program prints with the expected ones.

Owns: one "ok asm.NAME" or "not ok asm.NAME" line a case.
Usage: check.py PROGRAM INPUT EXPECTED
"""
import subprocess
import sys


def cases(text):
    found, key = {}, None
    for line in text.splitlines():
        if not line.startswith(" "):
            key = line
            found[key] = []
        else:
            found[key].append(line)
    return found


def main():
    program, given, expected = sys.argv[1:]
    with open(given, encoding="ascii") as file:
        printed = subprocess.run([program], stdin=file, check=True, text=True,
                                 stdout=subprocess.PIPE).stdout
    with open(expected, encoding="ascii") as file:
        want = cases(file.read())
    got = cases(printed)
    failed = False
    for key in dict.fromkeys([*want, *got]):
        same = want.get(key) == got.get(key)
        failed |= not same
        print(f"{'ok' if same else 'not ok'} asm.{'.'.join(key.split()[:3])}")
        if not same:
            sys.stderr.write("\n".join([key, "expected:", *want.get(key, []),
                                        "printed:", *got.get(key, []), ""]))
    return failed


sys.exit(main())
