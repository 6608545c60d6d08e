// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * thread_table.c - each thread's own, found by its number.
 *
 * Owns: the entries, the slots that lead to them, and where threads have their numbers.
 *
 *   an entry     is claimed by its thread, once, and freed when that has ended: by others, who
 *                claim.  Entries are never unmapped, so a slot may be followed at any time.
 *   a slot       leads to an entry, or is empty.  An entry is in the first one that was empty,
 *                from its thread's number on; where too many are taken, in none.
 *   the word     is learned: among what stands about the thread pointers of those that claim,
 *                the distances at which each has its number are kept.  C libraries have it in
 *                their description of a thread, and Go in its own.
 *
 * A thread whose word says somebody else shares its thread pointer, or has none.  Its key is 0,
 * so each look asks the kernel who it is.  A child of vfork, whose parent waits, is its parent.
 * A forked child takes over the entry of the thread that forked; the others are no more.  A
 * thread of ours that works for another one (writer.c) has that one's.
 *
 * Invariant: an entry is written by its thread, from the claim to the thread's end.
 *
 * Locks: none.  A thread's signals are blocked while it claims: a hit in their handlers would
 * claim, too.  All of it is trap path.
 */
#include "atomic.h"
#include "machine.h"
#include "signal_sets.h"
#include "thread.h"
#include "freestanding/copy.h"
#include "freestanding/heap.h"
#include "process/ids.h"

#ifdef KP_THREAD_TABLE

#include <linux/prctl.h>

#ifndef PR_GET_TID_ADDRESS
#define PR_GET_TID_ADDRESS 40
#endif

#define CHUNK_NR 64
#define BEING_MADE (-1)			/* as a number */
#define SLOTS_RESERVED 4u		/* the first ones stay empty: thread_table.h */
#define SLOTS_TRIED 32u
#define REAPED_NR 4u			/* others are looked at by who claims */

struct kp_thread_table kp_user_threads;
long kp_user_thread_word = KP_THREAD_NO_WORD;

struct chunk {
	struct chunk *next;
	struct kp_thread_entry entries[CHUNK_NR];
};

static struct chunk first_chunk;
static struct chunk *chunks = &first_chunk;	/* atomic; only grows */
static int outside;			/* atomic: so many entries are in no slot */
static int process;			/* whose threads they are; or 0 */
static const struct kp_user_thread_steps *above;	/* written at the start */

void kp_user_thread_init(const struct kp_user_thread_steps *steps)
{
	/* Pairs with on_its_stack and with the look: what they are is there. */
	kp_store_release(&above, steps);
}

/* ---- slots ------------------------------------------------------------------- */

KP_TRAP_PATH static uintptr_t *slot_at(int tid, unsigned int i)
{
	unsigned int nr = ((unsigned int)tid + i) % KP_THREAD_SLOTS;

	return nr < SLOTS_RESERVED ? NULL : &kp_user_threads.slot[nr];
}

KP_TRAP_PATH static uintptr_t way_to(struct kp_thread_entry *e)
{
	return (uintptr_t)&e->thread - (uintptr_t)kp_user_threads.slot;
}

KP_TRAP_PATH static struct kp_thread_entry *entry_at(uintptr_t way)
{
	return kp_thread_entry_of((struct kp_user_thread *)(void *)
				  ((char *)kp_user_threads.slot + way));
}

KP_TRAP_PATH static void put_in(struct kp_thread_entry *e, int tid)
{
	unsigned int i;

	for (i = 0; i < SLOTS_TRIED; i++) {
		uintptr_t *slot = slot_at(tid, i), none = 0;

		/* Release: pairs with the acquire in find(): the entry is there. */
		if (slot && __atomic_compare_exchange_n(slot, &none, way_to(e), false,
							__ATOMIC_RELEASE, __ATOMIC_RELAXED))
			return;
	}
	__atomic_fetch_add(&outside, 1, __ATOMIC_RELEASE);
}

