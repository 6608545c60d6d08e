/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine.h - what the kernel host's common files have to know of i386.
 *
 * Owns: the small facts, inline; machine_both.h has what 64-bit kernels have, too.
 *
 * A trap from kernel mode leaves ip, cs and flags alone on the stack.  The kernel's entry
 * code makes a whole struct pt_regs of that, with the stack pointer that was, and its exit
 * goes on with the one that it finds there (since 5.5).
 *
 * No locks; what says so is trap path.
 */
#ifndef KP_KERNEL_MACHINE_H
#define KP_KERNEL_MACHINE_H

#include <linux/ptrace.h>
#include <asm/nops.h>
#include <asm/page.h>
#include "resume.h"

/* At a function's entry: its argument number n.  Three are in registers. */
static inline unsigned long *kp_argument(struct pt_regs *regs, unsigned int n)
{
	unsigned long *const in[] = { &regs->ax, &regs->dx, &regs->cx };

	return n < 3 ? in[n] : (unsigned long *)regs->sp + 1 + (n - 3);
}

#include "machine_both.h"

/* ---- text ---------------------------------------------------------------------- */

/* What is below is not ours to read or write. */
static inline uintptr_t kp_lowest(void)
{
	return PAGE_OFFSET;
}

/* Trap path. */
static __always_inline void kp_copy_words(void *dst, uintptr_t from,
					  size_t words)
{
	asm volatile("rep movsl" : "+D" (dst), "+S" (from), "+c" (words) ::
		     "memory");
}

/* A jump reaches everything. */
#define KP_EXEC_NEAR (~0ul)

/* ---- what the kernel patches ---------------------------------------------------- */

/* Two bytes when both targets are near, else five. */
static inline unsigned int kp_jump_label_len(const uint8_t now[2])
{
	static const uint8_t nop[] = { BYTES_NOP2 };

	return now[0] == 0xeb || (now[0] == nop[0] && now[1] == nop[1]) ? 2 : 5;
}

/* No 32-bit kernel checks indirect calls. */
#define KP_CHECK_LEN 2
#define KP_CHECK_TRAP 0

/* What ftrace patches and what leads there; without an end, one instruction. */
#define KP_TRACER_PARTS							\
	{ "ftrace_caller", "ftrace_call" }, { "ftrace_call", NULL },	\
	{ "ftrace_regs_caller", "ftrace_regs_call" },			\
	{ "ftrace_regs_call", NULL },					\
	{ "ftrace_graph_call", NULL },					\
	{ "ftrace_stub", NULL }

/* An ftrace site, when it calls nobody. */
#define KP_FTRACE_IDLE { BYTES_NOP5 }

/* ---- assembly ------------------------------------------------------------------- */

/* Returns its argument and one more, which its first instruction does not change. */
#define KP_ASM_TRIAL							\
	"	lea 1(%eax), %ecx\n"					\
	"	mov %ecx, %eax\n"					\
	"	" ASM_RET

/* ---- traps --------------------------------------------------------------------- */

static __always_inline bool kp_machine_resume(struct pt_regs *regs)
{
	return kp_arch_resume(regs);
}

/* ---- where tasks are --------------------------------------------------------------- */

/*
 * A saved frame has the code segment after the instruction pointer, and in the upper half
 * of that word what the kernel notes there.  In struct pt_regs, which is below what the
 * processor has left, the stack pointer follows: ip, cs, flags, sp.
 */
#define KP_FRAME_PC ip
#define KP_FRAME_SP 3
#define KP_FRAME_LAST 1	/* that kp_is_frame reads */
static inline bool kp_is_frame(const unsigned long *word)
{
	return (u16)READ_ONCE_NOCHECK(word[1]) == __KERNEL_CS;
}

static inline uintptr_t kp_frame_sp(const unsigned long *frame)
{
	return READ_ONCE_NOCHECK(frame[KP_FRAME_SP]);
}

#endif
