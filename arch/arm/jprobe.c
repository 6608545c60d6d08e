/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jprobe.c - what a function finds at its entry.
 *
 * Owns: taking the copies that jprobe_call.S hands to a jprobe's handler, by the calling
 * convention: four integer registers, eight for floating point (d0 to d7), and the stack from
 * the stack pointer on.
 */
#include "jprobe_asm.h"
#include "probe.h"
#include "jprobe.h"

#define AT(field, off)							\
	_Static_assert(offsetof(struct kp_arch_jprobe, field) == (off),	\
		       "jprobe_asm.h: " #field)
AT(guard, 0); AT(r, JPROBE_R); AT(vectors, JPROBE_VECTORS); AT(stack, JPROBE_STACK);
_Static_assert(KP_ARCH_JPROBE_STACK == JPROBE_STACK_LEN, "jprobe_asm.h");

KP_TRAP_PATH void kp_arch_jprobe_take(struct kp_arch_jprobe *jprobe,
				      const struct pt_regs *regs,
				      const struct kp_arch_vectors *vectors,
				      const struct kp_arch_mem *mem)
{
	memcpy(jprobe->r, regs, sizeof(jprobe->r));
	jprobe->vectors = vectors ? vectors->image : NULL;
	kp_jprobe_take_stack(jprobe->stack, sizeof(jprobe->stack), regs->ARM_sp, mem);
}

KP_TRAP_PATH bool kp_arch_jprobe_left(const struct kp_arch_jprobe *jprobe)
{
	/* kp_arch_jprobe_leave goes the way of an abandoned guarded call. */
	return jprobe->guard.aborted;
}
