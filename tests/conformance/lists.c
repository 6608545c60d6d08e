/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lists.c - the global switch and the lists, as far as the rules of other
 * topics speak of them: K-REG-10, 53, 58, K-UNR-03, K-EN-07, 08, K-BLK,
 * K-INV-10.
 */
#include "harness.h"
#include <kprobes/control.h>

/* ---- what a list says -------------------------------------------------------- */

struct search {
	const char *want;		/* a line that contains this … */
	const char *and_;		/* … and this, if any */
	int lines, found;
};

static void look(void *arg, const char *line, size_t len)
{
	struct search *s = arg;

	(void)len;
	s->lines++;
	s->found += strstr(line, s->want) && (!s->and_ || strstr(line, s->and_));
}

static int listed(const char *want, const char *and_)
{
	struct search s = { .want = want, .and_ = and_ };

	kprobes_list(look, &s);
	return s.found;
}

static int blacklisted(const char *want)
{
	struct search s = { .want = want };

	kprobes_blacklist(look, &s);
	return s.found;
}

static void listed_as(void)
{
	struct kprobe p = { .symbol_name = "t_first",
			    .offset = (unsigned int)((char *)t_after -
						     (char *)t_first) };
	struct kprobe q = { .symbol_name = "t_add",
			    .flags = KPROBE_FLAG_DISABLED };

	t_register(&p);
	EXPECT("K-REG-10", "listed under the function where it is",
	       listed("  k  t_after+0x0  ", NULL) == 1 && !listed("t_first", NULL));
	unregister_kprobe(&p);
	EXPECT("K-REG-10", "and no more", !listed("t_after+0x0", NULL));
	t_register(&q);
	EXPECT_EQ("K-REG-53", "listed with [DISABLED]",
		  listed("  k  t_add+0x0  ", "[DISABLED]"), 1);
	enable_kprobe(&q);
	EXPECT("K-REG-53", "without, once enabled",
	       listed("  k  t_add+0x0  ", NULL) == 1 &&
	       !listed("t_add+0x0", "[DISABLED]"));
	unregister_kprobe(&q);
	p = (struct kprobe){ .symbol_name = "t_landing" };
	t_register(&p);
	EXPECT_EQ("K-REG-12", "listed with the final address",
		  listed(p.addr == T_AT(t_landing, 4) ? "t_landing+0x4  "
						      : "t_landing+0x0  ",
			 NULL), 1);
	unregister_kprobe(&p);
}

static int lines(void)
{
	struct search s = { .want = "\n" };

	kprobes_list(look, &s);
	return s.lines;
}

static void returns_listed_as(void)
{
	struct kretprobe rp = { .kp.symbol_name = "t_add" };
	int before = lines();

	EXPECT_EQ("K-RET-14", "register", register_kretprobe(&rp), 0);
	EXPECT_EQ("K-RET-14", "the list's letter",
		  listed("  r  t_add+0x0  ", NULL), 1);
	EXPECT_EQ("K-RET-66", "no line but its own", lines(), before + 1);
	unregister_kretprobe(&rp);
}

static void what_the_blacklist_says(void)
{
	EXPECT("K-BLK-01", "NOKPROBE_SYMBOL functions are on the list",
	       blacklisted("\tt_marked\n") == 1);
	EXPECT("K-BLK-03", "a mark on data is skipped",
	       !blacklisted("t_marked_data"));
	/* Refused for return probes only: setjmp and its like. */
	EXPECT("K-BLK-10", "no entries that concern return probes only",
	       !blacklisted("setjmp") && !blacklisted("swapcontext"));
	EXPECT("K-BLK-10", "nor functions that nobody listed",
	       !blacklisted("\tt_unmarked\n") && !blacklisted("\tt_add\n"));
}

/* ---- the global switch ---------------------------------------------------------- */

static void registering_while_off(void)
{
	struct kprobe p = { .symbol_name = "t_add", .pre_handler = t_pre };

	EXPECT_EQ("K-REG-58", "switch off", kprobes_set_enabled(false), 0);
	EXPECT("K-REG-58", "it is off", !kprobes_is_enabled());
	EXPECT_EQ("K-REG-58", "registration succeeds", t_register(&p), 0);
	EXPECT_EQ("K-REG-58", "and does not touch the text", t_text(t_add),
		  T_ADD_FIRST);
	t_reset();
	t_add(1, 1);
	EXPECT("K-REG-58", "no handler runs",
	       !t_counts.pre && !kprobe_disabled(&p));
	EXPECT_EQ("K-REE-08", "and nothing is missed", p.nmissed, 0);
	EXPECT_EQ("K-REG-58", "switch on", kprobes_set_enabled(true), 0);
	EXPECT_EQ("K-REG-58", "it is armed", t_text(t_add), T_BP);
	t_add(1, 1);
	EXPECT_EQ("K-REG-58", "and hit", t_counts.pre, 1);
	kprobes_set_enabled(false);
	EXPECT_EQ("K-UNR-03", "off again: disarmed", t_text(t_add), T_ADD_FIRST);
	unregister_kprobe(&p);
	EXPECT("K-UNR-03", "unregistered while globally off",
	       p.addr == T_AT(t_add, 0) && disable_kprobe(&p) == -EINVAL);
	kprobes_set_enabled(true);
	EXPECT_EQ("K-UNR-03", "it stays so", t_text(t_add), T_ADD_FIRST);
}

