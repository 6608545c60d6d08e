// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * rules_ftrace.c - probes at ftrace sites: K-FTR, K-REG-30, K-EN-09, K-KNB-27.
 *
 * Owns: traced functions, and an ftrace user of its own beside the engine.
 */
#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <kprobes/control.h>
#include "rules.h"
#include "targets.h"

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS

#define SITE_LEN 5

static noinline __attribute__((noipa)) long traced(long a)
{
	barrier();
	return a * 3 + 1;
}

static noinline __attribute__((noipa)) long instead(long a)
{
	barrier();
	return a + 1000;
}

static noinline __attribute__((noipa)) long other(long a)
{
	barrier();
	return a + 2;
}

/* ---- handlers that count ------------------------------------------------- */

static int pre_nr, post_nr, order[4];
static unsigned long pre_ip, post_ip, pre_sp;
static struct kprobe *who;

static int pre(struct kprobe *p, struct pt_regs *regs)
{
	order[pre_nr % 4] = p->flags & KPROBE_FLAG_FTRACE;
	pre_nr++;
	pre_ip = regs->ip;
	pre_sp = regs->sp;
	who = p;
	return 0;
}

static void post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	post_nr++;
	post_ip = regs->ip;
}

static int pre_elsewhere(struct kprobe *p, struct pt_regs *regs)
{
	pre_nr++;
	regs->ip = (unsigned long)instead;
	return 1;
}

static int pre_nowhere(struct kprobe *p, struct pt_regs *regs)
{
	pre_nr++;
	return 1;
}

static int pre_calls(struct kprobe *p, struct pt_regs *regs)
{
	pre_nr++;
	traced(1);
	other(1);
	return 0;
}

static void reset(void)
{
	pre_nr = post_nr = 0;
	pre_ip = post_ip = 0;
}

/* Where its site is. */
static u8 *traced_site(void)
{
	return (u8 *)traced + landing_pad((void *)traced);
}

static void bytes_at(const u8 *from, u8 *bytes)
{
	if (copy_from_kernel_nofault(bytes, from, SITE_LEN))
		memset(bytes, 0, SITE_LEN);
}

/* ---- what the list says -------------------------------------------------- */

static const char *wanted;
static int found;

static void look(void *arg, const char *line, size_t len)
{
	found += strstr(line, wanted) && strstr(line, "[FTRACE]\n");
}

static int listed(const char *want)
{
	wanted = want;
	found = 0;
	kprobes_list(look, NULL);
	return found;
}

static int listed_traced(const char *rest)
{
	static char line[64];

	snprintf(line, sizeof(line), "traced+0x%lx%s",
		 (unsigned long)(traced_site() - (u8 *)traced), rest);
	return listed(line);
}

/* ---- another user of ftrace ---------------------------------------------- */

static int traced_nr;

static void on_trace(unsigned long ip, unsigned long parent_ip,
		     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	traced_nr++;
}

static struct ftrace_ops tracer = { .func = on_trace };
static struct ftrace_ops redirector = {
	.func = on_trace,
	.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY,
};

static int user_start(struct ftrace_ops *ops)
{
	int err = ftrace_set_filter_ip(ops, (unsigned long)traced, 0, 1);

	return err ? err : register_ftrace_function(ops);
}

static void user_stop(struct ftrace_ops *ops)
{
	unregister_ftrace_function(ops);
}

/* For good: an ops whose filter was freed is of no use.  Not exported in 5.10. */
static void forget(struct ftrace_ops *ops)
{
	void (*free_filter)(struct ftrace_ops *ops) =
		(void *)where_is("ftrace_free_filter");

	if (free_filter)
		free_filter(ops);
}

/* ---- rules --------------------------------------------------------------- */

