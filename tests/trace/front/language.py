#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The table of docs/trace.md: each feature of language.list, and what becomes of its script.

Usage: language.py SHOW [--rebase]

The table says "yes" of what compiles, else what the error says.
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "../../../docs/trace.md")
BEGIN = "| feature | since | here |\n|---|---|---|\n"


def features():
    """Heading or (feature, since, script)."""
    with open(os.path.join(HERE, "language.list"), encoding="utf-8") as file:
        lines = file.read().split("\n")[4:]
    for line in lines:
        if line.startswith("# "):
            yield line[2:]
        elif line:
            feature, since, script = line.split("|", 2) if "||" not in line else (
                line.split("||", 1)[0], "", line.split("||", 1)[1])
            yield feature, since, script.replace("\\n#", "\n#").replace("\\nbegin", "\nbegin")


def cell(text):
    """In a table a bar separates, and a star may begin emphasis."""
    return re.sub(r"([|*<_])", r"\\\1", text)


def answers(show, scripts):
    """What SHOW says of each script: "yes", or the error."""
    text = "".join(f"=== {i}\n{script}\n" for i, script in enumerate(scripts))
    out = subprocess.run([show], input=text.encode(), stdout=subprocess.PIPE,
                         check=True).stdout.decode("utf-8", "replace")
    for part in ("\n" + out).split("\n=== ")[1:]:
        error = re.search(r"^script:\S+ ERROR: (.*)", part, re.M)
        yield error.group(1) if error else "yes"


def table(show):
    all_of_them = list(features())
    found = answers(show, [f[2] for f in all_of_them if isinstance(f, tuple)])
    text = BEGIN
    for f in all_of_them:
        if isinstance(f, tuple):
            here = next(found)
            here = here if here == "yes" else "no: " + cell(here)
            text += f"| {cell(f[0])} | {f[1]} | {here} |\n"
        else:
            text += f"| **{f}** | | |\n"
    return text


def main():
    wanted = table(sys.argv[1])
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    begin = page.index(BEGIN)
    end = page.index("\n\n", begin) + 1
    if "--rebase" in sys.argv:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(page[:begin] + wanted + page[end:])
        return
    good = page[begin:end] == wanted
    print(f"{'ok' if good else 'not ok'} trace front: docs/trace.md says what the language has")
    sys.exit(not good)


main()
