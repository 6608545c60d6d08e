/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine.h - what the kernel host's common files have to know of riscv64.
 *
 * Owns: the small facts, inline; what is more than that stands in files of this folder.
 *
 * No locks; what says so is trap path.
 */
#ifndef KP_KERNEL_MACHINE_H
#define KP_KERNEL_MACHINE_H

#include <linux/ftrace.h>
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <asm/csr.h>
#include <asm/page.h>
#include <asm/pgtable.h>
#include <asm/processor.h>
#include <asm/ptrace.h>

/* What one store writes of text: a breakpoint, at any instruction. */
typedef u16 kp_text_unit;
#include "../shared/risc/machine_words.h"
#include "resume.h"

/* ---- traps --------------------------------------------------------------------- */

/* shared/risc/one_way.c */
#define KP_ONE_WAY
static __always_inline bool kp_machine_resume(struct pt_regs *regs)
{
	return kp_arch_resume(regs);
}

/* As kp_irq_restore takes it: what the code that regs are of had. */
static __always_inline unsigned long kp_regs_irq(const struct pt_regs *regs)
{
	return regs->status & SR_PIE ? SR_IE : 0;
}

/* The kernel's own only turns them on. */
static __always_inline void kp_irq_restore(unsigned long flags)
{
	if (flags & SR_IE)
		arch_local_irq_enable();
	else
		arch_local_irq_disable();
}

/* As kp_core_on_fault takes it. */
static __always_inline int kp_fault_number(const struct pt_regs *regs)
{
	return regs->cause;
}

/* ---- text ---------------------------------------------------------------------- */

/* User memory is below, and what is in between faults like any other. */
static inline uintptr_t kp_lowest(void)
{
	return 1ul << 63;
}

/* What this core fetches is for this core to say: all do when cores synchronise. */
static inline void kp_text_written(uintptr_t addr, size_t len)
{
}
#define KP_EXEC_WANTS_SYNC 1

static inline void kp_sync_this_core(void)
{
	asm volatile("fence.i" ::: "memory");
}

/* illegal.c */
extern bool kp_illegal_traps;
void kp_illegal_start(void);
#define KP_TEXT_FLAGS (kp_illegal_traps ? KP_ARCH_RESERVED_TRAPS : 0)

/* Below the kernel, as far as it reaches its own end from there. */
#define KP_MODULES_LOW (PAGE_ALIGN(kernel_map.virt_addr + kernel_map.size) - SZ_2G)
#define KP_MODULES_END (kernel_map.virt_addr)
/* Where executable memory may be. */
#define KP_EXEC_LOW KP_MODULES_LOW
#define KP_EXEC_END KP_MODULES_END
/* From there on jal reaches; what is farther away serves too, by a second trap. */
#define KP_EXEC_NEAR 0xff000ul
#define KP_EXEC_FAR 1

/* ---- what the kernel patches ---------------------------------------------------- */

/* That BUG and WARN are made of: ebreak, or c.ebreak. */
static inline bool kp_is_bug_insn(const uint8_t now[4])
{
	u32 word;

	memcpy(&word, now, sizeof(word));
	return word == 0x00100073 || (word & 0xffff) == 0x9002;
}

/* What ftrace patches; without an end, one instruction. */
#define KP_TRACER_PARTS							\
	{ "ftrace_caller", "ftrace_stub_direct_tramp" },		\
	{ "ftrace_regs_caller", "ftrace_caller" },			\
	{ "ftrace_caller", NULL }, { "ftrace_regs_caller", NULL },	\
	{ "ftrace_stub", NULL }

/*
 * An ftrace site, when it calls nobody.  Since 6.16 it is one instruction, the one behind
 * an auipc that nobody patches any more; before, both are.
 */
#ifndef MCOUNT_INSN_SIZE
#define MCOUNT_INSN_SIZE 4
#endif
#define KP_FTRACE_LEN MCOUNT_INSN_SIZE
#if KP_FTRACE_LEN == 4
#define KP_FTRACE_IDLE { 0x13 }
#else
#define KP_FTRACE_IDLE { 0x13, 0, 0, 0, 0x13 }
#endif

/* ---- assembly ------------------------------------------------------------------- */

/* A jump to the address behind it, which is to be filled in: jump.c. */
#define KP_JUMP_LEN 24
#define KP_ASM_JUMP_PLACE						\
	"	.option push\n"						\
	"	.option norvc\n"					\
	"	auipc t1, 0\n"						\
	"	ld t1, 16(t1)\n"					\
	"	jr t1\n"						\
	"	nop\n"							\
	"	.quad 0\n"						\
	"	.option pop\n"

/* Returns its argument and one more, which its first instruction does not change. */
#define KP_ASM_TRIAL							\
	"	addi a1, a0, 1\n"					\
	"	mv a0, a1\n"						\
	"	ret\n"
static inline unsigned long kp_first_argument(const struct pt_regs *regs)
{
	return regs->a0;
}

/* At a function's entry: it returns this. */
static __always_inline void kp_leave_function(struct pt_regs *regs, unsigned long value)
{
	regs->a0 = value;
	regs->epc = regs->ra;
}

/* ---- where tasks are --------------------------------------------------------------- */

/* Functions that return on another stack than they were called on. */
static inline bool kp_switches_stack(const char *name)
{
	return !strcmp(name, "__switch_to");
}

/* What is on the stack of a task that is switched out begins here. */
static inline unsigned long *kp_task_sp(struct task_struct *task)
{
	return &task->thread.sp;
}

/* In struct pt_regs, the program counter on: sp, the state, and the last word we look at. */
#define KP_FRAME_PC epc
#define KP_FRAME_SP 2
#define KP_FRAME_STATUS 32
#define KP_FRAME_LAST KP_FRAME_STATUS
static inline bool kp_is_frame(const unsigned long *word)
{
	unsigned long state = READ_ONCE_NOCHECK(word[KP_FRAME_STATUS]);

	/* From the kernel's own mode, in 64 bits. */
	return (state & SR_SPP) && (state >> 32 & 3) == 2;
}

/* ---- hidden functions of the machine's ---------------------------------------------- */

#define KP_MACHINE_HIDDEN
#define KP_MACHINE_JUMPS ""
#define KP_MACHINE_WANTED

#endif
