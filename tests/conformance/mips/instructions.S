/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * instructions.S - one function per instruction.
 *
 * Owns: void x_NAME(struct x_state *s): loads $4 to $13 and the floating-point flags from
 * *s, executes SETUP, then INSN, whose first instruction is the probed one, and stores
 * registers and flags back.  x_table lists them.  $17 holds s; $2, $3, $14, $15, $16, $24
 * and $25 are free; each instruction has its delay slot beside it.
 */
#include "functions.h"

#include <asm/unistd.h>

#define STATE 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
#define FLAGS	(10 * LONG)

/* What stands in strings, which the preprocessor leaves alone. */
	.set	MEM, (11 * LONG + 7) & ~7	/* and more than 60 bytes from there */
	.set	GETPPID, __NR_getppid
.macro	add_words to, a, b
	ADD	\to, \a, \b
.endm
.macro	sub_words to, a, b
	SUB	\to, \a, \b
.endm
.macro	add_const to, a, n
	ADDI	\to, \a, \n
.endm
.macro	load_word reg, at:vararg
	LOAD	\reg, \at
.endm
.macro	store_word reg, at:vararg
	STORE	\reg, \at
.endm

/* Floating point is off in a kernel; and what is emulated for programs, is not there. */
#ifdef __KERNEL__
.macro load_flags
.endm
.macro store_flags
.endm
#else
.macro load_flags
	LOAD	$2, FLAGS($17)
	ctc1	$2, $31
.endm
.macro store_flags
	cfc1	$2, $31
	STORE	$2, FLAGS($17)
	ctc1	$0, $31
.endm
#endif

.macro X name, rule, setup, insn
	.text
	.p2align 4
	.type	x_\name, @function
x_\name:
	ADDI	$29, $29, -64
	STORE	$31, 56($29)
	STORE	$16, 48($29)
	STORE	$17, 40($29)
	move	$17, $4
	load_flags
	.set	at, 0
	.irp	r, STATE
	LOAD	$\r, at($17)
	.set	at, at + LONG
	.endr
	\setup
x_\name\()_at:
	\insn
	.set	at, 0
	.irp	r, STATE
	STORE	$\r, at($17)
	.set	at, at + LONG
	.endr
	store_flags
	LOAD	$31, 56($29)
	LOAD	$16, 48($29)
	LOAD	$17, 40($29)
	jr	$31
	ADDI	$29, $29, 64
	.size	x_\name, . - x_\name
	.section .rodata, "a"
1:	.asciz	"\name"
2:	.asciz	"\rule"
	.data
	WORD	x_\name, x_\name\()_at, 1b, 2b
	.text
.endm

	.data
	.p2align 3
	.globl	x_word
x_word:	WORD	0x11223344
	.p2align 3
	.globl	x_table
x_table:

