/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * thread_stack.c - which stack is a thread's own.
 *
 * Owns: the answer, for the first thread and for those that the C library has made: a stack that
 * ends with its thread.  Any other may be a coroutine's.
 *
 * Trap path: no lock, no heap, no C library.
 */
#include "threads/thread_stack.h"
#include "face.h"
#include "machine.h"
#include "thread.h"
#include "freestanding/copy.h"
#include "process/writer.h"
#include "threads/contexts.h"

#include <sys/auxv.h>
#include <sys/resource.h>

#define PAGE 4096ul
#define FIRST_STACK (8ul << 20)		/* at most, of the first thread's */

/*
 * The stack that the C library made the thread with: that ends with it.  The
 * library keeps what describes the thread at that stack's upper end, behind the
 * thread pointer, and in it where the stack is: two words, an address below
 * and the length up to a little above.  Where they stand differs from version
 * to version; nothing else looks like them.  The first thread has none, nor has
 * one that the program made by itself: their calls are not known to be over.
 */
#define DESCRIPTION_LEN 4096
#define STACK_LEAST 4096ul
#define STACK_MOST ((size_t)1 << (sizeof(size_t) == 8 ? 40 : 30))	/* nor is a pointer a length */

KP_TRAP_PATH static bool describes(uintptr_t start, size_t len, uintptr_t self)
{
	return start < self && len >= STACK_LEAST && len < STACK_MOST &&
	       start + len > self && start + len - self <= DESCRIPTION_LEN;
}

KP_TRAP_PATH bool kp_user_thread_stack(uintptr_t self, uintptr_t *start,
				       size_t *len)
{
	uintptr_t words[2], at, end, known = (self + KP_TCB_FIRST) / PAGE;

	for (at = self + KP_TCB_FIRST; at < self + KP_TCB_FIRST + DESCRIPTION_LEN;
	     at += sizeof(words[0])) {
		/* A thread that is beginning has blocked the signal of a fault. */
		end = (at + sizeof(words) - 1) / PAGE;
		if ((end != known && !kp_user_readable(end * PAGE)) ||
		    kp_user_copy(words, (const void *)at, sizeof(words)))
			return false;
		known = end;
		if (!describes(words[0], words[1], self))
			continue;
		*start = words[0];
		*len = words[1];
		return true;
	}
	return false;
}

/*
 * The first thread's stack grows to its limit, which need not be tried; where it
 * began, the kernel has put what AT_RANDOM says.
 */
static uintptr_t first_top;		/* written once at start; or 0 */
static unsigned long first_len;

void kp_user_thread_stack_init(void)
{
	uintptr_t top = kp_face_auxv(AT_RANDOM);
	unsigned long limit = FIRST_STACK;
	struct { uint64_t now, most; } rlimit;

	if (!sys4(SYS_prlimit64, 0, RLIMIT_STACK, NULL, &rlimit) && rlimit.now < limit)
		limit = (unsigned long)rlimit.now;
	if (!top || top < limit)
		return;
	first_top = top;
	first_len = limit;
}

size_t kp_user_first_stack(uintptr_t *top)
{
	*top = first_top;
	return first_len;
}

/* Is it the thread's own stack from low to sp? */
KP_TRAP_PATH bool kp_user_is_threads(uintptr_t low, uintptr_t sp)
{
	struct kp_user_context *ctx = kp_user_thread()->room.context;

	if (first_top - sp < first_len && first_top - low < first_len)
		return true;
	/* One that works with its asker's thread pointer has a stack of ours. */
	if (kp_user_is_writer())
		return true;
	if (!ctx)
		return false;
	if (!ctx->made_known) {
		/* Before the look: where that faults, the fault asks here again. */
		ctx->made_known = true;
		kp_user_thread_stack(kp_user_pointer(), &ctx->made_at,
				     &ctx->made_len);
	}
	return sp - ctx->made_at < ctx->made_len && low - ctx->made_at < ctx->made_len;
}

KP_TRAP_PATH bool kp_user_is_threads_stack(uintptr_t sp)
{
	return kp_user_is_threads(sp, sp);
}

bool kp_user_stack_of(uintptr_t self, uintptr_t sp, uintptr_t *start, size_t *len)
{
	if (first_top - sp >= first_len)
		return kp_user_thread_stack(self, start, len) && sp - *start < *len;
	*start = first_top - first_len;
	*len = first_len;
	return true;
}
