/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jprobes.c - owns the K-JP rules.
 *
 * Handlers spoil their arguments before they return, so every call of a probed
 * function is a check that it is not concerned.
 */
#include "harness.h"

#include <kprobes/control.h>

/* A handler has the parameters of what it handles, used or not. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

struct t_words { long w[5]; };

long t_ten(long a, long b, long c, long d, long e, long f, long g, long h,
	   long i, long j);
long t_words_sum(struct t_words words);
void t_padded_entry(void);
long t_padded_calls;
void jprobe_return_for_asm(void);

static int calls, right, after_return;
static char order[16];
static int order_len;

static void note(char what)
{
	if (order_len < (int)sizeof(order) - 1)
		order[order_len++] = what;
	order[order_len] = 0;
}

static void reset(void)
{
	t_reset();
	calls = right = after_return = order_len = 0;
	order[0] = 0;
}

void jprobe_return_for_asm(void)
{
	jprobe_return();
}

/* ---- handlers ------------------------------------------------------------- */

/* The compiler must believe that the arguments are changed. */
#define SPOIL(x) __asm__ volatile("" : "+m"(x) :: "memory")

static long T_BY_REGISTER j_add(long a, long b)
{
	calls++;
	right += a == 20 && b == 22;
	a = b = -1;
	SPOIL(a);
	SPOIL(b);
	note('j');
	jprobe_return();
	after_return++;
	return 99;
}

static long T_BY_REGISTER j_add_too(long a, long b)
{
	right += a == 20 && b == 22;
	note('J');
	jprobe_return();
	return 99;
}

static long j_ten(long a, long b, long c, long d, long e, long f, long g,
		  long h, long i, long j)
{
	calls++;
	right += a == 1 && b == 20 && c == 300 && d == 4000 && e == 50000 &&
		 f == -6 && g == 70 && h == -800 && i == 9000 && j == -10;
	a = b = c = d = e = f = g = h = i = j = 0;
	SPOIL(a); SPOIL(b); SPOIL(c); SPOIL(d); SPOIL(e); SPOIL(f);
	SPOIL(g); SPOIL(h); SPOIL(i); SPOIL(j);
	jprobe_return();
	return 0;
}

static long j_words(struct t_words words)
{
	calls++;
	right += words.w[0] == 1 && words.w[4] == 5;
	memset(&words, 0, sizeof(words));
	SPOIL(words);
	jprobe_return();
	return 0;
}

static long T_BY_REGISTER j_load(long *p)
{
	calls++;
	right += p == t_data && *p == 4711;
	p = NULL;
	SPOIL(p);
	jprobe_return();
	return 0;
}

static long T_BY_REGISTER j_forgets(long a, long b)
{
	calls++;
	right += a == 20 && b == 22;
	return 99;
}

static long T_BY_REGISTER j_faults(long a, long b)
{
	calls++;
	t_poke(t_bad_address);
	after_return++;
	jprobe_return();
	return 99;
}

static long T_BY_REGISTER j_calls(long a, long b)
{
	calls++;
	t_inner(a);
	t_inner(b);
	jprobe_return();
	return 99;
}

static int pre_notes(struct kprobe *p, struct pt_regs *regs)
{
	note('p');
	return 0;
}

static void post_notes(struct kprobe *p, struct pt_regs *regs,
		       unsigned long flags)
{
	note('o');
}

/* t_add is left before it began, as if it had returned 7. */
static int pre_takes_over(struct kprobe *p, struct pt_regs *regs)
{
	t_set_result(regs, 7);
	instruction_pointer_set(regs, (unsigned long)T_AT(t_add, T_ADD_RET));
	note('t');
	return 1;
}

/* ---- registration ----------------------------------------------------------- */

static struct jprobe on_add(void *entry)
{
	return (struct jprobe){ .kp.symbol_name = "t_add",
				.entry = JPROBE_ENTRY(entry) };
}

static int try_register(struct jprobe jp)
{
	int err = register_jprobe(&jp);

	if (!err)
		unregister_jprobe(&jp);
	return err;
}

static int must_register(struct jprobe *jp)
{
	int err = register_jprobe(jp);

	if (err)
		t_print("# register_jprobe: %d: %s", err,
			jp->kp.reason ? jp->kp.reason : "no reason given");
	return err;
}

