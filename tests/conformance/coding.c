/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * coding.c - memory that is watched by probes on code: K-WAT-36 and on.
 */
#include "harness.h"

#define WORD sizeof(long)		/* what t_poke writes */
#include <kprobes/control.h>
#include <kprobes/watch.h>

static long memory[64] __attribute__((aligned(64)));
static long elsewhere;
static const struct wprobe_code poke = { .symbol_name = "t_poke" };

static struct seen {
	int nr;
	struct wprobe *who;
	struct kp_access access;
	unsigned long ip;
} seen;

static void on_write(struct wprobe *wp, struct pt_regs *regs,
		     const struct kp_access *access)
{
	seen.nr++;
	seen.who = wp;
	seen.access = *access;
	seen.ip = instruction_pointer(regs);
}

static void forget(void)
{
	memset(memory, 0, sizeof(memory));
	memset(&seen, 0, sizeof(seen));
}

/* Of what t_poke writes there. */
static struct wprobe of(void *addr, unsigned long len, enum kp_watch_type type)
{
	struct wprobe wp = { .kp.addr = addr, .handler = on_write, .len = len,
			     .type = type, .code = &poke, .code_nr = 1 };

	return wp;
}

static int watch(struct wprobe *wp)
{
	int err = register_wprobe(wp);

	if (err)
		t_print("# register_wprobe: %d: %s", err,
			wp->kp.reason ? wp->kp.reason : "no reason given");
	return err;
}

struct search {
	const char *want;
	int found;
};

static void find_line(void *arg, const char *line, size_t len)
{
	struct search *search = arg;

	(void)len;
	search->found += strstr(line, search->want) != NULL;
}

static int listed(const char *want)
{
	struct search search = { want, 0 };

	kprobes_list(find_line, &search);
	return search.found;
}

static void told(void)
{
	struct wprobe wp = of(memory, sizeof(memory), KP_WATCH_WRITE);
	unsigned char text[8], now[8];

	forget();
	memcpy(text, (void *)T_CODE(t_poke), sizeof(text));
	EXPECT_EQ("K-WAT-36", "more than registers hold", watch(&wp), 0);
	EXPECT_EQ("K-WAT-36", "all of it is seen", (long)wp.unseen, 0);
	EXPECT("K-WAT-36", "the means in the list, and nothing else",
	       listed("[WRITE][CODE]") == 1 && listed("t_poke") == 0);
	t_poke(&memory[9]);
	EXPECT("K-WAT-36", "one write, one call",
	       seen.nr == 1 && seen.who == &wp);
	EXPECT_EQ("K-WAT-36", "after the instruction", seen.ip,
		  T_CODE(t_poke) + T_POKE_RET);
	EXPECT("K-WAT-36", "where, how much, and the value before and after",
	       seen.access.addr == (unsigned long)&memory[9] &&
	       seen.access.size == WORD && seen.access.written &&
	       seen.access.before == 0 && seen.access.after == 1);
	memory[9] = 7;
	EXPECT_EQ("K-WAT-36", "none of other code", seen.nr, 1);
	t_poke(&memory[9]);
	EXPECT("K-WAT-36", "which was before, for all that",
	       seen.nr == 2 && seen.access.before == 7);
	t_poke(&elsewhere);
	EXPECT_EQ("K-WAT-36", "none of other memory", seen.nr, 2);
	unregister_wprobe(&wp);
	t_poke(&memory[9]);
	EXPECT_EQ("K-WAT-36", "none after it was unregistered", seen.nr, 2);
	/* A jump may stay for a moment (K-OPT-52). */
	t_settle();
	memcpy(now, (void *)T_CODE(t_poke), sizeof(now));
	if (memcmp(text, now, sizeof(now)))
		t_print("# before %08x %08x, now %08x %08x",
			((unsigned int *)text)[0], ((unsigned int *)text)[1],
			((unsigned int *)now)[0], ((unsigned int *)now)[1]);
	EXPECT("K-WAT-36", "and the text is as before",
	       !memcmp(text, now, sizeof(now)));
}

/* What the half with the higher address says of a word. */
static unsigned long upper_half(unsigned long word)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? word >> WORD * 4
							   : word & ((1ul << WORD * 4) - 1);
}

/* A write that is partly there: across the edges, and of neighbours. */
static void edges(void)
{
	struct wprobe a = of((char *)memory + 3 * WORD / 2, WORD, KP_WATCH_WRITE);
	struct wprobe b = of((char *)memory + 5 * WORD / 2, WORD / 2, KP_WATCH_CHANGED);

	forget();
	EXPECT_EQ("K-WAT-36", "a neighbour, by code, too",
		  watch(&a) || watch(&b), 0);
	t_poke(&memory[1]);
	EXPECT("K-WAT-36", "the bytes that are watched",
	       seen.nr == 1 && seen.who == &a && seen.access.size == WORD / 2 &&
	       seen.access.addr == (unsigned long)memory + 3 * WORD / 2 &&
	       seen.access.before == 0 && seen.access.after == upper_half(1));
	memory[2] = -1;
	t_poke(&memory[2]);
	EXPECT("K-WAT-36", "of two, each has its own",
	       seen.nr == 3 && seen.access.size == WORD / 2);
	t_poke(&memory[2]);
	EXPECT("K-WAT-36", "without a change, for who wants writes",
	       seen.nr == 4 && seen.who == &a);
	unregister_wprobe(&a);
	unregister_wprobe(&b);
}

static struct seen earlier;

static void on_before(struct wprobe *wp, struct pt_regs *regs,
		      const struct kp_access *access)
{
	earlier.nr += seen.nr == earlier.nr;
	earlier.who = wp;
	earlier.access = *access;
	earlier.ip = instruction_pointer(regs);
}

