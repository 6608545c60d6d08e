#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""kprobes trace on processes: arguments by name, behind arguments of all kinds.

Owns: functions that are made at random of the types below, always the same ones, and
compiled without optimization, where only the calling convention says what is where as
a function begins. An argument has the value that its caller gave it, or is refused.
Prints one "ok" or "not ok" line a compiler.  Usage: passed.py BUILD
"""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import answers
from answers import PATIENCE, report

BUILD = os.path.abspath(sys.argv[1])
KPROBES = os.path.join(BUILD, "kprobes")
SHOW = os.path.join(BUILD, "tests", "trace", "names", "show")
FUNCTIONS = 160

# What is asked for: a name, and the values that it may have.
NUMBERS = {
    "signed char": (-128, 127), "unsigned char": (0, 255), "short": (-32768, 32767),
    "unsigned short": (0, 65535), "int": (-2 ** 31, 2 ** 31 - 1), "_Bool": (0, 1),
    "unsigned int": (0, 2 ** 32 - 1), "long": (-2 ** 62, 2 ** 62), "enum sign": (-3, 5),
}
# What is between.
OTHERS = {
    "float": "1.5f", "double": "2.5", "long double": "3.5L", "__int128": "(__int128)77",
    "__float128": "(__float128)4.5", "_Complex float": "1.25f", "_Complex double": "1.25",
    "_Complex long double": "1.25L", "void *": "(void *)16", "v16": "(v16){ 1, 2, 3, 4 }",
    "v8": "(v8){ 1, 2 }",
}
STRUCTS = {
    "s_c": "char a;", "s_i": "int a;", "s_ii": "int a, b;", "s_l": "long a;",
    "s_ll": "long a, b;", "s_lll": "long a, b, c;", "s_f": "float a;", "s_ff": "float a, b;",
    "s_fff": "float a, b, c;", "s_d": "double a;", "s_dd": "double a, b;",
    "s_id": "int a; double b;", "s_di": "double a; int b;", "s_fi": "float a; int b;",
    "s_ffi": "float a, b; int c;", "s_ld": "long double a;", "s_c3": "char a[3];",
    "s_c9": "char a[9];", "s_c16": "char a[16];", "s_c17": "char a[17];",
    "s_ci": "char a; int b;", "s_bits": "int a : 3, b : 30; long c : 40;",
    "s_nested": "struct { short a; char b; } a; struct { float c; } b;",
    "s_i128": "__int128 a;", "s_v16": "v16 a;", "s_cl": "_Complex float a; long b;",
    "s_p": "void *a; short b;", "s_empty3": "char a[3]; struct { } b;",
}
PACKED = {"k_cl": "char a; long b;", "k_lc": "long a; char b;", "k_ci": "char a; int b;",
          "k_cd": "char a; double b;", "k_cs": "char a; short b; char c;"}
UNIONS = {"u_if": "int a; float b;", "u_dl": "double a; long b;", "u_ldi": "long double a; int b;",
          "u_ff": "float a; float b[2];", "u_vl": "v16 a; long b;"}
ALIGNED = {"a_16": ("long a;", 16), "a_32": ("int a;", 32)}


def types():
    yield "typedef int v16 __attribute__((vector_size(16)));"
    yield "typedef float v8 __attribute__((vector_size(8)));"
    yield "enum sign { LOW = -3, MIDDLE = 0, HIGH = 5 };"
    for name, body in STRUCTS.items():
        yield f"struct {name} {{ {body} }};"
    for name, body in PACKED.items():
        yield f"struct __attribute__((packed)) {name} {{ {body} }};"
    for name, body in UNIONS.items():
        yield f"union {name} {{ {body} }};"
    for name, (body, align) in ALIGNED.items():
        yield f"struct __attribute__((aligned({align}))) {name} {{ {body} }};"


def make(rng):
    """Functions: what each returns, and its parameters: type, value, is asked for."""
    composites = [f"struct {name}" for name in (*STRUCTS, *PACKED, *ALIGNED)]
    composites += [f"union {name}" for name in UNIONS]
    between = [*OTHERS] * 2 + composites
    all_made = []
    for i in range(FUNCTIONS):
        returned = rng.choice(["void", "int", *composites]) if i % 3 == 0 else "void"
        params = []
        for _ in range(rng.randrange(3, 13)):
            if rng.random() < 0.6:
                kind = rng.choice([*NUMBERS])
                low, high = NUMBERS[kind]
                value = rng.choice([low, high, rng.randint(low, high)])
                if kind == "enum sign":
                    value = rng.choice([-3, 0, 5])
                params.append((kind, value, True))
            else:
                params.append((rng.choice(between), None, False))
        # What is behind one of those, always.
        first = between[i % len(between)]
        params.insert(rng.randrange(0, 3), (first, None, False))
        all_made.append((returned, params))
    return all_made


def program(functions, is_cxx):
    """Its source."""
    out = [*types()]
    if is_cxx:
        out.insert(0, "#define _Bool bool")
    calls = []
    for i, (returned, params) in enumerate(functions):
        listed = ", ".join(f"{kind} p{j}" for j, (kind, _, _) in enumerate(params))
        body = "" if returned == "void" else f" static {returned} r; return r;"
        out.append(("extern \"C\" " if is_cxx else "") +
                   f"__attribute__((noinline)) {returned} f{i}({listed}) {{{body} }}")
        given = []
        for j, (kind, value, _) in enumerate(params):
            if value is not None:
                given.append(f"({kind}){value}" + ("L" if kind == "long" else ""))
            elif kind in OTHERS:
                given.append(OTHERS[kind])
            else:
                calls.append(f"static {kind} x{i}_{j};")
                given.append(f"x{i}_{j}")
        calls.append(f"f{i}({', '.join(given)});")
    out.append("int main(void) { " + "\n".join(calls) + " return 0; }")
    return "\n".join(out) + "\n"


def had(path, functions):
    """Of each function the numbers of the parameters that can be had, as is said."""
    run = subprocess.run([SHOW, "dwarf", path], text=True, stdout=subprocess.PIPE, check=True,
                         input="".join(f"args f{i}\n" for i in range(len(functions))))
    answers_of = run.stdout.split("\n.\n")
    return [[int(j) for j in re.findall(r"^ *p(\d+) (?!nowhere)", answer, re.M)]
            for answer in answers_of[:len(functions)]]


def look(compiler, functions, folder):
    is_cxx = "++" in compiler
    path = os.path.join(folder, compiler)
    source = path + (".cc" if is_cxx else ".c")
    with open(source, "w", encoding="ascii") as file:
        file.write(program(functions, is_cxx))
    built = subprocess.run([compiler, "-O0", "-g", "-w", "-no-pie", source, "-o", path],
                           stderr=subprocess.PIPE, text=True, check=False)
    if built.returncode:
        return built.stderr[:2000]
    known = had(path, functions)
    script, wanted, refused = [], {}, 0
    for i, (_, params) in enumerate(functions):
        asked = [j for j, (_, _, is_asked) in enumerate(params) if is_asked]
        refused += len([j for j in asked if j not in known[i]])
        asked = [j for j in asked if j in known[i]]
        if not asked:
            continue
        script.append(f'uprobe:f{i} {{ printf("f{i}' + " %d" * len(asked) + '\\n", ' +
                      ", ".join(f"args.p{j}" for j in asked) + "); }")
        wanted[f"f{i}"] = " ".join(str(params[j][1]) for j in asked)
    run = subprocess.run([KPROBES, "trace", "-e", " ".join(script), "--", path],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         timeout=PATIENCE, check=False)
    found = dict(re.findall(r"^(f\d+) (.*)$", run.stdout, re.M))
    wrong = [f"{name}({', '.join(kind for kind, _, _ in functions[int(name[1:])][1])}) "
             f"-> {functions[int(name[1:])][0]}: {found.get(name)}, not {values}"
             for name, values in wanted.items() if found.get(name) != values]
    told = sum(len(values.split()) for values in wanted.values())
    print(f"# {compiler}: {told} arguments, {refused} refused")
    if wrong:
        return "\n".join(wrong[:20]) + "\n" + run.stderr[:500]
    return told < 2 * refused and f"only {told} arguments are told, and {refused} refused"


def main():
    functions = make(random.Random(35))
    with tempfile.TemporaryDirectory() as folder:
        for compiler in ("gcc", "g++", "clang", "clang++"):
            words = f"arguments behind arguments of all kinds, {compiler}"
            if not shutil.which(compiler):
                print(f"skip trace: {words}: it is not installed")
                continue
            report(words, look(compiler, functions, folder))
    sys.exit(answers.failed)


if __name__ == "__main__":
    main()
