/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * classify.h - between classify.c and refuse.c.
 *
 * Owns: nothing but the declaration and a reader of modrm.
 */
#ifndef KP_X86_CLASSIFY_H
#define KP_X86_CLASSIFY_H

#include "probe.h"
#include "insn/insn.h"

static inline unsigned int kp_x86_modrm_reg(const struct kp_insn *insn)
{
	return insn->modrm >> 3 & 7;
}

/* 0 when the instruction may be probed, else -errno and *reason. */
int kp_x86_refuse(const struct kp_insn *insn, const uint8_t *bytes,
		  size_t avail, unsigned int text_flags, const char **reason);

#endif
