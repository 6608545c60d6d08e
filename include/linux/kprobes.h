/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * linux/kprobes.h - the documented Kprobes API, on every host.
 *
 * Owns: the names, fields, flag values and errno contract that the Kprobes
 * documentation promises, and nothing else.  Extensions are in <kprobes/…>.
 *
 * Reference: "Kprobes Features and API" (docs/reference.md says which edition
 * each part follows).  Unless a function says otherwise it may sleep, takes
 * the registry lock, and must not be called from a probe handler or any other
 * atomic context; a call from a handler is refused with -EDEADLK.
 */
#ifndef KP_LINUX_KPROBES_H
#define KP_LINUX_KPROBES_H
#define _LINUX_KPROBES_H

/*
 * The host's own types: u32, struct list_head, struct pt_regs, and the
 * markers NOKPROBE_SYMBOL(fn), __kprobes and nokprobe_inline.
 */
#include <kprobes/host.h>

/*
 * Link names.  A stock kernel exports its own register_kprobe; the source
 * names stay as documented, the link names carry our prefix.
 */
#define register_kprobe		kp_register_kprobe
#define register_kprobes	kp_register_kprobes
#define unregister_kprobe	kp_unregister_kprobe
#define unregister_kprobes	kp_unregister_kprobes
#define enable_kprobe		kp_enable_kprobe
#define disable_kprobe		kp_disable_kprobe
#define register_kretprobe	kp_register_kretprobe
#define register_kretprobes	kp_register_kretprobes
#define unregister_kretprobe	kp_unregister_kretprobe
#define unregister_kretprobes	kp_unregister_kretprobes
#define enable_kretprobe	kp_enable_kretprobe
#define disable_kretprobe	kp_disable_kretprobe
#define kretprobe_find_ret_addr	kp_kretprobe_find_ret_addr
#define is_kretprobe_trampoline	kp_is_kretprobe_trampoline
#define register_jprobe		kp_register_jprobe
#define register_jprobes	kp_register_jprobes
#define unregister_jprobe	kp_unregister_jprobe
#define unregister_jprobes	kp_unregister_jprobes
#define jprobe_return		kp_jprobe_return

/* Values of kprobe.flags.  A user may set only KPROBE_FLAG_DISABLED. */
#define KPROBE_FLAG_GONE		1	/* the probed text was unloaded */
#define KPROBE_FLAG_DISABLED		2	/* registered, handlers off */
#define KPROBE_FLAG_OPTIMIZED		4	/* never set in a user's struct */
#define KPROBE_FLAG_FTRACE		8	/* goes through ftrace */
#define KPROBE_FLAG_ON_FUNC_ENTRY	16	/* at a function's entry */

struct kprobe;

/* Before the probed instruction.  Non-zero: resume at regs->ip, no step. */
typedef int (*kprobe_pre_handler_t)(struct kprobe *p, struct pt_regs *regs);
/* After the probed instruction; flags is always 0. */
typedef void (*kprobe_post_handler_t)(struct kprobe *p, struct pt_regs *regs,
				      unsigned long flags);
/* A fault in a handler or in the probed instruction.  Non-zero: handled. */
typedef int (*kprobe_fault_handler_t)(struct kprobe *p, struct pt_regs *regs,
				      int trapnr);
/*
 * A breakpoint that belongs to no probe, in another handler of this probe.  Non-zero:
 * handled, the handler continues at regs.
 */
typedef int (*kprobe_break_handler_t)(struct kprobe *p, struct pt_regs *regs);

/* Zero-initialise, then fill in the first group and the handlers. */
struct kprobe {
	/* Where: addr or symbol_name, plus offset bytes.  Not both. */
	kprobe_opcode_t *addr;
	const char *symbol_name;
	unsigned int offset;

	/* Any of these may be NULL. */
	kprobe_pre_handler_t pre_handler;
	kprobe_post_handler_t post_handler;
	kprobe_fault_handler_t fault_handler;
	kprobe_break_handler_t break_handler;

	u32 flags;
	unsigned long nmissed;		/* hits whose handlers did not run */
	kprobe_opcode_t opcode;		/* first byte before the breakpoint */
	struct arch_specific_insn {
		kprobe_opcode_t *insn;	/* the copy that runs, or NULL */
	} ainsn;

	/* Linkage kept for source compatibility; initialised, not used. */
	struct hlist_node hlist;
	struct list_head list;

	/*
	 * An extension: why the last registration of this struct failed, or
	 * why the probe cannot be made faster; otherwise NULL.  Points to
	 * constant text.
	 */
	const char *reason;

	/*
	 * An extension: called before pre_handler, wherever that is cheap.  If it returns
	 * 0, pre_handler is not called.  Otherwise, and elsewhere, pre_handler is called
	 * and has to check the condition itself.  A filter that is not lean
	 * (docs/writing-probes.md) is never called.  NULL: none.
	 */
	kprobe_pre_handler_t filter;

