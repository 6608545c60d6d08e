/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jprobe.c - a jprobe's handler called without assembly.
 *
 * Owns: the stand-in for jprobe_call.S: six integer arguments and the first
 * two words of the stack, passed as the CPU that runs the tests passes them.
 */
#include <setjmp.h>

#include "arch.h"
#include "jprobe.h"

static jmp_buf way_out;

void kp_arch_jprobe_call(struct kp_arch_jprobe *jprobe, void *fn)
{
	void (*call)(unsigned long, unsigned long, unsigned long,
		     unsigned long, unsigned long, unsigned long,
		     unsigned long, unsigned long);
	const unsigned long *args = jprobe->args;
	unsigned long stack[2];

	memcpy(&call, &fn, sizeof(call));
	memcpy(stack, jprobe->stack, sizeof(stack));
	jprobe->guard.aborted = 0;
	if (!setjmp(way_out))
		call(args[0], args[1], args[2], args[3], args[4], args[5],
		     stack[0], stack[1]);
	else
		jprobe->guard.aborted = 1;
}

void kp_arch_jprobe_leave(struct kp_arch_jprobe *jprobe)
{
	(void)jprobe;
	longjmp(way_out, 1);
}
