// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * rules_fault.c - faults in handlers and in the probed instruction: K-FLT,
 * K-HIT-24.
 *
 * Owns: a function whose load has an exception-table entry, and handlers that
 * fault in every way.
 */
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <kprobes/control.h>
#include "rules.h"
#include "targets.h"

asm(FAULT_TARGETS);
long guarded(long *p);
long nothing(long a);
extern kprobe_opcode_t guarded_load[], nothing_nop[];

enum how { TOUCH_NULL, TOUCH_HOLE, TOUCH_NOT_CANONICAL, RUN_INVALID, FIXED_UP,
	   LEAVE_STATE };
static enum how how;
static int pre_nr, post_nr, fault_nr, fault_trap, put_user_result;
static int fault_answer;

static int bad_pre(struct kprobe *p, struct pt_regs *regs)
{
	pre_nr++;
	switch (how) {
	case TOUCH_NULL:
		*(volatile long *)16 = 1;
		break;
	case TOUCH_HOLE:
		*(volatile long *)KERNEL_HOLE = 1;
		break;
	case TOUCH_NOT_CANONICAL:
		*(volatile long *)NOT_CANONICAL = 1;
		break;
	case RUN_INVALID:
		asm volatile(FAULT_INVALID);
		break;
	case FIXED_UP:
		put_user_result = __put_user(1, (int __user *)16);
		break;
	case LEAVE_STATE:
		preempt_disable();
		rcu_read_lock();
		pagefault_disable();
		*(volatile long *)KERNEL_HOLE = 1;
		break;
	}
	return 0;
}

static int good_pre(struct kprobe *p, struct pt_regs *regs)
{
	pre_nr++;
	return 0;
}

static void post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	post_nr++;
}

static unsigned long fault_ip;

static int fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	fault_nr++;
	fault_trap = trapnr;
	fault_ip = instruction_pointer(regs);
	if (fault_answer)
		fault_skip(regs, 9);
	return fault_answer;
}

static void reset(void)
{
	pre_nr = post_nr = fault_nr = fault_trap = 0;
	fault_answer = 0;
}

static void handler_faults(const char *what, enum how way, int trapnr)
{
	struct kprobe p = { .addr = nothing_nop, .pre_handler = bad_pre,
			    .post_handler = post, .fault_handler = fault };
	int count = preempt_count();

	reset();
	how = way;
	expect_eq("K-FLT-01", what, register_kprobe(&p), 0);
	expect_eq("K-FLT-01", "the probed function works", nothing(1), 2);
	expect_eq("K-FLT-02", "fault_handler called once", fault_nr, 1);
	expect_eq("K-FLT-02", "with the trap number", fault_trap, trapnr);
	expect_eq("K-FLT-04", "nmissed", p.nmissed, 1);
	expect_eq("K-FLT-06", "the preemption count is as before",
		  preempt_count(), count);
	expect("K-FLT-06", "page faults are enabled", !pagefault_disabled());
	if (way == FIXED_UP) {
		expect_eq("K-FLT-06", "put_user's own fixup", put_user_result,
			  -EFAULT);
		expect_eq("K-FLT-06", "and the post handler", post_nr, 1);
	} else {
		expect("K-FLT-06", "a probe with a broken handler is disabled",
		       kprobe_disabled(&p));
	}
	unregister_kprobe(&p);
}

/* On a breakpoint, nothing of what an abandoned handler did is left. */
static int changes_and_faults(struct kprobe *p, struct pt_regs *regs)
{
	pre_nr++;
	ARGUMENT_OF(regs) = 100;
	*(volatile long *)KERNEL_HOLE = 1;
	return 0;
}

static int changes(struct kprobe *p, struct pt_regs *regs)
{
	pre_nr++;
	ARGUMENT_OF(regs)++;
	return 0;
}