static void before(void)
{
	struct wprobe wp = of(memory, sizeof(memory), KP_WATCH_WRITE);

	forget();
	memset(&earlier, 0, sizeof(earlier));
	wp.before = on_before;
	EXPECT_EQ("K-WAT-40", "a handler before, too", watch(&wp), 0);
	t_poke(&memory[5]);
	EXPECT("K-WAT-40", "each is called once, in order",
	       earlier.nr == 1 && seen.nr == 1 && earlier.who == &wp);
	EXPECT("K-WAT-40", "nothing is written yet",
	       earlier.access.addr == (unsigned long)&memory[5] &&
	       earlier.access.size == WORD && earlier.access.before == 0 &&
	       earlier.access.after == 0 && seen.access.after == 1);
	EXPECT_EQ("K-WAT-40", "at the instruction", earlier.ip,
		  T_CODE(t_poke));
	t_poke(&elsewhere);
	EXPECT_EQ("K-WAT-40", "not for other memory", earlier.nr, 1);
	unregister_wprobe(&wp);
	wp = of(memory, 8, KP_WATCH_WRITE);
	wp.before = on_before;
	wp.code = NULL;
	EXPECT("K-WAT-40", "without code there is none, and why",
	       register_wprobe(&wp) == -EOPNOTSUPP && wp.kp.reason);
}

static void refused(const char *what, struct wprobe wp, int err)
{
	EXPECT_EQ("K-WAT-38", what, register_wprobe(&wp), err);
	EXPECT("K-WAT-38", "and why", wp.kp.reason != NULL);
}

static void with_code(const char *what, struct wprobe_code code, int err)
{
	struct wprobe wp = of(memory, 8, KP_WATCH_WRITE);

	wp.code = &code;
	refused(what, wp, err);
}

static void refusals(void)
{
	struct wprobe wp = of(memory, 8, KP_WATCH_WRITE);

	refused("reads", of(memory, 8, KP_WATCH_RW), -EINVAL);
	wp.code_nr = 0;
	refused("no piece of code", wp, -EINVAL);
	wp.code_nr = 1;
	wp.code = t_bad_address;
	refused("code that cannot be read", wp, -EINVAL);
	with_code("neither symbol nor address", (struct wprobe_code){ .len = 1 },
		  -EINVAL);
	with_code("both", (struct wprobe_code){ "t_poke", (void *)t_poke, 0 },
		  -EINVAL);
	with_code("no such symbol", (struct wprobe_code){ "t_no_such", NULL, 0 },
		  -ENOENT);
	with_code("data", (struct wprobe_code){ .addr = memory }, -EINVAL);
	with_code("more than the function",
		  (struct wprobe_code){ "t_poke", NULL, 4096 }, -EINVAL);
	with_code("code that writes nothing",
		  (struct wprobe_code){ "t_load", NULL, 0 }, -EINVAL);
}

static void faults(struct wprobe *wp, struct pt_regs *regs,
		   const struct kp_access *access)
{
	on_write(wp, regs, access);
	t_load(t_bad_address);
}

static int writes_too(struct kprobe *p, struct pt_regs *regs)
{
	t_poke(&memory[3]);
	return t_pre(p, regs);
}

static void nested(void)
{
	struct wprobe wp = of(memory, sizeof(memory), KP_WATCH_WRITE);
	struct wprobe other = of(memory, 8, KP_WATCH_WRITE);
	struct kprobe outer = { .symbol_name = "t_add",
				.pre_handler = writes_too };
	struct kprobe beside = { .symbol_name = "t_poke", .pre_handler = t_pre,
				 .post_handler = t_post };

	forget();
	wp.handler = faults;
	watch(&wp);
	watch(&other);
	t_poke(memory);
	EXPECT("K-WAT-39", "a handler that faults is abandoned alone",
	       seen.nr == 2 && memory[0] == 1 && kprobe_disabled(&wp.kp) &&
	       !kprobe_disabled(&other.kp));
	t_poke(memory);
	EXPECT("K-WAT-39", "the other one is called on",
	       seen.nr == 3 && seen.who == &other);
	unregister_wprobe(&other);
	wp.handler = on_write;
	EXPECT_EQ("K-WAT-39", "enabled again", enable_wprobe(&wp), 0);
	t_register(&beside);
	t_reset();
	t_poke(memory);
	EXPECT("K-WAT-39", "the instruction has a probe of the user's, too",
	       seen.nr == 4 && t_counts.pre == 1 && t_counts.post == 1);
	unregister_kprobe(&beside);
	wp.kp.nmissed = 0;
	t_register(&outer);
	EXPECT_EQ("K-WAT-39", "a handler that writes there", t_add(1, 2), 3);
	EXPECT("K-WAT-39", "counts as missed",
	       seen.nr == 4 && wp.kp.nmissed == 1);
	unregister_kprobe(&outer);
	kprobes_set_enabled(false);
	t_poke(memory);
	EXPECT("K-WAT-39", "the global switch",
	       seen.nr == 4 && !listed("[CODE]"));
	kprobes_set_enabled(true);
	t_poke(memory);
	EXPECT_EQ("K-WAT-39", "on again", seen.nr, 5);
	disable_wprobe(&wp);
	t_poke(memory);
	EXPECT_EQ("K-WAT-39", "disabled", seen.nr, 5);
	unregister_wprobe(&wp);
}

void t_coding(void)
{
	int breakpoints;

	for (breakpoints = 1; breakpoints >= 0; breakpoints--) {
		t_breakpoints_only(breakpoints);
		told();
		edges();
		before();
		nested();
	}
	refusals();
}
