/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * watch.c - watch probes: K-WAT.  Where the system grants no debug registers all of
 * it is skipped.
 */
#include "harness.h"
#include <kprobes/control.h>
#include <linux/sched.h>
#include <kprobes/watch.h>

/* A symbol, with as many words as there are registers, and one more. */
#define WORD sizeof(long)
#define AT_BYTE(at) (&t_watched[(at) / WORD])
long t_watched[64 / WORD] __attribute__((aligned(64)));
/* Of four registers. */
#define HELD (4 * WORD)

static struct seen {
	int nr;
	struct wprobe *who;
	struct kp_access access;
	unsigned long ip;
} seen;

static void on_access(struct wprobe *wp, struct pt_regs *regs,
		      const struct kp_access *access)
{
	__atomic_fetch_add(&seen.nr, 1, __ATOMIC_SEQ_CST);
	seen.who = wp;
	seen.access = *access;
	seen.ip = instruction_pointer(regs);
}

static void forget(void)
{
	memset(t_watched, 0, sizeof(t_watched));
	/* That may be told, and is forgotten. */
	__asm__ volatile("" ::: "memory");
	memset(&seen, 0, sizeof(seen));
}

static struct wprobe watch_at(void *addr, unsigned long len,
			      enum kp_watch_type type)
{
	struct wprobe wp = { .kp.addr = addr, .handler = on_access,
			     .type = type, .len = len };

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
	const char *want, *and_;
	int found;
};

static void find_line(void *arg, const char *line, size_t len)
{
	struct search *search = arg;

	(void)len;
	search->found += strstr(line, search->want) &&
			 strstr(line, search->and_);
}

static int listed(const char *want, const char *and_)
{
	struct search search = { want, and_, 0 };

	kprobes_list(find_line, &search);
	return search.found;
}

/* ---- what is told ------------------------------------------------------------------ */

static void writes(void)
{
	struct wprobe wp = watch_at(&t_watched[1], WORD, KP_WATCH_WRITE);

	forget();
	EXPECT_EQ("K-WAT-01", "register", watch(&wp), 0);
	t_poke(&t_watched[1]);
	EXPECT("K-WAT-01", "one write, one call",
	       seen.nr == 1 && seen.who == &wp);
	EXPECT_EQ("K-WAT-01", "after the instruction", seen.ip,
		  T_CODE(t_poke) + T_POKE_RET);
	EXPECT("K-WAT-01", "where, and how much",
	       seen.access.addr == (unsigned long)&t_watched[1] &&
	       seen.access.size == WORD && seen.access.written);
	EXPECT("K-WAT-01", "the value before and after",
	       seen.access.before == 0 && seen.access.after == 1);
	t_poke(&t_watched[1]);
	EXPECT("K-WAT-01", "also one that changes nothing",
	       seen.nr == 2 && seen.access.before == 1 &&
	       seen.access.after == 1);
	t_load(&t_watched[1]);
	t_poke(&t_watched[0]);
	t_poke(&t_watched[2]);
	EXPECT_EQ("K-WAT-01", "no read, no neighbour", seen.nr, 2);
	unregister_wprobe(&wp);
	t_poke(&t_watched[1]);
	EXPECT_EQ("K-WAT-09", "none after it was unregistered", seen.nr, 2);
}

static void reads(void)
{
	struct wprobe wp = watch_at(&t_watched[1], WORD, KP_WATCH_RW);

	if (!T_WATCH_REGISTERS) {
		EXPECT_EQ("K-WAT-06", "reads, where there are no registers",
			  register_wprobe(&wp), -EOPNOTSUPP);
		EXPECT("K-WAT-06", "and why", wp.kp.reason != NULL);
		return;
	}
	forget();
	EXPECT_EQ("K-WAT-02", "register", watch(&wp), 0);
	t_load(&t_watched[1]);
	EXPECT("K-WAT-02", "a read",
	       seen.nr == 1 && !seen.access.written &&
	       seen.ip == T_CODE(t_load) + T_LOAD_RET);
	t_poke(&t_watched[1]);
	EXPECT("K-WAT-02", "a write that changes",
	       seen.nr == 2 && seen.access.written && seen.access.after == 1);
	EXPECT_EQ("K-WAT-02", "the engine's own looks do not count",
		  wp.kp.nmissed, 0);
	unregister_wprobe(&wp);
}

