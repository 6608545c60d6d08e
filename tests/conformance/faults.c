/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* faults.c - K-FLT: faults in handlers and in the probed instruction. */
#include "harness.h"

static struct kprobe *fault_probe;
static int fault_trapnr;
static unsigned long fault_ip;

static void note(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	t_counts.fault++;
	fault_probe = p;
	fault_trapnr = trapnr;
	fault_ip = instruction_pointer(regs);
}

static int fault_skip_poke(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	note(p, regs, trapnr);
	instruction_pointer_set(regs, (unsigned long)T_AT(t_poke, T_POKE_RET));
	return 1;
}

static int fault_declines(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	note(p, regs, trapnr);
	return 0;
}

static int after_the_fault;

static int pre_faults(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	t_counts.pre++;
	t_poke(t_bad_address);
	after_the_fault++;
	return 0;
}

static void post_faults(struct kprobe *p, struct pt_regs *regs,
			unsigned long flags)
{
	(void)p;
	(void)regs;
	(void)flags;
	t_counts.post++;
	t_poke(t_bad_address);
	after_the_fault++;
}

static void handled_in_a_handler(void)
{
	struct kprobe p = { .symbol_name = "t_add", .pre_handler = pre_faults,
			    .post_handler = t_post,
			    .fault_handler = fault_skip_poke };

	t_register(&p);
	t_reset();
	after_the_fault = 0;
	EXPECT_EQ("K-FLT-01", "fault in pre_handler: the function works",
		  t_add(2, 3), 5);
	EXPECT_EQ("K-FLT-11", "there is a fault_handler, and it is called",
		  t_counts.fault, 1);
	EXPECT("K-FLT-02", "fault_handler gets the probe and the vector",
	       t_counts.fault == 1 && fault_probe == &p && fault_trapnr == T_STORE_FAULT);
	EXPECT("K-FLT-02", "and the faulting registers",
	       fault_ip == T_CODE(t_poke));
	EXPECT_EQ("K-FLT-03", "execution resumes where it said",
		  after_the_fault, 1);
	EXPECT_EQ("K-FLT-13", "then post_handler runs", t_counts.post, 1);
	EXPECT_EQ("K-FLT-04 K-REE-16", "nmissed is incremented", p.nmissed, 1);
	EXPECT("K-FLT-03", "the probe stays enabled", !kprobe_disabled(&p));
	unregister_kprobe(&p);

	p = (struct kprobe){ .symbol_name = "t_add",
			     .post_handler = post_faults,
			     .fault_handler = fault_skip_poke };
	t_register(&p);
	t_reset();
	after_the_fault = 0;
	EXPECT_EQ("K-FLT-01", "fault in post_handler: the function works",
		  t_add(2, 3), 5);
	EXPECT("K-FLT-03", "handled and resumed",
	       t_counts.fault == 1 && after_the_fault == 1);
	unregister_kprobe(&p);
}

static void only_the_one_that_runs(void)
{
	struct kprobe p = { .symbol_name = "t_add", .pre_handler = pre_faults,
			    .fault_handler = fault_skip_poke };
	struct kprobe q = { .symbol_name = "t_add", .pre_handler = t_pre,
			    .fault_handler = fault_declines };

	t_register(&p);
	t_register(&q);
	t_reset();
	EXPECT_EQ("K-FLT-05", "two children", t_add(2, 3), 5);
	EXPECT("K-FLT-05", "only the one whose handler ran is asked",
	       t_counts.fault == 1 && fault_probe == &p);
	EXPECT("K-FLT-04", "nmissed of all children",
	       p.nmissed == 1 && q.nmissed == 1);
	unregister_kprobe(&p);
	unregister_kprobe(&q);
}

