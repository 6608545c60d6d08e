#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Turn syscalls.map into the table that syscalls.c includes.

usage: gen_syscalls.py syscalls.map > syscalls_table.h
"""
import re
import sys

ROW = re.compile(r"^(\d+) (\w+)(?:=(\w+))?(?:: (.+))?$")
PARAMETER = re.compile(r"^(\w[\w ]*? \**)(\w+)$")


class MapError(Exception):
    pass


def parameters(text):
    for part in text.split(", ") if text else ():
        match = PARAMETER.match(part)
        if not match:
            raise MapError(f"no parameter: {part}")
        yield match[1].strip(), match[2]


def rows(path):
    last = -1
    with open(path, encoding="utf-8") as file:
        for nr, line in enumerate(file, 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            match = ROW.match(line)
            if not match or int(match[1]) <= last:
                raise MapError(f"{path}:{nr}: {line}")
            last = int(match[1])
            args = list(parameters(match[4]))
            if len(args) > 6:
                raise MapError(f"{path}:{nr}: more than six parameters")
            yield last, match[2], match[3] or match[2], args


def main():
    print("/* Made by gen_syscalls.py. */")
    for number, name, entry, args in rows(sys.argv[1]):
        inner = ", ".join(f'{{ "{kind}", "{arg}" }}' for kind, arg in args)
        print(f"#ifdef __NR_{name}\n#define HERE __NR_{name}\n#else\n#define HERE OF_X86({number})\n#endif")
        print(f'{{ "{name}", "{entry}", HERE, {len(args)}, {{ {inner} }} }},\n#undef HERE')


if __name__ == "__main__":
    try:
        main()
    except MapError as error:
        sys.exit(f"gen_syscalls.py: {error}")