static void the_site(void)
{
	struct kprobe p = { .symbol_name = "traced", .pre_handler = pre };
	struct kprobe next = { .addr = traced_site() + SITE_LEN,
			       .pre_handler = pre };
	u8 before[SITE_LEN], now[SITE_LEN];
	int off;

	bytes_at(traced_site(), before);
	p.symbol_name = "kp_rules:traced";
	expect_eq("K-REG-30 K-FTR-01", "an ftrace site can be probed",
		  register_kprobe(&p), 0);
	expect("K-FTR-01", "flagged", kprobe_ftrace(&p));
	expect("K-FTR-01", "no slot, no opcode", !p.ainsn.insn && !p.opcode);
	bytes_at(traced_site(), now);
	expect("K-FTR-01", "no breakpoint, but ftrace's call", now[0] == 0xe8);
	expect_eq("K-FTR-01", "listed", listed_traced("  kp_rules"), 1);
	kprobes_flush();
	expect_eq("K-OPT-19", "and never [OPTIMIZED]",
		  listed_traced("  kp_rules [FTRACE]"), 1);
	reset();
	expect_eq("K-FTR-01", "the result", traced(5), 16);
	expect_eq("K-FTR-01", "one hit", pre_nr, 1);
	for (off = 1; off < SITE_LEN; off++)
		expect_eq("K-FTR-02", "inside the site",
			  try_at((unsigned long)traced_site() + off), -EILSEQ);
	expect_eq("K-FTR-02", "the next instruction", register_kprobe(&next), 0);
	expect("K-FTR-02", "is an ordinary one",
	       !kprobe_ftrace(&next) && next.ainsn.insn);
	reset();
	expect_eq("K-FTR-02", "the result", traced(5), 16);
	expect_eq("K-FTR-02", "both are hit", pre_nr, 2);
	unregister_kprobe(&next);
	unregister_kprobe(&p);
	bytes_at(traced_site(), now);
	expect("K-INV-05", "the site is as before",
	       !memcmp(before, now, SITE_LEN));
	for (off = 1; off < SITE_LEN; off++)
		expect_eq("K-FTR-02", "inside an unused site",
			  try_at((unsigned long)traced_site() + off), -EILSEQ);
}

static void addresses(void)
{
	struct kprobe p = { .addr = (kprobe_opcode_t *)traced,
			    .pre_handler = pre, .post_handler = post };
	struct kprobe q = { .addr = (kprobe_opcode_t *)traced,
			    .pre_handler = pre_elsewhere };
	struct kprobe r = { .addr = (kprobe_opcode_t *)traced,
			    .pre_handler = pre_nowhere };
	unsigned long sp;

	expect_eq("K-FTR-03", "with a post handler", register_kprobe(&p), 0);
	reset();
	sp = (unsigned long)__builtin_frame_address(0);
	expect_eq("K-FTR-03", "the result", traced(2), 7);
	expect_eq("K-FTR-03", "ip before", pre_ip,
		  (unsigned long)traced_site() + 1);
	expect_eq("K-FTR-03", "ip after", post_ip,
		  (unsigned long)traced_site() + SITE_LEN);
	expect("K-FTR-03", "sp as at the entry", sp - pre_sp < 512);
	expect("K-FTR-03", "one each", pre_nr == 1 && post_nr == 1);
	expect_eq("K-FTR-04", "register", register_kprobe(&q), 0);
	reset();
	expect_eq("K-FTR-04", "goes where the handler says", traced(2), 1002);
	expect("K-FTR-04", "the older probe is skipped",
	       pre_nr == 1 && !post_nr);
	unregister_kprobe(&q);
	expect_eq("K-FTR-04", "register", register_kprobe(&r), 0);
	expect_eq("K-FTR-04", "or on, when it does not say", traced(2), 7);
	unregister_kprobe(&r);
	unregister_kprobe(&p);
}