/* Nobody handles it: said, the probe is switched off, life goes on. */
static void unhandled_in_a_handler(void)
{
	struct kprobe p = { .symbol_name = "t_add", .pre_handler = pre_faults,
			    .post_handler = t_post };
	struct kprobe q = { .symbol_name = "t_add", .pre_handler = t_pre };

	t_register(&q);
	t_register(&p);
	t_reset();
	after_the_fault = 0;
	EXPECT_EQ("K-FLT-06", "no fault_handler: the function works",
		  t_add(2, 3), 5);
	EXPECT("K-FLT-06", "the handler is abandoned",
	       t_counts.pre >= 1 && !after_the_fault);
	t_reset();
	EXPECT_EQ("K-FLT-06", "the next call works", t_add(2, 3), 5);
	EXPECT("K-FLT-06", "the faulty probe is off, the other is not",
	       t_counts.pre == 1 && t_counts.who == &q);
	unregister_kprobe(&p);
	unregister_kprobe(&q);

	p.addr = NULL;
	p.flags = 0;
	p.fault_handler = fault_declines;
	t_register(&p);
	t_reset();
	EXPECT_EQ("K-FLT-06", "fault_handler declines: the function works",
		  t_add(2, 3), 5);
	EXPECT_EQ("K-FLT-06", "it was asked", t_counts.fault, 1);
	unregister_kprobe(&p);
	EXPECT_EQ("K-INV-05", "restored", t_text(t_add), T_ADD_FIRST);
}

static int fault_faults(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	note(p, regs, trapnr);
	t_poke(t_bad_address);
	after_the_fault++;
	return 1;
}

static void also_in_the_fault_handler(bool jump)
{
	struct kprobe p = { .symbol_name = "t_wide", .pre_handler = pre_faults,
			    .fault_handler = fault_faults };
	struct kprobe q = { .symbol_name = "t_wide", .pre_handler = t_pre };

	t_breakpoints_only(!jump);
	t_register(&q);
	t_register(&p);
	t_settle();
	t_reset();
	after_the_fault = 0;
	EXPECT_EQ("K-FLT-06", "a fault_handler faults, too: the function works",
		  t_wide(2), 7);
	EXPECT("K-FLT-06", "both are abandoned, the probe is off",
	       t_counts.fault == 1 && !after_the_fault && kprobe_disabled(&p));
	EXPECT("K-FLT-06", "the other probe is hit", t_counts.who == &q);
	t_reset();
	EXPECT("K-FLT-06", "and the next time", t_wide(2) == 7 &&
	       t_counts.pre == 1 && t_counts.who == &q && !t_counts.fault);
	unregister_kprobe(&p);
	unregister_kprobe(&q);
	t_breakpoints_only(0);
}

/* What is unregistered is not among the children any more when it faults. */
static struct kprobe leaving, staying;
static int in_leaving, was_left, wide_result;

static int pre_faults_when_left(struct kprobe *p, struct pt_regs *regs)
{
	long spins = 0;

	(void)regs;
	__atomic_store_n(&in_leaving, 1, __ATOMIC_SEQ_CST);
	while (!was_left && spins++ < T_SPINS) {
		was_left = __atomic_load_n(&p->flags, __ATOMIC_SEQ_CST) &
			   KPROBE_FLAG_DISABLED;
		t_relax();
	}
	t_poke(t_bad_address);
	return 0;
}

static void hit_or_unregister(void *arg)
{
	static int turn;
	long waited = 0;

	(void)arg;
	if (!(__atomic_fetch_add(&turn, 1, __ATOMIC_SEQ_CST) % 2)) {
		wide_result = (int)t_wide(2);
		return;
	}
	while (!__atomic_load_n(&in_leaving, __ATOMIC_SEQ_CST) &&
	       waited++ < T_SPINS)
		t_breathe();
	unregister_kprobe(&leaving);
}

static void while_it_is_unregistered(bool jump)
{
	int tries;

	was_left = 0;
	for (tries = 0; tries < T_TRIES && !was_left; tries++) {
		staying = (struct kprobe){ .symbol_name = "t_wide",
					   .pre_handler = t_pre };
		leaving = (struct kprobe){ .symbol_name = "t_wide",
					   .pre_handler = pre_faults_when_left };
		t_breakpoints_only(!jump);
		t_register(&staying);
		t_register(&leaving);
		t_settle();
		in_leaving = 0;
		t_reset();
		t_threads(2, hit_or_unregister, NULL);
		unregister_kprobe(&staying);
		t_breakpoints_only(0);
	}
	if (T_ALONE())
		SKIP("K-FLT-06 K-UNR-02", "nobody unregisters while a handler runs");
	else
		EXPECT("K-FLT-06 K-UNR-02", "a handler faults while its probe is unregistered",
		       was_left);
	EXPECT_EQ("K-FLT-06", "the function works", wide_result, 7);
	EXPECT("K-INV-01 K-FLT-06", "the other probe is hit all the same",
	       t_counts.pre == 1 && t_counts.who == &staying);
}

/* ---- the probed instruction ---------------------------------------------- */

