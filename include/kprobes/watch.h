/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kprobes/watch.h - watch probes: who accesses this memory?
 *
 * Owns: an extension of the documented API in its own style: a probe that is hit by
 * accesses to data.  It uses the processor's debug registers: up to four aligned words
 * of 1, 2, 4 or 8 bytes at a time for all probes together, at no cost to other code.  In
 * a process, it watches what they cannot hold for writes by page protection.  If the
 * caller names code, it watches any number of bytes by probes on the instructions of
 * that code that may write.  docs/watching.md says what is reported and what is not.
 */
#ifndef KPROBES_WATCH_H
#define KPROBES_WATCH_H

#include <linux/kprobes.h>

/* Link names, as in <linux/kprobes.h>. */
#define register_wprobe		kp_register_wprobe
#define register_wprobes	kp_register_wprobes
#define unregister_wprobe	kp_unregister_wprobe
#define unregister_wprobes	kp_unregister_wprobes
#define enable_wprobe		kp_enable_wprobe
#define disable_wprobe		kp_disable_wprobe

enum kp_watch_type {
	KP_WATCH_WRITE = 1,		/* every write */
	KP_WATCH_RW,			/* every read and write */
	KP_WATCH_CHANGED,		/* writes that change the value */
};

/*
 * One access to one of the watched words.  With pages: the watched bytes that were
 * written; for KP_WATCH_CHANGED, from the first changed byte to the last.
 */
struct kp_access {
	unsigned long addr;		/* of the word */
	unsigned int size;		/* of the word: 1, 2, 4 or 8; with pages: up to 64 */
	bool written;			/* false: read, or written without a change */
	unsigned long before, after;	/* the word's value; if it is longer than a long, of its first bytes */
};

/* Code: a function, or a part of it. */
struct wprobe_code {
	const char *symbol_name;	/* or addr; not both */
	const void *addr;
	unsigned long len;		/* bytes; 0: to the function's end */
};

struct wprobe;

/*
 * Called after the instruction that made the access: regs->ip is behind it.  regs is a
 * copy; changing it has no effect.
 */
typedef void (*wprobe_handler_t)(struct wprobe *wp, struct pt_regs *regs,
				 const struct kp_access *access);

/* Zero-initialise, then fill in the address, as in a kprobe, and what follows. */
struct wprobe {
	struct kprobe kp;		/* addr or symbol_name, offset, flags */
	wprobe_handler_t handler;
	/*
	 * Called before the instruction: access->after is the value before, and regs->ip
	 * is the address of the instruction.  Only with code; otherwise NULL.
	 */
	wprobe_handler_t before;
	enum kp_watch_type type;
	unsigned long len;		/* bytes; 0: to the end of the symbol */
	/*
	 * Whose accesses are reported.  0: everybody's; a thread's number: its own; -N: those
	 * of all threads of process N.  The numbers are those of current->pid and
	 * current->tgid.
	 */
	int task;
	/*
	 * NULL: all writes are reported.  Otherwise code_nr pieces of code: only writes by
	 * their own instructions are reported, not those of functions that they call.  Other
	 * code is not slowed down.
	 */
	const struct wprobe_code *code;
	unsigned int code_nr;
	/*
	 * Set when the probe is enabled: how many instructions of that code may write there
	 * unseen.
	 */
	unsigned long unseen;
};

/*
 * register_wprobe - watch memory.
 *
 * wp->kp.addr or wp->kp.symbol_name, plus wp->kp.offset, is the first byte.
 * KPROBE_FLAG_DISABLED in wp->kp.flags registers it disabled; it then takes no
 * debug register and protects no page.  Probes on the same bytes share them.  Returns 0, or
 *   -EINVAL      wp NULL or unreadable; both or neither of addr and symbol_name;
 *                no handler, or one that is not code; no such type; len 0
 *                without a symbol; the engine's memory; registered already;
 *                code that exceeds its function, or writes nothing; reads with code
 *   -ENOENT      no such symbol, or no known function at code
 *   -EILSEQ      code that cannot be decoded
 *   -EFAULT      there is no memory there
 *   -EBUSY       another watch probe overlaps these bytes without being on the
 *                same ones, or one reports reads and the other does not
 *   -ENOSPC      not enough free debug registers, and the pages cannot be
 *                protected; with code: more than 1 MB
 *   -EPERM       the system does not allow this program debug registers, and the
 *                pages cannot be protected
 *   -EOPNOTSUPP  the system has no debug registers; before without code
 *   -ENOMEM      no memory for the probe
 *   -EDEADLK     called from a probe handler
 * wp->kp.reason says more.
 */
int register_wprobe(struct wprobe *wp);

/*
 * unregister_wprobe - remove a watch probe; as unregister_kprobe.  On return no handler
 * of wp runs or will run.
 */
void unregister_wprobe(struct wprobe *wp);

/* Batches, all or none, as for kprobes. */
int register_wprobes(struct wprobe **wps, int num);
void unregister_wprobes(struct wprobe **wps, int num);

/*
 * disable_wprobe, enable_wprobe - as for kprobes.  Disabling releases the probe's debug
 * registers, so enabling it may fail like registration.
 */
int disable_wprobe(struct wprobe *wp);
int enable_wprobe(struct wprobe *wp);

#endif
