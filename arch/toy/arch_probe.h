/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * arch_probe.h - per-probe data and constants of the processor that does not exist.
 *
 * Owns: struct kp_arch_probe, written once by kp_arch_prepare before publication; what
 * a guarded call or a jprobe's keeps; and the few facts that every hit needs.
 */
#ifndef KP_TOY_ARCH_PROBE_H
#define KP_TOY_ARCH_PROBE_H

#include "env.h"
#include "insn.h"

#define KP_ARCH_JUMPS		1
#define KP_ARCH_RETURNS		1
#define KP_ARCH_JPROBES		1

#define KP_ARCH_BP_LEN		1
#define KP_ARCH_INSN_MAX	TOY_LEN_MAX
#define KP_ARCH_SLOT_LEN	64	/* slot.c */
#define KP_ARCH_FILL		TOY_BREAK
#define KP_ARCH_PAGE		4096u
/* A jump reaches 8 MB; this from anywhere in a piece of memory. */
#define KP_ARCH_REACH		((uintptr_t)0x700000)

/* A return stub: calls.c. */
#define KP_ARCH_STUB_LEN	8
#define KP_ARCH_STUB_RETURN	2

#define KP_ARCH_JUMP_MAX	TOY_JUMP_LEN
#define KP_ARCH_JUMP_MIN	TOY_JUMP_LEN
#define KP_ARCH_HEAD_LEN	16	/* jump.c */
#define KP_ARCH_HUB_LEN		TOY_GO_LEN
#define KP_ARCH_INNER_BP	TOY_BREAK
#define KP_ARCH_INNER_LEN	1
#define KP_ARCH_LANDING_TRAP	TOY_NO_INSN

#define KP_ARCH_WATCH_WORDS	4

static const uint8_t kp_arch_bp[KP_ARCH_BP_LEN] = { TOY_BREAK };

struct kp_arch_probe {
	uintptr_t addr;		/* of the probed instruction */
	uintptr_t target;	/* of a jump, branch or call */
	uint8_t class;		/* enum kp_arch_class */
	uint8_t len;		/* of the probed instruction */
	uint8_t stepped;	/* where in its slot the stepped form is */
	uint8_t flags;		/* enum kp_arch_text_flags */
	uint8_t insn[TOY_LEN_MAX];
};

/* Where an instruction writes: code.c. */
struct kp_arch_write {
	int64_t off;
	uint8_t reg;
};

#define KP_ARCH_EACH_HIT static inline
#include "one_breakpoint.h"

KP_ARCH_EACH_HIT uintptr_t kp_arch_trap_addr(const struct pt_regs *regs)
{
	return regs->pc - KP_ARCH_BP_LEN;
}

/* It is reported there. */
KP_ARCH_EACH_HIT void kp_arch_pass(struct pt_regs *regs,
				   int (*read)(void *dst, uintptr_t addr, size_t len))
{
	(void)read;
	(void)regs;
}

KP_ARCH_EACH_HIT void kp_arch_set_pre_ip(struct pt_regs *regs, uintptr_t addr)
{
	regs->pc = addr + KP_ARCH_BP_LEN;
}

KP_ARCH_EACH_HIT void kp_arch_step_begin(const struct kp_arch_probe *ap,
					 struct pt_regs *regs, uintptr_t slot,
					 bool post)
{
	regs->pc = post ? slot + ap->stepped : slot;
}

KP_ARCH_EACH_HIT bool kp_arch_swap_alone(unsigned int *word, unsigned int old,
					 unsigned int new)
{
	return __atomic_compare_exchange_n(word, &old, new, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* A test's stack is elsewhere than its registers: memory has to be asked. */
KP_ARCH_EACH_HIT uintptr_t *kp_arch_return_word(const struct pt_regs *regs)
{
	(void)regs;
	return NULL;
}

KP_ARCH_EACH_HIT uintptr_t kp_arch_return_frame(const struct pt_regs *regs,
						const uintptr_t *word)
{
	(void)word;
	return regs->sp;
}

KP_ARCH_EACH_HIT int kp_arch_return_standing(uintptr_t frame,
					     const struct kp_arch_mem *mem,
					     uintptr_t *word)
{
	return mem->read(frame, word, sizeof(*word));
}

KP_ARCH_EACH_HIT int kp_arch_return_get(const struct pt_regs *regs,
					const struct kp_arch_mem *mem,
					uintptr_t *to, uintptr_t *frame)
{
	*frame = regs->sp;
	return mem->read(regs->sp, to, sizeof(*to));
}

KP_ARCH_EACH_HIT int kp_arch_return_set(struct pt_regs *regs,
					const struct kp_arch_mem *mem,
					uintptr_t to)
{
	return mem->write(regs->sp, &to, sizeof(to));
}

KP_ARCH_EACH_HIT void kp_arch_return_to(struct pt_regs *regs, uintptr_t to)
{
	regs->pc = to;
}

/* host/sim has the calls. */
struct kp_arch_guard {
	unsigned long aborted;
};

KP_ARCH_EACH_HIT bool
kp_arch_guard_aborted(const struct kp_arch_guard *guard)
{
	return guard->aborted;
}

#define KP_ARCH_JPROBE_STACK	256

/* What a function finds at its entry. */
struct kp_arch_jprobe {
	struct kp_arch_guard guard;	/* where the call is left to */
	unsigned long args[6];
	uint8_t stack[KP_ARCH_JPROBE_STACK];
};

/* There are none to be kept; the core's tests say that there are. */
struct kp_arch_vectors {
	unsigned long keep;		/* enum kp_arch_keep */
};

#include "no_lean.h"

#endif
