/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * watch.h - the contract of watched memory.
 *
 * Owns: what the core asks of a host and of an architecture for watch probes, and the upcalls.
 * There are two methods.  Either the watched range is cut into words, and a debug register
 * holds each of them.  Or its pages are protected, a write to them faults, and the host writes
 * on behalf of the program.
 */
#ifndef KP_WATCH_H
#define KP_WATCH_H

#include "arch.h"

struct kp_watch_word {
	uintptr_t addr;
	uint8_t len;			/* 1, 2, 4 or 8; addr is a multiple of it */
	bool reads;			/* reads count too */
};

/*
 * The architecture: how long may a word at addr be within the len bytes there?  Pure.
 * KP_ARCH_WATCH_WORDS (arch_probe.h) is the number of words.
 */
unsigned int kp_arch_watch_len(uintptr_t addr, size_t len);

/*
 * What an atomic instruction has just done to the word, as far as that follows from it and
 * from the registers behind it, whatever others do there.
 */
enum kp_arch_changed {
	KP_ARCH_CHANGED_UNKNOWN,
	KP_ARCH_CHANGED_NOT,
	KP_ARCH_CHANGED_ADDED,		/* by is added; not 0 */
	KP_ARCH_CHANGED_FLIPPED,	/* the bits of by; not 0 */
	/* It was before.  by, if it is not 0: if it is the same again, then others did that. */
	KP_ARCH_CHANGED_FROM,
	KP_ARCH_CHANGED_FROM_TO,	/* it was before, and became after */
};
struct kp_arch_change {
	enum kp_arch_changed kind;
	unsigned long by, before, after;
};
#define KP_ARCH_INSN_BEFORE 15		/* as many bytes are looked at */
/*
 * code: the KP_ARCH_INSN_BEFORE bytes ahead of the instruction pointer.  Pure; any context.
 */
void kp_arch_change_of(struct kp_arch_change *out, const uint8_t *code, struct pt_regs *regs,
		       const struct kp_watch_word *word);

/* Words that are watched together. */
struct kp_watch_set {
	struct kp_watch_word words[KP_ARCH_WATCH_WORDS];
	unsigned int nr;
	void *host[KP_ARCH_WATCH_WORDS];	/* the host's */
};
/*
 * After kp_host_watch returns, every task, including later ones, calls kp_core_on_access
 * right after it accesses one of the words.  After kp_host_unwatch returns it does not, but
 * a call may be on its way.  Registry context.  0, or -errno with *reason:
 *   -ENOSPC      some task's debug registers are in use
 *   -EPERM       the host is not allowed to use them
 *   -EOPNOTSUPP  there are none here
 */
int kp_host_watch(struct kp_watch_set *set, const char **reason);
void kp_host_unwatch(struct kp_watch_set *set);
/* Why [addr, addr+len) cannot be watched, or NULL.  Registry context. */
const char *kp_host_watch_refused(uintptr_t addr, size_t len);

/* Is the caller the task of that number; with -task, a task of that process?  Any context. */
bool kp_host_is_task(int task);

/*
 * A task has accessed the word at addr.  regs are as after the instruction and do not
 * change.  The host leaves out accesses by the engine's own code.  Any context.
 */
void kp_core_on_access(struct pt_regs *regs, uintptr_t addr);
/* The same, but regs have changed meanwhile: the access counts as missed. */
void kp_core_on_late_access(uintptr_t addr);

/* Any bytes, by the protection of their pages; no_pages.h is for a host without that. */
struct kp_watch_range {
	uintptr_t addr;
	size_t len;
	void *host;			/* the host's */
};
/*
 * After kp_host_watch_pages returns, every write to one of the bytes, by any task, calls
 * kp_core_on_store right after it.  After kp_host_unwatch_pages returns it does not, but a
 * call may be on its way.  Registry context.  0, or -errno with *reason:
 *   -EOPNOTSUPP  this host cannot do that
 *   -EBUSY       it would disturb somebody
 *   -EINVAL      this memory cannot be protected
 *   -ENOMEM      out of memory
 */
int kp_host_watch_pages(struct kp_watch_range *range, const char **reason);
void kp_host_unwatch_pages(struct kp_watch_range *range);
/* Is one of the pages of the range protected? */
bool kp_host_watch_pages_near(const struct kp_watch_range *range);
/* Free what the host keeps for it; no call may be on its way any more. */
void kp_host_drop_pages(struct kp_watch_range *range);
/* Has the program removed its memory, so that it is not watched any more?  Any context. */
bool kp_host_watch_pages_gone(const struct kp_watch_range *range);

/*
 * A task has changed the len bytes at addr, all of them in the range, from before to after.
 * regs are as after the instruction and do not change.  The host leaves out writes by the
 * engine's own code.  Any context.
 */
struct kp_watch_store {
	uintptr_t addr;
	unsigned int len;		/* KP_WATCH_STORE_MAX at most */
	const uint8_t *before, *after;
};
#define KP_WATCH_STORE_MAX 64
void kp_core_on_store(struct pt_regs *regs, const struct kp_watch_range *range,
		      const struct kp_watch_store *store);
/* Somebody may have written to it unseen: it counts as missed. */
void kp_core_on_unseen_store(const struct kp_watch_range *range);

/*
 * How one instruction writes memory.  change computes the new bytes from the old ones; it
 * may be called again if others have written meanwhile.  0, or -errno if the host cannot do
 * it this way: then nothing was done.  Once it has been done, regs are as behind the
 * instruction, before it is called for more of the same page.
 */
struct kp_arch_memory {
	int (*update)(void *arg, uintptr_t addr, unsigned int len,
		      void (*change)(void *op, const uint8_t *old, uint8_t *new),
		      void *op);
	int (*read)(void *dst, uintptr_t addr, size_t len);	/* 0 or -EFAULT */
	void *arg;
};
/*
 * Emulate the instruction at insn, whose access to the address fault was refused.  regs
 * change as it changes them.  A repeated instruction may be emulated in part.
 * -EOPNOTSUPP: the instruction is not known.  Any context.
 */
int kp_arch_store(struct pt_regs *regs, const struct kp_arch_vectors *vectors,
		  const uint8_t *insn, size_t avail, uintptr_t fault,
		  const struct kp_arch_memory *memory);

/*
 * What the instruction at addr writes, except for what a push or a call puts on the stack.
 * Pure.  SOMEWHERE: the address or the length does not follow from general registers, or it
 * is not an instruction.  text_flags: as for kp_arch_prepare; they select the instruction
 * set.
 */
enum kp_arch_writes {
	KP_ARCH_WRITES_NOT, KP_ARCH_WRITES_AT, KP_ARCH_WRITES_SOMEWHERE
};
enum kp_arch_writes kp_arch_write_of(struct kp_arch_write *out, uintptr_t addr,
				     const uint8_t *insn, size_t avail,
				     unsigned int text_flags);
/*
 * With the registers before the instruction: the number of bytes written from *addr on.
 * Pure; any context.
 */
size_t kp_arch_write_at(const struct kp_arch_write *write, struct pt_regs *regs,
			uintptr_t *addr);

#endif
