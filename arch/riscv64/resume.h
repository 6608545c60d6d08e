/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * resume.h - what a host of this port does for jumps, besides port/jump.h.
 *
 * Owns: going on with all registers, for detour_entry.S; which instructions are to trap.
 */
#ifndef KP_RISCV64_RESUME_H
#define KP_RISCV64_RESUME_H

#include "env.h"

/*
 * A breakpoint trap at regs, before anybody else is asked: is it that of an entry that
 * goes on elsewhere?  Then continue at regs, which are its frame's now.  Any context.
 */
bool kp_arch_resume(struct pt_regs *regs);

/*
 * Instructions of 2 bytes that are reserved, and are used where all of them are known to
 * trap: then the host says KP_ARCH_RESERVED_TRAPS of text.  At most max; how many.
 */
size_t kp_rv_reserved(uint16_t *halves, size_t max);

#endif
