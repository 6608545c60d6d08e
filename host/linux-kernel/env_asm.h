/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * env_asm.h - how the architecture's assembly returns and calls in a kernel.
 *
 * Owns: the mitigations' spelling.  A kernel may be built with return thunks
 * and retpolines, and its objtool insists on them.
 */
#ifndef KP_ENV_ASM_H
#define KP_ENV_ASM_H

#include <linux/objtool.h>
#include <asm/linkage.h>
#include <asm/nospec-branch.h>
#include <asm/segment.h>
#include <asm/unwind_hints.h>

#define KP_RET RET
/* reg: a register's name without the percent sign. */
#define KP_CALL_REG(reg) CALL_NOSPEC reg
/* The kernel's entry code has done it, and objtool minds a second cld. */
#define KP_DF_CLEAR
/* An address that is taken, but no target of indirect calls and jumps. */
#define KP_NO_TARGET ANNOTATE_NOENDBR
/* objtool derives the unwind tables itself. */
#define KP_CFI(...)
/* Reached by an exception return, with the stack as on a function's entry. */
#define KP_UNWIND_FUNC UNWIND_HINT_FUNC

/* Hits through jumps, and returns (detour_entry.S, return.S). */
#define KP_RED_ZONE 0
#define KP_VECTORS 0
#define KP_CS __KERNEL_CS
#define KP_SS __KERNEL_DS
#define KP_RETURN_STUBS 0
/* objtool does not follow the stub's call. */
#define KP_NONSTANDARD(function) STACK_FRAME_NON_STANDARD function

#endif
