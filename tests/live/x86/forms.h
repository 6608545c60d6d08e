/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * forms.h - instructions that write memory, each in a function of its own.
 *
 * Owns: the list of them.  At rdi they write; the other registers are those of a struct
 * state.  "# seen": what protected pages are opened for.
 */
#ifndef KP_LIVE_FORMS_H
#define KP_LIVE_FORMS_H

#include "../form.h"

struct state {
	unsigned long ax, cx, dx, bx, si, r8, flags;
	unsigned char xmm[2][32];
	unsigned long di;
};

_Static_assert(offsetof(struct state, xmm) == 56 &&
	       offsetof(struct state, di) == 120, "forms");

#define FORM_NAMED(text, name)						\
	__asm__(".pushsection .text\n"					\
		"	.globl " name "; .type " name ", @function\n"	\
		name ":\n"						\
		"1:	push %rbx; push %r15; mov %rdi, %r15; mov %rsi, %rdi\n" \
		"	movdqu 56(%r15), %xmm0; movdqu 88(%r15), %xmm1\n" \
		"	mov (%r15), %rax; mov 8(%r15), %rcx; mov 16(%r15), %rdx\n" \
		"	mov 24(%r15), %rbx; mov 32(%r15), %rsi; mov 40(%r15), %r8\n" \
		"	pushq 48(%r15); popfq\n"			\
		"	" text "\n"					\
		"	mov %rax, (%r15); mov %rcx, 8(%r15); mov %rdx, 16(%r15)\n" \
		"	mov %rbx, 24(%r15); mov %rsi, 32(%r15); mov %r8, 40(%r15)\n" \
		"	mov %rdi, 120(%r15); pushfq; popq 48(%r15); cld\n" \
		"	pop %r15; pop %rbx; ret\n"			\
		"	.size " name ", . - " name "\n"			\
		"	.pushsection .rodata\n"				\
		"2:	.asciz \"" text "\"\n"				\
		"	.popsection\n"					\
		"	.pushsection forms, \"aw\"; .quad 1b, 2b; .popsection\n" \
		"	.popsection\n")

#define SIZES(op, b, w, l, q)						\
	FORM(op "b " b "(%rdi)"); FORM(op "w " w "(%rdi)");		\
	FORM(op "l " l "(%rdi)"); FORM(op "q " q "(%rdi)")
#define REGS(op) SIZES(op, "%sil, ", "%si, ", "%esi, ", "%rsi, ")
#define IMM(op) SIZES(op, "$0x5a, ", "$0x1234, ", "$0x12345678, ", "$-77, ")
#define BOTH(op) REGS(op); IMM(op); FORM("lock; " op "l %eax, (%rdi)")
#define SHIFT(op) SIZES(op, "%cl, ", "%cl, ", "%cl, ", "%cl, ");	\
	SIZES(op, "$3, ", "$9, ", "$17, ", "$40, "); SIZES(op, "", "", "", "")
#define ALONE(op) SIZES(op, "", "", "", ""); FORM("lock; " op "q (%rdi)")
#define BITS(op) FORM("and $15, %eax; " op "w %ax, (%rdi)"); FORM(op "l $5, (%rdi)");	\
	FORM(op "q $41, (%rdi)"); FORM("and $15, %esi; lock; " op "l %esi, (%rdi)")

