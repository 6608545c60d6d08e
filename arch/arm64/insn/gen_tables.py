#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Turn opcodes.map into the C table that insn.c includes.

usage: gen_tables.py opcodes.map > opcode_tables.h

A row of the map becomes one or more pairs of mask and value: a condition on its
fields is split into the values for which it holds, so that insn.c compares bits
and nothing else.  Two rows that admit the same word are an error: the order of
the map means nothing.
"""
import re
import sys

CLASSES = ["plain", "b", "bl", "bcond", "cbz", "tbz", "br", "blr", "ret", "adr", "adrp",
           "literal", "load_exclusive", "store_exclusive", "clrex", "exception", "eret",
           "hint", "wait", "barrier", "read_sysreg", "write_sysreg", "pstate", "sys",
           "mops", "transaction"]
FLAGS = ["pac", "key_b", "modifier", "not", "wide", "signed", "vector", "prefetch", "pad"]
LETTERS = re.compile(r"\b[a-zA-Z]\b")


class MapError(Exception):
    pass


def logical(n, s, wide):
    """Is N:imms (imms is s) the size and length of a run of ones within an element?"""
    if n and not wide:
        return False
    width = (n << 6 | (~s & 63)).bit_length() - 1
    return width >= 1 and s & ((1 << width) - 1) != (1 << width) - 1


def fields_of(pattern):
    """Letter -> the numbers of its bits, the highest first."""
    fields = {}
    for at, char in enumerate(pattern):
        if char.isalpha():
            fields.setdefault(char, []).append(31 - at)
    return fields


def cubes(bits, holds, known=()):
    """The values of @bits for which @holds, as few (mask, value) as halving finds."""
    rest = len(bits) - len(known)
    values = [known + tuple(v >> (rest - 1 - i) & 1 for i in range(rest))
              for v in range(1 << rest)]
    held = [holds(value) for value in values]
    if not any(held):
        return []
    if all(held):
        mask = value = 0
        for bit, one in zip(bits, known):
            mask |= 1 << bit
            value |= one << bit
        return [(mask, value)]
    zero = cubes(bits, holds, known + (0,))
    one = cubes(bits, holds, known + (1,))
    at = 1 << bits[len(known)]
    # What holds whatever this bit is needs no comparison with it.
    both = [(mask & ~at, value) for mask, value in zero if (mask, value | at) in one]
    return (both + [c for c in zero if (c[0] & ~at, c[1]) not in both]
            + [c for c in one if (c[0] & ~at, c[1] & ~at) not in both])


def expand(pattern, condition):
    """The (mask, value) pairs of a row."""
    mask = sum(1 << (31 - at) for at, char in enumerate(pattern) if char in "01")
    value = sum(1 << (31 - at) for at, char in enumerate(pattern) if char == "1")
    if not condition:
        return [(mask, value)]
    fields = fields_of(pattern)
    names = sorted(set(LETTERS.findall(condition)) & set(fields))
    code = compile(condition, "opcodes.map", "eval")
    bits = sorted((bit for name in names for bit in fields[name]), reverse=True)

    def holds(ones):
        at = dict(zip(bits, ones))
        scope = {name: sum(at[bit] << i for i, bit in enumerate(reversed(fields[name])))
                 for name in names}
        return bool(eval(code, {"__builtins__": {}, "logical": logical}, scope))

    found = cubes(bits, holds)
    if not found:
        raise MapError("the condition never holds")
    return [(mask | m, value | v) for m, v in found]


def parse(lines):
    rows = []
    for number, line in enumerate(lines, 1):
        text = line.split("#")[0].strip()
        if not text:
            continue
        try:
            rows += parse_row(number, text)
        except (MapError, NameError, SyntaxError) as error:
            sys.exit(f"opcodes.map:{number}: {error}: {text}")
    check(rows)
    return rows


def parse_row(number, text):
    text, _, condition = text.partition(" if ")
    words = text.split()
    pattern, names = "".join(words[:4]), words[4:]
    if len(pattern) != 32 or any(len(word) != 8 for word in words[:4]):
        raise MapError("a pattern is four times eight bits")
    kind = names[0] if names else "plain"
    if kind not in CLASSES or set(names[1:]) - set(FLAGS):
        raise MapError("unknown class or flag")
    return [(mask, value, kind, tuple(names[1:]), number)
            for mask, value in expand(pattern, condition.strip())]


def check(rows):
    by_byte = buckets(rows)
    for numbers in by_byte:
        for at, i in enumerate(numbers):
            for j in numbers[at + 1:]:
                a, b = rows[i], rows[j]
                if not (a[1] ^ b[1]) & a[0] & b[0]:
                    sys.exit(f"opcodes.map:{a[4]} and {b[4]} both admit "
                             f"{a[1] | b[1]:08x}")


def buckets(rows):
    """For each upper byte of a word, the rows that may admit it."""
    return [[i for i, row in enumerate(rows)
             if not ((byte << 24) ^ row[1]) & row[0] & 0xFF000000] for byte in range(256)]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = parse(file)
    print("/* Made by gen_tables.py from opcodes.map. */")
    print("static const struct row rows[] = {")
    for mask, value, kind, flags, number in rows:
        bits = "|".join("KP_A64_" + flag.upper() for flag in flags) or "0"
        print(f"\t{{ 0x{mask:08X}, 0x{value:08X}, KP_A64_{kind.upper()}, {bits} }},"
              f"\t/* {number} */")
    print("};\n")
    order, starts = [], []
    for numbers in buckets(rows):
        starts.append(len(order))
        order += numbers
    starts.append(len(order))
    for name, values in (("row_order", order), ("row_start", starts)):
        print(f"static const uint16_t {name}[] = {{")
        for at in range(0, len(values), 16):
            print("\t" + " ".join(f"{v}," for v in values[at:at + 16]))
        print("};\n")


main()
