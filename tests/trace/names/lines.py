# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Within gdb: the places of every line, by gdb and by us.

usage: gdb -batch -ex "py SHOW='.../show'; FILE='...'; LAST=N" -x lines.py PROGRAM
Prints "differs ..." lines and a line "compared N". Where a function begins gdb goes on
to what follows its first instructions, and we do not.
"""
import subprocess

import gdb


def places(show, line):
    show.stdin.write(f"line {FILE}:{line}\n")
    show.stdin.flush()
    found = set()
    while (text := show.stdout.readline().strip()) != ".":
        if not text.startswith("none"):
            found.add(int(text.split()[0], 16))
    return found


def breakpoints(line):
    try:
        point = gdb.Breakpoint(f"{FILE}:{line}")
    except gdb.error:
        return set()
    found = {location.address for location in point.locations}
    point.delete()
    return found


def begins(addr):
    block = gdb.block_for_pc(addr)
    while block and not block.function:
        block = block.superblock
    return block and block.start == addr


def main():
    compared = 0
    gdb.execute("set breakpoint pending off")
    program = gdb.current_progspace().filename
    show = subprocess.Popen([SHOW, "dwarf", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for line in range(1, LAST + 1):
        ours, theirs = places(show, line), breakpoints(line)
        if ours != theirs and not all(begins(addr) for addr in ours - theirs):
            print(f"differs at {line}: {[hex(a) for a in ours]}, gdb says {[hex(a) for a in theirs]}")
        compared += bool(ours)
    print(f"compared {compared}, nowhere {LAST - compared}")


main()
