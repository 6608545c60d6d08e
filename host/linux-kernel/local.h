/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * local.h - what the files of the kernel host offer one another.
 *
 * Owns: the table of kernel functions that are not exported to modules, and
 * the host's internal prototypes.
 */
#ifndef KP_KERNEL_LOCAL_H
#define KP_KERNEL_LOCAL_H

#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>

#include "env.h"
#include "arch.h"
#include "atomic.h"
#include "host.h"
#include "enter.h"
#include "upcall.h"

#define current get_current()

struct exception_table_entry;
struct ftrace_ops;
struct perf_event;
struct perf_event_attr;
struct perf_sample_data;

/*
 * Found by name when the module is loaded; written once, before the engine
 * starts.  NULL: this kernel has no such symbol; whoever uses one says what
 * happens then.
 */
struct kp_hidden {
	unsigned long (*lookup_name)(const char *name);
	int (*lookup_size_offset)(unsigned long addr, unsigned long *size,
				  unsigned long *offset);
	void *(*module_alloc)(unsigned long len);
	void *(*vmalloc_range)(unsigned long len, unsigned long align,
			       unsigned long low, unsigned long high,
			       gfp_t gfp, pgprot_t prot, unsigned long flags,
			       int node, const void *caller);
	void (*module_memfree)(void *mem);
	int (*set_memory_ro)(unsigned long addr, int pages);
	int (*set_memory_rw)(unsigned long addr, int pages);
	int (*set_memory_x)(unsigned long addr, int pages);
	int (*set_memory_nx)(unsigned long addr, int pages);
	struct module *(*module_address)(unsigned long addr);
	const struct exception_table_entry *(*search_extables)(unsigned long);
	void *(*find_bug)(unsigned long addr);
	unsigned long (*ftrace_location_range)(unsigned long start,
					       unsigned long end);
	void (*free_filter)(struct ftrace_ops *ops);
	void (*rcu_enter)(void), (*rcu_exit)(void);	/* as by an NMI */
	void *(*get_kprobe)(void *addr);	/* the kernel's own Kprobes */
	bool (*within_kprobe_blacklist)(unsigned long addr);
	int (*fixup_exception)(struct pt_regs *regs, int trapnr,
			       unsigned long error_code, unsigned long address);
	bool (*show_value)(const struct cred *cred);
	long (*copy_to_nofault)(void *dst, const void *src, size_t len);
	/* Hardware breakpoints. */
	struct perf_event *(*create_counter)(struct perf_event_attr *attr, int cpu,
					     struct task_struct *task,
					     void (*fn)(struct perf_event *event,
							struct perf_sample_data *data,
							struct pt_regs *regs),
					     void *context);
	int (*release_counter)(struct perf_event *event);
	void (*unpoison_stack)(const void *watermark);	/* only with KASAN */
	struct mutex *text_mutex;
	struct list_head *modules;
	struct mutex *module_mutex;
	unsigned long text_start, text_end;
};
extern struct kp_hidden kp_hidden;

/* symbols.c */
int kp_symbols_start(void);
unsigned long kp_symbols_find(const char *name);	/* 0 when there is none */

/* text.c */
void kp_text_start(void);
bool kp_text_is_core(uintptr_t addr);
int kp_text_alias_write(uintptr_t addr, const void *src, size_t len);
/* A writable second mapping of the len bytes at addr; NULL without memory. */
void *kp_text_alias(uintptr_t addr, size_t len);
void kp_text_unalias(void *alias);
bool kp_text_written_twice(void);	/* see text.c */

/* reserved.c: ranges of text that other code patches. */
int kp_reserved_start(void);
void kp_reserved_stop(void);
/* Why [addr, addr+len) cannot be probed, or NULL; mod: its owner or NULL. */
const char *kp_reserved_why(uintptr_t addr, size_t len, struct module *mod);

/* What the kernel's own Kprobes refuses. */
const char *kp_reserved_blacklisted(uintptr_t addr);

