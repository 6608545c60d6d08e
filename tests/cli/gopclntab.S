/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gopclntab.S - a program with Go's table of functions, in the format of GO: 2, 16,
 * 18, 20.  No symbol of it stays, so only the table knows two functions.
 */
#if GO == 2
#define MAGIC 0xfffffffb
#elif GO == 16
#define MAGIC 0xfffffffa
#elif GO == 18
#define MAGIC 0xfffffff0
#else
#define MAGIC 0xfffffff1
#endif

#if GO >= 18
#define PLACE(label) .long label - .Ltext
#define OFFSET .long
#else
#define PLACE(label) .quad label
#define OFFSET .quad
#endif

/* What offsets of names and depths count from. */
#if GO == 2
#define NAMES .Ltable
#define DEPTHS .Ltable
#define FUNCTIONS .Ltable
#else
#define NAMES .Lnames
#define DEPTHS .Ldepths
#define FUNCTIONS .Lfunctions
#endif

	.text
.Ltext:	ret				/* C's, before Go's */
	.p2align 4, 0xcc
.Lwork:	push %rax
	pop %rax
	ret
	.p2align 4, 0xcc
.Lput:	nop
	ret
	.p2align 4, 0xcc
.Lend:
	.globl _start
_start:	call .Lwork
	mov $60, %eax
	xor %edi, %edi
	syscall

/* Its other mark: GNU's linker puts a table that is relocated into .data.rel.ro. */
	.section .go.buildinfo, "aw", @progbits
	.asciz "go"

#ifdef PIE
	.section .data.rel.ro.gopclntab, "aw", @progbits
#else
	.section .gopclntab, "a", @progbits
#endif
.Ltable:
	.long MAGIC
	.byte 0, 0, 1, 8
	.quad 2
#if GO > 2
	.quad 1				/* files */
#if GO >= 18
	.quad .Ltext
#endif
	.quad .Lnames - .Ltable, .Lnames - .Ltable, .Lnames - .Ltable
	.quad .Ldepths - .Ltable, .Lfunctions - .Ltable
#endif
.Lfunctions:
	PLACE(.Lwork)
	OFFSET .Lwork_is - FUNCTIONS
	PLACE(.Lput)
	OFFSET .Lput_is - FUNCTIONS
	PLACE(.Lend)
	.p2align 3
.Lwork_is:
	PLACE(.Lwork)
	.long .Lwork_name - NAMES, 0, 0, .Lwork_depths - DEPTHS
.Lput_is:
	PLACE(.Lput)
	.long .Lput_name - NAMES, 0, 0, .Lput_depths - DEPTHS
.Lnames:
	.byte 0
.Lwork_name:
	.asciz "main.work"
.Lput_name:
	.asciz "main.(*Box[int]).put"
.Ldepths:
	.byte 0
/* Changes, the sign below: from -1 to 0 for a byte, +8 for one, -8 for one. */
.Lwork_depths:
	.byte 2, 1, 16, 1, 15, 1, 0
.Lput_depths:
	.byte 2, 2, 0
