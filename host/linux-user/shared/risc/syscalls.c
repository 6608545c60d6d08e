/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * syscalls.c - which system call instructions are watched, where instructions are words.
 *
 * Owns: finding them in an object's text, and the code beside it that a watched one
 * goes on in.  A breakpoint of ours stands on each that may ask for a call of interest:
 *
 *   its number is known     what sets it stands before it in straight code that no
 *                           branch of the function leads into, and it is not of
 *                           interest: it is left alone
 *   nothing is known        watched, as long as the description of its function for
 *                           unwinders, or what else the processor's numbers.c goes by,
 *                           shows that it is an instruction at all
 *
 * Locks: the registry lock.
 */
#include "machine.h"
#include "numbers.h"
#include "syscalls.h"
#include "text/intercept.h"
#include "text/stubs.h"
#include "objects/eh_frame.h"
#include "objects/engine.h"
#include "objects/objects.h"
#include "signals/calls.h"
#include "signals/outs_table.h"

#define FUNCTION_MAX (1ul << 20)

/* signal.S knows it; the kernel's frame begins with the siginfo_t. */
_Static_assert(sizeof(siginfo_t) == 128, "UC_AT");

/* There are no jumps in the place of what signal handlers return through. */
void kp_user_calls_settle(void)
{
}

static bool interesting(unsigned long nr)
{
	size_t i;

	if (kp_user_calls_all_wanted() && !kp_user_outs_none(nr))
		return true;
	for (i = 0; i < KP_CALLS_HELD; i++)
		if (kp_user_calls_held[i] == nr)
			return true;
	return false;
}

static void watch(uintptr_t call)
{
	struct kp_intercept intercept = {
		.addr = call, .kind = KP_INTERCEPT_SYSCALL, .second = kp_call_second(call),
	};
	int err;

	memcpy(intercept.original, (const void *)call, sizeof(intercept.original));
	if (kp_number_stub(call, &intercept.stub)) {
		kp_user_calls_miss(KP_CALLS_NO_STUB);
		return;
	}
	err = kp_user_intercept_add(&intercept);
	if (err && err != -EEXIST)
		kp_user_calls_miss(KP_CALLS_NO_ROOM);
}

static enum kp_number number_of(struct kp_object *object, uintptr_t begin,
				uintptr_t call, unsigned long *nr)
{
	uintptr_t start;
	size_t len;

	if (!kp_user_unwind_bounds(object, call, &start, &len))
		return kp_number_outside(object, begin, call, nr);
	return len < FUNCTION_MAX ? kp_number_of(start, start + len, call, nr)
				  : KP_NUMBER_ANY;
}

static void consider(struct kp_object *object, uintptr_t begin, uintptr_t call)
{
	unsigned long nr;
	enum kp_number known = number_of(object, begin, call, &nr);

	if (known == KP_NUMBER_NO_CALL && kp_user_calls_all_wanted())
		kp_user_calls_miss(KP_CALLS_NO_CODE);
	if (known == KP_NUMBER_ANY || (known == KP_NUMBER_KNOWN && interesting(nr) &&
				       !kp_number_spared(object, nr)))
		watch(call);
}

/* Find the calls in [start, start+len), readable text.  Not armed yet. */
void kp_user_calls_scan(struct kp_object *object, uintptr_t start,
			size_t len)
{
	static bool more;
	uintptr_t begin = (start + KP_CODE_UNIT - 1) & ~(uintptr_t)(KP_CODE_UNIT - 1);
	uintptr_t at;
	unsigned int i;

	for (i = 0; !more && (at = kp_number_more(i)); i++)
		if (!kp_user_intercept_overlaps(at, KP_SYSCALL_LEN))
			watch(at);
	more = true;
	for (at = begin; at + KP_SYSCALL_LEN <= start + len; at += KP_CODE_UNIT)
		if (kp_number_wanted(at) && !kp_user_in_engine(NULL, at) &&
		    !kp_user_intercept_overlaps(at, KP_SYSCALL_LEN))
			consider(object, begin, at);
	kp_number_end();
	if (kp_user_stubs_write()) {
		kp_user_calls_miss(KP_CALLS_NO_STUB);
		kp_user_intercept_forget(start, len);
	}
}