static void changes(void)
{
	struct wprobe wp = watch_at(&t_watched[1], WORD, KP_WATCH_CHANGED);

	forget();
	EXPECT_EQ("K-WAT-03", "register", watch(&wp), 0);
	t_poke(&t_watched[1]);
	t_poke(&t_watched[1]);
	t_load(&t_watched[1]);
	EXPECT("K-WAT-03", "only what changes",
	       seen.nr == 1 && seen.access.before == 0 &&
	       seen.access.after == 1 && seen.access.written);
	unregister_wprobe(&wp);
}

/* ---- where -------------------------------------------------------------------------- */

static void places(void)
{
	struct wprobe wp = watch_at(&t_watched[1], WORD, KP_WATCH_WRITE);

	forget();
	wp.kp.offset = WORD;
	EXPECT_EQ("K-WAT-04", "an address and an offset", watch(&wp), 0);
	t_poke(&t_watched[2]);
	EXPECT("K-WAT-04", "is their sum",
	       seen.nr == 1 && wp.kp.addr == (void *)&t_watched[2]);
	unregister_wprobe(&wp);
	/* A kernel knows where the next symbol begins, not how long one is. */
	wp = watch_at(NULL, T_IN_KERNEL ? 16 : 0, KP_WATCH_WRITE);
	wp.kp.symbol_name = "t_watched";
	wp.kp.offset = 48;
	forget();
	if (T_IN_KERNEL && register_wprobe(&wp) == -ENOENT) {
		SKIP("K-WAT-04", "the kernel's table has no data");
		return;
	}
	unregister_wprobe(&wp);
	wp.kp.addr = NULL;
	wp.kp.flags = 0;
	EXPECT_EQ("K-WAT-04", "a symbol, without a length", watch(&wp), 0);
	t_poke(AT_BYTE(56));
	EXPECT_EQ("K-WAT-04", "is to its end", seen.nr, 1);
	t_poke(AT_BYTE(40));
	EXPECT_EQ("K-WAT-04", "and begins at the offset", seen.nr, 1);
	unregister_wprobe(&wp);
}

/* The compiler must not know that nobody is called. */
static void set(char *at, char value)
{
	*(volatile char *)at = value;
	__asm__ volatile("" ::: "memory");
}

static void lengths(void)
{
	char *bytes = (char *)t_watched;
	struct wprobe wp = watch_at(bytes + 3, 6, KP_WATCH_WRITE);

	forget();
	/* 3; 4 to 7; 8 */
	EXPECT_EQ("K-WAT-05", "bytes that are no word", watch(&wp), 0);
	set(bytes + 3, 7);
	EXPECT("K-WAT-05", "the first",
	       seen.nr == 1 && seen.access.size == 1 && seen.access.after == 7);
	set(bytes + 6, 5);
	if (T_WATCH_REGISTERS)
		EXPECT("K-WAT-05", "one in the middle, and the word it is in",
		       seen.nr == 2 && seen.access.size == 4 &&
		       seen.access.addr == (unsigned long)bytes + 4 &&
		       seen.access.after == 5ul << 16);
	else
		EXPECT("K-WAT-05", "one in the middle",
		       seen.nr == 2 && seen.access.size == 1 &&
		       seen.access.addr == (unsigned long)bytes + 6 &&
		       seen.access.after == 5);
	set(bytes + 8, 9);
	EXPECT("K-WAT-05", "the last",
	       seen.nr == 3 && seen.access.addr == (unsigned long)bytes + 8);
	set(bytes + 2, 1);
	set(bytes + 9, 1);
	EXPECT_EQ("K-WAT-05", "not those beside", seen.nr, 3);
	unregister_wprobe(&wp);
	wp = watch_at(t_watched, HELD + 1, KP_WATCH_RW);
	EXPECT_EQ("K-WAT-05", "reads of more than the registers hold",
		  register_wprobe(&wp), -ENOSPC);
	EXPECT("K-WAT-05", "and why", wp.kp.reason != NULL);
	wp = watch_at(t_watched, HELD, KP_WATCH_CHANGED);
	EXPECT_EQ("K-WAT-05", "all that they hold", watch(&wp), 0);
	forget();
	t_poke(AT_BYTE(HELD - WORD));
	EXPECT_EQ("K-WAT-05", "to its end", seen.nr, 1);
	unregister_wprobe(&wp);
}