static int fault_gives_result(struct kprobe *p, struct pt_regs *regs,
			      int trapnr)
{
	note(p, regs, trapnr);
	t_set_result(regs, (unsigned long)-7);
	instruction_pointer_set(regs, (unsigned long)T_AT(t_load, T_LOAD_RET));
	return 1;
}

static int fault_repairs(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	note(p, regs, trapnr);
	t_set_held(regs, (unsigned long)t_data);
	return 1;
}

static void in_the_instruction(bool with_post)
{
	struct kprobe p = { .symbol_name = "t_load", .pre_handler = t_pre,
			    .post_handler = with_post ? t_post : NULL,
			    .fault_handler = fault_gives_result };

	t_data[0] = 4711;
	t_register(&p);
	t_reset();
	EXPECT_EQ("K-FLT-07", "no fault", t_load(t_data), 4711);
	EXPECT_EQ("K-FLT-07", "fault_handler not asked", t_counts.fault, 0);
	t_reset();
	EXPECT_EQ("K-FLT-07", "the instruction faults, the handler resumes",
		  t_load(t_bad_address), -7);
	EXPECT("K-FLT-07", "with ip at the probe",
	       t_counts.fault == 1 && fault_ip == T_CODE(t_load));
	EXPECT("K-FLT-02", "and the vector", fault_trapnr == T_ACCESS_FAULT &&
	       fault_probe == &p);
	EXPECT("K-FLT-08", "post_handler is not called, nmissed unchanged",
	       !t_counts.post && !p.nmissed);
	unregister_kprobe(&p);

	p = (struct kprobe){ .symbol_name = "t_load", .pre_handler = t_pre,
			     .post_handler = with_post ? t_post : NULL,
			     .fault_handler = fault_repairs };
	t_register(&p);
	t_reset();
	EXPECT_EQ("K-FLT-03", "the cause is repaired, it executes again",
		  t_load(t_bad_address), 4711);
	EXPECT_EQ("K-FLT-03", "as a new hit", t_counts.pre, 2);
	EXPECT_EQ("K-FLT-03", "asked once", t_counts.fault, 1);
	unregister_kprobe(&p);
}

/*
 * A handler that calls a function whose probed instruction faults: the fault
 * is the handler's, and the copy's address never shows.
 */
static int pre_loads(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	t_counts.pre++;
	t_load(t_bad_address);
	after_the_fault++;
	return 0;
}

static void in_a_probed_instruction_of_a_handler(bool with_post)
{
	struct kprobe inner = { .symbol_name = "t_load",
				.pre_handler = t_pre,
				.post_handler = with_post ? t_post : NULL };
	struct kprobe p = { .symbol_name = "t_add", .pre_handler = pre_loads,
			    .fault_handler = fault_gives_result };

	t_register(&inner);
	t_register(&p);
	t_reset();
	after_the_fault = 0;
	EXPECT_EQ("K-FLT-01", "a probed instruction faults in a handler",
		  t_add(2, 3), 5);
	EXPECT("K-FLT-02", "that handler's fault_handler is asked",
	       t_counts.fault == 1 && fault_probe == &p &&
	       fault_ip == T_CODE(t_load));
	EXPECT_EQ("K-FLT-03", "and resumes", after_the_fault, 1);
	unregister_kprobe(&p);

	p = (struct kprobe){ .symbol_name = "t_add", .pre_handler = pre_loads };
	t_register(&p);
	after_the_fault = 0;
	EXPECT_EQ("K-FLT-06", "nobody asked: the function works", t_add(2, 3),
		  5);
	EXPECT("K-FLT-06", "the handler is abandoned, its probe is off",
	       !after_the_fault && kprobe_disabled(&p));
	unregister_kprobe(&p);
	unregister_kprobe(&inner);
}

/* K-FLT-09: what is emulated faults like what is copied. */
static int fault_gives_pointer(struct kprobe *p, struct pt_regs *regs,
			       int trapnr)
{
	note(p, regs, trapnr);
	t_set_held(regs, (unsigned long)&t_data[1]);
	return 1;
}

