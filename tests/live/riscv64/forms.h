/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * forms.h - instructions that write memory, each in a function of its own, on riscv64.
 *
 * Owns: the list of them.  At a1 they write; a2 to a7 and fa0 to fa3 are those of a struct
 * state.  "# strict": it wants memory on its boundary.
 */
#ifndef KP_LIVE_FORMS_H
#define KP_LIVE_FORMS_H

#include "../form.h"

struct state {
	unsigned long a[6];
	unsigned char fa[4][8];
	unsigned long di, flags;
};

_Static_assert(offsetof(struct state, fa) == 48 && offsetof(struct state, di) == 80, "forms");

#define FORM_NAMED(text, name)						\
	__asm__(".pushsection .text\n"					\
		"	.option push; .option norelax; .option norvc\n"	\
		"	.globl " name "\n	.type " name ", @function\n"	\
		"	.p2align 2\n"					\
		name ":\n"						\
		"1:	mv t0, a0\n"					\
		"	fld fa0, 48(t0); fld fa1, 56(t0); fld fa2, 64(t0); fld fa3, 72(t0)\n" \
		"	ld a2, 0(t0); ld a3, 8(t0); ld a4, 16(t0); ld a5, 24(t0)\n" \
		"	ld a6, 32(t0); ld a7, 40(t0)\n"			\
		"	" text "\n"					\
		"	sd a2, 0(t0); sd a3, 8(t0); sd a4, 16(t0); sd a5, 24(t0)\n" \
		"	sd a6, 32(t0); sd a7, 40(t0); sd a1, 80(t0)\n"	\
		"	fsd fa0, 48(t0); fsd fa1, 56(t0); fsd fa2, 64(t0); fsd fa3, 72(t0)\n" \
		"	ret\n"						\
		"	.size " name ", . - " name "\n"			\
		"	.option pop\n"					\
		"	.pushsection .rodata\n"				\
		"2:	.asciz \"" text "\"\n"				\
		"	.popsection\n"					\
		"	.pushsection forms, \"aw\"; .p2align 3; .quad 1b, 2b; .popsection\n" \
		"	.popsection\n")

FORM("sb a2, 0(a1)"); FORM("sh a2, 0(a1)"); FORM("sw a2, 0(a1)"); FORM("sd a2, 0(a1)");
FORM("sb zero, 7(a1)"); FORM("sd zero, 16(a1)"); FORM("sw a3, -3(a1)"); FORM("sh a7, 33(a1)");
FORM("sd a6, -16(a1)"); FORM("addi a1, a1, 2000; addi a1, a1, 48; sd a2, -2048(a1)");
FORM("fsw fa0, 0(a1)"); FORM("fsd fa1, 0(a1)"); FORM("fsw fa2, -5(a1)"); FORM("fsd fa3, 40(a1)");
FORM("fmv.d ft11, fa0; fsd ft11, 8(a1)"); FORM("mv t6, a7; sd t6, 8(a1)");
/* Two bytes long. */
#define SHORT(text) FORM(".option rvc; " text "; .option norvc")
SHORT("c.sw a2, 0(a1)"); SHORT("c.sw a5, 64(a1)"); SHORT("c.sd a2, 0(a1)"); SHORT("c.sd a4, 120(a1)");
SHORT("c.fsd fa0, 0(a1)"); SHORT("c.fsd fa3, 48(a1)"); SHORT("mv a5, a1; c.sd a3, 8(a5); mv a5, zero");

#define WIDTHS(op)							\
	FORM(op ".w a2, a3, (a1) # strict"); FORM(op ".d a2, a3, (a1) # strict"); \
	FORM(op ".w.aqrl a4, a4, (a1) # strict"); FORM(op ".d.rl zero, a5, (a1) # strict"); \
	FORM(op ".d.aq a6, zero, (a1) # strict")
WIDTHS("amoadd"); WIDTHS("amoswap"); WIDTHS("amoxor"); WIDTHS("amoor"); WIDTHS("amoand");
WIDTHS("amomin"); WIDTHS("amomax"); WIDTHS("amominu"); WIDTHS("amomaxu");
FORM("3: lr.w a2, (a1); add a2, a2, a3; sc.w a4, a2, (a1); bnez a4, 3b # strict");
FORM("3: lr.d a2, (a1); xor a2, a2, a3; sc.d a4, a2, (a1); bnez a4, 3b # strict");
FORM("3: lr.w.aq a2, (a1); sc.w.rl a4, zero, (a1); bnez a4, 3b # strict");
FORM("3: lr.d.aqrl a2, (a1); beq a2, a3, 4f; sc.d.rl a4, a3, (a1); bnez a4, 3b; 4: # strict");

/* Of probes on code: instructions around each form whose writes are not seen; among all forms
 * such ones, which are store-conditionals, and forms that are missed. */
#define FORM_UNSEEN 0
#define FORMS_LEAST 60
#define FORMS_UNSEEN 4
#define FORMS_MISSED 0

#define FORM_FLAGS 0ul			/* there are none */
#define FORM_MARK "#"

#include "../forms_words.h"

#endif
