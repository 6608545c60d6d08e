/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* retprobe.c - K-RET: registration, what the handlers see, how many calls. */
#include "harness.h"

#if T_IN_KERNEL
#include <linux/completion.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#endif

long t_fact(long n);
long t_tail(long a);
long t_tail2(long a);
long t_enter(long a);
long t_whence(void);
long t_again(void);
long t_quiet(void);
long t_caller(void);
long t_inside(long a);

static long (*volatile inside)(long a);

long t_inside(long a)
{
	return inside ? inside(a) : a;
}

/* ---- registration ---------------------------------------------------------- */

static int handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	t_counts.post++;
	return 0;
}

static int entry_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	t_counts.pre++;
	return 0;
}

static int user_pre(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	return 0;
}

static int refused(struct kretprobe *rp)
{
	int err = register_kretprobe(rp);

	if (!err)
		unregister_kretprobe(rp);
	return err;
}

static void bad_addresses(void)
{
	struct kretprobe inner = { .kp.symbol_name = "t_add",
				   .kp.offset = T_ADD_MOV };
	struct kretprobe unknown = { .kp.symbol_name = "t_no_such" };
	struct kretprobe neither = { .handler = handler };
	struct kretprobe both = { .kp.symbol_name = "t_add",
				  .kp.addr = T_AT(t_add, 0) };
	struct kretprobe landing = { .kp.symbol_name = "t_landing",
				     .kp.offset = T_LANDING_MOV, .handler = handler };
	struct kretprobe addr = { .kp.addr = T_AT(t_add, 0),
				  .handler = handler };
	struct kretprobe part = { .kp.symbol_name = "t_part.cold",
				  .handler = handler };

	EXPECT_EQ("K-RET-01", "not at the entry", refused(&inner), -EINVAL);
	EXPECT_EQ("K-RET-02", "unknown symbol", refused(&unknown), -ENOENT);
	EXPECT_EQ("K-RET-02", "neither", refused(&neither), -EINVAL);
	EXPECT_EQ("K-RET-02", "both", refused(&both), -EINVAL);
	EXPECT_EQ("K-RET-01", "not the part that a compiler moved away",
		  refused(&part), -EINVAL);
	EXPECT_EQ("K-RET-01", "behind a landing pad that is stepped over is an entry",
		  refused(&landing), T_PADS_STEPPED ? 0 : -EINVAL);
	EXPECT_EQ("K-RET-03", "by address", refused(&addr), 0);
#if T_IN_KERNEL
	{
		struct kretprobe blacklisted = {
			.kp.symbol_name = T_SWITCHES_STACK };

		EXPECT_EQ("K-RET-05", T_SWITCHES_STACK, refused(&blacklisted),
			  -EINVAL);
	}
#else
	{
		struct kretprobe blacklisted = {
			.kp.symbol_name = "_setjmp" };

		EXPECT_EQ("K-RET-05", "_setjmp returns twice",
			  refused(&blacklisted), -EINVAL);
	}
#endif
}

