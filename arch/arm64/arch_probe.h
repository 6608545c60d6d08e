/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * arch_probe.h - per-probe data and constants of arm64.
 *
 * Owns: struct kp_arch_probe, written once by kp_arch_prepare before publication and
 * read without locks on the trap path; what a guarded call or a jprobe's keeps on its
 * caller's stack; and the few facts that every hit needs.
 */
#ifndef KP_ARM64_ARCH_PROBE_H
#define KP_ARM64_ARCH_PROBE_H

#include "env.h"
#include "insn/insn.h"

#define KP_ARCH_JUMPS		1
#define KP_ARCH_RETURNS		1
#define KP_ARCH_JPROBES		1

#define KP_ARCH_BP_LEN		4
#define KP_ARCH_INSN_MAX	4
/*
 * Two forms (outofline.c), at 0 and at half; the last 8 bytes belong to the core.
 */
#define KP_ARCH_SLOT_LEN	128
#define KP_ARCH_FILL		0	/* udf #0 */
#define KP_ARCH_PAGE		4096u	/* the least; heads and slots go by it */

/* b reaches 128 MB; this from anywhere in a piece of memory. */
#define KP_ARCH_REACH		((uintptr_t)0x7ff0000)

/* A return stub: retaddr.c. */
#define KP_ARCH_STUB_LEN	16
#define KP_ARCH_STUB_RETURN	4

#define KP_ARCH_JUMP_MAX	4	/* b */
#define KP_ARCH_JUMP_MIN	4
#define KP_ARCH_HEAD_LEN	32	/* detour.c */
#define KP_ARCH_HUB_LEN		24
/* No instruction begins inside a jump. */
#define KP_ARCH_INNER_BP	0
#define KP_ARCH_INNER_LEN	1
#define KP_ARCH_LANDING_TRAP	(-1)

#define KP_ARCH_WATCH_WORDS	4	/* the fewest that Linux counts on */

/*
 * brk #0x6b70.  Others have taken: 0 and 1 debuggers, 4 to 7 Linux' own probes, 0x100
 * its faults, 0x3e8 compilers' traps, 0x400 and 0x401 kgdb, 0x800 BUG, 0x900 KASAN,
 * 0x5500 UBSan, 0x8000 CFI, 0xc470 pointer authentication, 0xf000 Windows.
 */
#define KP_A64_BP		0xd42d6e00u
static const uint8_t kp_arch_bp[KP_ARCH_BP_LEN] = { 0x00, 0x6e, 0x2d, 0xd4 };

struct kp_arch_probe {
	uintptr_t addr;		/* of the probed instruction */
	uint8_t class;		/* enum kp_arch_class */
	uint8_t len;		/* of the probed instruction */
	uint8_t form;		/* enum kp_a64_form of probe.h */
	uint8_t flags;		/* enum kp_arch_text_flags */
	uint8_t stepped;	/* where in its slot the stepped form is */
	uint8_t reg;		/* holds value before word is executed */
	uint32_t word;		/* what is executed in the slot */
	uint64_t value;		/* an operand relative to the PC, or what reg is to hold */
	struct kp_a64_insn insn;
};
_Static_assert(sizeof(struct kp_arch_probe) <= 64, "one cache line");

/* Where an instruction writes: written.c. */
struct kp_arch_write {
	int64_t disp;
	uint16_t len;
	uint8_t base, index;	/* numbers of registers; 31: sp, zero; or 0xff: none */
	uint8_t extend, shift;	/* of the index */
};

/* What every hit asks, without a call: port/arch.h says what they promise. */
#define KP_ARCH_EACH_HIT static inline __attribute__((__always_inline__))
#include "one_breakpoint.h"

/* In a slot: the stepped form; kp_arch_probe.stepped, in a short one half of it. */
#define KP_A64_STEPPED (KP_ARCH_SLOT_LEN / 2)
/* In front of the copy in the stepped form stands one instruction more. */
#define KP_A64_STEP_OFF 4

