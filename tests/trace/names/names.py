#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What names mean, compared with what the compiler says.

usage: names.py FOLDER CC

FOLDER holds the program show; programs are made there. Prints "ok NAME" or "not ok
NAME" lines, and what was wrong.
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER, CC = sys.argv[1], sys.argv[2:]
failed = 0


def build(name, *flags, source="subject.c", libraries=()):
    path = os.path.join(FOLDER, name)
    subprocess.run([*CC, *flags, os.path.join(HERE, source), "-o", path, *libraries], check=True)
    return path


def ask(kind, questions):
    """{question: lines}"""
    run = subprocess.run([os.path.join(FOLDER, "show"), *kind], text=True,
                         input="".join(f"{q}\n" for q in questions),
                         stdout=subprocess.PIPE, check=True)
    answers, lines = [], []
    for line in run.stdout.splitlines():
        if line == ".":
            answers.append(lines)
            lines = []
        else:
            lines.append(line)
    return dict(zip(questions, answers))


def report(name, wrong):
    global failed
    print(f"{'not ok' if wrong else 'ok'} trace-names-{name}")
    for line in wrong:
        print(f"# {line}")
    failed += bool(wrong)
    sys.stdout.flush()


def expect(name, kind, wanted):
    """wanted: (question, regular expressions that match lines, in order)"""
    answers = ask(kind, [question for question, _ in wanted])
    wrong = []
    for question, patterns in wanted:
        lines = answers.get(question, [])
        at = 0
        for pattern in patterns:
            found = [i for i in range(at, len(lines)) if re.fullmatch(pattern, lines[i].strip())]
            if not found:
                wrong += [f"{question}: no {pattern}", *lines[:30]]
                break
            at = found[0] + 1
    report(name, wrong)


def flat(lines):
    """{field: (offset, size)}, through what has no name."""
    fields, path = {}, []
    for line in lines[1:]:
        match = re.match(r"( +)(\S+) \+(\d+) (?:bits \S+ )?\w+(?: '[^']*')? (\d+)", line)
        if not match:
            continue
        depth = len(match[1]) // 2
        path = path[:depth - 1] + [int(match[3])]
        fields[match[2]] = (sum(path), int(match[4]))
    return fields


def layouts(name, kind, program):
    """Every field is where the compiled program finds it."""
    said = [line.rsplit(" ", 3) for line in subprocess.run(
        [program], stdout=subprocess.PIPE, text=True, check=False).stdout.splitlines()]
    answers = ask(kind, sorted({f"type {row[0]}" for row in said}))
    wrong = [] if said else ["the program says nothing"]
    for kind_name, field, offset, size in said:
        found = flat(answers[f"type {kind_name}"]).get(field)
        if found != (int(offset), int(size)):
            wrong.append(f"{kind_name}.{field} is at {offset}, {size} bytes, not {found}")
    report(name, wrong)


def ask_gdb(name, script, program, least, **values):
    """What names say is what gdb finds."""
    values["SHOW"] = os.path.join(FOLDER, "show")
    set_them = "; ".join(f"{key}={value!r}" for key, value in values.items())
    run = subprocess.run(["gdb", "-nx", "-batch", "-ex", f"py {set_them}",
                          "-x", os.path.join(HERE, script), program],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         stdin=subprocess.DEVNULL, timeout=300, check=False)
    lines = run.stdout.splitlines()
    wrong = [line for line in lines if line.startswith("differs")][:20]
    done = re.search(r"^compared (\d+), nowhere (\d+)$", run.stdout, re.M)
    if not done or int(done[1]) < least:
        wrong += lines[-10:] or ["nothing was compared"]
    report(name, wrong)
    if not wrong:
        print(f"# {done[0]}")