static void several_fault(void)
{
	static struct kprobe p[5];
	int i, off = 0;

	kprobes_set_optimization(false);
	reset();
	for (i = 0; i < ARRAY_SIZE(p); i++) {
		p[i] = (struct kprobe){ .addr = nothing_nop, .pre_handler =
					i % 2 ? changes : changes_and_faults };
		expect_eq("K-FLT-06", "register", register_kprobe(&p[i]), 0);
	}
	expect_eq("K-FLT-06", "three of five handlers fault in one hit",
		  nothing(1), 4);
	expect_eq("K-FLT-06", "each was called", pre_nr, 5);
	expect_eq("K-FLT-06", "then the others", nothing(1), 4);
	expect_eq("K-FLT-06", "each was called", pre_nr, 7);
	for (i = 0; i < ARRAY_SIZE(p); i++) {
		off += !!kprobe_disabled(&p[i]);
		unregister_kprobe(&p[i]);
	}
	expect_eq("K-FLT-06", "the faulty ones are off", off, 3);
	kprobes_set_optimization(true);
}

/* It may leave something behind, so that the state is noted before it. */
static int noted_pre(struct kprobe *p, struct pt_regs *regs)
{
	preempt_count_add(1);
	pre_nr++;
	preempt_count_sub(1);
	return 0;
}

static int leaf_pre(struct kprobe *p, struct pt_regs *regs)
{
	pre_nr++;
	barrier();			/* it is counted before the fault */
	*(volatile long *)KERNEL_HOLE = 1;
	return 0;
}

static void leaf_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	post_nr++;
	barrier();
	*(volatile long *)KERNEL_HOLE = 1;
}

static void bad_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	post_nr++;
	barrier();
	preempt_count_add(1);
	*(volatile long *)KERNEL_HOLE = 1;
}

static int leaf_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	pre_nr++;
	barrier();
	*(volatile long *)KERNEL_HOLE = 1;
	return 0;
}

static int counting_pre(struct kprobe *p, struct pt_regs *regs)
{
	pre_nr++;
	barrier();
	preempt_count_add(1);
	*(volatile long *)KERNEL_HOLE = 1;
	return 0;
}

/* A hit that notes another count. */
static void note_another(const char *what)
{
	struct kprobe other = { .addr = nothing_nop, .pre_handler = noted_pre };

	reset();
	expect_eq("K-FLT-06", what, register_kprobe(&other), 0);
	kprobes_flush();
	preempt_count_add(1);
	nothing(1);
	preempt_count_sub(1);
	expect_eq("K-FLT-06", "the other was called", pre_nr, 1);
	unregister_kprobe(&other);
	reset();
}

/* The probe's handler has faulted, or will when the function is called. */
static void works_with(struct kprobe *p, int *nr, int times)
{
	int count = preempt_count();

	kprobes_flush();
	expect_eq("K-FLT-06", "the probed function works", nothing(1), 2);
	expect_eq("K-FLT-06", "it was called", *nr, times);
	expect("K-FLT-06", "it is off", kprobe_disabled(p));
	expect_eq("K-FLT-06", "the preemption count is as before", preempt_count(), count);
	preempt_count_set(count);
}

/* What another hit noted, with another count, is not its. */
static void faults_after_another(const char *what, kprobe_pre_handler_t pre, kprobe_post_handler_t bad)
{
	struct kprobe p = { .addr = nothing_nop, .pre_handler = pre, .post_handler = bad };

	note_another(what);
	expect_eq("K-FLT-06", "register", register_kprobe(&p), 0);
	works_with(&p, bad ? &post_nr : &pre_nr, 1);
	unregister_kprobe(&p);
}

