/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_retprobe.c - return probes: instances, stubs, calls that never return.
 *
 * A call is made by hand: a stack with a return address on it, a hit at the
 * entry, and a return to whatever address the stack shows then.
 *
 * Covers: core/retprobe.c, core/return.c, core/pool.c, core/retired.c, core/stub.c,
 *   core/left.c
 */
#include "pool.h"
#include "stub.h"
#include "unit.h"

#define CALLER ((uintptr_t)0x12345678)
#define OTHER_STACK 512

static char trace[64];
static uintptr_t stack[1024];

static void note(char c)
{
	size_t len = strlen(trace);

	if (len < sizeof(trace) - 1) {
		trace[len] = c;
		trace[len + 1] = 0;
	}
}

static int setup(void **state)
{
	trace[0] = 0;
	memset(stack, 0, sizeof(stack));
	return unit_setup(state);
}

/* f is called with its return address at stack[at]. */
static void call(size_t at)
{
	struct pt_regs regs = { .sp = (uintptr_t)&stack[at] };

	stack[at] = CALLER;
	assert_true(unit_hit(unit_f + F_ENTRY, &regs));
}

static bool hooked(size_t at)
{
	return stack[at] != CALLER;
}

/* f returns; where to. */
static uintptr_t finish(size_t at, struct pt_regs *regs)
{
	regs->pc = stack[at];
	regs->sp = (uintptr_t)&stack[at + 1];
	if (regs->pc != CALLER)
		sim_return(regs);
	return regs->pc;
}

static void call_and_return(size_t at)
{
	struct pt_regs regs = { 0 };

	call(at);
	assert_int_equal(finish(at, &regs), CALLER);
}

static int on_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	note('e');
	return 0;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	assert_int_equal((uintptr_t)ri->ret_addr, CALLER);
	assert_int_equal(regs->pc, CALLER);
	assert_ptr_equal(ri->task, (void *)sim_thread);
	note('r');
	return 0;
}

static struct kretprobe probe(int maxactive)
{
	return (struct kretprobe){ .kp.symbol_name = "f",
				   .entry_handler = on_entry,
				   .handler = on_return,
				   .maxactive = maxactive };
}

static void K_RET_01_02_06_refusals(void **state)
{
	struct kretprobe inside = probe(1), unknown = probe(1), big = probe(1);
	struct kretprobe garbage = probe(1), no_code = probe(1);

	(void)state;
	inside.kp.offset = F_MOVE;
	assert_int_equal(register_kretprobe(&inside), -EINVAL);
	assert_non_null(inside.kp.reason);
	unknown.kp.symbol_name = "nowhere";
	assert_int_equal(register_kretprobe(&unknown), -ENOENT);
	big.data_size = 4097;
	assert_int_equal(register_kretprobe(&big), -E2BIG);
	no_code.handler = (kretprobe_handler_t)(uintptr_t)8;
	assert_int_equal(register_kretprobe(&no_code), -EINVAL);
	garbage.kp.symbol_name = (const char *)SIM_UNMAPPED;
	assert_int_equal(register_kretprobe(&garbage), -EINVAL);
	assert_int_equal(register_kretprobe(NULL), -EINVAL);
	assert_int_equal(register_kretprobe((void *)SIM_UNMAPPED), -EINVAL);
	unregister_kretprobe((void *)SIM_UNMAPPED);
}

static void K_RET_05_refused_by_the_host(void **state)
{
	struct kretprobe rp = probe(1);

	(void)state;
	sim_return_refused = "it returns twice";
	assert_int_equal(register_kretprobe(&rp), -EINVAL);
	assert_string_equal(rp.kp.reason, "it returns twice");
}

/* Every allocation and every write of a registration fails once. */
static const uint8_t asks_bytes[] = { TOY_load(0, TOY_SP, 0), TOY_RETURN };

static void K_RET_05_43_who_looks_at_its_caller(void **state)
{
	struct kretprobe rp = probe(1);
	struct pt_regs regs = { 0 };

	(void)state;
	sim_function("asks", 0x300, asks_bytes, sizeof(asks_bytes));
	sim_minds_callers = true;
	sim_minds_caller = unit_f + 0x1000;
	assert_int_equal(register_kretprobe(&rp), 0);
	unregister_kretprobe(&rp);
	rp = probe(1);
	rp.kp.symbol_name = "asks";
	assert_int_equal(register_kretprobe(&rp), 0);
	assert_non_null(strstr(rp.kp.reason, "who calls it"));
	stack[30] = CALLER;
	regs.sp = (uintptr_t)&stack[30];
	assert_true(unit_hit((uintptr_t)rp.kp.addr, &regs));
	assert_false(hooked(30));
	assert_int_equal(rp.nmissed, 1);
	assert_string_equal(trace, "");
	unregister_kretprobe(&rp);
	sim_minds_callers = false;
	rp.kp.addr = NULL;
	assert_int_equal(register_kretprobe(&rp), 0);
	unregister_kretprobe(&rp);
}

