/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * optimize.c - K-OPT, K-KNB-54 to 58, and what other topics say of jumps.
 *
 * What Linux refuses because it cannot show it to be safe (K-OPT-04 to 12, 14)
 * and what it suppresses (K-OPT-30, 31) may be a jump here: then the probed
 * code must do what it does without, and what stays on the breakpoint says why.
 */
#include "harness.h"
#include <kprobes/control.h>

#ifdef __KERNEL__
#define strtoul simple_strtoul
#else
#include <stdlib.h>
#endif

/* The worker may come at any time: how often a state before it is tried. */
#define TRIES 50

/* ---- looking -------------------------------------------------------------------- */

struct search {
	unsigned long addr;
	const char *tags;
	int found;
};

static void look(void *arg, const char *line, size_t len)
{
	struct search *s = arg;

	(void)len;
	s->found += strtoul(line, NULL, 16) == s->addr &&
		    strstr(line, s->tags);
}

/* How many lines the list has for p's address with those tags. */
static int listed(const struct kprobe *p, const char *tags)
{
	struct search s = { (unsigned long)p->addr, tags, 0 };

	kprobes_list(look, &s);
	return s.found;
}

static int is_original(const struct kprobe *p)
{
	return t_raw(p->addr) == (t_word)p->opcode;
}

static int is_breakpoint(const struct kprobe *p)
{
	return t_raw(p->addr) == T_BP;
}

static int is_jump(const struct kprobe *p)
{
	return !is_original(p) && !is_breakpoint(p);
}

static int becomes_jump(const struct kprobe *p)
{
	kprobes_flush();
	return is_jump(p);
}

/* A probe that was registered before. */
static int again(struct kprobe *p)
{
	p->addr = NULL;
	p->flags = 0;
	return register_kprobe(p);
}

/* ---- from registration to the jump ------------------------------------------------- */

/*
 * By address: while a slow kernel looks for a name, the worker that the last try has
 * left would wait for the lock, and be there at once.
 */
static void queued_first(void)
{
	struct kprobe p = { .pre_handler = t_pre };
	int tries, seen = 0, gone = 0, hit = 1;

	for (tries = 0; tries < TRIES && !(seen && gone); tries++) {
		int before;

		/* Who has rested is not preempted at once by a worker that has. */
		t_sleep_ms(tries);
		p.addr = (kprobe_opcode_t *)t_wide;
		p.flags = 0;
		EXPECT_EQ("K-OPT-02", "registered", register_kprobe(&p), 0);
		before = is_breakpoint(&p);
		t_counts.pre = 0;
		hit &= t_wide(2) == 7 && t_counts.pre == 1;
		/* That takes long; the worker may always be there behind it. */
		if (tries % 2 == 0)
			seen |= before && listed(&p, "[OPTIMIZED]") == 1 &&
				is_breakpoint(&p);
		before = is_breakpoint(&p);
		unregister_kprobe(&p);
		/* The worker may have come in between: then it is a jump. */
		gone |= before && is_original(&p);
	}
	EXPECT("K-OPT-02 K-OPT-40", "a breakpoint first", seen);
	EXPECT("K-OPT-41 K-KNB-09", "listed as [OPTIMIZED] before it is", seen);
	EXPECT("K-OPT-43", "which is hit", hit);
	EXPECT("K-OPT-48", "and gone at once when it is unregistered", gone);
	kprobes_flush();
	EXPECT("K-OPT-48", "at the latest when the worker was there",
	       is_original(&p));
}

