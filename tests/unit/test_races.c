/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_races.c - what may happen while jumps come and go.
 *
 * Other CPUs are played by hand: traps that were taken before a write arrive
 * after it, handlers run while probes around them change, work that was put off
 * comes when what it was for is no more.
 *
 * Covers: core/jump.c, core/landing.c, core/detour.c, core/busy.c, core/look.c
 */
#include "jumps.h"
#include "unit_jumps.h"

static struct kprobe probe, other;
static int hits, other_hits, post_hits;

static int count(struct kprobe *p, struct pt_regs *regs)
{
	(void)regs;
	hits += p == &probe;
	other_hits += p == &other;
	return 0;
}

static void count_post(struct kprobe *p, struct pt_regs *regs,
		       unsigned long flags)
{
	(void)p;
	(void)regs;
	(void)flags;
	post_hits++;
}

static int setup(void **state)
{
	hits = other_hits = post_hits = 0;
	memset(&probe, 0, sizeof(probe));
	memset(&other, 0, sizeof(other));
	return jumps_setup(state);
}

#define RACE(test) cmocka_unit_test_setup_teardown(test, setup, jumps_teardown)

static void register_at(struct kprobe *p, unsigned int offset)
{
	*p = at(offset);
	p->pre_handler = count;
	assert_int_equal(register_kprobe(p), 0);
}

/* ---- traps that come late ------------------------------------------------------- */

#define LATE_MAX 512
#define RETURNED 0x4567

static struct late {
	uintptr_t addr;
	bool fault;
} lates[LATE_MAX];
static size_t lates_nr;
static size_t delivered;

/* A core traps where it can, and is not heard of for a while. */
static void trap_everywhere(void)
{
	unsigned int i;
	uintptr_t body;

	for (i = 0; i < sizeof(h_insns) && lates_nr < LATE_MAX; i++) {
		uintptr_t addr = h + h_insns[i];
		bool bp = sim_text[H_AT + h_insns[i]] == TOY_BREAK;

		if (bp || (kp_landing_find(addr, &body) &&
			   memcmp(sim_text + H_AT + h_insns[i],
				  h_bytes + h_insns[i], len_at(h_insns[i]))))
			lates[lates_nr++] = (struct late){ addr, !bp };
	}
}

/* The trap arrives: a hit, a copy of the instruction, or it is tried again. */
static void arrive(const struct late *late)
{
	static uintptr_t stack[8] = { RETURNED };
	struct pt_regs regs = { .pc = late->addr + !late->fault,
				.sp = (unsigned long)stack };
	bool mine = late->addr == (uintptr_t)probe.addr;
	int before = hits;

	/* Each in another thread. */
	kp_host_context()->retried = 0;
	delivered++;
	if (late->fault)
		assert_true(kp_core_on_fault(&regs, KP_ARCH_LANDING_TRAP));
	else
		assert_true(kp_core_on_trap(&regs));
	if (regs.pc == late->addr) {
		assert_int_equal(hits, before);
		assert_true(late->fault || *(uint8_t *)late->addr != TOY_BREAK);
		return;
	}
	assert_int_equal(hits - before,
			 mine && !late->fault && !kprobe_disabled(&probe));
	if (regs.pc != RETURNED)
		assert_int_equal(kp_core_original_ip(regs.pc), late->addr);
}

static void trap_and_arrive(void)
{
	size_t i;

	check_text();
	for (i = 0; i < lates_nr; i++)
		arrive(&lates[i]);
	trap_everywhere();
}

static void K_OPT_60_61_62_63_traps_arrive_after_any_write(void **state)
{
	unsigned int i;

	(void)state;
	delivered = 0;
	sim_after_write = trap_and_arrive;
	for (i = 0; i < sizeof(h_insns); i++) {
		lates_nr = 0;
		register_at(&probe, h_insns[i]);
		trap_everywhere();
		kp_core_flush();
		trap_everywhere();
		unregister_kprobe(&probe);
		kp_core_flush();
		trap_and_arrive();
		assert_true(is_original());
	}
	assert_true(delivered > 50);
}

