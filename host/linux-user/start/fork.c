/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fork.c - the engine in a forked child.
 *
 * Owns: what is done in the child of a fork.  Breakpoints, handlers and tables are in the child as
 * they were; it needs a writer of text of its own, contexts of its single thread only, and free locks.
 *
 * The C library's fork() tells us, where we are linked with it.  A fork that does not (a raw
 * system call, or any where we are not) is noticed at the next slow path (ids.c).  vfork and
 * posix_spawn share the memory, and nothing is done: their children only exec or exit.
 */
#include "start/fork.h"
#include "face.h"
#include "host.h"
#include "thread.h"
#include "upcall.h"
#include "freestanding/heap.h"
#include "process/ids.h"
#include "process/surface.h"
#include "process/writer.h"
#include "log/sink.h"
#include "threads/barrier.h"
#include "threads/contexts.h"
#include "threads/defer.h"
#include "threads/identity.h"
#include "threads/lock.h"
#include "threads/newborn.h"
#include "text/text.h"
#include "objects/dso.h"
#include "watch/debugreg.h"
#include "modules/load.h"

static bool told;		/* prepare ran */

static void child(void)
{
	bool waits = kp_user_defer_fork();

	kp_user_thread_fork();
	kp_user_ids_fork();
	kp_user_heap_fork();
	kp_user_newborn_fork();
	kp_face_threads_fork();
	kp_user_writer_fork();
	kp_user_text_fork();
	kp_user_sink_fork();
	kp_user_context_fork();
	kp_user_surface_fork();
	kp_shim_fork();
	kp_shim_load_fork();
	kp_user_barrier_init();
	kp_user_lock_fork_child(told);
	kp_user_dso_fork(told);
	kp_user_watch_fork();
	if (waits && !kp_user_lock_is_mine(KP_LOCK_REGISTRY))
		kp_core_on_deferred();
}

static void on_prepare(void)
{
	kp_user_lock_fork_prepare();
	told = true;
}

static void on_child(void)
{
	child();
}

static void on_untold(void)
{
	told = false;
	child();
}

void kp_user_fork_init(void)
{
	kp_user_ids_on_fork(on_untold);
	kp_face_forks(on_prepare, kp_user_lock_fork_parent, on_child);
}
