#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Turn opcodes.map into the C tables that insn.c includes.

usage: gen_tables.py opcodes.map > insn_tables.h

The order of the generated rows is the order of the map: the decoder takes the
first row that admits the encoding.  Everything that can be checked about a row
without an instruction is checked here, so that insn.c need not.
"""
import re
import sys

SECTIONS = ["legacy 0", "legacy 0F", "legacy 0F38", "legacy 0F3A", "3dnow",
            "vex 0F", "vex 0F38", "vex 0F3A",
            "evex 0F", "evex 0F38", "evex 0F3A", "evex 5", "evex 6",
            "xop 8", "xop 9", "xop A"]

PP = {"np": 1, "66": 2, "f3": 4, "f2": 8}
SEL = {"w0": 1, "w1": 2, "m32": 4, "m64": 8, "mem": 16, "reg": 32}
SEL_GROUPS = (("w0", "w1"), ("m32", "m64"), ("mem", "reg"))
GPRS = {"a": 1, "c": 2, "d": 4, "b": 8, "sp": 16, "bp": 32, "si": 64, "di": 128, "r11": 0x800, "all": 0xFFFF}
FLOWS = {"jmp": "JMP_REL", "jcc": "JCC_REL", "loop": "LOOP", "call": "CALL_REL",
         "jmpind": "JMP_IND", "callind": "CALL_IND", "ret": "RET", "farjmp": "FAR_JMP",
         "farcall": "FAR_CALL", "farret": "FAR_RET", "iret": "IRET", "int": "INT",
         "syscall": "SYSCALL", "sysret": "SYSRET", "trap": "TRAP", "xbegin": "XBEGIN",
         "hlt": "HLT", "virt": "VIRT", "rsm": "RSM"}
SIZES = {"d64": "SIZE_D64", "f64": "SIZE_F64", "ob": "SIZE_BYTE", "os32": "SIZE_MAX32", "no66": "SIZE_NO66"}
PROPS = ["lock", "nf", "vec", "priv", "str", "stk", "ss", "noaccess", "rmreg", "mpx", "norip",
         "k", "kk", "z", "zr", "bc", "er", "sae", "sib", "vsib", "use66", "modrm"]
# operand token -> (place, kind)
OPERANDS = {"V": ("reg", "VEC"), "P": ("reg", "MMX"), "S": ("reg", "SEG"),
            "C": ("reg", "CR"), "D": ("reg", "DR"), "kG": ("reg", "MASK"),
            "tG": ("reg", "TILE"), "bG": ("reg", "BND"),
            "W": ("rm", "VEC"), "U": ("rm!", "VEC"), "Q": ("rm", "MMX"), "N": ("rm!", "MMX"),
            "kE": ("rm", "MASK"), "kR": ("rm!", "MASK"), "tR": ("rm!", "TILE"),
            "bE": ("rm", "BND"), "F": ("rm", "FPU"), "VM": ("mem", "NONE"), "SM": ("mem", "NONE"),
            "H": ("vvvv", "VEC"), "kB": ("vvvv", "MASK"), "tB": ("vvvv", "TILE")}
IMMS = {"Ib": "B", "Iu": "UB", "Is": "UB", "Iw": "UW", "Iz": "Z", "Iv": "V",
        "Ob": "MOFFS", "Ov": "MOFFS", "Ap": "FAR", "Jb": "B", "Jz": "Z"}
GPR_OPERAND = re.compile(r"^([GERBMZ])(_?)([bwdqvyp]?)$")
PLACES = {"G": "reg", "E": "rm", "R": "rm!", "B": "vvvv", "Z": "opcode", "M": "mem"}


class MapError(Exception):
    pass


class Row:
    def __init__(self, section, tokens):
        self.section = section
        self.regs = self.rms = 0xFF
        self.pp = self.sel = self.lens = self.gprs = 0
        self.kind = {"reg": "NONE", "rm": "NONE", "vvvv": "NONE", "opcode": "NONE"}
        self.imm, self.imm2 = "NONE", False
        self.size, self.flow, self.diff = "SIZE_V", "NONE", "NONE"
        self.props = set()
        for token in tokens:
            self.add(token)
        self.finish()

    def add(self, token):
        if token in PP:
            self.pp |= PP[token]
        elif token in SEL:
            self.sel |= SEL[token]
        elif token in ("l0", "l1", "l2"):
            self.lens |= 1 << int(token[1])
        elif token in SIZES:
            self.size = SIZES[token]
        elif token in PROPS:
            self.props.add(token)
        elif token in IMMS:
            self.imm = IMMS[token]
            if token == "Ob":
                self.byte_operand()
        elif token == "I2b":
            self.imm2 = True
        elif token.startswith("u:"):
            for name in token[2:].split("+"):
                self.gprs |= GPRS[name]
        elif token.startswith("flow:"):
            self.flow = FLOWS[token[5:]]
        elif token.startswith("diff:"):
            self.diff = token[5:].upper()
        elif token in OPERANDS:
            self.operand(*OPERANDS[token])
            if token in ("VM", "SM"):
                self.props |= {"VM": {"sib", "vsib"}, "SM": {"sib"}}[token]
        else:
            self.gpr_operand(token)

    def operand(self, place, kind):
        if place == "mem":
            self.sel |= SEL["mem"]
        elif place == "rm!":
            self.sel |= SEL["reg"]
            place = "rm"
        if place != "mem":
            self.kind[place] = kind
        if place in ("reg", "rm", "mem"):
            self.props.add("modrm")

    def gpr_operand(self, token):
        match = GPR_OPERAND.match(token)
        if not match:
            raise MapError("unknown token " + token)
        letter, narrow, width = match.groups()
        self.operand(PLACES[letter], "GPRB" if width == "b" and letter != "M" else "GPR")
        if width == "b" and not narrow:
            self.byte_operand()
        if width == "v":
            self.props.add("use66")

    def byte_operand(self):
        if self.size == "SIZE_V":
            self.size = "SIZE_BYTE"

    def finish(self):
        if self.regs != 0xFF or self.rms != 0xFF:
            self.props.add("modrm")
        for group in SEL_GROUPS:
            bits = sum(SEL[name] for name in group)
            if not self.sel & bits:
                self.sel |= bits
        if not self.lens:
            self.lens = 0xF if self.section.startswith("legacy") else 7
        if not self.pp:
            if not self.section.startswith(("legacy", "3dnow", "xop")):
                raise MapError("no mandatory prefix given")
            self.pp = 0x1F
        if self.kind["rm"] == "FPU":
            self.props.add("vec")
        vector = {"VEC", "MMX", "MASK", "TILE", "BND"}
        if vector & set(self.kind.values()) or "vsib" in self.props:
            self.props.add("vec")

    def select(self, regs, rms):
        if regs:
            self.regs = sum(1 << int(d) for d in regs)
            self.props.add("modrm")
        if rms:
            self.rms = sum(1 << int(d) for d in rms)
            self.sel &= ~SEL["mem"]
            self.props.add("modrm")

    def c(self):
        flags = "|".join("R_" + p.upper() for p in PROPS if p in self.props) or "0"
        k = self.kind
        return ("{ 0x%02X, 0x%02X, 0x%02X, 0x%02X, 0x%X, K_%s, K_%s, K_%s, K_%s, IMM_%s, %d, %s, "
                "KP_INSN_FLOW_%s, DIFF_%s, 0x%04X, %s }" % (
                    self.pp, self.regs, self.rms, self.sel, self.lens,
                    k["reg"], k["rm"], k["vvvv"], k["opcode"], self.imm, self.imm2,
                    self.size, self.flow, self.diff, self.gprs, flags))


def parse(lines):
    tables = {name: {} for name in SECTIONS}
    aliases, section = {}, None
    for number, line in enumerate(lines, 1):
        line = line.split("#")[0].strip()
        try:
            if not line:
                continue
            if line.startswith("["):
                section = line.strip("[]")
                tables[section]
            elif line.startswith("@"):
                name, _, value = line.partition("=")
                aliases[name.strip()] = expand(value.split(), aliases)
            else:
                add_row(tables[section], section, line.split(), aliases)
        except (MapError, KeyError, ValueError) as error:
            sys.exit("opcodes.map:%d: %s: %r" % (number, line, error))
    return tables


def expand(words, aliases):
    tokens = []
    for word in words:
        for token in word.split(","):
            tokens += aliases[token] if token.startswith("@") else [token]
    return tokens


def add_row(table, section, words, aliases):
    match = re.match(r"^([0-9A-F]{2})(?:-([0-9A-F]{2}))?(?:/([0-7]+))?(?::([0-7]+))?$", words[0])
    if not match:
        raise MapError("bad opcode " + words[0])
    first = int(match.group(1), 16)
    last = int(match.group(2) or match.group(1), 16)
    row = Row(section, expand(words[2:], aliases))
    row.select(match.group(3), match.group(4))
    for opcode in range(first, last + 1):
        table.setdefault(opcode, []).append((row, words[1]))


def emit(tables):
    print("/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */")
    print("/* Generated by gen_tables.py from opcodes.map. */")
    rows, index, seen = [], {}, {}
    for name in SECTIONS:
        for opcode, entries in tables[name].items():
            has = {"modrm" in row.props for row, _ in entries}
            if len(has) != 1:
                sys.exit("%s %02X: rows disagree about modrm" % (name, opcode))
            key = tuple(row.c() for row, _ in entries)
            if key not in seen:
                seen[key] = len(rows)
                rows += [(row.c(), label) for row, label in entries]
            index[name, opcode] = (seen[key], len(entries))
    print("static const struct row rows[] = {")
    for text, label in rows:
        print("\t%s, /* %s */" % (text, label))
    print("};\n")
    print("static const struct span spans[][256] = {")
    for name in SECTIONS:
        print("\t{ /* %s */" % name)
        for opcode in range(256):
            if (name, opcode) in index:
                print("\t\t[0x%02X] = { %d, %d }," % ((opcode,) + index[name, opcode]))
        print("\t},")
    print("};")


if __name__ == "__main__":
    with open(sys.argv[1], encoding="ascii") as source:
        emit(parse(source))