/* Where a host has no other means it is refused. */
static bool pages;			/* it has */

static void by_pages(void)
{
	char *bytes = (char *)t_watched;
	struct wprobe wp = watch_at(bytes + 3, 41, KP_WATCH_WRITE);
	int err = register_wprobe(&wp);

	pages = !err;
	if (err) {
		EXPECT_EQ("K-WAT-05", "more than the registers hold", err, -ENOSPC);
		EXPECT("K-WAT-05", "and why", wp.kp.reason != NULL);
		t_print("# no pages: %s", wp.kp.reason);
		SKIP("K-WAT-27", "no pages are to be had");
		return;
	}
	forget();
	EXPECT_EQ("K-WAT-27", "the means are said",
		  listed("  w  ", "[WRITE][PAGES]"), 1);
	t_poke(&t_watched[1]);
	EXPECT("K-WAT-27", "an access as it is made",
	       seen.nr == 1 && seen.access.size == WORD && seen.access.written &&
	       seen.access.addr == (unsigned long)&t_watched[1] &&
	       seen.access.before == 0 && seen.access.after == 1 &&
	       seen.ip == T_CODE(t_poke) + T_POKE_RET);
	t_load(&t_watched[1]);
	t_poke(AT_BYTE(48));
	set(bytes + 2, 1);
	EXPECT("K-WAT-27", "no read, no neighbour", seen.nr == 1 && *AT_BYTE(48) == 1);
	t_poke(&t_watched[0]);
	EXPECT("K-WAT-27", "the part that is watched",
	       seen.nr == 2 && seen.access.size == WORD - 3 &&
	       seen.access.addr == (unsigned long)bytes + 3);
	unregister_wprobe(&wp);
	t_poke(&t_watched[1]);
	EXPECT_EQ("K-WAT-27", "none after it was unregistered", seen.nr, 2);
	wp = watch_at(t_watched, 40, KP_WATCH_CHANGED);
	watch(&wp);
	t_poke(&t_watched[1]);
	EXPECT_EQ("K-WAT-27", "nothing that changes nothing", seen.nr, 2);
	t_poke(&t_watched[4]);
	EXPECT("K-WAT-27", "what changes, from the first byte",
	       seen.nr == 3 && seen.access.size == 1 && seen.access.after == 1);
	unregister_wprobe(&wp);
}

/* ---- what is refused ------------------------------------------------------------------- */

static void refused(const char *what, struct wprobe wp, int err)
{
	EXPECT_EQ("K-WAT-06", what, register_wprobe(&wp), err);
	EXPECT("K-WAT-06", "and why", wp.kp.reason != NULL);
}

static void refusals(void)
{
	struct wprobe wp = watch_at(t_watched, WORD, KP_WATCH_WRITE), bad;

	bad = wp;
	bad.kp.symbol_name = "t_watched";
	refused("both addr and symbol_name", bad, -EINVAL);
	bad = wp;
	bad.kp.addr = NULL;
	refused("neither", bad, -EINVAL);
	bad = wp;
	bad.kp.addr = NULL;
	bad.kp.symbol_name = "t_no_such_thing";
	refused("no such symbol", bad, -ENOENT);
	bad = wp;
	bad.handler = NULL;
	refused("no handler", bad, -EINVAL);
	bad = wp;
	bad.handler = (wprobe_handler_t)(void *)t_watched;
	refused("a handler that is no code", bad, -EINVAL);
	bad = wp;
	bad.type = (enum kp_watch_type)17;
	refused("no such type", bad, -EINVAL);
	bad = wp;
	bad.kp.addr = t_bad_address;
	refused("no memory", bad, -EFAULT);
	bad = wp;
	bad.len = ~0ul;
	refused("more than there is", bad, -EFAULT);
	bad = wp;
	bad.kp.addr = t_engine();
	refused("the engine's memory", bad, -EINVAL);
	EXPECT_EQ("K-WAT-06", "NULL", register_wprobe(NULL), -EINVAL);
	EXPECT_EQ("K-WAT-06", "a struct that cannot be read",
		  register_wprobe(t_bad_address), -EINVAL);
}

