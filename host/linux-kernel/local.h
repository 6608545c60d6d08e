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
#include "machine.h"
#include "upcall.h"

#define current get_current()

struct exception_table_entry;
struct ftrace_ops;
struct perf_event;
struct perf_event_attr;
struct perf_sample_data;

/*
 * Found by name when the module is loaded; written once, before the engine
 * starts.  0: this kernel has no such symbol; whoever uses one says what happens
 * then.  Each function of the kernel here has one of ours, declared below, that is a
 * jump to it.
 */
struct kp_hidden {
	uintptr_t lookup_name, lookup_size_offset, module_alloc, vmalloc_range,
		module_memfree, set_memory_ro, set_memory_rw, set_memory_x,
		set_memory_nx, module_address, search_extables, find_bug,
		ftrace_location_range, free_filter, rcu_enter, rcu_exit,
		get_kprobe, within_kprobe_blacklist, fixup_exception,
		show_value, copy_to_nofault, create_counter, release_counter,
		unpoison_stack, jump_label_in, jump_label_lock,
		jump_label_unlock, static_call_in, is_cfi_trap;
	KP_MACHINE_HIDDEN
	struct mutex *text_mutex;
	uintptr_t text_start, text_end;
};
extern struct kp_hidden kp_hidden;

unsigned long kp_kernel_lookup_name(const char *name);
int kp_kernel_lookup_size_offset(unsigned long addr, unsigned long *size,
				 unsigned long *offset);
void *kp_kernel_module_alloc(unsigned long len);
void *kp_kernel_vmalloc_range(unsigned long len, unsigned long align,
			      unsigned long low, unsigned long high, gfp_t gfp,
			      pgprot_t prot, unsigned long flags, int node,
			      const void *caller);
void kp_kernel_module_memfree(void *mem);
int kp_kernel_set_memory_ro(unsigned long addr, int pages);
int kp_kernel_set_memory_rw(unsigned long addr, int pages);
int kp_kernel_set_memory_x(unsigned long addr, int pages);
int kp_kernel_set_memory_nx(unsigned long addr, int pages);
struct module *kp_kernel_module_address(unsigned long addr);
const struct exception_table_entry *kp_kernel_search_extables(unsigned long addr);
void *kp_kernel_find_bug(unsigned long addr);
unsigned long kp_kernel_ftrace_location_range(unsigned long start,
					      unsigned long end);
void kp_kernel_free_filter(struct ftrace_ops *ops);
void kp_kernel_rcu_enter(void);			/* as by an NMI */
void kp_kernel_rcu_exit(void);
void *kp_kernel_get_kprobe(void *addr);		/* the kernel's own Kprobes */
bool kp_kernel_within_kprobe_blacklist(unsigned long addr);
bool kp_kernel_show_value(const struct cred *cred);
long kp_kernel_copy_to_nofault(void *dst, const void *src, size_t len);
/* Hardware breakpoints. */
struct perf_event *
kp_kernel_create_counter(struct perf_event_attr *attr, int cpu,
			 struct task_struct *task,
			 void (*fn)(struct perf_event *event,
				    struct perf_sample_data *data,
				    struct pt_regs *regs),
			 void *context);
int kp_kernel_release_counter(struct perf_event *event);
void kp_kernel_unpoison_stack(const void *watermark);	/* only with KASAN */
/*
 * Is there a place that the kernel patches in [start, end]?  The first decodes what
 * stands at each, so it needs the lock: no breakpoint of the kernel's is there then.
 */
int kp_kernel_jump_label_in(void *start, void *end);
void kp_kernel_jump_label_lock(void);
void kp_kernel_jump_label_unlock(void);
int kp_kernel_static_call_in(void *start, void *end);
bool kp_kernel_is_cfi_trap(unsigned long addr);	/* does it end a check of kCFI's? */

/* symbols.c */
int kp_symbols_start(void);
void kp_put_back_prepare(void);		/* put_back.c; before the machine is stopped */
unsigned long kp_symbols_find(const char *name);	/* 0 when there is none */

/* hidden.c: is it text of the kernel itself? */
bool kp_text_is_core(uintptr_t addr);

/* text.c */
void kp_text_start(void);

/* alias.c */
void kp_alias_start(void);
int kp_text_alias_write(uintptr_t addr, const void *src, size_t len);
/* A writable second mapping of the len bytes at addr; NULL without memory. */
void *kp_text_alias(uintptr_t addr, size_t len);
void kp_text_unalias(void *alias);
/*
 * A jump to target, of KP_JUMP_LEN bytes, in a KP_ASM_JUMP_PLACE where nobody is yet: 0
 * or -errno.  ARCH/jump.c.
 */
int kp_text_write_jump(uintptr_t at, uintptr_t target);
bool kp_text_written_twice(void);	/* see alias.c */

/* indirect.c */
int kp_calls_start(void);

/* rcu_word.c */
void kp_rcu_start(void);

