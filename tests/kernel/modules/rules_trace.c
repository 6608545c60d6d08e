// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * rules_trace.c - the kernel's stack traces through hooked calls: K-RET-44.
 *
 * Owns: three functions, each called by the one before, the last two with
 * return probes; traces are taken in the last one and in its handlers.  One is
 * printed between the lines "KP-TRACE begin" and "KP-TRACE end", for the case's
 * script to look at.
 */
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <kprobes/control.h>
#include "rules.h"
#include "targets.h"

#define DEPTH 48
#define TRACES 200

static struct {
	unsigned long entries[DEPTH];
	unsigned int nr;
} in_function, at_entry, at_return, at_pre, at_post, at_jprobe;

static bool take_dump;
static s64 ns_per_trace;
static char printed[KSYM_SYMBOL_LEN];

/* Without ftrace sites, which stand where the return probes want to be. */
notrace noinline long trace_outer(long n);
notrace noinline long trace_middle(long n);
notrace long trace_body(long n);
long trace_inner(long n);
asm(TRACE_INNER);

static __always_inline unsigned int take(unsigned long *entries)
{
#ifdef CONFIG_STACKTRACE
	return stack_trace_save(entries, DEPTH, 0);
#elif TRACE_IS_MINE
	return trace_take(entries, DEPTH);
#else
	return 0;
#endif
}
#define CAN_TAKE (IS_ENABLED(CONFIG_STACKTRACE) || TRACE_IS_MINE)
/* Of one that cannot, only what the script finds in the log is looked at. */
#define expect_trace(what, cond) do { if (CAN_TAKE) expect("K-RET-44", what, cond); } while (0)
#define TAKE(where) ((where).nr = take((where).entries))

notrace long trace_body(long n)
{
	ktime_t start = ktime_get();
	int i;

	for (i = 0; i < TRACES; i++)
		TAKE(in_function);
	ns_per_trace = (ktime_get() - start) / TRACES;
#ifdef TRACE_RETURN
	snprintf(printed, sizeof(printed), "%pB",
		 TRACE_RETURN((void **)__builtin_frame_address(0)));
#endif
	if (take_dump) {
		/* As loud as what is between them: tools/vm/run reads both. */
		pr_warn("KP-TRACE begin\n");
		dump_stack();
		pr_warn("KP-TRACE end\n");
	}
	return n + 1;
}

notrace noinline long trace_middle(long n)
{
	return trace_inner(n) + 1;
}

notrace noinline long trace_outer(long n)
{
	return trace_middle(n) + 1;
}

static int on_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	TAKE(at_entry);
	return 0;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	TAKE(at_return);
	return 0;
}

/* In the middle of a function that calls, by whichever way its hits come. */
static int on_pre(struct kprobe *p, struct pt_regs *regs)
{
	TAKE(at_pre);
	return 0;
}

static void on_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	TAKE(at_post);
}

static void on_jprobe(long n)
{
	TAKE(at_jprobe);
	jprobe_return();
}

static bool is_in(unsigned long addr, const char *name)
{
	char text[KSYM_SYMBOL_LEN];

	snprintf(text, sizeof(text), "%ps", (void *)(addr - 1));
	/* "name [module]" or "name.cold [module]" */
	return !strncmp(text, name, strlen(name)) &&
	       strchr(". ", text[strlen(name)]);
}

/* The function's callers follow one another, and no stub is shown. */
static bool is_whole(const unsigned long *entries, unsigned int nr)
{
	bool found = false;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (is_kretprobe_trampoline(entries[i]))
			return false;
		if (i + 2 < nr && is_in(entries[i], "trace_middle") &&
		    is_in(entries[i + 1], "trace_outer") &&
		    is_in(entries[i + 2], "trace_rules"))
			found = true;
	}
	return found;
}

static struct kretprobe probes[] = {
	{ .kp.symbol_name = "trace_middle" },
	{ .kp.symbol_name = "trace_inner", .entry_handler = on_entry,
	  .handler = on_return },
};

/* Behind the frame is made: the callers of trace_body are these. */
static struct kprobe in_body = { .symbol_name = "trace_body", .pre_handler = on_pre };
static struct jprobe jumps = { .kp.symbol_name = "trace_body", .entry = on_jprobe };

/* Whoever takes a trace in a handler finds who has called.  Inline: trace_rules is one of them. */
static __always_inline void in_handlers(const char *way)
{
	char words[96];

	memset(&at_pre, 0, sizeof(at_pre));
	memset(&at_post, 0, sizeof(at_post));
	memset(&at_jprobe, 0, sizeof(at_jprobe));
	memset(&at_return, 0, sizeof(at_return));
	in_body.addr = NULL;
	in_body.flags = 0;
	jumps.kp.addr = NULL;
	jumps.kp.flags = 0;
	expect_eq("K-RET-44", "register a kprobe", register_kprobe(&in_body), 0);
	expect_eq("K-RET-44", "register a jprobe", register_jprobe(&jumps), 0);
	kprobes_flush();
	trace_outer(1);
	unregister_jprobe(&jumps);
	snprintf(words, sizeof(words), "a trace in a pre_handler, %s", way);
	expect_trace(words, is_whole(at_pre.entries, at_pre.nr));
	snprintf(words, sizeof(words), "a trace in a jprobe, %s", way);
	expect_trace(words, is_whole(at_jprobe.entries, at_jprobe.nr));
	snprintf(words, sizeof(words), "a trace in a return handler, %s", way);
	expect_trace(words, is_whole(at_return.entries, at_return.nr));
	unregister_kprobe(&in_body);
	in_body.addr = NULL;
	in_body.flags = 0;
	in_body.post_handler = on_post;
	expect_eq("K-RET-44", "register one with a post_handler", register_kprobe(&in_body), 0);
	kprobes_flush();
	trace_outer(1);
	snprintf(words, sizeof(words), "a trace in a post_handler, %s", way);
	expect_trace(words, is_whole(at_post.entries, at_post.nr));
	unregister_kprobe(&in_body);
	in_body.post_handler = NULL;
}

noinline void trace_rules(void)
{
	struct kretprobe *list[] = { &probes[0], &probes[1] };
	unsigned int nr;
	s64 before;

	trace_outer(1);
	before = ns_per_trace;
	nr = in_function.nr;
	expect_trace("a trace without return probes",
	       is_whole(in_function.entries, in_function.nr));
	expect_eq("K-RET-44", "register", register_kretprobes(list, 2), 0);
	take_dump = true;
	trace_outer(1);
	take_dump = false;
	expect_trace("a trace in a function shows the real callers",
	       is_whole(in_function.entries, in_function.nr));
	expect_eq("K-RET-44", "as many as without probes", in_function.nr, nr);
	if (*printed)
		expect("K-RET-44", "%pB of the return address names the caller",
		       !strncmp(printed, "trace_middle+", 13));
	if (TRACE_SHOWS_CALLER)
		expect_trace("a trace in the entry handler",
		       is_whole(at_entry.entries, at_entry.nr));
	expect_trace("a trace in the handler",
	       is_whole(at_return.entries, at_return.nr));
	kprobes_set_optimization(false);
	in_handlers("by a breakpoint");
	kprobes_set_optimization(true);
	in_handlers("as it comes");
	pr_info("KP-COST a trace: %lld ns, with return probes %lld ns, %u frames\n",
		before, ns_per_trace, nr);
	unregister_kretprobes(list, 2);
	trace_outer(1);
	expect_trace("and a trace afterwards",
	       is_whole(in_function.entries, in_function.nr));
}
