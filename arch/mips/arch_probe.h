/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * arch_probe.h - per-probe data and constants of MIPS.
 *
 * Owns: struct kp_arch_probe, written once by kp_arch_prepare before publication and read
 * without locks on the trap path; what a guarded call keeps on its caller's stack; and the
 * few facts that every hit needs.
 */
#ifndef KP_MIPS_ARCH_PROBE_H
#define KP_MIPS_ARCH_PROBE_H

#include "env.h"
#include "regs.h"

/* break */
#define KP_ARCH_BP_LEN		4
static const uint8_t kp_arch_bp[KP_ARCH_BP_LEN] = {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	0, 0, 0, 0x0d
#else
	0x0d, 0, 0, 0
#endif
};
#define KP_ARCH_INSN_MAX	8	/* a branch, with its delay slot */
#define KP_ARCH_RETURNS		1
#define KP_ARCH_JPROBES		1

/* A return stub: retaddr.c. */
#define KP_ARCH_STUB_LEN	32
#define KP_ARCH_STUB_RETURN	8

/* Two forms (outofline.c), at 0 and at half; the last 8 bytes belong to the core. */
#define KP_ARCH_SLOT_LEN	128
#define KP_ARCH_FILL		0x04	/* REGIMM's 4, which is reserved */
#define KP_ARCH_PAGE		4096u

/* j stays within 256 MB; where that is not enough a second trap does it. */
#define KP_ARCH_REACH		((uintptr_t)0x7ff0000)
#define KP_ARCH_STAYS		((uintptr_t)1 << 28)

struct kp_arch_probe {
	uintptr_t addr;		/* of the probed instruction */
	uint8_t class;		/* enum kp_arch_class */
	uint8_t len;		/* of the probed instruction */
	uint8_t flags;		/* enum kp_arch_text_flags */
	uint8_t stepped;	/* where in its slot the stepped form is */
	uint32_t delayed;	/* the word in its delay slot, if it has one */
	struct kp_mips_insn insn;
};
_Static_assert(sizeof(struct kp_arch_probe) <= 64, "one cache line");

/* In a slot: the stepped form; kp_arch_probe.stepped, in a short one half of it. */
#define KP_MIPS_STEPPED (KP_ARCH_SLOT_LEN / 2)

/* What every hit asks, without a call: port/arch.h says what they promise. */
#define KP_ARCH_EACH_HIT static inline __attribute__((__always_inline__))
#include "one_breakpoint.h"

/* The trap reports the breakpoint's own address: none stands in a delay slot. */
KP_ARCH_EACH_HIT uintptr_t kp_arch_trap_addr(const struct pt_regs *regs)
{
	return regs->cp0_epc;
}

KP_ARCH_EACH_HIT void kp_arch_pass(struct pt_regs *regs,
				   int (*read)(void *dst, uintptr_t addr, size_t len))
{
	(void)read;
	regs->cp0_epc += KP_ARCH_BP_LEN;
}

KP_ARCH_EACH_HIT void kp_arch_set_pre_ip(struct pt_regs *regs, uintptr_t addr)
{
	regs->cp0_epc = addr;
}

KP_ARCH_EACH_HIT void kp_arch_step_begin(const struct kp_arch_probe *ap,
					 struct pt_regs *regs, uintptr_t slot,
					 bool post)
{
	regs->cp0_epc = post ? slot + ap->stepped : slot;
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
	unsigned long s[8], gp, fp;
	unsigned long aborted;
};

KP_ARCH_EACH_HIT bool
kp_arch_guard_aborted(const struct kp_arch_guard *guard)
{
	return guard->aborted;
}

KP_ARCH_EACH_HIT uintptr_t *kp_arch_return_word(const struct pt_regs *regs)
{
	return (uintptr_t *)&regs->regs[KP_MIPS_RA];
}

KP_ARCH_EACH_HIT uintptr_t kp_arch_stack_of(const struct pt_regs *regs)
{
	return regs->regs[KP_MIPS_SP];
}

#include "link_register.h"

/* A return leaves the address that it went to in the link register. */
KP_ARCH_EACH_HIT void kp_arch_return_to(struct pt_regs *regs, uintptr_t to)
{
	regs->cp0_epc = to;
	regs->regs[KP_MIPS_RA] = to;
}

/* Bytes of stack arguments that a jprobe's handler gets, at most. */
#define KP_ARCH_JPROBE_STACK	256

/* What a function finds at its entry; jprobe_asm.h has the offsets. */
struct kp_arch_jprobe {
	struct kp_arch_guard guard;	/* where the call is left to */
	unsigned long a[8];		/* arguments; on 32 bits four */
	const void *vectors;		/* f0 to f31, or NULL */
	uint8_t stack[KP_ARCH_JPROBE_STACK];
};

/* A hit's registers for floating point. */
struct kp_arch_vectors {
	const void *image;		/* f0 to f31, as a signal's frame has them */
	const uint32_t *fcsr;		/* their flags; or NULL */
	unsigned long keep;		/* enum kp_arch_keep */
};

#define KP_ARCH_WATCH_WORDS	2	/* none are watched */

/* Where an instruction writes: written.c. */
struct kp_arch_write {
	uint32_t likely;		/* the branch that may skip it; 0: none */
	int16_t disp;
	uint8_t len;			/* of all of it */
	uint8_t part;			/* enum kp_mips_part */
	uint8_t base, index;		/* registers' numbers; 0: nothing */
};

#define KP_NO_JUMP_REASON \
	"a jump is two words here, and who is at the second would execute its delay slot instead"
#include "no_jump.h"
#include "no_lean.h"

#endif
