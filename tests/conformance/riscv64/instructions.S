/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * instructions.S - one function per instruction.
 *
 * Owns: void x_NAME(struct x_state *s): loads a0 to a7, t3, t4 and the floating-point
 * flags from *s, executes SETUP, then INSN, whose first instruction is the probed one, and
 * stores registers and flags back.  x_table lists them.  s1 holds s; s2, t0 to t2, t5, t6
 * are free; x_word is for operands relative to the PC.
 */
#include "functions.h"

/* Floating point is off in a kernel. */
#ifdef MODULE
#define SET_FLAGS(reg)
#define GET_FLAGS(reg)	li reg, 0
#else
#define SET_FLAGS(reg)	fsflags reg
#define GET_FLAGS(reg)	frflags reg
#endif

#define STATE a0, a1, a2, a3, a4, a5, a6, a7, t3, t4

.macro X name, rule, setup, insn
	.text
	.p2align 4
	.type	x_\name, %function
x_\name:
	addi	sp, sp, -48
	sd	ra, 40(sp)
	sd	s0, 32(sp)
	sd	s1, 24(sp)
	sd	s2, 16(sp)
	mv	s1, a0
	ld	t0, 80(s1)
	SET_FLAGS(t0)
	.set	at, 0
	.irp	r, STATE
	ld	\r, at(s1)
	.set	at, at + 8
	.endr
	li	t0, 0
	li	t5, 0
	.option	push
	.option	norvc
	\setup
	.p2align 1
x_\name\()_at:
	\insn
	.option	pop
	.set	at, 0
	.irp	r, STATE
	sd	\r, at(s1)
	.set	at, at + 8
	.endr
	GET_FLAGS(t0)
	sd	t0, 80(s1)
	ld	ra, 40(sp)
	ld	s0, 32(sp)
	ld	s1, 24(sp)
	ld	s2, 16(sp)
	addi	sp, sp, 48
	ret
	.size	x_\name, . - x_\name
	.section .rodata, "a"
1:	.asciz	"\name"
2:	.asciz	"\rule"
	.data
	.quad	x_\name, x_\name\()_at, 1b, 2b
	.text
.endm

/* Compressed. */
.macro C name, rule, setup, insn
	X \name, \rule, "\setup", ".option rvc; \insn; .option norvc"
.endm

	.data
	.p2align 3
	.globl	x_word
x_word:	.quad	0x1122334455667788
	.p2align 3
	.globl	x_table
x_table:

/* 88(s1) to 215: memory. */
X mv,		K-XI-46, "", "mv a3, a4"
X lui,		K-XI-46, "", "lui a3, 0x12345"
X addi,		K-XI-46, "", "addi a3, a4, -5"
X addiw,	K-XI-46, "", "addiw a3, a4, 5"
X addi_sp,	K-XI-46, "", "addi a3, sp, 16; sub a3, a3, sp"
X slti,		K-XI-46, "", "slti a3, a4, 77"
X xori,		K-XI-46, "", "xori a3, a4, 0x555"
X slli,		K-XI-46, "", "slli a3, a4, 41"
X srai,		K-XI-46, "", "srai a3, a4, 7"
X srliw,	K-XI-46, "", "srliw a3, a4, 7"
X add,		K-XI-46, "", "add a3, a4, a5"
X sub,		K-XI-46, "", "sub a3, a4, a5"
X subw,		K-XI-46, "", "subw a3, a4, a5"
X sltu,		K-XI-46, "", "sltu a3, a4, a5"
X sll,		K-XI-46, "", "sll a3, a4, a5"
X sraw,		K-XI-46, "", "sraw a3, a4, a5"
X mul,		K-XI-46, "", "mul a3, a4, a5"
X mulhu,	K-XI-46, "", "mulhu a3, a4, a5"
X mulw,		K-XI-46, "", "mulw a3, a4, a5"
X div,		K-XI-46, "", "div a3, a4, a5"
X remu,		K-XI-46, "", "remu a3, a4, a5"
X ld,		K-XI-46, "", "ld a3, 88(s1)"
X lbu,		K-XI-46, "", "lbu a3, 89(s1)"
X lw,		K-XI-46, "", "lw a3, 92(s1)"
X sd,		K-XI-46, "", "sd a5, 104(s1)"
X sh,		K-XI-46, "", "sh a5, 106(s1)"
X sd_sp,	K-XI-46, "", "sd a5, 0(sp); ld a6, 0(sp)"
X fence,	K-XI-46, "", "fence rw, rw"
X fence_i,	K-XI-46, "", "fence.i"
X nop,		K-XI-46, "", "nop"
#ifndef MODULE
X frflags,	K-XI-46, "", "frflags a3"
X fsflags,	K-XI-46, "andi a4, a4, 31", "fsflags a3, a4"
X csrrci,	K-XI-46, "", "csrrci a3, fflags, 4"
#endif
X amoadd,	K-XI-47, "addi t5, s1, 88", "amoadd.d a3, a4, (t5)"
X amoswap,	K-XI-47, "addi t5, s1, 96", "amoswap.w.aqrl a3, a4, (t5)"
X amomaxu,	K-XI-47, "addi t5, s1, 88", "amomaxu.d zero, a4, (t5)"
X lr,		K-XI-47, "addi t5, s1, 88", "lr.d a3, (t5)"
X ecall,	K-XI-46, "li a7, 172", "ecall"
#ifndef MODULE
X fmv,		K-XI-40, "", "fmv.d.x fa3, a4; fsd fa3, 120(s1)"
X fadd,		K-XI-40, "fld fa3, 88(s1); fld fa4, 96(s1)", "fadd.d fa3, fa3, fa4; fsd fa3, 120(s1)"
X fcvt,		K-XI-40, "", "fcvt.d.l fa3, a4; fsd fa3, 120(s1)"
X fld,		K-XI-40, "", "fld fa5, 88(s1); fsd fa5, 120(s1)"
X fsw,		K-XI-40, "fmv.w.x fa5, a4", "fsw fa5, 124(s1)"
C c_fld,	K-XI-40, "", "c.fld fa5, 88(s1); fsd fa5, 120(s1)"
#endif

