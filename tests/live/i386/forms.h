/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * forms.h - instructions that write memory, each in a function of its own, on i386.
 *
 * Owns: the list of them.  At edi they write; the other registers are those of a struct
 * state, which ebp points to.  "# seen": what protected pages are opened for.
 */
#ifndef KP_LIVE_FORMS_H
#define KP_LIVE_FORMS_H

#include "../form.h"

struct state {
	unsigned long ax, cx, dx, bx, si, flags;
	unsigned char xmm[2][32];
	unsigned long di;
};

_Static_assert(offsetof(struct state, xmm) == 24 &&
	       offsetof(struct state, di) == 88, "forms");

#define FORM_NAMED(text, name)						\
	__asm__(".pushsection .text\n"					\
		"	.globl " name "; .type " name ", @function\n"	\
		name ":\n"						\
		"1:	push %ebx; push %esi; push %edi; push %ebp\n"	\
		"	mov 20(%esp), %ebp; mov 24(%esp), %edi\n"	\
		"	movdqu 24(%ebp), %xmm0; movdqu 56(%ebp), %xmm1\n" \
		"	mov (%ebp), %eax; mov 4(%ebp), %ecx; mov 8(%ebp), %edx\n" \
		"	mov 12(%ebp), %ebx; mov 16(%ebp), %esi\n"	\
		"	pushl 20(%ebp); popf\n"				\
		"	" text "\n"					\
		"	mov %eax, (%ebp); mov %ecx, 4(%ebp); mov %edx, 8(%ebp)\n" \
		"	mov %ebx, 12(%ebp); mov %esi, 16(%ebp)\n"	\
		"	mov %edi, 88(%ebp); pushf; popl 20(%ebp); cld\n" \
		"	pop %ebp; pop %edi; pop %esi; pop %ebx; ret\n"	\
		"	.size " name ", . - " name "\n"			\
		"	.pushsection .rodata\n"				\
		"2:	.asciz \"" text "\"\n"				\
		"	.popsection\n"					\
		"	.pushsection forms, \"aw\"; .long 1b, 2b; .popsection\n" \
		"	.popsection\n")

#define SIZES(op, b, w, l)						\
	FORM(op "b " b "(%edi)"); FORM(op "w " w "(%edi)"); FORM(op "l " l "(%edi)")
#define REGS(op) SIZES(op, "%dl, ", "%si, ", "%esi, ")
#define IMM(op) SIZES(op, "$0x5a, ", "$0x1234, ", "$0x12345678, ")
#define BOTH(op) REGS(op); IMM(op); FORM(op "l $-77, (%edi)"); FORM("lock; " op "l %eax, (%edi)")
#define SHIFT(op) SIZES(op, "%cl, ", "%cl, ", "%cl, ");			\
	SIZES(op, "$3, ", "$9, ", "$17, "); SIZES(op, "", "", "")
#define ALONE(op) SIZES(op, "", "", ""); FORM("lock; " op "l (%edi)")
#define BITS(op) FORM("and $15, %eax; " op "w %ax, (%edi)"); FORM(op "l $5, (%edi)");	\
	FORM(op "l $29, (%edi)"); FORM("and $15, %esi; lock; " op "l %esi, (%edi)")