static void limits(void)
{
	struct kretprobe big = { .kp.symbol_name = "t_add", .data_size = 4097 };
	struct kretprobe max = { .kp.symbol_name = "t_add", .data_size = 4096,
				 .maxactive = 1 };
	struct kretprobe chosen = { .kp.symbol_name = "t_add",
				    .nmissed = 7, .maxactive = -1,
				    .kp.pre_handler = user_pre,
				    .kp.post_handler = t_post };
	struct kretprobe many = { .kp.symbol_name = "t_add",
				  .handler = handler, .maxactive = 20000 };
	struct kretprobe forbidden = { .kp.symbol_name = "t_marked",
				       .handler = handler };
	struct kprobe plain = { .symbol_name = "t_marked" };

	EXPECT_EQ("K-RET-06", "4097 bytes of data", refused(&big), -E2BIG);
	big.kp.offset = T_ADD_MOV;
	EXPECT_EQ("K-RET-15", "the address is checked before the size",
		  refused(&big), -EINVAL);
	EXPECT_EQ("K-RET-06", "4096 bytes of data", refused(&max), 0);
	EXPECT_EQ("K-RET-08", "as many as are asked for", refused(&many), 0);
	EXPECT_EQ("K-RET-11", "as a kprobe there", refused(&forbidden),
		  register_kprobe(&plain));
	forbidden.kp.addr = NULL;
	EXPECT_EQ("K-RET-11", "which is an error", refused(&forbidden), -EINVAL);
	EXPECT_EQ("K-RET-12", "no handlers at all",
		  register_kretprobe(&chosen), 0);
	EXPECT("K-RET-07", "maxactive shows the choice",
	       chosen.maxactive >= 10);
	EXPECT_EQ("K-RET-09", "nmissed starts at 0", chosen.nmissed, 0);
	EXPECT("K-RET-10", "kp's handlers are overwritten",
	       chosen.kp.pre_handler && chosen.kp.pre_handler != user_pre &&
	       !chosen.kp.post_handler);
	t_reset();
	EXPECT_EQ("K-RET-12", "the result", t_add(2, 3), 5);
	EXPECT_EQ("K-RET-10", "the user's post_handler is not called",
		  t_counts.post, 0);
	EXPECT_EQ("K-RET-04", "registered again",
		  register_kretprobe(&chosen), -EINVAL);
	chosen.handler = handler;
	EXPECT_EQ("K-RET-04", "the result", t_add(2, 3), 5);
	EXPECT_EQ("K-RET-04", "the first registration works", t_counts.post, 1);
	unregister_kretprobe(&chosen);
	EXPECT_EQ("K-RET-64", "nmissed afterwards", chosen.nmissed, 0);
}

static void batches(void)
{
	struct kretprobe a = { .kp.symbol_name = "t_add", .handler = handler };
	struct kretprobe b = { .kp.symbol_name = "t_first", .handler = handler };
	struct kretprobe bad = { .kp.symbol_name = "t_no_such" };
	struct kretprobe *good[] = { &a, &b }, *mixed[] = { &a, &bad, &b };
	struct kretprobe *twice[] = { &a, &a };

	EXPECT_EQ("K-REG-75", "none", register_kretprobes(NULL, 0), -EINVAL);
	EXPECT_EQ("K-REG-75", "two", register_kretprobes(good, 2), 0);
	t_reset();
	t_add(1, 1);
	t_first();
	EXPECT_EQ("K-REG-75", "both work", t_counts.post, 2);
	unregister_kretprobes(good, 2);
	t_add(1, 1);
	EXPECT_EQ("K-REG-75", "both are gone", t_counts.post, 2);
	a.kp.addr = b.kp.addr = NULL;
	a.kp.flags = b.kp.flags = 0;
	EXPECT_EQ("K-REG-75", "the second is bad", register_kretprobes(mixed, 3),
		  -ENOENT);
	EXPECT("K-REG-75", "the first was taken back", a.kp.addr &&
	       (a.kp.flags & KPROBE_FLAG_DISABLED));
	EXPECT("K-REG-75", "the third is untouched", !b.kp.addr);
	t_add(1, 1);
	EXPECT_EQ("K-REG-75", "nothing is called", t_counts.post, 2);
	a.kp.addr = NULL;
	a.kp.flags = 0;
	EXPECT_EQ("K-REG-75", "the same one twice",
		  register_kretprobes(twice, 2), -EINVAL);
	t_add(1, 1);
	EXPECT_EQ("K-REG-75", "nothing is called", t_counts.post, 2);
}

static void odd_unregistrations(void)
{
	struct kretprobe never = { .kp.addr = T_AT(t_add, 0) };
	struct kretprobe plain = { .kp.addr = T_AT(t_add, 0),
				   .handler = handler };

	unregister_kretprobe(&never);
	EXPECT("K-RET-65", "never registered: only loses its address",
	       !never.kp.addr);
	unregister_kretprobe(NULL);
	EXPECT_EQ("K-API-19", "registered as a kprobe",
		  register_kprobe(&plain.kp), 0);
	t_reset();
	EXPECT_EQ("K-API-19", "the result", t_add(1, 1), 2);
	EXPECT_EQ("K-API-19", "no return handler", t_counts.post, 0);
	unregister_kretprobe(&plain);
	EXPECT_EQ("K-API-19", "the result", t_add(1, 1), 2);
	plain.kp.addr = T_AT(t_add, 0);
	plain.kp.flags = 0;
	EXPECT_EQ("K-API-19", "registered as what it is",
		  register_kretprobe(&plain), 0);
	unregister_kprobe(&plain.kp);
	t_add(1, 1);
	EXPECT_EQ("K-API-19", "unregistered as a kprobe", t_counts.post, 0);
	plain.kp.flags = 0;
	EXPECT_EQ("K-API-19", "and once more registered",
		  register_kretprobe(&plain), 0);
	t_add(1, 1);
	EXPECT_EQ("K-API-19", "it works", t_counts.post, 1);
	unregister_kretprobe(&plain);
}

