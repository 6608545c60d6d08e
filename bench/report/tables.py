# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The tables of the benchmarks, as Markdown.

Owns: which rows stand in which table, their captions, and the places in
docs/overhead.md where they are put.
"""

SEVERAL = [
    ("a2", "2 kprobes at one address, on the breakpoint"),
    ("a4", "4"),
    ("a8", "8"),
    ("a2o", "2 kprobes at one address, through a jump"),
    ("a4o", "4"),
    ("a8o", "8"),
]
PROCESS = [
    ("floor.trap", "the floor: int3 and a SIGTRAP handler that resumes"),
    ("floor.jump", "the floor: a hand-written jump that saves the same"),
    ("floor.popf", "floor.jump with flags restored by popf"),
    ("floor.fxsave", "floor.jump with fxsave and fxrstor"),
    ("floor.xsavec", "floor.jump with xsavec and xrstor"),
    ("k", "kprobe with a post_handler, on the breakpoint"),
    ("b", "kprobe, on the breakpoint"),
    ("o", "kprobe through a jump, instruction of 7 bytes"),
    ("o4", "the same, 4 bytes"),
    ("o3", "the same, 3 bytes"),
    ("o1", "the same, 1 byte (push %rbp)"),
    ("ob", "the same, on a branch of 2 bytes"),
    ("op", "o with a post_handler"),
    ("oh", "o with a handler that calls a function"),
    ("ot", "o with a handler that looks an argument up in a table and adds atomically"),
    ("ov", "o with a handler that uses vector registers"),
    ("r", "return probe, on the breakpoint, entry emulated"),
    ("rb", "return probe, on the breakpoint, entry copied"),
    ("ro", "return probe through a jump"),
    ("kr", "k and a return probe on one function"),
    ("ko", "kprobe and return probe on one function, through a jump"),
    ("j", "jprobe, on the breakpoint"),
    ("jo", "jprobe through a jump"),
    ("jr", "jprobe and return probe on one function"),
] + SEVERAL
ASKED = [
    ("ask.never", "kprobes trace: a filter that never matches"),
    ("ask.count", "@ = count()"),
    ("ask.key", "@[arg0] = count()"),
    ("ask.hist", "@ = hist(arg0)"),
    ("ask.event", "an event with the time and three arguments, read live"),
    ("ask.time", "how long a function takes, by thread: entry and return"),
    ("ask.stack", "@[ustack] = count(), 20 frames"),
]
PEERS = [
    ("uprobe.push", "kernel uprobe on push (emulated)"),
    ("uprobe.copy", "kernel uprobe on mov (stepped out of line)"),
    ("uprobe.return", "kernel uretprobe"),
    ("gdb.fast", "gdb fast tracepoint"),
    ("uftrace", "uftrace, entry and return"),
    ("lttng", "LTTng-UST tracepoint in the source, one field, newest kept in memory"),
]
KERNEL_NAMES = [
    ("k", "kprobe with a post_handler, on the breakpoint"),
    ("b", "kprobe, on the breakpoint"),
    ("o", "kprobe through a jump"),
    ("op", "o with a post_handler"),
    ("oh", "o with a handler that calls a function"),
    ("ot", "o with a handler that looks an argument up in a table and adds atomically"),
    ("r", "return probe, on the breakpoint"),
    ("ro", "return probe through a jump"),
    ("kr", "k and a return probe"),
    ("ko", "o and a return probe"),
    ("pro", "return probe, then a kprobe with a post_handler only, at one address, through a jump"),
    ("pro4", "the same on a C function that begins with 4 bytes"),
    ("j", "jprobe, on the breakpoint"),
    ("jo", "jprobe through a jump"),
    ("jr", "jprobe and return probe"),
    ("f", "kprobe through ftrace"),
    ("fr", "return probe through ftrace"),
    ("t", "trace program through a jump, told to do nothing"),
    ("tn", "a filter that never matches"),
    ("tc", "@ = count()"),
    ("tk", "@[arg0] = count()"),
    ("th", "@ = hist(arg0)"),
    ("te", "an event with the time and three arguments"),
] + SEVERAL
# Of a processor whose kernel makes no jumps, and executes branches by itself.
BRANCHES = [
    ("bj", "kprobe on a conditional branch, on the breakpoint"),
    ("bc", "kprobe on a call, on the breakpoint"),
]
# Of one that has no jumps at all.
BREAKPOINTS = [
    ("rb", "return probe, on the breakpoint"),
    ("pr", "return probe, then a kprobe with a post_handler only, at one address, on the breakpoint"),
    ("bh", "b with a handler that calls a function"),
    *BRANCHES,
]


def cell(row, key="min"):
    return f"{row[key]:,.1f}" if row else "-"


def process_table(rows):
    lines = ["| process | | ns a hit | median | instructions of the process |",
             "|---|---|---:|---:|---:|"]
    for name, text in PROCESS + ASKED + PEERS:
        if name in rows:
            counted = rows.get("insns." + name)
            lines.append(f"| {name} | {text} | {cell(rows[name])} | "
                         f"{cell(rows[name], 'median')} | {cell(counted)} |")
    return lines


def kernel_columns(rows, unit):
    """(title, prefix) of each configuration that has rows in this unit."""
    wanted = [("ours, stock kernel", f"stock.ours.{unit}."),
              ("built-in, stock kernel", f"stock.builtin.{unit}."),
              ("ours, kernel without Kprobes", f"small.ours.{unit}.")]
    return [(title, prefix) for title, prefix in wanted
            if any(name.startswith(prefix) for name in rows)]


def kernel_table(rows, unit, caption):
    columns = kernel_columns(rows, unit)
    if not columns:
        return []
    lines = [f"| kernel, {caption} | | " +
             " | ".join(title for title, _ in columns) + " |",
             "|---|---|" + "---:|" * len(columns)]
    for name, text in KERNEL_NAMES:
        cells = [rows.get(prefix + name) for _, prefix in columns]
        if any(cells):
            lines.append(f"| {name} | {text} | " +
                         " | ".join(cell(row) for row in cells) + " |")
    return lines


def releases_table(rows, kernels, more=()):
    """Ours beside the built-in, kernel by kernel."""
    lines = ["| | | " + " | ".join(kernels) + " |",
             "|---|---|" + "---:|" * len(kernels)]
    for name, text in [*KERNEL_NAMES, *more]:
        cells = []
        for kernel in kernels:
            ours = rows.get(f"{kernel}.ours.insns.{name}")
            builtin = rows.get(f"{kernel}.builtin.insns.{name}")
            cells.append((f"{ours:,.0f}" if ours else "-") +
                         (f" ({builtin:,.0f})" if builtin else ""))
        if set(cells) != {"-"}:
            lines.append(f"| {name} | {text} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def fact_table(facts):
    if not facts:
        return []
    lines = ["| scale | | |", "|---|---:|---|"]
    for name, fact in facts.items():
        value = fact["value"]
        shown = f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
        lines.append(f"| {name} | {shown} | {fact['unit']} |")
    return lines


# Other processors of which there is a table: the two kernels.
MACHINES = ("arm64", "riscv64", "i386", "armhf", "mips64el")


def machine_table(rows, machine):
    more = BREAKPOINTS if machine == "mips64el" else BRANCHES
    return releases_table(rows, (f"stock-{machine}", f"small-{machine}"), more)


def render(results):
    machine = results["machine"]
    least = {name: row["min"] for name, row in results["rows"].items()}
    machines = [machine_table(least, machine) for machine in MACHINES]
    parts = [[f"{machine['cpu']}, {machine['cpus']} CPUs, Linux "
              f"{machine['kernel']}, {machine['date']}"],
             process_table(results["rows"]),
             kernel_table(results["rows"], "insns",
                          "instructions a hit above a bare call"),
             kernel_table(results["rows"], "ns",
                          "ns a hit under TCG, 2 CPUs"),
             *([table] for table in machines if table.count("\n") > 1),
             fact_table(results["facts"]),
             [f"skipped: {name}: {why}"
              for name, why in results["skipped"].items()]]
    return "\n\n".join("\n".join(part) for part in parts if part)


def put_into(path, text, place="bench"):
    """Between the marks of that place in the page."""
    begin, end = f"<!-- {place}: begin -->", f"<!-- {place}: end -->"
    with open(path, encoding="utf-8") as old:
        head, rest = old.read().split(begin, 1)
    tail = rest.split(end, 1)[1]
    with open(path, "w", encoding="utf-8") as out:
        out.write(f"{head}{begin}\n{text}\n{end}{tail}")