def frames(name, program, functions):
    """Inlined frames and lines at every byte of functions, as addr2line has them."""
    listed = subprocess.run(["nm", "-S", program], stdout=subprocess.PIPE, text=True, check=True)
    addrs = []
    for line in listed.stdout.splitlines():
        words = line.split()
        if len(words) == 4 and words[3] in functions:
            addrs += range(int(words[0], 16), int(words[0], 16) + int(words[1], 16))
    answers = ask(["dwarf", program], [f"frames {addr:#x}" for addr in addrs])
    wrong = [] if addrs else ["no such functions"]
    for addr in addrs:
        run = subprocess.run(["addr2line", "-i", "-f", "-e", program, f"{addr:#x}"],
                             stdout=subprocess.PIPE, text=True, check=True)
        said = re.sub(r" \(discriminator \d+\)", "", run.stdout).splitlines()
        theirs = list(zip(said[::2], said[1::2]))
        ours = [tuple(line.removesuffix(" inlined").split(" ", 1))
                for line in answers[f"frames {addr:#x}"]]
        if ours != theirs:
            wrong.append(f"{addr:#x}: {ours}, addr2line says {theirs}")
    report(name, wrong[:20])


def usdt(name, program):
    """Notes, as readelf sees them; what their arguments mean is looked at here."""
    run = subprocess.run(["readelf", "-n", program], stdout=subprocess.PIPE, text=True,
                         check=True)
    places = re.findall(r"Name: (\w+)\s+Location: (\w+), Base: \w+, Semaphore: (\w+)", run.stdout)
    wanted = [rf"subject:{found} {int(addr, 16):#x} {int(semaphore, 16):#x}"
              for found, addr, semaphore in places]
    expect(name, ["dwarf", program], [
        ("usdt subject", [wanted[0], r"arg0 \S+ int 'int' 4 signed", r"arg1 \S+ int 'unsigned long' 8",
                          r"arg2 \S+ int 'short' 2 signed",
                          wanted[1], r"arg0 \S+ int 'unsigned char' 1", "arg1 =7 int 'long' 8 signed",
                          "arg2 =-5 int 'int' 4 signed", r"arg3 \S+ int 'long' 8 signed"]),
        ("usdt nosuch", []),
    ])


TYPES = [
    ("type struct node", [r"struct 'struct node' \d+",
                          r"next \+0 pointer 8 of struct 'struct node' \d+",
                          r"far \+8 pointer 8 of struct 'struct inner' \d+.*",
                          r"near .* struct 'struct inner' 26",
                          r"colour .* enum 'enum colour' 4.*",
                          r"opaque .* pointer 8 of struct 'struct nowhere' 0 incomplete",
                          r"pairs .* array 16 \[2\] of pointer 8 of struct 'pair_t' 16.*",
                          r"name .* array 13 \[13\] of int 'char' 1 signed",
                          r"ratio .* void 'double' 8"]),
    ("type struct bits", [r"low \+0 bits 0..3 int 'unsigned int' 4",
                          r"middle \+0 bits 3..14 int 'int' 4 signed",
                          r"high \+0 bits 14..32 int 'unsigned int' 4",
                          r"wide \+8 bits 0..40 int 'long long unsigned int' 8",
                          r"paint \+12 bits 8..12 enum 'enum colour' 4",
                          r"last \+13 bits 4..5 int 'unsigned char' 1"]),
    ("type struct tight", [r"odd \+0 bits 8..21 int 'unsigned int' 4",
                           r"over \+2 bits 5..35 int 'unsigned int' 8"]),
    ("type enum level", [r"enum 'enum level' 4.*", "LOW -3", "MIDDLE 0", "HIGH 100000"]),
    ("type struct node **", [r"pointer 8 of pointer 8 of struct 'struct node' \d+"]),
    ("type struct nosuch", ["none"]),
    ("type pair_t", [r"struct 'pair_t' 16", r"left \+0 .*", r"right \+8 .*"]),
    ("constant GREEN", ["7"]),
    ("constant LOW", ["-3"]),
    ("constant NOSUCH", ["none"]),
]

