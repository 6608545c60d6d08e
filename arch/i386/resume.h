/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * resume.h - going on with all registers, and which there are.
 *
 * Owns: what a host of this port does for detour_entry.S.
 */
#ifndef KP_I386_RESUME_H
#define KP_I386_RESUME_H

#include "env.h"

/*
 * A breakpoint trap at regs, before anybody else is asked: is it that of an entry that
 * goes on elsewhere?  Then continue at regs, which are its frame's now.  Any context.
 */
bool kp_arch_resume(struct pt_regs *regs);

/* Are there xmm registers?  Known from kp_arch_vectors_start on (vectors.c).  Any context. */
bool kp_arch_has_sse(void);

#endif