X move,		K-XI-46, "", "move $6, $7"
X lui,		K-XI-46, "", "lui $6, 0x1234"
X addiu,	K-XI-46, "", "addiu $6, $0, -5"
X addi_word,	K-XI-46, "", "add_const $6, $7, -5"
X addi_sp,	K-XI-46, "", "add_const $6, $29, 16; sub_words $6, $6, $29"
X slti,		K-XI-46, "", "slti $6, $7, 77"
X xori,		K-XI-46, "", "xori $6, $7, 0x555"
X add_word,	K-XI-46, "", "add_words $6, $7, $8"
X sub_word,	K-XI-46, "", "sub_words $6, $7, $8"
X sltu,		K-XI-46, "", "sltu $6, $7, $8"
X and,		K-XI-46, "", "and $6, $7, $8"
X nor,		K-XI-46, "", "nor $6, $7, $8"
X movn,		K-XI-46, "", "movn $6, $7, $8"
X mult,		K-XI-46, "sll $7, $7, 0; sll $8, $8, 0", "mult $7, $8; mflo $6; mfhi $9"
X mfhi,		K-XI-46, "mthi $7", "mfhi $6"
X divu,		K-XI-46, "li $7, 1000; li $8, 7", "divu $0, $7, $8; mflo $6; mfhi $9"
X lw,		K-XI-46, "", "lw $6, MEM($17)"
X lbu,		K-XI-46, "", "lbu $6, MEM + 1($17)"
X lh,		K-XI-46, "", "lh $6, MEM + 2($17)"
X lwl,		K-XI-46, "sll $6, $6, 0", "lwl $6, MEM + 1($17)"
X lwr,		K-XI-46, "sll $6, $6, 0", "lwr $6, MEM + 1($17)"
X word_load,	K-XI-46, "", "load_word $6, MEM + 8($17)"
X sw,		K-XI-46, "", "sw $8, MEM + 4($17)"
X sh,		K-XI-46, "", "sh $8, MEM + 6($17)"
X sb,		K-XI-46, "", "sb $8, MEM + 7($17)"
X swl,		K-XI-46, "", "swl $8, MEM + 9($17)"
X store_sp,	K-XI-46, "", "store_word $8, 16($29); load_word $9, 16($29)"
X sync,		K-XI-46, "", "sync"
X nop,		K-XI-46, "", "nop"
#ifndef __KERNEL__
X rdhwr,	K-XI-46, "", "rdhwr $3, $29; sub_words $3, $3, $3"
X cfc1,		K-XI-46, "", "cfc1 $6, $31"
X ctc1,		K-XI-46, "andi $7, $7, 0x7c", "ctc1 $7, $31"
#endif
X ll,		K-XI-47, "", "ll $6, MEM($17)"
#ifndef __KERNEL__
X syscall,	K-XI-46, "li $2, GETPPID", "syscall; add_words $8, $2, $0; li $9, 0; li $10, 0; li $11, 0; li $12, 0; li $13, 0"
#endif
#ifdef __mips64
X sll,		K-XI-46, "sll $7, $7, 0", "sll $6, $7, 11"
X dsll32,	K-XI-46, "", "dsll32 $6, $7, 9"
X dsrav,	K-XI-46, "", "dsrav $6, $7, $8"
X dmultu,	K-XI-46, "", "dmultu $7, $8; mflo $6; mfhi $9"
X ldl,		K-XI-46, "", "ldl $6, MEM + 3($17)"
X sdr,		K-XI-46, "", "sdr $8, MEM + 11($17)"
X lwu,		K-XI-46, "", "lwu $6, MEM + 4($17)"
#ifndef __KERNEL__
X dmtc1,	K-XI-40, "", "dmtc1 $7, $f3; sdc1 $f3, MEM + 24($17)"
X cvt_d_l,	K-XI-40, "dmtc1 $7, $f3", "cvt.d.l $f3, $f3; sdc1 $f3, MEM + 24($17)"
#endif
#else
X sllv,		K-XI-46, "", "sllv $6, $7, $8"
X srav,		K-XI-46, "", "srav $6, $7, $8"
X sra,		K-XI-46, "", "sra $6, $7, 11"
X mul_short,	K-XI-46, "", "multu $7, $8; mflo $6"
X lb,		K-XI-46, "", "lb $6, MEM + 3($17)"
X swr,		K-XI-46, "", "swr $8, MEM + 11($17)"
X lhu,		K-XI-46, "", "lhu $6, MEM + 4($17)"
#endif
#ifndef __KERNEL__
X mtc1,		K-XI-40, "", "mtc1 $7, $f4; swc1 $f4, MEM + 24($17)"
X add_d,	K-XI-40, "ldc1 $f4, MEM($17); ldc1 $f6, MEM + 8($17)", "add.d $f4, $f4, $f6; sdc1 $f4, MEM + 24($17)"
X cvt_d_w,	K-XI-40, "mtc1 $7, $f4", "cvt.d.w $f4, $f4; sdc1 $f4, MEM + 24($17)"
X ldc1,		K-XI-40, "", "ldc1 $f8, MEM($17); sdc1 $f8, MEM + 24($17)"
X swc1,		K-XI-40, "mtc1 $7, $f8", "swc1 $f8, MEM + 28($17)"
#endif