static void switching(void)
{
	struct kretprobe rp = { .kp.symbol_name = "t_add", .handler = handler,
				.kp.flags = KPROBE_FLAG_DISABLED };

	t_reset();
	EXPECT_EQ("K-RET-13", "registered disabled", register_kretprobe(&rp),
		  0);
	t_add(1, 1);
	EXPECT_EQ("K-RET-13", "is not called", t_counts.post, 0);
	EXPECT_EQ("K-EN-10", "enable", enable_kretprobe(&rp), 0);
	t_add(1, 1);
	EXPECT_EQ("K-EN-10", "is called", t_counts.post, 1);
	EXPECT_EQ("K-EN-10", "disable", disable_kretprobe(&rp), 0);
	t_add(1, 1);
	EXPECT_EQ("K-EN-10", "is not called", t_counts.post, 1);
	unregister_kretprobe(&rp);
	EXPECT_EQ("K-EN-10", "enable, not registered", enable_kretprobe(&rp),
		  -EINVAL);
}

/* ---- what the handlers see --------------------------------------------------- */

static struct {
	struct kretprobe_instance *ri;
	struct kretprobe *rp;
	void *task;
	struct pt_regs regs;
	unsigned long ret_addr, on_stack, accessor, arg;
	long data;
} at_entry, at_return;

static long decline, new_result;

static int see_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	long *data = (long *)ri->data;

	at_entry.ri = ri;
	at_entry.rp = ri->rp;
	at_entry.task = ri->task;
	at_entry.regs = *regs;
	at_entry.on_stack = t_caller_of(regs);
	at_entry.arg = t_held(regs, 0);
	at_entry.data = *data;
	*data = 4711;
	t_counts.pre++;
	return decline;
}

static int see_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	at_return.ri = ri;
	at_return.rp = get_kretprobe(ri);
	at_return.task = ri->task;
	at_return.regs = *regs;
	at_return.ret_addr = (unsigned long)ri->ret_addr;
	at_return.accessor = get_kretprobe_retaddr(ri);
	at_return.data = *(long *)ri->data;
	t_counts.post++;
	if (new_result) {
		t_set_result(regs, new_result);
		instruction_pointer_set(regs, 8);		/* has no effect */
	}
	return 99;			/* nor has this */
}

static struct kretprobe seeing = {
	.kp.symbol_name = "t_add",
	.handler = see_return,
	.entry_handler = see_entry,
	.data_size = sizeof(long),
	.maxactive = 1,
};

