/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine.h - what the kernel host's common files have to know of MIPS.
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
#include <asm/addrspace.h>
#include <asm/cacheflush.h>
#include <asm/hazards.h>
#include <asm/mipsregs.h>
#include <asm/page.h>
#include <asm/pgtable.h>
#include <asm/processor.h>
#include <asm/ptrace.h>

/* What one store writes of text. */
typedef u32 kp_text_unit;

/* Text can be written where it stands, and all memory of the kernel's be executed. */
#define KP_TEXT_IN_PLACE 1
#define KP_EXEC_ALWAYS 1

/* The kernel patches a branch, and what stands in its delay slot is no place then. */
#define KP_JUMP_LABEL_MAX 8
#define KP_FTRACE_BEHIND 4

#ifdef CONFIG_64BIT
#define KP_KSEG0 CKSEG0
#define KP_KSEG1 CKSEG1
#else
#define KP_KSEG0 KSEG0
#define KP_KSEG1 KSEG1
#endif

extern uintptr_t kp_trap_returns;	/* trap.c: where exceptions return to */

/*
 * Is it memory that no table of pages leads to?  The kernel's own text is, and a jump (j)
 * comes there from the same 256 MB only; modules lie elsewhere.  direct.c has more.
 */
static inline bool kp_is_direct(uintptr_t addr)
{
	return addr >= KP_KSEG0 && addr < KP_KSEG1;
}
#define KP_DIRECT_EXEC 1
#define kp_core_page(addr) pfn_to_page(PHYS_PFN(CPHYSADDR(addr)))

#include "../shared/risc/machine_words.h"

/* ---- traps --------------------------------------------------------------------- */

/* shared/risc/one_way.c */
#define KP_ONE_WAY
static __always_inline bool kp_machine_resume(struct pt_regs *regs)
{
	return false;
}

/* As kp_irq_restore takes it: what the code that regs are of had. */
static __always_inline unsigned long kp_regs_irq(const struct pt_regs *regs)
{
	return regs->cp0_status & ST0_IE;
}

static __always_inline void kp_irq_restore(unsigned long flags)
{
	if (flags & ST0_IE)
		arch_local_irq_enable();
	else
		arch_local_irq_disable();
}

/* As kp_core_on_fault takes it. */
static __always_inline int kp_fault_number(const struct pt_regs *regs)
{
	return regs->cp0_cause >> 2 & 0x1f;
}

/* Addresses that are none, and what is no instruction. */
#define KP_FAULTS_BESIDE						\
	{ .name = "do_ade", .on_hit = on_beside },			\
	{ .name = "do_ri", .on_hit = on_beside }

/* What is not aligned is. */
static __always_inline bool kp_may_be_emulated(const struct pt_regs *regs)
{
	return kp_fault_number(regs) != EXCCODE_RI && regs->cp0_badvaddr % 8;
}

/* ---- text ---------------------------------------------------------------------- */

/* Below is what programs have, and what faults like any other. */
static inline uintptr_t kp_lowest(void)
{
	return PAGE_OFFSET;
}

/* On all CPUs: the kernel knows which of them have to be asked. */
static inline void kp_text_written(uintptr_t addr, size_t len)
{
	flush_icache_range(addr, addr + len);
}
/* A CPU may have fetched what was there before. */
#define KP_EXEC_WANTS_SYNC 1

/* Who was interrupted for it, comes back by eret, which does the same. */
static inline void kp_sync_this_core(void)
{
	instruction_hazard();
}

#define KP_TEXT_FLAGS 0

#ifdef MODULE_START
#define KP_MODULES_LOW MODULE_START
#define KP_MODULES_END MODULE_END
#else
#define KP_MODULES_LOW VMALLOC_START
#define KP_MODULES_END VMALLOC_END
#endif
/* Where executable memory may be. */
#define KP_EXEC_LOW KP_MODULES_LOW
#define KP_EXEC_END KP_MODULES_END
/* What is farther away serves too, by a second trap. */
#define KP_EXEC_NEAR KP_ARCH_REACH
#define KP_EXEC_FAR 1

/* ---- what the kernel patches ---------------------------------------------------- */

/* No table says where they are; arch/mips refuses all that is a breakpoint. */
static inline bool kp_is_bug_insn(const uint8_t now[4])
{
	return false;
}

/* What ftrace patches; without an end, one instruction. */
#define KP_TRACER_PARTS							\
	{ "ftrace_caller", "ftrace_stub" }, { "ftrace_stub", NULL }