static void jump_then(void)
{
	struct kprobe p = { .symbol_name = "t_wide", .pre_handler = t_pre };
	int waited;

	register_kprobe(&p);
	for (waited = 0; waited < T_PATIENCE_MS / 10 && !is_jump(&p); waited++)
		t_sleep_ms(10);
	EXPECT("K-OPT-01 K-OPT-40 K-OPT-42", "soon a jump, by itself",
	       is_jump(&p));
	EXPECT("K-OPT-41", "listed as [OPTIMIZED]",
	       listed(&p, "[OPTIMIZED]") == 1);
	EXPECT("K-API-11", "the user's struct has no such flag",
	       !(p.flags & KPROBE_FLAG_OPTIMIZED) && !p.reason);
	t_counts.pre = 0;
	EXPECT("K-OPT-40", "hit", t_wide(3) == 8 && t_counts.pre == 1);
	unregister_kprobe(&p);
	for (waited = 0; waited < T_PATIENCE_MS / 10 && !is_original(&p); waited++)
		t_sleep_ms(10);
	EXPECT("K-OPT-40 K-OPT-52", "and soon original text", is_original(&p));
}

/* ---- a hit ---------------------------------------------------------------------------- */

static int pre_registers(struct kprobe *p, struct pt_regs *regs)
{
	t_pre(p, regs);
	t_set_held(regs, t_held(regs, 0) + 100);
	t_flags_of(regs) |= T_CARRY;
	return 0;
}

static void the_registers(void)
{
	struct kprobe p = { .symbol_name = "t_add", .offset = T_ADD_LEA,
			    .pre_handler = pre_registers };
	struct pt_regs trap;
	long sum;

	kprobes_set_optimization(false);
	register_kprobe(&p);
	t_counts.pre = 0;
	sum = t_add(1, 2);
	trap = t_counts.pre_regs;
	kprobes_set_optimization(true);
	EXPECT("K-OPT-46", "on the breakpoint first", sum == 103);
	EXPECT("K-OPT-46", "then through a jump", becomes_jump(&p));
	EXPECT_EQ("K-OPT-45", "general registers are honoured", t_add(1, 2),
		  103);
	EXPECT("K-OPT-18 K-OPT-46", "registers as before the instruction",
	       t_counts.pre == 2 &&
	       T_IP(t_counts.pre_regs) == T_IP(trap) &&
	       T_IP(trap) == T_PRE_IP(p.addr) &&
	       t_held(&t_counts.pre_regs, 0) == 1 && t_held(&t_counts.pre_regs, 1) == 2 &&
	       T_FP(t_counts.pre_regs) == T_SP(t_counts.pre_regs));
	EXPECT("K-OPT-46", "orig_ax is -1, the segments are the code's",
	       t_like_trap(&t_counts.pre_regs, &trap));
	unregister_kprobe(&p);
	if (!T_FLAGS_SHOWN)
		return;
	p.symbol_name = "t_flags";
	p.offset = T_FLAGS_NOP;
	again(&p);
	kprobes_flush();
	EXPECT("K-OPT-45", "and so are flags", t_flags(T_FLAGS_BASE) & T_CARRY);
	unregister_kprobe(&p);
	kprobes_flush();
}

static int pre_skips(struct kprobe *p, struct pt_regs *regs)
{
	t_pre(p, regs);
	instruction_pointer_set(regs, (unsigned long)p->addr + T_SKIP_LEN);
	t_flags_of(regs) &= ~T_CARRY;
	return 1;
}

/* Returns for the function: an address from the stack. */
static int pre_returns(struct kprobe *p, struct pt_regs *regs)
{
	t_pre(p, regs);
	t_return_now(regs, 77);
	return 1;
}

static int pre_ignored(struct kprobe *p, struct pt_regs *regs)
{
	t_pre(p, regs);
	instruction_pointer_set(regs, instruction_pointer(regs) + 100);
	return 0;
}