static void enable_again(void)
{
	assert_int_equal(enable_kprobe(&probe), 0);
}

/* The trap is late, and the next breakpoint there early. */
static void K_HIT_25_armed_again_before_a_look_at_the_text(void **state)
{
	struct pt_regs regs = { 0 };

	(void)state;
	kp_core_set_optimization(false);
	register_at(&probe, H_LOAD);
	disable_kprobe(&probe);
	sim_before_read = enable_again;
	assert_true(unit_hit(h + H_LOAD, &regs));
	assert_int_equal(hits, 1);
	unregister_kprobe(&probe);
}

static void jump_again(void)
{
	assert_int_equal(kp_core_set_optimization(true), 0);
	kp_core_flush();
}

static void K_HIT_25_a_jump_again_before_a_look_at_the_text(void **state)
{
	struct pt_regs regs = { .pc = h + H_MOVE + 1 };

	(void)state;
	register_at(&probe, H_PUSH);
	kp_core_flush();
	assert_true(is_jump(H_PUSH));
	kp_core_set_optimization(false);
	sim_before_read = jump_again;
	assert_true(kp_core_on_trap(&regs));
	assert_true(is_jump(H_PUSH));
	if (regs.pc != h + H_MOVE)
		assert_int_equal(kp_core_original_ip(regs.pc), h + H_MOVE);
	unregister_kprobe(&probe);
}

/* On a jump there is no breakpoint of ours, but there may be another's. */
static void K_HIT_25_somebody_elses_breakpoint_on_a_jump(void **state)
{
	struct pt_regs regs = { .pc = h + H_PUSH + 1 };
	uint8_t first;

	(void)state;
	register_at(&probe, H_PUSH);
	kp_core_flush();
	assert_true(is_jump(H_PUSH));
	/* Ours, taken before the jump was written: again, through the jump. */
	assert_true(kp_core_on_trap(&regs));
	assert_int_equal(regs.pc, h + H_PUSH);

	first = sim_text[H_AT + H_PUSH];
	sim_text[H_AT + H_PUSH] = TOY_BREAK;
	/* Once it may be that he came after the trap; then it is his. */
	regs.pc = h + H_PUSH + 1;
	assert_true(kp_core_on_trap(&regs));
	assert_int_equal(regs.pc, h + H_PUSH);
	regs.pc = h + H_PUSH + 1;
	assert_false(kp_core_on_trap(&regs));
	assert_int_equal(regs.pc, h + H_PUSH + 1);
	assert_int_equal(hits, 0);
	sim_text[H_AT + H_PUSH] = first;

	/* And where the jump is gone it is ours again. */
	kp_core_set_optimization(false);
	assert_true(unit_hit(h + H_PUSH, &regs));
	assert_int_equal(hits, 1);
	unregister_kprobe(&probe);
}

/* ---- another engine's probes, which need not show in the text ------------------- */

static void K_OPT_02_58_another_has_a_copy_of_the_jump(void **state)
{
	(void)state;
	register_at(&probe, H_PUSH);
	kp_core_flush();
	assert_true(is_jump(H_PUSH));
	sim_other = h + H_PUSH;
	unregister_kprobe(&probe);
	kp_core_flush();
	assert_true(is_jump(H_PUSH));
	assert_int_equal(kp_core_stop(), -EBUSY);
	sim_other = 0;
	assert_int_equal(kp_core_stop(), 0);
	assert_true(is_original());
}

static void K_OPT_02_another_is_where_a_jump_was(void **state)
{
	(void)state;
	register_at(&probe, H_PUSH);
	kp_core_flush();
	assert_true(is_jump(H_PUSH));
	assert_int_equal(kp_core_set_optimization(false), 0);
	sim_other = h + H_PUSH + 1;
	assert_int_equal(kp_core_set_optimization(true), 0);
	kp_core_flush();
	assert_false(is_jump(H_PUSH));
	assert_int_equal(sim_text[H_AT + H_PUSH], TOY_BREAK);
	sim_other = 0;
	unregister_kprobe(&probe);
	assert_true(is_original());
}