static void twice(void)
{
	struct wprobe wp = watch_at(t_watched, WORD, KP_WATCH_WRITE);

	EXPECT_EQ("K-WAT-07", "once", watch(&wp), 0);
	EXPECT_EQ("K-WAT-07", "the same struct again",
		  register_wprobe(&wp), -EINVAL);
	forget();
	t_poke(t_watched);
	EXPECT_EQ("K-WAT-07", "the first stays", seen.nr, 1);
	unregister_wprobe(&wp);
}

static void batches(void)
{
	struct wprobe a = watch_at(&t_watched[0], WORD, KP_WATCH_WRITE);
	struct wprobe b = watch_at(&t_watched[1], WORD, KP_WATCH_WRITE);
	struct wprobe bad = watch_at(&t_watched[2], WORD, (enum kp_watch_type)0);
	struct wprobe *both[] = { &a, &b, NULL }, *all[] = { &a, &b, &bad };

	EXPECT_EQ("K-WAT-08", "the errno of the one that failed",
		  register_wprobes(all, 3), -EINVAL);
	forget();
	t_poke(&t_watched[0]);
	t_poke(&t_watched[1]);
	EXPECT_EQ("K-WAT-08", "none is there", seen.nr, 0);
	a.kp.flags = b.kp.flags = 0;
	EXPECT_EQ("K-WAT-08", "two", register_wprobes(both, 2), 0);
	t_poke(&t_watched[0]);
	t_poke(&t_watched[1]);
	EXPECT_EQ("K-WAT-08", "both are there", seen.nr, 2);
	unregister_wprobes(both, 3);
	t_poke(&t_watched[0]);
	EXPECT_EQ("K-WAT-08 K-WAT-09", "and go together", seen.nr, 2);
	EXPECT_EQ("K-WAT-08", "none at all", register_wprobes(both, 0), -EINVAL);
	unregister_wprobes(both, 0);
	unregister_wprobe(&bad);
	EXPECT("K-WAT-09", "one that is not there only loses its address",
	       !bad.kp.addr);
	unregister_wprobe(NULL);
	a = watch_at(&t_watched[0], WORD, KP_WATCH_WRITE);
	watch(&a);
	unregister_kprobe(&a.kp);
	a.kp.addr = (void *)&t_watched[0];
	t_poke(&t_watched[0]);
	EXPECT_EQ("K-WAT-09", "unregister_kprobe is not meant for it",
		  seen.nr, 3);
	unregister_wprobe(&a);
}

/* ---- on and off --------------------------------------------------------------------- */

static void switching(void)
{
	struct wprobe wp = watch_at(t_watched, WORD, KP_WATCH_WRITE);

	wp.kp.flags = KPROBE_FLAG_DISABLED;
	forget();
	EXPECT_EQ("K-WAT-10", "registered disabled", watch(&wp), 0);
	t_poke(t_watched);
	EXPECT("K-WAT-10", "no call",
	       !seen.nr && kprobe_disabled(&wp.kp) &&
	       listed("  w  ", "[DISABLED][WRITE]") == 1);
	EXPECT_EQ("K-WAT-10", "enabled", enable_wprobe(&wp), 0);
	t_poke(t_watched);
	EXPECT("K-WAT-10", "a call", seen.nr == 1 && !kprobe_disabled(&wp.kp));
	EXPECT_EQ("K-WAT-10", "disabled", disable_wprobe(&wp), 0);
	t_poke(t_watched);
	EXPECT_EQ("K-WAT-10", "none", seen.nr, 1);
	enable_wprobe(&wp);
	EXPECT_EQ("K-WAT-18", "its line in the list, and by which means",
		  listed("  w  ", T_WATCH_REGISTERS ? "[WRITE][REGISTERS]" :
						      "[WRITE][PAGES]"), 1);
	EXPECT_EQ("K-WAT-19", "the global switch", kprobes_set_enabled(false), 0);
	t_poke(t_watched);
	EXPECT("K-WAT-19", "no call, and no register",
	       seen.nr == 1 && !listed("  w  ", "[REGISTERS]") &&
	       !listed("  w  ", "[PAGES]"));
	EXPECT_EQ("K-WAT-19", "on again", kprobes_set_enabled(true), 0);
	t_poke(t_watched);
	EXPECT_EQ("K-WAT-19", "a call", seen.nr, 2);
	unregister_wprobe(&wp);
	EXPECT_EQ("K-WAT-18", "no line any more", listed("  w  ", ""), 0);
	EXPECT_EQ("K-WAT-10", "not registered", enable_wprobe(&wp), -EINVAL);
}

