/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * retaddr.c - return addresses.
 *
 * Owns: the code of a return stub; arch_probe.h has where a function's return address is.
 *
 *    0  ready made (return.S): where its node is
 *    4  how far the entry is from 16
 *    8  bal  16
 *   12  nop
 *   16  lw   t9, -12(ra)
 *   20  addu t9, t9, ra; of 64 bits daddu
 *   24  jr   t9
 *   28  nop
 *
 * Nobody has a use for ra after a return, nor for t9, by which linkers make calls.  ra tells
 * the entry which stub it comes from.
 */
#include "probe.h"
#include "return.h"

#define HERE 16

void kp_arch_emit_stub(uintptr_t stub, uintptr_t entry, uint8_t *image)
{
	uint32_t words[KP_ARCH_STUB_LEN / 4] = {
		0, (uint32_t)(entry - (stub + HERE)),
		0x04110001, 0x00000000,
		0x8ff9fff4, sizeof(long) == 8 ? 0x033fc82d : 0x033fc821,
		KP_MIPS_HERE & KP_MIPS_RELEASE6 ? 0x03200009 : 0x03200008, 0x00000000,
	};

	memcpy(image, words, sizeof(words));
}
