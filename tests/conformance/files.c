/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * files.c - the control files' contents and the two switches: K-KNB.
 *
 * What belongs to files as such, their names, modes and what may be written to
 * them, is tested where they are: tests/kernel/cases/65-files.sh, and
 * tests/live/files.c for the endpoint of a process.
 */
#include "harness.h"

#define ADDR_LEN ((int)(2 * sizeof(long)))	/* digits of an address */
#include <kprobes/control.h>

/* ---- lines ------------------------------------------------------------------- */

#define LINES 32
#define LINE_LEN 256

struct lines {
	char text[LINES][LINE_LEN];
	int nr, too_long;
};
static struct lines lines;

static void take(void *arg, const char *line, size_t len)
{
	(void)arg;
	if (lines.nr < LINES && len < LINE_LEN)
		memcpy(lines.text[lines.nr++], line, len + 1);
	else
		lines.too_long++;
}

static void read_list(void)
{
	memset(&lines, 0, sizeof(lines));
	kprobes_list(take, NULL);
}

/* Every probe of this file is one of the test's own. */
static const char *owner(void)
{
	return T_IN_KERNEL ? t_module : " ";
}

/* The line that the documentation gives a probe. */
static const char *line_of(const struct kprobe *p, char letter,
			   const char *place, const char *tags)
{
	static char line[LINE_LEN];

	snprintf(line, sizeof(line), "%0*lx  %c  %s  %s %s\n", ADDR_LEN,
		 (unsigned long)p->addr, letter, place, owner(), tags);
	return line;
}

static int at_line(const char *want)
{
	int i;

	for (i = 0; i < lines.nr; i++)
		if (!strcmp(lines.text[i], want))
			return i;
	return -1;
}

/* Is it in the list now? */
static int has(const char *want)
{
	read_list();
	return at_line(want) >= 0;
}

static int is_tagged(const struct kprobe *p, const char *place, const char *tags)
{
	return has(line_of(p, 'k', place, tags));
}

/* "[GONE][DISABLED][OPTIMIZED][FTRACE]\n", each or not, in this order. */
static int are_tags(const char *text)
{
	static const char *const tags[] = { "[GONE]", "[DISABLED]",
					    "[OPTIMIZED]", "[FTRACE]" };
	size_t i;

	for (i = 0; i < 4; i++)
		if (!strncmp(text, tags[i], strlen(tags[i])))
			text += strlen(tags[i]);
	return !strcmp(text, "\n");
}

static int skip_hex(const char **text, int min)
{
	int nr = 0;

	for (; (**text >= '0' && **text <= '9') ||
	       (**text >= 'a' && **text <= 'f'); ++*text)
		nr++;
	return nr >= min;
}

static int skip_text(const char **text, const char *want)
{
	size_t len = strlen(want);

	if (strncmp(*text, want, len))
		return 0;
	*text += len;
	return 1;
}

static int skip_word(const char **text, char end)
{
	const char *from = *text;

	while (**text && **text != ' ' && **text != end)
		++*text;
	return *text != from;
}

/* K-KNB-02 */
static int is_line(const char *text)
{
	const char *start = text;

	if (!skip_hex(&text, ADDR_LEN) || text - start != ADDR_LEN ||
	    !skip_text(&text, "  ") || !strchr("krj", *text))
		return 0;
	text++;
	if (!skip_text(&text, "  ") || !skip_word(&text, '+') ||
	    !skip_text(&text, "+0x") || !skip_hex(&text, 1) ||
	    !skip_text(&text, "  "))
		return 0;
	if (!skip_text(&text, "  ") &&
	    (!skip_word(&text, ' ') || !skip_text(&text, " ")))
		return 0;
	return are_tags(text);
}

static int all_are_lines(void)
{
	int i, good = 0;

	for (i = 0; i < lines.nr; i++) {
		good += is_line(lines.text[i]);
		if (!is_line(lines.text[i]))
			t_print("# not a line: %s", lines.text[i]);
	}
	return good == lines.nr;
}

/* ---- the list ----------------------------------------------------------------- */

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	return 0;
}

static void on_jprobe(void)
{
	jprobe_return();
}

