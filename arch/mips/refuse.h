/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * refuse.h - deciding about one instruction, between classify.c and refuse.c.
 */
#ifndef KP_MIPS_REFUSE_H
#define KP_MIPS_REFUSE_H

#include "insn/insn.h"

/* 0, or -errno with *reason.  user: the text is executed in user mode. */
int kp_mips_refuse(const struct kp_mips_insn *insn, bool user, const char **reason);

/* The same for a branch because of the word in its delay slot. */
int kp_mips_refuse_delayed(const struct kp_mips_insn *insn, uint32_t delayed,
			   unsigned int modes, const char **reason);

/* A break that Linux reports as a trap: those of divisions are other signals. */
bool kp_mips_is_breakpoint(uint32_t word);

#endif