static void K_RET_08_11_nothing_stays_after_a_failure(void **state)
{
	static const enum sim_duty duties[] = { SIM_ALLOC, SIM_EXEC_ALLOC,
						SIM_EXEC_WRITE, SIM_TEXT_WRITE };
	size_t i, n;

	(void)state;
	for (i = 0; i < sizeof(duties) / sizeof(duties[0]); i++) {
		for (n = 0; n < 70; n++) {
			char script[80];
			struct kretprobe rp = probe(0);
			int err;

			memset(script, 'a', n);
			script[n] = 'f';
			script[n + 1] = 0;
			sim_script(duties[i], script);
			err = register_kretprobe(&rp);
			sim_script(duties[i], NULL);
			if (!err) {
				unregister_kretprobe(&rp);
				continue;
			}
			assert_int_equal(sim_text[F_AT + F_ENTRY],
					 unit_f_bytes[F_ENTRY]);
			call(100);
			assert_false(hooked(100));
			/* Memory and text writes of the first round only. */
			assert_int_equal(kp_core_stop(), 0);
			assert_int_equal(sim_counts.allocs, 0);
		}
	}
}

static void K_RET_07_10_14_what_registration_shows(void **state)
{
	struct kretprobe rp = probe(-3);

	(void)state;
	rp.nmissed = 9;
	rp.kp.post_handler = (kprobe_post_handler_t)(uintptr_t)8;
	assert_int_equal(register_kretprobe(&rp), 0);
	assert_int_equal(rp.maxactive, 10);
	assert_int_equal(rp.nmissed, 0);
	assert_null(rp.kp.post_handler);
	assert_non_null(rp.kp.pre_handler);
	unregister_kretprobe(&rp);
}

static void one_line(void *arg, const char *line, size_t len)
{
	assert_true(len > 20);
	assert_memory_equal(line + 16, "  r  f+0x4", 10);
	++*(int *)arg;
}

static void K_RET_14_66_listed_as_r_and_nothing_else(void **state)
{
	struct kretprobe rp = probe(1);
	int lines = 0;

	(void)state;
	assert_int_equal(register_kretprobe(&rp), 0);
	kp_core_report_list(one_line, &lines, true);
	assert_int_equal(lines, 1);
	unregister_kretprobe(&rp);
}

static void K_RET_20_21_26_27_a_cap(void **state)
{
	struct kretprobe rp = probe(2);
	struct pt_regs regs = { 0 };

	(void)state;
	assert_int_equal(register_kretprobe(&rp), 0);
	call(30);
	call(20);
	call(10);
	assert_string_equal(trace, "ee");
	assert_int_equal(rp.nmissed, 1);
	assert_false(hooked(10));
	assert_int_equal(finish(10, &regs), CALLER);
	assert_int_equal(finish(20, &regs), CALLER);
	call(10);
	assert_string_equal(trace, "eere");
	assert_int_equal(finish(10, &regs), CALLER);
	assert_int_equal(finish(30, &regs), CALLER);
	assert_string_equal(trace, "eererr");
	assert_int_equal(rp.nmissed, 1);
	unregister_kretprobe(&rp);
}

static void K_RET_27_any_order_of_returns(void **state)
{
	struct kretprobe rp = probe(3);
	struct pt_regs regs = { 0 };

	(void)state;
	assert_int_equal(register_kretprobe(&rp), 0);
	call(30);
	sim_thread = 2;
	call(OTHER_STACK + 5);
	sim_thread = 1;
	assert_int_equal(finish(30, &regs), CALLER);
	sim_thread = 2;
	assert_int_equal(finish(OTHER_STACK + 5, &regs), CALLER);
	assert_string_equal(trace, "eerr");
	unregister_kretprobe(&rp);
}

static void K_RET_07_grows_before_it_runs_dry(void **state)
{
	struct kretprobe rp = probe(0);
	struct pt_regs regs = { 0 };
	size_t i;

	(void)state;
	assert_int_equal(register_kretprobe(&rp), 0);
	for (i = 0; i < 200; i++) {
		call(900 - i);
		if (sim_counts.kicks) {
			sim_counts.kicks = 0;
			kp_core_on_kick();
		}
	}
	assert_int_equal(rp.nmissed, 0);
	while (i--)
		assert_int_equal(finish(900 - i, &regs), CALLER);
	unregister_kretprobe(&rp);
}

/*
 * A function that threads end in: every call is lost.  Its pool does not grow
 * with each of them.
 */
static void K_RET_48_lost_calls_do_not_grow_the_pool(void **state)
{
	struct kretprobe rp = probe(0);
	size_t i, sum = 0;

	(void)state;
	assert_int_equal(register_kretprobe(&rp), 0);
	sim_threads_gone = 1 << 2;
	for (i = 0; i < 5000; i++) {
		sim_thread = 2;
		call(900 - i % 800);
		sim_thread = 1;
		if (sim_counts.kicks) {
			sim_counts.kicks = 0;
			kp_core_on_kick();
		}
	}
	for (i = 0; i < rp.pool->chunks_nr; i++)
		sum += rp.pool->chunks[i]->nr;
	assert_int_equal(rp.nmissed, 0);
	assert_in_range(sum, 20, 100);
	assert_in_range(rp.nstale, 5000 - sum, 5000);
	unregister_kretprobe(&rp);
}

