/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kprobes/frames.h - stacks of the kernel, for handlers of modules.
 *
 * Owns: an extension, where a kernel shows the step of its unwinder to no module: on arm,
 * whose step reads tables, and on MIPS, whose reads the beginning of functions.
 */
#ifndef KPROBES_FRAMES_H
#define KPROBES_FRAMES_H

#include <linux/types.h>

/* Link names, as in <linux/kprobes.h>. */
#define kprobes_caller kp_frames_caller

/* The registers that a step goes by; lr: 0 where it is not known. */
struct kprobes_frame {
	unsigned long pc, sp, fp, lr;
};

/*
 * kprobes_caller - from a function's registers to those of its caller.
 *
 * Return addresses are the real ones, not those of return probes' stubs.  free: whatever was
 * interrupted holds no lock of the kernel's that is taken with interrupts off; else a stack
 * ends at a module's function where the kernel would take one.  Any context, handlers too.
 * False: here it ends, or nothing is known, and *at has no meaning.
 */
bool kprobes_caller(struct kprobes_frame *at, bool free);

#endif
