/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * forms.h - instructions that write memory, each in a function of its own, on arm.
 *
 * Owns: the list of them, of A32, of T32, or of both.  At r1 they write; r2 to r7 and d0 to d7
 * are those of a struct state.  "@ strict": it wants memory on its boundary.
 */
#ifndef KP_LIVE_FORMS_H
#define KP_LIVE_FORMS_H

#include <stddef.h>

struct state {
	unsigned char d[8][8];
	unsigned long r[6], flags, di;
};

_Static_assert(offsetof(struct state, r) == 64 && offsetof(struct state, flags) == 88 &&
	       offsetof(struct state, di) == 92, "forms");

#define A32(text) FORM_NR(".arm", text, __COUNTER__)
#define T32(text) FORM_NR(".thumb; .thumb_func", text, __COUNTER__)
#define BOTH(text) A32(text); T32(text)
#define FORM_NR(set, text, nr) FORM_NAMED(set, text, FORM_TEXT(nr))
#include "../form.h"
#define FORM_NAMED(set, text, name)					\
	__asm__("	.pushsection .text; .syntax unified\n"		\
		"	.p2align 2\n"					\
		"	.globl " name "\n	.type " name ", %function\n" \
		"	" set "\n"					\
		name ":	push {r4-r8, lr}\n"				\
		"	mov r8, r0; vldm r8, {d0-d7}\n"			\
		"	ldr r2, [r8, #88]; msr APSR_nzcvq, r2\n"	\
		"	add r3, r8, #64; ldm r3, {r2-r7}\n"		\
		"	" text "\n"					\
		"	str r1, [r8, #92]; mrs r12, APSR; str r12, [r8, #88]\n" \
		"	add r12, r8, #64; stm r12, {r2-r7}; vstm r8, {d0-d7}\n" \
		"	pop {r4-r8, pc}\n"				\
		"	.size " name ", . - " name "\n"			\
		"	.arm\n"						\
		"	.pushsection .rodata\n"				\
		"2:	.asciz \"" text "\"\n"				\
		"	.popsection\n"					\
		"	.pushsection forms, \"aw\"; .p2align 2; .word " name ", 2b; .popsection\n" \
		"	.popsection\n")

BOTH("strb r2, [r1]"); BOTH("strh r2, [r1]"); BOTH("str r2, [r1]"); BOTH("strb r3, [r1, #7]"); BOTH("str r3, [r1, #16]");
BOTH("strb r2, [r1, #-3]"); BOTH("strh r3, [r1, #-1]"); BOTH("str r4, [r1, #-5]"); BOTH("str r7, [r1, #133]");
BOTH("str r2, [r1], #4"); BOTH("strb r2, [r1], #-1"); BOTH("strh r2, [r1, #4]!"); BOTH("str r3, [r1, #-16]!");
BOTH("strt r2, [r1]"); BOTH("strbt r3, [r1]"); BOTH("strht r3, [r1]");
BOTH("mov r6, #3; str r2, [r1, r6]"); BOTH("mov r6, #3; strb r2, [r1, r6]"); BOTH("mov r6, #3; strh r2, [r1, r6]");
BOTH("mov r6, #3; str r2, [r1, r6, lsl #2]"); T32("mov r6, #5; strh r2, [r1, r6, lsl #1]"); T32("strb.w r2, [r1, #9]; strh.w r3, [r1, #33]");
A32("mov r6, #16; str r2, [r1, -r6, lsr #2]!"); A32("mov r6, #-32; strb r2, [r1, r6, asr #3]"); A32("mov r6, #5; strh r2, [r1], -r6");
A32("mov r6, #3 << 30; msr APSR_nzcvq, r6; mov r6, #8; str r2, [r1], r6, ror #1"); A32("mov r6, #8; msr APSR_nzcvq, r6; strb r7, [r1, r6, rrx]!");
BOTH("strd r2, r3, [r1] @ strict"); BOTH("strd r4, r5, [r1, #8]! @ strict"); BOTH("strd r6, r7, [r1], #-16 @ strict");
A32("mov r7, #8; strd r2, r3, [r1, -r7] @ strict"); A32("mov r7, #8; strd r2, r3, [r1], r7 @ strict"); T32("strd r7, r2, [r1, #-12] @ strict");
BOTH("stm r1, {r2, r5, r7} @ strict"); BOTH("stm r1!, {r2-r7} @ strict"); BOTH("stmdb r1!, {r3, r4} @ strict"); BOTH("stmdb r1, {r2-r7, r12} @ strict");
A32("stmib r1, {r2, r3} @ strict"); A32("stmib r1!, {r2, r3} @ strict"); A32("stmda r1!, {r4, r5, r6} @ strict"); A32("stmda r1, {r2, r7} @ strict");
BOTH("cmp r2, r2; it eq; streq r2, [r1]"); BOTH("movs r3, #1; it mi; strmi r2, [r1] @ empty");
T32("cmp r2, r2; ittee eq; streq r2, [r1]; strbeq r3, [r1, #5]; strne r4, [r1, #8]; strhne r5, [r1, #2]");
T32("cmp r2, r2; itete ne; strne r4, [r1]; streq r2, [r1, #4]!; strne r5, [r1]; strheq r3, [r1], #2");
A32("cmp r2, r2; stmeq r1!, {r2, r3} @ strict"); A32("cmp r2, r2; strdeq r2, r3, [r1] @ strict"); A32("cmp r2, r2; vstreq d1, [r1] @ strict");

