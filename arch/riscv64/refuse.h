/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * refuse.h - deciding about one instruction, between classify.c and refuse.c.
 */
#ifndef KP_RISCV64_REFUSE_H
#define KP_RISCV64_REFUSE_H

#include "insn/insn.h"

/* 0, or -errno with *reason.  user: the text is executed in user mode. */
int kp_rv_refuse(const struct kp_rv_insn *insn, bool user, const char **reason);

/* ebreak, c.ebreak. */
bool kp_rv_is_breakpoint(uint32_t word);

#endif