static void taking_over(void)
{
	struct kprobe p = { .symbol_name = "t_skip", .offset = T_SKIP_ADC,
			    .pre_handler = pre_skips };
	struct kprobe q = { .symbol_name = "t_wide",
			    .pre_handler = pre_returns };
	struct kprobe older = { .symbol_name = "t_wide",
				.pre_handler = t_pre };
	int jump;

	t_counts.pre = 0;
	for (jump = 0; jump < 2; jump++) {
		again(&p);
		if (jump)
			kprobes_flush();
		EXPECT_EQ("K-OPT-43 K-OPT-44 K-OPT-47",
			  "a handler that took over is obeyed", t_skip(), 1);
		unregister_kprobe(&p);
	}
	register_kprobe(&older);
	again(&q);
	EXPECT("K-OPT-44", "a jump", becomes_jump(&q));
	t_counts.pre = 0;
	EXPECT_EQ("K-OPT-45", "ip and sp are honoured, too", t_wide(1), 77);
	EXPECT("K-OPT-44", "and ends the hit as on the breakpoint",
	       t_counts.pre == 1);
	disable_kprobe(&q);
	EXPECT("K-OPT-44", "the other alone",
	       t_wide(1) == 6 && t_counts.pre == 2 && t_counts.who == &older);
	unregister_kprobe(&q);
	q.pre_handler = pre_ignored;
	again(&q);
	kprobes_flush();
	t_counts.pre = 0;
	EXPECT("K-OPT-44", "newest first, and all", t_wide(1) == 6 &&
	       t_counts.pre == 2 && t_counts.who == &older);
	unregister_kprobe(&q);
	unregister_kprobe(&older);
	kprobes_flush();
}

static void post_quick(struct kprobe *p, struct pt_regs *regs,
		       unsigned long flags)
{
	(void)p;
	(void)regs;
	(void)flags;
}

static unsigned long cheapest(void)
{
	unsigned long best = ~0ul;
	int i, calls;

	for (i = 0; i < 200; i++) {
		unsigned long start = t_clock(), took;

		for (calls = 0; calls < 20; calls++)
			t_add(calls, 1);
		took = t_clock() - start;
		best = took < best ? took : best;
	}
	return best;
}

/*
 * Neither before the instruction nor behind it.  In a process a trap costs far
 * more than all else; in an emulated machine it does not, and time tells
 * nothing.
 */
static void without_a_trap(void)
{
	struct kprobe p = { .symbol_name = "t_add", .offset = T_ADD_LEA,
			    .post_handler = post_quick };
	unsigned long trap, jump;
	int tries = 10;

	register_kprobe(&p);
	do {
		kprobes_set_optimization(false);
		trap = cheapest();
		kprobes_set_optimization(true);
		kprobes_flush();
		jump = cheapest();
	} while (--tries && !T_IN_KERNEL && jump * 2 >= trap);
	if (T_IN_KERNEL)
		SKIP("K-OPT-30", "a post handler through a jump costs no trap");
	else
		EXPECT("K-OPT-30", "a post handler through a jump costs no trap",
		       jump * 2 < trap);
	t_print("# 20 hits with a post handler took %lu, through a jump %lu",
		trap, jump);
	unregister_kprobe(&p);
	kprobes_flush();
}

static int inside_ok, inside_sum;

static int pre_inside(struct kprobe *p, struct pt_regs *regs)
{
	t_pre(p, regs);
	inside_ok = t_preemption_off();
	inside_sum = (int)t_sum(4);
	return 0;
}

static void in_a_handler(void)
{
	struct kprobe p = { .symbol_name = "t_wide", .pre_handler = pre_inside };
	struct kprobe q = { .symbol_name = "t_sum", .offset = T_SUM_ADD,
			    .pre_handler = t_pre };
	struct kprobe r = q;

	register_kprobe(&p);
	register_kprobe(&q);
	register_kprobe(&r);
	kprobes_flush();
	t_counts.pre = 0;
	EXPECT("K-HIT-29", "nothing preempts a jump's handlers",
	       t_wide(1) == 6 && inside_ok);
	EXPECT("K-REE-14", "hits in a handler are missed by all children",
	       t_counts.pre == 1 && q.nmissed == 4 && r.nmissed == 4 &&
	       !p.nmissed);
	EXPECT_EQ("K-REE-14", "and the instructions run", inside_sum, 10);
	unregister_kprobe(&r);
	unregister_kprobe(&q);
	unregister_kprobe(&p);
	kprobes_flush();
}

/* ---- what lies under the jump ------------------------------------------------------------ */

