/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * own_stack.h - memory that can be read as it is.
 *
 * Owns: how what a jump's head or entry has pushed is read back, by the thread itself, which
 * has just been there: no fault can come.  Trap path.
 */
#ifndef KP_ARCH_WORDS_OWN_STACK_H
#define KP_ARCH_WORDS_OWN_STACK_H

KP_TRAP_PATH static int kp_read_own(uintptr_t addr, void *dst, size_t len)
{
	memcpy(dst, (const void *)addr, len);
	return 0;
}

static const struct kp_arch_mem kp_own_stack = { .read = kp_read_own };

#endif