KP_TRAP_PATH static void take_out(struct kp_thread_entry *e, int tid)
{
	unsigned int i;

	for (i = 0; i < SLOTS_TRIED; i++) {
		uintptr_t *slot = slot_at(tid, i), way = way_to(e);

		if (slot && __atomic_compare_exchange_n(slot, &way, 0, false,
							__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return;
	}
	__atomic_fetch_sub(&outside, 1, __ATOMIC_RELAXED);
}

/* All entries in some order; NULL starts and ends. */
KP_TRAP_PATH static struct kp_thread_entry *next_entry(struct kp_thread_entry *after)
{
	struct chunk *chunk = kp_load_acquire(&chunks);	/* pairs with claim_new */

	if (!after)
		return &chunk->entries[0];
	for (; chunk; chunk = chunk->next) {
		if (after < chunk->entries || after >= chunk->entries + CHUNK_NR)
			continue;
		if (after + 1 < chunk->entries + CHUNK_NR)
			return after + 1;
		return chunk->next ? &chunk->next->entries[0] : NULL;
	}
	return NULL;
}

KP_TRAP_PATH static bool is_it(const struct kp_thread_entry *e, int tid, bool by_key)
{
	return kp_load_relaxed(by_key ? &e->key : &e->real) == tid;
}

/* tid > 0 */
KP_TRAP_PATH static struct kp_thread_entry *find(int tid, bool by_key)
{
	struct kp_thread_entry *e;
	unsigned int i;

	for (i = 0; i < SLOTS_TRIED; i++) {
		uintptr_t *slot = slot_at(tid, i);
		uintptr_t way = slot ? kp_load_acquire(slot) : 0;	/* pairs with put_in */

		if (way && is_it(entry_at(way), tid, by_key))
			return entry_at(way);
	}
	if (!__atomic_load_n(&outside, __ATOMIC_ACQUIRE))
		return NULL;
	for (e = next_entry(NULL); e; e = next_entry(e))
		if (is_it(e, tid, by_key))
			return e;
	return NULL;
}

/* ---- where the word is -------------------------------------------------------- */

#define LEARN_BELOW 2304l		/* about a thread pointer, in bytes */
#define LEARN_ABOVE 2304l
#define LEARN_NR ((LEARN_BELOW + LEARN_ABOVE) / 4)
#define BITS (8 * sizeof(unsigned long))
#define WORDS ((LEARN_NR + BITS - 1) / BITS)
#define PAGE 4096ul

static unsigned long learned[WORDS];	/* distances that were right for all, so far */
static bool have_learned;
static int learning;			/* a lock that nobody waits for */

KP_TRAP_PATH static bool was_right(const unsigned long *of, long word)
{
	unsigned long nr = (unsigned long)(word + LEARN_BELOW) / 4;

	return word % 4 == 0 && word >= -LEARN_BELOW && word < LEARN_ABOVE &&
	       of[nr / BITS] >> nr % BITS & 1;
}

KP_TRAP_PATH static bool look_about(unsigned long found[WORDS], uintptr_t self, int tid)
{
	uintptr_t known = 0, at;
	bool any = false;
	long word;

	memset(found, 0, WORDS * sizeof(found[0]));
	for (word = -LEARN_BELOW; word < LEARN_ABOVE; word += 4) {
		at = self + (uintptr_t)word;
		/* A thread may have blocked the signal of a fault. */
		if (at / PAGE != known && !kp_user_readable(at & ~(PAGE - 1))) {
			word += (long)(PAGE - at % PAGE) - 4;
			continue;
		}
		known = at / PAGE;
		if (*(const int *)at != tid)
			continue;
		found[(unsigned long)(word + LEARN_BELOW) / 4 / BITS] |=
			1ul << (unsigned long)(word + LEARN_BELOW) / 4 % BITS;
		any = true;
	}
	return any;
}

/* Where the kernel was told to clear it: with CONFIG_CHECKPOINT_RESTORE. */
KP_TRAP_PATH static long kernels_word(uintptr_t self)
{
	int *at = NULL;

	if (sys3(SYS_prctl, PR_GET_TID_ADDRESS, &at, 0) || !at)
		return KP_THREAD_NO_WORD;
	return (long)((uintptr_t)at - self);
}

KP_TRAP_PATH static long choose(uintptr_t self)
{
	long word = kernels_word(self);

	if (was_right(learned, KP_TCB_TID))
		return KP_TCB_TID;
	if (was_right(learned, word))
		return word;
	for (word = -LEARN_BELOW; word < LEARN_ABOVE; word += 4)
		if (was_right(learned, word))
			return word;
	return KP_THREAD_NO_WORD;
}

/* Of the calling thread, one of the program's, that nobody else has looked at. */
KP_TRAP_PATH static void learn(uintptr_t self, int tid)
{
	unsigned long found[WORDS];
	bool any = false;
	unsigned int i;

	if (!self || self % 4 || __atomic_exchange_n(&learning, 1, __ATOMIC_ACQUIRE))
		return;
	if (look_about(found, self, tid)) {
		for (i = 0; i < WORDS; i++) {
			found[i] &= have_learned ? learned[i] : ~0ul;
			any = any || found[i];
		}
		/* It is an odd one if nothing would be left. */
		if (any) {
			memcpy(learned, found, sizeof(learned));
			have_learned = true;
			if (!was_right(learned, kp_user_thread_word))
				kp_store_relaxed(&kp_user_thread_word, choose(self));
		}
	}
	kp_store_release(&learning, 0);
}

/* What the calling thread's says; 0: it has none. */
KP_TRAP_PATH static int number_here(void)
{
	long word = kp_load_relaxed(&kp_user_thread_word);
	int number = word & KP_THREAD_NO_WORD ? 0 : kp_thread_number(word);

	return number > 0 ? number : 0;
}

/* ---- entries that become free --------------------------------------------------- */

KP_TRAP_PATH static int home_of(const struct kp_thread_entry *e)
{
	return e->key ? e->key : e->real;
}

KP_TRAP_PATH static void free_entry(struct kp_thread_entry *e, int home)
{
	take_out(e, home);
	kp_store_relaxed(&e->key, 0);
	e->self = 0;
	e->engines = false;
	e->looks = 0;
	memset(&e->thread, 0, sizeof(e->thread));
	/* Pairs with the acquire in take_free. */
	kp_store_release(&e->real, 0);
}

KP_TRAP_PATH static void reap(struct kp_thread_entry *e)
{
	int real = kp_load_relaxed(&e->real), home = home_of(e);

	/* By one of those who come here at a time. */
	if (real > 0 && kp_user_thread_over(real) &&
	    kp_swap_if(&e->real, &real, BEING_MADE))
		free_entry(e, home);
}

KP_TRAP_PATH static void reap_some(void)
{
	static struct kp_thread_entry *hand;	/* atomic */
	struct kp_thread_entry *e = kp_load_relaxed(&hand);
	unsigned int i;

	for (i = 0; i < REAPED_NR; i++) {
		e = next_entry(e);
		if (e)
			reap(e);
	}
	kp_store_relaxed(&hand, e);
}

KP_TRAP_PATH static void reap_all(void)
{
	struct kp_thread_entry *e;

	for (e = next_entry(NULL); e; e = next_entry(e))
		reap(e);
}

KP_TRAP_PATH static struct kp_thread_entry *take_free(void)
{
	struct kp_thread_entry *e;

	for (e = next_entry(NULL); e; e = next_entry(e)) {
		int none = 0;

		/* Acquire: pairs with the release in free_entry. */
		if (!kp_load_relaxed(&e->real) &&
		    __atomic_compare_exchange_n(&e->real, &none, BEING_MADE, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return e;
	}
	return NULL;
}

KP_TRAP_PATH static struct kp_thread_entry *take_new(void)
{
	struct chunk *chunk = kp_user_map_away(sizeof(*chunk), PROT_READ | PROT_WRITE, 0);

	if (!chunk)
		return NULL;
	chunk->entries[0].real = BEING_MADE;
	chunk->next = kp_load_relaxed(&chunks);
	/* Release: the chunk's contents before the pointer to it. */
	while (!__atomic_compare_exchange_n(&chunks, &chunk->next, chunk, true,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	return &chunk->entries[0];
}

/* ---- a fork ----------------------------------------------------------------------- */

KP_TRAP_PATH static void forget_others(const struct kp_thread_entry *own)
{
	struct kp_thread_entry *e;

	for (e = next_entry(NULL); e; e = next_entry(e))
		if (e != own && e->real)
			free_entry(e, home_of(e));
}

KP_TRAP_PATH static bool on_its_stack(const struct kp_thread_entry *e, uintptr_t sp)
{
	const struct kp_user_room *room = &e->thread.room;
	const struct kp_user_thread_steps *steps = kp_load_acquire(&above);

	if (room->from && sp - room->from + KP_THREAD_BELOW <= room->len + KP_THREAD_BELOW)
		return true;
	return room->context && steps && steps->on_other_stack(room->context, sp);
}

/* Who forked has been here before, or has not; NULL. */
KP_TRAP_PATH static struct kp_thread_entry *who_forked(uintptr_t self, int said, uintptr_t sp)
{
	struct kp_thread_entry *e, *found = NULL;

	for (e = next_entry(NULL); e; e = next_entry(e)) {
		if (e->real <= 0)
			continue;
		if (on_its_stack(e, sp))
			return e;
		if (e->self == self && (!found || (said && e->key == said)))
			found = e;
	}
	return found;
}

/* In the child, whose only thread is the caller. */
KP_TRAP_PATH static void take_over(uintptr_t sp)
{
	int real = sys_gettid(), said = number_here();
	struct kp_thread_entry *own = who_forked(kp_thread_pointer(true), said, sp);

	process = sys_getpid();
	learning = 0;
	forget_others(own);
	if (!own)
		return;
	/* It is asked anew who that is (identity.c): nothing else tells of the fork in time. */
	own->thread.own.tid = 0;
	/* A raw fork leaves its parent's number there, for ever. */
	if (said != own->key) {
		take_out(own, home_of(own));
		kp_store_relaxed(&own->key, said == real ? real : 0);
		own->real = real;
		put_in(own, home_of(own));
	}
	own->real = real;
}

KP_TRAP_PATH void kp_user_thread_fork(void)
{
	if (process && process != sys_getpid())
		take_over(kp_thread_stack_pointer());
}

/* ---- a thread's first look ---------------------------------------------------------- */

static struct kp_user_thread nobody;	/* there is no memory */

KP_TRAP_PATH static struct kp_thread_entry *make(int real, bool engines)
{
	struct kp_thread_entry *e;
	bool ask = !kp_user_filtered();
	int said;

	/* Asking for others is a system call, too. */
	if (ask)
		reap_some();
	e = take_free();
	if (!e && ask) {
		reap_all();
		e = take_free();
	}
	if (!e)
		e = take_new();
	if (!e)
		return NULL;
	e->self = kp_thread_pointer(ask);
	e->engines = engines;
	if (ask && !engines)
		learn(e->self, real);
	said = number_here();
	kp_store_relaxed(&e->key, said == real ? real : 0);
	/* Release: pairs with put_in's reader: all of it. */
	kp_store_release(&e->real, real);
	put_in(e, real);
	return e;
}

KP_TRAP_PATH static struct kp_thread_entry *claim(int real, bool engines)
{
	sys_sigset most = ~KP_SIG_OWN, before;
	struct kp_thread_entry *e;

	sys_sigprocmask(SIG_BLOCK, &most, &before);
	if (!kp_user_filtered()) {
		if (!process)
			process = sys_getpid();
		if (kp_user_ids_forked() && process != sys_getpid())
			take_over(kp_thread_stack_pointer());
	}
	/* By the child's own number now; or in a signal's handler, just now. */
	e = find(real, false);
	if (!e)
		e = make(real, engines);
	sys_sigprocmask(SIG_SETMASK, &before, NULL);
	return e;
}

/*
 * A thread whose number is nowhere about its thread pointer is asked for at each look.  One that
 * has begun with the program had no thread pointer yet, and gets its number some time after
 * that: it is looked for again at the 1st, 2nd, 4th, 8th ... of these looks.
 */
KP_TRAP_PATH static int look_again(struct kp_thread_entry *e, int real)
{
	unsigned int looks = ++e->looks;

	if (looks & (looks - 1) || kp_user_filtered())
		return number_here();
	e->self = kp_thread_pointer(true);
	learn(e->self, real);
	return number_here();
}

/* The word alone does not say it. */
KP_TRAP_PATH __attribute__((noinline)) struct kp_user_thread *kp_user_thread_look(void)
{
	uintptr_t sp = kp_thread_stack_pointer();
	int said = number_here(), real;
	struct kp_thread_entry *named = said ? find(said, true) : NULL, *e;
	const struct kp_user_thread_steps *steps = kp_load_acquire(&above);
	struct kp_user_thread *client;

	if (named && on_its_stack(named, sp))
		return &named->thread;
	client = steps ? steps->client(sp) : NULL;
	if (client)
		return client;
	/* The question may kill. */
	real = kp_user_filtered() && said ? said : sys_gettid();
	if (named && named->real == real)
		return &named->thread;
	e = find(real, false);
	if (e && !e->key && !e->engines)
		said = look_again(e, real);
	/* The word was another one when it claimed, or it is there by now. */
	if (e && !e->key && said == real)
		kp_store_relaxed(&e->key, real);
	if (!e && named && kp_user_in_vfork_child())
		return &named->thread;
	if (!e)
		e = claim(real, false);
	return e ? &e->thread : &nobody;
}

/* ---- who it is ------------------------------------------------------------------------ */

KP_TRAP_PATH int kp_user_pointer_owner(void)
{
	int real = kp_thread_entry_of(kp_user_thread())->real;

	return real > 0 ? real : sys_gettid();
}

KP_TRAP_PATH int kp_user_gettid(void)
{
	return kp_user_filtered() ? kp_user_pointer_owner() : sys_gettid();
}

void kp_user_thread_engines(void)
{
	int real = sys_gettid();

	if (!find(real, false))
		claim(real, true);
}

/* ---- its faults ------------------------------------------------------------------------ */

extern const struct { int32_t at, on; } __start_kp_thread_fixups[], __stop_kp_thread_fixups[]
	__attribute__((visibility("hidden")));

KP_TRAP_PATH bool kp_user_thread_fixup(uintptr_t *ip)
{
	const int32_t *fixup = &__start_kp_thread_fixups[0].at;

	for (; fixup < &__stop_kp_thread_fixups[0].at; fixup += 2)
		if (*ip == (uintptr_t)&fixup[0] + (uintptr_t)(long)fixup[0]) {
			*ip = (uintptr_t)&fixup[1] + (uintptr_t)(long)fixup[1];
			return true;
		}
	return false;
}

#endif