static void instances(void)
{
	t_reset();
	EXPECT_EQ("K-API-06", "register", register_kretprobe(&seeing), 0);
	EXPECT_EQ("K-RET-21", "the result", t_add(30, 12), 42);
	EXPECT("K-RET-21", "entry and return handler",
	       t_counts.pre == 1 && t_counts.post == 1);
	EXPECT("K-RET-38", "one instance", at_entry.ri == at_return.ri);
	EXPECT_EQ("K-RET-38", "data", at_return.data, 4711);
	EXPECT_EQ("K-RET-23", "data is zero at first", at_entry.data, 0);
	EXPECT("K-RET-29", "rp and task in both",
	       at_entry.rp == &seeing && at_return.rp == &seeing &&
	       at_entry.task && at_entry.task == at_return.task);
	EXPECT("K-API-07", "ret_addr and its accessor",
	       at_return.ret_addr == at_entry.on_stack &&
	       at_return.accessor == at_return.ret_addr);
	EXPECT_EQ("K-RET-30", "the result in the handler",
		  regs_return_value(&at_return.regs), 42);
	EXPECT_EQ("K-API-13", "regs_return_value",
		  regs_return_value(&at_return.regs), 42);
	EXPECT_EQ("K-RET-31", "ip is the return address", T_IP(at_return.regs),
		  T_CODE(at_entry.on_stack));
	EXPECT_EQ("K-RET-32", "sp", T_SP(at_return.regs) - T_SP(at_entry.regs), T_RETURN_POPS);
	EXPECT_EQ("K-RET-25", "arguments at entry", at_entry.arg, 30);
	new_result = -5;
	EXPECT_EQ("K-RET-30 K-RET-31 K-RET-33", "a changed result",
		  t_add(1, 1), -5);
	new_result = 0;
	EXPECT_EQ("K-RET-23", "data of the last call", at_entry.data, 4711);
	EXPECT_EQ("K-RET-27", "the instance was free again", seeing.nmissed, 0);
	decline = 1;
	t_counts.post = 0;
	EXPECT_EQ("K-RET-22", "the result", t_add(30, 12), 42);
	EXPECT("K-RET-22", "declined: no return handler, nothing missed",
	       !t_counts.post && !seeing.nmissed);
	decline = 0;
	t_add(1, 1);
	EXPECT_EQ("K-RET-22", "the instance came back", t_counts.post, 1);
	unregister_kretprobe(&seeing);
}

/* ---- from a stub to the real address ------------------------------------------ */

static unsigned long found[3];
static void *find_task;

static long find_inside(long a)
{
	struct llist_node *cursor = NULL;
	unsigned long *frame = (unsigned long *)a;

	found[0] = kretprobe_find_ret_addr(find_task, frame, &cursor);
	found[1] = kretprobe_find_ret_addr(find_task, frame - 1, &cursor);
	found[2] = is_kretprobe_trampoline(*frame);
	return 0;
}

static unsigned long seen_frame, seen_caller;

static int note_frame(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	seen_frame = user_stack_pointer(regs);
	seen_caller = t_caller_of(regs);
	find_task = ri->task;
	t_set_arg0(regs, user_stack_pointer(regs));
	return 0;
}

static void find_return_address(void)
{
	struct kretprobe rp = { .kp.symbol_name = "t_enter",
				.entry_handler = note_frame };

	register_kretprobe(&rp);
	inside = find_inside;
	EXPECT_EQ("K-RET-45", "the result", t_enter(0), 1000);
	inside = NULL;
	EXPECT("K-RET-45", "the real return address", found[0] &&
	       found[0] == seen_caller);
	EXPECT_EQ("K-RET-45", "no other", found[1], 0);
	EXPECT_EQ("K-RET-45", "the stack shows a stub", found[2],
		  T_RETURN_POPS != 0);
	EXPECT_EQ("K-RET-45", "no cursor",
		  kretprobe_find_ret_addr(find_task, &rp, NULL), 0);
	EXPECT("K-RET-45", "code is no stub",
	       !is_kretprobe_trampoline(seen_caller));
	unregister_kretprobe(&rp);
}

/* The engine's own part in it is not for probing. */
static void own_code(void)
{
	struct kretprobe whence = { .kp.symbol_name = "t_whence",
				    .handler = handler };
	struct kprobe stub = { .pre_handler = t_pre };
	struct kprobe common = {
		.symbol_name = T_IN_KERNEL ? "kprobes:kp_arch_return_entry"
					   : "libkprobes:kp_arch_return_entry",
		.pre_handler = t_pre };
	struct kprobe upcall = {
		.symbol_name = T_IN_KERNEL ? "kprobes:kp_core_on_return"
					   : "libkprobes:kp_core_on_return",
		.pre_handler = t_pre };
	int err;

	register_kretprobe(&whence);
	stub.addr = (kprobe_opcode_t *)t_whence();
	err = register_kprobe(&stub);
	EXPECT("K-RET-67", "a stub cannot be probed", err == -EINVAL ||
	       err == -ENOENT);
	unregister_kretprobe(&whence);
	EXPECT("K-RET-67", "nor what it calls", register_kprobe(&common));
	EXPECT("K-RET-67", "nor that in C", register_kprobe(&upcall));
}

static long stack_view;

