/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jprobe.c - what a function finds at its entry.
 *
 * Owns: taking the copies that jprobe_call.S hands to a jprobe's handler, by the System V
 * calling convention for i386 and its variants: the stack from the first word above the
 * return address; eax, edx and ecx, which carry arguments with regparm, fastcall and
 * thiscall, and the static chain; and the vector registers.
 */
#include "guard_asm.h"
#include "probe.h"
#include "jprobe.h"

#define AT(field, off)							\
	_Static_assert(offsetof(struct kp_arch_jprobe, field) == (off),	\
		       "guard_asm.h: " #field)
AT(guard, 0); AT(ax, JPROBE_AX); AT(dx, JPROBE_DX); AT(cx, JPROBE_CX);
AT(vectors, JPROBE_VECTORS); AT(skew, JPROBE_SKEW); AT(stack, JPROBE_STACK);
_Static_assert(KP_ARCH_JPROBE_STACK == JPROBE_STACK_LEN, "guard_asm.h");

KP_TRAP_PATH void kp_arch_jprobe_take(struct kp_arch_jprobe *jprobe,
				      const struct pt_regs *regs,
				      const struct kp_arch_vectors *vectors,
				      const struct kp_arch_mem *mem)
{
	uintptr_t args = regs->sp + sizeof(long);

	jprobe->ax = regs->ax;
	jprobe->dx = regs->dx;
	jprobe->cx = regs->cx;
	jprobe->vectors = vectors ? vectors->image : NULL;
	/* Arguments may need more than 4: the copy is aligned as they are. */
	jprobe->skew = args & 60;
	kp_jprobe_take_stack(jprobe->stack, sizeof(jprobe->stack), args, mem);
}

KP_TRAP_PATH bool kp_arch_jprobe_left(const struct kp_arch_jprobe *jprobe)
{
	/* kp_arch_jprobe_leave goes the way of an abandoned guarded call. */
	return jprobe->guard.aborted;
}
