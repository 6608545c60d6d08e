/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * watch.c - words are not watched here, nor is it known what instructions write.
 *
 * Owns: saying so.  The host is asked first whether it has debug registers.
 */
#include "watch.h"

unsigned int kp_arch_watch_len(uintptr_t addr, size_t len)
{
	(void)addr;
	(void)len;
	return 1;
}

enum kp_arch_writes kp_arch_write_of(struct kp_arch_write *out, uintptr_t addr,
				     const uint8_t *insn, size_t avail)
{
	(void)out;
	(void)addr;
	(void)insn;
	(void)avail;
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