X b,		K-XI-21, "", "b 7f; nop; add_const $6, $6, 1; 7:"
X b_slot,	K-XI-21, "", "b 7f; add_const $6, $6, 3; add_const $6, $6, 1; 7:"
X beq,		K-XI-23, "", "beq $6, $7, 7f; nop; add_const $6, $6, 1; 7:"
X bne,		K-XI-23, "", "bne $6, $7, 7f; nop; add_const $6, $6, 1; 7:"
X beq_slot,	K-XI-23, "", "beq $6, $7, 7f; add_const $6, $6, 3; add_const $6, $6, 1; 7:"
X bne_slot,	K-XI-23, "", "bne $6, $7, 7f; lw $6, MEM($17); add_const $6, $6, 1; 7:"
X bltz,		K-XI-23, "", "bltz $6, 7f; nop; add_const $6, $6, 1; 7:"
X bgez_slot,	K-XI-23, "", "bgez $6, 7f; sw $7, MEM($17); add_const $6, $6, 1; 7:"
X blez,		K-XI-23, "", "blez $6, 7f; nop; add_const $6, $6, 1; 7:"
X bgtz,		K-XI-23, "", "bgtz $6, 7f; nop; add_const $6, $6, 1; 7:"
#if __mips_isa_rev < 6
X beql,		K-XI-23, "", "beql $6, $7, 7f; add_const $6, $6, 3; add_const $6, $6, 1; 7:"
X bnel,		K-XI-23, "", "bnel $6, $7, 7f; add_const $6, $6, 3; add_const $6, $6, 1; 7:"
X bgezl_nop,	K-XI-23, "", "bgezl $6, 7f; nop; add_const $6, $6, 1; 7:"
X bgezal,	K-XI-20, "", "bgezal $6, 7f; nop; 6: b 8f; nop; 7: bgez $6, 8f; nop; 8: add_const $6, $6, 1"
#ifndef __KERNEL__
X bc1t,		K-XI-23, "mtc1 $7, $f4; mtc1 $8, $f6; c.eq.s $f4, $f6", "bc1t 7f; add_const $6, $6, 3; add_const $6, $6, 1; 7:"
X bc1f,		K-XI-23, "mtc1 $7, $f4; mtc1 $8, $f6; c.lt.s $f4, $f6", "bc1f 7f; nop; add_const $6, $6, 1; 7:"
#endif
#endif
X bal,		K-XI-20, "", "bal 7f; nop; 6: b 8f; nop; 7: add_const $6, $31, 0; jr $31; sub_words $6, $6, $31; 8:"
X bal_slot,	K-XI-20, "", "bal 7f; move $6, $31; 6: b 8f; sub_words $6, $6, $31; 7: jr $31; nop; 8:"
X jr,		K-XI-33, "bal 6f; nop; 6: add_const $14, $31, 7f - 6b", "jr $14; nop; add_const $6, $6, 1; 7:"
X jr_slot,	K-XI-33, "bal 6f; nop; 6: add_const $14, $31, 7f - 6b", "jr $14; add_const $6, $6, 3; add_const $6, $6, 1; 7:"
X jalr,		K-XI-33, "bal 6f; nop; 6: add_const $14, $31, 7f - 6b", "jalr $14; nop; b 8f; nop; 7: jr $31; add_const $6, $6, 1; 8:"
X jalr_slot,	K-XI-33, "bal 6f; nop; 6: add_const $14, $31, 7f - 6b", "jalr $15, $14; sub_words $6, $15, $14; b 8f; nop; 7: jr $15; add_const $6, $6, 1; 8:"
X ret,		K-XI-27, "bal 6f; nop; 6: add_const $31, $31, 7f - 6b", "jr $31; nop; add_const $6, $6, 1; 7:"
X ret_slot,	K-XI-27, "bal 6f; nop; 6: add_const $31, $31, 7f - 6b", "jr $31; add_const $6, $6, 3; add_const $6, $6, 1; 7:"
	.data
	WORD	0, 0, 0, 0

	.section .note.GNU-stack, "", @progbits
