#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""kprobes trace on processes: numbers have the width and the sign of their types.

Owns: questions to tests/trace/process/typed.c, which returns and is given numbers
of each type, and the answers, which follow from what it says.
Prints one "ok" or "not ok" line a test.  Usage: typed.py BUILD
"""
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import answers
from answers import PATIENCE, report

BUILD = os.path.abspath(sys.argv[1])
KPROBES = os.path.join(BUILD, "kprobes")
TYPED = os.path.join(BUILD, "tests", "trace", "typed")

RETURNED = {
    "schar": -128, "uchar": 128, "char": -1, "true": 1, "false": 0, "short": -300,
    "ushort": 65236, "int": -1, "dirty": 7, "uint": 4294967295, "long": -5,
    "4g": 4294967295, "ulong": 2 ** 64 - 1, "enum": -3, "plain": 1, "typedef": -16,
    "const": -16, "pointer": -1,
}
# Of the C library, which has no debugging information, or has some.
LIBRARY = {
    "close": -1, "connect": -1, "access": -1, "socket": -1, "inet_addr": 4294967295,
    "atoi": -100000, "lseek": -1,
}


def trace(script, *options, env=None):
    run = subprocess.run([KPROBES, "trace", *options, "-e", script, "--", TYPED],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         timeout=PATIENCE, check=False,
                         env={**os.environ, **(env or {})})
    return run.stdout, run.stderr, run.returncode


def maps(text):
    return dict(re.findall(r"^(@\w*(?:\[.*?\])?): (.*)$", text, re.M))


def compare(words, found, wanted, err=""):
    wrong = {name: (found.get(name), value) for name, value in wanted.items()
             if found.get(name) != value}
    report(words, wrong and f"found, wanted: {wrong}\n{err[-500:]}")


def of_all(values, body):
    return " ".join(body.replace("NAME", name).replace("FUNC", function)
                    for name, function in values)


def returned():
    names = [(name, "r_" + name) for name in RETURNED]
    signed = [(name, function) for name, function in names if name != "ulong"]

    def ask(words, which, body, wanted):
        """wanted: of a name and a value, the map's text behind "@NAME", and its value."""
        out, err, _ = trace(of_all(which, f"uretprobe:FUNC {body}"))
        lines = {}
        for name, _ in which:
            rest, value = wanted(RETURNED[name])
            lines[f"@{name}{rest}"] = value
        compare(f"retval {words}", maps(out), lines, err)

    ask("as a key", names, "{ @NAME[retval] = count(); }", lambda n: (f"[{n}]", "3"))
    ask("as a value", names, "{ @NAME = retval; }", lambda n: ("", str(n)))
    ask("in a tuple", names, "{ @NAME[(retval, 1)] = count(); }",
        lambda n: (f"[{n}, 1]", "3"))
    ask("in a variable, from which a map is added to", signed,
        "{ $x = retval; $x += 1; @NAME += $x; }", lambda n: ("", str(3 * n + 3)))
    ask("in sum()", signed, "{ @NAME = sum(retval); }", lambda n: ("", str(3 * n)))
    for name in ("min", "max", "avg"):
        ask(f"in {name}()", signed, f"{{ @NAME = {name}(retval); }}", lambda n: ("", str(n)))
    ask("in a predicate", signed, "/retval < 0/ { @NAME = count(); }",
        lambda n: ("", "3" if n < 0 else None))
    ask("in a condition", signed, "{ if (retval < 0) { @NAME = count(); } }",
        lambda n: ("", "3" if n < 0 else None))
    ask("compared with -1", signed, "{ @NAME = retval == -1 ? 1 : 0; }",
        lambda n: ("", str(int(n == -1))))
    out, err, _ = trace(of_all(signed, 'uretprobe:FUNC { printf("NAME %d\\n", retval); }'))
    compare("retval in printf()", dict(re.findall(r"^(\w+) (-?\d+)$", out, re.M)),
            {name: str(RETURNED[name]) for name, _ in signed}, err)
    out, err, _ = trace("uretprobe:r_* /retval < 0/ { @[func] = count(); } "
                        "uretprobe:r_[ds]* { @v[func] = retval; }")
    found = maps(out)
    compare("retval of a wildcard's functions", found,
            {f"@[r_{name}]": "3" if value < 0 else None for name, value in RETURNED.items()} |
            {f"@v[r_{name}]": str(RETURNED[name]) for name in ("short", "dirty", "schar")} |
            {"@v[r_double]": None}, err)
    report("retval of a wildcard's functions: what is left out is said",
           None if "are left out" in err else err)
    out, err, _ = trace("uretprobe:r_schar,uretprobe:r_uint { @[retval] = count(); }")
    compare("retval of several functions", maps(out), {"@[-128]": "3", "@[4294967295]": "3"},
            err)
    out, err, _ = trace("uretprobe:r_int { @h = hist(retval); @l = lhist(retval, -2, 2, 1); }")
    report("retval in histograms", None if "(..., 0)" in out and "[-1, 0)" in out else out + err)
    out, err, _ = trace("uretprobe:r_short { @ = retval; @k[retval] = count(); }",
                        "--json")
    if "--json" in err:
        out, err, _ = trace("uretprobe:r_short { @ = retval; @k[retval] = count(); }",
                            "-f", "json")
    found = {}
    for line in out.splitlines():
        data = json.loads(line).get("data") if line.startswith("{") else None
        found.update(data if isinstance(data, dict) else {})
    compare("retval in JSON", found, {"@": -300, "@k": {"-300": 3}}, out + err)