BOTH("add"); BOTH("or"); BOTH("adc"); BOTH("sbb"); BOTH("and"); BOTH("sub"); BOTH("xor");
REGS("mov"); IMM("mov"); FORM("movb %ah, (%edi)"); FORM("movb %bh, 3(%edi)"); FORM("addb %ch, (%edi)");
FORM("mov $1, %esi; movl %ecx, (%edi, %esi, 8)"); FORM("mov $-1, %esi; movw %cx, 4(%edi, %esi, 2)");
FORM("movl %ecx, %es:(%edi)"); FORM("movw %ds, (%edi) # seen");
SHIFT("rol"); SHIFT("ror"); SHIFT("rcl"); SHIFT("rcr"); SHIFT("shl"); SHIFT("shr"); SHIFT("sar");
ALONE("not"); ALONE("neg"); ALONE("inc"); ALONE("dec");
FORM("xchgb %ah, (%edi)"); FORM("xchgw %cx, (%edi)"); FORM("xchgl %ecx, (%edi)");
FORM("xaddb %dl, (%edi)"); FORM("xaddb %dh, (%edi)"); FORM("lock; xaddw %dx, (%edi)");
FORM("lock; xaddl %edx, (%edi)"); FORM("xaddl %eax, (%edi)");
FORM("cmpxchgb %cl, (%edi)"); FORM("cmpxchgw %cx, (%edi)"); FORM("lock; cmpxchgl %ecx, (%edi)");
FORM("mov (%edi), %eax; lock; cmpxchgl %ecx, (%edi)"); FORM("cmpxchg8b (%edi)");
FORM("mov (%edi), %eax; mov 4(%edi), %edx; lock; cmpxchg8b (%edi)");
FORM("movb $5, %al; sete (%edi)"); FORM("setc (%edi)"); FORM("setg (%edi)"); FORM("setbe (%edi)");
FORM("setnp (%edi)"); FORM("seto (%edi)"); FORM("setle (%edi)"); FORM("setns (%edi)");
BITS("bts"); BITS("btr"); BITS("btc"); FORM("and $127, %esi; btsl %esi, (%edi)");
FORM("movntil %eax, (%edi)"); FORM("stosb"); FORM("stosw"); FORM("stosl");
FORM("mov $29, %ecx; rep stosb"); FORM("mov $9, %ecx; rep stosl"); FORM("mov $13, %ecx; rep stosw"); FORM("mov $23, %ecx; rep stosl");
FORM("xor %ecx, %ecx; rep stosl");
FORM("lea 24(%ebp), %esi; movsb"); FORM("lea 24(%ebp), %esi; movsl");
FORM("lea 24(%ebp), %esi; mov $47, %ecx; rep movsb"); FORM("lea 24(%ebp), %esi; mov $7, %ecx; rep movsl");
FORM("lea -3(%edi), %esi; mov $21, %ecx; rep movsb"); FORM("lea -8(%edi), %esi; mov $5, %ecx; rep movsl");
FORM("movups %xmm0, (%edi)"); FORM("movupd %xmm1, (%edi)"); FORM("movss %xmm0, (%edi)"); FORM("movsd %xmm1, (%edi)");
FORM("movlps %xmm0, (%edi)"); FORM("movlpd %xmm1, (%edi)"); FORM("movhps %xmm0, (%edi)"); FORM("movhpd %xmm1, (%edi)");
FORM("movdqu %xmm0, (%edi)"); FORM("movd %xmm0, (%edi)"); FORM("movq %xmm1, (%edi)");
FORM("movaps %xmm0, (%edi)"); FORM("movapd %xmm1, (%edi)"); FORM("movdqa %xmm0, (%edi)");
FORM("movntps %xmm0, (%edi)"); FORM("movntpd %xmm1, (%edi)"); FORM("movntdq %xmm1, (%edi)");
FORM("movdqu %xmm0, %xmm5; movups %xmm5, (%edi)");
FORM("pextrb $5, %xmm0, (%edi)"); FORM("pextrw $3, %xmm0, (%edi)"); FORM("pextrd $2, %xmm1, (%edi)");
FORM("extractps $3, %xmm0, (%edi)");
FORM("vmovdqu 24(%ebp), %ymm2; vmovdqu %ymm2, (%edi); vzeroupper");
FORM("vmovdqu 24(%ebp), %ymm5; vmovups %ymm5, (%edi); vzeroupper");
FORM("vmovdqu 24(%ebp), %ymm2; vextracti128 $1, %ymm2, (%edi); vzeroupper");
FORM("vmovdqu 24(%ebp), %ymm2; vextractf128 $0, %ymm2, (%edi); vzeroupper");
FORM("vmovups %xmm1, (%edi)"); FORM("vmovss %xmm1, (%edi)"); FORM("vmovq %xmm1, (%edi)"); FORM("vpextrd $1, %xmm0, (%edi)");
/* Executed by themselves, with the page open. */
FORM("fnstcw (%edi) # seen"); FORM("fld1; fstps (%edi) # seen"); FORM("fldpi; fstpt (%edi) # seen");
FORM("stmxcsr (%edi) # seen"); FORM("shldl $5, %ecx, (%edi) # seen"); FORM("maskmovdqu %xmm1, %xmm0 # seen");
FORM("std; mov $3, %ecx; lea 32(%edi), %edi; rep stosl; cld # seen"); FORM("movbel %ecx, (%edi) # seen");
FORM("push %esp; pop (%edi); mov $0, %eax; mov %eax, (%edi) # seen");
FORM("movd %ecx, %mm0; movq %mm0, (%edi); emms # seen");

#include "../forms_x86.h"

#endif
