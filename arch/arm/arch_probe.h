/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * arch_probe.h - per-probe data and constants of arm.
 *
 * Owns: struct kp_arch_probe, written once by kp_arch_prepare before publication and read
 * without locks on the trap path; the breakpoints of both sets; and the few facts that every
 * hit needs.  Addresses are without bit 0; which set stands there says kp_arch_probe.insn.
 */
#ifndef KP_ARM_ARCH_PROBE_H
#define KP_ARM_ARCH_PROBE_H

#include "env.h"
#include "emulate.h"
#include "refuse.h"

/* A32's; T32's have 2 bytes: refuse.h. */
#define KP_ARCH_BP_LEN		4
static const uint8_t kp_arch_bp[KP_ARCH_BP_LEN] = { 0xf0, 0x01, 0xf0, 0xe7 };
#define KP_ARCH_INSN_MAX	4
#define KP_ARCH_SLOT_LEN	128	/* outofline.c; the last 8 bytes belong to the core */
#define KP_ARCH_FILL		0xff	/* no instruction of either set */
#define KP_ARCH_PAGE		4096u
/* Slots go back, and heads on, by a word of memory, which has any address. */
#define KP_ARCH_REACH		(~(uintptr_t)0)

struct kp_arch_probe {
	uintptr_t addr;		/* of the probed instruction */
	uint8_t class;		/* enum kp_arch_class */
	uint8_t len;		/* of the probed instruction */
	uint8_t flags;		/* enum kp_arch_text_flags */
	uint8_t stepped;	/* where in its slot the stepped form is */
	bool block;		/* of T32, and may be in an IT block */
	struct kp_arm_insn insn;
};
_Static_assert(sizeof(struct kp_arch_probe) <= 64, "one cache line");

/* In a slot: the form in an IT block; and the stepped form, in a short slot at half of it. */
#define KP_ARM_BLOCK	16
#define KP_ARM_STEPPED	(KP_ARCH_SLOT_LEN / 2)

/* What every hit asks, without a call: port/arch.h says what they promise. */
#define KP_ARCH_EACH_HIT static inline __attribute__((__always_inline__))

KP_ARCH_EACH_HIT const uint8_t *kp_arch_bp_of(const struct kp_arch_probe *ap)
{
	static const uint8_t t32[] = { KP_ARM_T32_BP & 0xff, KP_ARM_T32_BP >> 8 };
	static const uint8_t block[] = { KP_ARM_BLOCK_BP & 0xff, KP_ARM_BLOCK_BP >> 8 };

	if (!ap->insn.thumb)
		return kp_arch_bp;
	return ap->block ? block : t32;
}

KP_ARCH_EACH_HIT unsigned int kp_arch_bp_len_of(const struct kp_arch_probe *ap)
{
	return ap->insn.thumb ? 2 : KP_ARCH_BP_LEN;
}

KP_ARCH_EACH_HIT bool kp_arch_bp_begins(uint8_t byte)
{
	return byte == kp_arch_bp[0] || byte == (KP_ARM_T32_BP & 0xff) ||
	       byte == (KP_ARM_BLOCK_BP & 0xff);
}

/* Bit 0 says Thumb. */
KP_ARCH_EACH_HIT uintptr_t kp_arch_code_at(uintptr_t pointer)
{
	return pointer & ~(uintptr_t)1;
}

KP_ARCH_EACH_HIT uintptr_t kp_arch_pointer_to(const struct kp_arch_probe *ap, uintptr_t addr)
{
	return addr | ap->insn.thumb;
}

/* The trap reports the breakpoint's own address. */
KP_ARCH_EACH_HIT uintptr_t kp_arch_trap_addr(const struct pt_regs *regs)
{
	return regs->ARM_pc;
}

/* Behind a breakpoint: of T32 2 bytes, or 4. */
KP_ARCH_EACH_HIT void kp_arch_pass(struct pt_regs *regs,
				   int (*read)(void *dst, uintptr_t addr, size_t len))
{
	uint16_t half = 0;

	if (regs->ARM_cpsr & KP_ARM_CPSR_T)
		regs->ARM_pc += !read(&half, regs->ARM_pc, sizeof(half)) && kp_arm_is_wide(half) ? 4 : 2;
	else
		regs->ARM_pc += 4;
}

/* Does the PC, set by a handler of a hit at from, say by its bit 0 of which set it is? */
KP_ARCH_EACH_HIT bool kp_arm_names_set(const struct pt_regs *regs, uintptr_t from)
{
	return regs->ARM_pc & 1 || (regs->ARM_pc == regs->ARM_lr && regs->ARM_pc - from > 4);
}

