/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * return.h - the architecture contract: functions that return to us.
 *
 * Owns: what return probes ask of a port.  arch_probe.h supplies
 *   KP_ARCH_STUB_LEN      bytes of one return stub
 *   KP_ARCH_STUB_RETURN   the offset in the stub that a call returns to
 *   KP_ARCH_STUB_REACH    the maximum distance from the stub to its entry, if it is not
 *                         KP_ARCH_REACH
 */
#ifndef KP_RETURN_H
#define KP_RETURN_H

#include "arch.h"

#ifndef KP_ARCH_STUB_REACH
#define KP_ARCH_STUB_REACH KP_ARCH_REACH
#endif

/*
 * Return hooks.  At a function's entry: the return address, and the frame, an address that
 * distinguishes this call from others on the same stack (x86: the location of the return
 * address).  0 or -EFAULT.
 */
KP_ARCH_EACH_HIT int kp_arch_return_get(const struct pt_regs *regs,
					const struct kp_arch_mem *mem,
					uintptr_t *to, uintptr_t *frame);
/*
 * The location of the return address, on the stack or in regs.  NULL: it may not be there,
 * so call kp_arch_return_get.  And the frame for that location.
 */
KP_ARCH_EACH_HIT uintptr_t *kp_arch_return_word(const struct pt_regs *regs);
KP_ARCH_EACH_HIT uintptr_t kp_arch_return_frame(const struct pt_regs *regs,
						const uintptr_t *word);
/*
 * The current return address of the call with that frame.  0, -EFAULT; or -ENOENT: no word
 * of memory is known to hold it.
 */
KP_ARCH_EACH_HIT int kp_arch_return_standing(uintptr_t frame,
					     const struct kp_arch_mem *mem,
					     uintptr_t *word);
/* Make the function return to another address.  0 or -EFAULT. */
KP_ARCH_EACH_HIT int kp_arch_return_set(struct pt_regs *regs,
					const struct kp_arch_mem *mem,
					uintptr_t to);
/* The function has returned: continue at to, which handlers see. */
KP_ARCH_EACH_HIT void kp_arch_return_to(struct pt_regs *regs, uintptr_t to);
/* Has a stack with this pointer at a function's entry been unwound past that frame? */
bool kp_arch_stack_left(uintptr_t frame, uintptr_t sp);
/*
 * Write a return stub for the address stub: KP_ARCH_STUB_LEN bytes that jump to entry, which
 * must be near, and pass it their own address.
 */
void kp_arch_emit_stub(uintptr_t stub, uintptr_t entry, uint8_t *image);
/*
 * The target of stubs (return.S).  It saves all registers, calls kp_core_on_return with the
 * stub's address as instruction pointer, and continues where the core says.
 */
extern const char kp_arch_return_entry[]
	__attribute__((visibility("hidden")));
/*
 * kp_core_on_return calls a handler without a guarded call of its own.  If it faults,
 * kp_arch_guard_abort leads to kp_core_on_return_abort, with the same regs.
 */
void kp_arch_guard_return(struct kp_arch_guard *guard, struct pt_regs *regs);

#endif