static void validation(void)
{
	struct jprobe jp = on_add(j_add);

	EXPECT_EQ("K-JP-08", "entry NULL", try_register(on_add(NULL)), -EINVAL);
	EXPECT_EQ("K-JP-08", "entry inside a function",
		  try_register(on_add((char *)j_add + 1)), -EINVAL);
	EXPECT_EQ("K-JP-08", "entry is data",
		  try_register(on_add(&calls)), -EINVAL);
	EXPECT_EQ("K-JP-08", "entry is garbage",
		  try_register(on_add(t_bad_address)), -EINVAL);
	jp.kp.offset = T_ADD_MOV;
	EXPECT_EQ("K-JP-08", "not the function's entry", try_register(jp),
		  -EINVAL);
	EXPECT_EQ("K-JP-08", "the text is not touched", t_text(t_add), T_ADD_FIRST);

	EXPECT_EQ("K-JP-09", "neither symbol nor address",
		  try_register((struct jprobe){ .entry = j_add }), -EINVAL);
	jp = on_add(j_add);
	jp.kp.addr = T_AT(t_add, 0);
	EXPECT_EQ("K-JP-09", "both", try_register(jp), -EINVAL);
	EXPECT_EQ("K-JP-09", "unknown symbol", try_register((struct jprobe){
		  .kp.symbol_name = "t_nobody", .entry = j_add }), -ENOENT);
	EXPECT_EQ("K-JP-09", "blacklisted", try_register((struct jprobe){
		  .kp.addr = t_engine(), .entry = j_add }), -EINVAL);
	EXPECT_EQ("K-JP-09", "no struct", register_jprobe(NULL), -EINVAL);
	if (T_IN_KERNEL)
		EXPECT_EQ("K-JP-27", T_SWITCHES_STACK, try_register((struct jprobe){
			  .kp.symbol_name = T_SWITCHES_STACK, .entry = j_add }),
			  -EINVAL);
	else
		SKIP("K-JP-27", T_SWITCHES_STACK);
}

/* The struct is not a jprobe's then. */
static void refused_then_plain(void)
{
	struct jprobe jp = on_add(j_add);

	reset();
	jp.kp.fault_handler = (kprobe_fault_handler_t)t_bad_address;
	EXPECT("K-API-19", "a jprobe that is refused", register_jprobe(&jp));
	EXPECT("K-API-19", "its handler is not there any more",
	       !jp.kp.pre_handler);
	jp.kp = (struct kprobe){ .symbol_name = "t_add",
				 .pre_handler = jp.kp.pre_handler };
	EXPECT_EQ("K-API-19", "the same as a plain kprobe",
		  t_register(&jp.kp), 0);
	EXPECT_EQ("K-API-19", "the function works", t_add(20, 22), 42);
	EXPECT_EQ("K-API-19", "the jprobe's handler did not run", calls, 0);
	unregister_kprobe(&jp.kp);
}

static void landing_pads(void)
{
	struct jprobe jp = { .kp.symbol_name = "t_landing",
			     .entry = t_padded_entry };

	t_padded_calls = 0;
	EXPECT_EQ("K-JP-08", "both have a landing pad", must_register(&jp), 0);
	EXPECT_EQ("K-JP-08", "the function works", t_landing(4), 7);
	EXPECT_EQ("K-JP-08", "the handler ran", t_padded_calls, 1);
	unregister_jprobe(&jp);
	jp = (struct jprobe){ .kp.symbol_name = "t_landing", .kp.offset = T_LANDING_MOV,
			      .entry = (char *)t_padded_entry + 4 };
	if (!T_PADS_STEPPED) {
		EXPECT_EQ("K-JP-08", "behind a pad is no entry",
			  register_jprobe(&jp), -EINVAL);
		return;
	}
	EXPECT_EQ("K-JP-08", "behind both landing pads", must_register(&jp), 0);
	EXPECT_EQ("K-JP-08", "the function works", t_landing(4), 7);
	EXPECT_EQ("K-JP-08", "the handler ran", t_padded_calls, 2);
	unregister_jprobe(&jp);
}

static void twice(void)
{
	struct jprobe jp = on_add(j_add);

	reset();
	must_register(&jp);
	EXPECT_EQ("K-JP-09", "registered already", register_jprobe(&jp), -EINVAL);
	EXPECT_EQ("K-JP-09", "the function works", t_add(20, 22), 42);
	EXPECT_EQ("K-JP-09", "the first one goes on", calls, 1);
	unregister_jprobe(&jp);
	EXPECT_EQ("K-API-19", "again, as a plain kprobe",
		  (jp.kp.addr = NULL, jp.kp.flags = 0,
		   register_kprobe(&jp.kp)), 0);
	EXPECT_EQ("K-API-19", "the function works", t_add(20, 22), 42);
	EXPECT_EQ("K-API-19", "the handler does not run", calls, 1);
	unregister_jprobe(&jp);
	EXPECT_EQ("K-API-19", "unregistered as a jprobe", t_text(t_add), T_ADD_FIRST);
	unregister_jprobe(&jp);
	EXPECT("K-UNR-04", "unregistered twice", !jp.kp.addr);
}