/* A jump where it can be, else a reason; in both cases the code does its work. */
static void anywhere(const char *rule, const char *name, unsigned int offset,
		     long (*call)(long), long arg, int hits)
{
	struct kprobe p = { .symbol_name = name, .offset = offset,
			    .pre_handler = t_pre, .post_handler = t_post };
	long want = call(arg);
	int with_post;

	for (with_post = 0; with_post < 2; with_post++) {
		p.post_handler = with_post ? t_post : NULL;
		p.reason = NULL;
		EXPECT_EQ(rule, name, again(&p), 0);
		EXPECT(rule, "a jump, or a reason", becomes_jump(&p) ||
		       (is_breakpoint(&p) && p.reason));
		if (!is_jump(&p))
			t_print("# %s+%u: %s", name, offset, p.reason);
		t_counts.pre = t_counts.post = 0;
		EXPECT_EQ(rule, "the same result", call(arg), want);
		EXPECT(rule, "as many hits", t_counts.pre == hits &&
		       t_counts.post == hits * with_post);
		unregister_kprobe(&p);
		kprobes_flush();
		EXPECT_EQ(rule, "the same without it", call(arg), want);
		EXPECT(rule, "the text is back", is_original(&p));
	}
}

static long call_relative(long a)
{
	t_data[0] = a;
	return t_relative();
}

static long call_short(long a)
{
	return a + t_short() + t_behind();
}

static long call_first(long a)
{
	return a + t_first() + t_after();
}

static void regions(void)
{
	anywhere("K-OPT-03 K-OPT-17", "t_wide", 0, t_wide, 4, 1);
	anywhere("K-OPT-04", "t_first", 0, call_first, 1, 1);
	anywhere("K-OPT-05", "t_short", T_SHORT_RET, call_short, 1, 1);
	anywhere("K-OPT-05", "t_short", 0, call_short, 1, 1);
	anywhere("K-OPT-06", "t_junk", 0, t_junk, 1, 1);
	anywhere("K-OPT-07", "t_indirect", 0, t_indirect, 1, 1);
	anywhere("K-OPT-07", "t_indirect", T_INDIRECT_JMP, t_indirect, 1, 1);
	anywhere("K-OPT-09", "t_sum", 0, t_sum, 10, 1);
	anywhere("K-OPT-10", "t_sum", T_SUM_ADD, t_sum, 10, 10);
	anywhere("K-OPT-11", "t_called", T_CALLED_NOP, t_called, 5, 1);
	anywhere("K-OPT-12", "t_jump", 0, t_jump, 0, 1);
	anywhere("K-OPT-12", "t_jump", T_JUMP_JZ, t_jump, 1, 1);
	anywhere("K-OPT-12", "t_calls", T_CALLS_MOV, t_calls, 8, 1);
	anywhere("K-OPT-12", "t_calls", T_CALLS_CALL, t_calls, 8, 1);
	anywhere("K-OPT-13", "t_relative", 0, call_relative, 1234, 1);
	anywhere("K-OPT-13", "t_relative", T_RELATIVE_LOAD, call_relative, 1234, 1);
}

static struct kprobe deep_probe;
static int deep_turn;

/* The return address lies in the bytes that change meanwhile. */
static long change_caller(void)
{
	if (deep_turn)
		unregister_kprobe(&deep_probe);
	else
		again(&deep_probe);
	kprobes_flush();
	return deep_turn++;
}

static void returning_into_it(void)
{
	deep_probe = (struct kprobe){ .symbol_name = "t_deep",
				      .offset = T_DEEP_NOP,
				      .pre_handler = t_pre };
	deep_turn = 0;
	t_counts.pre = 0;
	EXPECT_EQ("K-OPT-63 K-OPT-62", "a return into what became a jump",
		  t_deep(change_caller), 7);
	EXPECT("K-OPT-63", "a jump, or a reason",
	       is_jump(&deep_probe) || deep_probe.reason);
	EXPECT_EQ("K-OPT-63 K-OPT-62", "and into what was one",
		  t_deep(change_caller), 8);
	EXPECT_EQ("K-OPT-63", "hit once", t_counts.pre, 1);
	EXPECT("K-OPT-63", "original text", is_original(&deep_probe));
}

