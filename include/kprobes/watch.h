/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kprobes/watch.h - watch probes: who touches this memory?
 *
 * Owns: an extension of the documented API in its own style: a probe that is hit
 * by accesses to data.  It is served by the processor's debug registers: up to
 * four aligned words of 1, 2, 4 or 8 bytes are watched at a time, all probes
 * together, at no cost to whatever else runs.  What they cannot hold is, in a process
 * and for writes, served by page protection.  Where the caller names code, any number
 * of bytes is served by probes on the instructions of that code which may write.
 * docs/watching.md says what is seen and what is not.
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
	KP_WATCH_RW,			/* every read, too */
	KP_WATCH_CHANGED,		/* writes that change the value */
};

/*
 * One access to one of the words that are watched.  By pages: what of the watched bytes
 * was written; to KP_WATCH_CHANGED, from the first that changed to the last.
 */
struct kp_access {
	unsigned long addr;		/* of the word */
	unsigned int size;		/* of the word: 1, 2, 4 or 8; by pages: up to 64 */
	bool written;			/* no: read, or written without a change */
	unsigned long before, after;	/* the word's value; of more than a long, its first bytes' */
};

/* Code: a function, or a part of it. */
struct wprobe_code {
	const char *symbol_name;	/* or addr; not both */
	const void *addr;
	unsigned long len;		/* bytes; 0: to the function's end */
};

struct wprobe;

/*
 * After the instruction that did it: regs->ip is behind that.  regs is a copy:
 * changing it changes nothing.
 */
typedef void (*wprobe_handler_t)(struct wprobe *wp, struct pt_regs *regs,
				 const struct kp_access *access);

/* Zero-initialise, then fill in where, as in a kprobe, and what follows. */
struct wprobe {
	struct kprobe kp;		/* addr or symbol_name, offset, flags */
	wprobe_handler_t handler;
	/*
	 * Called before the instruction, where access->after is what was before and
	 * regs->ip is the instruction's.  With code only; else NULL.
	 */
	wprobe_handler_t before;
	enum kp_watch_type type;
	unsigned long len;		/* bytes; 0: to the end of the symbol */
	/*
	 * 0: everybody's accesses; a thread's number: its own; -N: those of all threads
	 * of process N.  As current->pid and current->tgid say it.
	 */
	int task;
	/*
	 * NULL: whoever writes.  Else code_nr pieces of code: only what their own
	 * instructions write is told, what functions that they call write is not.
	 * Nothing else pays.
	 */
	const struct wprobe_code *code;
	unsigned int code_nr;
	/*
	 * Set when it is enabled: how many instructions of that code may write there
	 * unseen.  0: none.
	 */
	unsigned long unseen;
};

/*
 * register_wprobe - watch memory.
 *
 * wp->kp.addr, or wp->kp.symbol_name, plus wp->kp.offset: where it begins.
 * KPROBE_FLAG_DISABLED in wp->kp.flags registers it disabled; it then takes no
 * debug register and protects no page.  Probes on the same bytes share them.  Returns 0, or
 *   -EINVAL      wp NULL or unreadable; both or neither of addr and symbol_name;
 *                no handler, or one that is no code; no such type; len 0
 *                where no symbol is; the engine's memory; registered already;
 *                code that goes beyond its function, or writes nothing; reads by code
 *   -ENOENT      no such symbol, or no known function where code is
 *   -EILSEQ      code that cannot be decoded
 *   -EFAULT      there is no memory there
 *   -EBUSY       another watch probe is on some of these bytes, but not on
 *                the same, or one tells of reads and the other does not
 *   -ENOSPC      more words than there are debug registers, or than are free, and
 *                the pages cannot be protected; with code: more than 1 MB
 *   -EPERM       the system grants no debug registers to this program, and the
 *                pages cannot be protected
 *   -EOPNOTSUPP  it has none to grant; before without code
 *   -ENOMEM      no memory for the probe
 *   -EDEADLK     called from a probe handler
 * wp->kp.reason says more.
 */
int register_wprobe(struct wprobe *wp);

/*
 * unregister_wprobe - watch no more; as unregister_kprobe.  On return no handler
 * of wp runs or will run.
 */
void unregister_wprobe(struct wprobe *wp);

/* Batches, all or none, as for kprobes. */
int register_wprobes(struct wprobe **wps, int num);
void unregister_wprobes(struct wprobe **wps, int num);

/*
 * disable_wprobe, enable_wprobe - as for kprobes.  A disabled probe gives its debug
 * registers back, so that enabling it may fail as registering does.
 */
int disable_wprobe(struct wprobe *wp);
int enable_wprobe(struct wprobe *wp);

#endif
