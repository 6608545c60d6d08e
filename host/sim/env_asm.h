/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * env_asm.h - the assembler environment of the simulated host, when it runs natively.
 *
 * Owns: how assembly returns, calls through a register and describes its frame.
 */
#ifndef KP_ENV_ASM_H
#define KP_ENV_ASM_H

#define KP_RET		ret
#define KP_RET_FLAGS	ret
#define KP_CALL_REG(reg) call *%reg
#define KP_CFI(...)	__VA_ARGS__
#define KP_UNWIND_FUNC

/* Return hooks (return.S). */
#define KP_VECTORS 1
#define KP_CS 0x33
#define KP_SS 0x2b
#define KP_BALANCED 1
#define KP_RETURN_STUBS 0
#define KP_NONSTANDARD(function)

/* Said to a kernel's objtool. */
#define KP_NO_TARGET

#endif
