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


def of(lines, which):
    """What follows that word in the lines that begin with it."""
    return [rest for word, *rest in lines if word == which]


def table(heads, rows):
    return (["| " + " | ".join(heads) + " |",
             "|---|" + "--:|" * (len(heads) - 1)] +
            ["| " + " | ".join(row) + " |" for row in rows])


def counted(lines):
    return table(
        ["object", "instructions", "refused", "as documented, %", "here, %",
         "wide", "spread", "punned"],
        [[f"{name} ({kind})", number(nr), number(refused), documented, ours,
          wide, spread, punned]
         for name, kind, nr, refused, documented, ours, wide, punned, spread
         in of(lines, "coverage")])


def reasons(lines, which):
    found, names = {}, []
    for name, nr, reason in of(lines, which):
        names += [name] if name not in names else []
        found.setdefault(reason, {})[name] = number(nr)
    out = ["| stays on the breakpoint | " + " | ".join(names) + " |",
           "|---|" + "--:|" * len(names)]
    for reason, row in sorted(found.items()):
        out.append(f"| {reason} | " +
                   " | ".join(row.get(name, "") for name in names) + " |")
    return out


def executed(lines):
    return table(
        ["object", "functions probed", "of them ran",
         "random probes in those", "jumps, %", "hit", "hits"],
        [[name, number(functions), number(ran),
          f"{int(asked) - int(refused):,}", share, number(hit), number(hits)]
         for name, functions, ran, asked, refused, share, hit, hits, _
         in of(lines, "executed")])


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
