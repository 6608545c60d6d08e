/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * api.c - K-API: names, types and values of the header, and what every call
 * promises whatever it does.
 */
#include "harness.h"
#include <kprobes/control.h>

extern unsigned long t_only_header_ip;
int t_only_header_pre(struct kprobe *p, struct pt_regs *regs);

#define SAME_TYPE(a, b) __builtin_types_compatible_p(a, b)
#define FIELD_IS(type, field, want)					\
	SAME_TYPE(__typeof__(((type *)0)->field), want)

/* The documented calls with their types; used, not only named. */
static int (*const register_one)(struct kprobe *) = register_kprobe;
static void (*const unregister_one)(struct kprobe *) = unregister_kprobe;
static int (*const register_many)(struct kprobe **, int) = register_kprobes;
static void (*const unregister_many)(struct kprobe **, int) =
	unregister_kprobes;
static int (*const enable_one)(struct kprobe *) = enable_kprobe;
static int (*const disable_one)(struct kprobe *) = disable_kprobe;
static int (*const register_ret)(struct kretprobe *) = register_kretprobe;
static void (*const unregister_ret)(struct kretprobe *) = unregister_kretprobe;
static int (*const register_rets)(struct kretprobe **, int) =
	register_kretprobes;
static void (*const unregister_rets)(struct kretprobe **, int) =
	unregister_kretprobes;
static int (*const enable_ret)(struct kretprobe *) = enable_kretprobe;
static int (*const disable_ret)(struct kretprobe *) = disable_kretprobe;

static void functions(void)
{
	struct kprobe p = { .symbol_name = "t_add", .pre_handler = t_pre };
	struct kretprobe r = { .kp.symbol_name = "t_inner" };
	struct kprobe *ps[] = { &p };
	struct kretprobe *rs[] = { &r };
	int err = register_one(&p);

	err |= disable_one(&p);
	err |= enable_one(&p);
	t_reset();
	t_add(1, 2);
	unregister_one(&p);
	EXPECT("K-API-01", "kprobe calls", !err && t_counts.pre == 1);
	p.addr = NULL;
	p.flags = 0;
	err = register_many(ps, 1);
	unregister_many(ps, 1);
	EXPECT_EQ("K-API-01", "kprobe batch calls", err, 0);
	err = register_ret(&r);
	err |= disable_ret(&r);
	err |= enable_ret(&r);
	unregister_ret(&r);
	EXPECT_EQ("K-API-01", "kretprobe calls", err, 0);
	r.kp.addr = NULL;
	r.kp.flags = 0;
	err = register_rets(rs, 1);
	unregister_rets(rs, 1);
	EXPECT_EQ("K-API-01", "kretprobe batch calls", err, 0);
	if (T_IN_KERNEL)
		EXPECT("K-API-15", "all of them from another module",
		       register_one && unregister_one && register_many &&
		       unregister_many && enable_one && disable_one);
}

static void header_alone(void)
{
	struct kprobe p = { .symbol_name = "t_after",
			    .pre_handler = t_only_header_pre };

	t_only_header_ip = 0;
	t_register(&p);
	t_after();
	EXPECT("K-API-03", "a handler that includes only linux/kprobes.h",
	       t_only_header_ip == T_PRE_IP(t_after));
	unregister_kprobe(&p);
}

static void fields(void)
{
	static struct kprobe zero;

	EXPECT("K-API-04", "struct kprobe's fields",
	       FIELD_IS(struct kprobe, addr, kprobe_opcode_t *) &&
	       FIELD_IS(struct kprobe, symbol_name, const char *) &&
	       FIELD_IS(struct kprobe, offset, unsigned int) &&
	       FIELD_IS(struct kprobe, flags, u32) &&
	       FIELD_IS(struct kprobe, nmissed, unsigned long) &&
	       FIELD_IS(struct kprobe, opcode, kprobe_opcode_t) &&
	       FIELD_IS(struct kprobe, list, struct list_head) &&
	       FIELD_IS(struct kprobe, hlist, struct hlist_node) &&
	       FIELD_IS(struct kprobe, ainsn, struct arch_specific_insn));
	EXPECT("K-API-04", "its handlers",
	       FIELD_IS(struct kprobe, pre_handler, kprobe_pre_handler_t) &&
	       FIELD_IS(struct kprobe, post_handler, kprobe_post_handler_t) &&
	       FIELD_IS(struct kprobe, fault_handler, kprobe_fault_handler_t) &&
	       FIELD_IS(struct kprobe, break_handler, kprobe_break_handler_t));
	zero.symbol_name = "t_add";
	EXPECT_EQ("K-API-04", "the others may be zero", t_register(&zero), 0);
	unregister_kprobe(&zero);
	EXPECT("K-API-06", "struct kretprobe's fields",
	       FIELD_IS(struct kretprobe, kp, struct kprobe) &&
	       FIELD_IS(struct kretprobe, handler, kretprobe_handler_t) &&
	       FIELD_IS(struct kretprobe, entry_handler, kretprobe_handler_t) &&
	       FIELD_IS(struct kretprobe, maxactive, int) &&
	       FIELD_IS(struct kretprobe, nmissed, int) &&
	       FIELD_IS(struct kretprobe, data_size, size_t));
}