/* Loops of exclusives. */
BOTH("3: ldrex r2, [r1]; add r2, r2, r3; strex r4, r2, [r1]; cmp r4, #0; bne 3b @ strict");
BOTH("3: ldrexb r2, [r1]; eor r2, r2, r3; strexb r4, r2, [r1]; cmp r4, #0; bne 3b");
BOTH("3: ldrexh r2, [r1]; strexh r4, r3, [r1]; cmp r4, #0; bne 3b @ strict");
BOTH("3: ldrexd r2, r3, [r1]; adds r2, r2, r4; adc r3, r3, r5; strexd r6, r2, r3, [r1]; cmp r6, #0; bne 3b @ strict");
BOTH("3: ldrex r2, [r1]; cmp r2, r3; beq 4f; strex r4, r3, [r1]; cmp r4, #0; bne 3b; 4: dmb @ strict");
T32("3: ldrex r2, [r1, #8]; strex r4, r3, [r1, #8]; cbz r4, 4f; b 3b; 4: @ strict");
T32("3: ldrex r2, [r1]; cmp r2, r3; it ne; strexne r4, r3, [r1]; it ne; cmpne r4, #1; it eq; beq 3b @ strict");
A32("3: ldrex r2, [r1]; cmp r2, r3; strexne r4, r3, [r1]; cmpne r4, #1; beq 3b @ strict");

BOTH("vstr s1, [r1] @ strict"); BOTH("vstr s2, [r1, #-8] @ strict"); BOTH("vstr d3, [r1, #16] @ strict"); BOTH("vstr d0, [r1] @ strict");
BOTH("vstm r1, {d0-d7} @ strict"); BOTH("vstmia r1!, {d1-d4} @ strict"); BOTH("vstmdb r1!, {s1-s5} @ strict"); BOTH("vstm r1, {s3} @ strict");
BOTH("vstm r1, {d16-d31} @ strict, missed");
BOTH("vst1.8 {d0}, [r1]"); BOTH("vst1.8 {d0-d1}, [r1]!"); BOTH("mov r6, #24; vst1.8 {d1-d3}, [r1], r6"); BOTH("vst1.64 {d0-d3}, [r1]! @ strict");
BOTH("vst2.8 {d0, d1}, [r1]"); BOTH("vst2.16 {d0, d2}, [r1] @ strict"); BOTH("vst2.32 {d0-d3}, [r1]! @ strict"); BOTH("vst3.8 {d2-d4}, [r1]!");
BOTH("vst3.16 {d1, d3, d5}, [r1] @ strict"); BOTH("mov r6, #5; vst4.8 {d0-d3}, [r1], r6"); BOTH("vst4.32 {d1, d3, d5, d7}, [r1] @ strict");
BOTH("vst1.8 {d0[3]}, [r1]!"); BOTH("vst1.16 {d7[2]}, [r1] @ strict"); BOTH("vst1.32 {d1[1]}, [r1] @ strict"); BOTH("vst2.8 {d0[7], d1[7]}, [r1]");
BOTH("vst3.16 {d0[1], d2[1], d4[1]}, [r1]! @ strict"); BOTH("vst4.8 {d4[6], d5[6], d6[6], d7[6]}, [r1]"); BOTH("vst4.32 {d0[0], d2[0], d4[0], d6[0]}, [r1] @ strict");

/* Of probes on code: instructions around each form whose writes are not seen; among all forms
 * such ones, which are store-exclusives, and forms that are missed, whose writes are too long. */
#define FORM_UNSEEN 0
#define FORMS_LEAST 120
#define FORMS_UNSEEN 13
#define FORMS_MISSED 2

#define FORM_FLAGS 0xf0000000ul		/* that are compared */
#define FORM_MARK "@"

#define FORM_IS_SEEN(form) strstr((form)->text, "missed")
#include "../forms_words.h"

#endif
