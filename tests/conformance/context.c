/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * context.c - in which context handlers run, what is as it was afterwards, and
 * what else may come in between: K-HIT-26 to 36, K-REE-12, K-XI-43, 48.
 */
#include "harness.h"

/* ---- handlers are left alone -------------------------------------------------- */

static int interruptible, asked;

static int pre_asks(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	asked++;
	interruptible += t_interruptible();
	return 0;
}

static void post_asks(struct kprobe *p, struct pt_regs *regs,
		      unsigned long flags)
{
	(void)p;
	(void)regs;
	(void)flags;
	/* Called from the slot, no trap: interrupts and signals may come. */
	asked++;
}

static void nothing_interrupts_handlers(void)
{
	struct kprobe p = { .symbol_name = "t_add", .pre_handler = pre_asks,
			    .post_handler = post_asks };

	EXPECT("K-HIT-28", "outside of handlers interrupts come",
	       t_interruptible());
	asked = interruptible = 0;
	/* A jump is no interrupt. */
	t_breakpoints_only(1);
	t_register(&p);
	EXPECT_EQ("K-HIT-28", "the function works", t_add(1, 2), 3);
	EXPECT_EQ("K-HIT-28", "both handlers ran", asked, 2);
	EXPECT_EQ("K-HIT-28 K-HIT-30", "nothing interrupts or preempts them",
		  interruptible, 0);
	EXPECT("K-HIT-28 K-XI-43", "afterwards interrupts come again",
	       t_interruptible());
	unregister_kprobe(&p);
	t_breakpoints_only(0);
}

/* K-HIT-31: a handler that takes its time holds up its own thread only. */
static int slow_runs, beside, seen_beside;

static int pre_slow(struct kprobe *p, struct pt_regs *regs)
{
	long spins = 0;

	(void)p;
	(void)regs;
	__atomic_store_n(&slow_runs, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&beside, __ATOMIC_SEQ_CST) < 100 &&
	       spins++ < T_SPINS)
		t_relax();
	seen_beside = __atomic_load_n(&beside, __ATOMIC_SEQ_CST);
	return 0;
}

static int pre_quick(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	__atomic_fetch_add(&beside, 1, __ATOMIC_SEQ_CST);
	return 0;
}

static void slow_or_quick(void *arg)
{
	static int turn;
	long waited = 0;
	int i;

	(void)arg;
	if (!(__atomic_fetch_add(&turn, 1, __ATOMIC_SEQ_CST) % 2)) {
		t_add(1, 1);
		return;
	}
	while (!__atomic_load_n(&slow_runs, __ATOMIC_SEQ_CST) &&
	       waited++ < T_SPINS)
		t_breathe();
	for (i = 0; i < 100; i++)
		t_inner(i);
}

static void slow_handlers(void)
{
	struct kprobe p = { .symbol_name = "t_add", .pre_handler = pre_slow };
	struct kprobe q = { .symbol_name = "t_inner",
			    .pre_handler = pre_quick };

	int tries;

	if (T_ALONE()) {
		SKIP("K-HIT-31", "no other thread while a handler runs");
		return;
	}
	seen_beside = 0;
	t_register(&p);
	t_register(&q);
	for (tries = 0; tries < T_TRIES && seen_beside < 100; tries++) {
		slow_runs = beside = 0;
		t_threads(2, slow_or_quick, NULL);
	}
	EXPECT_EQ("K-HIT-31", "others hit while a handler takes its time",
		  seen_beside, 100);
	unregister_kprobe(&q);
	unregister_kprobe(&p);
}

/* ---- flags ---------------------------------------------------------------------- */

#define ARITHMETIC 0x8d5l
#define FLAG_ROUNDS (1 << T_FLAG_BITS_NR)

static int pre_clobbers(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	t_clear_flags(regs);
	t_counts.pre++;
	return 0;
}

static void post_clobbers(struct kprobe *p, struct pt_regs *regs,
			  unsigned long flags)
{
	(void)p;
	(void)flags;
	t_set_flags(regs);
	t_counts.post++;
}