static void sharing(void)
{
	struct wprobe a = watch_at(t_watched, WORD, KP_WATCH_WRITE);
	struct wprobe b = watch_at(t_watched, WORD, KP_WATCH_CHANGED);
	struct wprobe other = watch_at(t_watched, WORD / 2, KP_WATCH_WRITE);
	struct wprobe rw = watch_at(t_watched, WORD, KP_WATCH_RW);

	forget();
	EXPECT_EQ("K-WAT-11", "one", watch(&a), 0);
	EXPECT_EQ("K-WAT-11", "another on the same bytes", watch(&b), 0);
	t_poke(t_watched);
	EXPECT_EQ("K-WAT-11", "both are called", seen.nr, 2);
	t_poke(t_watched);
	EXPECT("K-WAT-11", "as each wants", seen.nr == 3 && seen.who == &a);
	EXPECT_EQ("K-WAT-11", "on some of them", register_wprobe(&other), -EBUSY);
	EXPECT_EQ("K-WAT-11", "of the other kind", register_wprobe(&rw), -EBUSY);
	EXPECT("K-WAT-11", "and why", other.kp.reason && rw.kp.reason);
	unregister_wprobe(&a);
	forget();
	t_poke(t_watched);
	EXPECT("K-WAT-11", "the other one stays",
	       seen.nr == 1 && seen.who == &b);
	unregister_wprobe(&b);
}

static void registers(void)
{
	struct wprobe wps[5];
	int i;

	for (i = 0; i < 5; i++)
		wps[i] = watch_at(&t_watched[i], WORD, KP_WATCH_WRITE);
	for (i = 0; i < 4; i++)
		EXPECT_EQ("K-WAT-12", "one of four", watch(&wps[i]), 0);
	if (pages) {
		EXPECT_EQ("K-WAT-12 K-WAT-29", "a fifth", watch(&wps[4]), 0);
		EXPECT_EQ("K-WAT-29", "and those beside it, by pages",
			  listed("  w  ", "[WRITE][PAGES]"), 5);
		forget();
		for (i = 0; i < 5; i++)
			t_poke(&t_watched[i]);
		EXPECT_EQ("K-WAT-12 K-WAT-29", "all are watched", seen.nr, 5);
		for (i = 0; i < 5; i++)
			unregister_wprobe(&wps[i]);
		return;
	}
	EXPECT_EQ("K-WAT-12", "a fifth", register_wprobe(&wps[4]), -ENOSPC);
	EXPECT("K-WAT-12", "and why", wps[4].kp.reason != NULL);
	wps[4] = watch_at(&t_watched[4], WORD, KP_WATCH_WRITE);
	wps[4].kp.flags = KPROBE_FLAG_DISABLED;
	EXPECT_EQ("K-WAT-12", "disabled it needs none", watch(&wps[4]), 0);
	EXPECT_EQ("K-WAT-12", "and cannot be enabled",
		  enable_wprobe(&wps[4]), -ENOSPC);
	EXPECT("K-WAT-12", "as its flags say", kprobe_disabled(&wps[4].kp));
	disable_wprobe(&wps[0]);
	EXPECT_EQ("K-WAT-12", "until another one is disabled",
		  enable_wprobe(&wps[4]), 0);
	forget();
	for (i = 0; i < 5; i++)
		t_poke(&t_watched[i]);
	EXPECT_EQ("K-WAT-12", "four are watched", seen.nr, 4);
	for (i = 0; i < 5; i++)
		unregister_wprobe(&wps[i]);
}

