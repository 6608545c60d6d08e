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
 * Return hooks.  At a function's entry: the return address, and the frame,
 * an address that tells this call from others on the same stack (x86: where
 * the return address stands).  0 or -EFAULT.
 */
KP_ARCH_EACH_HIT int kp_arch_return_get(const struct pt_regs *regs,
					const struct kp_arch_mem *mem,
					uintptr_t *to, uintptr_t *frame);
/*
 * Where regs tell of the return address, on the stack or among themselves; NULL: it
 * may not be there, so that kp_arch_return_get has to look.  And the frame, for that.
 */
KP_ARCH_EACH_HIT uintptr_t *kp_arch_return_word(const struct pt_regs *regs);
KP_ARCH_EACH_HIT uintptr_t kp_arch_return_frame(const struct pt_regs *regs,
						const uintptr_t *word);
/*
 * The return address of the call with that frame, as it stands now.  0, -EFAULT; or
 * -ENOENT: no word of memory is known to tell it.
 */
KP_ARCH_EACH_HIT int kp_arch_return_standing(uintptr_t frame,
					     const struct kp_arch_mem *mem,
					     uintptr_t *word);
/* Make the function return to another address.  0 or -EFAULT. */
KP_ARCH_EACH_HIT int kp_arch_return_set(struct pt_regs *regs,
					const struct kp_arch_mem *mem,
					uintptr_t to);
/* The function has returned: continue at to, which is what handlers see. */
KP_ARCH_EACH_HIT void kp_arch_return_to(struct pt_regs *regs, uintptr_t to);
/* Has a stack whose pointer is sp at a function's entry left that frame? */
bool kp_arch_stack_left(uintptr_t frame, uintptr_t sp);
/*
 * Write a return stub for the address stub: KP_ARCH_STUB_LEN bytes that go to
 * entry, which must be near, and leave it their own address.
 */
void kp_arch_emit_stub(uintptr_t stub, uintptr_t entry, uint8_t *image);
/*
 * Where stubs go (return.S): saves all registers, calls kp_core_on_return with
 * the stub's address as instruction pointer, continues where the core says.
 */
extern const char kp_arch_return_entry[]
	__attribute__((visibility("hidden")));
/*
 * A handler is called from inside kp_core_on_return without a guarded call of its
 * own: a fault in it leads kp_arch_guard_abort to kp_core_on_return_abort, with the
 * same regs.
 */
void kp_arch_guard_return(struct kp_arch_guard *guard, struct pt_regs *regs);

#endif
