// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ftrace_entry.c - from ftrace's trampoline to the core, in 64-bit mode.
 *
 * Owns: the entry, and what becomes of a hit whose handler is abandoned.
 */
#include <linux/objtool.h>
#include <asm/nospec-branch.h>
#include "compat/landing_pads.h"
#include "ftrace.h"
#include "local.h"

#ifdef KP_FTRACE_CALLS

/*
 * ftrace calls kp_ftrace_entry.  A site that has no other user has a trampoline
 * that calls nothing else: struct pt_regs is at the stack's end then, and all
 * registers are loaded from there afterwards.  So a hit whose handler is abandoned
 * goes on in kp_ftrace_aborted, with the stack as on kp_ftrace_entry, and has
 * nothing to restore.  Otherwise it is some C function that calls.
 */
asm(".pushsection .text.kp_trap, \"ax\"\n"
    ".balign 16\n"
    ".globl kp_ftrace_entry\n"
    ".hidden kp_ftrace_entry\n"
    ".type kp_ftrace_entry, @function\n"
    "kp_ftrace_entry:\n"
    ASM_ENDBR
    "	lea 8(%rsp), %rax\n"
    "	cmp %rax, %rcx\n"
    "	je kp_ftrace_call\n"
    "	jmp kp_ftrace_listed\n"
    ".size kp_ftrace_entry, . - kp_ftrace_entry\n"
    ".balign 16\n"
    ".type kp_ftrace_aborted, @function\n"
    "kp_ftrace_aborted:\n"
    ANNOTATE_NOENDBR "\n"
    "	lea 8(%rsp), %rdi\n"
    "	call kp_ftrace_abort\n"
    "	" ASM_RET
    ".size kp_ftrace_aborted, . - kp_ftrace_aborted\n"
    ".popsection\n");
extern const char kp_ftrace_aborted[];
void kp_ftrace_call(unsigned long ip, unsigned long parent_ip,
		    struct ftrace_ops *ops, struct pt_regs *regs);

/* The kernel makes one for each ops. */
unsigned long kp_ftrace_own_trampoline(bool redirects)
{
	return 0;
}

/* regs: where kp_ftrace_entry has found them. */
KP_TRAP_PATH void kp_ftrace_call(unsigned long ip, unsigned long parent_ip,
				 struct ftrace_ops *ops, struct pt_regs *regs)
{
	kp_ftrace_close_user(regs);
	if (likely(ops == &kp_ftrace_ops[0]))
		kp_ftrace_framed(regs, ip, false);
	else
		kp_ftrace_framed(regs, ip, true);
}

/*
 * The landing returns to kp_ftrace_aborted, from the word below the entry's, with
 * the registers that the trampoline loads again anyway.
 */
KP_TRAP_PATH void kp_ftrace_guard(struct kp_arch_guard *guard,
				  const struct pt_regs *regs)
{
	*guard = (struct kp_arch_guard){
		.sp = (uintptr_t)regs - 2 * sizeof(long),
		.ip = (unsigned long)kp_ftrace_aborted,
		.bx = regs->bx, .bp = regs->bp, .r12 = regs->r12,
		.r13 = regs->r13, .r14 = regs->r14, .r15 = regs->r15,
	};
}

#endif
