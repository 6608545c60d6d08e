/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * none.h - the constants and types of a port that serves only port/arch.h.
 *
 * Owns: what the port's arch_probe.h includes at its end, so that the core compiles.  A jump, a
 * return probe or a jprobe is refused before any of this matters.
 */
#ifndef KP_ARCH_NONE_H
#define KP_ARCH_NONE_H

#include "no_jump.h"

#define KP_ARCH_RETURNS		0
#define KP_ARCH_JPROBES		0

#define KP_ARCH_STUB_LEN	16
#define KP_ARCH_STUB_RETURN	0
#define KP_ARCH_WATCH_WORDS	2

/* ---- returns ----------------------------------------------------------------------- */

KP_ARCH_EACH_HIT uintptr_t *kp_arch_return_word(const struct pt_regs *regs)
{
	(void)regs;
	return NULL;
}

KP_ARCH_EACH_HIT uintptr_t kp_arch_return_frame(const struct pt_regs *regs,
						const uintptr_t *word)
{
	(void)regs;
	(void)word;
	return 0;
}

KP_ARCH_EACH_HIT int kp_arch_return_get(const struct pt_regs *regs,
					const struct kp_arch_mem *mem,
					uintptr_t *to, uintptr_t *frame)
{
	(void)regs;
	(void)mem;
	(void)to;
	(void)frame;
	return -EFAULT;
}

KP_ARCH_EACH_HIT int kp_arch_return_standing(uintptr_t frame,
					     const struct kp_arch_mem *mem,
					     uintptr_t *word)
{
	(void)frame;
	(void)mem;
	(void)word;
	return -ENOENT;
}

KP_ARCH_EACH_HIT int kp_arch_return_set(struct pt_regs *regs,
					const struct kp_arch_mem *mem,
					uintptr_t to)
{
	(void)regs;
	(void)mem;
	(void)to;
	return -EFAULT;
}

KP_ARCH_EACH_HIT void kp_arch_return_to(struct pt_regs *regs, uintptr_t to)
{
	instruction_pointer_set(regs, to);
}

/* ---- jprobes, vector registers, what instructions write ------------------------------- */

struct kp_arch_jprobe {
	struct kp_arch_guard guard;
};

struct kp_arch_vectors {
	const void *image;
	unsigned long keep;		/* enum kp_arch_keep */
};

struct kp_arch_write {
	uint16_t len;
};

#include "no_lean.h"

#endif