static void enabling_while_off(void)
{
	struct kprobe p = { .symbol_name = "t_add", .pre_handler = t_pre };
	struct kprobe q = { .symbol_name = "t_inner", .pre_handler = t_pre,
			    .flags = KPROBE_FLAG_DISABLED };
	struct kprobe r = { .symbol_name = "t_inner", .pre_handler = t_pre,
			    .flags = KPROBE_FLAG_DISABLED };

	t_register(&p);
	t_register(&q);
	t_register(&r);
	kprobes_set_enabled(false);
	EXPECT_EQ("K-EN-07", "disable while off", disable_kprobe(&p), 0);
	EXPECT("K-EN-07", "sets the flag", kprobe_disabled(&p));
	EXPECT_EQ("K-EN-07", "enable while off", enable_kprobe(&q), 0);
	EXPECT("K-EN-07 K-EN-08", "clears the flag", !kprobe_disabled(&q));
	EXPECT("K-EN-07", "and touches no text",
	       t_text(t_add) == T_ADD_FIRST && t_text(t_inner) == T_NOP);
	kprobes_set_enabled(true);
	EXPECT("K-EN-08", "what was enabled while off is armed",
	       t_text(t_inner) == T_BP);
	EXPECT_EQ("K-EN-07", "what was disabled is not", t_text(t_add), T_ADD_FIRST);
	t_reset();
	t_inner(1);
	t_add(1, 1);
	EXPECT("K-EN-08", "and hit, it alone",
	       t_counts.pre == 1 && t_counts.who == &q);
	unregister_kprobe(&r);
	kprobes_set_enabled(false);
	enable_kprobe(&p);
	kprobes_set_enabled(true);
	EXPECT_EQ("K-EN-08", "also one that is alone at its address",
		  t_text(t_add), T_BP);
	unregister_kprobe(&q);
	unregister_kprobe(&p);
}

/* K-INV-10: hits do not wait for a reader of the list. */
static struct kprobe churned[2];
static long churn_wrong, churn_read, churn_running;

static int pre_nothing(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	return 0;
}

static void churn(void *arg)
{
	static int turn;
	int me = __atomic_fetch_add(&turn, 1, __ATOMIC_SEQ_CST) % 3;
	int enough = T_IN_KERNEL ? 200 : 2000, i;

	(void)arg;
	/* On a machine with much to do the reader may come late. */
	for (i = 0; me == 0 && (i < enough || (i < 100 * enough &&
		!__atomic_load_n(&churn_read, __ATOMIC_SEQ_CST))); i++) {
		register_kprobes((struct kprobe *[]){ &churned[1] }, 1);
		unregister_kprobe(&churned[1]);
		churned[1].flags = 0;
	}
	if (me == 0)
		__atomic_store_n(&churn_running, 0, __ATOMIC_SEQ_CST);
	while (me && __atomic_load_n(&churn_running, __ATOMIC_SEQ_CST)) {
		t_breathe();
		if (me == 1)
			churn_wrong += t_add(3, 4) != 7;
		else
			churn_read += listed("  k  t_add+0x0  ", NULL) == 1;
	}
}

static void reading_under_load(void)
{
	churned[0] = (struct kprobe){ .symbol_name = "t_add",
				      .pre_handler = pre_nothing };
	churned[1] = (struct kprobe){ .addr = T_AT(t_add, T_ADD_LEA),
				      .pre_handler = pre_nothing };
	churn_wrong = churn_read = 0;
	churn_running = 1;
	t_register(&churned[0]);
	t_threads(3, churn, NULL);
	EXPECT("K-INV-10", "the list shows what stays while others churn",
	       churn_read > 0);
	EXPECT_EQ("K-INV-10", "and calls are right meanwhile", churn_wrong, 0);
	unregister_kprobe(&churned[0]);
}

void t_lists(void)
{
	listed_as();
	returns_listed_as();
	what_the_blacklist_says();
	registering_while_off();
	enabling_while_off();
	reading_under_load();
}
