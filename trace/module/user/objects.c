// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * objects.c - memory that a trace program names while it runs: watch(), unwatch().
 *
 * Owns: the objects, each with a watch probe of its own, and two threads, since no
 * handler may register a probe.  A handler that names an object asks the setter, and
 * waits, so that nothing is missed of what comes behind it.  One that says that an
 * object is no more only marks it; the remover takes its probe off.  There are two
 * because removing waits for handlers, which wait for the setter, which waits for
 * neither.
 *
 *   NONE --setter--> SET, of the address start --unwatch--> SET, start 0
 *    ^                          ^                              |     |
 *    |                          +--setter: the same again------+     |
 *    +------------------------remover: GOING-------------------------+
 *
 * An object's place follows from its address, so that a handler finds it without a
 * lock.  A forked child has no such threads: it goes on with what is watched.
 *
 * The request is one word, a futex: a number that grows, and in the low bits whose
 * turn it is.  Whoever waits gives up in the end: the setter may wait for the registry
 * lock, whose owner for handlers.
 */
#include "../codes.h"
#include "kt_host.h"
#include "objects.h"

#include <linux/close_range.h>
#include <linux/futex.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <kprobes/process.h>
#include <sys/syscall.h>
#include <time.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

#define OBJECTS		4096u		/* a power of two */
#define NEAR		16u		/* places for one address */
#define PATIENCE_MS	500
#define GIVEN_UP_MS	2000
#define RETRIES		20		/* until a removed probe has left its bytes */
#define RETRY_US	100
#define FULL_MS		100		/* others may give debug registers back */

enum { NONE, SET, GOING };

struct object {
	struct wprobe wp;
	u32 state;			/* atomic; GOING: whose is it that has made it so */
};

static struct object *objects;		/* NULL: there can be none */
static u64 *starts;			/* atomic: of each; 0: it is none */
static u32 removable;			/* atomic, a futex: grows with each that is none */
static u32 full_at;			/* these three are the setter's: what removable was */
static u64 full_len, full_until;	/* when so much did not fit; believed until then */
static u64 missed;			/* by probes that are gone; the remover's */
static wprobe_handler_t handler;
static const struct kt_codes *codes;	/* whose writes */
static u32 kind, owner;			/* owner: the process with the threads */
static u32 leaving;			/* atomic: nothing is an object any more */
static u32 stopping;			/* atomic: for the threads */
static unsigned long setter, remover;

/* ---- waiting ------------------------------------------------------------------ */

static void sleep_on(const u32 *word, u32 value, long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	kt_syscall(SYS_futex, (long)word, FUTEX_WAIT_PRIVATE, (long)value, (long)&ts);
}

static void wake(const u32 *word)
{
	kt_syscall(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, 1 << 30, 0);
}

/* Who makes the threads has files that are the program's, or end with him. */
static void leave_files(void)
{
	kt_syscall(SYS_close_range, 0, ~0u, CLOSE_RANGE_UNSHARE, 0);
}

/* ---- the request ---------------------------------------------------------------- */

enum { FREE, TAKEN, ASKED, LEFT, TURNS = 4 };

#define LATEST 64u

static u32 request;			/* atomic, a futex */
/* Of the latest requests, by their number: one that was given up has its own, too. */
static struct {
	u64 addr, len;
	bool set;			/* the answer */
} asked[LATEST];

