#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Print the instruction forms of the differential test, one macro call a line.

Owns: the choice of forms, by family.  forms.S turns each line into an entry of
a table.  Where a memory operand points is the test's business: it moves it.
"""

SIZES = {"b": ("al", "bl", "r9b"), "w": ("ax", "bx", "r9w"),
         "l": ("eax", "ebx", "r9d"), "q": ("rax", "rbx", "r9")}
RIP = "0(%rip)"
MEMS = [RIP, "(%rbx)", "8(%rsi)", "(%r13)", "-0x40(%rbp)", "(%rdi,%rcx,4)",
        "0x40(%r12)", "8(%rsp)", "(%r8,%r9,8)", "0x100(,%rdx,2)",
        "(%r12,%r15)", "4(%ebx)"]
CONDITIONS = ("o no b ae e ne be a s ns p np l ge le g").split()


def alu():
    for op in "add or adc sbb and sub xor cmp mov".split():
        for size, regs in SIZES.items():
            a, b, c = regs
            yield f"{op}{size} %{a}, %{b}"
            yield f"{op}{size} $0x12, %{c}"
            for mem in MEMS[:6] + MEMS[7:8] + MEMS[11:]:
                yield f"{op}{size} %{a}, {mem}"
                yield f"{op}{size} {mem}, %{b}"
                yield f"{op}{size} $0x7f, {mem}"
                if size != "b":
                    yield f"{op}{size} $0x1234, {mem}"
    for reg in "si di bx r8 r15".split():
        full = reg if reg[0] == "r" else "r" + reg
        yield f"add %{full}, {RIP}"
        yield f"xor {RIP}, %{full}"
    for reg in "ah bh ch dh sil dil bpl r15b".split():
        yield f"add %{reg}, {RIP}"
        yield f"mov {RIP}, %{reg}"
        yield f"add %{reg}, {'(%r8)' if reg[0] == 'r' else '(%rcx)'}"
    yield from [".byte 0x49,0x03,0x05,0,0,0,0", ".byte 0x4f,0x03,0x0d,0,0,0,0"]
    for op in "inc dec not neg".split():
        for size in SIZES:
            for mem in MEMS:
                yield f"{op}{size} {mem}"
            yield f"{op} %{SIZES[size][2]}"
    for size in SIZES:
        yield f"test{size} $0x55, {RIP}"
        yield f"test %{SIZES[size][0]}, {RIP}"
        yield f"mov $0x55, %{SIZES[size][1]}"
    yield "movabs $0x123456789abcdef0, %r11"
    for size in SIZES:
        yield f"movabs 0x1122334455667788, %{SIZES[size][0]}"
        yield f"movabs %{SIZES[size][0]}, 0x1122334455667788"
    yield "mov 0x1122, %eax"
    yield "addr32 mov 0x1122, %eax"
    for op in "movsbw movsbl movsbq movzbw movzbl movzbq movswl movswq movzwl movzwq movslq".split():
        dst = {"w": "cx", "l": "ecx", "q": "rcx"}[op[-1]]
        for mem in MEMS:
            yield f"{op} {mem}, %{dst}"


def shifts():
    for op in "rol ror rcl rcr shl shr sar".split():
        for size, regs in SIZES.items():
            for operand in ["%" + regs[1], RIP, "(%rbx)", "(%r13)"]:
                for count in ["$1", "$5", "$0", "%cl"]:
                    yield f"{op}{size} {count}, {operand}"
    for op in ("shld", "shrd"):
        for size in "wlq":
            for operand in ["%" + SIZES[size][1], RIP, "(%rsi)"]:
                for count in ["$7", "%cl"]:
                    yield f"{op}{size} {count}, %{SIZES[size][0]}, {operand}"


def muldiv():
    for op in "mul imul div idiv".split():
        for size, regs in SIZES.items():
            for operand in ["%" + regs[1], "%" + regs[2], RIP, "(%rbx)", "(%r9)"]:
                yield f"{op}{size} {operand}"
    for size in "wlq":
        for operand in ["%" + SIZES[size][1], RIP, "(%rdi)"]:
            yield f"imul{size} {operand}, %{SIZES[size][0]}"
            yield f"imul{size} $3, {operand}, %{SIZES[size][0]}"
            yield f"imul{size} $0x1234, {operand}, %{SIZES[size][2]}"
    yield from ["cbtw", "cwtl", "cltq", "cwtd", "cltd", "cqto"]


def strings():
    for op in "movs cmps stos lods scas".split():
        for size in SIZES:
            yield f"{op}{size}"
            for rep in ("rep", "repz", "repnz"):
                if op in ("cmps", "scas") or rep == "rep":
                    yield f"{rep} {op}{size}"
    yield "addr32 rep movsb"
    yield "addr32 rep stosl"
    yield "addr32 lodsq"
    yield "xlat"
    yield from ["rep movsb %gs:(%rsi), (%rdi)", "movsb %gs:(%rsi), (%rdi)"]


def bits():
    for op in "bt bts btr btc".split():
        for size in "wlq":
            yield f"{op}{size} $5, {RIP}"
            yield f"{op}{size} $5, (%rbx)"
            yield f"{op} %{SIZES[size][0]}, %{SIZES[size][1]}"
            yield f"{op}{size} %{SIZES[size][0]}, {RIP}"
    for op in "bsf bsr popcnt lzcnt tzcnt".split():
        for size in "wlq":
            for operand in ["%" + SIZES[size][1], RIP, "(%rbx)"]:
                yield f"{op}{size} {operand}, %{SIZES[size][0]}"
    for op in "andn bextr bzhi sarx shlx shrx pdep pext mulx".split():
        for suffix, regs in (("l", ("eax", "esi", "edi")), ("q", ("rax", "rsi", "rdi")),
                             ("q", ("r8", "r9", "rbx")), ("q", ("rbx", "rdi", "rdx"))):
            a, b, c = ("%" + r for r in regs)
            second = op in ("andn", "pdep", "pext", "mulx")
            for mem in ("(%rcx)", RIP, "(%r13)"):
                yield (f"{op} {mem}, {b}, {c}" if second
                       else f"{op} {a}, {mem}, {c}")
            yield f"{op} {a}, {b}, {c}"
    for op in "blsi blsr blsmsk".split():
        for mem in ("(%rcx)", RIP, "%r9"):
            yield f"{op} {mem}, %rdi"
    yield f"rorx $5, {RIP}, %rsi"
    for size in "wlq":
        yield f"movbe {RIP}, %{SIZES[size][1]}"
        yield f"movbe %{SIZES[size][1]}, (%rsi)"
        yield f"crc32{size} {RIP}, %{'rax' if size == 'q' else 'eax'}"
        yield f"adcx {RIP}, %{SIZES['q'][1]}"
        yield f"adox {RIP}, %{SIZES['l'][1]}"
    yield from ["bswap %eax", "bswap %r9", "bswap %rsi"]


def conditional():
    for cc in CONDITIONS:
        yield f"set{cc} %al"
        yield f"set{cc} {RIP}"
        yield f"set{cc} (%r8)"
        yield f"cmov{cc} %rbx, %rax"
        yield f"cmov{cc} {RIP}, %edi"
        yield f"cmov{cc} (%rsi), %r9w"
    yield from ["lahf", "sahf", "cld", "std", "clc", "stc", "cmc"]


def atomics():
    for op in "xchg xadd cmpxchg".split():
        for size, regs in SIZES.items():
            yield f"{op} %{regs[0]}, %{regs[1]}"
            for mem in (RIP, "(%rbx)", "0x10(%r13)"):
                yield f"{op} %{regs[1]}, {mem}"
                if op != "xchg":
                    yield f"lock {op} %{regs[2]}, {mem}"
    for mem in (RIP, "(%rsi)", "(%r12)"):
        yield f"cmpxchg8b {mem}"
        yield f"lock cmpxchg8b {mem}"
        yield f"cmpxchg16b {mem}"
        yield f"lock cmpxchg16b {mem}"
        for op in "addl orq incl negw btsl".split():
            args = "" if op in ("incl", "negw") else "$3, "
            yield f"lock {op} {args}{mem}"
    yield from ["mfence", "lfence", "sfence", "pause", f"clflush {RIP}",
                f"prefetcht0 {RIP}", f"movnti %rsi, {RIP}", f"clwb {RIP}"]


def stack():
    for reg in "rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r12 r13 r15".split():
        yield f"push %{reg}"
        yield f"pop %{reg}"
    for reg in "ax sp r9w".split():
        yield f"pushw %{reg}"
        yield f"popw %{reg}"
    for mem in MEMS + ["(%rsp)", "-8(%rsp)"]:
        yield f"pushq {mem}"
        yield f"popq {mem}"
        yield f"pushw {mem}"
        yield f"popw {mem}"
    yield from ["push $5", "push $0x12345678", "pushw $0x1234", "push $-1",
                "enter $0, $0", "enter $0x20, $0", "enter $0x10, $1",
                "enter $0x10, $3", "leave", "leavew", "pushf", "popf",
                "pushfw", "popfw", "push %fs", "push %gs", "pushw %fs"]
    for mem in MEMS[:1] + MEMS[7:8]:
        yield f"mov {mem}, %rsp"
        yield f"add {mem}, %rsp"
        yield f"mov %rsp, {mem}"
        yield f"cmp %rsp, {mem}"


def leas():
    for mem in MEMS + ["(%rax,%rax,1)", "0x12345678(%r9)", "(%r15,%r14,8)"]:
        for reg in "ax eax rax r9 rsi".split():
            yield f"lea {mem}, %{reg}"
    yield "lea 8(%rsp), %rsp"
    yield f"lea {RIP}, %rsp"
    yield "lea 0(%eip), %rbx"
    yield "mov 0(%eip), %rbx"
    yield "addl $5, 0(%eip)"


def segments():
    for mem in MEMS[1:5] + [RIP]:
        yield f"mov %gs:{mem}, %rax"
        yield f"addl $3, %gs:{mem}"
        yield f"mov %ds:{mem}, %rax"
    yield from ["mov %ds, %eax", "mov %fs, %rbx", f"mov %gs, {RIP}",
                f"mov %ss, {RIP}", "rdfsbase %rax", "rdgsbase %rsi",
                f"verr {RIP}", f"lar {RIP}, %eax", f"lsl {RIP}, %rsi"]


def nops():
    yield from ["nop", "nopw (%rax)", f"nopl {RIP}", "endbr64", "endbr32",
                "xchg %ax, %ax", "rex.W nop", "data16 nop",
                ".byte 0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x0f,0x1f,0x84,0,0,0,0,0",
                ".byte 0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x90",
                ".byte 0x2e,0x48,0x81,0x84,0xcb,1,0,0,0,2,0,0,0",
                ".byte 0x66,0x2e,0x48,0xc7,0x05,0,0,0,0,2,0,0,0",
                ".byte 0x2e,0x2e,0x2e,0x48,0xc7,0x05,0,0,0,0,2,0,0,0"]


def jumps():
    for cc in CONDITIONS:
        yield f".byte 0x{0x70 + CONDITIONS.index(cc):x},0x40"
        yield f".byte 0x{0x70 + CONDITIONS.index(cc):x},0x80"
        yield f".byte 0x0f,0x{0x80 + CONDITIONS.index(cc):x},0x00,0x10,0,0"
        yield f".byte 0x0f,0x{0x80 + CONDITIONS.index(cc):x},0x00,0xf0,0xff,0xff"
    for op in ("0xe0", "0xe1", "0xe2", "0xe3"):
        for prefix in ("", "0x67,", "0x2e,", "0x48,", "0x67,0x48,", "0xf2,", "0xf3,"):
            yield f".byte {prefix}{op},0x30"
            yield f".byte {prefix}{op},0x90"
    for prefix in ("", "0x2e,", "0x3e,", "0xf2,", "0xf3,", "0x2e,0xf2,", "0x48,",
                   "0x66,0x48,", "0x66,0x66,0x48,", "0x67,"):
        yield f".byte {prefix}0xeb,0x20"
        yield f".byte {prefix}0xe9,0x00,0x10,0,0"
        yield f".byte {prefix}0xe8,0x00,0x10,0,0"
        yield f".byte {prefix}0x0f,0x84,0x00,0x10,0,0"
        yield f".byte {prefix}0xc3"
        yield f".byte {prefix}0xc2,0x10,0x00"
    yield ".byte 0xe9,0,0,0,0x70"
    yield ".byte 0xe8,0,0,0,0x70"
    yield ".byte 0xc2,0xff,0xff"


def indirect():
    for reg in "rax rcx rdx rbx rbp rsi rdi r8 r9 r12 r13 r15 rsp".split():
        for op in ("jmp", "call"):
            yield f"{op} *%{reg}"
            yield f"notrack {op} *%{reg}"
            yield f"bnd {op} *%{reg}"
    for mem in MEMS + ["(%rsp)", "-8(%rsp)", "-16(%rsp)", "(%rsp,%rcx,8)",
                       "0(%eip)", "%gs:(%rbx)"]:
        for op in ("jmp", "call"):
            yield f"{op} *{mem}"
            if "gs" not in mem:
                yield f"notrack {op} *{mem}"
            yield f"bnd {op} *{mem}"


def x87():
    for op in "fldt fstpt".split():
        for mem in (RIP, "(%rbx)"):
            yield f"{op} {mem}"
    for op in ("flds fldl fsts fstl fstps fstpl fadds faddl fmuls fmull fsubs fsubrl fdivs "
               "fdivrl fcoms fcompl filds fildl fildq fists fistl fistps fistpll fiadds "
               "fisubl fisttps fisttpll fbld fbstp fldcw fnstcw fnstsw").split():
        for mem in (RIP, "(%r13)"):
            yield f"{op} {mem}"
    for op in ("fld1 fldz fldpi fchs fabs fxam ftst fsqrt fsin fcos fptan fpatan f2xm1 fyl2x "
               "fscale frndint fprem fprem1 fincstp fdecstp fnop fnclex fninit fcompp "
               "fxtract fwait").split():
        yield op
    for op in "fadd fmul fsub fsubr fdiv fdivr".split():
        yield f"{op} %st(3), %st"
        yield f"{op}p %st, %st(2)"
    yield from ["fxch %st(4)", "fld %st(1)", "fst %st(2)", "fstp %st(5)", "ffree %st(3)",
                "fucomi %st(1), %st", "fcomip %st(2), %st", "fcmovbe %st(3), %st",
                "fnstsw %ax"]


def mmx():
    for op in ("paddb paddw paddd psubb pand por pxor pmullw pmulhw packsswb punpcklbw "
               "pcmpeqb pcmpgtw psllw psrad").split():
        yield f"{op} %mm1, %mm2"
        yield f"{op} {RIP}, %mm3"
    yield from [f"movq {RIP}, %mm0", f"movq %mm0, {RIP}", f"movd {RIP}, %mm4", "movd %mm4, %eax",
                "movq %rsi, %mm7", "emms", "maskmovq %mm1, %mm2", f"pshufw $5, {RIP}, %mm1",
                f"cvtpi2ps {RIP}, %xmm2", f"movntq %mm1, {RIP}"]


SSE2 = ("addps addpd mulps subpd minps maxpd andps xorpd orps divps sqrtps unpcklps "
        "paddb paddq psubw pmuludq pand pxor por pcmpeqd pcmpgtb packuswb punpckhqdq "
        "psadbw pavgb pmaddwd pshufb pmulld pminud pmaxsb pcmpeqq").split()


def sse():
    for op in SSE2:
        yield f"{op} %xmm1, %xmm2"
        yield f"{op} {RIP}, %xmm12"
        yield f"{op} (%r13), %xmm3"
    for op in "addss addsd mulss divsd sqrtss minsd ucomiss comisd cvtss2sd cvtsd2ss".split():
        yield f"{op} %xmm1, %xmm2"
        yield f"{op} {RIP}, %xmm2"
    for op in "movaps movups movapd movdqa movdqu lddqu movlps movhpd movss movsd movq movd".split():
        yield f"{op} {RIP}, %xmm9"
        if op != "lddqu":
            yield f"{op} %xmm9, {RIP}"
            yield f"{op} %xmm9, 0x10(%rsi)"
    yield from [f"cvtsi2sdq {RIP}, %xmm1", f"cvttsd2si {RIP}, %rsi", f"cvtss2si {RIP}, %edi",
                "cvtsi2ss %rbx, %xmm3", f"pshufd $0x1b, {RIP}, %xmm1", "pmovmskb %xmm1, %edi",
                f"pinsrw $3, {RIP}, %xmm1", f"pextrq $1, %xmm1, {RIP}", f"pinsrb $3, {RIP}, %xmm1",
                f"insertps $0x10, {RIP}, %xmm1", f"palignr $3, {RIP}, %xmm1",
                f"roundsd $3, {RIP}, %xmm1", f"pcmpistri $8, {RIP}, %xmm1",
                f"pcmpestri $8, {RIP}, %xmm1", f"pcmpistrm $8, {RIP}, %xmm1",
                f"aesenc {RIP}, %xmm1", f"pclmulqdq $1, {RIP}, %xmm1", f"sha256rnds2 {RIP}, %xmm1",
                f"ptest {RIP}, %xmm1", f"blendvps %xmm0, {RIP}, %xmm1", f"pmovzxbd {RIP}, %xmm1",
                "maskmovdqu %xmm1, %xmm2", f"movntps %xmm2, {RIP}", f"movntdqa {RIP}, %xmm2",
                f"ldmxcsr {RIP}", f"stmxcsr {RIP}", f"gf2p8mulb {RIP}, %xmm2",
                f"cmpps $3, {RIP}, %xmm2", f"shufps $3, {RIP}, %xmm2", f"dpps $0xff, {RIP}, %xmm2"]


def avx():
    for op in SSE2 + "pshufb pmulld pminud".split():
        if op in ("sqrtps",):
            continue
        for width in "xy":
            yield f"v{op} %{width}mm1, %{width}mm2, %{width}mm3"
            yield f"v{op} {RIP}, %{width}mm2, %{width}mm3"
            yield f"v{op} {RIP}, %{width}mm12, %{width}mm13"
            yield f"v{op} (%r13), %{width}mm12, %{width}mm13"
    for op in "vmovaps vmovups vmovdqa vmovdqu".split():
        for width in "xy":
            yield f"{op} {RIP}, %{width}mm9"
            yield f"{op} %{width}mm9, {RIP}"
            yield f"{op} %{width}mm9, 0x20(%rsi,%rcx,8)"
    # The bit that extends a base register, set where there is none.
    yield from [".byte 0xc4,0xc1,0x74,0x58,0x15,0,0,0,0", ".byte 0xc4,0xc2,0x70,0xf2,0x05,0,0,0,0",
                ".byte 0xc4,0xc3,0x7d,0x39,0x15,0,0,0,0,1"]
    for op in "vfmadd132ps vfmadd213pd vfnmsub231ps".split():
        yield f"{op} {RIP}, %ymm1, %ymm2"
        yield f"{op} %xmm9, %xmm1, %xmm2"
    yield from [f"vbroadcastss {RIP}, %ymm1", f"vbroadcasti128 {RIP}, %ymm9",
                f"vpermq $5, {RIP}, %ymm1", f"vperm2i128 $1, {RIP}, %ymm2, %ymm3",
                f"vinserti128 $1, {RIP}, %ymm2, %ymm3", f"vextracti128 $1, %ymm2, {RIP}",
                f"vpmaskmovd {RIP}, %ymm1, %ymm2", f"vpmaskmovd %ymm2, %ymm1, {RIP}",
                f"vpblendvb %ymm4, {RIP}, %ymm2, %ymm3", f"vcmpps $13, {RIP}, %ymm1, %ymm2",
                f"vtestps {RIP}, %ymm1", f"vpsravd {RIP}, %ymm1, %ymm2",
                f"vpgatherdd %xmm1, (%rdi,%xmm2,4), %xmm3",
                f"vgatherqpd %ymm1, (%rsi,%ymm2,8), %ymm3", f"vcvtph2ps {RIP}, %ymm1",
                f"vcvtps2ph $3, %ymm1, {RIP}", "vzeroupper", "vzeroall",
                f"vcvtsi2sdq {RIP}, %xmm1, %xmm2", f"vcvttss2si {RIP}, %rdi",
                f"vpcmpestri $8, {RIP}, %xmm1", f"vpinsrq $1, {RIP}, %xmm1, %xmm2",
                f"vaesenc {RIP}, %ymm1, %ymm2", f"vldmxcsr {RIP}", f"vstmxcsr {RIP}",
                f"{{vex}} vpdpbusd {RIP}, %ymm1, %ymm2"]


def avx512():
    for op in "vaddps vmulpd vpaddd vpxorq vpandd vpminsq vpermd vpmullq vpshufb".split():
        for width in "xyz":
            if op == "vpermd" and width == "x":
                continue
            yield f"{op} %{width}mm1, %{width}mm22, %{width}mm23"
            yield f"{op} {RIP}, %{width}mm22, %{width}mm23"
            yield f"{op} {RIP}, %{width}mm12, %{width}mm30{{%k1}}"
            yield f"{op} 0x40(%r13), %{width}mm12, %{width}mm30{{%k1}}{{z}}"
            yield f"{op} (%r8,%r9,8), %{width}mm12, %{width}mm17"
            if op not in ("vpshufb",):
                to = {"x": 2, "y": 4, "z": 8}[width]
                n = to if op in ("vmulpd", "vpxorq", "vpminsq", "vpmullq") else 2 * to
                yield f"{op} {RIP}{{1to{n}}}, %{width}mm12, %{width}mm30{{%k2}}"
    for op in "vmovdqu8 vmovdqu16 vmovdqu32 vmovdqa64 vmovups vmovapd".split():
        for width in "xyz":
            yield f"{op} {RIP}, %{width}mm19"
            yield f"{op} %{width}mm19, {RIP}"
            yield f"{op} %{width}mm19, 0x80(%rsi){{%k3}}"
            yield f"{op} {RIP}, %{width}mm19{{%k4}}{{z}}"
    yield from [".byte 0x62,0xd1,0x74,0x48,0x58,0x15,0,0,0,0",
                ".byte 0x62,0x91,0x74,0x48,0x58,0x15,0,0,0,0"]
    yield from [f"vpcmpeqb {RIP}, %zmm1, %k1", f"vpcmpub $6, {RIP}, %zmm1, %k1{{%k2}}",
                f"vpternlogd $0xca, {RIP}, %zmm1, %zmm22", f"kmovq {RIP}, %k1", f"kmovq %k1, {RIP}",
                "kmovd %k1, %esi", "kandd %k1, %k2, %k3", "kortestq %k1, %k2",
                f"vpbroadcastb {RIP}, %zmm1", "vpbroadcastq %rsi, %zmm1",
                "vpgatherdd (%rdi,%zmm2,4), %zmm3{%k1}", "vpscatterdd %zmm3, (%rdi,%zmm2,4){%k1}",
                f"vpcompressd %zmm1, {RIP}{{%k1}}", f"vpexpandd {RIP}, %zmm1{{%k1}}",
                f"vextracti64x4 $1, %zmm1, {RIP}", f"vinserti64x4 $1, {RIP}, %zmm1, %zmm2",
                f"vcvtdq2ps {RIP}, %zmm1", f"vaddsd {RIP}, %xmm17, %xmm18",
                "vaddps {rz-sae}, %zmm1, %zmm2, %zmm3", f"vpmovqb %zmm1, {RIP}",
                f"vpopcntq {RIP}, %zmm9", f"vpermi2b {RIP}, %zmm1, %zmm2", f"vcvtsd2usi {RIP}, %rdi",
                f"vpdpbusd {RIP}, %zmm1, %zmm2", f"vdbpsadbw $3, {RIP}, %zmm1, %zmm2"]


def syscalls():
    yield from ["syscall", ".byte 0x48,0x0f,0x05", ".byte 0x2e,0x0f,0x05"]


def faults():
    yield from ["mov 0, %eax", "movabs 0x8000000000000000, %al", "hlt", "cli", "sti",
                "in $0x80, %al", "out %al, %dx", "invd", "clts", "mov %cr0, %rax",
                "lidt (%rbx)", "ltr %ax", "wrmsr", "swapgs", "div %ah", "idivl (%rsi)"]


FAMILIES = [alu, shifts, muldiv, strings, bits, conditional, atomics, stack, leas, segments,
            nops, jumps, indirect, x87, mmx, sse, avx, avx512, syscalls, faults]


def main():
    for family in FAMILIES:
        for form in dict.fromkeys(family()):
            print(f"\tform {family.__name__}, {form}")


main()
