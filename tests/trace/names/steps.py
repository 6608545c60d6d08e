# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Within gdb: at every instruction of functions, what names have as values there, by gdb
and by our fetches.

usage: gdb -batch -ex "py SHOW='.../show'; FUNCTIONS=[...]" -x steps.py PROGRAM
Prints "differs ..." lines and a line "compared N, nowhere N".
"""
import re
import subprocess

import gdb

REGS = ["r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10", "r9", "r8", "rax", "rcx",
        "rdx", "rsi", "rdi", None, "rip", None, None, "rsp", None]
ARGS = ["rdi", "rsi", "rdx", "rcx", "r8", "r9"]
LINE = re.compile(r"(\w+) (?:arg(\d+)|(\[?)r(\d+)([+-]\d+)\]?|=(-?\d+)|\[(0x[0-9a-f]+)\]) "
                  r"(int|pointer|enum)(?: '[^']*')? (\d+)( signed)?")
MASK = (1 << 64) - 1


def register(name):
    return int(gdb.parse_and_eval(f"(unsigned long)${name}")) & MASK


def memory(addr, size):
    return int.from_bytes(gdb.selected_inferior().read_memory(addr, size).tobytes(), "little")


def fetch(match):
    """As a probe would."""
    _, arg, deref, reg, offset, constant, address, _, size, _ = match.groups()
    size = int(size)
    if arg:
        value = register(ARGS[int(arg)])
    elif constant:
        value = int(constant)
    elif address:
        value = memory(int(address, 16), size)
    else:
        value = (register(REGS[int(reg)]) + int(offset)) & MASK
        if deref:
            value = memory(value, size)
    return value & ((1 << 8 * size) - 1)


def compare(line, where, at_entry):
    match = LINE.match(line)
    if not match:
        return False
    name, size = match[1], int(match[9])
    try:
        ours = fetch(match)
        value = gdb.parse_and_eval(name)
        if value.is_optimized_out:
            return False
        theirs = int(value.cast(gdb.lookup_type("unsigned long"))) & ((1 << 8 * size) - 1)
    except (gdb.error, gdb.MemoryError):
        return False
    if ours != theirs and not at_entry:
        print(f"differs {where}: {name}: {ours:#x}, gdb says {theirs:#x}: {line}")
    return True


def main():
    compared = nowhere = 0
    gdb.execute("set pagination off")
    for function in FUNCTIONS:
        gdb.execute(f"break *{function}")
    gdb.execute("run")
    process = ["process", str(gdb.selected_inferior().pid)]
    show = subprocess.Popen([SHOW, *process], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    while gdb.selected_inferior().pid:
        frame = physical = gdb.newest_frame()
        while physical.type() == gdb.INLINE_FRAME:
            physical = physical.older()
        if physical.name() not in FUNCTIONS:
            gdb.execute("continue", to_string=True)
            continue
        show.stdin.write(f"at {frame.pc():#x}\n")
        show.stdin.flush()
        begin = int(gdb.parse_and_eval(f"(unsigned long){physical.name()}"))
        while (line := show.stdout.readline().strip()) != ".":
            nowhere += " nowhere " in line
            compared += compare(line, f"{physical.name()}+{frame.pc() - begin:#x}",
                                frame.pc() == begin)
        gdb.execute("stepi", to_string=True)
    print(f"compared {compared}, nowhere {nowhere}")


main()
