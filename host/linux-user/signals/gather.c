/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gather.c - starting in a process that already has threads.
 *
 * Owns: the list of threads that are being gathered, while it runs.
 *
 * A thread that has SIGTRAP blocked when it meets the first breakpoint dies, and any thread may
 * be inside one of the C library's blocked regions at any moment.  So all of them are brought to
 * a known place first:
 *
 * 1. A signal that the program does not use is sent to every other thread.
 * 2. Each arrives in our handler, which it can only do with that signal open;
 *    SIGTRAP is taken out of the mask that it will return to, and it waits.
 * 3. When all wait, the host's breakpoints are written.
 * 4. All continue.
 *
 * A thread that keeps all signals blocked never arrives: then nothing is written and the engine
 * does not start.
 */
#include "signals/gather.h"
#include "atomic.h"
#include "machine.h"
#include "signal_sets.h"
#include "process/threads.h"
#include "process/writer.h"
#include "threads/contexts.h"

#define TRAP SYS_SIG(SIGTRAP)
#define THREADS_MAX 4096
#define PATIENCE_US 2000000

static int arrived, released;
static int tids[THREADS_MAX];
static int tids_nr;

void kp_user_on_gather(int sig, siginfo_t *info, void *context)
{
	sys_sigset *mask = kp_user_mask_of(context);
	struct kp_user_context *ctx = kp_user_context();

	(void)sig;
	(void)info;
	if (kp_load_acquire(&released))
		return;
	if (ctx)
		ctx->trap_blocked = sys_any(*mask & TRAP);
	*mask &= ~TRAP;
	/* Release: pairs with the acquire in all_here. */
	__atomic_fetch_add(&arrived, 1, __ATOMIC_RELEASE);
	/* Pairs with kp_user_gather: what fn did is seen. */
	while (!kp_load_acquire(&released))
		sys_sleep_us(50);
	/* Pairs with kp_user_gather, which takes the handler away. */
	__atomic_fetch_sub(&arrived, 1, __ATOMIC_RELEASE);
}

static bool known(int tid)
{
	int i;

	for (i = 0; i < tids_nr; i++)
		if (tids[i] == tid)
			return true;
	return false;
}

static bool call_one(int tid, void *sig)
{
	if (!known(tid) && tids_nr < THREADS_MAX &&
	    !sys3(SYS_tgkill, sys_getpid(), tid, *(int *)sig))
		tids[tids_nr++] = tid;
	return false;
}

/* Call the threads that were not called yet: how many, or -errno. */
static int call_new(int sig)
{
	int before = tids_nr, err = kp_user_each_thread(call_one, &sig);

	return err ? err : tids_nr - before;
}

static int living(void)
{
	int pid = sys_getpid(), i, nr = 0;

	for (i = 0; i < tids_nr; i++)
		nr += !sys3(SYS_tgkill, pid, tids[i], 0);
	return nr;
}

static bool all_here(int sig)
{
	long waited;

	for (waited = 0; waited < PATIENCE_US; waited += 100) {
		/* Threads that were not stopped yet may have made new ones. */
		if (kp_load_acquire(&arrived) >= living() && !call_new(sig))
			return true;
		sys_sleep_us(100);
	}
	return false;
}

static int unused_signal(void)
{
	struct sys_sigaction act;
	int sig;

	for (sig = 64; sig > 34; sig--)
		if (!sys_sigaction(sig, NULL, &act) &&
		    act.handler == (void *)SIG_DFL)
			return sig;
	return 0;
}

bool kp_user_alone(void)
{
	int nr;

	/* Nothing is sent to a thread of ours. */
	kp_user_writer_end();
	tids_nr = 0;
	nr = call_new(0);
	tids_nr = 0;
	return !nr;
}

/*
 * Run fn while no other thread can be in a blocked region.  fn must not need
 * anything that another thread may hold: no heap, no dynamic linker.
 * 0, or -EBUSY: some thread did not come.
 */
int kp_user_gather(int (*fn)(void))
{
	struct sys_sigaction dfl = { .handler = (void *)SIG_DFL }, act = {
		.handler = KP_SIGNAL_ENTRY(gather),
		.flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART,
		.mask = ~KP_SIG_OWN,
	};
	int sig, err = -EBUSY;

	if (kp_user_alone())
		return fn();
	kp_sig_returns(&act);
	sig = unused_signal();
	if (!sig || sys_sigaction(sig, &act, NULL))
		return -EBUSY;
	kp_store_release(&released, 0);
	call_new(sig);
	if (all_here(sig))
		err = fn();
	/* Pairs with kp_user_on_gather. */
	kp_store_release(&released, 1);
	while (kp_load_acquire(&arrived) > 0)
		sys_sleep_us(50);
	/* A thread that did not come will still get the signal: keep it. */
	if (!err)
		sys_sigaction(sig, &dfl, NULL);
	return err;
}
