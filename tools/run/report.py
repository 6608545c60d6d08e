# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Owns the reading of what samples/hotspots.c prints at its end."""

import re

from steps import Failed, out

PREFIX = "hotspots: "
ROW = re.compile(r"([0-9a-f]{16}) (\S+?)\+0x([0-9a-f]+)/\S+ (?:\[(.*?)\])? +(\d+) +(\d+)")
RESTORED = re.compile(r"text restored at (\d+) of (\d+) places")


def read(text):
    """The lines from the last heading on, without the prefix."""
    lines = [line.split(PREFIX, 1)[1] for line in text.splitlines() if PREFIX in line]
    headings = [number for number, line in enumerate(lines) if line.startswith("address ")]
    if not headings:
        raise Failed("the probe module left no report:\n" + "\n".join(lines[-5:]))
    return lines[headings[-1]:]


def show(lines):
    for line in lines:
        out("  " + line)


def check(lines):
    """Every probe was hit, all text is as it was; returns {(symbol, offset): hits + missed}."""
    counts = {}
    for line in lines[1:]:
        match = ROW.match(line)
        if match:
            counts[match[2], int(match[3], 16)] = int(match[5]) + int(match[6])
    silent = [f"{symbol}+{offset:#x}" for (symbol, offset), hits in counts.items() if not hits]
    if silent:
        raise Failed(f"never hit: {', '.join(silent)}")
    restored = RESTORED.search(lines[-1])
    if not restored or restored[1] != restored[2] or int(restored[2]) != len(counts):
        raise Failed(f"not all text is as it was before: {lines[-1]}")
    return counts