/* ---- what keeps a jump away --------------------------------------------------------------- */

static void same_address(void)
{
	struct kprobe p = { .symbol_name = "t_wide", .pre_handler = t_pre };
	struct kprobe q = { .symbol_name = "t_wide", .pre_handler = t_pre };
	struct kprobe post = { .symbol_name = "t_wide", .post_handler = t_post };

	register_kprobe(&p);
	register_kprobe(&q);
	EXPECT("K-OPT-35", "a jump for two", becomes_jump(&p));
	EXPECT_EQ("K-OPT-35", "both are listed as [OPTIMIZED]",
		  listed(&p, "[OPTIMIZED]"), 2);
	register_kprobe(&post);
	kprobes_flush();
	EXPECT("K-OPT-30 K-OPT-31", "lifted (L2): with a post_handler, too",
	       is_jump(&p) && listed(&p, "[OPTIMIZED]") == 3);
	t_counts.pre = t_counts.post = 0;
	EXPECT_EQ("K-OPT-30", "the function works", t_wide(7), 12);
	EXPECT("K-OPT-30", "all are called", t_counts.pre == 2 &&
	       t_counts.post == 1 && T_WIDE_FIVE(t_counts.post_regs) == 5 &&
	       T_IP(t_counts.post_regs) == (unsigned long)T_AT(t_wide, T_WIDE_LEA));
	unregister_kprobe(&post);
	kprobes_flush();
	EXPECT("K-UNR-12 K-OPT-33", "a jump without it",
	       is_jump(&p) && listed(&p, "[OPTIMIZED]") == 2);
	disable_kprobe(&p);
	kprobes_flush();
	EXPECT("K-OPT-30", "one of two disabled", is_jump(&p) &&
	       listed(&p, "[DISABLED][OPTIMIZED]") == 1);
	disable_kprobe(&q);
	kprobes_flush();
	EXPECT("K-OPT-30", "both disabled",
	       is_original(&p) && !listed(&p, "[OPTIMIZED]"));
	enable_kprobe(&p);
	EXPECT("K-OPT-33", "enabled again", becomes_jump(&p));
	unregister_kprobe(&p);
	unregister_kprobe(&q);
	kprobes_flush();
}

/* t_sum: the xor is two bytes long, the add is under its jump. */
/* No jump is longer than its instruction. */
static void jumps_beside_each_other(struct kprobe *outer, struct kprobe *inner)
{
	register_kprobe(outer);
	register_kprobe(inner);
	EXPECT("K-OPT-30 K-OPT-49", "nobody is in another's way",
	       becomes_jump(outer) && becomes_jump(inner));
	t_counts.pre = 0;
	EXPECT("K-OPT-49", "both are hit", t_sum(3) == 6 && t_counts.pre == 4);
	unregister_kprobe(inner);
	kprobes_flush();
	EXPECT("K-OPT-50", "the other stays a jump",
	       is_jump(outer) && t_sum(3) == 6);
	unregister_kprobe(outer);
}

