# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The chart of the benchmarks: horizontal bars on a logarithmic scale, SVG.

Owns: which rows are drawn, and how.
"""
import math
from xml.sax.saxutils import escape

BARS = [
    ("hand-written jump (floor)", "floor.jump", "#9aa5b1"),
    ("kprobe, optimized", "o", "#2f7ed8"),
    ("kprobe, optimized, post_handler", "op", "#2f7ed8"),
    ("return probe, optimized", "ro", "#2f7ed8"),
    ("jprobe, optimized", "jo", "#2f7ed8"),
    ("kernel uprobe, emulated push", "uprobe.push", "#d9822b"),
    ("kernel uretprobe", "uprobe.return", "#d9822b"),
    ("int3 and SIGTRAP (floor)", "floor.trap", "#9aa5b1"),
    ("kprobe, breakpoint", "b", "#2f7ed8"),
    ("return probe, breakpoint", "rb", "#2f7ed8"),
    ("kernel uprobe, stepped", "uprobe.copy", "#d9822b"),
]
LEFT, WIDTH, ROW, TOP = 240, 480, 24, 30


def scale(value, high):
    return max(2.0, WIDTH * math.log10(max(value, 1.0)) / math.log10(high))


def write(path, results):
    rows = results["rows"]
    bars = [(label, rows[name]["min"], colour)
            for label, name, colour in BARS if name in rows]
    if not bars:
        return
    high = 10 ** math.ceil(math.log10(max(value for _, value, _ in bars)))
    height = TOP + ROW * len(bars) + 20
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 90}" '
           f'height="{height}" font-family="sans-serif" font-size="13">',
           '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="{LEFT}" y="18" fill="#333">ns a hit in a process, '
           'above a bare call (logarithmic)</text>']
    for i, (label, value, colour) in enumerate(bars):
        y = TOP + ROW * i
        length = scale(value, high)
        out.append(f'<text x="{LEFT - 8}" y="{y + 15}" text-anchor="end" '
                   f'fill="#333">{escape(label)}</text>')
        out.append(f'<rect x="{LEFT}" y="{y + 3}" width="{length:.1f}" '
                   f'height="{ROW - 8}" fill="{colour}"/>')
        out.append(f'<text x="{LEFT + length + 6:.1f}" y="{y + 15}" '
                   f'fill="#333">{value:,.1f}</text>')
    out.append("</svg>\n")
    with open(path, "w", encoding="utf-8") as svg:
        svg.write("\n".join(out))