static void in_an_emulated_instruction(void)
{
	struct kprobe p = { .symbol_name = "t_jump_mem", .pre_handler = t_pre,
			    .post_handler = t_post,
			    .fault_handler = fault_gives_pointer };

	t_data[1] = (long)t_after;
	EXPECT_EQ("K-FLT-09", "a jump through memory", t_register(&p), 0);
	t_reset();
	EXPECT_EQ("K-FLT-09", "without a fault", t_jump_mem(&t_data[1]), 2);
	EXPECT("K-FLT-09", "is hit", t_counts.pre == 1 && t_counts.post == 1);
	t_reset();
	EXPECT_EQ("K-FLT-09", "with one, repaired", t_jump_mem(t_bad_address),
		  2);
	EXPECT("K-FLT-09", "the fault is at the probe's address",
	       t_counts.fault == 1 && fault_probe == &p && fault_trapnr == T_ACCESS_FAULT &&
	       fault_ip == T_CODE(t_jump_mem));
	unregister_kprobe(&p);
}

/* K-XI-07, lifted: with a 32-bit address it is emulated as well. */
static int fault_goes_to_next(struct kprobe *p, struct pt_regs *regs,
			      int trapnr)
{
	note(p, regs, trapnr);
	instruction_pointer_set(regs, (unsigned long)t_after);
	return 1;
}

static void with_a_short_address(void)
{
	struct kprobe p = { .addr = T_AT(t_jump_67, 1), .pre_handler = t_pre,
			    .fault_handler = fault_goes_to_next };

	EXPECT_EQ("K-XI-07", "lifted: a jump through a 32-bit address",
		  t_register(&p), 0);
	t_reset();
	/* The upper half of the pointer does not count. */
	EXPECT_EQ("K-XI-07", "its fault goes to fault_handler",
		  t_jump_67((void *)(uintptr_t)(1ull << 40 | 8)), 2);
	EXPECT("K-XI-07", "as the original's",
	       t_counts.fault == 1 && t_counts.pre == 1 &&
	       fault_ip == T_CODE(t_jump_67) + 1);
	unregister_kprobe(&p);
}

/* K-FLT-12: faults beside all probes are not offered to them. */
static void beside_all_probes(void)
{
	struct kprobe p = { .symbol_name = "t_add", .pre_handler = t_pre,
			    .fault_handler = fault_skip_poke };
	struct kprobe q = { .symbol_name = "t_load",
			    .fault_handler = fault_gives_result };

	t_register(&p);
	t_register(&q);
	t_reset();
	t_add(1, 2);
	EXPECT("K-FLT-12", "a fault outside of handlers and copies happens",
	       t_faults_alone());
	EXPECT_EQ("K-FLT-12", "and no fault_handler is asked", t_counts.fault,
		  0);
	EXPECT("K-FLT-12", "nothing is missed", !p.nmissed && !q.nmissed);
	unregister_kprobe(&p);
	unregister_kprobe(&q);
}

/* K-FLT-10: a return probe's handlers fault; its fault_handler is not asked. */
static int instance_faults(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	t_counts.pre++;
	t_poke(t_bad_address);
	after_the_fault++;
	return 0;
}

static int instance_counts(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	t_counts.post++;
	return 0;
}

/* The only instance of a capped probe comes back from an abandoned handler. */
static void instance_serves_again(struct kretprobe *rp)
{
	t_reset();
	rp->entry_handler = NULL;
	rp->handler = instance_counts;
	EXPECT_EQ("K-RET-27", "the probe is switched on again",
		  enable_kretprobe(rp), 0);
	t_add(2, 3);
	EXPECT("K-RET-27", "the faulting handler's instance serves again",
	       t_counts.post == 2 && !rp->nmissed);
}

static void in_a_return_probe(bool at_entry)
{
	struct kretprobe rp = {
		.kp.symbol_name = "t_add",
		.kp.fault_handler = fault_skip_poke,
		.entry_handler = at_entry ? instance_faults : NULL,
		.handler = at_entry ? instance_counts : instance_faults,
		.maxactive = 1,
	};
	struct kretprobe other = { .kp.symbol_name = "t_add",
				   .handler = instance_counts };

	EXPECT_EQ("K-FLT-10", "a return probe with a fault_handler",
		  register_kretprobe(&rp), 0);
	register_kretprobe(&other);
	t_reset();
	after_the_fault = 0;
	EXPECT_EQ("K-FLT-06", "its handler faults: the function works",
		  t_add(2, 3), 5);
	EXPECT("K-FLT-06", "the handler is abandoned, the other probe's runs",
	       t_counts.pre == 1 && !after_the_fault && t_counts.post >= 1);
	EXPECT("K-FLT-10", "its fault_handler is not asked",
	       !rp.kp.fault_handler && !t_counts.fault);
	EXPECT("K-FLT-06", "the probe is off", kprobe_disabled(&rp.kp) &&
	       !kprobe_disabled(&other.kp));
	t_reset();
	EXPECT_EQ("K-FLT-06", "the next call works", t_add(2, 3), 5);
	EXPECT("K-FLT-06", "without it", !t_counts.pre && t_counts.post == 1);
	instance_serves_again(&rp);
	unregister_kretprobe(&rp);
	unregister_kretprobe(&other);
	EXPECT_EQ("K-INV-05", "restored", t_text(t_add), T_ADD_FIRST);
}