static void registers(void)
{
	struct kretprobe quiet = { .kp.symbol_name = "t_quiet",
				   .handler = handler };
	struct kretprobe whence = { .kp.symbol_name = "t_whence",
				    .handler = handler };

	EXPECT_EQ("K-RET-34", "without a probe", t_caller(), 0);
	register_kretprobe(&quiet);
	t_reset();
	EXPECT_EQ("K-RET-34", "registers and flags", t_caller(), 0);
	EXPECT_EQ("K-RET-34", "the handler ran", t_counts.post, 1);
	unregister_kretprobe(&quiet);
	stack_view = t_whence();
	register_kretprobe(&whence);
	EXPECT("K-RET-43", "the raw stack shows a stub",
	       t_whence() != stack_view);
	unregister_kretprobe(&whence);
}

/* A return without a call is reported, and goes where the call would have. */
static void without_call(void)
{
	struct kretprobe rp = { .kp.symbol_name = "t_whence",
				.handler = handler };

	EXPECT_EQ("K-RET-46", "without a probe", t_again(), 2);
	t_reset();
	register_kretprobe(&rp);
	/* The report is expected: the kernel's log is searched for others. */
	t_print("KP-TRACE begin");
	EXPECT_EQ("K-RET-46", "a second return from one call", t_again(), 2);
	t_print("KP-TRACE end");
	EXPECT_EQ("K-RET-46", "the handler ran once", t_counts.post, 1);
	t_whence();
	EXPECT_EQ("K-RET-46", "the next call is an ordinary one",
		  t_counts.post, 2);
	unregister_kretprobe(&rp);
}

/* ---- several probes, recursion, tail calls ------------------------------------ */

static char order[32];
static unsigned long addresses[8];
static int order_len;

static void note(char c)
{
	if (order_len < (int)sizeof(order) - 1)
		order[order_len++] = c;
	order[order_len] = 0;
}

static struct kretprobe several[3];

static int note_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)regs;
	note((char)('a' + (ri->rp - several)));
	return 0;
}

static int note_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (order_len < 8)
		addresses[order_len] = instruction_pointer(regs) == T_CODE(ri->ret_addr)
				       ? instruction_pointer(regs) : 0;
	note((char)('A' + (ri->rp - several)));
	return 0;
}

static void start_several(const char *const *names)
{
	int i;

	memset(several, 0, sizeof(several));
	for (i = 0; i < 3; i++) {
		several[i].kp.symbol_name = names[i];
		several[i].entry_handler = note_entry;
		several[i].handler = note_return;
		several[i].maxactive = 4;
		EXPECT_EQ("K-RET-39", "register",
			  register_kretprobe(&several[i]), 0);
	}
	order_len = 0;
}

static void stop_several(void)
{
	int i;

	for (i = 0; i < 3; i++)
		unregister_kretprobe(&several[i]);
}

static void shared_calls(void)
{
	static const char *const same[] = { "t_add", "t_add", "t_add" };
	static const char *const tail[] = { "t_tail", "t_tail2", "t_tail2" };

	start_several(same);
	EXPECT_EQ("K-RET-39", "the result", t_add(1, 2), 3);
	EXPECT("K-RET-39", "newest first in, oldest first out",
	       !strcmp(order, "cbaABC"));
	EXPECT("K-RET-37", "all see the real return address",
	       addresses[3] && addresses[3] == addresses[4] &&
	       addresses[4] == addresses[5]);
	EXPECT_EQ("K-RET-39", "disable one", disable_kretprobe(&several[1]),
		  0);
	order_len = 0;
	t_add(1, 2);
	EXPECT("K-RET-39", "the others go on", !strcmp(order, "caAC"));
	stop_several();
	start_several(tail);
	EXPECT_EQ("K-RET-40", "a tail call's result", t_tail(3), 8);
	EXPECT("K-RET-40", "both functions return once",
	       !strcmp(order, "acbBCA"));
	EXPECT("K-RET-37", "the real address through a tail call",
	       addresses[3] && addresses[3] == addresses[4] &&
	       addresses[4] == addresses[5]);
	EXPECT_EQ("K-RET-40", "the inner one alone", t_tail2(3), 6);
	stop_several();
}

/* Return to the caller at once, with 77. */
static int skip_function(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	t_return_now(regs, 77);
	return 1;
}

