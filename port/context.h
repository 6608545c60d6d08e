/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * context.h - one nestable execution context: a thread, or a CPU at one interrupt level.
 *
 * Owns: struct kp_context.  The host stores it, initially zero, and finds it.  The contents
 * belong to the core, except host[].  At any time a single flow of execution uses a context,
 * so there are no locks.  Any other access to a field says why it is allowed.
 */
#ifndef KP_CONTEXT_H
#define KP_CONTEXT_H

#include "host.h"

#define KP_FRAME_RETURN	1ul		/* of a return */
#define KP_FRAME_GUARDED 2ul		/* whose handler has a guard of its own */
/* Of a return whose handler is lean.  Where there are none, frames may lie on any 4 bytes. */
#define KP_FRAME_LEAN	(KP_ARCH_LEAN_RETURNS ? 4ul : 0ul)
#define KP_FRAME_BITS	(KP_FRAME_RETURN | KP_FRAME_GUARDED | KP_FRAME_LEAN)

struct kp_context {
	struct kp_site *site;		/* whose handlers run, or NULL */
	struct kp_child *current;	/* the child whose handler runs */
	/*
	 * For a hit through a jump, or a return: the location of its registers on
	 * the stack, with KP_FRAME_…; otherwise 0.
	 */
	uintptr_t frame;
	struct kp_node *returning;	/* its return handler runs */
	/*
	 * The registers of a hit whose pre handlers run in a frame of the host;
	 * otherwise, and whenever there is no site, NULL.  See kp_host_guard.
	 */
	struct pt_regs *framed;
	const struct kp_arch_vectors *vectors;	/* of it, or NULL */
	struct kp_host_saved saved;
	bool posting;			/* its post handlers run */
	bool lean;			/* current faulted, called by the entry */
	bool again;			/* a lean handler wants all registers */
	bool faulting;			/* its fault or break handler runs */
	bool looking;			/* whether a user's struct is there: hit.c */
	struct kp_arch_guard guard;
	struct kp_arch_jprobe *jprobe;	/* whose entry runs, or NULL */
	struct kp_node *taken;		/* a call is being hooked with, or NULL */
	unsigned int parked;		/* pool.c: its place there, for good; or 0 */
	unsigned int retired_round;	/* retired.c */
	uintptr_t retried;		/* the last fault that was retried, */
	unsigned long retried_at;	/* and when: see landing.c */
	uintptr_t replaced;		/* the last breakpoint that was tried again as not ours, */
	unsigned long replaced_at;	/* and when: see trap.c */
	unsigned long host[5];		/* the host's own, per context */
	/*
	 * For a hit by a trap or by the tracer: the registers before the handler of
	 * this child, which is running; and where a hit by the tracer continues.
	 */
	struct pt_regs undo;
	struct kp_child *undo_of;	/* or NULL */
	struct kp_child *noted;		/* as undo_of, for kp_host_note */
	unsigned long resume;
};

#endif