static void K_RET_07_grows_on_the_trap_path(void **state)
{
	struct kretprobe rp = probe(0);
	struct pt_regs regs = { 0 };
	size_t i;

	(void)state;
	sim_script(SIM_ALLOC_NOW, "aaf");
	assert_int_equal(register_kretprobe(&rp), 0);
	for (i = 0; i < 100; i++)
		call(900 - i);
	/* 10 and 10 in reserve; 20 more, 40 more; then no more memory. */
	assert_int_equal(rp.nmissed, 20);
	while (i--)
		assert_int_equal(finish(900 - i, &regs), CALLER);
	unregister_kretprobe(&rp);
}

/* ---- calls that never return -------------------------------------------------- */

static void K_RET_47_unwound_calls_are_reclaimed(void **state)
{
	struct kretprobe rp = probe(3);
	struct pt_regs regs = { 0 };

	(void)state;
	assert_int_equal(register_kretprobe(&rp), 0);
	call(30);
	call(20);
	call(10);
	/* longjmp to the frame above 20; 10 and 20 are overwritten. */
	stack[10] = stack[20] = 0;
	call(22);
	assert_string_equal(trace, "eeee");
	assert_int_equal(rp.nmissed, 0);
	assert_int_equal(rp.nstale, 2);
	assert_int_equal(finish(22, &regs), CALLER);
	assert_int_equal(finish(30, &regs), CALLER);
	assert_string_equal(trace, "eeeerr");
	unregister_kretprobe(&rp);
}

static void K_RET_47_the_same_frame_again(void **state)
{
	struct kretprobe rp = probe(1);
	int i;

	(void)state;
	assert_int_equal(register_kretprobe(&rp), 0);
	for (i = 0; i < 20; i++)
		call(30);
	assert_int_equal(rp.nmissed, 0);
	assert_int_equal(rp.nstale, 19);
	call_and_return(30);
	unregister_kretprobe(&rp);
}

/* A coroutine's stack may lie below: its calls do return. */
static void K_RET_47_another_stack_is_left_alone(void **state)
{
	struct kretprobe rp = probe(1);
	struct pt_regs regs = { 0 };

	(void)state;
	assert_int_equal(register_kretprobe(&rp), 0);
	call(30);
	call(OTHER_STACK);
	assert_int_equal(rp.nmissed, 1);
	assert_int_equal(rp.nstale, 0);
	assert_int_equal(finish(30, &regs), CALLER);
	unregister_kretprobe(&rp);
}

static void K_RET_48_dead_threads(void **state)
{
	struct kretprobe rp = probe(1);
	struct pt_regs regs = { 0 };

	(void)state;
	assert_int_equal(register_kretprobe(&rp), 0);
	sim_thread = 2;
	call(OTHER_STACK);
	sim_thread = 1;
	call(30);
	assert_int_equal(rp.nmissed, 1);
	sim_threads_gone = 1 << 2;
	call(30);
	assert_int_equal(rp.nmissed, 1);
	assert_true(hooked(30));
	assert_int_equal(rp.nstale, 1);
	assert_int_equal(finish(30, &regs), CALLER);
	unregister_kretprobe(&rp);
}

/*
 * A coroutine waits in its call; the thread that it was called in has ended, and
 * another one goes on with it.
 */
static void K_RET_27_46_coroutines_keep_their_instance(void **state)
{
	struct kretprobe rp = probe(1);
	struct pt_regs regs = { 0 };

	(void)state;
	sim_coroutines = true;
	rp.handler = NULL;
	assert_int_equal(register_kretprobe(&rp), 0);
	sim_thread = 2;
	call(OTHER_STACK);
	sim_threads_gone = 1 << 2;
	sim_thread = 1;
	/* Below, above, deeper, from a third thread: it is not taken over. */
	call_and_return(30);
	call_and_return(OTHER_STACK + 30);
	call(20);
	sim_thread = 3;
	call_and_return(40);
	assert_false(hooked(20));
	assert_int_equal(rp.nmissed, 4);
	assert_int_equal(rp.nstale, 0);
	assert_int_equal(finish(OTHER_STACK, &regs), CALLER);
	call(30);
	assert_true(hooked(30));
	assert_int_equal(finish(30, &regs), CALLER);
	assert_int_equal(rp.nmissed, 4);
	unregister_kretprobe(&rp);
}

