/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * env_asm.h - how the architecture's assembly returns and calls in a process.
 *
 * Owns: the spelling of call, return and unwind notes: the plain ones.
 */
#ifndef KP_ENV_ASM_H
#define KP_ENV_ASM_H

#define KP_RET ret
/* reg: a register's name without the percent sign. */
#define KP_CALL_REG(reg) call *%reg
#define KP_CFI(...) __VA_ARGS__
/* Reached by a signal's return, with the stack as on a function's entry. */
#define KP_UNWIND_FUNC

/* Hits through jumps, and returns (detour_entry.S, return.S). */
#define KP_RED_ZONE 128
#define KP_VECTORS 1
#define KP_RETURN_STUBS 32768
#define KP_NONSTANDARD(function)

/* Said to a kernel's objtool. */
#define KP_NO_TARGET

#endif