/* Four at one address, one elsewhere, one of another object. */
static void the_list(void)
{
	struct kprobe p = { .symbol_name = "t_add", .pre_handler = t_pre };
	struct kretprobe r = { .kp.symbol_name = "t_add", .handler = on_return };
	struct jprobe j = { .kp.symbol_name = "t_add", .entry = on_jprobe };
	struct kprobe q = { .symbol_name = "t_add", .pre_handler = t_pre };
	struct kprobe mid = { .symbol_name = "t_add", .offset = T_ADD_LEA,
			      .flags = KPROBE_FLAG_DISABLED };
	struct kprobe foreign = { .symbol_name = t_foreign_symbol };
	int before, first;

	read_list();
	before = lines.nr;
	t_breakpoints_only(1);
	t_register(&p);
	EXPECT_EQ("K-KNB-04", "a return probe", register_kretprobe(&r), 0);
	EXPECT_EQ("K-KNB-04", "a jprobe", register_jprobe(&j), 0);
	t_register(&q);
	t_register(&mid);
	t_register(&foreign);
	read_list();
	EXPECT_EQ("K-KNB-01 K-KNB-12", "a line for each probe, no header",
		  lines.nr, before + 6);
	EXPECT("K-KNB-02 K-KNB-03 K-KNB-07", "of the documented form",
	       all_are_lines() && !lines.too_long);
	EXPECT("K-KNB-02 K-KNB-11", "without tags it ends in a blank",
	       at_line(line_of(&p, 'k', "t_add+0x0", "")) >= 0);
	EXPECT("K-KNB-04", "r", at_line(line_of(&p, 'r', "t_add+0x0", "")) >= 0);
	first = at_line(line_of(&p, 'j', "t_add+0x0", ""));
	EXPECT("K-KNB-04", "j", first >= 0);
	first = at_line(line_of(&p, 'k', "t_add+0x0", ""));
	/* A jprobe is the last, whenever it came. */
	EXPECT("K-KNB-10", "those of one address together, newest first",
	       first >= 0 && first + 3 < lines.nr &&
	       lines.text[first + 1][ADDR_LEN + 2] == 'r' &&
	       lines.text[first + 2][ADDR_LEN + 2] == 'k' &&
	       lines.text[first + 3][ADDR_LEN + 2] == 'j');
	EXPECT("K-KNB-05", "an offset is hexadecimal",
	       at_line(line_of(&mid, 'k', T_ADD_LEA_NAME, "[DISABLED]")) >= 0);
	EXPECT("K-KNB-08", "DISABLED is the probe's own",
	       !disable_kprobe(&q) &&
	       is_tagged(&q, "t_add+0x0", "[DISABLED]") &&
	       at_line(line_of(&p, 'k', "t_add+0x0", "")) >= 0);
	unregister_kprobe(&foreign);
	unregister_kprobe(&mid);
	unregister_kprobe(&q);
	unregister_jprobe(&j);
	unregister_kretprobe(&r);
	unregister_kprobe(&p);
	read_list();
	EXPECT_EQ("K-KNB-01", "and none afterwards", lines.nr, before);
	t_breakpoints_only(0);
}

/* ---- the switch for all -------------------------------------------------------- */

static void the_switch(void)
{
	struct kprobe on = { .symbol_name = "t_add", .pre_handler = t_pre };
	struct kprobe off = { .symbol_name = "t_inner", .pre_handler = t_pre,
			      .flags = KPROBE_FLAG_DISABLED };
	struct kprobe late = { .symbol_name = "t_inner2", .pre_handler = t_pre };

	EXPECT("K-KNB-20", "on at first", kprobes_is_enabled());
	t_register(&on);
	t_register(&off);
	EXPECT_EQ("K-KNB-25", "on again", kprobes_set_enabled(true), 0);
	EXPECT_EQ("K-KNB-23", "off", kprobes_set_enabled(false), 0);
	EXPECT("K-KNB-20 K-KNB-23", "reads off, the text is the original",
	       !kprobes_is_enabled() &&
	       t_raw(t_add) == T_ADD_FIRST);
	t_reset();
	t_add(1, 1);
	EXPECT("K-KNB-23", "no handler runs, no flag changed",
	       !t_counts.pre && !kprobe_disabled(&on) && kprobe_disabled(&off));
	EXPECT("K-KNB-11", "and no tag",
	       is_tagged(&on, "t_add+0x0", "") &&
	       is_tagged(&off, "t_inner+0x0", "[DISABLED]"));
	EXPECT_EQ("K-KNB-25", "off again", kprobes_set_enabled(false), 0);
	t_register(&late);
	EXPECT_EQ("K-KNB-28", "what is registered meanwhile waits",
		  t_text(t_inner2), T_NOP);
	EXPECT_EQ("K-KNB-24", "on", kprobes_set_enabled(true), 0);
	EXPECT("K-KNB-24 K-KNB-28", "what is not disabled is armed",
	       t_text(t_add) == T_BP && t_text(t_inner2) == T_BP &&
	       t_text(t_inner) == T_NOP);
	t_reset();
	t_add(1, 1);
	t_inner(1);
	t_inner2(1);
	EXPECT_EQ("K-KNB-24 K-KNB-28", "and hit", t_counts.pre, 2);
	unregister_kprobe(&late);
	unregister_kprobe(&off);
	unregister_kprobe(&on);
}