/* Nobody goes on with it: its stack is another's now, or is no more. */
static void K_RET_48_coroutines_that_end_with_their_thread(void **state)
{
	struct kretprobe rp = probe(1);
	struct pt_regs regs = { 0 };

	(void)state;
	sim_coroutines = true;
	assert_int_equal(register_kretprobe(&rp), 0);
	sim_thread = 2;
	call(OTHER_STACK);
	sim_threads_gone = 1 << 2;
	sim_thread = 1;
	stack[OTHER_STACK] = 0x55;
	call(30);
	assert_true(hooked(30));
	assert_int_equal(rp.nstale, 1);
	assert_int_equal(finish(30, &regs), CALLER);
	unregister_kretprobe(&rp);
}

/* What waits is elsewhere meanwhile, and comes back to the same place. */
static void K_RET_40_47_stacks_that_are_copied(void **state)
{
	struct kretprobe rp = probe(2);
	struct pt_regs regs = { 0 };
	uintptr_t put_aside;

	(void)state;
	sim_stacks_copied = true;
	assert_int_equal(register_kretprobe(&rp), 0);
	call(30);
	put_aside = stack[30];
	/* Others use the place, at the same depth and at others. */
	call(30);
	assert_true(hooked(30));
	assert_int_equal(finish(30, &regs), CALLER);
	stack[30] = 0x55;
	call_and_return(40);
	call(35);
	call_and_return(50);
	assert_int_equal(rp.nmissed, 1);
	assert_int_equal(rp.nstale, 0);
	assert_int_equal(finish(35, &regs), CALLER);
	stack[30] = put_aside;
	assert_int_equal(finish(30, &regs), CALLER);
	assert_int_equal(rp.nmissed, 1);
	unregister_kretprobe(&rp);
}

/* While it waits, its probe is unregistered; memory stays until it is back. */
static void K_RET_61_a_coroutine_outlives_its_probe(void **state)
{
	struct kretprobe rp = probe(1), other = probe(1);
	struct pt_regs regs = { 0 };
	size_t allocs;
	int i;

	(void)state;
	sim_coroutines = true;
	assert_int_equal(register_kretprobe(&other), 0);
	allocs = sim_counts.allocs;
	assert_int_equal(register_kretprobe(&rp), 0);
	sim_thread = 2;
	call(OTHER_STACK);
	sim_threads_gone = 1 << 2;
	sim_thread = 1;
	unregister_kretprobe(&rp);
	memset(&rp, 0x5a, sizeof(rp));
	for (i = 0; i < 3; i++) {
		struct kretprobe next = probe(1);

		call_and_return(30);
		assert_int_equal(register_kretprobe(&next), 0);
		call_and_return(50);
		unregister_kretprobe(&next);
	}
	assert_int_equal(kp_core_stop(), -EBUSY);
	assert_int_equal(finish(OTHER_STACK, &regs), CALLER);
	assert_int_equal(kp_core_stop(), 0);
	assert_true(sim_counts.allocs <= allocs);
}

/* The process is left: what such a call needs stays, and nothing else. */
static void K_RET_61_a_call_outlives_what_goes(void **state)
{
	struct kretprobe rp = probe(1);
	struct kprobe other = { .symbol_name = "g" };
	struct pt_regs regs = { 0 };
	uintptr_t kept[2];

	(void)state;
	assert_int_equal(register_kprobe(&other), 0);
	unregister_kprobe(&other);
	assert_int_equal(register_kretprobe(&rp), 0);
	call(30);
	kept[0] = kept[1] = stack[30];
	unregister_kretprobe(&rp);
	assert_int_equal(kp_core_clear(), 0);
	assert_int_equal(kp_core_release(kept, 2), 0);
	assert_null(kp_table_find(unit_g));
	assert_non_null(kp_table_find(unit_f + F_ENTRY));
	assert_int_equal(kp_core_release(NULL, 0), 0);
	assert_non_null(kp_table_find(unit_f + F_ENTRY));
	assert_int_equal(finish(30, &regs), CALLER);
	assert_int_equal(kp_core_release(NULL, 0), 0);
	assert_null(kp_table_find(unit_f + F_ENTRY));
	assert_int_equal(sim_counts.allocs, 0);
	/* And it works as ever. */
	assert_int_equal(kp_core_set_optimization(true), 0);
	rp = probe(1);
	assert_int_equal(register_kretprobe(&rp), 0);
	call_and_return(30);
	unregister_kretprobe(&rp);
}

static void K_RET_46_a_return_without_a_call(void **state)
{
	struct kretprobe rp = probe(1);
	struct pt_regs regs = { 0 };
	uintptr_t stub;
	size_t logs;

	(void)state;
	assert_int_equal(register_kretprobe(&rp), 0);
	call(30);
	stub = stack[30];
	assert_int_equal(finish(30, &regs), CALLER);
	stack[30] = stub;
	logs = sim_counts.logs;
	assert_int_equal(finish(30, &regs), CALLER);
	assert_int_equal(sim_counts.logs, logs + 1);
	assert_string_equal(trace, "er");
	call_and_return(30);
	unregister_kretprobe(&rp);
}

/* ---- shared calls --------------------------------------------------------------- */