/* ftrace.c */
void kp_ftrace_start(void);
void kp_ftrace_stop(void);
void kp_ftrace_forgo(void);			/* not usable from now on */
bool kp_ftrace_usable(void);
void kp_ftrace_guard(struct kp_arch_guard *guard, const struct pt_regs *regs);
uintptr_t kp_ftrace_site(uintptr_t addr, size_t len);	/* 0: none */

/* anchor.c */
uintptr_t kp_ftrace_anchor_site(void);
long kp_trial_traced(long n);			/* n + 1 */

/* selftest.c */
int kp_selftest_start(void);	/* 0; or -errno: breakpoints do not work */
void kp_selftest_short(void);
void kp_selftest_jumps(void);
void kp_selftest_tracer(void);
bool kp_selftest_probes(uintptr_t addr);	/* this text of ours, now */
/* Why they are refused, or NULL. */
const char *kp_selftest_returns_off(void);
const char *kp_selftest_jprobes_off(void);

/* exec.c */
int kp_exec_start(void);
void kp_exec_stop(void);

/*
 * context.c: the traps that this CPU is handling for us; trap path.  What each
 * adds to the preemption counter, like an NMI: the kernel does it, or int3.c.
 */
#define KP_TRAP_COUNT (NMI_OFFSET + HARDIRQ_OFFSET)
/*
 * In this order around a trap: an NMI in between, that hits a probe, must not
 * find traps counted that the preemption counter does not have.
 */
static __always_inline void kp_context_trap_begin(void)
{
	this_cpu_add(kp_traps, KP_TRAP_COUNT);
}
static __always_inline void kp_context_trap_end(void)
{
	this_cpu_sub(kp_traps, KP_TRAP_COUNT);
}

/* trap.c */
int kp_trap_start(void);
void kp_trap_stop(void);

/* int3.c: a shorter way than trap.c's, where the kernel has it. */
void kp_int3_start(void);
void kp_int3_stop(void);
bool kp_int3_is_short(void);
bool kp_int3_took(const struct pt_regs *regs);	/* this hit, that way */
void kp_int3_guard(struct kp_arch_guard *guard, const struct pt_regs *regs);

/* returns.c */
void kp_returns_stop(void);

/* watch.c: breakpoints of the host itself. */
struct kp_watch {
	const char *name;		/* of a kernel function */
	/*
	 * Trap path: registers as at the function's entry.  True: go on at
	 * regs; false: run the function.
	 */
	bool (*on_hit)(struct kp_watch *watch, struct pt_regs *regs);
	/* The rest is watch.c's; written once, but for armed. */
	uintptr_t addr;			/* 0: could not be prepared */
	bool armed;			/* trap path readers */
	uintptr_t slot;
	struct kp_arch_probe arch;
	uint8_t original;
	struct kp_watch *next;
};
int kp_watch_prepare(struct kp_watch *watch);
int kp_watch_arm(struct kp_watch *watch);
int kp_watch_disarm(struct kp_watch *watch);		/* 0, or still armed */
void kp_watch_stop(void);		/* disarms all */
bool kp_watch_on_trap(struct pt_regs *regs);		/* trap path */

/* fault.c: the kernel's fault path. */
void kp_fault_start(void);

/* debugreg.c: processors that come and go. */
void kp_debugreg_start(void);
void kp_debugreg_stop(void);

/* traces.c: the kernel's stack traces. */
void kp_traces_start(void);

/* noprobe.c: what must not be probed. */
int kp_noprobe_start(void);
void kp_noprobe_module(struct module *mod);
/* On return nothing is added to the blacklist any more. */
void kp_noprobe_stop(void);

/* modules.c */
int kp_modules_start(void);
void kp_modules_stop(void);

/* examine.c */
struct dentry;
void kp_examine_start(struct dentry *directory);

/* sysctl.c */
void kp_sysctl_start(void);
void kp_sysctl_stop(void);

/* debugfs.c */
void kp_debugfs_start(void);
void kp_debugfs_stop(void);

#endif
