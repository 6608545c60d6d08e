// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * put_back.c - real return addresses, where a stub's stands.
 *
 * Owns: finding where a task keeps the return address of a call that it is in, when the engine
 * is to go and the task sleeps; it may do so for ever.  The machine is stopped (quiesce.c), and
 * nobody is in a stub or in the engine.
 *
 * Where calls push it, the frame says where it stands (KP_RETURN_AT_FRAME).  Elsewhere a function
 * finds it in a register, and keeps it in its own frame, which is below the stack pointer that it
 * was called with: as it is, or signed.  Whoever was interrupted has his registers on the same
 * stack, below that.  A task that is switched out has no other place for it.  So all words there
 * that are the stub's address become the real one; one at least has to be there.  What a kernel
 * keeps on a second stack (CONFIG_SHADOW_CALL_STACK) is not known here.
 *
 * Another tracer may have hooked the call after us: then his address stands there, and ours is
 * in his notes.  At the frame that shows; elsewhere a task is left alone on whose stack there is
 * such an address.
 *
 * And a call may be over though nothing returned from it: an idle task begins anew where its stack
 * begins when its processor comes back.  Then no stub's address is left between its stack pointer
 * and the frame, nor in the registers that were saved when it was switched out.
 *
 * Locks: none.
 */
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include "compat/task.h"
#include "local.h"

#ifndef kp_return_signed
#define kp_return_signed(task, frame, addr)	(addr)
#define kp_return_stripped(word)		(word)
#endif

/* Where calls return to that others have hooked. */
static unsigned long others[4];

void kp_put_back_prepare(void)
{
	others[0] = kp_symbols_find("return_to_handler");
	others[1] = kp_symbols_find("arch_rethook_trampoline");
	others[2] = kp_symbols_find("__kretprobe_trampoline");
	others[3] = kp_symbols_find("kretprobe_trampoline");
}

static bool is_others(unsigned long word)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i] && word == others[i])
			return true;
	return false;
}

#ifdef KP_RETURN_AT_FRAME

static bool put_back(unsigned long *from, unsigned long *frame, unsigned long *top,
		     struct task_struct *task, uintptr_t stub, uintptr_t real)
{
	(void)task;
	if (frame < from || frame >= top || READ_ONCE_NOCHECK(*frame) != stub)
		return false;
	WRITE_ONCE(*frame, real);
	return true;
}

#else

static bool put_back(unsigned long *from, unsigned long *frame, unsigned long *top,
		     struct task_struct *task, uintptr_t stub, uintptr_t real)
{
	unsigned long signed_stub = kp_return_signed(task, (unsigned long)frame, stub);
	unsigned long signed_others, *word;
	bool found = false;
	int i;

	if (IS_ENABLED(CONFIG_SHADOW_CALL_STACK) || frame < from || frame > top)
		return false;
	for (word = from; word < frame; word++) {
		if (is_others(READ_ONCE_NOCHECK(*word)))
			return false;
		found |= READ_ONCE_NOCHECK(*word) == stub ||
			 READ_ONCE_NOCHECK(*word) == signed_stub;
	}
	if (!found)
		return false;
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		signed_others = kp_return_signed(task, (unsigned long)frame, others[i]);
		for (word = from; others[i] && word < frame; word++)
			if (READ_ONCE_NOCHECK(*word) == signed_others)
				return false;
	}
	for (word = from; word < frame; word++) {
		if (READ_ONCE_NOCHECK(*word) == signed_stub)
			WRITE_ONCE(*word, kp_return_signed(task, (unsigned long)frame, real));
		else if (READ_ONCE_NOCHECK(*word) == stub)
			WRITE_ONCE(*word, real);
	}
	return true;
}

#endif

/*
 * Where the words of a task's stack begin and end that are in use.  A task that is on a CPU, now,
 * is the one that keeps it stopped: where its stack ends is not known, but its calls of that time
 * are below those that were hooked.
 */
static bool stack_of(const struct kp_task *known, unsigned long **from, unsigned long **top)
{
	struct task_struct *task = known->task;
	unsigned long *bottom;

	if (kp_host_task_gone(known))
		return false;
	bottom = task_stack_page(task);
	if (!bottom)
		return false;
	*top = bottom + THREAD_SIZE / sizeof(*bottom);
	*from = READ_ONCE(task->on_cpu) ? bottom : (unsigned long *)READ_ONCE(*kp_task_sp(task));
	return *from >= bottom && *from < *top;
}

bool kp_host_put_back(const struct kp_task *known, uintptr_t frame, uintptr_t stub, uintptr_t real)
{
	unsigned long *from, *top;

	if (!IS_ALIGNED(frame, sizeof(*from)) || !stack_of(known, &from, &top))
		return false;
	return put_back(from, (unsigned long *)frame, top, known->task, stub, real);
}

/* So many words about the stack pointer hold all registers that are saved with it. */
#define SAVED_WORDS 12

static bool leads_to_stub(const unsigned long *from, const unsigned long *to)
{
	unsigned long word;

	for (; from < to; from++) {
		word = kp_return_stripped(READ_ONCE_NOCHECK(*from));
		if (kp_core_is_stub(word) || is_others(word))
			return true;
	}
	return false;
}

bool kp_host_call_over(const struct kp_task *known, uintptr_t frame)
{
	struct task_struct *task = known->task;
	unsigned long *from, *top, *at = (unsigned long *)frame, *saved;

	if (IS_ENABLED(CONFIG_SHADOW_CALL_STACK) || !IS_ALIGNED(frame, sizeof(*at)) ||
	    !stack_of(known, &from, &top) || READ_ONCE(task->on_cpu) ||
	    at < (unsigned long *)task_stack_page(task) || at >= top)
		return false;
	saved = kp_task_sp(task);
	/* With the word at the frame, where calls push it there. */
	return !leads_to_stub(from, at + 1) &&
	       !leads_to_stub(saved - SAVED_WORDS, saved + SAVED_WORDS);
}
