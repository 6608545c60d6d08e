/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * probe.h - how the files of arch/riscv64 read a struct kp_arch_probe.
 *
 * Owns: the forms, and what classify.c promises to outofline.c about each of them; what is
 * needed to write RISC-V words.
 */
#ifndef KP_RISCV64_PROBE_H
#define KP_RISCV64_PROBE_H

#include "arch.h"
#include "regs.h"

/* What does the instruction's work elsewhere; "next" follows unless said otherwise. */
enum kp_rv_form {
	KP_RV_DO_COPY,		/* the instruction */
	/* These are emulated; the form serves bodies of jumps. */
	KP_RV_DO_NOTHING,		/* c.nop */
	KP_RV_DO_ADDRESS,		/* rd = operand */
	KP_RV_DO_JUMP,		/* jal x0, operand */
	KP_RV_DO_CALL,		/* rd = next; jal x0, operand */
	KP_RV_DO_CONDITION,	/* the condition, with an offset of 8; j next; jal x0, operand */
	KP_RV_DO_AWAY,		/* jalr x0, offset(rs1) */
	KP_RV_DO_CALL_REG,		/* rd = next; jalr x0, offset(rs1) */
	KP_RV_DO_NO_BODY,		/* nothing that does it elsewhere is known */
};

static inline uintptr_t kp_rv_next(const struct kp_arch_probe *ap)
{
	return ap->addr + ap->len;
}

/* Does a jal at from reach to? */
static inline bool kp_rv_reaches(uintptr_t from, uintptr_t to)
{
	return to - from + (1u << 20) < 1u << 21;
}

#define KP_RV_JAL_LEN		4

/* auipc reg, with what is left for the 12 bits with a sign of the instruction behind it. */
static inline uint32_t kp_rv_auipc(unsigned int reg, uint32_t off)
{
	return 0x00000017u | reg << 7 | ((off + 0x800) & 0xfffff000);
}

/*
 * The frame of a hit through a jump, or of a step's end, which frame_asm.h draws.
 *   c.addi16sp sp, -FRAME; c.sdsp ra, 8(sp)
 *   c.ldsp ra, 8(sp); c.addi16sp sp, FRAME
 */
#define KP_RV_FRAME		320
#define KP_RV_PUSH_FRAME	0xe4067129u
#define KP_RV_POP_FRAME		0x613160a2u
#define KP_RV_FRAME_CODE_LEN	4
#define KP_RV_FRAME_RA		8

/* Leave a frame at regs' stack pointer, and have the link register from it. */
void kp_rv_drop_frame(struct pt_regs *regs, const struct kp_arch_mem *mem);

/* Does the instruction's work get from body to wherever it goes? */
bool kp_rv_body_reaches(const struct kp_arch_probe *ap, uintptr_t body);

#endif