static void replaced_handlers(void)
{
	struct jprobe jp = on_add(j_add);

	jp.kp.pre_handler = pre_notes;
	jp.kp.break_handler = pre_notes;
	jp.kp.post_handler = post_notes;
	reset();
	must_register(&jp);
	EXPECT("K-JP-10", "pre and break handler are replaced",
	       jp.kp.pre_handler != pre_notes &&
	       jp.kp.break_handler != pre_notes);
	EXPECT("K-JP-10", "post_handler is left alone",
	       jp.kp.post_handler == post_notes);
	EXPECT_EQ("K-JP-10", "the function works", t_add(20, 22), 42);
	EXPECT("K-JP-10", "handler, then post_handler", !strcmp(order, "jo"));
	unregister_jprobe(&jp);
}

static void batches(void)
{
	struct jprobe a = on_add(j_add), b = on_add(j_add_too);
	struct jprobe bad = on_add(NULL);
	struct jprobe *all[] = { &a, &b, &bad };

	EXPECT_EQ("K-JP-21", "num 0", register_jprobes(all, 0), -EINVAL);
	EXPECT_EQ("K-JP-21", "num negative", register_jprobes(NULL, -1), -EINVAL);
	EXPECT_EQ("K-JP-21", "the third is bad", register_jprobes(all, 3),
		  -EINVAL);
	EXPECT_EQ("K-REG-75", "all or none", t_text(t_add), T_ADD_FIRST);
	a = on_add(j_add);
	b = on_add(j_add_too);
	reset();
	EXPECT_EQ("K-JP-21", "two", register_jprobes(all, 2), 0);
	EXPECT_EQ("K-JP-21", "the function works", t_add(20, 22), 42);
	EXPECT_EQ("K-JP-11", "several on one function", right, 2);
	bad.kp.addr = T_AT(t_skip, 0);
	unregister_jprobes(all, 3);
	EXPECT("K-JP-21", "unregistered, the bad one only got addr = NULL",
	       t_text(t_add) == T_ADD_FIRST && !bad.kp.addr && a.kp.addr);
}

static void switching(void)
{
	struct jprobe jp = on_add(j_add);

	EXPECT_EQ("K-JP-22", "disable before register", disable_jprobe(&jp),
		  -EINVAL);
	EXPECT_EQ("K-JP-22", "enable before register", enable_jprobe(&jp),
		  -EINVAL);
	must_register(&jp);
	reset();
	EXPECT_EQ("K-JP-22", "disable", disable_jprobe(&jp), 0);
	EXPECT_EQ("K-JP-22", "disable twice", disable_jprobe(&jp), 0);
	EXPECT_EQ("K-JP-22", "the function works", t_add(20, 22), 42);
	EXPECT_EQ("K-JP-22", "no handler", calls, 0);
	EXPECT_EQ("K-JP-22", "enable", enable_jprobe(&jp), 0);
	EXPECT_EQ("K-JP-22", "the function works", t_add(20, 22), 42);
	EXPECT_EQ("K-JP-22", "the handler", calls, 1);
	unregister_jprobe(&jp);
}

/* The line of the list that names t_ten. */
static void find_ten(void *arg, const char *line, size_t len)
{
	const char *name = strstr(line, "t_ten+0x0");

	if (name && name - line > 5)
		*(char *)arg = name[-3];
}

static void find_jump(void *arg, const char *line, size_t len)
{
	(void)len;
	if (strstr(line, "t_ten+") && strstr(line, "[OPTIMIZED]"))
		*(int *)arg = 1;
}

static void listing(void)
{
	struct jprobe jp = { .kp.symbol_name = "t_ten", .entry = j_ten };
	char letter = 0;
	int is_jump = 0;

	must_register(&jp);
	kprobes_list(find_ten, &letter);
	EXPECT_EQ("K-JP-23", "the list's letter", letter, 'j');
	kprobes_flush();
	kprobes_list(find_jump, &is_jump);
	EXPECT_EQ("K-JP-17", "a jprobe is a jump, where probes may be",
		  is_jump, T_JUMPS && kprobes_optimization());
	unregister_jprobe(&jp);
}

/* ---- arguments -------------------------------------------------------------- */

static long call_ten(void)
{
	return t_ten(1, 20, 300, 4000, 50000, -6, 70, -800, 9000, -10);
}

