/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lean.h - the architecture contract: handlers that an entry calls by itself.
 *
 * Owns: how such a handler is recognised, and what happens if it faults.  arch_probe.h
 * supplies KP_ARCH_LEAN_HITS (1: the entry of a jump calls such handlers) and
 * KP_ARCH_LEAN_RETURNS (1: the entry of a return does so too).
 */
#ifndef KP_LEAN_H
#define KP_LEAN_H

#include "arch.h"

/*
 * Is the handler at addr lean?  A lean handler calls nothing and returns like a function
 * unless it faults.  It writes only call-clobbered registers, its own static data and, in a
 * process, other memory that is not thread-local storage.  It reads only those parts of its
 * second argument that the entry fills in.  The entry may call it by itself, with less
 * saved.
 * read: as for kp_arch_purity.  patched: may somebody else replace the instruction there,
 * as kernels do?  NULL: nobody does.  Sleeps.
 */
bool kp_arch_lean(uintptr_t addr,
		  int (*read)(uint8_t *dst, uintptr_t addr, size_t len),
		  bool (*patched)(uintptr_t addr, size_t len));
/* As kp_arch_return_word, for the regs of a lean handler; and where the entry continues. */
KP_ARCH_EACH_HIT uintptr_t *kp_arch_lean_word(const struct pt_regs *regs);
KP_ARCH_EACH_HIT uintptr_t kp_arch_lean_next(const struct pt_regs *regs);
/*
 * If the fault at regs is in a lean handler whose hit has that frame: the child that the
 * entry has found in the site, plus KP_ARCH_LEAN_POST for a post_handler.  Otherwise 0.
 */
#define KP_ARCH_LEAN_POST 1ul
uintptr_t kp_arch_lean_tag(const struct pt_regs *frame,
			   const struct pt_regs *regs);
/* As kp_arch_guard_return, for a lean handler with that frame that faults at regs. */
void kp_arch_guard_return_lean(struct kp_arch_guard *guard,
			       const struct pt_regs *frame,
			       const struct pt_regs *regs);
/* As kp_arch_guard_detour, for the same. */
void kp_arch_guard_lean(struct kp_arch_guard *guard,
			const struct pt_regs *frame,
			const struct pt_regs *regs);

#endif
