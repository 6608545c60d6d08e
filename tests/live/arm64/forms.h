/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * forms.h - instructions that write memory, each in a function of its own, on arm64.
 *
 * Owns: the list of them.  At x1 they write; x2 to x7, v0 to v3 and the flags are those of
 * a struct state.  "// seen": what protected pages are opened for; "// strict": it wants
 * memory on its boundary; "// sve": not every processor has it.
 */
#ifndef KP_LIVE_FORMS_H
#define KP_LIVE_FORMS_H

#include <asm/hwcap.h>
#include <sys/auxv.h>

#include "../form.h"

struct state {
	unsigned long x[6], flags, unused;
	unsigned char v[4][16];
	unsigned long di;
};

_Static_assert(offsetof(struct state, v) == 64 && offsetof(struct state, di) == 128, "forms");

#define FORM_NAMED(text, name)						\
	__asm__(".arch armv8.5-a+sve\n"					\
		"	.pushsection .text\n"				\
		"	.globl " name "\n	.type " name ", @function\n"	\
		"	.p2align 2\n"					\
		name ":\n"						\
		"1:	mov x9, x0\n"					\
		"	ldp q0, q1, [x9, #64]; ldp q2, q3, [x9, #96]\n"	\
		"	ldp x2, x3, [x9]; ldp x4, x5, [x9, #16]; ldp x6, x7, [x9, #32]\n" \
		"	ldr x10, [x9, #48]; msr nzcv, x10\n"		\
		"	" text "\n"					\
		"	stp x2, x3, [x9]; stp x4, x5, [x9, #16]; stp x6, x7, [x9, #32]\n" \
		"	mrs x10, nzcv; str x10, [x9, #48]; str x1, [x9, #128]\n" \
		"	stp q0, q1, [x9, #64]; stp q2, q3, [x9, #96]; ret\n" \
		"	.size " name ", . - " name "\n"			\
		"	.pushsection .rodata\n"				\
		"2:	.asciz \"" text "\"\n"				\
		"	.popsection\n"					\
		"	.pushsection forms, \"aw\"; .p2align 3; .quad 1b, 2b; .popsection\n" \
		"	.popsection\n")

FORM("strb w2, [x1]"); FORM("strh w2, [x1]"); FORM("str w2, [x1]"); FORM("str x2, [x1]");
FORM("strb wzr, [x1, #7]"); FORM("str xzr, [x1, #16]"); FORM("stur x3, [x1, #-3]"); FORM("sttr w3, [x1, #5]");
FORM("mov x6, #1; str w2, [x1, x6, lsl #2]"); FORM("mov x6, #-2; str x2, [x1, w6, sxtw]");
FORM("mov x6, #-1; add x1, x1, #8; strh w2, [x1, w6, sxtw #1]"); FORM("mov w6, #3; str x2, [x1, w6, uxtw #3]");
FORM("str x2, [x1], #8"); FORM("str w2, [x1, #-16]!"); FORM("strb w2, [x1], #-1"); FORM("strh w2, [x1, #4]!");
FORM("stp w2, w3, [x1]"); FORM("stp x2, x3, [x1, #16]"); FORM("stp x2, x3, [x1], #16");
FORM("stp x2, xzr, [x1, #-16]!"); FORM("stp w2, w3, [x1, #8]!"); FORM("stnp x4, x5, [x1]");
FORM("stlrb w2, [x1]"); FORM("stlrh w2, [x1] // strict"); FORM("stlr w2, [x1] // strict"); FORM("stlr x2, [x1] // strict");
FORM("stlur x2, [x1, #8] // strict"); FORM("stlurb w2, [x1, #-3]"); FORM("stllr x3, [x1] // strict");

#define WIDTHS(op)							\
	FORM(op "b w2, w3, [x1]"); FORM(op "h w2, w3, [x1] // strict");	\
	FORM(op " w2, w3, [x1] // strict"); FORM(op " x2, x3, [x1] // strict"); \
	FORM(op "al x4, x4, [x1] // strict"); FORM(op "lb w2, w3, [x1, #0]")
