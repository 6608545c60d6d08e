/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * numbers.c - the system calls of MIPS code, and which number they have.
 *
 * Owns: what section.c asks about instructions, and which calls handlers of the program
 * return by.
 *
 * The C library sets a call's number right before it: then it is known, unless a branch
 * leads to the call itself.
 *
 * Locks: the registry lock.
 */
#include "frame_at.h"
#include "machine.h"
#include "regs.h"
#include "stretch.h"
#include "thread.h"
#include "insn/insn.h"

#include <asm/unistd.h>

#define SETS 0x2402u			/* addiu $2, $0, ...: in the upper half */

_Static_assert(KP_FRAME_UC_AT + offsetof(ucontext_t, uc_mcontext.used_math) == KP_USED_MATH,
	       "signal.S");

static uint32_t word_at(uintptr_t addr)
{
	return *(const uint32_t *)addr;
}

bool kp_number_wanted(uintptr_t addr)
{
	return word_at(addr) == KP_CALL_WORD;
}

/* ---- a stretch of code ---------------------------------------------------------------- */

/* j, jal and what compares, by their opcodes: all else is not looked at closely. */
static bool may_branch(uint32_t word)
{
	unsigned int opcode = word >> 26;

	return (opcode >= 1 && opcode <= 7) || (opcode >= 16 && opcode <= 30) || opcode >= 50;
}

unsigned int kp_stretch_step(uintptr_t at, uintptr_t *to)
{
	struct kp_mips_insn insn;

	*to = 0;
	if (!may_branch(word_at(at)))
		return 4;
	kp_mips_decode(&insn, word_at(at), KP_MIPS_HERE);
	if (insn.class >= KP_MIPS_JUMP && insn.class <= KP_MIPS_COMPACT &&
	    insn.class != KP_MIPS_JUMP_REG)
		*to = (uintptr_t)kp_mips_operand(&insn, at);
	return 4;
}

enum kp_number kp_stretch_number(struct kp_stretch *code, uintptr_t call, uintptr_t near,
				 unsigned long *nr)
{
	(void)near;
	if (call == code->start || word_at(call - 4) >> 16 != SETS || !code->targets ||
	    kp_stretch_is_target(code, call))
		return KP_NUMBER_ANY;
	*nr = (unsigned long)kp_call_alike(word_at(call - 4) & 0xffff);
#if _MIPS_SIM == _ABIO32
	/* It names another one. */
	if (*nr == __NR_syscall)
		return KP_NUMBER_ANY;
#endif
	return KP_NUMBER_KNOWN;
}

/* ---- the way back from the program's handlers --------------------------------------- */

/* Does that call stand there, behind what sets its number? */
static bool returns(uintptr_t at, unsigned long nr)
{
	return word_at(at) == (SETS << 16 | nr) && word_at(at + 4) == KP_CALL_WORD;
}

/* That of handlers that want no siginfo_t, where there is one: in the same page. */
static uintptr_t old_return(uintptr_t other)
{
#if _MIPS_SIM == _ABIO32
	uintptr_t page = other & ~(uintptr_t)(KP_ARCH_PAGE - 1), at;

	for (at = page; at + 8 <= page + KP_ARCH_PAGE; at += 4)
		if (returns(at, __NR_sigreturn))
			return at + 4;
#endif
	(void)other;
	return 0;
}

uintptr_t kp_number_more(unsigned int nth)
{
	uintptr_t at = kp_user_kernel_return;

	if (!at || !returns(at, __NR_rt_sigreturn) || nth > 1)
		return 0;
	return nth ? old_return(at) : at + 4;
}