/* As a uprobe: a breakpoint on ours, which is the original byte again when it goes. */
static void K_OPT_02_one_who_copies_the_original(void **state)
{
	uint8_t original = sim_text[H_AT + H_PUSH];
	struct pt_regs regs = { 0 };

	(void)state;
	sim_copies_original = true;
	register_at(&probe, H_PUSH);
	kp_core_flush();
	assert_true(is_jump(H_PUSH));
	kp_core_look();
	assert_true(is_jump(H_PUSH));
	/* It stands on the jump: all but his breakpoint is put back. */
	sim_text[H_AT + H_PUSH] = TOY_BREAK;
	kp_core_look();
	kp_core_flush();
	assert_false(is_jump(H_PUSH));
	assert_int_equal(sim_text[H_AT + H_PUSH], TOY_BREAK);
	kp_core_set_enabled(false);
	assert_int_equal(sim_text[H_AT + H_PUSH], TOY_BREAK);
	kp_core_set_enabled(true);
	sim_text[H_AT + H_PUSH] = original;
	assert_true(is_original());
	/* It has gone: ours is there again. */
	kp_core_set_enabled(false);
	kp_core_set_enabled(true);
	kp_core_flush();
	assert_true(is_jump(H_PUSH));
	/* It came and went without a hit. */
	sim_text[H_AT + H_PUSH] = original;
	kp_core_look();
	assert_true(sim_text[H_AT + H_PUSH] == TOY_BREAK);
	kp_core_flush();
	assert_true(is_jump(H_PUSH));
	/* It went from a breakpoint. */
	kp_core_set_optimization(false);
	sim_text[H_AT + H_PUSH] = original;
	kp_core_look();
	assert_true(unit_hit(h + H_PUSH, &regs));
	assert_int_equal(hits, 1);
	unregister_kprobe(&probe);
	assert_true(is_original());
	sim_copies_original = false;
}

static void K_OPT_02_one_who_copies_the_original_outlives_us(void **state)
{
	uint8_t original = sim_text[H_AT + H_PUSH];

	(void)state;
	sim_copies_original = true;
	register_at(&probe, H_PUSH);
	kp_core_flush();
	assert_true(is_jump(H_PUSH));
	sim_text[H_AT + H_PUSH] = TOY_BREAK;
	unregister_kprobe(&probe);
	kp_core_flush();
	assert_int_equal(sim_text[H_AT + H_PUSH], TOY_BREAK);
	sim_text[H_AT + H_PUSH] = original;
	assert_true(is_original());
	sim_copies_original = false;
}

/* It was put back on a jump, by one who was there and went before anybody looked. */
static void K_OPT_02_the_original_on_a_jump(void **state)
{
	uint8_t original = sim_text[H_AT + H_PUSH];

	(void)state;
	register_at(&probe, H_PUSH);
	kp_core_flush();
	assert_true(is_jump(H_PUSH));
	sim_text[H_AT + H_PUSH] = original;
	unregister_kprobe(&probe);
	kp_core_flush();
	assert_true(is_original());
}

static void K_EN_09_another_is_where_a_probe_was_disabled(void **state)
{
	(void)state;
	register_at(&probe, H_PUSH);
	assert_int_equal(disable_kprobe(&probe), 0);
	kp_core_flush();
	sim_other = h + H_PUSH;
	assert_int_equal(enable_kprobe(&probe), -EBUSY);
	assert_true(kprobe_disabled(&probe));
	assert_true(is_original());
	sim_other = 0;
	assert_int_equal(enable_kprobe(&probe), 0);
	unregister_kprobe(&probe);
}

/* ---- the context of a hit --------------------------------------------------------- */

static int runs_into_other(struct kprobe *p, struct pt_regs *regs)
{
	struct pt_regs inner = { 0 };

	count(p, regs);
	if (other.addr)
		assert_true(unit_hit((uintptr_t)other.addr, &inner));
	return 0;
}