/* An entry_handler that comes later is called, and guarded, as one from the first. */
static void in_a_late_entry_handler(bool jump)
{
	struct kretprobe rp = { .kp.symbol_name = "t_wide",
				.handler = instance_counts };

	t_breakpoints_only(!jump);
	EXPECT_EQ("K-FLT-06", "a return probe without an entry_handler",
		  register_kretprobe(&rp), 0);
	t_reset();
	after_the_fault = 0;
	EXPECT("K-FLT-06", "its handler runs",
	       t_wide(2) == 7 && t_counts.post == 1);
	rp.entry_handler = instance_faults;
	EXPECT_EQ("K-FLT-06", "it gets one, which faults: the function works",
		  t_wide(2), 7);
	EXPECT("K-FLT-06", "it is abandoned, the probe is off",
	       t_counts.pre == 1 && !after_the_fault &&
	       kprobe_disabled(&rp.kp));
	rp.entry_handler = NULL;
	EXPECT_EQ("K-FLT-06", "switched on again", enable_kretprobe(&rp), 0);
	t_reset();
	EXPECT("K-FLT-06", "it serves again",
	       t_wide(2) == 7 && t_counts.post == 1 && !rp.nmissed);
	unregister_kretprobe(&rp);
	t_breakpoints_only(0);
}

static long lean_returns;

static int lean_instance(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	lean_returns++;
	return 0;
}

/*
 * Behind a return that took the shortest way, through a jump: what that has left in
 * its context is not the next hit's, of a breakpoint on an instruction that is
 * emulated.
 */
static void behind_a_return(void)
{
	struct kretprobe rp = { .kp.symbol_name = "t_wide",
				.handler = lean_instance };
	struct kprobe p = { .symbol_name = "t_jump",
			    .offset = T_JUMP_JZ,
			    .post_handler = post_faults };
	struct kprobe q = { .symbol_name = "t_jump",
			    .offset = T_JUMP_JZ, .pre_handler = t_pre };
	int i, worked = 0;

	EXPECT_EQ("K-FLT-06", "a return probe beside it",
		  register_kretprobe(&rp), 0);
	lean_returns = 0;
	t_reset();
	after_the_fault = 0;
	t_register(&q);
	t_register(&p);
	/* The task may change its processor in between. */
	for (i = 0; i < 8; i++) {
		t_breakpoints_only(0);
		t_settle();
		t_wide(2);
		t_breakpoints_only(1);
		enable_kprobe(&p);
		worked += t_jump(1) == 1 && kprobe_disabled(&p);
	}
	t_breakpoints_only(0);
	EXPECT_EQ("K-FLT-06", "after its return a post_handler faults: the function works",
		  worked, 8);
	EXPECT("K-FLT-06", "that one is abandoned",
	       t_counts.post == 8 && !after_the_fault);
	EXPECT("K-FLT-06", "the others were called",
	       t_counts.pre == 8 && lean_returns == 8 && !rp.nmissed);
	unregister_kprobe(&p);
	unregister_kprobe(&q);
	unregister_kretprobe(&rp);
}

void t_faults(void)
{
	behind_a_return();
	in_a_late_entry_handler(false);
	in_a_late_entry_handler(true);
	in_a_return_probe(true);
	in_a_return_probe(false);
	in_an_emulated_instruction();
	if (T_SHORT_ADDRESSES)
		with_a_short_address();
	else
		SKIP("K-XI-07", "no instruction here has a 32-bit address");
	beside_all_probes();
	in_a_probed_instruction_of_a_handler(false);
	in_a_probed_instruction_of_a_handler(true);
	handled_in_a_handler();
	only_the_one_that_runs();
	unhandled_in_a_handler();
	also_in_the_fault_handler(false);
	also_in_the_fault_handler(true);
	while_it_is_unregistered(false);
	while_it_is_unregistered(true);
	in_the_instruction(false);
	in_the_instruction(true);
}
