/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * written.c - for a port that does not know what its instructions write.
 *
 * Owns: that answer.
 */
#include "watch.h"

enum kp_arch_writes kp_arch_write_of(struct kp_arch_write *out, uintptr_t addr,
				     const uint8_t *insn, size_t avail,
				     unsigned int text_flags)
{
	(void)out;
	(void)addr;
	(void)insn;
	(void)avail;
	(void)text_flags;
	return KP_ARCH_WRITES_SOMEWHERE;
}

size_t kp_arch_write_at(const struct kp_arch_write *write, struct pt_regs *regs,
			uintptr_t *addr)
{
	(void)write;
	(void)regs;
	(void)addr;
	return 0;
}
