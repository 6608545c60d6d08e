/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * link_register.h - return probes' contract where a call leaves its return address in a register.
 *
 * A function finds its return address there, and the stack pointer at its entry tells its
 * calls apart: as far as they are not calls in place of returns, which have both in
 * common.  arch_probe.h includes this behind kp_arch_return_word, which says where, and
 * kp_arch_stack_of, the stack pointer.
 */
#ifndef KP_ARCH_WORDS_LINK_REGISTER_H
#define KP_ARCH_WORDS_LINK_REGISTER_H

KP_ARCH_EACH_HIT uintptr_t kp_arch_return_frame(const struct pt_regs *regs,
						const uintptr_t *word)
{
	(void)word;
	return kp_arch_stack_of(regs);
}

KP_ARCH_EACH_HIT int kp_arch_return_get(const struct pt_regs *regs,
					const struct kp_arch_mem *mem,
					uintptr_t *to, uintptr_t *frame)
{
	(void)mem;
	*frame = kp_arch_stack_of(regs);
	*to = *kp_arch_return_word(regs);
	return 0;
}

/* Where the function keeps it meanwhile, or how it is signed there, it alone knows. */
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
	(void)mem;
	*kp_arch_return_word(regs) = to;
	return 0;
}

#endif