/* PSTATE.BTYPE: how the PC came here. */
#define KP_A64_BTYPE_MASK (3ull << 10)

/* The trap reports the breakpoint's own address. */
KP_ARCH_EACH_HIT uintptr_t kp_arch_trap_addr(const struct pt_regs *regs)
{
	return regs->pc;
}

KP_ARCH_EACH_HIT void kp_arch_pass(struct pt_regs *regs,
				   int (*read)(void *dst, uintptr_t addr, size_t len))
{
	(void)read;
	regs->pc += KP_ARCH_BP_LEN;
}

/* The breakpoint was executed: whoever goes on elsewhere did not branch there. */
KP_ARCH_EACH_HIT void kp_arch_set_pre_ip(struct pt_regs *regs, uintptr_t addr)
{
	regs->pc = addr;
	regs->pstate &= ~KP_A64_BTYPE_MASK;
}

KP_ARCH_EACH_HIT void kp_arch_step_begin(const struct kp_arch_probe *ap,
					 struct pt_regs *regs, uintptr_t slot,
					 bool post)
{
	regs->pc = post ? slot + ap->stepped + KP_A64_STEP_OFF : slot;
}

/*
 * In one step for whoever interrupts; the exclusive monitor says whether somebody did.
 * No call: where atomics are functions of the compiler's they may carry probes.
 */
KP_ARCH_EACH_HIT bool kp_arch_swap_alone(unsigned int *word, unsigned int old,
					 unsigned int new)
{
#ifdef __aarch64__
	unsigned int seen, failed;

	__asm__ volatile("1:	ldaxr	%w0, %2\n"
			 "	mov	%w1, #0\n"
			 "	cmp	%w0, %w3\n"
			 "	b.ne	2f\n"
			 "	stlxr	%w1, %w4, %2\n"
			 "	cbnz	%w1, 1b\n"
			 "2:"
			 : "=&r"(seen), "=&r"(failed), "+Q"(*word)
			 : "r"(old), "r"(new) : "cc", "memory");
	return seen == old;
#else
	return __atomic_compare_exchange_n(word, &old, new, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
#endif
}

KP_ARCH_EACH_HIT uintptr_t *kp_arch_return_word(const struct pt_regs *regs)
{
	return (uintptr_t *)&regs->regs[KP_A64_LR];
}

KP_ARCH_EACH_HIT uintptr_t kp_arch_stack_of(const struct pt_regs *regs)
{
	return regs->sp;
}

#include "link_register.h"

/* A return leaves the address that it went to in the link register. */
KP_ARCH_EACH_HIT void kp_arch_return_to(struct pt_regs *regs, uintptr_t to)
{
	regs->pc = to;
	regs->regs[KP_A64_LR] = to;
}

/* Callee-saved state of kp_arch_guard_call; guard_asm.h has the offsets. */
struct kp_arch_guard {
	unsigned long sp, ip;
	unsigned long x[11];		/* x19 to x29 */
	unsigned long aborted;
};

KP_ARCH_EACH_HIT bool
kp_arch_guard_aborted(const struct kp_arch_guard *guard)
{
	return guard->aborted;
}

/* Bytes of stack arguments that a jprobe's handler gets, at most. */
#define KP_ARCH_JPROBE_STACK	256

/* What a function finds at its entry; jprobe_asm.h has the offsets. */
struct kp_arch_jprobe {
	struct kp_arch_guard guard;	/* where the call is left to */
	unsigned long x[9];		/* arguments, and where a struct is returned */
	const void *vectors;		/* q0 to q7, or NULL */
	uint8_t stack[KP_ARCH_JPROBE_STACK];
};

/* A hit's vector registers. */
struct kp_arch_vectors {
	const void *image;		/* q0 to q31, as a signal's frame has them */
	unsigned long keep;		/* enum kp_arch_keep */
};

#include "no_lean.h"

#endif