/* A signal came when a jump's hit had stored its frame, but not its site. */
static void K_REE_01_a_frame_of_another_hit(void **state)
{
	struct kp_context *ctx = kp_host_context();
	struct pt_regs frame = { 0 }, regs = { 0 };

	(void)state;
	sim_unwound = true;
	kp_core_set_optimization(false);
	register_at(&other, H_SUM);
	register_at(&probe, H_LOAD);
	probe.pre_handler = runs_into_other;
	ctx->frame = (uintptr_t)&frame;
	assert_true(unit_hit(h + H_LOAD, &regs));
	assert_int_equal(hits, 1);
	assert_int_equal(other_hits, 0);
	assert_int_equal(other.nmissed, 1);
	/* The hit that was interrupted finds what it left. */
	assert_int_equal(ctx->frame, &frame);
	assert_null(ctx->site);
	ctx->frame = 0;
	unregister_kprobe(&probe);
	unregister_kprobe(&other);
}

static int jumps_into_other(struct kprobe *p, struct pt_regs *regs)
{
	struct pt_regs inner = { 0 };

	count(p, regs);
	assert_int_equal(jump_hit(H_SUM, &inner), 0);
	return 0;
}

static void K_REE_01_04_05_recursion_through_jumps(void **state)
{
	struct pt_regs regs = { 0 };
	struct kprobe silent = at(H_SUM);

	(void)state;
	register_at(&other, H_SUM);
	silent.flags = KPROBE_FLAG_DISABLED;
	assert_int_equal(register_kprobe(&silent), 0);
	register_at(&probe, H_LOAD);
	probe.pre_handler = jumps_into_other;
	kp_core_flush();
	assert_true(is_jump(H_SUM) && is_jump(H_LOAD));
	assert_int_equal(jump_hit(H_LOAD, &regs), 0);
	assert_int_equal(jump_hit(H_LOAD, &regs), 0);
	assert_int_equal(hits, 2);
	assert_int_equal(other_hits, 0);
	assert_int_equal(other.nmissed, 2);
	assert_int_equal(silent.nmissed, 2);
	assert_int_equal(probe.nmissed, 0);
	unregister_kprobe(&silent);
	unregister_kprobe(&probe);
	unregister_kprobe(&other);
}

/* The breakpoint of a disabled probe could not be removed. */
static void K_REE_08_disabled_misses_nothing(void **state)
{
	struct pt_regs regs = { 0 };

	(void)state;
	kp_core_set_optimization(false);
	register_at(&other, H_SUM);
	register_at(&probe, H_LOAD);
	probe.pre_handler = runs_into_other;
	sim_script(SIM_TEXT_WRITE, "f");
	disable_kprobe(&other);
	assert_true(is_breakpoint(H_SUM));
	assert_true(unit_hit(h + H_LOAD, &regs));
	assert_int_equal(hits, 1);
	assert_int_equal(other_hits, 0);
	assert_int_equal(other.nmissed, 0);
	unregister_kprobe(&probe);
	assert_int_equal(enable_kprobe(&other), 0);
	unregister_kprobe(&other);
}

/* ---- while a handler runs ----------------------------------------------------------- */

static void (*meanwhile)(void);

static int is_slow(struct kprobe *p, struct pt_regs *regs)
{
	count(p, regs);
	sim_elsewhere(meanwhile);
	return 0;
}

static void register_other_behind(void)
{
	register_at(&other, H_MOVE);
}

/* Is ip in the form that executes the probed instruction and no other? */
static bool in_slot(const struct kprobe *p, uintptr_t ip)
{
	uintptr_t slot = (uintptr_t)p->ainsn.insn;

	return ip - slot < 2u * kp_slot_site(slot)->arch.stepped;
}