static void arguments(void)
{
	struct t_words words = { { 1, 2, 3, 4, 5 } };
	struct jprobe jp = on_add(j_add);
	long bare;

	EXPECT("K-API-05", "struct jprobe, kp first",
	       (void *)&jp == (void *)&jp.kp &&
	       JPROBE_ENTRY(j_add) == j_add);
	reset();
	EXPECT_EQ("K-JP-01", "by symbol", must_register(&jp), 0);
	EXPECT("K-JP-26", "jprobes are here, whatever Linux dropped", jp.kp.addr);
	EXPECT_EQ("K-JP-05", "the function is not touched", t_add(20, 22), 42);
	EXPECT("K-JP-03", "register arguments", calls == 1 && right == 1);
	EXPECT_EQ("K-JP-04", "nothing after jprobe_return", after_return, 0);
	EXPECT_EQ("K-API-02", "jprobe_return", after_return, 0);
	unregister_jprobe(&jp);

	reset();
	bare = call_ten();
	jp = (struct jprobe){ .kp.addr = T_AT(t_ten, 0), .entry = j_ten };
	EXPECT_EQ("K-JP-01", "by address", must_register(&jp), 0);
	EXPECT_EQ("K-JP-05", "stack arguments are not touched",
		  call_ten(), bare);
	EXPECT("K-JP-02", "the same prototype: ten arguments",
	       calls == 1 && right == 1);
	unregister_jprobe(&jp);

	reset();
	jp = (struct jprobe){ .kp.addr = T_AT(t_words_sum, 0),
			      .entry = j_words };
	must_register(&jp);
	/* What is handed over by address is one for both. */
	EXPECT_EQ("K-JP-07", "a struct by value is not touched",
		  t_words_sum(words), T_STRUCTS_ON_STACK ? 15 : 0);
	EXPECT("K-JP-06", "a struct by value", calls == 1 && right == 1);
	unregister_jprobe(&jp);

	reset();
	t_data[0] = 4711;
	jp = (struct jprobe){ .kp.addr = T_AT(t_load, 0), .entry = j_load };
	must_register(&jp);
	EXPECT_EQ("K-JP-05", "a pointer is not touched", t_load(t_data), 4711);
	EXPECT("K-JP-03", "a pointer", calls == 1 && right == 1);
	unregister_jprobe(&jp);
}

/* ---- company ---------------------------------------------------------------- */

static void with_kprobes(void)
{
	struct kprobe first = { .symbol_name = "t_add", .pre_handler = pre_notes,
				.post_handler = post_notes,
				.break_handler = pre_notes };
	struct kprobe last = { .symbol_name = "t_add",
			       .pre_handler = pre_notes };
	struct kprobe taker = { .symbol_name = "t_add",
				.pre_handler = pre_takes_over };
	struct jprobe jp = on_add(j_add), other = on_add(j_add_too);

	reset();
	t_register(&first);
	must_register(&jp);
	EXPECT_EQ("K-JP-12", "beside a break_handler", must_register(&other), 0);
	t_register(&last);
	EXPECT_EQ("K-JP-13", "the function works", t_add(20, 22), 42);
	EXPECT("K-JP-13", "kprobes first, then the newest jprobe",
	       !strncmp(order, "ppJj", 4));
	EXPECT("K-JP-15", "post handlers after jprobe_return",
	       !strcmp(order, "ppJjo"));
	EXPECT("K-JP-11", "both jprobes", right == 2);
	reset();
	t_register(&taker);
	EXPECT_EQ("K-JP-14", "a kprobe takes over", t_add(20, 22), 7);
	EXPECT("K-JP-14", "the jprobes are skipped", !strcmp(order, "t"));
	unregister_kprobe(&taker);
	unregister_kprobe(&first);
	unregister_kprobe(&last);
	unregister_jprobe(&jp);
	unregister_jprobe(&other);
	EXPECT_EQ("K-INV-05", "restored", t_text(t_add), T_ADD_FIRST);
}

static int j_entry_calls, j_return_calls;
static long j_returned;

static int ret_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	j_entry_calls++;
	return 0;
}

static int ret_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	j_return_calls++;
	j_returned = (long)regs_return_value(regs);
	return 0;
}

static void with_return_probes(void)
{
	struct kretprobe rp = { .kp.symbol_name = "t_ten",
				.entry_handler = ret_entry,
				.handler = ret_handler };
	struct jprobe jp = { .kp.symbol_name = "t_ten", .entry = j_ten };
	long bare = call_ten();
	int round;

	for (round = 0; round < 2; round++) {
		rp.kp.addr = jp.kp.addr = NULL;
		rp.kp.flags = jp.kp.flags = 0;
		if (round)
			register_kretprobe(&rp);
		must_register(&jp);
		if (!round)
			register_kretprobe(&rp);
		reset();
		j_entry_calls = j_return_calls = 0;
		EXPECT_EQ("K-JP-24", "with a return probe", call_ten(), bare);
		EXPECT("K-JP-24", "the jprobe", calls == 1 && right == 1);
		EXPECT("K-RET-42", "the return probe", j_entry_calls == 1 &&
		       j_return_calls == 1 && j_returned == bare);
		unregister_kretprobe(&rp);
		unregister_jprobe(&jp);
	}
}