KP_ARCH_EACH_HIT void kp_arch_set_pre_ip(struct pt_regs *regs, uintptr_t addr)
{
	regs->ARM_pc = addr;
}

/* In an IT block nothing may follow the copy but a breakpoint. */
KP_ARCH_EACH_HIT void kp_arch_step_begin(const struct kp_arch_probe *ap,
					 struct pt_regs *regs, uintptr_t slot,
					 bool post)
{
	if (post)
		slot += ap->stepped;
	else if (ap->insn.thumb && regs->ARM_cpsr & KP_ARM_CPSR_IT)
		slot += KP_ARM_BLOCK;
	regs->ARM_pc = slot;
}

/* The compiler has instructions for it, and calls nothing. */
KP_ARCH_EACH_HIT bool kp_arch_swap_alone(unsigned int *word, unsigned int old,
					 unsigned int new)
{
	return __atomic_compare_exchange_n(word, &old, new, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Callee-saved state of kp_arch_guard_call. */
struct kp_arch_guard {
	unsigned long sp, ip;
	unsigned long r4[8];		/* r4 to r11 */
	unsigned long aborted;
};

KP_ARCH_EACH_HIT bool
kp_arch_guard_aborted(const struct kp_arch_guard *guard)
{
	return guard->aborted;
}

/* ---- jumps: detour.c ---------------------------------------------------------------------- */

#define KP_ARCH_JUMPS		1
#define KP_ARCH_JUMP_MAX	4
#define KP_ARCH_JUMP_MIN	4
#define KP_ARCH_HEAD_LEN	32
#define KP_ARCH_HUB_LEN		32
#define KP_ARCH_INNER_REACH	(1ul << 22)
#define KP_ARCH_INNER_BP	0xbe	/* bkpt #0xbe */
#define KP_ARCH_INNER_LEN	2
#define KP_ARCH_LANDING_TRAP	(-1)	/* all are breakpoints */

/* ---- returns -------------------------------------------------------------------------- */

#define KP_ARCH_RETURNS		1

/* A return stub: retaddr.c.  Its bl reaches 32 MB. */
#define KP_ARCH_STUB_LEN	4
#define KP_ARCH_STUB_RETURN	0
#define KP_ARCH_STUB_REACH	((32ul << 20) - 8)

/* With bit 0, where it leads to T32. */
KP_ARCH_EACH_HIT uintptr_t *kp_arch_return_word(const struct pt_regs *regs)
{
	return (uintptr_t *)&regs->ARM_lr;
}

KP_ARCH_EACH_HIT uintptr_t kp_arch_stack_of(const struct pt_regs *regs)
{
	return regs->ARM_sp;
}

#include "link_register.h"

/* Most returns leave anything in the link register: then there. */
KP_ARCH_EACH_HIT void kp_arch_return_to(struct pt_regs *regs, uintptr_t to)
{
	regs->ARM_pc = to & ~(uintptr_t)1;
	regs->ARM_lr = to;
	regs->ARM_cpsr = to & 1 ? regs->ARM_cpsr | KP_ARM_CPSR_T :
				  regs->ARM_cpsr & ~(unsigned long)KP_ARM_CPSR_T;
}

/* ---- jprobes, vector registers ---------------------------------------------------------- */

#define KP_ARCH_JPROBES		1

/* Bytes of stack arguments that a jprobe's handler gets, at most. */
#define KP_ARCH_JPROBE_STACK	256

/* What a function finds at its entry; jprobe_asm.h has the offsets. */
struct kp_arch_jprobe {
	struct kp_arch_guard guard;	/* where the call is left to */
	unsigned long r[4];		/* arguments */
	const void *vectors;		/* d0 to d7, or NULL */
	uint8_t stack[KP_ARCH_JPROBE_STACK];
};

/* A hit's registers for floating point. */
struct kp_arch_vectors {
	const void *image;		/* d0 and on, as a signal's frame has them */
	unsigned long keep;		/* enum kp_arch_keep */
};

/* ---- watching memory --------------------------------------------------------------------- */

#define KP_ARCH_WATCH_WORDS	2	/* none are watched */

/* An instruction that writes, and its address: written.c. */
struct kp_arch_write {
	uintptr_t addr;
	struct kp_arm_insn insn;
};

#include "no_lean.h"

#endif
