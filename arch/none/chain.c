/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * chain.c - for a port whose jumps replace one instruction.
 *
 * Owns: the answer that the body of a jump has only the probed instruction, which is in its slot.
 */
#include "jump.h"

int kp_arch_emit_chain(const struct kp_arch_probe *insns, unsigned int nr,
		       uintptr_t at, uint8_t *image, size_t max, size_t *len,
		       const char **reason)
{
	(void)insns;
	(void)nr;
	(void)at;
	(void)image;
	(void)max;
	(void)len;
	*reason = "a jump replaces one instruction here";
	return -EOPNOTSUPP;
}

KP_TRAP_PATH uintptr_t kp_arch_chain_entry(const struct kp_arch_probe *insns,
					   unsigned int nr, uintptr_t at,
					   unsigned int i)
{
	(void)insns;
	(void)nr;
	(void)i;
	return at;
}

KP_TRAP_PATH void kp_arch_chain_abort(const struct kp_arch_probe *insns,
				      unsigned int nr, struct pt_regs *regs,
				      uintptr_t at,
				      const struct kp_arch_mem *mem)
{
	(void)insns;
	(void)nr;
	(void)regs;
	(void)at;
	(void)mem;
}
