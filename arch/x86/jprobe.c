/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jprobe.c - the arguments that a function finds at its entry.
 *
 * Owns: taking the copies that jprobe_call.S passes to a jprobe's handler, by the System V
 * calling convention: six integer registers, al and r10, the vector registers, and the stack from
 * the first word above the return address.
 */
#include "probe.h"
#include "jprobe.h"

#define AT(field, off)							\
	_Static_assert(offsetof(struct kp_arch_jprobe, field) == (off),	\
		       "jprobe_call.S: " #field)
AT(guard, 0); AT(di, 72); AT(si, 80); AT(dx, 88); AT(cx, 96); AT(r8, 104);
AT(r9, 112); AT(ax, 120); AT(r10, 128); AT(vectors, 136); AT(components, 144);
AT(skew, 152); AT(stack, 160);
_Static_assert(KP_ARCH_JPROBE_STACK % 64 == 0, "jprobe_call.S: alignment");

/* Components of an xsave image that arguments are passed in. */
#define SSE		(1u << 1)
#define AVX		(1u << 2)
#define ZMM_HI256	(1u << 6)

KP_TRAP_PATH static void take_vectors(struct kp_arch_jprobe *jprobe,
				      const struct kp_arch_vectors *vectors)
{
	jprobe->vectors = vectors ? vectors->image : NULL;
	jprobe->components = 0;
	/* xrstor wants an aligned image; the fxsave part of any will do. */
	if (vectors && !((uintptr_t)vectors->image % 64) &&
	    vectors->components & SSE)
		jprobe->components = vectors->components &
				     (SSE | AVX | ZMM_HI256);
}

KP_TRAP_PATH void kp_arch_jprobe_take(struct kp_arch_jprobe *jprobe,
				      const struct pt_regs *regs,
				      const struct kp_arch_vectors *vectors,
				      const struct kp_arch_mem *mem)
{
	uintptr_t args = regs->sp + sizeof(long);

	jprobe->di = regs->di;
	jprobe->si = regs->si;
	jprobe->dx = regs->dx;
	jprobe->cx = regs->cx;
	jprobe->r8 = regs->r8;
	jprobe->r9 = regs->r9;
	jprobe->ax = regs->ax;
	jprobe->r10 = regs->r10;
	/* Arguments may need more than 16: the copy is aligned as they are. */
	jprobe->skew = args & 48;
	take_vectors(jprobe, vectors);
	kp_jprobe_take_stack(jprobe->stack, sizeof(jprobe->stack), args, mem);
}

KP_TRAP_PATH bool kp_arch_jprobe_left(const struct kp_arch_jprobe *jprobe)
{
	/* kp_arch_jprobe_leave goes the way of an abandoned guarded call. */
	return jprobe->guard.aborted;
}