/* reserved.c: ranges of text that other code patches. */
int kp_reserved_start(void);
void kp_reserved_stop(void);
/* Why [addr, addr+len) cannot be probed, or NULL; mod: its owner or NULL. */
const char *kp_reserved_why(uintptr_t addr, size_t len, struct module *mod);

/* What the kernel's own Kprobes refuses, until the next module comes or goes. */
const char *kp_reserved_blacklisted(uintptr_t addr);
void kp_reserved_forget(void);

/* ftrace_sites.c: where ftrace patches. */
uintptr_t kp_ftrace_site(uintptr_t addr, size_t len);	/* 0: none */

/* ARCH/ftrace.c, or no_ftrace.c */
void kp_ftrace_start(void);
void kp_ftrace_stop(void);
void kp_ftrace_forgo(void);			/* not usable from now on */
bool kp_ftrace_usable(void);
void kp_ftrace_guard(struct kp_arch_guard *guard, const struct pt_regs *regs);

/* anchor.c */
uintptr_t kp_ftrace_anchor_site(void);
long kp_trial_traced(long n);			/* n + 1 */

/* quiesce.c */
void kp_frames_learn(const struct pt_regs *regs);	/* of a trap that is being handled */
bool kp_frames_learnt(void);				/* they are found as they should */

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

/* ARCH/direct.c, with KP_DIRECT_EXEC: where the kernel's own text is; 0 or -ENOMEM. */
int kp_direct_alloc(struct kp_exec *out, uintptr_t near, size_t len);
void kp_direct_free(const struct kp_exec *exec);

/*
 * context.c: the traps that this CPU is handling for us; trap path.
 *
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

/* ARCH/trap.c */
int kp_trap_start(void);
void kp_trap_stop(void);

/* ARCH/short.c: a shorter way than trap.c's, where the kernel has it. */
void kp_short_start(void);
void kp_short_stop(void);
bool kp_short_usable(void);
bool kp_short_took(const struct pt_regs *regs);	/* this hit, that way */
void kp_short_guard(struct kp_arch_guard *guard, const struct pt_regs *regs);

/* returns.c */
void kp_returns_stop(void);

/* intercept.c: breakpoints of the host itself. */
struct kp_intercept {
	const char *name;		/* of a kernel function */
	/*
	 * Trap path: registers as at the function's entry.  True: go on at
	 * regs; false: run the function.
	 */
	bool (*on_hit)(struct kp_intercept *intercept, struct pt_regs *regs);
	/* The rest is intercept.c's; written once, but for armed. */
	uintptr_t addr;			/* 0: could not be prepared */
	bool armed;			/* trap path readers */
	uintptr_t slot;
	struct kp_arch_probe arch;
	uint8_t original[KP_ARCH_BP_LEN];
	struct kp_intercept *next;
};
int kp_intercept_prepare(struct kp_intercept *intercept);
int kp_intercept_arm(struct kp_intercept *intercept);
int kp_intercept_disarm(struct kp_intercept *intercept);		/* 0, or still armed */
void kp_intercept_stop(void);		/* disarms all */
bool kp_intercept_on_trap(struct pt_regs *regs);		/* trap path */

/* ARCH/fault.c: the kernel's fault path. */
void kp_fault_start(void);

/* debugreg.c */
void kp_debugreg_start(void);
void kp_debugreg_stop(void);

/* access_tell.c */
/* Trap path: is what happens at regs anybody's but the engine's? */
bool kp_access_told(struct pt_regs *regs);
void kp_access_tell(struct pt_regs *regs, uintptr_t word);	/* regs: behind the access */

/*
 * ARCH/access.c.  kp_access_trapped, trap path: a debug register of ours, which holds word,
 * has trapped at regs.  It is told as soon as the access was made.
 */
void kp_access_start(void);
void kp_access_stop(void);	/* no word is watched any more */
const char *kp_access_refused(void);	/* why none can be, or NULL */
void kp_access_trapped(struct pt_regs *regs, uintptr_t word);

/* backtrace.c: the kernel's stack traces. */
void kp_backtrace_start(void);
/* ARCH/backtrace.c: where they take return addresses. */
extern const struct kp_backtrace {
	struct kp_intercept *intercepts;
	unsigned int nr;
	const char *without;	/* what becomes of "stack traces" without them */
} kp_backtrace;

/* noprobe.c: what must not be probed. */
int kp_noprobe_start(void);
void kp_noprobe_module(struct module *mod);
/* On return nothing is added to the blacklist any more. */
void kp_noprobe_stop(void);

/* modules.c */
int kp_modules_start(void);
void kp_modules_stop(void);

/* debugfs_tools.c */
struct dentry;
void kp_examine_start(struct dentry *directory);

/* sysctl.c */
void kp_sysctl_start(void);
void kp_sysctl_stop(void);

/* debugfs.c */
void kp_debugfs_start(void);
void kp_debugfs_stop(void);

#endif
