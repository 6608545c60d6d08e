/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * store.c - for a port that emulates no stores.
 *
 * Owns: the answer that no store is known.
 */
#include "watch.h"

KP_TRAP_PATH int kp_arch_store(struct pt_regs *regs,
			       const struct kp_arch_vectors *vectors,
			       const uint8_t *insn, size_t avail,
			       uintptr_t fault,
			       const struct kp_arch_memory *memory)
{
	(void)regs;
	(void)vectors;
	(void)insn;
	(void)avail;
	(void)fault;
	(void)memory;
	return -EOPNOTSUPP;
}