static void suppressed(void)
{
	struct kretprobe rp = { .kp.symbol_name = "t_add", .handler = handler,
				.entry_handler = entry_handler };
	struct kprobe newer = { .symbol_name = "t_add",
				.pre_handler = skip_function };

	t_reset();
	register_kretprobe(&rp);
	register_kprobe(&newer);
	EXPECT_EQ("K-HIT-18", "the function is skipped", t_add(1, 2), 77);
	EXPECT("K-HIT-18", "the older return probe sees nothing",
	       !t_counts.pre && !t_counts.post);
	unregister_kprobe(&newer);
	EXPECT_EQ("K-HIT-18", "the function again", t_add(1, 2), 3);
	EXPECT_EQ("K-HIT-18", "the return probe again", t_counts.post, 1);
	unregister_kretprobe(&rp);
	/* Older than the return probe: the hooked address is taken. */
	newer.addr = rp.kp.addr = NULL;
	newer.flags = rp.kp.flags = 0;
	t_reset();
	register_kprobe(&newer);
	register_kretprobe(&rp);
	EXPECT_EQ("K-HIT-18", "skipped after the hook", t_add(1, 2), 77);
	EXPECT_EQ("K-HIT-18", "and the return is seen", t_counts.post, 1);
	unregister_kretprobe(&rp);
	unregister_kprobe(&newer);
}

static void mixed(void)
{
	struct kretprobe rp = { .kp.symbol_name = "t_add", .handler = handler };
	struct kprobe first = { .symbol_name = "t_add", .pre_handler = t_pre,
				.post_handler = t_post };

	t_reset();
	register_kprobe(&first);
	register_kretprobe(&rp);
	EXPECT_EQ("K-RET-41", "the result", t_add(4, 5), 9);
	EXPECT("K-RET-41", "pre, post and return", t_counts.pre == 1 &&
	       t_counts.post == 2);
	unregister_kprobe(&first);
	EXPECT_EQ("K-RET-41", "the result", t_add(4, 5), 9);
	EXPECT_EQ("K-RET-41", "the return probe alone", t_counts.post, 3);
	unregister_kretprobe(&rp);
}

static long depths[16];
static int depths_nr;

static int note_result(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	if (depths_nr < 16)
		depths[depths_nr++] = (long)regs_return_value(regs);
	return 0;
}

static void recursion(void)
{
	struct kretprobe capped = { .kp.symbol_name = "t_fact",
				    .handler = note_result, .maxactive = 2 };
	struct kretprobe open = { .kp.symbol_name = "t_fact",
				  .entry_handler = entry_handler,
				  .handler = handler };

	register_kretprobe(&capped);
	depths_nr = 0;
	EXPECT_EQ("K-RET-26", "the result", t_fact(5), 120);
	EXPECT("K-RET-26 K-RET-20", "2 of 6 calls",
	       depths_nr == 2 && capped.nmissed == 4);
	EXPECT("K-RET-40", "the outermost two, innermost first",
	       depths[0] == 24 && depths[1] == 120);
	EXPECT_EQ("K-RET-27", "a second round", t_fact(1), 1);
	EXPECT("K-RET-27", "both instances were free",
	       depths_nr == 4 && capped.nmissed == 4);
	unregister_kretprobe(&capped);
	EXPECT_EQ("K-RET-64", "nmissed afterwards", capped.nmissed, 4);
	t_reset();
	register_kretprobe(&open);
	t_fact(8);
	EXPECT("K-INV-03", "each entry has its return",
	       t_counts.pre == t_counts.post);
	EXPECT_EQ("K-INV-04", "entries and misses", t_counts.pre + open.nmissed +
		  (int)open.kp.nmissed, 9);
	EXPECT_EQ("K-RET-07", "no cap, no miss", open.nmissed, 0);
#if !T_IN_KERNEL
	t_reset();
	t_fact(5000);
	EXPECT("K-RET-07", "deep recursion without a miss",
	       t_counts.post == 5001 && !open.nmissed);
#endif
	unregister_kretprobe(&open);
}

/* ---- other probes in handlers -------------------------------------------------- */

static int calls_inner(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	t_counts.fault += (int)t_inner(1);
	return 0;
}