# As a C function begins.
ENTRY = [
    ("args many", [r"node arg0 pointer .*", r"small arg1 int 'unsigned char' 1", r"colour arg2 enum .*",
                   r"text arg3 pointer 8 of int 'char' 1 signed", r"five arg4 .*", r"six arg5 .*",
                   r"seven \[r19\+8\] int .*", r"eight \[r19\+16\] int .*"]),
    ("args mixed", [r"ratio nowhere .*vector.*", r"count arg0 int .*", r"pair nowhere .*registers.*",
                    r"inner \[r19\+8\] struct .*", r"less nowhere .*", r"last arg3 .*"]),
    ("returns many", [r"retval returned int 'long int' 8 signed"]),
    ("args nosuch", [r"none: .*"]),
]

# What optimized code says of itself.
OPTIMIZED = [
    ("args many", [r"node r14\+0 pointer .*", r"small r13\+0 .*", r"colour r12\+0 enum .*",
                   r"text r11\+0 .*", r"five r9\+0 .*", r"six r8\+0 .*",
                   r"seven \[r19\+8\] int .*", r"eight \[r19\+16\] int .*"]),
    ("args mixed", [r"ratio nowhere .*vector.*", r"count r14\+0 int .*", r"pair nowhere .*",
                    r"inner \[r19\+8\] struct .*", r"less nowhere .*", r"last r11\+0 .*"]),
    *ENTRY[2:],
]

# C++: classes, namespaces, and objects that are passed by their address.
STRING = r"struct 'struct basic_string<.*' 32"
OBJECTS = [
    ("args _ZN5outer5inner7Derived3addEiRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES7_",
     [r"this (arg0|r14\+0) pointer 8 of struct 'struct Derived' .*", r"what (arg1|r13\+0) int .*",
      rf"text (arg2|r12\+0) pointer 8 of {STRING}", rf"copy \[r11\+0\] {STRING}"]),
    # What it returns is in memory that its caller names first.
    ("args large", [r"node (arg1|r13\+0) pointer 8 of struct 'struct Node' .*",
                    r"flag (arg2|r12\+0) int 'bool' 1", r"values \[r11\+0\] struct 'struct vector<.*"]),
    ("returns large", [rf"retval returned {STRING}"]),
    ("type outer::inner::Derived", [r"struct 'struct Derived' \d+", r"- \+0 struct 'struct Base' 16",
                                    r"id \+8 int .*", r"count \+16 int .*"]),
    ("type class outer::Node::Link", [r"struct 'struct Link' 8", r"to \+0 pointer 8 of struct 'struct Node' .*"]),
    ("constant outer::inner::Kind::SOME", ["200"]),
    ("constant SOME", ["200"]),
    ("type std::string", [STRING]),
]

BUILTIN = [
    ("type long unsigned", [r"int 'unsigned long' 8"]),
    ("type unsigned", [r"int 'unsigned int' 4"]),
    ("type const char *", [r"pointer 8 of int 'char' 1 signed"]),
    ("type size_t", [r"int 'unsigned long' 8"]),
    ("type signed char", [r"int 'signed char' 1 signed"]),
    ("type short int", [r"int 'short' 2 signed"]),
    ("type double", ["none"]),
    ("args main", ["none: .*"]),
]

