/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * frame.h - a signal's frame, the registers in it that a call does not restore, and
 * the code in the mailbox.
 *
 * Owns: what inject.c and choose.c ask of cli/ARCH/frame.c; what looks for frames
 * on stacks asks it, too.
 */
#ifndef KP_CLI_FRAME_H
#define KP_CLI_FRAME_H

#include "ptracer.h"

/* What a frame may take, with all of the processor's registers. */
uint64_t frame_room(void);
/* What ptrace gives of them: vectors of the thread.  0 or an errno. */
int frame_save_vectors(struct thread *thread);
/* In a call as the C library's functions expect the units: as in a new program. */
void frame_usual_units(pid_t tid);
/*
 * A frame below top that goes on with regs and mask.  What a call's stack pointer is
 * when it begins; 0: none.
 */
uint64_t frame_write(const struct remote *remote, uint64_t top,
		     const struct thread *thread, const struct tracee_regs *regs,
		     uint64_t mask, uint64_t restorer);
/* With which stack pointer the return through it begins; where the mask is in it. */
uint64_t frame_return_sp(uint64_t frame);
uint64_t frame_mask_at(uint64_t frame);

/*
 * Is the word at addr the IP in a signal's frame?  Then *from is what its handler
 * returns to, or 0 where the frame does not have that.
 */
bool frame_has_ip(const struct remote *remote, uint64_t addr, uint64_t *from);
/* Do flags follow, as where a signal has saved a thread's registers? */
bool frame_is_saved(const struct remote *remote, uint64_t addr);

/*
 * The code that the mailbox's first page begins with, and where in it a thread is at
 * the entry of the call that says that the function is over.
 */
const uint8_t *frame_code(size_t *len);
uint64_t frame_over(void);

/*
 * The same for a thread that has made another; 0: that is not known here.  And where clone takes
 * a thread pointer, 0: it takes none, and the new thread sets its own.
 */
#ifndef TRACEE_AFTER_CLONE
#define TRACEE_AFTER_CLONE 0u
#define TRACEE_CLONE_TLS 3
#define TRACEE_CLONE_TID 4
#endif

/* ---- way.c ---------------------------------------------------------------------- */

/*
 * Another way back, for which nothing is written on the thread's stack: code behind the vdso's.
 * It begins with a call that sets the mask of signals (WAY_CALL), in whose place others can be
 * made, and ends where the thread was taken: regs is how it goes on there, or begins its call
 * anew.  Where it is; 0: there is none here, or no room for it.
 */
#define WAY_CALL SYS_rt_sigprocmask
bool way_possible(const struct remote *remote);
uint64_t way_make(const struct remote *remote, const struct tracee_regs *regs, uint64_t mask);
int way_set_mask(const struct remote *remote, uint64_t way, uint64_t mask);
void way_unmake(const struct remote *remote, uint64_t way);	/* no thread comes to it any more */
/* One that a killed command has left; 0: none.  Is ip in it? */
uint64_t way_stale(const struct remote *remote);
bool way_holds(uint64_t way, uint64_t ip);

#endif