/* The second one is what has something to undo. */
static void two_fault(kprobe_pre_handler_t first, kprobe_pre_handler_t second)
{
	struct kprobe p = { .addr = nothing_nop, .pre_handler = first };
	struct kprobe q = { .addr = nothing_nop, .pre_handler = second };

	note_another("two handlers of a hit fault");
	expect_eq("K-FLT-06", "register", register_kprobe(&p), 0);
	expect_eq("K-FLT-06", "register", register_kprobe(&q), 0);
	works_with(&p, &pre_nr, 2);
	expect("K-FLT-06", "so is the other", kprobe_disabled(&q));
	unregister_kprobe(&p);
	unregister_kprobe(&q);
}

static void return_faults_after_another(void)
{
	struct kretprobe rp = { .kp.addr = nothing_nop, .handler = leaf_return };

	note_another("a return handler that calls nothing");
	expect_eq("K-FLT-06", "register", register_kretprobe(&rp), 0);
	works_with(&rp.kp, &pre_nr, 1);
	unregister_kretprobe(&rp);
}

static void faults_of_other_counts(bool jump)
{
	kprobes_set_optimization(jump);
	faults_after_another("a pre_handler that calls nothing", leaf_pre, NULL);
	faults_after_another("a post_handler that calls nothing", NULL, leaf_post);
	faults_after_another("a post_handler, and no pre_handler", NULL, bad_post);
	faults_after_another("a post_handler, and a pre_handler that leaves nothing", good_pre, bad_post);
	two_fault(leaf_pre, leaf_pre);
	two_fault(leaf_pre, counting_pre);
	two_fault(counting_pre, leaf_pre);
	return_faults_after_another();
	kprobes_set_optimization(true);
}

/* The copied load faults: boosted, then stepped. */
static void copy_faults(bool with_post)
{
	struct kprobe p = { .addr = guarded_load, .pre_handler = good_pre,
			    .post_handler = with_post ? post : NULL,
			    .fault_handler = fault };
	long good = 42;

	reset();
	expect_eq("K-HIT-24", "register on a load with a fixup",
		  register_kprobe(&p), 0);
	expect_eq("K-HIT-24", "a good load", guarded(&good), 42);
	expect_eq("K-HIT-24", "its post handler", post_nr, with_post);
	expect_eq("K-HIT-24", "a bad load", guarded(KERNEL_HOLE), 7);
	expect_eq("K-HIT-24", "another kind", guarded(NOT_CANONICAL), 7);
	expect_eq("K-HIT-24", "pre ran each time", pre_nr, 3);
	expect_eq("K-HIT-24", "post only without a fault", post_nr, with_post);
	expect_eq("K-HIT-24", "nothing missed", p.nmissed, 0);
	expect_eq("K-FLT-07", "fault_handler asked each time", fault_nr, 2);
	expect_eq("K-FLT-07", "with the original address", fault_ip,
		  (unsigned long)guarded_load);
	fault_answer = 1;
	expect_eq("K-FLT-03", "fault_handler resumes elsewhere",
		  guarded(KERNEL_HOLE), 9);
	fault_answer = 0;
	unregister_kprobe(&p);
	expect_eq("K-HIT-24", "unprobed again", guarded(KERNEL_HOLE), 7);
}

void fault_rules(void)
{
	expect_eq("K-HIT-24", "the bare fixup", guarded(KERNEL_HOLE), 7);
	handler_faults("a handler touches NULL", TOUCH_NULL, FAULT_TRAP);
	handler_faults("a handler touches unmapped memory", TOUCH_HOLE,
		       FAULT_TRAP);
	handler_faults("a handler's address is not canonical",
		       TOUCH_NOT_CANONICAL, FAULT_TRAP_ODD);
	if (FAULT_TRAP_INVALID)
		handler_faults("a handler runs no instruction", RUN_INVALID,
			       FAULT_TRAP_INVALID);
	handler_faults("a handler's put_user fails", FIXED_UP, FAULT_TRAP);
	handler_faults("a handler leaves state behind", LEAVE_STATE,
		       FAULT_TRAP);
	several_fault();
	faults_of_other_counts(false);
	faults_of_other_counts(true);
	copy_faults(false);
	copy_faults(true);
}
