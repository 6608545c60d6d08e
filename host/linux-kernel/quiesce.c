// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * quiesce.c - waiting until nobody is there any more.
 *
 * Owns: the choice of the kernel's primitives, and why each is enough.
 *
 * Handlers run inside a trap: preemption off, RCU watching (an int3 enters
 * like an NMI, which makes RCU watch even in the idle loop).  A CPU in such a
 * stretch reports no quiescent state, on every preemption model, so
 * synchronize_rcu waits for it.  The expedited form gives the same guarantee
 * in 50 us instead of 15 ms; it interrupts the other CPUs, as patching does.
 *
 * Tasks may rest in a slot: the copy runs with preemption as in the probed
 * code, and a copy that touches user memory may sleep in the page fault.
 * synchronize_rcu_tasks does not see the latter (it is a voluntary sleep) and
 * many kernels lack it.  So: stop the machine.  Every CPU then runs its
 * stopper task, every other task has been switched out, and whoever is in a
 * slot has an interrupt's or fault's frame with that address on its stack.
 * So has whoever was interrupted in the engine's own code on the way from a
 * jump's head to its handlers or back, which returns into the head.
 * Where functions return through a thunk, their last instructions are in the
 * kernel's text, and all that leads to us is what they are about to return to:
 * the word at the interrupted code's stack pointer, or the next one (SRSO's
 * thunk calls another).
 * Idle tasks are switched out in their loop only, never in a slot.
 *
 * What a trap left stands on for as long as nobody writes there, also between the words of
 * frames that live.  So a frame has to lie where the stack ended that it interrupted, and
 * be led to, where each leads to the next; if it is seen, while the module is loaded, that
 * frames do so here (kp_frames_learn).  Otherwise each word that may be one is believed:
 * then a task that sleeps long may keep the module from going as long.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/smp.h>
#include <linux/stop_machine.h>
#include "compat/module_text.h"
#include "local.h"

/*
 * So many bytes below what it interrupted a frame may end: alignment, and what entries put
 * there; a sleeping task's, if that is less.
 */
#define GAP		128
#ifndef KP_FRAME_GAP
#define KP_FRAME_GAP	GAP
#endif

#ifndef kp_frame_lives
#define kp_frame_lives(at, regs, first)	true
#define kp_task_fp(task)		NULL
#endif

#define TRIES		200
#define PAUSE_MS	10

static void sync_this_core(void *unused)
{
	kp_sync_this_core();
}

void kp_host_sync_cores(void)
{
	on_each_cpu(sync_this_core, NULL, 1);
}

void kp_host_wait_handlers(void)
{
	synchronize_rcu_expedited();
}

struct place {
	uintptr_t base;
	size_t len;
	struct task_struct *caller;	/* is in our code, and waits */
	bool stubs;			/* and the stubs, but not who has yet to return there */
};

static bool is_ours(unsigned long ip)
{
	return kp_text_part_has(kp_module_core(THIS_MODULE), ip);
}

static bool is_in(const struct place *place, unsigned long ip)
{
	return ip - place->base < place->len || is_ours(ip) ||
	       (place->stubs && kp_core_is_stub(ip));
}

/* Is word, which is about to be returned to, there? */
static bool leads_in(const struct place *place, unsigned long word)
{
	return is_in(place, word) && !(place->stubs && kp_core_is_stub(word));
}

/* Is the code that was interrupted at frame in the place, or returning to it? */
static bool frame_is_in(const struct place *place, const unsigned long *frame,
			const unsigned long *bottom, const unsigned long *top)
{
	const unsigned long *sp;
	int i;

	if (is_in(place, READ_ONCE_NOCHECK(frame[0])))
		return true;
	if (frame + KP_FRAME_SP >= top)
		return false;
	sp = (const unsigned long *)kp_frame_sp(frame);
	if (sp < bottom || !IS_ALIGNED((unsigned long)sp, sizeof(*sp)))
		return false;
	for (i = 0; i < KP_RETURNS_UNDER_WAY && sp + i < top; i++)
		if (leads_in(place, READ_ONCE_NOCHECK(sp[i])))
			return true;
	return false;
}

/* ---- what is a frame ----------------------------------------------------------------- */

static bool learnt;		/* they are as is_placed() and kp_frame_lives() say; written once */

static const struct pt_regs *regs_of(const unsigned long *frame)
{
	return (const void *)((const char *)frame - offsetof(struct pt_regs, KP_FRAME_PC));
}

static bool is_placed(const unsigned long *frame, unsigned long gap)
{
	return kp_frame_sp(frame) - (unsigned long)(regs_of(frame) + 1) <= gap;
}

static bool looks_like_frame(const unsigned long *word)
{
	return kp_is_frame(word) && (!learnt || is_placed(word, KP_FRAME_GAP));
}

/* Of a trap that is being handled. */
void kp_frames_learn(const struct pt_regs *regs)
{
	const unsigned long *frame = (const unsigned long *)&regs->KP_FRAME_PC;

	learnt = kp_is_frame(frame) && is_placed(frame, GAP) &&
		 kp_frame_lives(__builtin_frame_address(0), regs, task_pt_regs(current));
}

bool kp_frames_learnt(void)
{
	return learnt;
}

/* ---- who is there -------------------------------------------------------------------- */

static bool rests_in(struct task_struct *task, const struct place *place)
{
	unsigned long *bottom = task_stack_page(task);
	unsigned long *top, *word;

	if (!bottom || READ_ONCE(task->on_cpu))
		return false;
	top = bottom + THREAD_SIZE / sizeof(*bottom);
	word = (unsigned long *)READ_ONCE(*kp_task_sp(task));
	if (word < bottom || word >= top)
		return false;
	for (; word + KP_FRAME_LAST < top; word++)
		if (looks_like_frame(word) && frame_is_in(place, word, bottom, top) &&
		    (!learnt || kp_frame_lives(kp_task_fp(task), regs_of(word), task_pt_regs(task))))
			return true;
	return false;
}

/* In the stopped machine: is any task in the range?  1 or 0. */
static int anyone_in(void *arg)
{
	const struct place *place = arg;
	struct task_struct *process, *task;

	for_each_process_thread(process, task)
		if (task != place->caller && rests_in(task, place))
			return 1;
	return 0;
}

/* ---- nobody else --------------------------------------------------------------------- */

struct alone {
	struct place place;
	void (*fn)(void *arg);
	void *arg;
};

static int if_nobody_is_in(void *arg)
{
	const struct alone *alone = arg;

	if (anyone_in((void *)&alone->place))
		return 1;
	alone->fn(alone->arg);
	return 0;
}

int kp_host_alone(void (*fn)(void *arg), void *arg)
{
	struct alone alone = { { .caller = current, .stubs = true }, fn, arg };
	int i;

	kp_put_back_prepare();
	for (i = 0; i < TRIES; i++) {
		if (!stop_machine(if_nobody_is_in, &alone, NULL))
			return 0;
		msleep(PAUSE_MS);
	}
	return -EBUSY;
}

int kp_host_wait_tasks(uintptr_t base, size_t len)
{
	struct place place = { base, len, current };
	int i;

	for (i = 0; i < TRIES; i++) {
		/* One CPU looks while the others wait. */
		if (!stop_machine(anyone_in, &place, NULL))
			return 0;
		msleep(PAUSE_MS);
	}
	return -EBUSY;
}