SYSCALLS = [
    ("syscall openat kernel", ["257 openat openat", r"__syscall_nr =257 .*",
                               r"dfd \[arg0\+112\] int 'int' 4 signed",
                               r"filename \[arg0\+104\] user pointer 8 of int 'char' 1 signed",
                               r"flags \[arg0\+96\] .*", r"mode \[arg0\+56\] .*"]),
    ("syscall mmap process", [r"addr r14\+0 .*", r"len r13\+0 .*", r"prot r12\+0 .*",
                              r"flags r7\+0 .*", r"fd r9\+0 .*", r"off r8\+0 .*"]),
    ("syscall stat kernel", ["4 stat newstat", r"filename .*", r"statbuf \[arg0\+104\] user pointer .*"]),
    ("syscall newstat kernel", ["4 stat newstat"]),
    ("syscall execve kernel", [r"argv \[arg0\+104\] user pointer 8 of pointer 8 of int 'char' .*"]),
    ("syscall nosuch kernel", ["none"]),
    ("rawcall read kernel", ["0 read read", r"id \[arg0\+120\] int 'long' 8 signed", r"args from 2 array 48 .*",
                             r"args\[0\] \[arg0\+112\] int 'unsigned long' 8", r"args\[1\] .*"]),
    ("rawcall read process", ["0 read read", r"id r10\+0 int 'int' 4 signed", r"args from 2 .*", r"args\[0\] r14\+0 .*"]),
    ("event unsigned short common_type; offset:0; size:2; signed:0;"
     "|char prev_comm[16]; offset:8; size:16; signed:0;|pid_t prev_pid; offset:24; size:4; signed:1;"
     "|__data_loc char[] name; offset:28; size:4; signed:0;|const void * skaddr; offset:32; size:8; signed:0;"
     "|struct unknown_one x; offset:40; size:24; signed:0;|u8 saddr[4]; offset:64; size:4; signed:0;|nonsense|;",
     [r"prev_comm \[arg0\+8\] array 16 .*", r"prev_pid \[arg0\+24\] int 'int' 4 signed",
      r"name located by \[arg0\+28\] pointer 8 .*", r"skaddr \[arg0\+32\] pointer 8 .*",
      r"saddr \[arg0\+64\] array 4 .*"]),
    ("rawret write kernel", ["1 write write", r"id =1 .*", r"ret returned .*"]),
    ("sysret read kernel", ["0 read read", r"ret returned int 'long' 8 signed"]),
]


def main():
    expect("builtin", ["nothing"], BUILTIN)
    expect("syscalls", ["nothing"], SYSCALLS)
    program = build("subject", "-O1", "-g")
    btf = build("subject-btf.o", "-O1", "-gbtf", "-c")
    layouts("btf-layouts", ["btf", btf], program)
    expect("btf-types", ["btf", btf], TYPES)
    expect("btf-args", ["btf", btf], ENTRY)
    os.environ["KPROBES_VMLINUX"] = program
    expect("kernel-dwarf", ["kernel"], TYPES + ENTRY[2:])
    os.environ["KPROBES_VMLINUX"] = btf
    expect("kernel-btf", ["kernel"], TYPES + ENTRY)
    for how in (("-O0", "-gdwarf-5"), ("-Og", "-gdwarf-5"), ("-O2", "-gdwarf-5"), ("-O2", "-gdwarf-4")):
        name = "dwarf" + "".join(how).replace("-gdwarf", "")
        program = build(f"subject{''.join(how)}", "-no-pie", *how)
        layouts(f"{name}-layouts", ["dwarf", program], program)
        expect(f"{name}-types", ["dwarf", program], TYPES)
        expect(f"{name}-args", ["dwarf", program], ENTRY if "-O0" in how else OPTIMIZED)
        ask_gdb(f"{name}-steps", "steps.py", program, 300, FUNCTIONS=["many", "mixed", "locals"])
        ask_gdb(f"{name}-lines", "lines.py", program, 40, FILE="subject.c", LAST=90)
        frames(f"{name}-frames", program, ["locals", "main"])
    # Where the loader put it.
    program = build("subject-pie", "-pie", "-O1", "-g")
    ask_gdb("dwarf-pie-steps", "steps.py", program, 300, FUNCTIONS=["many", "mixed", "locals"])
    for how in ("-O0", "-O2"):
        program = build(f"objects{how}", "-xc++", "-g", "-no-pie", how, source="objects.cc",
                        libraries=["-lstdc++"])
        expect(f"objects{how}", ["dwarf", program], OBJECTS)
        usdt(f"usdt{how}", build(f"probes{how}", "-no-pie", how, source="probes.c"))
    sys.exit(failed != 0)


main()