static bool turn(u32 from, u32 to)
{
	if (!__atomic_compare_exchange_n(&request, &from, to, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return false;
	wake(&request);
	return true;
}

/* Until it is another word, or the time is over. */
static bool has_left(u32 word, u64 end)
{
	u64 now;

	while (__atomic_load_n(&request, __ATOMIC_ACQUIRE) == word) {
		now = kt_host_nsecs();
		if (now >= end)
			return false;
		sleep_on(&request, word, (long)((end - now) / 1000000 + 1));
	}
	return true;
}

/* The number of the request that is the caller's, as TAKEN; 0: there is none. */
static u32 take_turn(u64 end)
{
	u32 word;

	for (;;) {
		word = __atomic_load_n(&request, __ATOMIC_ACQUIRE);
		if (word % TURNS != FREE) {
			if (!has_left(word, end))
				return 0;
			continue;
		}
		/* Never 0 with a turn that is no FREE. */
		if (turn(word, word + TURNS + TAKEN))
			return word + TURNS + TAKEN;
	}
}

/* Only a hint: the three may not belong together. */
static bool is_full(u64 len, u64 now)
{
	return now < __atomic_load_n(&full_until, __ATOMIC_RELAXED) &&
	       len >= __atomic_load_n(&full_len, __ATOMIC_RELAXED) &&
	       __atomic_load_n(&full_at, __ATOMIC_RELAXED) ==
		       __atomic_load_n(&removable, __ATOMIC_RELAXED);
}

bool kt_objects_watch(u64 addr, u64 len)
{
	u64 now = kt_host_nsecs(), end = now + PATIENCE_MS * 1000000ull;
	u32 mine;

	if (__atomic_load_n(&leaving, __ATOMIC_RELAXED))
		return true;
	if (!objects || (u32)(kp_process_ids() >> 32) != owner)
		return false;
	/* Who freed it was not seen. */
	kt_objects_unwatch(addr);
	if (is_full(len, now))
		return false;
	mine = take_turn(end);
	if (!mine)
		return false;
	asked[mine / TURNS % LATEST].addr = addr;
	asked[mine / TURNS % LATEST].len = len;
	if (!turn(mine, mine - TAKEN + ASKED))
		return false;
	mine += ASKED - TAKEN;
	/* It may have been answered at the last moment. */
	if (!has_left(mine, end) && turn(mine, mine - ASKED + LEFT))
		return false;
	return __atomic_load_n(&asked[mine / TURNS % LATEST].set, __ATOMIC_ACQUIRE);
}

/* ---- objects ---------------------------------------------------------------------- */

static u32 first_place(u64 addr)
{
	return (u32)(addr * 0x9e3779b97f4a7c15ull >> 40) % OBJECTS;
}

static u32 place(u64 addr, u32 i)
{
	return (first_place(addr) + i) % OBJECTS;
}

static void tell_remover(void)
{
	__atomic_fetch_add(&removable, 1, __ATOMIC_RELEASE);
	wake(&removable);
}

/* It is none any more.  Its probe is still there. */
static void end_object(u32 at, u64 addr)
{
	if (!__atomic_compare_exchange_n(&starts[at], &addr, 0, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return;
	tell_remover();
}

void kt_objects_unwatch(u64 addr)
{
	u32 i;

	for (i = 0; objects && addr && i < NEAR; i++)
		if (__atomic_load_n(&starts[place(addr, i)], __ATOMIC_RELAXED) == addr)
			end_object(place(addr, i), addr);
}

u64 kt_objects_of(const struct wprobe *wp)
{
	const struct object *object = container_of(wp, struct object, wp);

	return __atomic_load_n(&leaving, __ATOMIC_ACQUIRE) ? 0 :
	       __atomic_load_n(&starts[object - objects], __ATOMIC_ACQUIRE);
}

u64 kt_objects_missed(void)
{
	return missed;
}

static bool is_over(u32 at)
{
	return __atomic_load_n(&objects[at].state, __ATOMIC_ACQUIRE) == SET &&
	       !__atomic_load_n(&starts[at], __ATOMIC_ACQUIRE);
}

/* One that is over, for the caller alone. */
static bool take_over(u32 at)
{
	u32 set = SET;

	if (!is_over(at) ||
	    !__atomic_compare_exchange_n(&objects[at].state, &set, GOING, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return false;
	if (!__atomic_load_n(&starts[at], __ATOMIC_ACQUIRE))
		return true;
	/* The setter was faster. */
	__atomic_store_n(&objects[at].state, SET, __ATOMIC_RELEASE);
	return false;
}

/* ---- the setter --------------------------------------------------------------------- */

/* What is over gives its means back; true: there was something to give. */
static bool disable_over(void)
{
	bool any = false;
	u32 i;

	for (i = 0; i < OBJECTS; i++)
		if (is_over(i) && !kprobe_disabled(&objects[i].wp.kp))
			any |= !disable_wprobe(&objects[i].wp);
	return any;
}

/* The remover takes them off. */
static bool are_any_over(void)
{
	u32 i;

	for (i = 0; i < OBJECTS; i++)
		if (!__atomic_load_n(&starts[i], __ATOMIC_ACQUIRE) &&
		    __atomic_load_n(&objects[i].state, __ATOMIC_ACQUIRE) != NONE)
			return true;
	return false;
}

static bool may_try_again(int *tries)
{
	struct timespec ts = { 0, RETRY_US * 1000 };

	if (!are_any_over() || ++*tries > RETRIES)
		return false;
	kt_syscall(SYS_nanosleep, (long)&ts, 0, 0, 0);
	return true;
}

/* Disabled at first, as one that fails then stays: its end would wait for handlers. */
static int set_probe(struct wprobe *wp, u64 addr, u64 len)
{
	int err, tries = 0;

	do {
		memset(wp, 0, sizeof(*wp));
		wp->kp.addr = (kprobe_opcode_t *)(unsigned long)addr;
		wp->kp.flags = KPROBE_FLAG_DISABLED;
		wp->handler = handler;
		wp->type = kind;
		wp->len = len;
		kt_codes_name(codes, wp);
		err = register_wprobe(wp);
	} while (err == -EBUSY && may_try_again(&tries));
	return err;
}

static int enable_probe(struct wprobe *wp)
{
	int err = enable_wprobe(wp);

	return err == -ENOSPC && disable_over() ? enable_wprobe(wp) : err;
}

/* So much does not fit, as long as nothing else ends. */
static void note_full(u64 len)
{
	__atomic_store_n(&full_at, __atomic_load_n(&removable, __ATOMIC_ACQUIRE),
			 __ATOMIC_RELAXED);
	__atomic_store_n(&full_len, len, __ATOMIC_RELAXED);
	__atomic_store_n(&full_until, kt_host_nsecs() + FULL_MS * 1000000ull,
			 __ATOMIC_RELAXED);
}

static int free_place(u64 addr)
{
	u32 i;

	for (i = 0; i < NEAR; i++)
		if (__atomic_load_n(&objects[place(addr, i)].state,
				    __ATOMIC_ACQUIRE) == NONE)
			return (int)place(addr, i);
	return -1;
}

/* The same bytes again, whose probe is still there, or -1. */
static int take_same(u64 addr, u64 len)
{
	const struct wprobe *wp;
	u32 i;

	for (i = 0; i < NEAR; i++) {
		wp = &objects[place(addr, i)].wp;
		if (!take_over(place(addr, i)))
			continue;
		if ((unsigned long)wp->kp.addr == addr && wp->len == len)
			return (int)place(addr, i);
		__atomic_store_n(&objects[place(addr, i)].state, SET, __ATOMIC_RELEASE);
	}
	return -1;
}

/* For the remover. */
static void drop(int at)
{
	__atomic_store_n(&objects[at].state, SET, __ATOMIC_RELEASE);
	tell_remover();
}

/* Its place, GOING, with its probe on; or -1. */
static int make_object(u64 addr, u64 len)
{
	int at = take_same(addr, len), err;

	if (at < 0) {
		at = free_place(addr);
		if (at < 0 || set_probe(&objects[at].wp, addr, len))
			return -1;
		__atomic_store_n(&objects[at].state, GOING, __ATOMIC_RELEASE);
	}
	err = enable_probe(&objects[at].wp);
	if (!err)
		return at;
	drop(at);
	if (err == -ENOSPC)
		note_full(len);
	return -1;
}

static void answer(u32 word)
{
	u32 number = word / TURNS % LATEST;
	u64 addr = asked[number].addr;
	int at = make_object(addr, asked[number].len);
	/* If he waits no more, it may have been freed. */
	bool set = at >= 0 && __atomic_load_n(&request, __ATOMIC_ACQUIRE) == word;

	if (set) {
		/* Before the first access. */
		__atomic_store_n(&starts[at], addr, __ATOMIC_RELEASE);
		__atomic_store_n(&objects[at].state, SET, __ATOMIC_RELEASE);
	} else if (at >= 0) {
		drop(at);
	}
	__atomic_store_n(&asked[number].set, set, __ATOMIC_RELEASE);
	if (turn(word, word - ASKED + FREE))
		return;
	kt_objects_unwatch(addr);
	turn(word - ASKED + LEFT, word - ASKED + FREE);
}

static void set_objects(void)
{
	u64 since = 0, now;
	u32 word, before = 0;

	leave_files();
	while (!__atomic_load_n(&stopping, __ATOMIC_ACQUIRE)) {
		word = __atomic_load_n(&request, __ATOMIC_ACQUIRE);
		now = kt_host_nsecs();
		if (word != before)
			since = now;
		before = word;
		if (word % TURNS == ASKED)
			answer(word);
		else if (word % TURNS == LEFT)
			turn(word, word - LEFT + FREE);
		else if (word % TURNS == TAKEN && now - since > GIVEN_UP_MS * 1000000ull)
			/* A signal's handler has left it for good. */
			turn(word, word - TAKEN + FREE);
		else
			sleep_on(&request, word, PATIENCE_MS);
	}
}

/* ---- the remover ---------------------------------------------------------------------- */

static struct wprobe **going;		/* room for all */

static void remove_over(bool all)
{
	u32 i;
	int nr = 0, j;

	for (i = 0; i < OBJECTS; i++) {
		if (all)
			__atomic_store_n(&starts[i], 0, __ATOMIC_RELEASE);
		if (take_over(i))
			going[nr++] = &objects[i].wp;
	}
	if (!nr)
		return;
	unregister_wprobes(going, nr);
	for (j = 0; j < nr; j++) {
		struct object *object = container_of(going[j], struct object, wp);

		missed += object->wp.kp.nmissed;
		__atomic_store_n(&object->state, NONE, __ATOMIC_RELEASE);
	}
}

static void remove_objects(void)
{
	u32 seen;

	leave_files();
	while (!__atomic_load_n(&stopping, __ATOMIC_ACQUIRE)) {
		seen = __atomic_load_n(&removable, __ATOMIC_ACQUIRE);
		remove_over(false);
		sleep_on(&removable, seen, PATIENCE_MS);
	}
}

/* ---- start and stop ----------------------------------------------------------------------- */

static int make_threads(void)
{
	int err = kp_process_thread(set_objects, &setter);

	if (err)
		return err;
	err = kp_process_thread(remove_objects, &remover);
	if (err) {
		__atomic_store_n(&stopping, 1, __ATOMIC_RELEASE);
		kp_process_thread_wait(setter);
	}
	return err;
}

static void free_all(void)
{
	kfree(objects);
	kfree(starts);
	kfree(going);
	objects = NULL;
}

int kt_objects_start(wprobe_handler_t on_access, const struct kt_codes *of, u32 type)
{
	int err = -ENOMEM;

	handler = on_access;
	codes = of;
	kind = type;
	owner = (u32)(kp_process_ids() >> 32);
	objects = kcalloc(OBJECTS, sizeof(*objects), GFP_KERNEL);
	starts = kcalloc(OBJECTS, sizeof(*starts), GFP_KERNEL);
	going = kcalloc(OBJECTS, sizeof(struct wprobe *), GFP_KERNEL);
	if (objects && starts && going)
		err = make_threads();
	if (err)
		free_all();
	return err;
}

void kt_objects_leave(void)
{
	__atomic_store_n(&leaving, 1, __ATOMIC_RELEASE);
}

void kt_objects_stop(void)
{
	if (!objects)
		return;
	__atomic_store_n(&stopping, 1, __ATOMIC_RELEASE);
	if ((u32)(kp_process_ids() >> 32) == owner) {
		wake(&request);
		wake(&removable);
		kp_process_thread_wait(setter);
		kp_process_thread_wait(remover);
	}
	remove_over(true);
	free_all();
}
