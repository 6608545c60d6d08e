# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The lines of bench/coverage/run as tables of the documentation.

Owns: what stands between the marks in docs/optimization.md.
"""
BEGIN, END = "<!-- coverage: begin -->", "<!-- coverage: end -->"


class Tee:
    """A stream that remembers."""

    def __init__(self, stream):
        self.stream, self.text = stream, ""

    def write(self, text):
        self.text += text
        return self.stream.write(text)

    def flush(self):
        self.stream.flush()

    def lines(self):
        return [line.split("\t") for line in self.text.splitlines()]


def number(text):
    return f"{int(text):,}"


def counted(lines):
    out = ["| object | instructions | refused | as documented, % | here, % | "
           "wide | spread | punned |", "|---|--:|--:|--:|--:|--:|--:|--:|"]
    for word, *rest in lines:
        if word == "coverage":
            name, kind, nr, refused, documented, ours, wide, punned, spread = rest
            out.append(f"| {name} ({kind}) | {number(nr)} | {number(refused)} | "
                       f"{documented} | {ours} | {wide} | {spread} | {punned} |")
    return out


def reasons(lines, which):
    found, names = {}, []
    for word, *rest in lines:
        if word == which:
            name, nr, reason = rest
            names += [name] if name not in names else []
            found.setdefault(reason, {})[name] = number(nr)
    out = ["| stays on the breakpoint | " + " | ".join(names) + " |",
           "|---|" + "--:|" * len(names)]
    for reason, row in sorted(found.items()):
        out.append(f"| {reason} | " +
                   " | ".join(row.get(name, "") for name in names) + " |")
    return out


def executed(lines):
    out = ["| object | functions probed | of them ran | random probes in those |"
           " jumps, % | hit | hits |", "|---|--:|--:|--:|--:|--:|--:|"]
    for word, *rest in lines:
        if word == "executed":
            name, functions, ran, asked, refused, share, hit, hits, _ = rest
            nr = int(asked) - int(refused)
            out.append(f"| {name} | {number(functions)} | {number(ran)} | "
                       f"{nr:,} | {share} | {number(hit)} | {number(hits)} |")
    return out


def put_into(path, lines):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    head, rest = text.split(BEGIN, 1)
    tail = rest.split(END, 1)[1]
    parts = [counted(lines), reasons(lines, "stays"), executed(lines),
             reasons(lines, "left")]
    middle = "\n\n".join("\n".join(part) for part in parts)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{head}{BEGIN}\n{middle}\n{END}{tail}")
