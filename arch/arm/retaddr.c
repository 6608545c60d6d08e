/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * retaddr.c - return addresses.
 *
 * Owns: the code of a return stub, of A32; arch_probe.h has where a function's return address
 * is.
 *
 *    0  ready made (return.S): where its node is
 *    4  mov lr, pc
 *    8  ldr pc, [pc, #-4]
 *   12  kp_arch_return_entry
 *
 * Nobody has a use for lr after a return: it tells the stubs apart, as the address of their
 * word at 12.
 */
#include "probe.h"
#include "return.h"

/*
 * A function that is called in place of a return has the stack pointer of the one
 * before, whose call still lasts.
 */
KP_TRAP_PATH bool kp_arch_stack_left(uintptr_t frame, uintptr_t sp)
{
	return frame < sp;
}

void kp_arch_emit_stub(uintptr_t stub, uintptr_t entry, uint8_t *image)
{
	const uint32_t words[3] = { 0xe1a0e00f, 0xe51ff004, (uint32_t)entry };

	(void)stub;
	memset(image, KP_ARCH_FILL, KP_ARCH_STUB_LEN);
	memcpy(image + KP_ARCH_STUB_RETURN, words, sizeof(words));
}