/* K-FTR-05, K-EN-09: the right to redirect belongs to one. */
static void conflicts(void)
{
	struct kprobe p = { .addr = (kprobe_opcode_t *)traced,
			    .pre_handler = pre };
	struct kprobe q = { .addr = (kprobe_opcode_t *)traced,
			    .pre_handler = pre, .post_handler = post };
	struct kprobe r = { .addr = (kprobe_opcode_t *)other,
			    .pre_handler = pre, .post_handler = post };

	expect_eq("K-FTR-05", "somebody redirects", user_start(&redirector), 0);
	expect_eq("K-FTR-05", "a post handler is refused", register_kprobe(&q),
		  -EBUSY);
	expect("K-FTR-05", "with a reason", q.reason);
	expect_eq("K-FTR-05", "and not registered", disable_kprobe(&q), -EINVAL);
	q.flags = 0;
	expect_eq("K-FTR-05", "a batch of it and another one",
		  register_kprobes((struct kprobe *[]){ &r, &q }, 2), -EBUSY);
	expect_eq("K-FTR-05", "is undone", disable_kprobe(&r), -EINVAL);
	q.flags = r.flags = 0;
	expect_eq("K-FTR-05", "others are not", register_kprobe(&p), 0);
	reset();
	traced_nr = 0;
	expect_eq("K-FTR-05", "the result", traced(2), 7);
	expect("K-FTR-05", "both are called", pre_nr == 1 && traced_nr == 1);
	expect_eq("K-FTR-05", "nor may one join", register_kprobe(&q), -EBUSY);
	reset();
	traced(2);
	expect("K-FTR-05", "the other one is still called", pre_nr == 1);
	q.flags = KPROBE_FLAG_DISABLED;
	expect_eq("K-EN-09", "a disabled one may", register_kprobe(&q), 0);
	expect_eq("K-EN-09", "but not be enabled", enable_kprobe(&q), -EBUSY);
	expect("K-EN-09", "it stays disabled", kprobe_disabled(&q));
	reset();
	traced(2);
	expect("K-EN-09", "the other one works", pre_nr == 1 && !post_nr);
	user_stop(&redirector);
	expect_eq("K-EN-09", "afterwards it can be", enable_kprobe(&q), 0);
	reset();
	traced(2);
	expect("K-FTR-05", "one hit each, once", pre_nr == 2 && post_nr == 1);
	expect_eq("K-FTR-05", "now we have the right", user_start(&redirector),
		  -EBUSY);
	unregister_kprobe(&p);
	reset();
	traced(2);
	expect("K-FTR-05", "the joined one alone", pre_nr == 1 && post_nr == 1);
	unregister_kprobe(&q);
	expect_eq("K-FTR-05", "given back", user_start(&redirector), 0);
	user_stop(&redirector);
}

/* ---- refused while it is hit --------------------------------------------- */

struct refused {
	struct kprobe kp;
	bool over;		/* register_kprobe has returned */
};
static atomic_t refused_nr, refused_inside, refused_late;

static int refused_pre(struct kprobe *p, struct pt_regs *regs)
{
	atomic_inc(&refused_inside);
	atomic_inc(&refused_nr);
	if (READ_ONCE(container_of(p, struct refused, kp)->over))
		atomic_inc(&refused_late);
	udelay(20);
	atomic_dec(&refused_inside);
	return 0;
}

static int call_traced(void *unused)
{
	int i;

	while (!kthread_should_stop()) {
		for (i = 0; i < 100; i++)
			traced(2);
		/* ftrace waits until each task has slept. */
		usleep_range(20, 50);
	}
	return 0;
}

/*
 * At a site that is armed already a probe may be hit before somebody else's hook makes
 * it fail; never afterwards, so whoever registered it may free it.
 */
static void refused_while_hit(void)
{
	struct kprobe p = { .addr = (kprobe_opcode_t *)traced, .pre_handler = pre };
	struct task_struct *caller = kthread_run(call_traced, NULL, "kp-refused");
	int i, taken = 0, inside = 0;

	expect("K-FTR-05", "somebody calls the function", !IS_ERR(caller));
	expect_eq("K-FTR-05", "somebody redirects", user_start(&redirector), 0);
	expect_eq("K-FTR-05", "others are not refused", register_kprobe(&p), 0);
	for (i = 0; i < 20 || (i < 200 && !atomic_read(&refused_nr)); i++) {
		struct refused *q = kzalloc(sizeof(*q), GFP_KERNEL);

		if (!q)
			break;
		q->kp.addr = (kprobe_opcode_t *)traced;
		q->kp.pre_handler = refused_pre;
		q->kp.post_handler = post;
		taken += register_kprobe(&q->kp) != -EBUSY;
		WRITE_ONCE(q->over, true);
		inside += atomic_read(&refused_inside) != 0;
		cond_resched();
		inside += atomic_read(&refused_inside) != 0;
		kfree(q);
	}
	pr_info("kp_rules: of %d refused probes, %d hits\n", i, atomic_read(&refused_nr));
	expect("K-FTR-05", "each is refused while it is hit", i >= 20 && !taken);
	expect("K-FTR-05", "and has no hit when it has been",
	       !inside && !atomic_read(&refused_late));
	unregister_kprobe(&p);
	user_stop(&redirector);
	if (!IS_ERR(caller))
		kthread_stop(caller);
}