/* ---- the optimization knob ------------------------------------------------------ */

enum form { ORIGINAL, BREAKPOINT, JUMP };

static enum form form_of(const struct kprobe *p)
{
	t_word byte = t_raw(p->addr);

	return byte == T_BP ? BREAKPOINT : byte == T_ADD_FIRST ? ORIGINAL : JUMP;
}

static void jumps_come_and_go(void)
{
	struct kprobe p = { .symbol_name = "t_add", .pre_handler = t_pre };
	struct kprobe late = { .symbol_name = "t_calls", .pre_handler = t_pre };

	EXPECT_EQ("K-KNB-51", "on", kprobes_set_optimization(true), 0);
	EXPECT("K-KNB-51", "reads on", kprobes_optimization());
	register_kprobe(&p);
	EXPECT("K-KNB-09", "tagged at once",
	       is_tagged(&p, "t_add+0x0", "[OPTIMIZED]"));
	kprobes_flush();
	EXPECT("K-KNB-55", "a jump soon after",
	       form_of(&p) == JUMP && is_tagged(&p, "t_add+0x0", "[OPTIMIZED]"));
	t_reset();
	t_add(1, 1);
	EXPECT_EQ("K-KNB-58", "hit", t_counts.pre, 1);
	EXPECT_EQ("K-KNB-54", "off", kprobes_set_optimization(false), 0);
	EXPECT("K-KNB-54", "no jump when the call returns",
	       form_of(&p) == BREAKPOINT && !kprobes_optimization());
	EXPECT("K-KNB-54", "no tag", is_tagged(&p, "t_add+0x0", ""));
	t_add(1, 1);
	EXPECT_EQ("K-KNB-58", "hit", t_counts.pre, 2);
	register_kprobe(&late);
	kprobes_flush();
	EXPECT("K-KNB-54", "later ones stay on the breakpoint",
	       form_of(&late) == BREAKPOINT &&
	       is_tagged(&late, "t_calls+0x0", ""));
	unregister_kprobe(&late);
	EXPECT_EQ("K-KNB-55", "on", kprobes_set_optimization(true), 0);
	EXPECT("K-KNB-55", "tagged at once",
	       is_tagged(&p, "t_add+0x0", "[OPTIMIZED]"));
	kprobes_flush();
	EXPECT("K-KNB-55", "a jump again", form_of(&p) == JUMP);
	t_add(1, 1);
	EXPECT_EQ("K-KNB-58", "hit", t_counts.pre, 3);
	EXPECT_EQ("K-KNB-58", "none missed", p.nmissed, 0);
	unregister_kprobe(&p);
	kprobes_flush();
}

static void both_switches(void)
{
	struct kprobe p = { .symbol_name = "t_add", .pre_handler = t_pre };

	register_kprobe(&p);
	kprobes_flush();
	kprobes_set_enabled(false);
	EXPECT("K-KNB-23 K-KNB-57", "all off: the original text, at once",
	       form_of(&p) == ORIGINAL && is_tagged(&p, "t_add+0x0", ""));
	EXPECT("K-KNB-57", "the other switch stays", kprobes_optimization());
	kprobes_set_optimization(false);
	kprobes_set_optimization(true);
	kprobes_flush();
	EXPECT("K-KNB-57", "which changes no text now", form_of(&p) == ORIGINAL);
	kprobes_set_optimization(false);
	kprobes_set_enabled(true);
	kprobes_flush();
	EXPECT("K-KNB-57", "all on alone: a breakpoint",
	       form_of(&p) == BREAKPOINT);
	kprobes_set_optimization(true);
	kprobes_flush();
	EXPECT("K-KNB-57", "both: a jump", form_of(&p) == JUMP);
	kprobes_set_enabled(false);
	kprobes_set_enabled(true);
	EXPECT("K-KNB-24", "queued again", is_tagged(&p, "t_add+0x0", "[OPTIMIZED]"));
	kprobes_flush();
	EXPECT("K-KNB-24", "a jump again", form_of(&p) == JUMP);
	unregister_kprobe(&p);
	kprobes_flush();
}

