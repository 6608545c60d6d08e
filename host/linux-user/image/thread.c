/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * thread.c - threads of our own, where no C library makes them.
 *
 * Owns: their memory.  Above its stack a thread has the block that its thread pointer leads
 * into: its own address is there, as C libraries have it, and its number where they have that
 * (KP_TCB_TID), which the kernel clears when the thread is over.  All else is zeroes.
 *
 *   | guard | stack ... | block: BELOW | thread pointer, ABOVE |
 *
 * What a thread that is over has left serves the next one.
 *
 * Locks: one of its own, for the list.
 */
#include "atomic.h"
#include "face.h"
#include "machine.h"
#include "thread.h"
#include "freestanding/clone.h"
#include "freestanding/heap.h"
#include "freestanding/mutex.h"

#define PAGE	4096ul
#define GUARD	PAGE
#define BELOW	32768ul			/* more than any processor's C library has there */
#define ABOVE	8192ul
#define THREADS_MAX 8

static struct thread {
	char *base;			/* of its guard; NULL: none */
	size_t len;			/* of all of it */
	uintptr_t self;			/* its thread pointer */
	bool waited_for;		/* and was not yet */
	void (*fn)(void);
} threads[THREADS_MAX];
static int lock;

static int *tid_of(const struct thread *thread)
{
	return (int *)(thread->self + KP_TCB_TID);
}

static void begin(void *arg)
{
	const struct thread *thread = arg;

	/* Before anything that asks who it is. */
	kp_set_thread(thread->self);
	kp_user_thread_engines();
	thread->fn();
	for (;;)
		sys3(SYS_exit, 0, 0, 0);
}

static bool map(struct thread *thread, size_t len)
{
	char *base = kp_user_map_away(len, PROT_READ | PROT_WRITE, MAP_NORESERVE);

	if (!base)
		return false;
	sys3(SYS_mprotect, base, GUARD, PROT_NONE);
	thread->len = len;
	thread->self = (uintptr_t)base + len - ABOVE;
	/* Before kp_face_threads_each can see it. */
	kp_store_release(&thread->base, base);
	return true;
}

/* One that has memory of that length and is over, or that has none; NULL: there is none. */
static struct thread *take(size_t len)
{
	struct thread *thread, *empty = NULL;

	for (thread = threads; thread < threads + THREADS_MAX; thread++) {
		if (!thread->base)
			empty = thread;
		/* Pairs with the kernel's store: the thread has left its stack. */
		else if (thread->len == len && !kp_load_relaxed(&thread->waited_for) &&
			 !kp_load_acquire(tid_of(thread)))
			return thread;
	}
	return empty && map(empty, len) ? empty : NULL;
}

int kp_face_thread(uintptr_t *who, size_t stack_len, void (*fn)(void), bool waited_for)
{
	struct thread *thread;
	char *stack;
	long tid;

	kp_mutex_lock(&lock);
	thread = take(GUARD + stack_len + BELOW + ABOVE);
	tid = -ENOMEM;
	if (thread) {
		memset((void *)(thread->self - BELOW), 0, BELOW + ABOVE);
		*(uintptr_t *)thread->self = thread->self;
		thread->fn = fn;
		thread->waited_for = waited_for;
		stack = (char *)thread->self - BELOW;
		/* Pairs with kp_user_own_is_new. */
		kp_store_release(who, thread->self);
		tid = kp_user_clone(KP_CLONE_THREAD, stack, tid_of(thread), begin, thread);
	}
	if (tid < 0 && thread)
		thread->waited_for = false;
	kp_mutex_unlock(&lock);
	return tid < 0 ? (int)tid : 0;
}

void kp_face_thread_wait(uintptr_t who)
{
	int *tid = (int *)(who + KP_TCB_TID), now;
	struct thread *thread;

	/* Pairs with the kernel's store, whose wake is not a private one. */
	while ((now = kp_load_acquire(tid)))
		sys4(SYS_futex, tid, FUTEX_WAIT, now, NULL);
	for (thread = threads; thread < threads + THREADS_MAX; thread++)
		if (thread->self == who)
			kp_store_relaxed(&thread->waited_for, false);
}

uintptr_t kp_face_self(void)
{
	return kp_user_pointer();
}

void kp_face_threads_each(kp_user_range_fn each, void *arg)
{
	struct thread *thread;

	for (thread = threads; thread < threads + THREADS_MAX; thread++)
		if (kp_load_acquire(&thread->base))
			each(arg, (uintptr_t)thread->base, thread->len);
}

/* In a forked child there is none but the caller, which may be one that a module made. */
void kp_face_threads_fork(void)
{
	struct thread *thread;

	lock = 0;
	for (thread = threads; thread < threads + THREADS_MAX; thread++)
		if (thread->base && thread->self != kp_face_self())
			*tid_of(thread) = 0;
}