static void K_RET_37_39_several_on_one_function(void **state)
{
	struct kretprobe a = probe(1), b = probe(1), c = probe(1);
	struct pt_regs regs = { 0 };

	(void)state;
	assert_int_equal(register_kretprobe(&a), 0);
	assert_int_equal(register_kretprobe(&b), 0);
	assert_int_equal(register_kretprobe(&c), 0);
	call(30);
	assert_string_equal(trace, "eee");
	assert_int_equal(kp_core_original_ip(stack[30]), CALLER);
	/* The middle one goes while the call is in flight. */
	unregister_kretprobe(&b);
	assert_int_equal(finish(30, &regs), CALLER);
	assert_string_equal(trace, "eeerr");
	unregister_kretprobe(&a);
	unregister_kretprobe(&c);
}

/*
 * Of three on a call that returns two are done, and one of these serves another
 * call by now: the third is still this one's, also for another thread.
 */
static struct kretprobe done_first, done_next, pending;

static int while_others_are_done(struct kretprobe_instance *ri,
				 struct pt_regs *regs)
{
	static const struct kp_calling nobody;
	struct kp_calling by = { .sp = (uintptr_t)&stack[OTHER_STACK] };
	struct kp_node *node;

	(void)ri;
	(void)regs;
	sim_thread++;
	node = kp_pool_take(done_next.pool, kp_host_context(), &by);
	assert_non_null(node);
	node->frame = (uintptr_t)&stack[OTHER_STACK];
	kp_pool_reclaim(pending.pool, &nobody);
	kp_pool_put(node);
	sim_thread--;
	note('p');
	return 0;
}

static void K_RET_46_47_several_return_while_one_is_short(void **state)
{
	struct pt_regs regs = { 0 };

	(void)state;
	done_first = done_next = pending = probe(1);
	pending.handler = while_others_are_done;
	assert_int_equal(register_kretprobe(&done_first), 0);
	assert_int_equal(register_kretprobe(&done_next), 0);
	assert_int_equal(register_kretprobe(&pending), 0);
	call(30);
	assert_int_equal(finish(30, &regs), CALLER);
	assert_string_equal(trace, "eeerrp");
	assert_int_equal(pending.nstale, 0);
	unregister_kretprobe(&done_first);
	unregister_kretprobe(&done_next);
	unregister_kretprobe(&pending);
}

/* f tail-calls itself: the earlier call's instance must not be reclaimed. */
static void K_RET_40_tail_call(void **state)
{
	struct kretprobe rp = probe(2);
	struct pt_regs regs = { .sp = (uintptr_t)&stack[30] };

	(void)state;
	assert_int_equal(register_kretprobe(&rp), 0);
	call(30);
	assert_true(unit_hit(unit_f + F_ENTRY, &regs));
	regs.sp = (uintptr_t)&stack[30];
	assert_true(unit_hit(unit_f + F_ENTRY, &regs));
	assert_int_equal(rp.nmissed, 1);
	assert_int_equal(rp.nstale, 0);
	assert_int_equal(finish(30, &regs), CALLER);
	assert_string_equal(trace, "eerr");
	unregister_kretprobe(&rp);
}

/* ---- unregister, disable ---------------------------------------------------------- */

static void K_RET_60_61_62_in_flight(void **state)
{
	struct kretprobe rp = probe(2), next;
	struct pt_regs regs = { .r[0] = 7 };

	(void)state;
	assert_int_equal(register_kretprobe(&rp), 0);
	call(30);
	unregister_kretprobe(&rp);
	memset(&rp, 0x5a, sizeof(rp));
	/* Its memory goes when somebody registers or unregisters later. */
	next = probe(1);
	assert_int_equal(register_kretprobe(&next), 0);
	assert_int_equal(finish(30, &regs), CALLER);
	assert_int_equal(regs.r[0], 7);
	assert_string_equal(trace, "e");
	unregister_kretprobe(&next);
}

static void K_RET_63_disabled_in_flight(void **state)
{
	struct kretprobe rp = probe(2);
	struct pt_regs regs = { 0 };

	(void)state;
	assert_int_equal(register_kretprobe(&rp), 0);
	call(30);
	assert_int_equal(disable_kretprobe(&rp), 0);
	assert_int_equal(finish(30, &regs), CALLER);
	assert_string_equal(trace, "er");
	unregister_kretprobe(&rp);
}

static void stop_waits_for_calls(void **state)
{
	struct kretprobe rp = probe(2);
	struct pt_regs regs = { 0 };

	(void)state;
	assert_int_equal(register_kretprobe(&rp), 0);
	call(30);
	assert_int_equal(kp_core_stop(), -EBUSY);
	assert_int_equal(finish(30, &regs), CALLER);
	assert_string_equal(trace, "e");
	assert_int_equal(kp_core_stop(), 0);
}

/* ---- contexts and faults ------------------------------------------------------------ */

static int calls_f(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	note('R');
	call(5);
	return 0;
}