static void nested_hits(void)
{
	struct kprobe inner = { .symbol_name = "t_inner", .pre_handler = t_pre };
	struct jprobe jp = on_add(j_calls);

	reset();
	t_register(&inner);
	must_register(&jp);
	EXPECT_EQ("K-JP-16", "the function works", t_add(20, 22), 42);
	EXPECT("K-JP-16", "hits inside are missed", calls == 1 &&
	       inner.nmissed == 2 && !t_counts.pre && !jp.kp.nmissed);
	unregister_kprobe(&inner);
	unregister_jprobe(&jp);
}

/* ---- misuse, faults, breakpoints ----------------------------------------------- */

static void misuse(void)
{
	struct jprobe jp = on_add(j_forgets);

	reset();
	must_register(&jp);
	EXPECT_EQ("K-JP-19", "no jprobe_return: the function works",
		  t_add(20, 22), 42);
	EXPECT("K-JP-19", "the handler ran", calls == 1 && right == 1);
	EXPECT_EQ("K-JP-19", "and again", t_add(20, 22), 42);
	EXPECT("K-JP-19", "it is said", calls == 2 && jp.kp.reason);
	unregister_jprobe(&jp);
	jprobe_return();
	EXPECT("K-JP-20", "jprobe_return outside a handler returns", true);
}

static int fault_skips(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	t_counts.fault++;
	t_counts.who = p;
	instruction_pointer_set(regs, (unsigned long)T_AT(t_poke, T_POKE_RET));
	return 1;
}

static void faults(void)
{
	struct jprobe jp = on_add(j_faults), other = on_add(j_add);

	jp.kp.fault_handler = fault_skips;
	reset();
	must_register(&jp);
	EXPECT_EQ("K-FLT-10", "a fault in the handler: the function works",
		  t_add(20, 22), 42);
	EXPECT("K-FLT-10", "the jprobe's fault_handler", t_counts.fault == 1 &&
	       t_counts.who == &jp.kp && after_return == 1);
	unregister_jprobe(&jp);

	jp = on_add(j_faults);
	reset();
	must_register(&other);
	must_register(&jp);
	EXPECT_EQ("K-FLT-06", "no fault_handler: the function works",
		  t_add(20, 22), 42);
	EXPECT("K-FLT-06", "abandoned and off, the other goes on",
	       kprobe_disabled(&jp.kp) && !after_return &&
	       !strcmp(order, "j"));
	EXPECT_EQ("K-FLT-06", "the next call works", t_add(20, 22), 42);
	EXPECT("K-FLT-06", "with the other only", !strcmp(order, "jj"));
	unregister_jprobe(&jp);
	unregister_jprobe(&other);
}

/* Handler code with a breakpoint of its own, not a probe's. */
static int pre_breaks(struct kprobe *p, struct pt_regs *regs)
{
	note('B');
	t_own_breakpoint();
	note('e');
	return 0;
}

static int break_handles(struct kprobe *p, struct pt_regs *regs)
{
	t_counts.who = p;
	note('b');
	return 1;
}

static void break_handlers(void)
{
	struct kprobe p = { .symbol_name = "t_add", .pre_handler = pre_breaks,
			    .break_handler = break_handles };
	struct kprobe q = { .symbol_name = "t_add", .pre_handler = pre_notes,
			    .break_handler = pre_takes_over };

	reset();
	t_register(&p);
	t_register(&q);
	EXPECT_EQ("K-JP-25", "then the instruction is executed", t_add(20, 22),
		  42);
	EXPECT("K-JP-25", "a foreign breakpoint in a handler",
	       !strcmp(order, "pBbe"));
	EXPECT("K-JP-25", "only the probe that was executing is asked",
	       t_counts.who == &p);
	unregister_kprobe(&p);
	unregister_kprobe(&q);
}

void t_jprobes(void)
{
	validation();
	refused_then_plain();
	landing_pads();
	twice();
	replaced_handlers();
	batches();
	switching();
	listing();
	arguments();
	with_kprobes();
	with_return_probes();
	nested_hits();
	misuse();
	faults();
	break_handlers();
}