BOTH("add"); BOTH("or"); BOTH("adc"); BOTH("sbb"); BOTH("and"); BOTH("sub"); BOTH("xor");
REGS("mov"); IMM("mov"); FORM("movb %ah, (%rdi)"); FORM("movb %bh, 3(%rdi)");
FORM("addb %ch, (%rdi)"); FORM("movb %r8b, (%rdi)"); FORM("mov %r8, (%rdi)");
FORM("mov $1, %esi; movl %ecx, (%rdi, %rsi, 8)"); FORM("mov $-1, %rsi; movw %cx, 4(%rdi, %rsi, 2)");
SHIFT("rol"); SHIFT("ror"); SHIFT("rcl"); SHIFT("rcr"); SHIFT("shl"); SHIFT("shr"); SHIFT("sar");
ALONE("not"); ALONE("neg"); ALONE("inc"); ALONE("dec");
FORM("xchgb %ah, (%rdi)"); FORM("xchgw %cx, (%rdi)"); FORM("xchgl %ecx, (%rdi)"); FORM("xchgq %r8, (%rdi)");
FORM("xaddb %dl, (%rdi)"); FORM("xaddb %dh, (%rdi)"); FORM("lock; xaddw %dx, (%rdi)");
FORM("lock; xaddl %edx, (%rdi)"); FORM("lock; xaddq %rdx, (%rdi)"); FORM("xaddl %eax, (%rdi)");
FORM("cmpxchgb %cl, (%rdi)"); FORM("cmpxchgw %cx, (%rdi)"); FORM("lock; cmpxchgl %ecx, (%rdi)");
FORM("lock; cmpxchgq %rcx, (%rdi)"); FORM("mov (%rdi), %rax; lock; cmpxchgq %rcx, (%rdi)");
FORM("mov (%rdi), %eax; lock; cmpxchgl %ecx, (%rdi)"); FORM("cmpxchg8b (%rdi)");
FORM("mov (%rdi), %eax; mov 4(%rdi), %edx; lock; cmpxchg8b (%rdi)");
FORM("movb $5, %al; sete (%rdi)"); FORM("setc (%rdi)"); FORM("setg (%rdi)"); FORM("setbe (%rdi)");
FORM("setnp (%rdi)"); FORM("seto (%rdi)"); FORM("setle (%rdi)"); FORM("setns (%rdi)");
BITS("bts"); BITS("btr"); BITS("btc"); FORM("and $127, %esi; btsq %rsi, (%rdi)");
FORM("movntil %eax, (%rdi)"); FORM("movntiq %rax, (%rdi)");
FORM("stosb"); FORM("stosw"); FORM("stosl"); FORM("stosq");
FORM("mov $29, %ecx; rep stosb"); FORM("mov $9, %ecx; rep stosl"); FORM("mov $13, %ecx; rep stosq");
FORM("xor %ecx, %ecx; rep stosq");
FORM("lea 56(%r15), %rsi; movsb"); FORM("lea 56(%r15), %rsi; movsq");
FORM("lea 56(%r15), %rsi; mov $47, %ecx; rep movsb"); FORM("lea 56(%r15), %rsi; mov $7, %ecx; rep movsq");
FORM("lea -3(%rdi), %rsi; mov $21, %ecx; rep movsb"); FORM("lea -8(%rdi), %rsi; mov $5, %ecx; rep movsq");
FORM("movups %xmm0, (%rdi)"); FORM("movupd %xmm1, (%rdi)"); FORM("movss %xmm0, (%rdi)"); FORM("movsd %xmm1, (%rdi)");
FORM("movlps %xmm0, (%rdi)"); FORM("movlpd %xmm1, (%rdi)"); FORM("movhps %xmm0, (%rdi)"); FORM("movhpd %xmm1, (%rdi)");
FORM("movdqu %xmm0, (%rdi)"); FORM("movd %xmm0, (%rdi)"); FORM("movq %xmm1, (%rdi)");
FORM("movaps %xmm0, (%rdi)"); FORM("movapd %xmm1, (%rdi)"); FORM("movdqa %xmm0, (%rdi)");
FORM("movntps %xmm0, (%rdi)"); FORM("movntpd %xmm1, (%rdi)"); FORM("movntdq %xmm1, (%rdi)");
FORM("lock; cmpxchg16b (%rdi) # movaps"); FORM("mov (%rdi), %rax; mov 8(%rdi), %rdx; cmpxchg16b (%rdi) # movaps");
FORM("movdqu %xmm0, %xmm13; movups %xmm13, (%rdi)");
FORM("pextrb $5, %xmm0, (%rdi)"); FORM("pextrw $3, %xmm0, (%rdi)"); FORM("pextrd $2, %xmm1, (%rdi)");
FORM("pextrq $1, %xmm1, (%rdi)"); FORM("extractps $3, %xmm0, (%rdi)");
FORM("vmovdqu 56(%r15), %ymm2; vmovdqu %ymm2, (%rdi); vzeroupper");
FORM("vmovdqu 56(%r15), %ymm12; vmovups %ymm12, (%rdi); vzeroupper");
FORM("vmovdqu 56(%r15), %ymm2; vextracti128 $1, %ymm2, (%rdi); vzeroupper");
FORM("vmovdqu 56(%r15), %ymm2; vextractf128 $0, %ymm2, (%rdi); vzeroupper");
FORM("vmovups %xmm1, (%rdi)"); FORM("vmovss %xmm1, (%rdi)"); FORM("vmovq %xmm1, (%rdi)"); FORM("vpextrd $1, %xmm0, (%rdi)");
/* Executed by themselves, with the page open. */
FORM("fnstcw (%rdi) # seen"); FORM("fld1; fstps (%rdi) # seen"); FORM("fldpi; fstpt (%rdi) # seen");
FORM("stmxcsr (%rdi) # seen"); FORM("shldl $5, %ecx, (%rdi) # seen"); FORM("maskmovdqu %xmm1, %xmm0 # seen");
FORM("std; mov $3, %ecx; lea 32(%rdi), %rdi; rep stosq; cld # seen"); FORM("movbel %ecx, (%rdi) # seen");
FORM("push %rsp; pop (%rdi); mov $0, %rax; mov %rax, (%rdi) # seen");

#include "../forms_x86.h"

#endif
