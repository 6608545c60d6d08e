/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rules.h - what the kernel-only rules share.
 *
 * Owns: the line format (that of tests/conformance/harness.h) and the topics.
 */
#ifndef KP_TEST_RULES_H
#define KP_TEST_RULES_H

#include <linux/kprobes.h>
#include <linux/printk.h>
#include <linux/uaccess.h>

#define expect(rule, what, cond)					\
	pr_info("KP-TEST %s %s %s\n", (cond) ? "ok" : "not ok", rule, what)
#define expect_eq(rule, what, got, want)				\
	do {								\
		long got_ = (got), want_ = (want);			\
									\
		if (got_ == want_)					\
			pr_info("KP-TEST ok %s %s\n", rule, what);	\
		else							\
			pr_info("KP-TEST not ok %s %s: got %ld, want %ld\n", \
				rule, what, got_, want_);		\
	} while (0)
#define skip(rule, what) pr_info("KP-TEST ok %s %s # skip here\n", rule, what)

/* Where no memory is. */
#if defined(CONFIG_MIPS) && defined(CONFIG_64BIT)
#define KERNEL_HOLE	((long *)0xc000000800000000)
#define NOT_CANONICAL	((long *)0x00dead0000000000)
#elif defined(CONFIG_64BIT)
#define KERNEL_HOLE	((long *)0xffffdead00000000)
#define NOT_CANONICAL	((long *)0xdead000000000000)
#elif defined(CONFIG_MIPS)
/* Behind vmalloc's, since what is in front of it is all there; all are canonical. */
#define KERNEL_HOLE	((long *)VMALLOC_END)
#define NOT_CANONICAL	((long *)(VMALLOC_END + PAGE_SIZE))
#else
/* Between the direct map and vmalloc's; all are canonical. */
#define KERNEL_HOLE	((long *)(VMALLOC_START - PAGE_SIZE))
#define NOT_CANONICAL	((long *)(VMALLOC_START - 2 * PAGE_SIZE))
#endif

/* What the list says of a probe on plain code: that it is a jump, where there are any. */
#define JUMP_TAG (IS_ENABLED(CONFIG_MIPS) ? "" : "[OPTIMIZED]")

/* Register and unregister at addr; the errno. */
static inline int try_at(unsigned long addr)
{
	struct kprobe p = { .addr = (kprobe_opcode_t *)addr };
	int err = register_kprobe(&p);

	if (!err)
		unregister_kprobe(&p);
	return err;
}

/* Where a symbol is: also a failed registration tells (K-REG-15). */
static inline unsigned long where_is(const char *name)
{
	struct kprobe p = { .symbol_name = name, .flags = KPROBE_FLAG_DISABLED };

	if (!register_kprobe(&p))
		unregister_kprobe(&p);
	return (unsigned long)p.addr;
}

void reserved_rules(void);	/* rules_reserved.c */
void check_rules(void);		/* rules_checks.c */
void context_rules(void);	/* rules_context.c */
void fault_rules(void);		/* rules_fault.c */
void ftrace_rules(void);	/* rules_ftrace.c */
void trace_rules(void);		/* rules_trace.c */
void watch_rules(void);		/* rules_watch.c */
void jump_rules(void);		/* rules_jumps.c */
void patched_rules(void);	/* rules_patched.c */
void flag_rules(void);		/* rules_flags.c */
void covered_rules(void);	/* rules_covered.c */
void list_start(void);		/* rules_list.c */
void list_stop(void);
int module_rules_start(void);	/* rules_module.c */
void module_rules_stop(void);

/*
 * After hits in the idle loop, and how many places of it could be probed, and how
 * many are blacklisted: from 6.3 on all are, since RCU watches nothing of it.
 */
static inline void expect_idle(int hits, int probed, int blacklisted)
{
	if (blacklisted && !probed)
		skip("K-HIT-35", "the idle loop, which is blacklisted");
	else
		expect("K-HIT-35", "the idle loop is probed", hits > 0);
}

static inline bool is_blacklisted(const struct kprobe *refused)
{
	return refused->reason && strstr(refused->reason, "blacklist");
}

/* The length of what indirect branches may lead to, at the function's start; or 0. */
static inline int landing_pad(const void *fn)
{
	u32 first;

	if (copy_from_kernel_nofault(&first, fn, sizeof(first)))
		return 0;
	/* endbr64, or what takes its place where nobody does */
	return first == 0xfa1e0ff3 || first == 0x001f0f66 ? 4 : 0;
}

#endif
