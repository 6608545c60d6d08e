/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * retaddr.c - return addresses.
 *
 * Owns: the code of a return stub; arch_probe.h has where a function's return
 * address is.
 *
 *   0  udf; ready made (return.S): where its node is
 *   4  bl kp_arch_return_entry
 *   8  udf
 *
 * The link register has the stub's address when the function returns, and the call
 * leaves it there: so no other register is needed to tell the stubs apart.  Signed
 * return addresses do not matter: the function signs the stub's and finds it genuine.
 */
#include "outofline.h"
#include "return.h"

void kp_arch_emit_stub(uintptr_t stub, uintptr_t entry, uint8_t *image)
{
	uint32_t bl = kp_a64_bl(stub + KP_ARCH_STUB_RETURN, entry);

	memset(image, KP_ARCH_FILL, KP_ARCH_STUB_LEN);
	memcpy(image + KP_ARCH_STUB_RETURN, &bl, sizeof(bl));
}