/*
 * An ftrace site, when it calls nobody: in the kernel's own text nothing stands for the
 * call, in a module a branch over what loads the address and calls it.
 */
#ifndef MCOUNT_INSN_SIZE
#define MCOUNT_INSN_SIZE 4
#endif
#define KP_FTRACE_LEN MCOUNT_INSN_SIZE
#define KP_FTRACE_IDLE { 0 }
#if defined(KBUILD_MCOUNT_RA_ADDRESS) && !defined(CONFIG_64BIT)
#define KP_FTRACE_WORDS 5
#else
#define KP_FTRACE_WORDS 4
#endif
#ifdef CONFIG_CPU_BIG_ENDIAN
#define KP_FTRACE_IDLE_MODULE { 0x10, 0, 0, KP_FTRACE_WORDS }
#else
#define KP_FTRACE_IDLE_MODULE { KP_FTRACE_WORDS, 0, 0, 0x10 }
#endif

/* ---- assembly ------------------------------------------------------------------- */

#ifdef CONFIG_64BIT
#define KP_ASM_ADDRESS "dla"
#define KP_ASM_LOAD "ld"
#define KP_ASM_WORD ".dword"
#else
#define KP_ASM_ADDRESS "la"
#define KP_ASM_LOAD "lw"
#define KP_ASM_WORD ".word"
#endif

/* A jump to the address behind it, which is to be filled in: shared/risc/jump.c. */
#define KP_JUMP_LEN 48
#define KP_ASM_JUMP_PLACE						\
	"1:	.set push\n"						\
	"	.set noreorder\n"					\
	"	" KP_ASM_ADDRESS " $25, 2f\n"				\
	"	" KP_ASM_LOAD " $25, 0($25)\n"				\
	"	jr $25\n"						\
	"	nop\n"							\
	"	.set pop\n"						\
	"	.org 1b + 48 - " __stringify(_MIPS_SZPTR) " / 8\n"	\
	"2:	" KP_ASM_WORD " 0\n"

/* Returns its argument and one more, which its first instruction does not change. */
#define KP_ASM_TRIAL							\
	"	.set push\n"						\
	"	.set noreorder\n"					\
	"	addiu $3, $4, 1\n"					\
	"	jr $31\n"						\
	"	move $2, $3\n"						\
	"	.set pop\n"
static inline unsigned long kp_first_argument(const struct pt_regs *regs)
{
	return regs->regs[4];
}

/* At a function's entry: it returns this. */
static __always_inline void kp_leave_function(struct pt_regs *regs, unsigned long value)
{
	regs->regs[2] = value;
	regs->cp0_epc = regs->regs[31];
}

/* ---- where tasks are --------------------------------------------------------------- */

/* Functions that return on another stack than they were called on. */
static inline bool kp_switches_stack(const char *name)
{
	return !strcmp(name, "resume");
}

/* What is on the stack of a task that is switched out begins here. */
static inline unsigned long *kp_task_sp(struct task_struct *task)
{
	return &task->thread.reg29;
}

/* In struct pt_regs, from the program counter, its last word: sp, and the state. */
#define KP_FRAME_PC cp0_epc
#define KP_FRAME_SP (-8)
#define KP_FRAME_STATUS (-5)
#define KP_FRAME_LAST 0
static inline bool kp_is_frame(const unsigned long *word)
{
	unsigned long state = READ_ONCE_NOCHECK(word[KP_FRAME_STATUS]);

	/* By an exception from the kernel's own mode. */
	return (state & (ST0_CU0 | KU_MASK | ST0_ERL | ST0_EXL)) == (ST0_CU0 | ST0_EXL);
}

/* ---- hidden functions of the machine's ---------------------------------------------- */

#define KP_MACHINE_HIDDEN uintptr_t do_bp;
#define KP_MACHINE_JUMPS ", do_bp"
#define KP_MACHINE_WANTED FUNCTION(do_bp, "do_bp"),
void kp_kernel_do_bp(struct pt_regs *regs);

/* ---- what can be read ----------------------------------------------------------------- */

/* At others a read is an exception that nothing fixes up. */
#define kp_may_be_memory(addr)						\
	(((addr) >= VMALLOC_START && (addr) < VMALLOC_END) ||		\
	 ((addr) >= KP_MODULES_LOW && (addr) < KP_MODULES_END) ||	\
	 pfn_valid(PHYS_PFN(kp_is_direct(addr) ? CPHYSADDR(addr) : (addr) - PAGE_OFFSET)))

#endif
