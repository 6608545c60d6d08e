/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * newborn.c - a thread of ours that is being made.
 *
 * Owns: who it is: that is told before there is a thread, and a thread's first hit compares, so
 * that it is one of ours from its first instruction on.
 *
 * Locks: none.  One thread at a time makes others: the maker's word is atomic.
 */
#include "threads/newborn.h"
#include "atomic.h"
#include "face.h"
#include "thread.h"

static uintptr_t made;			/* being made (face.h); atomic, 0: none */
static uintptr_t self_offset;		/* from the thread pointer to kp_face_self() */

/* Of the calling thread, which has no context yet. */
KP_TRAP_PATH bool kp_user_newborn(void)
{
	/* Pairs with kp_user_newborn_make: the offset is there. */
	uintptr_t who = kp_load_acquire(&made);

	return who && who == kp_user_pointer() + self_offset;
}

int kp_user_newborn_make(size_t stack_len, void (*fn)(void))
{
	int err;

	self_offset = kp_face_self() - kp_user_pointer();
	/* Written before there is a thread. */
	err = kp_face_thread(&made, stack_len, fn, false);
	if (err)
		made = 0;
	return err;
}

/* By the thread itself.  When it has ended, a thread of the program's may be where it was. */
void kp_user_newborn_begun(void)
{
	uintptr_t self = kp_face_self();

	/*
	 * Pairs with the acquire in kp_user_newborn.  Another thread may be being made by now,
	 * which stays.
	 */
	__atomic_compare_exchange_n(&made, &self, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/* In a forked child there is none that begins. */
void kp_user_newborn_fork(void)
{
	made = 0;
}