/* The chain would execute the copy of what is probed now. */
static void K_OPT_49_armed_while_a_handler_runs_is_hit(void **state)
{
	struct pt_regs regs = { .sp = (unsigned long)sim_data + 256 };

	(void)state;
	register_at(&probe, H_PUSH);
	probe.pre_handler = is_slow;
	meanwhile = register_other_behind;
	kp_core_flush();
	assert_true(is_jump(H_PUSH));
	assert_int_not_equal(site_at(H_PUSH)->detour->chain, 0);
	assert_int_equal(jump_hit(H_PUSH, &regs), 1);
	assert_true(in_slot(&probe, regs.pc));
	assert_true(is_breakpoint(H_PUSH) && is_breakpoint(H_MOVE));
	assert_true(execute(H_MOVE, &regs));
	assert_int_equal(hits, 1);
	assert_int_equal(other_hits, 1);
	unregister_kprobe(&probe);
	unregister_kprobe(&other);
}

static void disable_it(void)
{
	assert_int_equal(disable_kprobe(&probe), 0);
	kp_core_flush();
}

static void K_OPT_51_disabled_by_force_while_a_handler_runs(void **state)
{
	struct pt_regs regs = { .sp = (unsigned long)sim_data + 256 };

	(void)state;
	register_at(&probe, H_PUSH);
	probe.pre_handler = is_slow;
	meanwhile = disable_it;
	kp_core_flush();
	assert_int_equal(jump_hit(H_PUSH, &regs), 1);
	assert_true(in_slot(&probe, regs.pc));
	assert_true(is_original());
	assert_int_equal(hits, 1);
	unregister_kprobe(&probe);
}

/* Between pre and post handlers. */
static void K_OPT_49_armed_while_the_stepped_form_runs(void **state)
{
	struct pt_regs regs = { .sp = (unsigned long)sim_data + 256 };

	(void)state;
	register_at(&probe, H_PUSH);
	unregister_kprobe(&probe);
	kp_core_flush();
	probe.addr = NULL;
	probe.flags = 0;
	probe.post_handler = count_post;
	assert_int_equal(register_kprobe(&probe), 0);
	kp_core_flush();
	assert_true(is_jump(H_PUSH));
	assert_int_equal(jump_hit(H_PUSH, &regs), 1);
	assert_true(in_slot(&probe, regs.pc));
	/* The jump is there: on in the chain, without a trap. */
	unit_post(&probe, &regs);
	assert_false(in_slot(&probe, regs.pc));
	assert_int_equal(kp_core_original_ip(regs.pc), h + H_MOVE);
	assert_int_equal(post_hits, 1);
	/* It is not, and there is another probe. */
	assert_int_equal(jump_hit(H_PUSH, &regs), 1);
	register_other_behind();
	unit_post(&probe, &regs);
	assert_int_equal(regs.pc, h + H_MOVE);
	assert_int_equal(post_hits, 2);
	unregister_kprobe(&probe);
	unregister_kprobe(&other);
}

static int asks_for_everything(struct kprobe *p, struct pt_regs *regs)
{
	struct kprobe mine = at(H_ADD);

	count(p, regs);
	assert_int_equal(register_kprobe(&mine), -EDEADLK);
	assert_int_equal(disable_kprobe(p), -EDEADLK);
	assert_int_equal(enable_kprobe(p), -EDEADLK);
	unregister_kprobe(p);
	assert_int_equal(kp_core_set_enabled(false), -EDEADLK);
	assert_int_equal(kp_core_set_optimization(false), -EDEADLK);
	kp_core_flush();
	assert_false(listed("h+0x7", "[OPTIMIZED]"));
	return 0;
}

static void K_OPT_44_handlers_may_not_change_probes(void **state)
{
	struct pt_regs regs = { 0 };

	(void)state;
	register_at(&probe, H_LOAD);
	probe.pre_handler = asks_for_everything;
	kp_core_flush();
	assert_int_equal(jump_hit(H_LOAD, &regs), 0);
	assert_int_equal(hits, 1);
	assert_true(is_jump(H_LOAD));
	assert_true(listed("h+0x7", "[OPTIMIZED]"));
	unregister_kprobe(&probe);
}

