/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where nothing may trap: from a load-linked to its store-conditional.
 */
#ifndef KP_ARCH_MIPS_LINKED_H
#define KP_ARCH_MIPS_LINKED_H

#include "insn/insn.h"

/*
 * Would a trap at @addr take the link away from a store-conditional of the function
 * [@start, @start + @len)?  Also true where that cannot be told.  @read: original bytes,
 * 0 or -errno.
 */
bool kp_mips_is_linked(uintptr_t start, size_t len, uintptr_t addr,
		       int (*read)(uint8_t *dst, uintptr_t addr, size_t len));

#endif