def refused():
    for function, why in (("r_double", "floating-point"), ("r_int128", "two registers"),
                          ("r_two", "in registers"), ("r_pair", "in registers")):
        out, err, status = trace(f"uretprobe:{function} {{ @ = sum(retval); }}")
        report(f"retval of {function} is refused", None if status and why in err else
               f"{status} {out} {err}")
    _, err, status = trace("uretprobe:r_ulong /retval < 0/ { @ = count(); }")
    report("retval < 0 of an unsigned long is refused",
           None if status and "never negative" in err else err)


def library():
    out, err, _ = trace(of_all([(name, name) for name in LIBRARY],
                               "uretprobe:libc.so.6:FUNC { @NAME[retval] = count(); "
                               "if (retval < 0) { @n_NAME = count(); } }"))
    wanted = {}
    for name, value in LIBRARY.items():
        wanted[f"@{name}[{value}]"] = "3"
        wanted[f"@n_{name}"] = "3" if value < 0 else None
    compare("retval of the C library's functions", maps(out), wanted, err)


def without_types():
    """A copy of the C library for which no debugging information can be found."""
    with open("/proc/self/maps", encoding="ascii") as file:
        libc = re.search(r"\s(/\S*/libc\.so\.6)$", file.read(), re.M)
    if not libc:
        print("skip trace: retval without types: this C library is another one")
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "libc.so.6")
        subprocess.run(["objcopy", "--remove-section", ".note.gnu.build-id",
                        "--remove-section", ".gnu_debuglink", libc[1], copy], check=True)
        os.chmod(copy, 0o755)
        names = {**LIBRARY, "strtoul": 4294967295}
        _, err, status = trace("uprobe:libc.so.6:connect { print(args.fd); }",
                               env={"LD_LIBRARY_PATH": folder})
        report("the copy has no types of its own",
               None if status and "debugging information" in err else err)
        out, err, _ = trace(of_all([(name, name) for name in names],
                                   "uretprobe:libc.so.6:FUNC { @NAME[retval] = count(); }"),
                            env={"LD_LIBRARY_PATH": folder})
        compare("retval of the C library's functions without types", maps(out),
                {f"@{name}[{value}]": "3" for name, value in names.items()}, err)


def given():
    out, err, _ = trace('uprobe:takes { printf("%d %d %d %d %d\\n", args.sc, args.uc, args.b, '
                        'args.s, args.i); @[args.sc, args.uc, args.b, args.s, args.i] = count(); '
                        "if (args.sc < 0 && args.s < -1 && args.i == -3) { @yes = count(); } }")
    report("arguments", None if "-1 255 1 -2 -3\n" in out and "@yes: 3" in out and
           "@[-1, 255, 1, -2, -3]: 3" in out else out + err)
    fields = "sc uc b s us i ui l ul e bits ubits ebits".split()
    values = [-1, 255, 1, -2, 65535, -3, 4294967295, -4, 2 ** 64 - 1, -3, -4, 7, -3]
    out, err, _ = trace("uprobe:takes { " + " ".join(
        f"@{name}[args.p->{name}] = sum(args.p->{name}); @v_{name} = args.p->{name};"
        for name in fields) +
        ' printf("%d %d %s %d %d\\n", args.p->e, args.p->ebits, args.p->e, args.p->bits, '
        "args.p->ubits); @t[(args.p->e, args.p->s)] = count(); "
        "@n = min(args.p->e); @x = max(args.p->e); "
        'if (args.p->e < GREEN && args.p->e == RED) { @less = count(); } }')
    found = maps(out)
    wanted = {}
    for name, value in zip(fields, values):
        shown = "RED" if name in ("e", "ebits") else str(value)
        wanted[f"@{name}[{shown}]"] = str(3 * value) if name != "ul" else str(2 ** 64 - 3)
        wanted[f"@v_{name}"] = shown
    wanted |= {"@t[RED, -2]": "3", "@n": "-3", "@x": "-3", "@less": "3"}
    compare("fields", found, wanted, err)
    report("enumerators as printf() has them",
           None if "-3 -3 RED -4 7\n" in out else out + err)


def main():
    for part in (returned, refused, library, without_types, given):
        part()
    sys.exit(answers.failed)


if __name__ == "__main__":
    main()
