/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine.h - what the kernel host's common files have to know of x86-64.
 *
 * Owns: the small facts, inline; what is more than that stands in files of this folder.
 * machine_both.h has what 32-bit kernels have, too.
 *
 * No locks; what says so is trap path.
 */
#ifndef KP_KERNEL_MACHINE_H
#define KP_KERNEL_MACHINE_H

#include <linux/ptrace.h>
#include <asm/cpufeature.h>
#include <asm/processor.h>
#include <asm/segment.h>
#include <asm/special_insns.h>

/* At a function's entry: its argument number n, of the first four. */
static inline unsigned long *kp_argument(struct pt_regs *regs, unsigned int n)
{
	unsigned long *const in[] = { &regs->di, &regs->si, &regs->dx, &regs->cx };

	return in[n];
}

#include "machine_both.h"

/* ---- text ---------------------------------------------------------------------- */

/*
 * The kernel's half of the address space starts here.  Nothing below is ever
 * touched: user memory is not ours to read or write, and a fault at an address
 * that no page table can hold is a warning, fixup or not.
 */
static inline uintptr_t kp_lowest(void)
{
	return __read_cr4() & X86_CR4_LA57 ? 0xff00000000000000 :
					     0xffff800000000000;
}

/* Trap path. */
static __always_inline void kp_copy_words(void *dst, uintptr_t from,
					  size_t words)
{
	asm volatile("rep movsq" : "+D" (dst), "+S" (from), "+c" (words) ::
		     "memory");
}

/* From there on a jump reaches all kernel text. */
#define KP_EXEC_NEAR (2ul << 30)

/* ---- what the kernel patches ---------------------------------------------------- */

/* Two bytes when both targets are near, else five. */
static inline unsigned int kp_jump_label_len(const uint8_t now[2])
{
	return now[0] == 0xeb || (now[0] == 0x66 && now[1] == 0x90) ? 2 : 5;
}

/*
 * What the compiler puts before an indirect call.  The kernel's table has the address of
 * the trap, at which a failed check arrives; who was to be called, and as what, it reads
 * of the two instructions before.  A trap in a slot is in no table.  With FineIBT the
 * kernel writes as many other bytes here when it starts, or loads a module.
 *
 *	41 ba xx xx xx xx	mov $-hash, %r10d
 *	45 03 53 fc		add -4(%r11), %r10d
 *	74 02			je .+4
 *	0f 0b			ud2
 */
#define KP_CHECK_LEN 14
#define KP_CHECK_TRAP 12		/* where the trap is */

/* What ftrace patches and makes trampolines of; without an end, one instruction. */
#define KP_TRACER_PARTS							\
	{ "ftrace_caller", "ftrace_caller_end" },			\
	{ "ftrace_regs_caller", "ftrace_regs_caller_end" },		\
	{ "ftrace_graph_call", NULL },					\
	{ "ftrace_stub", NULL }

/* An ftrace site, when it calls nobody: nopl 0(%rax,%rax,1). */
#define KP_FTRACE_IDLE { 0x0f, 0x1f, 0x44, 0x00, 0x00 }

/* ---- assembly ------------------------------------------------------------------- */

/* Returns its argument and one more, which its first instruction does not change. */
#define KP_ASM_TRIAL							\
	"	lea 1(%rdi), %rax\n"					\
	"	lea (%rax), %rax\n"					\
	"	" ASM_RET

/* ---- traps --------------------------------------------------------------------- */

/* Entries of ours need no breakpoint to go on elsewhere. */
static __always_inline bool kp_machine_resume(struct pt_regs *regs)
{
	(void)regs;
	return false;
}

/* ---- where tasks are --------------------------------------------------------------- */

/*
 * A saved frame has the code segment after the instruction pointer; on a machine with
 * FRED together with the stack level that was left, and whether a landing pad was next.
 */
#define KP_FRED_STATE (7ul << 16)

/* What an interrupt or fault leaves on the stack: ip, cs, flags, sp, ss. */
#define KP_FRAME_PC ip
#define KP_FRAME_SP 3
#define KP_FRAME_LAST 1	/* that kp_is_frame reads */
static inline bool kp_is_frame(const unsigned long *word)
{
	return (READ_ONCE_NOCHECK(word[1]) & ~KP_FRED_STATE) == __KERNEL_CS;
}

static inline uintptr_t kp_frame_sp(const unsigned long *frame)
{
	return READ_ONCE_NOCHECK(frame[KP_FRAME_SP]);
}

#endif
