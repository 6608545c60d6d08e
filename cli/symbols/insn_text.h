/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * insn_text.h - an instruction as text: what dis.c asks of insn_text.c, in shared/risc or shared/x86.
 */
#ifndef KP_CLI_INSN_TEXT_H
#define KP_CLI_INSN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The instruction of len bytes that stands at addr, of the second set where there are two;
 * "(not known)" where it cannot be told.  Does it name another address?  Then that is *target.
 */
bool insn_text(char *dst, size_t room, const uint8_t *bytes, size_t len,
	       uint64_t addr, bool second, uint64_t *target);

#endif