static int flags_differ(long base)
{
	static const long bits[] = { T_FLAG_BITS };
	int round, i, bad = 0;

	for (round = 0; round < FLAG_ROUNDS; round++) {
		long flags = base;

		for (i = 0; i < T_FLAG_BITS_NR; i++)
			if (round >> i & 1)
				flags |= bits[i];
		bad += t_flags(flags) != flags;
	}
	return bad;
}

static void flags_survive(void)
{
	struct kprobe p = { .symbol_name = "t_flags", .offset = T_FLAGS_NOP,
			    .pre_handler = pre_clobbers };
	struct kprobe q = { .symbol_name = "t_flags", .offset = T_FLAGS_NOP,
			    .post_handler = post_clobbers };
	long on = T_FLAGS_BASE;

	EXPECT_EQ("K-HIT-33", "flags without a probe", flags_differ(on), 0);
	t_reset();
	t_register(&p);
	EXPECT_EQ("K-HIT-33", "all flags survive, executed in one go",
		  flags_differ(on), 0);
	t_register(&q);
	EXPECT_EQ("K-HIT-33", "all flags survive, stepped", flags_differ(on),
		  0);
	EXPECT("K-HIT-33", "every time the handlers ran",
	       t_counts.pre == 2 * FLAG_ROUNDS &&
	       t_counts.post == FLAG_ROUNDS);
	if (T_IN_KERNEL && T_FLAGS_OF_INTERRUPTS) {
		/* The popf switches interrupts off; t_flags leaves them so. */
		EXPECT_EQ("K-HIT-33 K-XI-43", "interrupts off stay off",
			  flags_differ(2), 0);
		t_flags(on);
		EXPECT("K-HIT-33 K-XI-43", "and on stay on",
		       t_interruptible());
	}
	unregister_kprobe(&q);
	unregister_kprobe(&p);
}

/* ---- the current probe ------------------------------------------------------------ */

static void callee_of_a_probed_call(void)
{
	struct kprobe call = { .symbol_name = "t_calls",
			       .offset = T_CALLS_CALL, .pre_handler = t_pre };
	struct kprobe callee = { .symbol_name = "t_inner",
				 .pre_handler = t_pre };
	int with_post;

	for (with_post = 0; with_post < 2; with_post++) {
		call.post_handler = callee.post_handler =
			with_post ? t_post : NULL;
		call.addr = callee.addr = NULL;
		call.flags = callee.flags = 0;
		t_register(&call);
		t_register(&callee);
		t_reset();
		EXPECT_EQ("K-HIT-36", "a probed call of a probed function",
			  t_calls(41), 42);
		EXPECT("K-HIT-36", "no probe is current in the callee",
		       t_counts.pre == 2 && t_counts.post == 2 * with_post &&
		       !call.nmissed && !callee.nmissed);
		unregister_kprobe(&callee);
		unregister_kprobe(&call);
	}
}

/* ---- interrupts in the middle of a hit --------------------------------------------- */

static int fired;
static long fired_sum;

static void hit_inner(void)
{
	fired++;
	fired_sum += t_inner(1);
}

/*
 * A timer interrupt, or a signal, hits t_inner while t_fill's probed
 * instruction, which takes long, is being executed out of line.
 */
