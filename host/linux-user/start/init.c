/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * init.c - start and end of the engine in a process.
 *
 * Owns: the order of both.  Start: on loading, before main; idempotent.  End:
 * at exit all text is restored, but handlers stay installed and memory mapped,
 * since other threads still run and may be on their way into a breakpoint.  Where a
 * module wants to see the process to its last instruction, nothing is restored: the
 * engine works without any other destructor's help, and its memory goes with the process.
 */
#include "start/init.h"
#include "atomic.h"
#include "host.h"
#include "upcall.h"
#include "vectors.h"
#include "process/ids.h"
#include "process/surface.h"
#include "process/writer.h"
#include "log/log.h"
#include "log/sink.h"
#include "threads/barrier.h"
#include "threads/contexts.h"
#include "threads/lock.h"
#include "threads/stack.h"
#include "text/intercept.h"
#include "objects/clock.h"
#include "objects/dso.h"
#include "objects/engine.h"
#include "signals/calls.h"
#include "signals/gather.h"
#include "signals/mask.h"
#include "signals/seccomp.h"
#include "watch/disturbed.h"
#include "watch/pages.h"
#include "watch/passage.h"
#include "traps/quiesce.h"
#include "traps/trap.h"
#include "modules/load.h"
#include "start/fork.h"
#include "start/wiring.h"

#include <kprobes/process.h>

/* 0 before, 1 while, 2 after start; 3 after the end; 4 ended for now. */
static int state;

static bool again;			/* it has been started before */

/* The calling thread's part.  mask: its own. */
static int prepare(sys_sigset mask)
{
	int err;

	kp_user_lock_init(&kp_user_lock_steps);
	kp_user_thread_init(&kp_user_thread_steps);
	if (!again) {
		kp_user_log_init();
		kp_arch_vectors_start();
		kp_user_barrier_init();
		kp_user_fork_init();
	}
	kp_user_ids_init();
	kp_user_stack_init();
	kp_user_clock_init();
	err = kp_user_trap_start();
	if (err)
		return err;
	kp_user_mask_start(mask);
	kp_user_pages_know_thread();
	return 0;
}

/* The objects; with *arm also the host's own breakpoints. */
static int look(void *arm)
{
	kp_user_dso_init(&kp_user_dso_steps);
	/* A breakpoint that is hit with SIGTRAP blocked kills. */
	if (kp_user_calls_missed()) {
		kp_user_trap_end();
		kp_user_mask_end();
		return -ENOSPC;
	}
	kp_core_set_optimization(true);
	again = true;
	return *(bool *)arm ? kp_user_intercept_start() : 0;
}

static int start(void)
{
	sys_sigset mask = sys_set_of(0);
	bool alone;
	int err;

	sys_sigprocmask(SIG_BLOCK, NULL, &mask);
	err = prepare(mask);
	if (err)
		return err;
	alone = kp_user_alone();
	kp_user_alt_stacks_watched(alone);
	/* By one writer: it reads files and writes memory of ours. */
	err = kp_user_write_call(look, &alone);
	if (!err && !alone)
		err = kp_user_gather(kp_user_intercept_start);
	if (!err)
		kp_user_dso_watched();
	return err;
}

/* For attach.c, which has no other caller at the same time. */
int kp_user_prepare(sys_sigset mask)
{
	bool arm = false;
	int err;

	kp_store_relaxed(&state, 1);
	kp_user_alt_stacks_watched(false);
	err = prepare(mask);
	if (!err)
		err = kp_user_write_call(look, &arm);
	/* Pairs with kp_process_start: the engine is ready. */
	kp_store_release(&state, err ? 0 : 2);
	return err;
}

/*
 * Modules and probes; the host's own breakpoints stay.  -errno: so do some of
 * the probes'.
 */
int kp_user_clear(void)
{
	int err;

	kp_shim_unload(true);
	err = kp_core_clear();
	kp_user_dso_drop_symbols();
	return err;
}

/*
 * The host's own breakpoints, while all other threads are stopped: from now on
 * the kernel's masks are the program's.  Handlers stay for traps on their way.
 * -EAGAIN: a stopped thread is at work on the registry.  Otherwise -errno: they
 * stay.
 */
int kp_user_disarm(void)
{
	int err;

	if (!kp_user_trylock(KP_LOCK_REGISTRY))
		return -EAGAIN;
	/* A call that waits comes back to a breakpoint. */
	if (kp_user_passages_left()) {
		kp_user_unlock(KP_LOCK_REGISTRY);
		return -EBUSY;
	}
	err = kp_user_intercept_stop();
	kp_user_unlock(KP_LOCK_REGISTRY);
	return err;
}

/* No trap is on its way.  Other threads are stopped: no lock, no heap. */
void kp_user_finish(void)
{
	kp_user_pages_end();
	kp_user_trap_end();
	kp_user_mask_end();
	kp_user_adopted_end();
	kp_store_release(&state, 4);
}

int kp_process_start(void)
{
	static int result;
	int before = 0;

	if (__atomic_compare_exchange_n(&state, &before, 1, false,
					__ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
		result = start();
		if (result)
			kp_user_start_failed(result == -ENOSPC ? kp_user_calls_missed()
				: result == -EBUSY
				? "the engine did not start: a thread keeps all signals blocked, SIGTRAP too, and would be killed by a breakpoint"
				: "the engine did not start: the kernel refused the handler of SIGTRAP");
		if (kp_user_not_started())
			kp_host_log(KP_LOG_ERROR, "kprobes: %s", kp_user_not_started());
		if (!result)
			kp_user_surface_running();
		/* Pairs with those who wait below: the result is there. */
		kp_store_release(&state, 2);
		return result;
	}
	while (kp_load_acquire(&state) == 1)
		sys3(SYS_sched_yield, 0, 0, 0);
	return before == 4 ? -ENODEV : result;
}

/* The program ends, and its other threads may still run. */
void kp_user_end(void)
{
	int before = 2;

	/* A forked child that still shares nothing ends like its parent. */
	if (!__atomic_compare_exchange_n(&state, &before, 3, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
		return;
	/* The process goes, and its text with it. */
	if (kp_user_filter_harms_exit())
		return;
	kp_user_quiesce_end();
	kp_user_sink_end();
	if (kp_shim_unload(false))
		return;
	kp_core_stop();
	kp_host_lock(KP_LOCK_REGISTRY);
	kp_user_intercept_stop();
	kp_host_unlock(KP_LOCK_REGISTRY);
}
