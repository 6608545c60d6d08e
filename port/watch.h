/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * watch.h - watching memory: the contract.
 *
 * Owns: what the core asks of a host and of an architecture for watch probes, and
 * the upcall.  What is watched is cut into words, each of which one debug register
 * of the processor holds.
 */
#ifndef KP_WATCH_H
#define KP_WATCH_H

#include "arch.h"

struct kp_watch_word {
	uintptr_t addr;
	uint8_t len;			/* 1, 2, 4 or 8; addr is a multiple of it */
	bool reads;			/* reads count, too */
};

/*
 * The architecture: how long may a word at addr be, if it is to lie in the len
 * bytes there?  Pure.  KP_ARCH_WATCH_WORDS (arch_probe.h): how many there can be.
 */
unsigned int kp_arch_watch_len(uintptr_t addr, size_t len);

/* Words that are watched together. */
struct kp_watch_set {
	struct kp_watch_word words[KP_ARCH_WATCH_WORDS];
	unsigned int nr;
	void *host[KP_ARCH_WATCH_WORDS];	/* the host's */
};
/*
 * From the return on every task, those made later included, that accesses one of
 * the words calls kp_core_on_access right after it; kp_host_unwatch: does not, but
 * a call may be on its way.  Registry context.  0, or -errno with *reason:
 *   -ENOSPC      some task's debug registers are in use
 *   -EPERM       the host is not allowed to
 *   -EOPNOTSUPP  there is no such thing here
 */
int kp_host_watch(struct kp_watch_set *set, const char **reason);
void kp_host_unwatch(struct kp_watch_set *set);
/* Why can [addr, addr+len) not be watched, or NULL.  Registry context. */
const char *kp_host_watch_refused(uintptr_t addr, size_t len);

/* Does the task of that number execute, or -task: one of that process?  Any context. */
bool kp_host_is_task(int task);

/*
 * A task has accessed the word at addr.  regs: as after the instruction; they
 * stay as they are.  The host leaves out what the engine's own code accesses.  Any
 * context.
 */
void kp_core_on_access(struct pt_regs *regs, uintptr_t addr);
/* The same, but regs are not what they were: it counts as missed. */
void kp_core_on_late_access(uintptr_t addr);

#endif