/* ---- work that was put off ------------------------------------------------------------ */

static void K_OPT_48_gone_before_the_worker_comes(void **state)
{
	size_t writes;

	(void)state;
	register_at(&probe, H_LOAD);
	unregister_kprobe(&probe);
	assert_true(is_original());
	writes = sim_counts.writes;
	sim_run_deferred();
	assert_int_equal(sim_counts.writes, writes);
	assert_true(is_original());
}

/* Off and on between two runs of the worker: no write at all. */
static void K_OPT_54_off_and_on(void **state)
{
	struct pt_regs regs = { 0 };
	size_t writes;
	int i;

	(void)state;
	register_at(&probe, H_LOAD);
	sim_run_deferred();
	writes = sim_counts.writes;
	for (i = 0; i < 5; i++) {
		assert_int_equal(disable_kprobe(&probe), 0);
		assert_int_equal(jump_hit(H_LOAD, &regs), 0);
		/* It changed a moment ago, and may do so again. */
		sim_run_deferred();
		assert_true(is_jump(H_LOAD));
		assert_int_equal(enable_kprobe(&probe), 0);
		assert_int_equal(jump_hit(H_LOAD, &regs), 0);
		sim_run_deferred();
	}
	assert_int_equal(sim_counts.writes, writes);
	assert_int_equal(hits, 5);
	assert_int_equal(probe.nmissed, 0);
	unregister_kprobe(&probe);
	assert_true(is_jump(H_LOAD));
	probe.addr = NULL;
	probe.flags = 0;
	assert_int_equal(register_kprobe(&probe), 0);
	assert_int_equal(sim_counts.writes, writes);
	assert_true(listed("h+0x7", "[OPTIMIZED]"));
	unregister_kprobe(&probe);
}

static void K_OPT_53_the_last_child_went(void **state)
{
	struct pt_regs regs = { 0 };

	(void)state;
	register_at(&probe, H_LOAD);
	sim_run_deferred();
	unregister_kprobe(&probe);
	memset(&probe, 0x5a, sizeof(probe));
	assert_true(is_jump(H_LOAD));
	assert_int_equal(jump_hit(H_LOAD, &regs), 0);
	sim_run_deferred();
	assert_true(is_jump(H_LOAD));
	sim_run_deferred();
	assert_true(is_original());
	assert_int_equal(sim_counts.defers, 0);
	/* Whoever is still on his way there. */
	assert_int_equal(jump_hit(H_LOAD, &regs), 1);
	assert_int_equal(kp_core_original_ip(regs.pc), h + H_LOAD);
	assert_int_equal(hits, 0);
}

static void K_KNB_54_57_58_knobs_and_the_worker(void **state)
{
	struct pt_regs regs = { 0 };

	(void)state;
	register_at(&probe, H_LOAD);
	register_at(&other, H_SUM);
	sim_run_deferred();
	disable_kprobe(&other);
	assert_true(is_jump(H_LOAD) && is_jump(H_SUM));
	/* The worker is due, and comes after the fact. */
	assert_int_equal(kp_core_set_optimization(false), 0);
	assert_true(is_breakpoint(H_LOAD));
	assert_false(is_jump(H_SUM));
	assert_true(execute(H_LOAD, &regs));
	sim_run_deferred();
	assert_true(is_breakpoint(H_LOAD));
	assert_int_equal(kp_core_set_optimization(true), 0);
	assert_int_equal(kp_core_set_enabled(false), 0);
	assert_true(is_original());
	sim_run_deferred();
	assert_true(is_original());
	assert_int_equal(enable_kprobe(&other), 0);
	sim_run_deferred();
	assert_true(is_original());
	assert_int_equal(kp_core_set_enabled(true), 0);
	assert_true(is_breakpoint(H_LOAD) && is_breakpoint(H_SUM));
	assert_true(execute(H_LOAD, &regs));
	sim_run_deferred();
	assert_true(is_jump(H_LOAD) && is_jump(H_SUM));
	assert_true(execute(H_LOAD, &regs));
	assert_int_equal(hits, 3);
	assert_int_equal(probe.nmissed, 0);
	/* All at once, while a removal waits. */
	disable_kprobe(&other);
	assert_int_equal(kp_core_set_enabled(false), 0);
	assert_true(is_original());
	assert_int_equal(kp_core_set_enabled(true), 0);
	assert_false(is_breakpoint(H_SUM));
	unregister_kprobe(&probe);
	unregister_kprobe(&other);
}