static void inside_the_span(void)
{
	struct kprobe outer = { .symbol_name = "t_sum", .pre_handler = t_pre };
	struct kprobe inner = { .symbol_name = "t_sum", .offset = T_SUM_ADD,
				.pre_handler = t_pre };
	int jumps;

	if (!T_JUMP_SPANS) {
		jumps_beside_each_other(&outer, &inner);
		return;
	}
	register_kprobe(&outer);
	jumps = becomes_jump(&outer);
	if (!jumps)
		t_print("# t_sum: %s", outer.reason);
	inner.flags = KPROBE_FLAG_DISABLED;
	register_kprobe(&inner);
	kprobes_flush();
	EXPECT("K-OPT-32", "a disabled probe in the span is in nobody's way",
	       is_jump(&outer) == jumps && t_sum(3) == 6);
	enable_kprobe(&inner);
	/* The inner one may be a jump by now, on a busy host. */
	EXPECT("K-OPT-49", "an armed one is: breakpoints at once",
	       is_breakpoint(&outer) && !is_original(&inner) &&
	       !listed(&outer, "[OPTIMIZED]"));
	t_counts.pre = 0;
	EXPECT("K-OPT-49", "both are hit", t_sum(3) == 6 && t_counts.pre == 4);
	kprobes_flush();
	EXPECT("K-OPT-30", "and the outer one stays so", is_breakpoint(&outer));
	EXPECT("K-OPT-50", "the inner one may become a jump, or says why",
	       is_jump(&inner) || inner.reason);
	t_counts.pre = 0;
	EXPECT("K-OPT-50", "both are hit", t_sum(3) == 6 && t_counts.pre == 4);
	disable_kprobe(&inner);
	kprobes_flush();
	EXPECT("K-OPT-33 K-OPT-34", "disabled again: the outer one jumps",
	       is_jump(&outer) == jumps && is_original(&inner) == !jumps);
	enable_kprobe(&inner);
	kprobes_flush();
	unregister_kprobe(&inner);
	kprobes_flush();
	EXPECT("K-OPT-34", "and when it is unregistered",
	       is_jump(&outer) == jumps);
	t_counts.pre = 0;
	EXPECT("K-OPT-34", "one hit", t_sum(3) == 6 && t_counts.pre == 1);
	unregister_kprobe(&outer);
	kprobes_flush();
}

static void decoded_under_it(void)
{
	struct kprobe outer = { .symbol_name = "t_sum" };
	struct kprobe inner = { .addr = T_AT(t_sum, T_SUM_ADD + T_INSIDE),
				.flags = KPROBE_FLAG_DISABLED };

	register_kprobe(&outer);
	kprobes_flush();
	EXPECT_EQ("K-OPT-56", "boundaries are the original text's",
		  register_kprobe(&inner), -EILSEQ);
	inner.addr = T_AT(t_sum, T_SUM_ADD);
	EXPECT_EQ("K-OPT-56", "so is what is decoded", register_kprobe(&inner),
		  0);
	EXPECT_EQ("K-OPT-56", "opcode", inner.opcode, T_SUM_SECOND);
	unregister_kprobe(&inner);
	unregister_kprobe(&outer);
	kprobes_flush();
}

static long seen_by_jprobe;

static long jprobe_entry(long a)
{
	seen_by_jprobe = a;
	jprobe_return();
	return 0;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	t_counts.post++;
	t_counts.post_regs = *regs;
	return 0;
}

/* All kinds at one function's entry. */
static void all_kinds(void)
{
	static struct kretprobe rp;
	struct jprobe jp = { .kp = { .symbol_name = "t_wide" },
			     .entry = JPROBE_ENTRY(jprobe_entry) };
	struct kprobe p = { .symbol_name = "t_wide", .pre_handler = t_pre };
	struct kprobe broken = { .symbol_name = "t_wide",
				 .break_handler = pre_ignored };

	rp = (struct kretprobe){ .kp = { .symbol_name = "t_wide" },
				 .handler = on_return };
	EXPECT_EQ("K-OPT-36", "a return probe", register_kretprobe(&rp), 0);
	kprobes_flush();
	EXPECT("K-OPT-36", "is a jump, too",
	       is_jump(&rp.kp) && listed(&rp.kp, "[OPTIMIZED]") == 1);
	EXPECT_EQ("K-JP-17", "a jprobe", register_jprobe(&jp), 0);
	register_kprobe(&p);
	register_kprobe(&broken);
	kprobes_flush();
	EXPECT("K-JP-17 K-OPT-30", "lifted (L3): and all of them together",
	       is_jump(&p) && listed(&p, "[OPTIMIZED]") == 4);
	t_counts.pre = t_counts.post = 0;
	seen_by_jprobe = 0;
	EXPECT_EQ("K-OPT-36 K-JP-17", "the function works", t_wide(20), 25);
	EXPECT("K-OPT-36 K-JP-17", "each is called once", t_counts.pre == 1 &&
	       t_counts.post == 1 && T_RESULT(t_counts.post_regs) == 25 &&
	       seen_by_jprobe == 20);
	unregister_kprobe(&broken);
	unregister_kprobe(&p);
	unregister_jprobe(&jp);
	unregister_kretprobe(&rp);
	kprobes_flush();
}