static void nested(void)
{
	struct kretprobe outer = { .kp.symbol_name = "t_add",
				   .entry_handler = calls_inner,
				   .handler = calls_inner };
	struct kprobe inner = { .symbol_name = "t_inner", .pre_handler = t_pre };
	struct kretprobe again = { .kp.symbol_name = "t_inner",
				   .handler = handler };

	t_reset();
	register_kretprobe(&outer);
	register_kprobe(&inner);
	register_kretprobe(&again);
	EXPECT_EQ("K-RET-36", "the result", t_add(1, 2), 3);
	EXPECT_EQ("K-RET-36", "the inner function ran", t_counts.fault, 4);
	EXPECT("K-RET-36 K-REE-03", "its probe missed both",
	       !t_counts.pre && inner.nmissed == 2);
	EXPECT("K-REE-06", "a return probe counts it in kp.nmissed",
	       again.kp.nmissed == 2 && !again.nmissed && !t_counts.post);
	EXPECT_EQ("K-REE-02", "the outer one missed nothing", outer.kp.nmissed,
		  0);
	unregister_kretprobe(&again);
	unregister_kprobe(&inner);
	unregister_kretprobe(&outer);
}

/* ---- calls in flight ------------------------------------------------------------- */

static int roles, is_inside, may_leave;
static struct kretprobe *flying;
static long flight_result;

static long wait_inside(long a)
{
	int ms = 0;

	__atomic_store_n(&is_inside, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&may_leave, __ATOMIC_SEQ_CST) && ms++ < T_PATIENCE_MS)
		t_sleep_ms(1);
	return a;
}

static void fly(void (*meanwhile)(void))
{
	int ms = 0;

	if (!__atomic_fetch_add(&roles, 1, __ATOMIC_SEQ_CST)) {
		flight_result = t_enter(5);
		return;
	}
	while (!__atomic_load_n(&is_inside, __ATOMIC_SEQ_CST) && ms++ < T_PATIENCE_MS)
		t_sleep_ms(1);
	meanwhile();
	__atomic_store_n(&may_leave, 1, __ATOMIC_SEQ_CST);
}

static void (*flight_job)(void);

static void flight(void *arg)
{
	(void)arg;
	fly(flight_job);
}

static void run_flight(void (*meanwhile)(void))
{
	roles = is_inside = may_leave = 0;
	flight_result = 0;
	flight_job = meanwhile;
	inside = wait_inside;
	t_threads(2, flight, NULL);
	inside = NULL;
}

static void do_unregister(void)
{
	unregister_kretprobe(flying);
	memset(flying, 0x5a, sizeof(*flying));
}

static void do_disable(void)
{
	EXPECT_EQ("K-RET-63", "disable", disable_kretprobe(flying), 0);
}

static void do_register(void)
{
	EXPECT_EQ("K-RET-51", "register", register_kretprobe(flying), 0);
}

static void do_nothing(void)
{
}

static void in_flight(void)
{
	struct kretprobe rp = { .kp.symbol_name = "t_enter",
				.handler = handler, .maxactive = 1 };

	flying = &rp;
	register_kretprobe(&rp);
	t_reset();
	run_flight(do_nothing);
	EXPECT("K-RET-40", "returns on the thread that called",
	       flight_result == 1005 && t_counts.post == 1);
	run_flight(do_disable);
	EXPECT("K-RET-63", "disabled in flight: the handler runs",
	       flight_result == 1005 && t_counts.post == 2);
	enable_kretprobe(&rp);
	run_flight(do_unregister);
	EXPECT_EQ("K-RET-60 K-RET-61", "unregistered in flight: returns",
		  flight_result, 1005);
	EXPECT_EQ("K-RET-61 K-RET-62", "and the handler does not run",
		  t_counts.post, 2);
	rp = (struct kretprobe){ .kp.symbol_name = "t_enter",
				 .handler = handler };
	run_flight(do_register);
	EXPECT("K-RET-51", "registered in flight: that call is not concerned",
	       flight_result == 1005 && t_counts.post == 2);
	t_enter(1);
	EXPECT_EQ("K-RET-51", "the next one is", t_counts.post, 3);
	unregister_kretprobe(&rp);
}

/* ---- many threads ------------------------------------------------------------------ */