/* ---- text that goes --------------------------------------------------------------------- */

static void other_text(void)
{
	sim_after_write = NULL;
	memset(sim_text + H_AT, 0, sizeof(h_bytes));
	kp_core_on_text_gone(h, sizeof(h_bytes));
}

static void text_again(void)
{
	size_t i;

	for (i = 0; i < sizeof(h_bytes); i++)
		assert_int_equal(sim_text[H_AT + i], 0);
	memcpy(sim_text + H_AT, h_bytes, sizeof(h_bytes));
	sim_after_write = check_text;
}

static void K_OPT_52_text_goes_with_its_jump(void **state)
{
	struct pt_regs regs = { 0 };
	struct kp_site *site;

	(void)state;
	register_at(&probe, H_LOAD);
	register_at(&other, H_PUSH);
	sim_run_deferred();
	assert_true(is_jump(H_LOAD) && is_jump(H_PUSH));
	site = site_at(H_LOAD);
	other_text();
	assert_true(kprobe_gone(&probe) && kprobe_gone(&other));
	assert_int_equal(kp_jump_nr(), 0);
	kp_core_flush();
	assert_int_equal(enable_kprobe(&probe), -EINVAL);
	assert_int_equal(kp_core_set_optimization(false), 0);
	assert_int_equal(kp_core_set_optimization(true), 0);
	assert_int_equal(kp_core_set_enabled(false), 0);
	assert_int_equal(kp_core_set_enabled(true), 0);
	text_again();
	/* New text in the old place has nothing to do with it. */
	regs.pc = h + H_LOAD + 1;
	kp_core_on_detour(&regs, site, &jumps_vectors);
	unregister_kprobe(&probe);
	unregister_kprobe(&other);
	hits = 0;
	register_at(&probe, H_LOAD);
	assert_ptr_not_equal(site_at(H_LOAD), site);
	sim_run_deferred();
	assert_true(is_jump(H_LOAD));
	assert_int_equal(jump_hit(H_LOAD, &regs), 0);
	assert_int_equal(hits, 1);
	unregister_kprobe(&probe);
}

static void K_OPT_52_text_goes_while_work_waits(void **state)
{
	(void)state;
	register_at(&probe, H_LOAD);		/* to become a jump */
	register_at(&other, H_SUM);
	kp_core_flush();
	unregister_kprobe(&other);		/* to lose its jump */
	register_at(&other, H_ADD);		/* to become one */
	other_text();
	sim_run_deferred();
	sim_run_deferred();
	text_again();
	unregister_kprobe(&probe);
	unregister_kprobe(&other);
}

/* ---- text that cannot be written --------------------------------------------------------- */

/* The nth write fails, in both directions; the probe is hit all the same. */
static void fail_nth(unsigned int offset, unsigned int nth)
{
	static char script[16];
	struct pt_regs regs = { .sp = (unsigned long)sim_data + 256 };

	hits = 0;
	register_at(&probe, offset);
	memset(script, 'a', sizeof(script) - 1);
	script[nth] = 'f';
	sim_script(SIM_TEXT_WRITE, script);
	kp_core_flush();
	sim_script(SIM_TEXT_WRITE, "");
	check_text();
	assert_true(execute(offset, &regs));
	assert_int_equal(hits, 1);
	kp_core_flush();
	sim_script(SIM_TEXT_WRITE, script);
	disable_kprobe(&probe);
	kp_core_flush();
	sim_script(SIM_TEXT_WRITE, "");
	check_text();
	assert_int_equal(enable_kprobe(&probe), 0);
	assert_true(execute(offset, &regs));
	assert_int_equal(hits, 2);
	unregister_kprobe(&probe);
	kp_core_flush();
	assert_true(is_original());
}

