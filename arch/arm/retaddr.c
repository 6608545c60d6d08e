/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * retaddr.c - return addresses.
 *
 * Owns: the code of a return stub, of A32; arch_probe.h has where a function's return address
 * is.
 *
 *    0  bl kp_arch_return_entry
 *
 * Nobody has a use for lr after a return: it tells the stubs apart, as the address behind them.
 * One word, so that the stubs that are ready made stand as far from each other as the entries
 * of the table that says whose they are (return.S).
 */
#include "probe.h"
#include "return.h"

void kp_arch_emit_stub(uintptr_t stub, uintptr_t entry, uint8_t *image)
{
	uint32_t word = 0xeb000000u | ((uint32_t)(entry - stub - 8) >> 2 & 0xffffffu);

	memcpy(image, &word, sizeof(word));
}
