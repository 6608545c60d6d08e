# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What tests of `kprobes trace` have in common.

Owns: how a test's end is said, one "ok" or "not ok" line each, and whether any
has failed.
"""

failed = False


def report(words, problem=None):
    """Say how it ended; problem: what is wrong, if anything is."""
    global failed
    print(("not ok" if problem else "ok") + f" trace: {words}", flush=True)
    if problem:
        failed = True
        for line in str(problem).splitlines()[:40]:
            print("# " + line, flush=True)