static void K_OPT_02_58_writes_fail(void **state)
{
	static const unsigned int where[] = { H_PUSH, H_ADD, H_LOAD, H_POP };
	unsigned int i, nth;

	(void)state;
	for (i = 0; i < sizeof(where) / sizeof(where[0]); i++)
		for (nth = 0; nth < 6; nth++)
			fail_nth(where[i], nth);
}

/* What a user reads in kprobe.reason, while it is so. */
static void K_OPT_02_a_jump_that_cannot_be_written(void **state)
{
	(void)state;
	register_at(&probe, H_PUSH);
	sim_script(SIM_TEXT_WRITE, "af");
	kp_core_flush();
	sim_script(SIM_TEXT_WRITE, "");
	assert_true(is_breakpoint(H_PUSH));
	assert_non_null(probe.reason);
	disable_kprobe(&probe);
	assert_int_equal(enable_kprobe(&probe), 0);
	kp_core_flush();
	assert_true(is_jump(H_PUSH));
	assert_null(probe.reason);
	unregister_kprobe(&probe);
}

/* The list plans what is queued; the reason is not lost on the way. */
static void K_OPT_40_the_list_comes_before_the_worker(void **state)
{
	(void)state;
	sim_region(h + H_RET, 1, KP_TEXT_ENGINE, "not to be changed");
	register_at(&probe, H_POP);
	sim_script(SIM_EXEC_ALLOC_IN, "ffffffffffffffffffffffffffffffffffffffff"
				      "ffffffffffffffffffffffffffffffffffffffff");
	assert_true(listed("h+0xf", ""));
	assert_non_null(probe.reason);
	sim_run_deferred();
	assert_true(is_breakpoint(H_POP));
	assert_non_null(probe.reason);
	unregister_kprobe(&probe);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RACE(K_OPT_60_61_62_63_traps_arrive_after_any_write),
		RACE(K_HIT_25_armed_again_before_a_look_at_the_text),
		RACE(K_HIT_25_a_jump_again_before_a_look_at_the_text),
		RACE(K_REE_01_a_frame_of_another_hit),
		RACE(K_REE_01_04_05_recursion_through_jumps),
		RACE(K_REE_08_disabled_misses_nothing),
		RACE(K_OPT_49_armed_while_a_handler_runs_is_hit),
		RACE(K_OPT_51_disabled_by_force_while_a_handler_runs),
		RACE(K_OPT_49_armed_while_the_stepped_form_runs),
		RACE(K_OPT_44_handlers_may_not_change_probes),
		RACE(K_OPT_48_gone_before_the_worker_comes),
		RACE(K_OPT_54_off_and_on),
		RACE(K_OPT_53_the_last_child_went),
		RACE(K_KNB_54_57_58_knobs_and_the_worker),
		RACE(K_OPT_52_text_goes_with_its_jump),
		RACE(K_OPT_52_text_goes_while_work_waits),
		RACE(K_HIT_25_somebody_elses_breakpoint_on_a_jump),
		RACE(K_OPT_02_58_another_has_a_copy_of_the_jump),
		RACE(K_OPT_02_another_is_where_a_jump_was),
		RACE(K_OPT_02_one_who_copies_the_original),
		RACE(K_OPT_02_one_who_copies_the_original_outlives_us),
		RACE(K_OPT_02_the_original_on_a_jump),
		RACE(K_EN_09_another_is_where_a_probe_was_disabled),
		RACE(K_OPT_02_58_writes_fail),
		RACE(K_OPT_02_a_jump_that_cannot_be_written),
		RACE(K_OPT_40_the_list_comes_before_the_worker),
	};

	return cmocka_run_group_tests_name("races", tests, NULL, NULL);
}