static void types(void)
{
	kprobe_opcode_t *at = T_AT(t_add, 0);

	EXPECT("K-API-08", "handler types",
	       SAME_TYPE(kprobe_pre_handler_t,
			 int (*)(struct kprobe *, struct pt_regs *)) &&
	       SAME_TYPE(kprobe_post_handler_t,
			 void (*)(struct kprobe *, struct pt_regs *,
				  unsigned long)) &&
	       SAME_TYPE(kprobe_fault_handler_t,
			 int (*)(struct kprobe *, struct pt_regs *, int)) &&
	       SAME_TYPE(kprobe_break_handler_t,
			 int (*)(struct kprobe *, struct pt_regs *)) &&
	       SAME_TYPE(kretprobe_handler_t,
			 int (*)(struct kretprobe_instance *,
				 struct pt_regs *)));
	EXPECT("K-API-12", "an opcode is as the kernel has it",
	       sizeof(kprobe_opcode_t) == T_OPCODE_LEN &&
	       (unsigned long)(at + 2) == T_CODE(t_add) + 2 * T_OPCODE_LEN);
}

static void flags_and_predicates(void)
{
	struct kprobe p = { .flags = 0 };
	int i, bad = 0;

	EXPECT("K-API-09", "flag values",
	       KPROBE_FLAG_GONE == 1 && KPROBE_FLAG_DISABLED == 2 &&
	       KPROBE_FLAG_OPTIMIZED == 4 && KPROBE_FLAG_FTRACE == 8 &&
	       KPROBE_FLAG_ON_FUNC_ENTRY == 16);
	for (i = 0; i < 32; i++) {
		p.flags = (u32)i;
		bad += !!kprobe_gone(&p) != !!(i & 1);
		bad += !!kprobe_disabled(&p) != !!(i & 3);
		bad += !!kprobe_optimized(&p) != !!(i & 4);
		bad += !!kprobe_ftrace(&p) != !!(i & 8);
	}
	EXPECT_EQ("K-API-10", "predicates over all flags", bad, 0);
}

/* ---- return probes: what the instance says -------------------------------- */

static struct {
	struct kretprobe_instance *entry;
	kprobe_opcode_t *ret_addr;
	unsigned long accessor;
	struct kretprobe *rp, *rp_accessor;
	void *task, *entry_task;
	long data, value;
	int returns;
	bool same, aligned;
} seen;

static int on_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)regs;
	seen.entry = ri;
	seen.entry_task = ri->task;
	*(long *)(void *)ri->data = 4711;
	return 0;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	seen.returns++;
	seen.same = ri == seen.entry;
	seen.ret_addr = ri->ret_addr;
	seen.accessor = get_kretprobe_retaddr(ri);
	seen.rp = ri->rp;
	seen.rp_accessor = get_kretprobe(ri);
	seen.task = ri->task;
	seen.data = *(long *)(void *)ri->data;
	seen.aligned = !((unsigned long)ri->data % sizeof(long));
	seen.value = (long)regs_return_value(regs);
	return 0;
}