/* The jump of a disabled probe stays until the worker comes. */
static void disabled_and_optimized(void)
{
	struct kprobe p = { .symbol_name = "t_add", .pre_handler = t_pre };
	int tries, both = 0;

	register_kprobe(&p);
	for (tries = 0; tries < 50 && !both; tries++) {
		enable_kprobe(&p);
		kprobes_flush();
		disable_kprobe(&p);
		both = is_tagged(&p, "t_add+0x0", "[DISABLED][OPTIMIZED]");
	}
	EXPECT("K-KNB-07 K-KNB-09", "disabled, the jump still there", both);
	kprobes_flush();
	EXPECT("K-KNB-09", "disabled, the original text",
	       is_tagged(&p, "t_add+0x0", "[DISABLED]") &&
	       form_of(&p) == ORIGINAL);
	unregister_kprobe(&p);
	kprobes_flush();
}

/* K-KNB-58: every call is a hit or a miss, whatever the knob does. */
static struct kprobe counted;
static int counted_hits, running;
static long counted_calls, wrong;

static int pre_counts(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	__atomic_fetch_add(&counted_hits, 1, __ATOMIC_RELAXED);
	return 0;
}

static void turn_or_call(void *arg)
{
	static int turn;
	int me = __atomic_fetch_add(&turn, 1, __ATOMIC_SEQ_CST) % 3, i;

	(void)arg;
	for (i = 0; !me && i < 2 * (T_IN_KERNEL ? 50 : 200); i++) {
		kprobes_set_optimization(i % 2);
		if (i % 4 == 3)
			t_sleep_ms(1);
		if (i % 8 == 5)
			kprobes_flush();
	}
	if (!me)
		__atomic_store_n(&running, 0, __ATOMIC_SEQ_CST);
	while (me && __atomic_load_n(&running, __ATOMIC_SEQ_CST)) {
		for (i = 0; i < 100; i++)
			if (t_add(i, me) != i + me)
				__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&counted_calls, 100, __ATOMIC_RELAXED);
		t_breathe();
	}
}

static void under_load(void)
{
	counted = (struct kprobe){ .symbol_name = "t_add",
				   .pre_handler = pre_counts };
	counted_hits = 0;
	counted_calls = wrong = 0;
	running = 1;
	register_kprobe(&counted);
	t_threads(3, turn_or_call, NULL);
	EXPECT("K-KNB-58", "there were calls", counted_calls > 100);
	EXPECT_EQ("K-KNB-58", "every call was a hit",
		  counted_hits + (long)counted.nmissed, counted_calls);
	EXPECT_EQ("K-KNB-58", "and right", wrong, 0);
	unregister_kprobe(&counted);
	kprobes_flush();
}

/* ---- the blacklist --------------------------------------------------------------- */

static int black_lines, black_bad;

static int is_black_line(const char *text)
{
	const char *first = text, *second;

	if (!skip_text(&text, "0x") || !skip_hex(&text, ADDR_LEN) ||
	    text - first != ADDR_LEN + 2 || !skip_text(&text, "-"))
		return 0;
	second = text;
	if (!skip_text(&text, "0x") || !skip_hex(&text, ADDR_LEN) ||
	    text - second != ADDR_LEN + 2 || !skip_text(&text, "\t"))
		return 0;
	/* The digits are of one length. */
	return memcmp(first, second, ADDR_LEN + 2) < 0 && skip_word(&text, '\n') &&
	       !strcmp(text, "\n");
}

static void black(void *arg, const char *line, size_t len)
{
	(void)arg;
	(void)len;
	black_lines++;
	if (is_black_line(line))
		return;
	black_bad++;
	t_print("# not a line: %s", line);
}

static void the_blacklist(void)
{
	kprobes_blacklist(black, NULL);
	EXPECT("K-KNB-40", "it has lines", black_lines > 0);
	EXPECT_EQ("K-KNB-40", "all of the documented form, the end exclusive",
		  black_bad, 0);
}

void t_files(void)
{
	the_list();
	the_switch();
	if (T_JUMPS) {
		jumps_come_and_go();
		both_switches();
		disabled_and_optimized();
	}
	under_load();
	the_blacklist();
	t_breakpoints_only(0);
}