static void during_a_step(bool with_post)
{
	long len = T_IN_KERNEL ? 1l << 18 : 8l << 20;
	unsigned char *mem = t_alloc((unsigned long)len);
	struct kprobe fill = { .symbol_name = "t_fill", .offset = T_FILL_STOS,
			       .post_handler = with_post ? t_post : NULL };
	struct kprobe inner = { .symbol_name = "t_inner",
				.pre_handler = pre_quick };
	/*
	 * A jump's handlers can be interrupted, and in a process post handlers:
	 * that is a miss (K-REE-07).
	 */
	bool may_miss = with_post && !T_IN_KERNEL;
	int rounds = 0, wrong = 0;

	t_breakpoints_only(1);
	t_register(&fill);
	t_register(&inner);
	t_reset();
	fired = beside = 0;
	fired_sum = 0;
	EXPECT_EQ("K-REE-12", "start the interrupts",
		  t_async_start(hit_inner, T_ASYNC_US), 0);
	while (rounds++ < 4000 && (fired < 40 || rounds < 40)) {
		mem[0] = mem[len / 2] = mem[len - 1] = 0;
		wrong += t_fill(mem, len) != 0 || mem[0] != 0x5a ||
			 mem[len / 2] != 0x5a || mem[len - 1] != 0x5a;
	}
	t_async_stop();
	EXPECT("K-HIT-35", "what interrupts can be probed",
	       fired >= 40 && beside + (int)inner.nmissed == fired &&
	       fired_sum == 2l * fired);
	EXPECT("K-REE-12", "hits while a copy is executed are hits",
	       (int)inner.nmissed <= (may_miss ? fired / 4 : 0));
	EXPECT_EQ("K-REE-12 K-XI-45", "and the copy completes", wrong, 0);
	EXPECT_EQ("K-REE-12", "its post handler ran each time", t_counts.post,
		  with_post ? rounds - 1 : 0);
	unregister_kprobe(&inner);
	unregister_kprobe(&fill);
	t_breakpoints_only(0);
	t_free(mem);
}

/* ---- other people's traps ------------------------------------------------------------ */

static void foreign_breakpoints(void)
{
	struct kprobe p = { .symbol_name = "t_trap", .pre_handler = t_pre };
	long result;

	EXPECT("K-HIT-26", "an int3 in the code reaches its receiver",
	       t_foreign_int3(t_trap, &result));
	EXPECT_EQ("K-HIT-26", "which goes on behind it", result, 8);
	t_register(&p);
	t_reset();
	EXPECT("K-HIT-26", "also in a probed function",
	       t_foreign_int3(t_trap, &result) && result == 8);
	EXPECT_EQ("K-HIT-26", "whose probe is hit", t_counts.pre, 1);
	unregister_kprobe(&p);
}

#define STEPS_MAX 32

static void compare_steps(const char *what, unsigned int offset,
			  const unsigned long *plain, int nr)
{
	struct kprobe p = { .symbol_name = "t_single_step", .offset = offset,
			    .pre_handler = t_pre };
	unsigned long ips[STEPS_MAX];
	int got, with_post;

	for (with_post = 0; with_post < 2; with_post++) {
		p.post_handler = with_post ? t_post : NULL;
		p.addr = NULL;
		p.flags = 0;
		t_register(&p);
		t_reset();
		got = t_single_steps(t_single_step, ips, STEPS_MAX);
		unregister_kprobe(&p);
		EXPECT("K-XI-48", what, t_counts.pre == 1 && got == nr &&
		       !memcmp(ips, plain, sizeof(*plain) * (unsigned int)nr));
		if (got != nr)
			t_print("# %d steps instead of %d", got, nr);
	}
}

static void somebody_single_steps(void)
{
	static unsigned long plain[STEPS_MAX];
	int nr = t_single_steps(t_single_step, plain, STEPS_MAX);

	EXPECT("K-XI-48", "a function that is single-stepped",
	       nr >= 7 && nr <= 10 &&
	       plain[1] - T_CODE(t_single_step) < 64);
	compare_steps("the same steps with a copied instruction", T_STEP_ADD,
		      plain, nr);
	compare_steps("the same steps with an emulated instruction",
		      T_STEP_NOP - 2, plain, nr);
	compare_steps("the same steps with a nop", T_STEP_NOP, plain, nr);
}

void t_context(void)
{
	nothing_interrupts_handlers();
	slow_handlers();
	flags_survive();
	callee_of_a_probed_call();
	during_a_step(false);
	during_a_step(true);
	foreign_breakpoints();
	/* In a kernel nobody but kgdb sets the trap flag. */
	if (!T_IN_KERNEL && T_STEPS_ITSELF)
		somebody_single_steps();
}