/* ---- tasks ------------------------------------------------------------------------------ */

#define TIMES 200
static struct wprobe *late;
static int late_err, told, arrived;

static void work(void *arg)
{
	int i;

	(void)arg;
	for (i = 0; i < TIMES; i++)
		__atomic_fetch_add(&t_watched[0], 1, __ATOMIC_SEQ_CST);
}

static void early_and_late(void *arg)
{
	int me = __atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);

	/* All are there; then one of them registers. */
	while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < 3)
		t_breathe();
	if (!me)
		late_err = register_wprobe(late);
	if (!me)
		__atomic_store_n(&told, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&told, __ATOMIC_SEQ_CST))
		t_breathe();
	work(arg);
}

static void tasks(void)
{
	struct wprobe wp = watch_at(t_watched, WORD, KP_WATCH_WRITE);

	forget();
	arrived = told = 0;
	late = &wp;
	t_threads(3, early_and_late, NULL);
	EXPECT_EQ("K-WAT-13", "registered while tasks run", late_err, 0);
	EXPECT_EQ("K-WAT-13 K-WAT-21", "each access of tasks that were there",
		  seen.nr, 3 * TIMES);
	t_threads(3, work, NULL);
	EXPECT_EQ("K-WAT-13 K-WAT-21", "and of those that came later", seen.nr,
		  6 * TIMES);
	EXPECT_EQ("K-WAT-21", "none was missed", wp.kp.nmissed, 0);
	unregister_wprobe(&wp);
	wp = watch_at(t_watched, WORD, KP_WATCH_CHANGED);
	watch(&wp);
	t_threads(3, work, NULL);
	/* By pages the bytes that changed are told. */
	EXPECT_EQ("K-WAT-21", "changes: the last value is known",
		  T_WATCH_REGISTERS ? (long)seen.access.after : t_watched[0], 9 * TIMES);
	unregister_wprobe(&wp);
}

/* What one thread, or all of a process, do; then what others do. */
static int told_of(int task, int threads)
{
	struct wprobe wp = watch_at(t_watched, WORD, KP_WATCH_WRITE);

	wp.task = task;
	forget();
	watch(&wp);
	if (threads)
		t_threads(threads, work, NULL);
	else
		work(NULL);
	unregister_wprobe(&wp);
	return seen.nr;
}

static void filters(void)
{
	EXPECT_EQ("K-WAT-26", "a thread: its own", told_of(current->pid, 0), TIMES);
	EXPECT_EQ("K-WAT-26", "not those of others", told_of(current->pid, 2), 0);
	EXPECT_EQ("K-WAT-26", "a process: its own", told_of(-current->tgid, 0),
		  TIMES);
	/* A kernel's threads are no process's. */
	EXPECT_EQ("K-WAT-26", "and those of all its threads",
		  told_of(-current->tgid, 2), T_IN_KERNEL ? 0 : 2 * TIMES);
	EXPECT_EQ("K-WAT-26", "another thread's", told_of(1, 0), 0);
	EXPECT_EQ("K-WAT-26", "another process's", told_of(-1, 0), 0);
}

/* ---- handlers --------------------------------------------------------------------------- */

static void touches(struct wprobe *wp, struct pt_regs *regs,
		    const struct kp_access *access)
{
	on_access(wp, regs, access);
	t_poke(&t_watched[0]);
	t_inner(1);
}

static int touching_pre(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	t_poke(&t_watched[0]);
	return 0;
}

