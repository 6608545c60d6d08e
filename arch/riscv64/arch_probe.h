/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * arch_probe.h - per-probe data and constants of riscv64.
 *
 * Owns: struct kp_arch_probe, written once by kp_arch_prepare before publication and read
 * without locks on the trap path; what a guarded call keeps on its caller's stack; and the
 * few facts that every hit needs.
 */
#ifndef KP_RISCV64_ARCH_PROBE_H
#define KP_RISCV64_ARCH_PROBE_H

#include "env.h"
#include "insn/insn.h"

/* c.ebreak, in the first half of an instruction of four bytes, too. */
#define KP_ARCH_BP_LEN		2
static const uint8_t kp_arch_bp[KP_ARCH_BP_LEN] = { 0x02, 0x90 };
#define KP_ARCH_INSN_MAX	4	/* longer ones are not known */
#define KP_ARCH_JUMPS		1
#define KP_ARCH_RETURNS		1
#define KP_ARCH_JPROBES		1

/* A return stub: retaddr.c. */
#define KP_ARCH_STUB_LEN	16
#define KP_ARCH_STUB_RETURN	4

/* Two forms (outofline.c), at 0 and at half; the last 8 bytes belong to the core. */
#define KP_ARCH_SLOT_LEN	128
#define KP_ARCH_FILL		0	/* c.unimp */
#define KP_ARCH_PAGE		4096u

/* jal reaches 1 MB; this from anywhere in a piece of memory. */
#define KP_ARCH_REACH		((uintptr_t)0xff000)

#define KP_ARCH_JUMP_MAX	4	/* jal */
#define KP_ARCH_JUMP_MIN	4
#define KP_ARCH_HEAD_LEN	32	/* detour.c */
#define KP_ARCH_HUB_LEN		32
#define KP_ARCH_INNER_BP	0	/* c.unimp */
#define KP_ARCH_INNER_LEN	2
#define KP_ARCH_LANDING_TRAP	2	/* an illegal instruction */

struct kp_arch_probe {
	uintptr_t addr;		/* of the probed instruction */
	uint8_t class;		/* enum kp_arch_class */
	uint8_t len;		/* of the probed instruction */
	uint8_t form;		/* enum kp_rv_form of probe.h */
	uint8_t flags;		/* enum kp_arch_text_flags */
	uint8_t stepped;	/* where in its slot the stepped form is */
	struct kp_rv_insn insn;
};
_Static_assert(sizeof(struct kp_arch_probe) <= 64, "one cache line");

/* In a slot: the stepped form; kp_arch_probe.stepped, in a short one half of it. */
#define KP_RV_STEPPED (KP_ARCH_SLOT_LEN / 2)
/* In front of the copy in the stepped form stands what leaves a frame. */
#define KP_RV_STEP_OFF 4

/* What every hit asks, without a call: port/arch.h says what they promise. */
#define KP_ARCH_EACH_HIT static inline __attribute__((__always_inline__))
#include "one_breakpoint.h"

/* The trap reports the breakpoint's own address. */
KP_ARCH_EACH_HIT uintptr_t kp_arch_trap_addr(const struct pt_regs *regs)
{
	return regs->epc;
}

/* Over an ebreak, or a c.ebreak. */
KP_ARCH_EACH_HIT void kp_arch_pass(struct pt_regs *regs,
				   int (*read)(void *dst, uintptr_t addr, size_t len))
{
	uint8_t first = 0;

	regs->epc += !read(&first, regs->epc, 1) && (first & 3) == 3 ? 4 : 2;
}

KP_ARCH_EACH_HIT void kp_arch_set_pre_ip(struct pt_regs *regs, uintptr_t addr)
{
	regs->epc = addr;
}

KP_ARCH_EACH_HIT void kp_arch_step_begin(const struct kp_arch_probe *ap,
					 struct pt_regs *regs, uintptr_t slot,
					 bool post)
{
	regs->epc = post ? slot + ap->stepped + KP_RV_STEP_OFF : slot;
}

/* jal x0, to: the word, where it reaches. */
static inline uint32_t kp_rv_jump(uintptr_t from, uintptr_t to)
{
	uint32_t off = (uint32_t)(to - from);

	return 0x0000006fu | (off >> 20 & 1) << 31 | (off >> 1 & 0x3ff) << 21 |
	       (off >> 11 & 1) << 20 | (off >> 12 & 0xff) << 12;
}

/* The compiler has instructions for it, and calls nothing. */
KP_ARCH_EACH_HIT bool kp_arch_swap_alone(unsigned int *word, unsigned int old,
					 unsigned int new)
{
	return __atomic_compare_exchange_n(word, &old, new, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Callee-saved state of kp_arch_guard_call; guard_asm.h has the offsets. */
struct kp_arch_guard {
	unsigned long sp, ip;
	unsigned long s[12];
	unsigned long aborted;
};

KP_ARCH_EACH_HIT bool
kp_arch_guard_aborted(const struct kp_arch_guard *guard)
{
	return guard->aborted;
}

KP_ARCH_EACH_HIT uintptr_t *kp_arch_return_word(const struct pt_regs *regs)
{
	return (uintptr_t *)&regs->ra;
}

KP_ARCH_EACH_HIT uintptr_t kp_arch_stack_of(const struct pt_regs *regs)
{
	return regs->sp;
}

#include "link_register.h"

/* A return leaves the address that it went to in the link register. */
KP_ARCH_EACH_HIT void kp_arch_return_to(struct pt_regs *regs, uintptr_t to)
{
	regs->epc = to;
	regs->ra = to;
}

/* Bytes of stack arguments that a jprobe's handler gets, at most. */
#define KP_ARCH_JPROBE_STACK	256

/* What a function finds at its entry; jprobe_asm.h has the offsets. */
struct kp_arch_jprobe {
	struct kp_arch_guard guard;	/* where the call is left to */
	unsigned long a[8];		/* arguments */
	const void *vectors;		/* f0 to f31, or NULL */
	uint8_t stack[KP_ARCH_JPROBE_STACK];
};

/* A hit's registers for floating point. */
struct kp_arch_vectors {
	const void *image;		/* f0 to f31, as a signal's frame has them */
	unsigned long keep;		/* enum kp_arch_keep */
};

#define KP_ARCH_WATCH_WORDS	2	/* none are watched */

/* Where an instruction writes: written.c. */
struct kp_arch_write {
	int16_t disp;
	uint16_t len;
	uint8_t base;			/* a register's number */
};

#include "no_lean.h"

#endif