static void instances(void)
{
	struct kretprobe rp = { .kp.symbol_name = "t_add",
				.handler = on_return,
				.entry_handler = on_entry,
				.data_size = sizeof(long) };
	struct pt_regs regs = T_REGS_RETURNING(77);

	memset(&seen, 0, sizeof(seen));
	EXPECT_EQ("K-API-07", "register", register_kretprobe(&rp), 0);
	EXPECT_EQ("K-API-07", "the function works", t_add(40, 2), 42);
	EXPECT("K-API-07", "ret_addr is in the caller",
	       (unsigned long)seen.ret_addr - (unsigned long)instances < 4096);
	EXPECT("K-API-07", "rp", seen.rp == &rp);
	EXPECT("K-API-07", "task", seen.task && seen.task == seen.entry_task);
	EXPECT("K-API-07", "data goes from the entry to the return",
	       seen.same && seen.aligned && seen.data == 4711);
	EXPECT("K-API-07", "both accessors",
	       seen.accessor == (unsigned long)seen.ret_addr &&
	       seen.rp_accessor == &rp);
	EXPECT_EQ("K-API-13", "regs_return_value in a return handler",
		  seen.value, 42);
	EXPECT_EQ("K-API-13", "regs_return_value is ax",
		  regs_return_value(&regs), 77);
	unregister_kretprobe(&rp);
	t_add(1, 1);
	EXPECT_EQ("K-API-07", "one return handler", seen.returns, 1);
}

/* ---- markers ---------------------------------------------------------------- */

static nokprobe_inline int doubled(int a)
{
	return 2 * a;
}

static __attribute__((__noinline__, __noclone__)) int marked(int a)
{
	__asm__ volatile("");
	return doubled(a) + 1;
}
NOKPROBE_SYMBOL(marked);

static int __kprobes __attribute__((__noinline__, __noclone__)) placed(int a)
{
	__asm__ volatile("");
	return doubled(a) + 2;
}

static void markers(void)
{
	struct kprobe p = { .addr = T_AT(marked, 0) };

	EXPECT_EQ("K-API-14", "NOKPROBE_SYMBOL", register_kprobe(&p), -EINVAL);
	p = (struct kprobe){ .addr = T_AT(placed, 0) };
	EXPECT_EQ("K-API-14", "__kprobes", register_kprobe(&p), -EINVAL);
	unregister_kprobe(&p);
	EXPECT("K-API-14", "marked functions and nokprobe_inline work",
	       marked(3) == 7 && placed(3) == 8);
}

/* ---- calls from where they must not come ------------------------------------ */

static int from_handler[6];
static struct kprobe other = { .symbol_name = "t_inner2" };

static int pre_api(struct kprobe *p, struct pt_regs *regs)
{
	struct kprobe *others[] = { &other };
	struct kretprobe rp = { .kp.symbol_name = "t_inner2" };

	(void)regs;
	from_handler[0] = register_kprobe(&other);
	from_handler[1] = disable_kprobe(p);
	from_handler[2] = enable_kprobe(p);
	from_handler[3] = register_kprobes(others, 1);
	from_handler[4] = register_kretprobe(&rp);
	unregister_kprobe(p);
	t_counts.pre++;
	return 0;
}

static void api_from_a_handler(void)
{
	struct kprobe p = { .symbol_name = "t_add", .pre_handler = pre_api };
	int i, refused = 0;

	t_register(&p);
	t_reset();
	EXPECT_EQ("K-API-17", "the function works", t_add(1, 1), 2);
	for (i = 0; i < 5; i++)
		refused += from_handler[i] == -EDEADLK;
	EXPECT_EQ("K-API-17", "registration calls are refused in a handler",
		  refused, 5);
	t_add(1, 1);
	EXPECT("K-API-17", "unregister is ignored there",
	       t_counts.pre == 2 && p.addr == T_AT(t_add, 0));
	unregister_kprobe(&p);
	EXPECT_EQ("K-API-17", "outside all is well", t_text(t_add), T_ADD_FIRST);
}

/* While a line is shown, the registry lock is held by this very thread. */
static long under_lock;

static void hit_under_lock(void *arg, const char *line, size_t len)
{
	(void)arg;
	(void)line;
	(void)len;
	under_lock = t_add(20, 3);
}

static void hit_needs_no_lock(void)
{
	struct kprobe p = { .symbol_name = "t_add", .pre_handler = t_pre,
			    .post_handler = t_post };

	t_register(&p);
	t_reset();
	under_lock = 0;
	kprobes_list(hit_under_lock, NULL);
	EXPECT("K-API-18", "a hit while this thread holds the registry lock",
	       under_lock == 23 && t_counts.pre == 1 && t_counts.post == 1);
	unregister_kprobe(&p);
}

void t_api(void)
{
	functions();
	header_alone();
	fields();
	types();
	flags_and_predicates();
	instances();
	markers();
	api_from_a_handler();
	hit_needs_no_lock();
}
