/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * defer.c - work put off.
 *
 * Owns: a thread that is there only while work waits.  It sleeps until the work
 * is due, does it, and ends; so a program that counts its threads, changes its
 * user or leaves its namespaces finds itself alone again soon.  It takes no
 * signals but those of breakpoints, faults and seccomp filters.
 *
 *   IDLE --defer--> WAITING --due--> RUNNING --done--> IDLE
 *                      ^----defer-------+
 *
 * Making a thread waits for the dynamic linker's lock, whose holder may wait
 * for the registry lock (dso.c): so the thread is made when the registry lock
 * has been dropped.  Where none can be made, as in the program's own callbacks of
 * dl_iterate_phdr, which has the linker's lock, the work is done then and there.
 *
 * A forked child has no such thread: it does at once what waited (fork.c).
 *
 * Locks: the registry lock for kp_host_defer; the states change atomically.
 */
#include "threads/defer.h"
#include "atomic.h"
#include "host.h"
#include "signal_sets.h"
#include "sys.h"
#include "upcall.h"
#include "process/ids.h"
#include "process/writer.h"
#include "threads/contexts.h"
#include "threads/own_work.h"

#include <limits.h>
#include <linux/futex.h>
#include <linux/prctl.h>

#define STACK_LEN (256ul * 1024)
#define REST_MS 1000

enum { IDLE, WAITING, RUNNING };

static int state;			/* atomic; a futex for who waits for IDLE */
static int stopping;			/* atomic; a futex for the thread's sleep */
static long delay_ms;			/* written before WAITING */
static int thread_wanted;		/* atomic; whoever clears it makes it */

static void sleep_until_due(void)
{
	struct timespec time = { delay_ms / 1000, delay_ms % 1000 * 1000000 };

	sys4(SYS_futex, &stopping, FUTEX_WAIT_PRIVATE, 0, &time);
}

/* False: there is more to do. */
static bool change(int from, int to)
{
	return __atomic_compare_exchange_n(&state, &from, to, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static int thread_tid;			/* atomic; 0: there is none */
static int bare;			/* atomic; a futex: it has no capabilities */

KP_TRAP_PATH int kp_user_defer_tid(void)
{
	return kp_load_relaxed(&thread_tid);
}

static void work(void)
{
	kp_user_own_has_begun();			/* to its end */
	kp_store_relaxed(&thread_tid, sys_gettid());
	kp_user_drop_capabilities();
	/* Pairs with create(). */
	kp_store_release(&bare, 1);
	sys3(SYS_futex, &bare, FUTEX_WAKE_PRIVATE, INT_MAX);
	sys3(SYS_prctl, PR_SET_NAME, "kprobes", 0);
	do {
		sleep_until_due();
		/* Before the core looks at what there is to do: pairs with change() in kp_host_defer. */
		kp_store_release(&state, RUNNING);
		if (!kp_load_acquire(&stopping))
			kp_core_on_deferred();
	} while (!change(RUNNING, IDLE));
	sys3(SYS_futex, &state, FUTEX_WAKE_PRIVATE, INT_MAX);
}

/*
 * The program is about to give all threads a filter, which this one would die
 * of: let it end before.  Not for ever, since its work may wait for somebody.
 */
KP_TRAP_PATH void kp_user_defer_rest(void)
{
	int ms, tid;

	for (ms = 0; ms < REST_MS; ms++) {
		tid = kp_load_relaxed(&thread_tid);
		if (kp_load_acquire(&state) == IDLE &&
		    (!tid || kp_user_filtered() || kp_user_thread_over(tid)))
			return;
		sys_sleep_us(1000);
	}
}

static int create(void)
{
	/* Open: what setuid() sends to all threads, and waits for. */
	sys_sigset most = ~(KP_SIG_OWN | SYS_SIG(32) | SYS_SIG(33)), before;
	struct kp_user_context *own;
	int err;

	/* The thread inherits the mask. */
	sys_sigprocmask(SIG_BLOCK, &most, &before);
	own = kp_user_own_begin();
	kp_store_relaxed(&bare, 0);
	err = kp_user_own_thread(STACK_LEN, work);
	/* What the program gives up next, no thread of ours has. */
	while (!err && !kp_load_acquire(&bare))
		sys4(SYS_futex, &bare, FUTEX_WAIT_PRIVATE, 0, NULL);
	kp_user_own_end(own);
	sys_sigprocmask(SIG_SETMASK, &before, NULL);
	return err;
}

int kp_host_defer(unsigned int ms)
{
	kp_host_assert_locked(KP_LOCK_REGISTRY);
	if (kp_load_relaxed(&stopping))
		return -EAGAIN;
	if (kp_load_acquire(&state) == WAITING || change(RUNNING, WAITING))
		return 0;
	delay_ms = ms;
	kp_store_release(&state, WAITING);
	/* Pairs with kp_user_defer_unlocked: the state and the delay are there. */
	kp_store_release(&thread_wanted, 1);
	return 0;
}

void kp_user_defer_unlocked(bool (*must_not)(void))
{
	if (!kp_load_relaxed(&thread_wanted) ||
	    !__atomic_exchange_n(&thread_wanted, 0, __ATOMIC_ACQ_REL) ||
	    (!must_not() && !create()))
		return;
	kp_store_release(&state, IDLE);
	sys3(SYS_futex, &state, FUTEX_WAKE_PRIVATE, INT_MAX);
	kp_core_flush();
	kp_core_on_deferred();
}

void kp_host_defer_stop(void)
{
	int now;

	kp_store_release(&stopping, 1);
	sys3(SYS_futex, &stopping, FUTEX_WAKE_PRIVATE, INT_MAX);
	/* Pairs with change() in work(): what it did is done. */
	while ((now = kp_load_acquire(&state)) != IDLE)
		sys4(SYS_futex, &state, FUTEX_WAIT_PRIVATE, now,
		     (&(struct timespec){ 0, 10000000 }));
	kp_store_release(&stopping, 0);
}

/*
 * What waits is done now; who counts threads finds none that waits.  No lock
 * is held.
 */
void kp_user_defer_now(void)
{
	kp_core_flush();
	kp_host_defer_stop();
	kp_core_on_deferred();
	kp_user_writer_end();
}

/* In the child, which has no other thread: does work wait that nobody will do? */
bool kp_user_defer_fork(void)
{
	bool waits = state != IDLE;

	state = IDLE;
	stopping = 0;
	thread_wanted = 0;
	return waits;
}