C c_nop,	K-XI-46, "", "c.nop"
C c_addi,	K-XI-46, "", "c.addi a3, -7"
C c_addiw,	K-XI-46, "", "c.addiw a3, 7"
C c_li,		K-XI-46, "", "c.li t4, -3"
C c_lui,	K-XI-46, "", "c.lui a3, 5"
C c_addi16sp,	K-XI-46, "", "c.addi16sp sp, -32; addi sp, sp, 32"
C c_addi4spn,	K-XI-46, "", "c.addi4spn a3, sp, 16; sub a3, a3, sp"
C c_slli,	K-XI-46, "", "c.slli a3, 33"
C c_srai,	K-XI-46, "", "c.srai a3, 5"
C c_andi,	K-XI-46, "", "c.andi a3, -9"
C c_mv,		K-XI-46, "", "c.mv a3, t4"
C c_add,	K-XI-46, "", "c.add a3, a4"
C c_sub,	K-XI-46, "", "c.sub a3, a4"
C c_xor,	K-XI-46, "", "c.xor a3, a4"
C c_addw,	K-XI-46, "", "c.addw a3, a4"
C c_ld,		K-XI-46, "", "c.ld a3, 88(s1)"
C c_lw,		K-XI-46, "", "c.lw a3, 92(s1)"
C c_sd,		K-XI-46, "", "c.sd a5, 104(s1)"
C c_sw,		K-XI-46, "", "c.sw a5, 108(s1)"
C c_sdsp,	K-XI-46, "", "c.sdsp a5, 0(sp); ld a6, 0(sp)"
C c_ldsp,	K-XI-46, "sd a4, 8(sp)", "c.ldsp a3, 8(sp)"

X auipc,	K-XI-41, "", "auipc a3, 0x12"
X auipc_data,	K-XI-41, "", "lla a3, x_word; ld a3, 0(a3)"

X j,		K-XI-22, "", "j 7f; addi a3, a3, 1; 7:"
C c_j,		K-XI-21, "", "c.j 7f; addi a3, a3, 1; 7:"
X beq,		K-XI-23, "", "beq a3, a4, 7f; addi a3, a3, 1; 7:"
X bne,		K-XI-23, "", "bne a3, a4, 7f; addi a3, a3, 1; 7:"
X blt,		K-XI-23, "", "blt a3, a4, 7f; addi a3, a3, 1; 7:"
X bge,		K-XI-23, "", "bge a3, a4, 7f; addi a3, a3, 1; 7:"
X bltu,		K-XI-23, "", "bltu a3, a4, 7f; addi a3, a3, 1; 7:"
X bgeu,		K-XI-23, "", "bgeu a3, zero, 7f; addi a3, a3, 1; 7:"
C c_beqz,	K-XI-23, "andi a4, a4, 1", "c.beqz a4, 7f; addi a3, a3, 1; 7:"
C c_bnez,	K-XI-23, "andi a4, a4, 1", "c.bnez a4, 7f; addi a3, a3, 1; 7:"
X jal,		K-XI-20, "", "jal ra, 7f; 6: j 8f; 7: lla a3, 6b; sub a3, a3, ra; ret; 8:"
X jal_t0,	K-XI-20, "", "jal t0, 7f; 6: j 8f; 7: lla a3, 6b; sub a3, a3, t0; jr t0; 8:"
X jr,		K-XI-33, "lla t1, 7f", "jr t1; addi a3, a3, 1; 7:"
X jr_offset,	K-XI-33, "lla t1, 7f - 12", "jr 12(t1); addi a3, a3, 1; 7:"
X jalr,		K-XI-33, "lla t1, 7f", "jalr t1; 6: j 8f; 7: lla a3, 6b; sub a3, a3, ra; ret; 8:"
X jalr_ra,	K-XI-33, "lla ra, 7f", "jalr ra; 6: j 8f; 7: lla a3, 6b; sub a3, a3, ra; ret; 8:"
C c_jr,		K-XI-33, "lla t1, 7f", "c.jr t1; addi a3, a3, 1; 7:"
C c_jalr,	K-XI-33, "lla t1, 7f", "c.jalr t1; 6: c.j 8f; 7: lla a3, 6b; sub a3, a3, ra; ret; 8:"
X ret,		K-XI-27, "lla ra, 7f", "ret; addi a3, a3, 1; 7:"
C c_ret,	K-XI-27, "lla ra, 7f", "c.jr ra; addi a3, a3, 1; 7:"
	.data
	.quad	0, 0, 0, 0

	.section .note.GNU-stack, "", %progbits
