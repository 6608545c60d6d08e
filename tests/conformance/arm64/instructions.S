/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * instructions.S - one function per instruction.
 *
 * Owns: void x_NAME(struct x_state *s): loads x0 to x9 and the flags from *s, executes
 * SETUP, then INSN, whose first instruction is the probed one, and stores registers and
 * flags back.  x_table lists them.  x19 holds s; x20, x21, x10 to x15 are free; x_word is
 * for operands relative to the PC.
 */
.macro X name, rule, setup, insn
	.text
	.p2align 4
	.type	x_\name, %function
x_\name:
	stp	x29, x30, [sp, #-112]!
	mov	x29, sp
	stp	x19, x20, [sp, #16]
	str	x21, [sp, #32]
	mov	x19, x0
	ldr	x10, [x19, #80]
	msr	nzcv, x10
	ldp	x2, x3, [x19, #16]
	ldp	x4, x5, [x19, #32]
	ldp	x6, x7, [x19, #48]
	ldp	x8, x9, [x19, #64]
	ldp	x0, x1, [x19]
	mov	x10, #0
	mov	x20, #0
	\setup
x_\name\()_at:
	\insn
	stp	x0, x1, [x19]
	stp	x2, x3, [x19, #16]
	stp	x4, x5, [x19, #32]
	stp	x6, x7, [x19, #48]
	stp	x8, x9, [x19, #64]
	mrs	x10, nzcv
	str	x10, [x19, #80]
	ldp	x19, x20, [sp, #16]
	ldr	x21, [sp, #32]
	ldp	x29, x30, [sp], #112
	ret
	.size	x_\name, . - x_\name
	.section .rodata, "a"
1:	.asciz	"\name"
2:	.asciz	"\rule"
	.data
	.quad	x_\name, x_\name\()_at, 1b, 2b
	.text
.endm

	.data
	.p2align 3
	.globl	x_word
x_word:	.quad	0x1122334455667788
	.p2align 3
	.globl	x_table
x_table:

/* [x19, 88] to 215: memory. */
X mov_rr,	K-XI-46, "", "mov x3, x4"
X movz,		K-XI-46, "", "movz x3, #0x1234, lsl #16"
X movk,		K-XI-46, "", "movk x3, #0x1234, lsl #32"
X movn,		K-XI-46, "", "movn w3, #77"
X add_imm,	K-XI-46, "", "add x3, x4, #5"
X add_sp,	K-XI-46, "", "add x3, sp, #16; sub x3, x3, x29"
X sub_sp,	K-XI-46, "", "sub sp, sp, #32; add sp, sp, #32"
X adds,		K-XI-46, "", "adds x3, x4, x5"
X adc,		K-XI-46, "", "adc x3, x4, x5"
X sbcs,		K-XI-46, "", "sbcs x3, x4, x5"
X cmp,		K-XI-46, "", "cmp x4, x5"
X ccmp,		K-XI-46, "", "ccmp x4, x5, #7, hi"
X tst,		K-XI-46, "", "tst x4, #0xff"
X ands,		K-XI-46, "", "ands w3, w4, w5"
X orr,		K-XI-46, "", "orr x3, x4, x5, ror #7"
X eor_imm,	K-XI-46, "", "eor x3, x4, #0x5555555555555555"
X lslv,		K-XI-46, "", "lsl x3, x4, x5"
X ubfm,		K-XI-46, "", "ubfx x3, x4, #5, #9"
X bfi,		K-XI-46, "", "bfi x3, x4, #8, #16"
X extr,		K-XI-46, "", "extr x3, x4, x5, #13"
X csel,		K-XI-46, "", "csel x3, x4, x5, lt"
X csinc,	K-XI-46, "", "cset x3, hi"
X madd,		K-XI-46, "", "madd x3, x4, x5, x6"
X umulh,	K-XI-46, "", "umulh x3, x4, x5"
X udiv,		K-XI-46, "", "udiv x3, x4, x5"
X clz,		K-XI-46, "", "clz x3, x4"
X rev,		K-XI-46, "", "rev x3, x4"
X rbit,		K-XI-46, "", "rbit w3, w4"
X ldr,		K-XI-46, "", "ldr x3, [x19, #88]"
X ldrb,		K-XI-46, "", "ldrb w3, [x19, #89]"
X ldrsw,	K-XI-46, "", "ldrsw x3, [x19, #92]"
X ldr_index,	K-XI-46, "mov x4, #11", "ldr x3, [x19, x4, lsl #3]"
X ldr_pre,	K-XI-46, "add x11, x19, #88", "ldr x3, [x11, #8]!; sub x4, x11, x19"
X ldr_post,	K-XI-46, "add x11, x19, #88", "ldr x3, [x11], #16; sub x4, x11, x19"
X str,		K-XI-46, "", "str x5, [x19, #104]"
X stp,		K-XI-46, "", "stp x5, x6, [x19, #120]"
X stp_sp,	K-XI-46, "", "stp x5, x6, [sp, #-16]!; ldp x7, x8, [sp], #16"
X ldp,		K-XI-46, "", "ldp w3, w4, [x19, #88]"
X ldar,		K-XI-47, "add x11, x19, #88", "ldar x3, [x11]"
X stlr,		K-XI-47, "add x11, x19, #88", "stlr x5, [x11]"
X nop,		K-XI-46, "", "nop"
X hint,		K-XI-46, "", "hint #77"
X bti,		K-XI-46, "", "bti c"
X dmb,		K-XI-46, "", "dmb ish"
X isb,		K-XI-46, "", "isb"
X mrs_nzcv,	K-XI-46, "", "mrs x3, nzcv"
X msr_nzcv,	K-XI-46, "", "msr nzcv, x4"
X mrs_tls,	K-XI-46, "", "mrs x3, tpidr_el0"
X pac,		K-XI-46, "mov x11, x30", "xpaclri; mov x30, x11"
#ifndef __KERNEL__		/* which makes none */
X svc,		K-XI-46, "mov x8, #172", "svc #0; mov x8, #0"
#endif
X fmov,		K-XI-40, "", "fmov d3, x4; str d3, [x19, #120]"
X addv,		K-XI-40, "ldr q3, [x19, #88]", "add v3.16b, v3.16b, v3.16b; str q3, [x19, #120]"
X ldr_q,	K-XI-40, "", "ldr q5, [x19, #88]; str q5, [x19, #120]"

X adr,		K-XI-41, "", "adr x3, 7f; 7: nop"
X adrp,		K-XI-41, "", "adrp x3, x_word"
X ldr_lit,	K-XI-41, "", "ldr x3, 7f; b 8f; .p2align 3; 7: .quad 0x123456789abcdef0; 8: nop"
X ldr_lit_w,	K-XI-41, "", "ldr w3, 7f; b 8f; 7: .long 0x89abcdef; 8: nop"
X ldrsw_lit,	K-XI-41, "", "ldrsw x3, 7f; b 8f; 7: .long 0x89abcdef; 8: nop"
X ldr_lit_q,	K-XI-41, "", "ldr d3, 7f; str d3, [x19, #120]; b 8f; .p2align 3; 7: .quad 0x123456789abcdef0; 8: nop"
X prfm_lit,	K-XI-41, "", "prfm pldl1keep, 7f; 7: nop"

X b,		K-XI-22, "", "b 7f; add x3, x3, #1; 7:"
X beq,		K-XI-23, "", "b.eq 7f; add x3, x3, #1; 7:"
X bne,		K-XI-23, "", "b.ne 7f; add x3, x3, #1; 7:"
X bcs,		K-XI-23, "", "b.cs 7f; add x3, x3, #1; 7:"
X bcc,		K-XI-23, "", "b.cc 7f; add x3, x3, #1; 7:"
X bmi,		K-XI-23, "", "b.mi 7f; add x3, x3, #1; 7:"
X bpl,		K-XI-23, "", "b.pl 7f; add x3, x3, #1; 7:"
X bvs,		K-XI-23, "", "b.vs 7f; add x3, x3, #1; 7:"
X bvc,		K-XI-23, "", "b.vc 7f; add x3, x3, #1; 7:"
X bhi,		K-XI-23, "", "b.hi 7f; add x3, x3, #1; 7:"
X bls,		K-XI-23, "", "b.ls 7f; add x3, x3, #1; 7:"
X bge,		K-XI-23, "", "b.ge 7f; add x3, x3, #1; 7:"
X blt,		K-XI-23, "", "b.lt 7f; add x3, x3, #1; 7:"
X bgt,		K-XI-23, "", "b.gt 7f; add x3, x3, #1; 7:"
X ble,		K-XI-23, "", "b.le 7f; add x3, x3, #1; 7:"
X cbz,		K-XI-23, "and x4, x4, #1", "cbz x4, 7f; add x3, x3, #1; 7:"
X cbnz,		K-XI-23, "and x4, x4, #1", "cbnz w4, 7f; add x3, x3, #1; 7:"
X tbz,		K-XI-23, "", "tbz x4, #3, 7f; add x3, x3, #1; 7:"
X tbnz,		K-XI-23, "", "tbnz x4, #33, 7f; add x3, x3, #1; 7:"
X bl,		K-XI-20, "", "bl 7f; b 8f; 7: mov x3, x30; ret; 8:"
X br,		K-XI-33, "adr x11, 7f", "br x11; add x3, x3, #1; 7: bti j"
X blr,		K-XI-33, "adr x11, 7f", "blr x11; b 8f; 7: bti c; mov x3, x30; ret; 8:"
X blr_x30,	K-XI-33, "adr x30, 7f", "blr x30; b 8f; 7: bti c; mov x3, x30; ret; 8:"
X ret,		K-XI-27, "adr x30, 7f", "ret; add x3, x3, #1; 7: bti j"
X ret_x,	K-XI-27, "adr x11, 7f", "ret x11; add x3, x3, #1; 7: bti j"
	.data
	.quad	0, 0, 0, 0

	.section .note.GNU-stack, "", %progbits
