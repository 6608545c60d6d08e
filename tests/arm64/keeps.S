/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * keeps.S - registers before and after calls that keep them.
 *
 * Owns: filling them with numbers, spoiling them, and the look at them afterwards: what
 * no compiler may have a hand in.  calls.c has the prototypes.
 */
	.arch	armv8.2-a+sve
	.text

#define FPCR_GIVEN	0x1000000	/* flush to zero */
#define FPCR_SPOILT	0x400000	/* round up */
#define FPSR_GIVEN	0x1f
#define FRAME		80
#define SMSTART_SM	.inst 0xd503437f
#define SMSTOP_SM	.inst 0xd503427f

#define EACH 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
#define EACH_PREDICATE 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15

.macro	spoil_vector n
	movi	v\n\().16b, #0xee
.endm
.macro	spoil_predicate n
	pfalse	p\n\().b
.endm

	.globl spoil
spoil:
	.irp	n, EACH
	spoil_vector \n
	.endr
	mrs	x9, fpcr
	str	x9, [x0]
	mov	x9, #FPCR_SPOILT
	msr	fpcr, x9
	msr	fpsr, xzr
	ret

	.globl spoil_long
spoil_long:
	.irp	n, EACH_PREDICATE
	spoil_predicate \n
	.endr
	wrffr	p0.b
	b	spoil

.macro	begin
	stp	x29, x30, [sp, #-FRAME]!
	mov	x29, sp
	stp	d8, d9, [sp, #16]
	stp	d10, d11, [sp, #32]
	stp	d12, d13, [sp, #48]
	stp	d14, d15, [sp, #64]
.endm
.macro	finish
	msr	fpcr, xzr
	ldp	d8, d9, [sp, #16]
	ldp	d10, d11, [sp, #32]
	ldp	d12, d13, [sp, #48]
	ldp	d14, d15, [sp, #64]
	ldp	x29, x30, [sp], #FRAME
	ret
.endm

/* x0 stays 1 as long as all is as it was. */
.macro	fill_vector n
	movi	v\n\().16b, #(\n + 1)
.endm
.macro	check_vector n
	mov	x9, v\n\().d[0]
	mov	x10, v\n\().d[1]
	ldr	x11, =0x0101010101010101 * (\n + 1)
	cmp	x9, x11
	ccmp	x10, x11, #0, eq
	csel	x0, x0, xzr, eq
.endm

	.globl keeps
keeps:
	begin
	.irp	n, EACH
	fill_vector \n
	.endr
	mov	x9, #FPCR_GIVEN
	msr	fpcr, x9
	mov	x9, #FPSR_GIVEN
	msr	fpsr, x9
	bl	kp_arch_keeping
	mov	x0, #1
	.irp	n, EACH
	check_vector \n
	.endr
	mrs	x9, fpcr
	mrs	x10, fpsr
	mov	x11, #FPCR_GIVEN
	cmp	x9, x11
	mov	x11, #FPSR_GIVEN
	ccmp	x10, x11, #0, eq
	csel	x0, x0, xzr, eq
	finish
	.ltorg

/* Each byte of z; all of an even predicate's bits, every other one of an odd one's. */
.macro	fill_z	n
	dup	z\n\().b, #(\n - 16)
.endm
.macro	fill_p	n
	.if	\n & 1
	ptrue	p\n\().h
	.else
	ptrue	p\n\().b
	.endif
.endm
.macro	fill_long
	.irp	n, EACH
	fill_z	\n
	.endr
	.irp	n, EACH_PREDICATE
	fill_p	\n
	.endr
.endm
.macro	check_p	n
	cntp	x9, p\n, p\n\().b
	cntb	x10
	.if	\n & 1
	lsr	x10, x10, #1
	.endif
	cmp	x9, x10
	csel	x0, x0, xzr, eq
.endm
.macro	check_z n
	cmpeq	p1.b, p0/z, z\n\().b, #(\n - 16)
	cntp	x9, p0, p1.b
	cntb	x10
	cmp	x9, x10
	csel	x0, x0, xzr, eq
.endm
.macro	check_long
	mov	x0, #1
	.irp	n, EACH_PREDICATE
	check_p	\n
	.endr
	ptrue	p0.b
	.irp	n, EACH
	check_z	\n
	.endr
.endm

	.globl keeps_long
keeps_long:
	begin
	fill_long
	wrffr	p1.b
	bl	kp_arch_keeping
	mov	x12, #1
	rdffr	p4.b
	cntp	x9, p4, p4.b
	cnth	x10
	cmp	x9, x10
	csel	x12, x12, xzr, eq
	ptrue	p4.b
	check_long
	and	x0, x0, x12
	finish

	.globl keeps_streaming
keeps_streaming:
	begin
	SMSTART_SM
	fill_long
	bl	kp_arch_keeping
	mrs	x12, S3_3_C4_C2_2
	check_long
	and	x0, x0, x12
	SMSTOP_SM
	finish

/*
 * bool guard_keeps(guard x0, fn x1): a guarded call of fn, which is abandoned: are the
 * registers that a function keeps what they were?
 */
#define SAVED 19,20,21,22,23,24,25,26,27,28
.macro	save_saved
	stp	x29, x30, [sp, #-112]!
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	stp	x23, x24, [sp, #48]
	stp	x25, x26, [sp, #64]
	stp	x27, x28, [sp, #80]
.endm
.macro	restore_saved
	ldp	x19, x20, [sp, #16]
	ldp	x21, x22, [sp, #32]
	ldp	x23, x24, [sp, #48]
	ldp	x25, x26, [sp, #64]
	ldp	x27, x28, [sp, #80]
	ldp	x29, x30, [sp], #112
.endm
.macro	fill_saved n
	mov	x\n, #(0x100 + \n)
.endm
.macro	check_saved n
	cmp	x\n, #(0x100 + \n)
	csel	x0, x0, xzr, eq
.endm

	.globl guard_keeps
guard_keeps:
	save_saved
	mov	x9, sp
	str	x9, [sp, #96]
	.irp	n, SAVED
	fill_saved \n
	.endr
	mov	x29, #0x29
	bl	kp_arch_guard_call
	mov	x0, #1
	.irp	n, SAVED
	check_saved \n
	.endr
	cmp	x29, #0x29
	csel	x0, x0, xzr, eq
	mov	x9, sp
	ldr	x10, [sp, #96]
	cmp	x9, x10
	csel	x0, x0, xzr, eq
	restore_saved
	ret

	.section .note.GNU-stack, "", %progbits
