/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * calls.c - what a call finds, and where it returns to.
 *
 * Owns: the code of a return stub; the copies that a jprobe's handler gets.
 *
 *   0  !!
 *   2  C entry      a call returns here: the entry knows the stub by what it pushes
 *   6  !!
 */
#include "probe.h"
#include "jprobe.h"
#include "return.h"

/* The stack grows down, and where a frame was, another one has taken its place. */
KP_TRAP_PATH bool kp_arch_stack_left(uintptr_t frame, uintptr_t sp)
{
	return frame <= sp;
}

void kp_arch_emit_stub(uintptr_t stub, uintptr_t entry, uint8_t *image)
{
	memset(image, TOY_BREAK, KP_ARCH_STUB_LEN);
	kp_toy_put_jump(image + KP_ARCH_STUB_RETURN, TOY_CALL,
			stub + KP_ARCH_STUB_RETURN, entry);
}

/* A word at a time: the stack may end. */
KP_TRAP_PATH void kp_arch_jprobe_take(struct kp_arch_jprobe *jprobe,
				      const struct pt_regs *regs,
				      const struct kp_arch_vectors *vectors,
				      const struct kp_arch_mem *mem)
{
	uintptr_t from = regs->sp + sizeof(uintptr_t);
	size_t off;

	(void)vectors;
	memcpy(jprobe->args, regs->r, sizeof(jprobe->args));
	memset(jprobe->stack, 0, sizeof(jprobe->stack));
	for (off = 0; off < sizeof(jprobe->stack); off += sizeof(long))
		if (mem->read(from + off, jprobe->stack + off, sizeof(long)))
			return;
}

KP_TRAP_PATH bool kp_arch_jprobe_left(const struct kp_arch_jprobe *jprobe)
{
	return jprobe->guard.aborted;
}
