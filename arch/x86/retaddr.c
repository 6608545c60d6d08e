/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * retaddr.c - return addresses.
 *
 * Owns: the code of a return stub; arch_probe.h has where a function's return
 * address is.
 *
 *   0  int3 ...
 *   9  e8 rel32        call kp_arch_return_entry
 *  14  c3              ret
 *  15  int3
 *
 * The call pushes the stub's own address to where the function's return
 * address stood, so no register is needed to tell the stubs apart, and the
 * processor's return predictor stays balanced for the callers further out.  In a
 * process the entry comes back to the stub, whose ret leads to the caller: there
 * every ret goes where the predictor expects it.
 */
#include "probe.h"
#include "return.h"

#define CALL_LEN 5

/* The stack grows down; the frame is where the return address stood. */
KP_TRAP_PATH bool kp_arch_stack_left(uintptr_t frame, uintptr_t sp)
{
	return frame <= sp;
}

void kp_arch_emit_stub(uintptr_t stub, uintptr_t entry, uint8_t *image)
{
	uintptr_t next = stub + KP_ARCH_STUB_RETURN + CALL_LEN;
	uint32_t rel = (uint32_t)(entry - next);

	memset(image, kp_arch_bp[0], KP_ARCH_STUB_LEN);
	image[KP_ARCH_STUB_RETURN] = 0xe8;
	memcpy(image + KP_ARCH_STUB_RETURN + 1, &rel, sizeof(rel));
	image[KP_ARCH_STUB_RETURN + CALL_LEN] = 0xc3;
}
