/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * thread_table.h - the calling thread's own where there is no thread-local storage.
 *
 * Owns: the fast way to it.  thread_table.c has the slow one, and fills the table.
 *
 * The C library, or the language's runtime, keeps each thread's number at one distance from
 * the thread pointer.  That word leads to a slot, and the slot to an entry with the same
 * number: one thread's.  A number is no other living thread's, so a thread that has got the
 * thread pointer of one that ended finds nothing.
 *
 * The word lies where threads share a thread pointer (a raw clone(), a child of vfork), and
 * somebody else's stands there.  So it is believed only on a stack that is known to be the
 * entry's: that is what the room (stack.c) says, and what is looked at here.  Elsewhere the
 * kernel is asked.
 *
 *   word                   at the thread pointer
 *   key                    of an entry: what its thread's word says; 0: it says somebody else
 *   real                   of an entry: the thread's number; 0: free
 */
#ifndef KP_USER_THREAD_TABLE_H
#define KP_USER_THREAD_TABLE_H

#include "atomic.h"
#include "thread_word.h"

#define KP_THREAD_SLOTS 65536u
#define KP_THREAD_NO_WORD 1l		/* no int stands there */
#define KP_THREAD_BELOW 8192ul		/* so much belongs to a room, below it (stack.c) */

struct kp_thread_entry {
	int real;			/* atomic */
	bool engines;			/* the thread is one of ours */
	uintptr_t self;			/* its thread pointer */
	int key __attribute__((aligned(8)));	/* 8 bytes before .thread: env_asm.h */
	unsigned int looks;		/* without a key, so often */
	struct kp_user_thread thread;
};
_Static_assert(offsetof(struct kp_thread_entry, thread) -
	       offsetof(struct kp_thread_entry, key) == 8, "env_asm.h");

/*
 * Where entries are, counted from .slot: an empty one leads to .slot itself, in whose place
 * nothing can be found, since the first slots stay empty.
 */
struct kp_thread_table {
	int none, unused;		/* that one's key */
	uintptr_t slot[KP_THREAD_SLOTS];
};
extern struct kp_thread_table kp_user_threads __attribute__((visibility("hidden")));
extern long kp_user_thread_word __attribute__((visibility("hidden")));	/* atomic */

struct kp_user_thread *kp_user_thread_look(void);

static inline struct kp_thread_entry *kp_thread_entry_of(struct kp_user_thread *thread)
{
	return (struct kp_thread_entry *)(void *)
		((char *)thread - offsetof(struct kp_thread_entry, thread));
}

/* The calling thread's.  Any context. */
static inline __attribute__((__always_inline__)) struct kp_user_thread *
kp_user_thread(void)
{
	long word = kp_load_relaxed(&kp_user_thread_word);
	uintptr_t sp = kp_thread_stack_pointer(), slot;
	struct kp_user_thread *thread;
	int tid;

	if (__builtin_expect(word & KP_THREAD_NO_WORD, 0))
		return kp_user_thread_look();
	tid = kp_thread_number(word);
	/* Only the thread itself looks for what is its own. */
	slot = kp_load_relaxed(&kp_user_threads.slot[(unsigned int)tid % KP_THREAD_SLOTS]);
	thread = (struct kp_user_thread *)(void *)((char *)kp_user_threads.slot + slot);
	if (__builtin_expect(kp_load_relaxed(&kp_thread_entry_of(thread)->key) == tid &&
			     sp - thread->room.from + KP_THREAD_BELOW <=
				     thread->room.len + KP_THREAD_BELOW, 1))
		return thread;
	return kp_user_thread_look();
}

/* The thread pointer; and what no other thread has at the same time. */
static inline uintptr_t kp_user_pointer(void)
{
	return kp_thread_entry_of(kp_user_thread())->self;
}

static inline uintptr_t kp_user_self(void)
{
	return (uintptr_t)kp_user_thread();
}

/* In a forked child, whose only thread is the caller. */
void kp_user_thread_fork(void);
/* A fault of kp_thread_number's, or of env_asm.h's: *ip is where to go on without. */
bool kp_user_thread_fixup(uintptr_t *ip);
/* A thread of ours says so, as the first thing that it does. */
void kp_user_thread_engines(void);

#endif
