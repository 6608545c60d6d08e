/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * snapshot.h - text before and after.
 *
 * Owns: copies of text, and which differences are the kernel's own doing.
 */
#ifndef KP_TEST_SNAPSHOT_H
#define KP_TEST_SNAPSHOT_H

#include <linux/kprobes.h>
#include <linux/moduleparam.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include "rules.h"

/*
 * Where core text ends, from /proc/kallsyms: on a kernel that has no names of data
 * no symbol covers the address, and no registration tells.
 */
static unsigned long etext;
module_param(etext, ulong, 0400);

/* NULL: it could not be read. */
static inline void *snapshot(unsigned long start, unsigned long len)
{
	void *copy = vmalloc(len);

	if (copy && copy_from_kernel_nofault(copy, (void *)start, len)) {
		vfree(copy);
		copy = NULL;
	}
	return copy;
}

/* The calls in ftrace's trampolines lead where its users of the moment need. */
static const char *const ftrace_calls[] = { "ftrace_call", "ftrace_regs_call" };

/*
 * While a call with a return probe is in flight, whoever's it was (backtrace.c): a
 * breakpoint at the function's first instruction, or behind its ftrace site.
 */
static const char *const watched[] = {
	"unwind_next_frame", "unwind_get_return_address",
	"sprint_backtrace", "sprint_backtrace_build_id",
#ifdef CONFIG_ARM64
	"stack_trace_consume_entry", "stack_trace_consume_entry_nosched",
	"dump_backtrace_entry", "callchain_trace",
#elif defined(CONFIG_ARM)
	"unwind_frame",
#elif defined(CONFIG_RISCV)
	"stack_trace_consume_entry", "stack_trace_consume_entry_nosched",
	"print_trace_address", "fill_callchain",
#elif defined(CONFIG_MIPS)
	"unwind_stack",
#endif
};

/* Where these are.  Found once: each takes a registration. */
struct patched_places {
	unsigned long ftrace_calls[ARRAY_SIZE(ftrace_calls)];
	unsigned long watched[ARRAY_SIZE(watched)];
};

static inline void find_places(struct patched_places *places)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(ftrace_calls); i++)
		places->ftrace_calls[i] = where_is(ftrace_calls[i]);
	for (i = 0; i < ARRAY_SIZE(watched); i++)
		places->watched[i] = where_is(watched[i]);
}

static inline bool ftrace_patches(const struct patched_places *places, unsigned long addr)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(ftrace_calls); i++)
		if (places->ftrace_calls[i] && addr - places->ftrace_calls[i] < 5)
			return true;
	return false;
}

static inline bool host_watches(const struct patched_places *places, unsigned long addr)
{
	unsigned long start;
	int i;

	for (i = 0; i < ARRAY_SIZE(watched); i++) {
		start = places->watched[i];
		if (!IS_ENABLED(CONFIG_X86) ? addr - start < 4 :
					       addr == start || addr == start + 5)
			return true;
	}
	return false;
}

/*
 * The kernel's own patching: the refusal to probe there says so.  Before a function that
 * it begins to call it writes what counts calls (retbleed=stuff): no probe is there.
 */
static inline bool kernel_patches(const struct patched_places *places, unsigned long addr)
{
	struct kprobe p = { .addr = (kprobe_opcode_t *)(
		IS_ENABLED(CONFIG_ARM64) || IS_ENABLED(CONFIG_MIPS) || IS_ENABLED(CONFIG_ARM) ? addr & ~3ul :
		IS_ENABLED(CONFIG_RISCV) ? addr & ~1ul : addr) };

	if (ftrace_patches(places, addr) || host_watches(places, addr))
		return true;
	if (!register_kprobe(&p)) {
		unregister_kprobe(&p);
		return false;
	}
	return p.reason && (strstr(p.reason, "patches") ||
			    strstr(p.reason, "preamble") ||
			    strstr(p.reason, "ftrace"));
}

static inline long differences(unsigned long start, unsigned long len,
			       const u8 *before, const u8 *after)
{
	struct patched_places places;
	unsigned long i;
	long nr = 0;

	find_places(&places);
	for (i = 0; i < len; i++) {
		if (before[i] == after[i])
			continue;
		/* Each takes a registration, and there may be hundreds. */
		cond_resched();
		if (kernel_patches(&places, start + i))
			continue;
		if (nr++ < 5)
			pr_warn("%pS was %02x, is %02x\n", (void *)(start + i),
				before[i], after[i]);
	}
	return nr;
}

#endif