static void K_RET_36_hits_in_a_return_handler(void **state)
{
	struct kretprobe rp = probe(2);

	(void)state;
	rp.handler = calls_f;
	assert_int_equal(register_kretprobe(&rp), 0);
	call_and_return(30);
	assert_string_equal(trace, "eR");
	assert_int_equal(rp.kp.nmissed, 1);
	assert_int_equal(rp.nmissed, 0);
	assert_int_equal(register_kretprobe(&rp), -EINVAL);
	unregister_kretprobe(&rp);
}

static int registers(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)regs;
	assert_int_equal(register_kretprobe(ri->rp), -EDEADLK);
	assert_int_equal(disable_kretprobe(ri->rp), -EDEADLK);
	unregister_kretprobe(ri->rp);
	note('D');
	return 0;
}

static void K_API_17_calls_from_handlers(void **state)
{
	struct kretprobe rp = probe(2);

	(void)state;
	rp.handler = registers;
	rp.entry_handler = registers;
	assert_int_equal(register_kretprobe(&rp), 0);
	call_and_return(30);
	assert_string_equal(trace, "DD");
	unregister_kretprobe(&rp);
}

static void no_context_at_the_return(void **state)
{
	struct kretprobe rp = probe(2);
	struct pt_regs regs = { 0 };

	(void)state;
	assert_int_equal(register_kretprobe(&rp), 0);
	call(30);
	sim_script(SIM_ENTER, "f");
	assert_int_equal(finish(30, &regs), CALLER);
	assert_string_equal(trace, "e");
	assert_int_equal(rp.nmissed, 1);
	unregister_kretprobe(&rp);
}

static int faults(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	regs->r[0] = 0xbad;
	sim_handler_fault(TOY_NO_MEMORY);
	note('!');
	return 0;
}

static void a_faulting_return_handler_is_abandoned(void **state)
{
	struct kretprobe rp = probe(2);
	struct pt_regs regs = { .r[0] = 7 };

	(void)state;
	rp.handler = faults;
	assert_int_equal(register_kretprobe(&rp), 0);
	call(30);
	assert_int_equal(finish(30, &regs), CALLER);
	assert_int_equal(regs.r[0], 7);
	assert_string_equal(trace, "e");
	assert_true(kprobe_disabled(&rp.kp));
	unregister_kretprobe(&rp);
}

/* Its only instance serves the next call. */
static void a_faulting_entry_handler_is_abandoned(void **state)
{
	struct kretprobe rp = probe(1);
	struct pt_regs regs = { 0 };

	(void)state;
	rp.entry_handler = faults;
	assert_int_equal(register_kretprobe(&rp), 0);
	call(30);
	assert_false(hooked(30));
	assert_int_equal(finish(30, &regs), CALLER);
	assert_true(kprobe_disabled(&rp.kp));
	rp.entry_handler = on_entry;
	assert_int_equal(enable_kretprobe(&rp), 0);
	call_and_return(30);
	assert_string_equal(trace, "er");
	assert_int_equal(rp.nmissed, 0);
	unregister_kretprobe(&rp);
}

/* All of a batch too, with calls in flight or without. */
static void one_wait_for_an_unregistration(void **state)
{
	struct kretprobe a = probe(1), b = probe(1), *both[] = { &a, &b };
	struct pt_regs regs = { 0 };
	size_t waits;

	(void)state;
	assert_int_equal(register_kretprobes(both, 2), 0);
	call_and_return(30);
	call(40);
	waits = sim_counts.waits;
	unregister_kretprobes(both, 2);
	assert_int_equal(sim_counts.waits - waits, 1);
	assert_int_equal(finish(40, &regs), CALLER);
}

/* A stale word may have led a reader to a node that is about to be freed. */
static void who_follows_a_stub_is_waited_for(void **state)
{
	struct kretprobe rp = probe(1);
	size_t waits;

	(void)state;
	assert_int_equal(register_kretprobe(&rp), 0);
	call_and_return(30);
	waits = sim_counts.waits;
	kp_stub_follow();
	unregister_kretprobe(&rp);
	kp_stub_follow_end();
	assert_int_equal(sim_counts.waits - waits, 2);
}

/* As long as there is an instance, a host may meet a stub. */
static void K_RET_44_the_host_is_told(void **state)
{
	struct kretprobe rp = probe(1);
	struct pt_regs regs = { 0 };

	(void)state;
	assert_false(sim_returns_hooked);
	assert_int_equal(register_kretprobe(&rp), 0);
	assert_true(sim_returns_hooked);
	call(30);
	assert_int_equal(kp_core_original_ip(stack[30]), CALLER);
	unregister_kretprobe(&rp);
	assert_true(sim_returns_hooked);
	assert_int_equal(finish(30, &regs), CALLER);
	rp = probe(1);
	assert_int_equal(register_kretprobe(&rp), 0);
	unregister_kretprobe(&rp);
	assert_false(sim_returns_hooked);
}

