/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * instructions.c - K-XI: what an instruction does is the same with and without
 * a probe on it, and what cannot be probed is refused.
 */
#include "harness.h"

struct x_state {
	unsigned long regs[10];		/* instructions.S says which */
	unsigned long flags;
	unsigned long mem[16];
} __attribute__((aligned(64)));		/* pointers' low bits show in flags */

struct x_entry {
	void (*fn)(struct x_state *s);
	kprobe_opcode_t *at;
	const char *name, *rule;
};

extern struct x_entry x_table[];
extern unsigned long x_word;

#define ROUNDS 24

/* A state for a round: small numbers, then anything. */
static void fill(struct x_state *s, int round)
{
	unsigned long seed = 0x9e3779b97f4a7c15ul * (unsigned long)(round + 1);
	unsigned long *words = s->regs;
	unsigned int i;

	for (i = 0; i < sizeof(*s) / sizeof(long); i++) {
		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		words[i] = round < 2 ? (seed & 3) : seed;
	}
	s->flags = (t_flags_now() & ~T_FLAGS_ANY) |
		   (((unsigned long)round * T_FLAGS_SPREAD) & T_FLAGS_ANY);
}

static bool same(const struct x_state *a, const struct x_state *b)
{
	return !memcmp(a->regs, b->regs, sizeof(a->regs)) &&
	       !memcmp(a->mem, b->mem, sizeof(a->mem)) &&
	       !((a->flags ^ b->flags) & T_FLAGS_COMPARED);
}

static void execute(const struct x_entry *x, struct x_state *s, int round)
{
	unsigned long word = x_word;

	fill(s, round);
	x->fn(s);
	s->mem[15] ^= x_word;
	x_word = word;
}

static struct x_state expected[ROUNDS];

static int compare(const struct x_entry *x)
{
	int round, nr = 0;

	for (round = 0; round < ROUNDS; round++) {
		struct x_state s;

		execute(x, &s, round);
		nr += !same(&s, &expected[round]);
	}
	return nr;
}

/* What the processor cannot execute is at least taken for what it is. */
static bool is_missing(const struct x_entry *x)
{
	return x->name[0] == 'v' && !t_has_avx();
}

static void judged_only(const struct x_entry *x)
{
	struct kprobe p = { .addr = x->at, .pre_handler = t_pre };
	t_word before = t_text(x->at);
	int err = t_register(&p);

	EXPECT_EQ(x->rule, x->name, err, 0);
	if (!err)
		unregister_kprobe(&p);
	EXPECT_EQ(x->rule, "its byte is untouched", t_text(x->at), before);
}

static void one(const struct x_entry *x)
{
	struct kprobe p = { .addr = x->at, .pre_handler = t_pre };
	struct kprobe q = { .addr = x->at, .pre_handler = t_pre,
			    .post_handler = t_post };
	int round, bad, hits, err;

	if (is_missing(x)) {
		judged_only(x);
		return;
	}
	for (round = 0; round < ROUNDS; round++)
		execute(x, &expected[round], round);
	err = register_kprobe(&p);
	/* Allowed to be refused; then with these errno only. */
	if (err) {
		t_print("# %s is refused: %d %s", x->name, err,
			p.reason ? p.reason : "");
		EXPECT(x->rule, x->name, err == -EOPNOTSUPP || err == -ENOSPC);
		return;
	}
	t_reset();
	bad = compare(x);
	hits = t_counts.pre;
	err = t_register(&q);
	bad += compare(x);
	unregister_kprobe(&p);
	bad += compare(x);
	unregister_kprobe(&q);
	bad += compare(x);
	t_checks++;
	if (!bad && !err && hits >= ROUNDS && t_counts.post >= 2 * ROUNDS) {
		t_print("ok %s %s is the same with and without a probe",
			x->rule, x->name);
		return;
	}
	t_failed++;
	t_print("not ok %s %s: %d of %d runs differ, %d+%d hits, %d posts",
		x->rule, x->name, bad, 4 * ROUNDS, hits, t_counts.pre - hits,
		t_counts.post);
}

/* Refused with one errno. */
static void refused_with(int want, const char *rule, const char *what,
			 void (*fn)(void))
{
	struct kprobe p = { .addr = T_AT(fn, T_REFUSED_AT) };

	EXPECT_EQ(rule, what, register_kprobe(&p), want);
	if (!p.reason)
		unregister_kprobe(&p);
}

static void refused(const char *rule, const char *what, void (*fn)(void))
{
	struct kprobe p = { .addr = T_AT(fn, T_REFUSED_AT) };
	t_word before = t_text(p.addr);
	int err = register_kprobe(&p);

	EXPECT(rule, what, err < 0);
	if (!err)
		unregister_kprobe(&p);
	EXPECT_EQ("K-REG-45", "its byte is untouched", t_text(T_AT(fn, T_REFUSED_AT)),
		  before);
}

void t_instructions(void)
{
	const struct x_entry *x;

	int failed = t_failed, seen = 0;

	for (x = x_table; x->fn; x++, seen++)
		one(x);
	EXPECT("K-XI-66", "no difference in one go, stepped, or bare",
	       seen > T_INSTRUCTIONS && t_failed == failed);
#define REFUSED(want, rule, what, fn)					\
	do {								\
		if (want)						\
			refused_with(want, rule, what, fn);		\
		else							\
			refused(rule, what, fn);			\
	} while (0);
	T_REFUSED(REFUSED)
	/* In a process they fault, with or without a probe. */
	if (T_IN_KERNEL) {
		T_REFUSED_IN_KERNEL(REFUSED)
	}
}
