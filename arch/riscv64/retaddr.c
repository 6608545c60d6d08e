/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * retaddr.c - return addresses.
 *
 * Owns: the code of a return stub; arch_probe.h has where a function's return address is.
 *
 *    0  c.unimp; ready made (return.S): where its node is
 *    4  auipc ra, kp_arch_return_entry
 *    8  jalr  ra, kp_arch_return_entry
 *   12  c.unimp
 *
 * Nobody has a use for ra after a return, which has left there where it went to: so it
 * may lead anywhere within 2 GB, and then tells the stubs apart.
 */
#include "probe.h"
#include "return.h"

#define AUIPC_RA 0x00000097u
#define JALR_RA_RA 0x000080e7u

void kp_arch_emit_stub(uintptr_t stub, uintptr_t entry, uint8_t *image)
{
	uint32_t off = (uint32_t)(entry - (stub + KP_ARCH_STUB_RETURN));
	/* jalr adds 12 bits with a sign. */
	uint32_t call[2] = {
		AUIPC_RA | ((off + 0x800) & 0xfffff000), JALR_RA_RA | off << 20,
	};

	memset(image, KP_ARCH_FILL, KP_ARCH_STUB_LEN);
	memcpy(image + KP_ARCH_STUB_RETURN, call, sizeof(call));
}