static void nested(void)
{
	struct wprobe wp = watch_at(t_watched, WORD, KP_WATCH_WRITE);
	struct kprobe inner = { .symbol_name = "t_inner", .pre_handler = t_pre };
	struct kprobe outer = { .symbol_name = "t_add",
				.pre_handler = touching_pre };

	wp.handler = touches;
	forget();
	EXPECT_EQ("K-WAT-14", "register", watch(&wp), 0);
	t_register(&inner);
	t_reset();
	t_poke(t_watched);
	EXPECT_EQ("K-WAT-14", "a handler that touches what it watches", seen.nr,
		  1);
	EXPECT("K-WAT-20", "a probe that its handler hits is missed",
	       !t_counts.pre && inner.nmissed == 1);
	unregister_kprobe(&inner);
	wp.kp.nmissed = 0;
	t_register(&outer);
	EXPECT_EQ("K-WAT-16", "the probed function", t_add(1, 2), 3);
	/* But nothing is, where a trap keeps debug registers off. */
	EXPECT("K-WAT-16", "what another probe's handler accesses is missed",
	       seen.nr == 1 &&
	       (wp.kp.nmissed == 1 || (!T_WATCHED_IN_TRAPS && !wp.kp.nmissed)));
	unregister_kprobe(&outer);
	unregister_wprobe(&wp);
}

static int from_handler;

static void registers_more(struct wprobe *wp, struct pt_regs *regs,
			   const struct kp_access *access)
{
	struct wprobe *none = wp;

	on_access(wp, regs, access);
	from_handler = register_wprobes(&none, 1) == -EDEADLK &&
		       disable_wprobe(wp) == -EDEADLK;
	unregister_wprobe(wp);
}

static void from_a_handler(void)
{
	struct wprobe wp = watch_at(t_watched, WORD, KP_WATCH_WRITE);

	wp.handler = registers_more;
	forget();
	from_handler = 0;
	watch(&wp);
	t_poke(t_watched);
	EXPECT("K-WAT-25", "a handler must not register", from_handler);
	t_poke(t_watched);
	EXPECT_EQ("K-WAT-25", "nor unregister", seen.nr, 2);
	unregister_wprobe(&wp);
}

static void faults(struct wprobe *wp, struct pt_regs *regs,
		   const struct kp_access *access)
{
	on_access(wp, regs, access);
	t_load(t_bad_address);
}

static void faulting(void)
{
	struct wprobe wp = watch_at(t_watched, WORD, KP_WATCH_WRITE);

	wp.handler = faults;
	forget();
	watch(&wp);
	t_poke(t_watched);
	EXPECT("K-WAT-15", "the program goes on",
	       seen.nr == 1 && t_watched[0] == 1);
	EXPECT("K-WAT-15", "and the probe is disabled", kprobe_disabled(&wp.kp));
	t_poke(t_watched);
	EXPECT_EQ("K-WAT-15", "its handler is called no more", seen.nr, 1);
	wp.handler = on_access;
	EXPECT_EQ("K-WAT-15", "until it is enabled", enable_wprobe(&wp), 0);
	t_poke(t_watched);
	EXPECT_EQ("K-WAT-15", "again", seen.nr, 2);
	unregister_wprobe(&wp);
}

/* The accessing instruction has a probe itself. */
static void probed_code(int post)
{
	struct wprobe wp = watch_at(t_watched, WORD, KP_WATCH_WRITE);
	struct kprobe p = { .symbol_name = "t_poke", .pre_handler = t_pre,
			    .post_handler = post ? t_post : NULL };

	forget();
	watch(&wp);
	t_register(&p);
	t_reset();
	t_poke(t_watched);
	EXPECT("K-WAT-17", "both probes are hit",
	       t_counts.pre == 1 && t_counts.post == post && seen.nr == 1);
	EXPECT_EQ("K-WAT-17", "the access is the original instruction's",
		  seen.ip, T_CODE(t_poke) + T_POKE_RET);
	unregister_kprobe(&p);
	unregister_wprobe(&wp);
}

void t_watching(void)
{
	struct wprobe wp = watch_at(t_watched, WORD, KP_WATCH_WRITE);
	int err = watch(&wp);

	if (err == -EPERM || err == -EOPNOTSUPP) {
		SKIP("K-WAT-01", "no debug registers are to be had");
		return;
	}
	unregister_wprobe(&wp);
	writes();
	reads();
	changes();
	places();
	lengths();
	by_pages();
	refusals();
	twice();
	batches();
	switching();
	sharing();
	registers();
	tasks();
	filters();
	nested();
	from_a_handler();
	faulting();
	t_breakpoints_only(1);
	probed_code(0);
	probed_code(1);
	t_breakpoints_only(0);
	probed_code(0);
	probed_code(1);
}