/* ---- removal that waits --------------------------------------------------------------------- */

static void lazily(void)
{
	struct kprobe p = { .symbol_name = "t_wide", .pre_handler = t_pre };
	int tries, tagged = 0, stays = 0, silent = 1, back = 0;

	register_kprobe(&p);
	kprobes_flush();
	for (tries = 0; tries < TRIES && !(tagged && stays && back); tries++) {
		disable_kprobe(&p);
		t_counts.pre = 0;
		silent &= t_wide(1) == 6 && !t_counts.pre;
		stays |= is_jump(&p);
		tagged |= listed(&p, "[DISABLED][OPTIMIZED]");
		enable_kprobe(&p);
		back |= is_jump(&p);
		silent &= t_wide(1) == 6 && t_counts.pre == 1;
		kprobes_flush();
	}
	EXPECT("K-OPT-51", "disabled: no handler runs", silent);
	EXPECT("K-OPT-51", "the jump stays for a while", stays && tagged);
	EXPECT("K-OPT-54", "and for good when it is enabled again", back);
	disable_kprobe(&p);
	kprobes_flush();
	EXPECT("K-OPT-51", "then original text, [DISABLED] only",
	       is_original(&p) && !listed(&p, "[OPTIMIZED]") &&
	       listed(&p, "[DISABLED]") == 1);
	enable_kprobe(&p);
	kprobes_flush();
	unregister_kprobe(&p);
	t_counts.pre = 0;
	EXPECT("K-OPT-52 K-OPT-53", "unregistered: nothing is called",
	       t_wide(2) == 7 && !t_counts.pre && !listed(&p, ""));
	EXPECT_EQ("K-REG-57 K-OPT-54", "registered while the jump is there",
		  again(&p), 0);
	EXPECT("K-REG-57", "fires at once", t_wide(2) == 7 &&
	       t_counts.pre == 1);
	unregister_kprobe(&p);
	kprobes_flush();
	EXPECT("K-OPT-52 K-OPT-53", "in the end original text",
	       is_original(&p));
}

/* ---- the knobs ---------------------------------------------------------------------------------- */

static void the_knob(void)
{
	struct kprobe p = { .symbol_name = "t_wide", .pre_handler = t_pre };
	struct kprobe q = { .symbol_name = "t_add", .offset = T_ADD_LEA,
			    .pre_handler = t_pre };
	int i, tagged = 0;

	register_kprobe(&p);
	kprobes_flush();
	EXPECT("K-OPT-03", "a jump's bytes change, and no other",
	       is_jump(&p) && t_raw(T_AT(t_wide, T_WIDE_LEA)) == T_WIDE_SECOND);
	EXPECT_EQ("K-KNB-54", "off", kprobes_set_optimization(false), 0);
	EXPECT("K-KNB-54", "no jump on return, no tag", is_breakpoint(&p) &&
	       !listed(&p, "[OPTIMIZED]"));
	EXPECT("K-OPT-55", "a breakpoint, and original bytes behind it",
	       is_breakpoint(&p) && t_wide_intact());
	register_kprobe(&q);
	kprobes_flush();
	EXPECT("K-KNB-54 K-OPT-30", "later ones stay on the breakpoint",
	       is_breakpoint(&q) && !listed(&q, "[OPTIMIZED]"));
	t_counts.pre = 0;
	EXPECT("K-KNB-58", "and are hit", t_wide(1) == 6 && t_add(1, 2) == 3 &&
	       t_counts.pre == 2);
	for (i = 0; i < TRIES && !tagged; i++) {
		kprobes_set_optimization(false);
		kprobes_set_optimization(true);
		tagged = listed(&p, "[OPTIMIZED]") == 1 && is_breakpoint(&p);
	}
	EXPECT("K-KNB-55", "on: the tag at once", tagged);
	EXPECT("K-KNB-55 K-OPT-33", "the jump soon", becomes_jump(&p) &&
	       is_jump(&q));
	unregister_kprobe(&p);
	unregister_kprobe(&q);
	kprobes_flush();
}

