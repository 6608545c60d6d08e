/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * classify.h - deciding about one instruction, between classify.c and refuse.c.
 */
#ifndef KP_ARM64_CLASSIFY_H
#define KP_ARM64_CLASSIFY_H

#include "probe.h"

/* 0, or -errno with *reason.  user: the text is executed in user mode. */
int kp_a64_refuse(const struct kp_a64_insn *insn, bool user, const char **reason);

/* brk, whatever its number. */
bool kp_a64_is_breakpoint(uint32_t word);

#endif
