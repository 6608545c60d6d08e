/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jprobe.h - the architecture contract: calling a handler with the function's arguments.
 *
 * Owns: what jprobes ask of a port.  arch_probe.h supplies struct kp_arch_jprobe, which holds
 * the copies of a function's arguments.
 */
#ifndef KP_JPROBE_H
#define KP_JPROBE_H

#include "arch.h"

/*
 * Jprobes: a handler is called with copies of what the probed function finds at its entry.
 * kp_arch_jprobe_take copies the registers and the readable part of the stack above the
 * return address; the rest is zero.  vectors may be NULL: then the handler's vector
 * registers are undefined.
 */
void kp_arch_jprobe_take(struct kp_arch_jprobe *jprobe,
			 const struct pt_regs *regs,
			 const struct kp_arch_vectors *vectors,
			 const struct kp_arch_mem *mem);
/*
 * Used there: copies len bytes of the stack from an address on, as far as it is readable;
 * near its end, one word at a time.
 */
KP_TRAP_PATH static inline void kp_jprobe_take_stack(uint8_t *to, size_t len, uintptr_t from,
						     const struct kp_arch_mem *mem)
{
	size_t off;

	if (!mem->read(from, to, len))
		return;
	memset(to, 0, len);
	for (off = 0; off < len; off += sizeof(long))
		if (mem->read(from + off, to + off, sizeof(long)))
			return;
}
/* Call fn with them; returns when fn returns, or at kp_arch_jprobe_leave. */
void kp_arch_jprobe_call(struct kp_arch_jprobe *jprobe, void *fn);
/*
 * Inside that call, on its stack: end it.  Does not return, but is not declared so, since a
 * kernel's objtool knows only the kernel's own noreturn functions.
 */
void kp_arch_jprobe_leave(struct kp_arch_jprobe *jprobe);
/* The call ended by kp_arch_jprobe_leave. */
bool kp_arch_jprobe_left(const struct kp_arch_jprobe *jprobe);

#endif