WIDTHS("swp"); WIDTHS("ldadd"); WIDTHS("ldclr"); WIDTHS("ldeor"); WIDTHS("ldset");
WIDTHS("ldsmax"); WIDTHS("ldsmin"); WIDTHS("ldumax"); WIDTHS("ldumin");
FORM("stadd x2, [x1] // strict"); FORM("ldadda w2, wzr, [x1] // strict");
FORM("casb w2, w3, [x1]"); FORM("cash w2, w3, [x1] // strict"); FORM("cas w2, w3, [x1] // strict");
FORM("casal x2, x3, [x1] // strict"); FORM("ldrb w2, [x1]; casb w2, w3, [x1]"); FORM("ldr w2, [x1]; casa w2, w3, [x1] // strict");
FORM("ldr x2, [x1]; casl x2, x3, [x1] // strict"); FORM("ldr x2, [x1]; cas x2, xzr, [x1] // strict");
FORM("casp w2, w3, w4, w5, [x1] // strict"); FORM("caspal x2, x3, x4, x5, [x1] // strict");
FORM("ldp w2, w3, [x1]; casp w2, w3, w4, w5, [x1] // strict"); FORM("ldp x2, x3, [x1]; casp x2, x3, x4, x5, [x1] // strict");
FORM("3: ldxr x2, [x1]; add x2, x2, x3; stxr w4, x2, [x1]; cbnz w4, 3b // strict");
FORM("3: ldaxrb w2, [x1]; eor w2, w2, w3; stlxrb w4, w2, [x1]; cbnz w4, 3b");
FORM("3: ldxrh w2, [x1]; stlxrh w4, w3, [x1]; cbnz w4, 3b // strict");
FORM("3: ldaxr w2, [x1]; cmp w2, w3; b.eq 4f; stxr w4, w3, [x1]; cbnz w4, 3b; 4: // strict");
FORM("3: ldxp x2, x3, [x1]; adds x2, x2, x5; adc x3, x3, x6; stxp w4, x2, x3, [x1]; cbnz w4, 3b // strict");
FORM("3: ldaxp w2, w3, [x1]; stlxp w4, w3, w2, [x1]; cbnz w4, 3b // strict");

FORM("str b0, [x1]"); FORM("str h1, [x1]"); FORM("str s2, [x1]"); FORM("str d3, [x1]"); FORM("str q0, [x1]");
FORM("str q1, [x1], #16"); FORM("stur d0, [x1, #-7]"); FORM("mov x6, #1; str q2, [x1, x6, lsl #4]");
FORM("stp s0, s1, [x1]"); FORM("stp d2, d3, [x1, #-16]!"); FORM("stp q0, q3, [x1], #32"); FORM("stnp q1, q2, [x1]");
FORM("st1 {v0.16b}, [x1]"); FORM("st1 {v1.8b, v2.8b}, [x1], #16"); FORM("st1 {v0.4s, v1.4s, v2.4s}, [x1]");
FORM("st1 {v0.2d, v1.2d, v2.2d, v3.2d}, [x1], #64"); FORM("st2 {v0.16b, v1.16b}, [x1]"); FORM("st2 {v2.4h, v3.4h}, [x1]");
FORM("mov x6, #24; st3 {v0.8b, v1.8b, v2.8b}, [x1], x6"); FORM("st3 {v1.2d, v2.2d, v3.2d}, [x1]"); FORM("st4 {v0.4s, v1.4s, v2.4s, v3.4s}, [x1]");
FORM("st4 {v0.8h, v1.8h, v2.8h, v3.8h}, [x1], #64"); FORM("st1 {v0.b}[3], [x1]"); FORM("st1 {v1.b}[13], [x1], #1");
FORM("st1 {v0.h}[5], [x1]"); FORM("st1 {v2.s}[3], [x1]"); FORM("st1 {v3.d}[1], [x1], #8"); FORM("st2 {v0.s, v1.s}[1], [x1]");
FORM("mov x6, #5; st3 {v0.h, v1.h, v2.h}[7], [x1], x6"); FORM("st4 {v0.d, v1.d, v2.d, v3.d}[0], [x1]"); FORM("st4 {v0.b, v1.b, v2.b, v3.b}[15], [x1]");
FORM("mov v31.16b, v0.16b; mov v0.16b, v1.16b; st2 {v31.16b, v0.16b}, [x1]; mov v0.16b, v31.16b");
/* Executed by themselves, with the page open. */
FORM("dc zva, x1"); FORM("ptrue p0.b, vl16; st1b {z0.b}, p0, [x1] // seen, sve");
FORM("ptrue p0.s, vl4; index z4.s, #0, #3; st1w {z1.s}, p0, [x1, z4.s, uxtw] // seen, sve");

#define FORM_FLAGS 0xf0000000ul	/* that are compared */
#define FORM_MARK "//"

/* Has this processor got the instruction? */
#define FORM_IS_KNOWN form_is_known
static inline bool form_is_known(const struct form *form)
{
	static const char *const atomics[] = { "swp", "ldadd", "ldclr", "ldeor", "ldset", "max",
					       "min", "cas", "stadd", "stllr" };
	unsigned long has = getauxval(AT_HWCAP);
	unsigned int i;

	for (i = 0; i < sizeof(atomics) / sizeof(atomics[0]); i++)
		if (strstr(form->text, atomics[i]) && !(has & HWCAP_ATOMICS))
			return false;
	return (has & HWCAP_SVE || !strstr(form->text, "sve")) &&
	       (has & HWCAP_ILRCPC || !strstr(form->text, "stlur"));
}

#define FORM_IS_SEEN(form) strstr((form)->text, "// seen")
#include "../forms_words.h"

#endif