static void both_knobs(void)
{
	struct kprobe p = { .symbol_name = "t_wide", .pre_handler = t_pre };

	register_kprobe(&p);
	kprobes_flush();
	kprobes_set_enabled(false);
	EXPECT("K-KNB-57", "disarmed: original text at once", is_original(&p));
	kprobes_set_optimization(false);
	kprobes_set_optimization(true);
	kprobes_flush();
	EXPECT("K-KNB-57", "whatever the other knob does", is_original(&p));
	kprobes_set_enabled(true);
	EXPECT("K-KNB-57 K-OPT-33", "armed: a jump again", becomes_jump(&p));
	kprobes_set_optimization(false);
	kprobes_set_enabled(false);
	kprobes_set_enabled(true);
	kprobes_flush();
	EXPECT("K-KNB-57", "both must be on", is_breakpoint(&p));
	kprobes_set_optimization(true);
	unregister_kprobe(&p);
	kprobes_flush();
}

#define CALLS (T_IN_KERNEL ? 3000 : 100000)

static long wrong, knob_hits, callers, turn;

static int pre_knob(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	__atomic_fetch_add(&knob_hits, 1, __ATOMIC_RELAXED);
	return 0;
}

/* The first thread turns knobs while the others call. */
static void call_or_turn(void *arg)
{
	long me = __atomic_fetch_add(&turn, 1, __ATOMIC_SEQ_CST), i;

	(void)arg;
	if (me) {
		for (i = 0; i < CALLS; i++)
			if (t_sum(2) != 3)
				__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
		__atomic_fetch_sub(&callers, 1, __ATOMIC_SEQ_CST);
		return;
	}
	for (i = 0; __atomic_load_n(&callers, __ATOMIC_SEQ_CST); i++) {
		kprobes_set_optimization(i & 1);
		kprobes_flush();
		t_breathe();
	}
}

static void turned_under_load(void)
{
	static struct kprobe p, q;

	p = (struct kprobe){ .symbol_name = "t_sum", .pre_handler = pre_knob };
	q = (struct kprobe){ .symbol_name = "t_sum", .offset = T_SUM_ADD,
			     .flags = KPROBE_FLAG_DISABLED,
			     .pre_handler = pre_knob };
	register_kprobe(&p);
	register_kprobe(&q);
	wrong = knob_hits = turn = 0;
	callers = T_IN_KERNEL ? 1 : 2;
	t_threads((int)callers + 1, call_or_turn, NULL);
	EXPECT_EQ("K-INV-09 K-KNB-58 K-OPT-62", "no result changes", wrong, 0);
	EXPECT_EQ("K-KNB-58 K-OPT-60 K-OPT-61", "and no hit is lost",
		  knob_hits + (long)p.nmissed,
		  (long)CALLS * (T_IN_KERNEL ? 1 : 2));
	kprobes_set_optimization(true);
	unregister_kprobe(&q);
	unregister_kprobe(&p);
	kprobes_flush();
	EXPECT("K-OPT-61", "original text", is_original(&p));
}

void t_optimized(void)
{
	kprobes_set_optimization(true);
	queued_first();
	jump_then();
	the_registers();
	taking_over();
	without_a_trap();
	in_a_handler();
	regions();
	returning_into_it();
	same_address();
	inside_the_span();
	decoded_under_it();
	all_kinds();
	lazily();
	the_knob();
	both_knobs();
	turned_under_load();
	t_breakpoints_only(0);
}
