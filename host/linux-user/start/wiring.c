/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * wiring.c - what lower files have upper ones do.
 *
 * Owns: the tables of such steps: a file is given its own at the start, and calls through it, so
 * that it depends on nothing above it.  The steps of a fork are in fork.c.
 */
#include "start/wiring.h"
#include "syscalls.h"
#include "process/writer.h"
#include "threads/contexts.h"
#include "threads/defer.h"
#include "threads/lock.h"
#include "text/exec.h"
#include "text/text.h"
#include "text/unprotect.h"
#include "objects/dso.h"
#include "objects/noprobe.h"
#include "objects/objects.h"
#include "returns/backtrace.h"
#include "signals/calls.h"

/* ---- threads --------------------------------------------------------------------- */

const struct kp_user_thread_steps kp_user_thread_steps = {
	.on_other_stack = kp_user_on_other_stack,
	.client = kp_user_writer_client,
};

/* ---- the registry lock --------------------------------------------------------- */

static void taken(void)
{
	kp_user_dso_locked();
	kp_user_text_locked();
	kp_user_exec_locked();
}

static void dropped(void)
{
	kp_user_defer_unlocked(kp_user_dso_calls_back);
}

const struct kp_user_lock_steps kp_user_lock_steps = {
	.taken = taken,
	.owner_waits = kp_user_dso_waits_for_us,
	.dropping = kp_user_unprotect_close,
	.dropped = dropped,
};

/* ---- objects ----------------------------------------------------------------------- */

static void code(struct kp_object *object, uintptr_t start, size_t len)
{
	/* Of the vdso's calls none blocks SIGTRAP. */
	if (!object->vdso || kp_user_calls_all_wanted())
		kp_user_calls_scan(object, start, len);
}

static void settled(void)
{
	kp_user_frames_loaded();
	kp_user_calls_settle();
}

const struct kp_user_dso_steps kp_user_dso_steps = {
	.code = code,
	.came = kp_user_sections_read,
	.gone = kp_user_frames_gone,
	.settled = settled,
};
