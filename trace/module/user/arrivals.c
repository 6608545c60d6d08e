// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * arrivals.c - probes in objects that are opened while a program is at work.
 *
 * Owns: the copy of struct kt_later (later.h), and the list of arrivals: objects that were
 * opened since, each with its own probes.  The thread that opens an object sets them, before
 * the object's first constructor; the one that closes it takes them off.
 *
 * Locks: at_work, which the thread that opens has together with the linker's lock.  So who has
 * it must not wait for the linker; and who ends this (kt_later_stop()) first says so, and no
 * thread waits for at_work then.  ranges are read by handlers without a lock: start is
 * written last, and is ~0 where there is nothing.
 */
#include "arrivals.h"
#include "kt_host.h"

#include <kprobes/process.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <sys/syscall.h>
#include <time.h>

struct arrival {
	struct set *set;		/* NULL: free */
};

#define NONE (~0ul)
#define EACH_TRIES 100

static struct range {
	unsigned long start, end;	/* atomic: start */
	u64 moved;			/* where it is, minus where the reader knows it */
} ranges[KT_LATER_MAX];
static u32 ranges_nr;			/* atomic; so many were ever used */
static struct arrival arrivals[KT_LATER_MAX];
static struct kt_later *later;
static struct kt_share *share;
static u32 at_work;			/* atomic: who has it, a process's number; 0: nobody */
static u32 leaving;			/* atomic */

/* ---- what is known ---------------------------------------------------------------- */

/* The sum of what begins there; 0 if that is no ELF header.  -EFAULT: it cannot be read. */
static int look_at(u64 start, u64 *sum)
{
	u8 *head = kmalloc(KT_LATER_HEAD, GFP_KERNEL);
	int err = head ? 0 : -ENOMEM;
	u64 len = 0;

	*sum = 0;
	if (head && kt_host_read(head, start, KT_LATER_FIRST, true))
		err = -EFAULT;
	if (!err)
		len = kt_later_len(head, KT_LATER_FIRST);
	if (len && kt_host_read(head, start, (u32)len, true))
		err = -EFAULT;
	else if (len)
		*sum = kt_later_sum(head, len);
	kfree(head);
	return err;
}

/*
 * Was it closed since the reader has seen it, and is something else there now?  What is no
 * ELF header says nothing.
 */
static bool has_gone(const struct kt_later_object *object)
{
	u64 sum;
	int err = look_at(object->base, &sum);

	return err == -EFAULT || (!err && sum && sum != object->sum);
}

void kt_later_take(struct kt_share *from_share, const struct kt_later *from)
{
	u32 i;

	share = from_share;
	later = kmalloc(sizeof(*later), GFP_KERNEL);
	if (!later)
		return;
	memcpy(later, from, sizeof(*later));
	/* The copy is what counts: nobody else writes there. */
	if (later->objects_nr > KT_LATER_MAX)
		later->objects_nr = KT_LATER_MAX;
	if (later->semaphores_nr > KT_LATER_SEMAPHORES)
		later->semaphores_nr = KT_LATER_SEMAPHORES;
	later->names[KT_LATER_NAMES - 1] = later->names[KT_LATER_NAMES - 2] = 0;
	for (i = 0; i < KT_LATER_MAX; i++)
		ranges[i].start = NONE;
	/* No probe is set where it was; it is awaited like those that come later. */
	for (i = 0; i < later->objects_nr; i++)
		if (later->objects[i].there && has_gone(&later->objects[i]))
			later->objects[i].there = false;
}

static const struct kt_later_object *object_of(u64 addr)
{
	u32 i;

	for (i = 0; later && i < later->objects_nr; i++)
		if (addr - later->objects[i].base < later->objects[i].len)
			return &later->objects[i];
	return NULL;
}

bool kt_later_awaits(u64 addr)
{
	const struct kt_later_object *object = object_of(addr);

	return object ? !object->there : addr >= KT_LATER_BASE && later;
}

bool kt_later_knows(u64 addr)
{
	return object_of(addr) && !share->untold;
}

u64 kt_later_home(u64 addr)
{
	u32 i, nr = __atomic_load_n(&ranges_nr, __ATOMIC_RELAXED);

	for (i = 0; i < nr; i++) {
		/* Acquire, of publish(): the other two belong to it. */
		unsigned long start = __atomic_load_n(&ranges[i].start, __ATOMIC_ACQUIRE);

		if (addr >= start && addr < ranges[i].end)
			return addr - ranges[i].moved;
	}
	return addr;
}

/* ---- the lock ----------------------------------------------------------------------- */

static void pause_a_bit(void)
{
	struct timespec ts = { 0, 200000 };

	kt_syscall(SYS_nanosleep, (long)&ts, 0, 0, 0);
}

