/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jprobe.c - what a function finds at its entry.
 *
 * Owns: taking the copies that jprobe_call.S hands to a jprobe's handler, by the calling
 * conventions: four integer registers and two for floating point (o32) or eight of each
 * (n64), and the stack from the stack pointer on, where o32 has room for the first four.
 */
#include "guard_asm.h"
#include "probe.h"
#include "jprobe.h"

#ifdef __mips__
#define AT(field, off) _Static_assert(offsetof(struct kp_arch_jprobe, field) == (off), "guard_asm.h")
AT(guard, 0); AT(a, JPROBE_A); AT(vectors, JPROBE_VECTORS); AT(stack, JPROBE_STACK);
_Static_assert(KP_ARCH_JPROBE_STACK == JPROBE_STACK_LEN, "guard_asm.h");
#endif

KP_TRAP_PATH void kp_arch_jprobe_take(struct kp_arch_jprobe *jprobe,
				      const struct pt_regs *regs,
				      const struct kp_arch_vectors *vectors,
				      const struct kp_arch_mem *mem)
{
	memcpy(jprobe->a, &regs->regs[4], sizeof(jprobe->a));
	jprobe->vectors = vectors ? vectors->image : NULL;
	kp_jprobe_take_stack(jprobe->stack, sizeof(jprobe->stack), regs->regs[KP_MIPS_SP], mem);
}

KP_TRAP_PATH bool kp_arch_jprobe_left(const struct kp_arch_jprobe *jprobe)
{
	/* kp_arch_jprobe_leave goes the way of an abandoned guarded call. */
	return jprobe->guard.aborted;
}
