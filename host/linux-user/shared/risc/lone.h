/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lone.h - instructions of the program's, executed one by one, where the processor does not
 * step by itself.
 *
 * A process cannot have itself single-stepped there.  So a copy is executed, on a page of
 * its own, with a breakpoint behind it.
 */
#ifndef KP_USER_LONE_H
#define KP_USER_LONE_H

#include "machine.h"
#include "monitor.h"
#include "watch/page_store.h"

struct kp_lone {
	uintptr_t ip;			/* of the instruction */
	unsigned int len;		/* its length */
	uintptr_t then;			/* where it goes on behind the copy; 0: behind the instruction */
	bool traced;			/* no program steps itself */
	uint8_t *code;			/* the copy, on a page of its own */
	/* From a conditional store on to the next (lone.c); else left is 0. */
	unsigned int left;		/* instructions */
	uintptr_t first;
	struct kp_monitor monitor;
	bool stored;			/* and is to be told, once the walk is over */
};

/* NONE: without room for that.  SHOWN: it is executed next.  DONE: uc is as after it. */
enum kp_step kp_lone_begin(struct kp_lone *lone, ucontext_t *uc, const uint8_t *bytes);
/* It is over, or has faulted: regs, unless they are NULL, or uc are as in its place. */
void kp_lone_end(struct kp_lone *lone, ucontext_t *uc, struct pt_regs *regs);
/* Is there more to be executed so?  Then regs lead there, else where the program goes on. */
bool kp_lone_goes_on(struct kp_lone *lone, struct pt_regs *regs);

/* Where it is until its trap, in so many bytes. */
#define KP_LONE_LEN (KP_ARCH_INSN_MAX + KP_ARCH_BP_LEN)
static inline uintptr_t kp_lone_place(const struct kp_lone *lone)
{
	return (uintptr_t)lone->code;
}

/* Its breakpoint comes back to where it stands: none is lost. */
static inline bool kp_lone_passed(const struct kp_lone *lone, uintptr_t ip)
{
	(void)lone;
	(void)ip;
	return false;
}

static inline bool kp_lone_ends_at(const struct kp_lone *lone, uintptr_t addr)
{
	return addr == (uintptr_t)lone->code + lone->len;
}

/* A conditional store: what comes before it, too.  Of the second set or not. */
bool kp_lone_is_walk(const uint8_t *bytes, bool second);

/* Is it a probe's breakpoint or jump? */
bool kp_is_patch(const uint8_t *bytes, size_t avail, bool second);

/* ---- the processor's (lone_insn.c) ---------------------------------------------------- */

/* Of its first bytes: how many it has. */
#define KP_LONE_FIRST KP_ARCH_BP_LEN
_Static_assert(KP_ARCH_BP_LEN <= KP_ARCH_INSN_MAX, "the shortest has a breakpoint's length");
unsigned int kp_lone_insn_len(const uint8_t first[KP_LONE_FIRST], bool second);

struct kp_lone_insn {
	uint32_t word;			/* as it stands in memory */
	unsigned int len;		/* 0: none that is known */
	bool copied;			/* a copy of it does the same */
	bool conditional;		/* a store that wants a reservation */
	bool patch;			/* an exception, or a jump as a probe's */
	bool delays;			/* what is behind it is executed as its part */
	uintptr_t then;			/* by kp_lone_compute; else 0 */
};
void kp_lone_decode(struct kp_lone_insn *insn, uint32_t word, bool second);
/*
 * Compute it, a branch above all, on regs; false: it cannot be.  One that delays may become
 * what is behind it, which is copied, and goes on at insn->then.
 */
bool kp_lone_compute(struct kp_lone_insn *insn, struct pt_regs *regs);

#endif