	/* The engine's.  next: registry lock to write, readers are lock-free. */
	struct kprobe *next;
};

/*
 * register_kprobe - put a probe on one instruction.
 *
 * p: see struct kprobe.  p->addr receives the final address before the later
 * checks, so a failed symbol-based struct must have addr reset before a retry.
 * Returns 0, or
 *   -EINVAL      p NULL or unreadable; both or neither of addr/symbol_name;
 *                not text; blacklisted; reserved for other patching; already
 *                registered; undecodable instruction
 *   -ENOENT      no such symbol, or the address belongs to no symbol
 *   -EILSEQ      not at an instruction boundary
 *   -EOPNOTSUPP  this instruction cannot run out of line
 *   -ENOSPC      the instruction's copy does not fit its slot
 *   -ENOMEM      no memory for the probe or its slot
 *   -EDEADLK     called from a probe handler
 *   -EBUSY       the text has changed, somebody else has a probe there, or p has
 *                a post_handler and somebody else may redirect that function
 * p->reason says more.  Where other probes are at the address, a probe that fails
 * with -EBUSY may have been hit meanwhile.  On return from a failure no handler of p
 * runs or will run, and p may be freed.
 * Reference: API Reference, register_kprobe.
 */
int register_kprobe(struct kprobe *p);

/*
 * unregister_kprobe - remove a probe.
 *
 * On return no handler of p runs or will run on any CPU or thread, and p may
 * be freed.  A probe that is not registered only gets addr = NULL; NULL is
 * ignored.  Reference: API Reference, unregister_*probe.
 */
void unregister_kprobe(struct kprobe *p);

/*
 * register_kprobes - register num probes; all or none.
 *
 * At the first failure the earlier ones are unregistered again and that errno
 * is returned.  -EINVAL for num <= 0 or a NULL element.
 * Reference: API Reference, register_*probes.
 */
int register_kprobes(struct kprobe **kps, int num);

/*
 * unregister_kprobes - unregister num probes with one grace period.
 *
 * Elements that are not registered only get addr = NULL; NULL elements and
 * num <= 0 are ignored.  Reference: API Reference, unregister_*probes.
 */
void unregister_kprobes(struct kprobe **kps, int num);

/*
 * disable_kprobe, enable_kprobe - switch a registered probe's handlers.
 *
 * 0 also when it already is in that state; -EINVAL when it is not registered
 * or (enable) its text is gone; -EDEADLK from a handler; enable: -EBUSY and others as
 * register_kprobe.  Neither disabling nor a failed enabling waits for a handler that
 * is already running.
 * Reference: API Reference, disable_*probe, enable_*probe.
 */
int disable_kprobe(struct kprobe *p);
int enable_kprobe(struct kprobe *p);

/* ---- return probes --------------------------------------------------------- */

struct task_struct;
struct kretprobe;
struct kretprobe_instance;

/* At the entry: non-zero excludes this call.  At the return: ignored. */
typedef int (*kretprobe_handler_t)(struct kretprobe_instance *ri,
				   struct pt_regs *regs);

/* One call that has not returned yet; the same for both handlers. */
struct kretprobe_instance {
	struct kretprobe *rp;
	kprobe_opcode_t *ret_addr;	/* valid in the return handler */
	struct task_struct *task;	/* the caller's */
	/* data_size bytes; zero at first, then as the last call left them. */
	char data[] __attribute__((aligned(sizeof(long))));
};

/* Zero-initialise, then fill in kp's address and what follows. */
struct kretprobe {
	struct kprobe kp;		/* its handlers are overwritten */
	kretprobe_handler_t handler;	/* NULL: none */
	kretprobe_handler_t entry_handler;	/* NULL: every call */
	/*
	 * The number of calls probed at a time.  0 or less starts with
	 * max(10, 2 * CPUs) and grows as needed.
	 */
	int maxactive;
	int nmissed;			/* calls not probed for lack of an instance */
	size_t data_size;		/* at most 4096 */

	/* An extension: instances reclaimed from calls that never return. */
	int nstale;
	/* The engine's. */
	struct kp_pool *pool;
};

/*
 * register_kretprobe - probe the returns of a function.
 *
 * rp->kp.addr or symbol_name must name a function's entry.  In handler,
 * regs_return_value(regs) is the return value, which it may change; regs->ip
 * is the return address.
 * Returns 0, or as register_kprobe, and
 *   -EINVAL      not a function's entry; a function that cannot be hooked
 *   -EOPNOTSUPP  code of a runtime that looks at return addresses
 *   -E2BIG       data_size above 4096
 *   -ENOMEM      no memory for maxactive instances
 * rp->kp.reason says more.  Reference: API Reference, register_kretprobe.
 */