/* All probes are switched on, but one cannot follow. */
static void switched_partly(void)
{
	struct kprobe p = { .addr = (kprobe_opcode_t *)traced,
			    .post_handler = post };
	struct kprobe q = { .addr = (kprobe_opcode_t *)other,
			    .pre_handler = pre };

	expect_eq("K-KNB-27", "two probes",
		  register_kprobes((struct kprobe *[]){ &p, &q }, 2), 0);
	expect_eq("K-KNB-27", "off", kprobes_set_enabled(false), 0);
	expect_eq("K-KNB-27", "somebody redirects", user_start(&redirector), 0);
	expect_eq("K-KNB-27", "one of two cannot be armed: its errno",
		  kprobes_set_enabled(true), -EBUSY);
	expect("K-KNB-27", "it is on all the same", kprobes_is_enabled());
	reset();
	traced(1);
	other(1);
	expect("K-KNB-27", "the other one is hit", pre_nr == 1 && !post_nr);
	user_stop(&redirector);
	kprobes_set_enabled(false);
	expect_eq("K-KNB-27", "later all are armed", kprobes_set_enabled(true),
		  0);
	traced(1);
	expect_eq("K-KNB-27", "and hit", post_nr, 1);
	unregister_kprobes((struct kprobe *[]){ &p, &q }, 2);
}

static void together(void)
{
	struct kprobe p = { .addr = (kprobe_opcode_t *)traced,
			    .pre_handler = pre };

	expect_eq("K-FTR-06", "a tracer", user_start(&tracer), 0);
	expect_eq("K-FTR-06", "a probe", register_kprobe(&p), 0);
	reset();
	traced_nr = 0;
	traced(1);
	expect("K-FTR-06", "both see the call", pre_nr == 1 && traced_nr == 1);
	user_stop(&tracer);
	traced(1);
	expect("K-FTR-06", "the tracer ends", pre_nr == 2 && traced_nr == 1);
	expect_eq("K-FTR-06", "and begins", user_start(&tracer), 0);
	unregister_kprobe(&p);
	traced(1);
	expect("K-FTR-06", "the probe ends", pre_nr == 2 && traced_nr == 2);
	user_stop(&tracer);
	expect_eq("K-FTR-06", "nothing is left", traced(1), 4);
}

static void recursion(void)
{
	struct kprobe p = { .addr = (kprobe_opcode_t *)traced,
			    .pre_handler = pre_calls };
	struct kprobe q = { .addr = (kprobe_opcode_t *)traced,
			    .pre_handler = pre };
	struct kprobe r = { .addr = (kprobe_opcode_t *)other,
			    .pre_handler = pre };

	register_kprobe(&p);
	register_kprobe(&q);
	register_kprobe(&r);
	reset();
	expect_eq("K-FTR-07", "the result", traced(5), 16);
	expect_eq("K-FTR-07", "the outer hit", pre_nr, 2);
	expect("K-FTR-07", "all children missed the inner one",
	       p.nmissed == 1 && q.nmissed == 1 && r.nmissed == 1);
	unregister_kprobes((struct kprobe *[]){ &p, &q, &r }, 3);
}

/* ---- the other probe types, switches ------------------------------------- */

static int entry_nr, return_nr, jprobe_nr;
static long seen_arg, seen_value;

static int on_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	entry_nr++;
	return 0;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return_nr++;
	seen_value = regs_return_value(regs);
	return 0;
}

static long on_jprobe(long a)
{
	jprobe_nr++;
	seen_arg = a;
	jprobe_return();
	return 0;
}

