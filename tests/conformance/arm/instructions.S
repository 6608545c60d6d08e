/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * instructions.S - one function per instruction, of A32 and of T32.
 *
 * Owns: void x_NAME(struct x_state *s): loads r0 to r9 and the flags from *s, executes SETUP,
 * then INSN, whose first instruction is the probed one, and stores registers and flags back.
 * x_table lists them.  r11 holds s; r10, r12 and lr are free; x_word is for operands relative
 * to the PC.  A is for A32, T for Thumb, X for both; P for both in a process, as T.
 */
	.syntax unified
	.arch	armv7ve
	.fpu	neon

.macro	function name, rule, setup, insn
	.p2align 4
	.type	x_\name, %function
x_\name:
	push	{r4-r12, lr}
	mov	r11, r0
	sub	sp, sp, #64
	ldr	r12, [r11, #40]
	msr	APSR_nzcvqg, r12
	ldm	r11, {r0-r9}
	\setup
x_\name\()_at:
	\insn
	stm	r11, {r0-r9}
	mrs	r12, APSR
	str	r12, [r11, #40]
	add	sp, sp, #64
	pop	{r4-r12, pc}
	.size	x_\name, . - x_\name
	.section .rodata, "a"
1:	.asciz	"\name"
2:	.asciz	"\rule"
	.data
	.long	x_\name, x_\name\()_at, 1b, 2b
	.text
.endm

.macro A name, rule, setup, insn
	.text
	.arm
	function a_\name, "\rule", "\setup", "\insn"
.endm
.macro T name, rule, setup, insn
#ifndef MODULE
	.text
	.thumb
	function t_\name, "\rule", "\setup", "\insn"
#endif
.endm
.macro X name, rule, setup, insn
	A \name, "\rule", "\setup", "\insn"
	T \name, "\rule", "\setup", "\insn"
.endm
.macro P name, rule, setup, insn
#ifndef MODULE
	X \name, "\rule", "\setup", "\insn"
#endif
.endm

	.data
	.p2align 3
	.globl	x_word
x_word:	.long	0x11223344
	.p2align 3
	.globl	x_table
x_table:

/* [r11, 44] to 107: memory. */
X mov_rr,	K-XI-46, "", "mov r3, r4"
X movs_rr,	K-XI-46, "", "movs r3, r4"
X mov_imm,	K-XI-46, "", "mov r3, #0x7f"
X movw,		K-XI-46, "", "movw r3, #0x1234"
X movt,		K-XI-46, "", "movt r3, #0x1234"
X mvn,		K-XI-46, "", "mvn r3, r4"
X add_imm,	K-XI-46, "", "add r3, r4, #5"
X add_sp,	K-XI-46, "", "add r3, sp, #16; mov r12, sp; sub r3, r3, r12"
X sub_sp,	K-XI-46, "", "sub sp, sp, #32; add sp, sp, #32"
X adds,		K-XI-46, "", "adds r3, r4, r5"
X adc,		K-XI-46, "", "adcs r3, r3, r5"
X sbc,		K-XI-46, "", "sbcs r3, r4, r5"
X rsb,		K-XI-46, "", "rsbs r3, r4, #0"
A rsc,		K-XI-46, "", "rscs r3, r4, r5"
X cmp,		K-XI-46, "", "cmp r4, r5"
X cmn,		K-XI-46, "", "cmn r4, r5"
X tst,		K-XI-46, "", "tst r4, #0xff"
X teq,		K-XI-46, "", "teq r4, r5"
X and_shift,	K-XI-46, "", "ands r3, r4, r5, lsr #7"
X orr_ror,	K-XI-46, "", "orrs r3, r4, r5, ror #9"
A eor_reg,	K-XI-46, "", "eors r3, r4, r5, lsl r6"
X lsl,		K-XI-46, "", "lsls r3, r4, r5"
X rrx,		K-XI-46, "", "rrxs r3, r4"
X mul,		K-XI-46, "", "mul r3, r4, r5"
X mla,		K-XI-46, "", "mla r3, r4, r5, r6"
X umull,	K-XI-46, "", "umull r3, r4, r5, r6"
X smlal,	K-XI-46, "", "smlal r3, r4, r5, r6"
X udiv,		K-XI-46, "", "udiv r3, r4, r5"
X clz,		K-XI-46, "", "clz r3, r4"
X rev,		K-XI-46, "", "rev r3, r4"
X ubfx,		K-XI-46, "", "ubfx r3, r4, #5, #9"
X bfi,		K-XI-46, "", "bfi r3, r4, #8, #16"
X uxtb,		K-XI-46, "", "uxtb r3, r4"
X sxtah,	K-XI-46, "", "sxtah r3, r4, r5"
X qadd,		K-XI-46, "", "qadd r3, r4, r5"
X uadd8,	K-XI-46, "", "uadd8 r3, r4, r5"
X sel,		K-XI-46, "", "sel r3, r4, r5"
X ldr,		K-XI-46, "", "ldr r3, [r11, #44]"
X ldrb,		K-XI-46, "", "ldrb r3, [r11, #45]"
X ldrsh,	K-XI-46, "", "ldrsh r3, [r11, #46]"
X ldrd,		K-XI-46, "", "ldrd r4, r5, [r11, #48]"
X ldr_index,	K-XI-46, "mov r4, #13", "ldr r3, [r11, r4, lsl #2]"
X ldr_pre,	K-XI-46, "add r12, r11, #44", "ldr r3, [r12, #8]!; sub r4, r12, r11"
X ldr_post,	K-XI-46, "add r12, r11, #44", "ldr r3, [r12], #16; sub r4, r12, r11"
X str,		K-XI-46, "", "str r5, [r11, #60]"
X strd,		K-XI-46, "", "strd r4, r5, [r11, #64]"
X strh,		K-XI-46, "", "strh r5, [r11, #70]"
X stmdb,	K-XI-46, "", "stmdb sp!, {r4-r7}; pop {r5-r8}"
X ldmia,	K-XI-46, "add r12, r11, #44", "ldmia r12, {r3-r6}"
X push,		K-XI-46, "", "push {r3, r5}; pop {r6, r7}"
T push_n,	K-XI-46, "", "push {r3, lr}; add sp, #8"
T mov_high,	K-XI-46, "", "mov r12, r3; mov r4, r12"
T add_high,	K-XI-46, "", "add r3, sp; mov r12, sp; sub r3, r3, r12"
X nop,		K-XI-46, "", "nop"
T nop_w,	K-XI-46, "", "nop.w"
X yield,	K-XI-46, "", "yield"
X dmb,		K-XI-46, "", "dmb ish"
X isb,		K-XI-46, "", "isb"
X pld,		K-XI-46, "", "pld [r11, #44]"
X mrs,		K-XI-46, "", "mrs r3, APSR; and r3, r3, #0xf8000000"
X msr,		K-XI-46, "", "msr APSR_nzcvq, r4"
X mrs_tls,	K-XI-46, "", "mrc p15, 0, r3, c13, c0, 3"
P svc,		K-XI-46, "mov r7, #20", "svc #0; mov r7, #0"
P vmov,		K-XI-40, "", "vmov d3, r4, r5; vstr d3, [r11, #60]"
P vldr,		K-XI-40, "", "vldr d3, [r11, #44]; vstr d3, [r11, #60]"
P vadd,		K-XI-40, "vldr d3, [r11, #44]", "vadd.i8 d3, d3, d3; vstr d3, [r11, #60]"
P vpush,	K-XI-40, "vldr d8, [r11, #44]", "vpush {d8}; pop {r3, r4}"
P vcmp,		K-XI-40, "vldr d3, [r11, #44]", "vcmp.f64 d3, #0; vmrs APSR_nzcv, fpscr"
A addeq,	K-XI-46, "", "addeq r3, r4, #5"
A ldrne,	K-XI-46, "", "ldrne r3, [r11, #44]"
A strcs,	K-XI-46, "", "strcs r3, [r11, #44]"
T it_add,	K-XI-46, "", "it ne; addne r3, #5"
T in_it,	K-XI-46, "it eq", "addeq r3, #5"
T in_it_w,	K-XI-46, "it lt", "addlt r3, r4, #0x1000"
T in_ite,	K-XI-46, "ite hi; addhi r3, #1", "addls r3, #5"
T in_itt,	K-XI-46, "itt mi", "movmi r3, r4; movmi r5, r6"
T in_it_ldr,	K-XI-46, "it cc", "ldrcc r3, [r11, #44]"

X adr,		K-XI-41, "", "adr r3, 7f; b 8f; .p2align 2; 7: .long 0; 8: nop"
X ldr_lit,	K-XI-41, "", "ldr r3, 7f; b 8f; .p2align 2; 7: .long 0x12345678; 8: nop"
X ldr_lit_w,	K-XI-41, "", "ldr r12, 7f; mov r3, r12; b 8f; .p2align 2; 7: .long 0x12345678; 8: nop"
X ldrb_lit,	K-XI-41, "", "ldrb r3, 7f; b 8f; .p2align 2; 7: .long 0x89abcdef; 8: nop"
X ldrsh_lit,	K-XI-41, "", "ldrsh r3, 7f; b 8f; .p2align 2; 7: .long 0x89abcdef; 8: nop"
X ldrd_lit,	K-XI-41, "", "ldrd r4, r5, 7f; b 8f; .p2align 3; 7: .long 0x89abcdef, 2; 8: nop"
P vldr_lit,	K-XI-41, "", "vldr d3, 7f; vstr d3, [r11, #60]; b 8f; .p2align 3; 7: .long 0x89abcdef, 2; 8: nop"
X pld_lit,	K-XI-41, "", "pld [pc, #8]"
A add_pc,	K-XI-41, "", "add r3, pc, #4"
A mov_pc,	K-XI-41, "", "mov r3, pc"
A ldr_pc_reg,	K-XI-41, "mov r4, #0", "ldr r3, [pc, r4]; b 8f; .long 0x12345678; 8: nop"
A str_pc,	K-XI-41, "", "str pc, [sp]"
T add_pc,	K-XI-41, "mov r3, #0", "add r3, pc"
T mov_pc,	K-XI-41, "", "mov r3, pc"

X b,		K-XI-22, "", "b 7f; add r3, r3, #1; 7: nop"
.irp cond, eq, ne, cs, cc, mi, pl, vs, vc, hi, ls, ge, lt, gt, le
X b\cond,	K-XI-23, "", "b\cond 7f; add r3, r3, #1; 7: nop"
.endr
T beq_w,	K-XI-23, "", "beq.w 7f; add r3, r3, #1; 7: nop"
T in_it_b,	K-XI-23, "it eq", "beq 7f; add r3, r3, #1; 7: nop"
T cbz,		K-XI-23, "and r4, r4, #1", "cbz r4, 7f; add r3, r3, #1; 7: nop"
T cbnz,		K-XI-23, "and r4, r4, #1", "cbnz r4, 7f; add r3, r3, #1; 7: nop"
X bl,		K-XI-20, "", "bl 7f; b 8f; 7: mov r3, lr; bx lr; 8: nop"
A blne,		K-XI-20, "", "blne 7f; b 8f; 7: mov r3, lr; bx lr; 8: nop"
A blx,		K-XI-20, "", "blx 7f; b 8f; .thumb; .p2align 2; 7: mov r3, lr; bx lr; .arm; .p2align 2; 8: nop"
T blx,		K-XI-20, "", "blx 7f; b 8f; .arm; .p2align 2; 7: mov r3, lr; bx lr; .thumb; 8: nop"
A bx,		K-XI-33, "adr r12, 7f", "bx r12; add r3, r3, #1; 7: nop"
A bx_thumb,	K-XI-33, "add r12, pc, #9", "bx r12; add r3, r3, #1; nop; .thumb; add r5, #3; bx pc; nop; .arm; nop"
T bx_arm,	K-XI-33, "nop; .p2align 2; adr r12, 7f", "bx r12; add r3, r3, #1; .p2align 2; .arm; 7: add r4, r4, #3; add r12, pc, #1; bx r12; .thumb; nop"
A blx_r,	K-XI-33, "adr r12, 7f", "blx r12; b 8f; 7: mov r3, lr; bx lr; 8: nop"
T blx_r,	K-XI-33, "nop; .p2align 2; adr r12, 7f; add r12, #1", "blx r12; b 8f; .p2align 2; 7: mov r3, lr; bx lr; 8: nop"
A blx_lr,	K-XI-33, "adr lr, 7f", "blx lr; b 8f; 7: mov r3, lr; bx lr; 8: nop"
A bx_lr,	K-XI-27, "adr lr, 7f", "bx lr; add r3, r3, #1; 7: nop"
T bx_lr,	K-XI-27, "nop; .p2align 2; adr r12, 7f; add lr, r12, #1", "bx lr; add r3, r3, #1; .p2align 2; 7: nop"
A mov_pc_lr,	K-XI-27, "adr lr, 7f", "mov pc, lr; add r3, r3, #1; 7: nop"
T mov_pc_r,	K-XI-27, "nop; .p2align 2; adr r12, 7f", "mov pc, r12; add r3, r3, #1; .p2align 2; 7: nop"
A pop_pc,	"K-XI-06 K-XI-27", "adr r12, 7f; push {r12}", "pop {pc}; add r3, r3, #1; 7: nop"
T pop_pc,	"K-XI-06 K-XI-27", "nop; .p2align 2; adr r12, 7f; add r12, #1; push {r12}", "pop {pc}; add r3, r3, #1; .p2align 2; 7: nop"
A ldm_pc,	"K-XI-06 K-XI-27", "adr r12, 7f; push {r4, r5, r12}", "pop {r3, r6, pc}; add r3, r3, #1; 7: nop"
A ldr_pc,	K-XI-06, "adr r12, 7f; str r12, [sp, #8]", "ldr pc, [sp, #8]; add r3, r3, #1; 7: nop"
A add_pc_r,	K-XI-33, "mov r4, #1", "add pc, pc, r4, lsl #2; nop; add r3, r3, #1; nop"
A ldrls_pc,	K-XI-06, "and r4, r4, #3; cmp r4, #1", "ldrls pc, [pc, r4, lsl #2]; b 8f; .long 7f, 8f; 7: add r3, r3, #1; 8: nop"
T tbb,		K-XI-33, "and r4, r4, #1", "tbb [pc, r4]; 6: .byte (7f - 6b) / 2, (8f - 6b) / 2; 7: add r3, r3, #1; 8: nop"
T tbh,		K-XI-33, "and r4, r4, #1", "tbh [pc, r4, lsl #1]; 6: .short (7f - 6b) / 2, (8f - 6b) / 2; 7: add r3, r3, #1; 8: nop"
	.data
	.long	0, 0, 0, 0

	.section .note.GNU-stack, "", %progbits