int register_kretprobe(struct kretprobe *rp);

/*
 * unregister_kretprobe - remove a return probe.
 *
 * Never waits for calls in flight: they return to their callers without the
 * handler.  rp may be freed on return.  A probe that is not registered only
 * gets kp.addr = NULL.  Reference: API Reference, unregister_*probe.
 */
void unregister_kretprobe(struct kretprobe *rp);

/* Batches, as for kprobes.  Reference: API Reference, register_*probes. */
int register_kretprobes(struct kretprobe **rps, int num);
void unregister_kretprobes(struct kretprobe **rps, int num);

/*
 * disable_kretprobe, enable_kretprobe - as for the kprobe in it.  Only new calls
 * are affected; calls in flight still reach the handler.
 * Reference: API Reference, disable_*probe, enable_*probe.
 */
int disable_kretprobe(struct kretprobe *rp);
int enable_kretprobe(struct kretprobe *rp);

struct llist_node;

/* Is addr a trampoline that replaces the return address of a probed call? */
bool is_kretprobe_trampoline(unsigned long addr);

/*
 * kretprobe_find_ret_addr - the real return address of a probed call.
 *
 * frame is the location of its return address on the stack of task, which is the
 * current task or is not running.  Set *cursor to NULL before the first of a series
 * of calls that walk outward; it belongs to the series.  Returns 0 if that call is
 * not probed.  Any context.
 */
unsigned long kretprobe_find_ret_addr(struct task_struct *task, void *frame,
				      struct llist_node **cursor);

/* In either handler; any context. */
static inline struct kretprobe *get_kretprobe(struct kretprobe_instance *ri)
{
	return ri->rp;
}

static inline unsigned long
get_kretprobe_retaddr(struct kretprobe_instance *ri)
{
	return (unsigned long)ri->ret_addr;
}

/* ---- jprobes --------------------------------------------------------------- */

/* Zero-initialise, then fill in kp's address and entry. */
struct jprobe {
	struct kprobe kp;		/* pre and break handler are overwritten */
	void *entry;			/* same prototype as the function */
};

/* For source compatibility: a handler as struct jprobe.entry. */
#define JPROBE_ENTRY(handler) (handler)

/*
 * register_jprobe - look at a function's arguments.
 *
 * jp->kp.addr or symbol_name must name a function's entry.  When the function is
 * called, jp->entry is called with copies of the arguments in registers (in a
 * process including vector registers) and of the first 256 bytes of those on the
 * stack.  It ends with jprobe_return().  Changes to its arguments do not affect
 * the function.  __builtin_return_address(0) in it is not the function's caller.
 * It runs like a pre_handler, after those of all kprobes at that address.  jp->kp
 * may have a post_handler and a fault_handler.  A function may have any number of
 * jprobes; the newest is called first.
 *
 * Returns 0, or as register_kprobe, and
 *   -EINVAL      jp->entry is NULL or not the first instruction (a landing
 *                pad apart) of a function that the host knows, by symbol or,
 *                in a process, by unwind information; kp is not at a
 *                function's entry
 * jp->kp.reason says more.  Reference: API Reference, register_jprobe.
 */
int register_jprobe(struct jprobe *jp);

/*
 * unregister_jprobe - remove a jprobe; as unregister_kprobe.
 * Reference: API Reference, unregister_*probe.
 */
void unregister_jprobe(struct jprobe *jp);

/* Batches, as for kprobes.  Reference: API Reference, register_*probes. */
int register_jprobes(struct jprobe **jps, int num);
void unregister_jprobes(struct jprobe **jps, int num);

/*
 * jprobe_return - end a jprobe's handler; does not return to it.
 *
 * Call it at any depth inside jp->entry.  Anywhere else it logs an error and
 * returns.  A handler that returns without it is reported once; the probed
 * function still runs.
 */
void jprobe_return(void) KP_BOUND_EARLY;

/* Reference: API Reference, disable_*probe, enable_*probe. */
static inline int disable_jprobe(struct jprobe *jp)
{
	return disable_kprobe(&jp->kp);
}

static inline int enable_jprobe(struct jprobe *jp)
{
	return enable_kprobe(&jp->kp);
}

/* Predicates; any context. */
static inline int kprobe_gone(struct kprobe *p)
{
	return p->flags & KPROBE_FLAG_GONE;
}

static inline int kprobe_disabled(struct kprobe *p)
{
	return p->flags & (KPROBE_FLAG_DISABLED | KPROBE_FLAG_GONE);
}

static inline int kprobe_optimized(struct kprobe *p)
{
	return p->flags & KPROBE_FLAG_OPTIMIZED;
}

static inline int kprobe_ftrace(struct kprobe *p)
{
	return p->flags & KPROBE_FLAG_FTRACE;
}

#endif