static void types(void)
{
	struct kretprobe rp = { .kp.addr = (kprobe_opcode_t *)traced,
				.handler = on_return,
				.entry_handler = on_entry };
	struct jprobe jp = { .kp.addr = (kprobe_opcode_t *)traced,
			     .entry = on_jprobe };
	struct kprobe p = { .addr = (kprobe_opcode_t *)traced,
			    .pre_handler = pre, .post_handler = post };

	expect_eq("K-FTR-01", "a return probe", register_kretprobe(&rp), 0);
	expect_eq("K-FTR-01", "a jprobe", register_jprobe(&jp), 0);
	expect_eq("K-FTR-01", "a kprobe", register_kprobe(&p), 0);
	reset();
	entry_nr = return_nr = jprobe_nr = 0;
	expect_eq("K-FTR-01", "the result", traced(5), 16);
	expect("K-FTR-01", "entry and return",
	       entry_nr == 1 && return_nr == 1 && seen_value == 16);
	expect("K-FTR-01", "the jprobe", jprobe_nr == 1 && seen_arg == 5);
	expect("K-FTR-01", "the kprobe", pre_nr == 1 && post_nr == 1);
	expect_eq("K-FTR-01", "three lines", listed_traced("  "), 3);
	disable_kretprobe(&rp);
	disable_jprobe(&jp);
	traced(5);
	expect("K-EN-02", "two are disabled",
	       return_nr == 1 && jprobe_nr == 1 && pre_nr == 2);
	disable_kprobe(&p);
	traced(5);
	expect("K-EN-03", "all are disabled",
	       return_nr == 1 && jprobe_nr == 1 && pre_nr == 2);
	enable_kretprobe(&rp);
	enable_jprobe(&jp);
	enable_kprobe(&p);
	kprobes_set_enabled(false);
	traced(5);
	expect("K-KNB-23", "all are off",
	       return_nr == 1 && jprobe_nr == 1 && pre_nr == 2);
	kprobes_set_enabled(true);
	traced(5);
	expect("K-KNB-24", "all are on again",
	       return_nr == 2 && jprobe_nr == 2 && pre_nr == 3);
	unregister_kprobe(&p);
	unregister_jprobe(&jp);
	unregister_kretprobe(&rp);
	expect_eq("K-FTR-01", "afterwards", traced(5), 16);
}

/* ---- faults in handlers -------------------------------------------------- */

static int fault_nr;

static int pre_faults(struct kprobe *p, struct pt_regs *regs)
{
	pre_nr++;
	ARGUMENT_OF(regs) = 77;
	return *(volatile int *)16;
}

static int on_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	fault_nr++;
	return 0;
}

static int pre_is_asked(struct kprobe *p, struct pt_regs *regs)
{
	post_nr++;
	return 0;
}

static void faults(void)
{
	struct kprobe other = { .addr = (kprobe_opcode_t *)traced,
				.pre_handler = pre_is_asked };
	struct kprobe p = { .addr = (kprobe_opcode_t *)traced,
			    .pre_handler = pre_faults,
			    .fault_handler = on_fault };

	expect_eq("K-FLT-04", "register", register_kprobe(&other), 0);
	expect_eq("K-FLT-04", "register", register_kprobe(&p), 0);
	reset();
	expect_eq("K-FLT-04", "a handler at an ftrace site faults", traced(5), 16);
	expect("K-FLT-04", "it is offered the fault", pre_nr == 1 && fault_nr);
	expect("K-FLT-04", "and abandoned", kprobe_disabled(&p));
	expect_eq("K-FLT-04", "the other is asked", post_nr, 1);
	expect_eq("K-FLT-04", "once", traced(5), 16);
	expect_eq("K-FLT-04", "once", pre_nr, 1);
	unregister_kprobe(&p);
	unregister_kprobe(&other);
}

/* It calls nothing, and changes nothing of the registers. */
static int leaf_faults(struct kprobe *p, struct pt_regs *regs)
{
	pre_nr++;
	barrier();			/* it is counted before the fault */
	return *(volatile int *)16;
}

static int leaf_takes_over(struct kprobe *p, struct pt_regs *regs)
{
	pre_nr++;
	return 1;
}