#define ROUNDS 2000
static int entries, returns, wrong;

static int count_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	*(unsigned long *)ri->data = t_arg(regs, 0);
	__atomic_fetch_add(&entries, 1, __ATOMIC_RELAXED);
	return 0;
}

static int count_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (regs_return_value(regs) != *(unsigned long *)ri->data * 2)
		__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&returns, 1, __ATOMIC_RELAXED);
	return 0;
}

static void call_many(void *arg)
{
	long i;

	for (i = 0; i < ROUNDS; i++)
		if (t_tail2(i) != 2 * i)
			__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
	(void)arg;
}

static void concurrent(int maxactive)
{
	struct kretprobe rp = { .kp.symbol_name = "t_tail2",
				.entry_handler = count_entry,
				.handler = count_return,
				.data_size = sizeof(long),
				.maxactive = maxactive };

	entries = returns = wrong = 0;
	register_kretprobe(&rp);
	t_threads(4, call_many, NULL);
	unregister_kretprobe(&rp);
	EXPECT_EQ("K-INV-04", "every entry is accounted for",
		  entries + rp.nmissed + (long)rp.kp.nmissed, 4 * ROUNDS);
	EXPECT_EQ("K-INV-03", "entries and returns", returns, entries);
	EXPECT_EQ("K-RET-38", "wrong results", wrong, 0);
}

static void churn(void)
{
	struct kretprobe rp;
	int i, bad = 0;

	for (i = 0; i < 100; i++) {
		rp = (struct kretprobe){ .kp.symbol_name = "t_add",
					 .handler = handler };
		bad += register_kretprobe(&rp) != 0;
		bad += t_add(i, 1) != i + 1;
		unregister_kretprobe(&rp);
	}
	EXPECT_EQ("K-INV-06", "a hundred registrations", bad, 0);
}

#if T_IN_KERNEL
/* ---- what only a kernel has ---------------------------------------------------------- */

static int entry_irqs_off, return_irqs_off, return_preemptible;

static int look_at_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	entry_irqs_off = !!irqs_disabled();
	return 0;
}

static int look_at_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return_irqs_off = irqs_disabled();
	return_preemptible = preemptible();
	return 0;
}

static void contexts(void)
{
	struct kretprobe rp = { .kp.symbol_name = "t_add",
				.entry_handler = look_at_entry,
				.handler = look_at_return };

	register_kretprobe(&rp);
	t_add(1, 2);
	EXPECT_EQ("K-RET-24", "interrupts are off in the entry handler",
		  entry_irqs_off, 1);
	EXPECT("K-RET-35", "and on in the return handler, preemption off",
	       !return_irqs_off && !return_preemptible);
	unregister_kretprobe(&rp);
}

static struct completion exited;

static long exit_inside(long a)
{
	kthread_complete_and_exit(&exited, 0);
	return a;
}

static int exiting_thread(void *unused)
{
	t_enter(1);
	return 0;
}

/* A task ends inside: its instance comes back when it is reaped. */
static void task_exit(void)
{
	struct kretprobe rp = { .kp.symbol_name = "t_enter",
				.handler = handler, .maxactive = 1 };
	int tries = 100;

	t_reset();
	register_kretprobe(&rp);
	init_completion(&exited);
	inside = exit_inside;
	if (!IS_ERR(kthread_run(exiting_thread, NULL, "kp-exit")))
		wait_for_completion(&exited);
	inside = NULL;
	do {
		t_sleep_ms(10);
		t_enter(1);
	} while (!t_counts.post && --tries);
	EXPECT_EQ("K-RET-48", "the next call is watched", t_counts.post, 1);
	EXPECT_EQ("K-RET-48", "one instance was taken back", rp.nstale, 1);
	unregister_kretprobe(&rp);
}
#endif

void t_returns(void)
{
	bad_addresses();
	limits();
	batches();
	odd_unregistrations();
	switching();
	instances();
	registers();
	without_call();
	own_code();
	find_return_address();
#if T_IN_KERNEL
	contexts();
	task_exit();
#endif
	shared_calls();
	suppressed();
	mixed();
	recursion();
	nested();
	in_flight();
	concurrent(1);
	concurrent(0);
	churn();
}