/* A forked child's may be that of a thread of its parent's, which it does not have. */
static bool try_lock(void)
{
	u32 mine = (u32)(kp_process_ids() >> 32);
	u32 owner = __atomic_load_n(&at_work, __ATOMIC_RELAXED);

	if (owner == mine)
		return false;
	return __atomic_compare_exchange_n(&at_work, &owner, mine, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

/* Releases what lock() and kt_later_stop() acquire. */
static void unlock(void)
{
	__atomic_store_n(&at_work, 0, __ATOMIC_RELEASE);
}

/* False: all of this ends. */
static bool lock(void)
{
	while (!__atomic_load_n(&leaving, __ATOMIC_ACQUIRE)) {
		if (try_lock())
			return true;
		pause_a_bit();
	}
	return false;
}

/* ---- an object comes -------------------------------------------------------------- */

/* "*", "?" and what stands for itself. */
static bool matches(const char *pattern, const char *text)
{
	const char *star = NULL, *from = NULL;

	while (*text) {
		if (*pattern == '*') {
			star = ++pattern;
			from = text;
		} else if (*pattern == '?' || *pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star;
			text = ++from;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

static const char *last_part(const char *path)
{
	const char *last = path;

	for (; *path; path++)
		if (*path == '/')
			last = path + 1;
	return last;
}

/* It is called as one of the script's, and nobody has read its file. */
static void note_stranger(const char *path)
{
	const char *name;
	u32 i;

	for (name = later->names; *name; name += strlen(name) + 1) {
		if (!matches(name, last_part(path)))
			continue;
		for (i = 0; !share->strangers && path[i] && i < sizeof(share->stranger) - 1; i++)
			share->stranger[i] = path[i];
		__atomic_fetch_add(&share->strangers, 1, __ATOMIC_RELAXED);
		return;
	}
}

static int free_place(void)
{
	int i;

	for (i = 0; i < KT_LATER_MAX; i++)
		if (!arrivals[i].set)
			return i;
	return -1;
}

/* Pairs with kt_later_home(): before the first hit. */
static void publish(u32 i, unsigned long start, unsigned long end, u64 moved)
{
	ranges[i].end = end;
	ranges[i].moved = moved;
	__atomic_store_n(&ranges[i].start, start, __ATOMIC_RELEASE);
	if (i >= ranges_nr)
		__atomic_store_n(&ranges_nr, i + 1, __ATOMIC_RELEASE);
}

/* Who looks is counted in words of the object's, which is mapped. */
static void count_semaphores(const struct kt_later_object *object, u64 moved, int by)
{
	u32 i;

	for (i = 0; i < later->semaphores_nr; i++)
		if (later->semaphores[i] - object->base < object->len)
			*(volatile u16 *)(unsigned long)(later->semaphores[i] + moved) += (u16)by;
}

static void receive(const struct kp_process_object *object)
{
	const struct kt_later_object *known = NULL;
	u64 sum, moved;
	int at;
	u32 i;

	look_at(object->start, &sum);
	for (i = 0; sum && i < later->objects_nr && !known; i++)
		if (later->objects[i].sum == sum)
			known = &later->objects[i];
	if (!known) {
		note_stranger(object->path);
		return;
	}
	moved = object->start - known->base;
	at = free_place();
	if (at < 0) {
		__atomic_fetch_add(&share->crowded, 1, __ATOMIC_RELAXED);
		return;
	}
	publish((u32)at, object->start, object->end, moved);
	arrivals[at].set = kt_later_set(known->base, known->len, moved);
	if (!arrivals[at].set) {
		ranges[at].start = NONE;
		__atomic_fetch_add(&share->crowded, 1, __ATOMIC_RELAXED);
		return;
	}
	count_semaphores(known, moved, 1);
	__atomic_fetch_add(&share->came[known - later->objects], 1, __ATOMIC_RELAXED);
}

/* Its memory is gone: its probes are known to be, too. */
static void forget(const struct kp_process_object *object)
{
	u32 i;

	for (i = 0; i < KT_LATER_MAX; i++) {
		if (!arrivals[i].set || ranges[i].start != object->start)
			continue;
		__atomic_store_n(&ranges[i].start, NONE, __ATOMIC_RELAXED);
		kt_later_unset(arrivals[i].set);
		arrivals[i].set = NULL;
	}
}

static void on_object(const struct kp_process_object *object, bool comes)
{
	kp_process_own_work(true);
	if (lock()) {
		if (comes)
			receive(object);
		else
			forget(object);
		unlock();
	}
	kp_process_own_work(false);
}

/* ---- begin and end ------------------------------------------------------------------ */

void kt_later_start(void)
{
	if (later && kp_process_objects(on_object))
		share->untold = 1;
}

void kt_later_each(void (*fn)(const struct set *set))
{
	int tries = 0;
	u32 i;

	/* A thread may be at it while the process ends. */
	while (later && !try_lock())
		if (++tries > EACH_TRIES)
			return;
		else
			pause_a_bit();
	for (i = 0; later && i < KT_LATER_MAX; i++)
		if (arrivals[i].set)
			fn(arrivals[i].set);
	if (later)
		unlock();
}

void kt_later_stop(void)
{
	const struct kt_later_object *known;
	u32 i;

	if (!later)
		return;
	/* Pairs with lock(): who waits for it goes on without. */
	__atomic_store_n(&leaving, 1, __ATOMIC_RELEASE);
	kp_process_objects(NULL);
	for (i = 0; i < KT_LATER_MAX; i++) {
		if (!arrivals[i].set)
			continue;
		known = object_of(ranges[i].start - ranges[i].moved);
		if (known)
			count_semaphores(known, ranges[i].moved, -1);
		kt_later_unset(arrivals[i].set);
		arrivals[i].set = NULL;
	}
	kfree(later);
	later = NULL;
}