/* Such a one may be called by the entry itself, where it is the only one. */
static void alone(void)
{
	struct kprobe p = { .addr = (kprobe_opcode_t *)traced,
			    .pre_handler = leaf_takes_over };
	int count = preempt_count();

	reset();
	expect_eq("K-HIT-12", "register", register_kprobe(&p), 0);
	expect_eq("K-HIT-12", "one that says to go on elsewhere, and not where",
		  traced(5), 16);
	expect_eq("K-HIT-12", "once", pre_nr, 1);
	unregister_kprobe(&p);
	p = (struct kprobe){ .addr = (kprobe_opcode_t *)traced,
			     .pre_handler = leaf_faults };
	expect_eq("K-FLT-04", "register", register_kprobe(&p), 0);
	expect_eq("K-FLT-04", "the only handler at an ftrace site faults", traced(5), 16);
	expect("K-FLT-04", "and is abandoned", pre_nr == 2 && kprobe_disabled(&p));
	expect_eq("K-FLT-06", "the preemption count is as before", preempt_count(), count);
	expect_eq("K-FLT-04", "afterwards", traced(5), 16);
	unregister_kprobe(&p);
}

/* Where ftrace calls several users from a function of its own. */
static void faults_among_others(void)
{
	expect_eq("K-FTR-06", "the function tracer", user_start(&tracer), 0);
	traced_nr = 0;
	faults();
	expect_eq("K-FTR-06", "sees each call", traced_nr, 2);
	alone();
	user_stop(&tracer);
}

/* RCU does not watch there; a handler that uses it must not be told on. */
static void idle(void)
{
	static const char *const names[] = { "default_idle", "arch_cpu_idle",
					     "acpi_idle_do_entry" };
	struct kprobe p = { .pre_handler = pre };
	int i, nr = 0, probed = 0, blacklisted = 0;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		p = (struct kprobe){ .symbol_name = names[i],
				     .pre_handler = pre };
		if (register_kprobe(&p)) {
			blacklisted += is_blacklisted(&p);
			continue;
		}
		probed++;
		reset();
		schedule_timeout_uninterruptible(HZ / 10);
		pr_info("# %s: %d hits, %lu missed%s\n", names[i], pre_nr,
			p.nmissed, kprobe_ftrace(&p) ? ", through ftrace" : "");
		nr += pre_nr;
		unregister_kprobe(&p);
	}
	expect_idle(nr, probed, blacklisted);
}

/* ---- batches ------------------------------------------------------------- */

#define MANY 200

static struct kprobe *many[MANY];

static void batch(void)
{
	struct kprobe *kps = kcalloc(MANY, sizeof(*kps), GFP_KERNEL);
	unsigned long *sites = THIS_MODULE->ftrace_callsites;
	int i, nr = 0, err;

	/* All of this module's sites but those that must not be probed. */
	for (i = 0; kps && i < THIS_MODULE->num_ftrace_callsites && nr < MANY; i++) {
		kps[nr].addr = (kprobe_opcode_t *)sites[i];
		kps[nr].flags = KPROBE_FLAG_DISABLED;
		if (register_kprobe(&kps[nr]))
			continue;
		unregister_kprobe(&kps[nr]);
		kps[nr].flags = 0;
		many[nr] = &kps[nr];
		nr++;
	}
	expect("K-FTR-01", "a module has many sites", nr > 20);
	err = nr ? register_kprobes(many, nr) : -ENOMEM;
	expect_eq("K-FTR-01", "all sites of a module in a batch", err, 0);
	for (i = 0; !err && i < nr; i++)
		if (!kprobe_ftrace(&kps[i]))
			expect("K-FTR-01", "through ftrace", false);
	unregister_kprobes(many, nr);
	kfree(kps);
}

void ftrace_rules(void)
{
	the_site();
	addresses();
	conflicts();
	refused_while_hit();
	switched_partly();
	together();
	recursion();
	types();
	faults();
	alone();
	faults_among_others();
	idle();
	batch();
	forget(&tracer);
	forget(&redirector);
}

#else

void ftrace_rules(void)
{
	skip("K-FTR-01", "ftrace sites");
}

#endif