/* Once for a batch, and only if something of it was made. */
static void K_RET_44_the_host_is_told_once(void **state)
{
	struct kretprobe a = probe(1), b = probe(1);
	struct kretprobe *both[] = { &a, &b };
	size_t told;

	(void)state;
	told = sim_counts.returns_hooked;
	assert_int_equal(register_kretprobes(both, 2), 0);
	assert_int_equal(sim_counts.returns_hooked - told, 1);
	unregister_kretprobes(both, 2);
	assert_false(sim_returns_hooked);
	sim_return_refused = "it must not";
	assert_int_equal(register_kretprobes(both, 2), -EINVAL);
	assert_int_equal(sim_counts.returns_hooked - told, 1);
	sim_return_refused = NULL;
	a = probe(1);
	b = probe(1);
	b.data_size = 1 << 20;
	assert_int_equal(register_kretprobes(both, 2), -E2BIG);
	assert_int_equal(sim_counts.returns_hooked - told, 2);
	assert_false(sim_returns_hooked);
	/* Whatever the host had for it may have gone. */
	a = probe(1);
	assert_int_equal(register_kretprobe(&a), 0);
	kp_core_clear();
	b = probe(1);
	assert_int_equal(register_kretprobe(&b), 0);
	assert_int_equal(sim_counts.returns_hooked - told, 4);
	unregister_kretprobes(both, 2);
	assert_false(sim_returns_hooked);
}

static void come_and_go(void)
{
	struct kretprobe rp = probe(1);

	assert_int_equal(register_kretprobe(&rp), 0);
	unregister_kretprobe(&rp);
}

/*
 * A probe was unregistered while a call was in flight that then never returned:
 * its thread's next hit finds that out, and the next unregistration frees the
 * memory.
 */
static void K_RET_61_orphans_of_unwound_calls(void **state)
{
	struct kretprobe orphan = probe(1), other = probe(1);
	size_t allocs;

	(void)state;
	assert_int_equal(register_kretprobe(&other), 0);
	allocs = sim_counts.allocs;
	assert_int_equal(register_kretprobe(&orphan), 0);
	call(50);
	sim_thread = 2;
	unregister_kretprobe(&orphan);
	stack[50] = 0;
	/* What another thread does tells nothing. */
	call_and_return(60);
	come_and_go();
	assert_true(sim_counts.allocs > allocs);
	sim_thread = 1;
	call_and_return(60);
	sim_thread = 2;
	come_and_go();
	assert_int_equal(sim_counts.allocs, allocs);
	unregister_kretprobe(&other);
}

static void an_unreadable_stack_counts_as_missed(void **state)
{
	struct kretprobe rp = probe(1);
	struct pt_regs regs = { .sp = SIM_UNMAPPED };

	(void)state;
	assert_int_equal(register_kretprobe(&rp), 0);
	assert_true(unit_hit(unit_f + F_ENTRY, &regs));
	assert_int_equal(rp.nmissed, 1);
	unregister_kretprobe(&rp);
}

static void K_REG_75_batches(void **state)
{
	struct kretprobe a = probe(1), b = probe(1), bad = probe(1);
	struct kretprobe *mixed[] = { &a, &bad }, *null[] = { &a, NULL };

	(void)state;
	bad.data_size = 10000;
	assert_int_equal(register_kretprobes(mixed, 0), -EINVAL);
	assert_int_equal(register_kretprobes(NULL, 2), -EINVAL);
	assert_int_equal(register_kretprobes(mixed, 2), -E2BIG);
	assert_true(a.kp.addr && kprobe_disabled(&a.kp));
	a = probe(1);
	assert_int_equal(register_kretprobes(null, 2), -EINVAL);
	unregister_kretprobes(null, 2);
	mixed[1] = &b;
	a = probe(1);
	assert_int_equal(register_kretprobes(mixed, 2), 0);
	call_and_return(30);
	assert_string_equal(trace, "eerr");
	/* Without memory for the batch: one by one. */
	sim_script(SIM_ALLOC, "f");
	unregister_kretprobes(mixed, 2);
	call(30);
	assert_false(hooked(30));
}

static void K_INV_06_nothing_leaks(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 100; i++) {
		struct kretprobe rp = probe(i % 5);
		static size_t allocs;

		assert_int_equal(register_kretprobe(&rp), 0);
		call_and_return(30);
		unregister_kretprobe(&rp);
		if (i > 10)
			assert_int_equal(sim_counts.allocs, allocs);
		allocs = sim_counts.allocs;
	}
}

/* ---- the context of a handler ------------------------------------------------ */

static struct pt_regs interrupted;
static uintptr_t frame_seen;

static int sees_frame(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	frame_seen = kp_host_context()->frame;
	return 0;
}

/* A signal came when a jump's hit had stored its frame, but not its site. */
static void K_REE_03_a_frame_of_another_hit(void **state)
{
	struct kp_context *ctx = kp_host_context();
	struct kretprobe rp = probe(1);
	struct pt_regs regs = { 0 };

	(void)state;
	rp.handler = sees_frame;
	assert_int_equal(register_kretprobe(&rp), 0);
	call(0);
	ctx->frame = (uintptr_t)&interrupted;
	assert_int_equal(finish(0, &regs), CALLER);
	/* A return's own, which is not a jump's. */
	assert_int_equal(frame_seen & ~KP_FRAME_GUARDED,
			 (uintptr_t)&regs | KP_FRAME_RETURN);
	/* The hit that was interrupted finds what it left. */
	assert_int_equal(ctx->frame, (uintptr_t)&interrupted);
	assert_null(ctx->site);
	ctx->frame = 0;
	unregister_kretprobe(&rp);
}

#define RET(test) cmocka_unit_test_setup_teardown(test, setup, unit_teardown)

/* The engine ends while calls last: they are led back, where everybody can be stopped. */
static void K_RET_61_calls_are_led_back(void **state)
{
	struct kretprobe a = probe(4), b = probe(4);
	struct pt_regs regs = { 0 };

	(void)state;
	assert_int_equal(register_kretprobe(&a), 0);
	assert_int_equal(register_kretprobe(&b), 0);
	call(10);
	call(20);
	call(30);
	assert_true(hooked(10) && hooked(20) && hooked(30));
	unregister_kretprobe(&a);
	unregister_kretprobe(&b);
	sim_alone = false;
	assert_int_equal(kp_core_stop(), -EBUSY);
	assert_non_null(strstr(sim_logs, "6 calls of functions"));
	/* One of them cannot be: somebody else has put his own there. */
	stack[20] ^= 1;
	sim_alone = true;
	assert_int_equal(kp_core_stop(), -EBUSY);
	assert_false(hooked(10) || hooked(30));
	assert_non_null(strstr(sim_logs, "2 calls of functions"));
	stack[20] ^= 1;
	assert_int_equal(finish(20, &regs), CALLER);
	assert_int_equal(kp_core_stop(), 0);
	/* It begins anew. */
	a.kp.addr = NULL;
	a.kp.flags = 0;
	assert_int_equal(register_kretprobe(&a), 0);
	call(10);
	call(20);
	unregister_kretprobe(&a);
	/* Of one nothing shows where it returns to, but that its thread has left it. */
	stack[20] ^= 1;
	assert_int_equal(kp_core_stop(), -EBUSY);
	assert_false(hooked(10));
	sim_over = (uintptr_t)&stack[20];
	assert_int_equal(kp_core_stop(), 0);
	sim_over = 0;
	sim_alone = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RET(K_RET_01_02_06_refusals),
		RET(K_RET_61_calls_are_led_back),
		RET(K_RET_05_refused_by_the_host),
		RET(K_RET_05_43_who_looks_at_its_caller),
		RET(K_REE_03_a_frame_of_another_hit),
		RET(K_RET_08_11_nothing_stays_after_a_failure),
		RET(K_RET_07_10_14_what_registration_shows),
		RET(K_RET_14_66_listed_as_r_and_nothing_else),
		RET(K_RET_20_21_26_27_a_cap),
		RET(K_RET_27_any_order_of_returns),
		RET(K_RET_07_grows_before_it_runs_dry),
		RET(K_RET_07_grows_on_the_trap_path),
		RET(K_RET_48_lost_calls_do_not_grow_the_pool),
		RET(K_RET_47_unwound_calls_are_reclaimed),
		RET(K_RET_47_the_same_frame_again),
		RET(K_RET_47_another_stack_is_left_alone),
		RET(K_RET_48_dead_threads),
		RET(K_RET_27_46_coroutines_keep_their_instance),
		RET(K_RET_48_coroutines_that_end_with_their_thread),
		RET(K_RET_61_a_coroutine_outlives_its_probe),
		RET(K_RET_61_a_call_outlives_what_goes),
		RET(K_RET_40_47_stacks_that_are_copied),
		RET(K_RET_46_a_return_without_a_call),
		RET(K_RET_37_39_several_on_one_function),
		RET(K_RET_46_47_several_return_while_one_is_short),
		RET(K_RET_40_tail_call),
		RET(K_RET_60_61_62_in_flight),
		RET(K_RET_63_disabled_in_flight),
		RET(stop_waits_for_calls),
		RET(K_RET_36_hits_in_a_return_handler),
		RET(K_API_17_calls_from_handlers),
		RET(no_context_at_the_return),
		RET(a_faulting_return_handler_is_abandoned),
		RET(a_faulting_entry_handler_is_abandoned),
		RET(one_wait_for_an_unregistration),
		RET(K_RET_44_the_host_is_told),
		RET(K_RET_44_the_host_is_told_once),
		RET(who_follows_a_stub_is_waited_for),
		RET(K_RET_61_orphans_of_unwound_calls),
		RET(an_unreadable_stack_counts_as_missed),
		RET(K_REG_75_batches),
		RET(K_INV_06_nothing_leaks),
	};

	return cmocka_run_group_tests_name("retprobe", tests, NULL, NULL);
}
