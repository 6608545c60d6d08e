/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine.h - what the kernel host's common files have to know of arm.
 *
 * Owns: the small facts, inline; what is more than that stands in files of this folder.
 *
 * No locks; what says so is trap path.
 */
#ifndef KP_KERNEL_MACHINE_H
#define KP_KERNEL_MACHINE_H

#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <asm/barrier.h>
#include <asm/cacheflush.h>
#include <asm/memory.h>
#include <asm/pgtable.h>
#include <asm/processor.h>
#include <asm/ptrace.h>

/* What one store writes of text: an instruction. */
typedef u32 kp_text_unit;
#include "../shared/risc/machine_words.h"

/* ---- traps --------------------------------------------------------------------- */

/* As kp_irq_restore takes it: what the code that regs are of had. */
static __always_inline unsigned long kp_regs_irq(const struct pt_regs *regs)
{
	return regs->ARM_cpsr & PSR_I_BIT;
}

/* The kernel's own writes what else the flags are of, the mode among it. */
static __always_inline void kp_irq_restore(unsigned long flags)
{
	if (flags & PSR_I_BIT)
		arch_local_irq_disable();
	else
		arch_local_irq_enable();
}

/* As kp_core_on_fault takes it: the kernel's own number of a fault of memory. */
static __always_inline int kp_fault_number(const struct pt_regs *regs)
{
	return 14;
}

/* unfixed.c */
void kp_unfixed_start(void);

/* shared/risc/one_way.c: there are no entries that go on elsewhere, and where no way is shorter these
 * intercepts begin. */
#define KP_ONE_WAY
#define KP_ONE_WAY_START() kp_unfixed_start()
static __always_inline bool kp_machine_resume(struct pt_regs *regs)
{
	(void)regs;
	return false;
}

/* ---- text ---------------------------------------------------------------------- */

/* User memory is below. */
static inline uintptr_t kp_lowest(void)
{
	return MODULES_VADDR;
}

/*
 * It was written elsewhere: let all see it as instructions.  Data caches know memory by
 * its physical address, so this cleans what was written by way of another mapping.
 */
static inline void kp_text_written(uintptr_t addr, size_t len)
{
	flush_icache_range(addr, addr + len);
}

/* What a core has fetched already is for it to forget: all do when cores synchronise. */
#define KP_EXEC_WANTS_SYNC 1

static inline void kp_sync_this_core(void)
{
	isb();
}

/*
 * While one core executes an instruction, another may write a branch, a nop or a breakpoint
 * of bkpt's in its place, if it is one of these; all else is written when none executes it.
 */
#define KP_WRITES_ALONE 1

#define KP_TEXT_FLAGS 0

/* Where modules are; when that is full, where vmalloc puts them. */
#define KP_MODULES_LOW MODULES_VADDR
#define KP_MODULES_END MODULES_END
/* Where executable memory may be. */
#define KP_EXEC_LOW MODULES_VADDR
#define KP_EXEC_END MODULES_END
/* A slot goes back by a word of memory, which reaches everything. */
#define KP_EXEC_NEAR (~0ul)
#define KP_EXEC_FAR 0

/* ---- what the kernel patches ---------------------------------------------------- */

/* That BUG and WARN are made of: udf #0x12. */
static inline bool kp_is_bug_insn(const uint8_t now[4])
{
	u32 word;

	memcpy(&word, now, sizeof(word));
	return word == 0xe7f001f2;
}

/* What ftrace patches, in whichever order; without an end, one instruction. */
#define KP_TRACER_PARTS							\
	{ "ftrace_regs_caller", "ftrace_caller" },			\
	{ "ftrace_caller", "ftrace_stub" },				\
	{ "ftrace_stub", NULL }

/*
 * An ftrace site, when it calls nobody: pop {lr}.  It is the second instruction of a
 * function; the first one pushes lr, which nobody patches.  So a function's entry is like
 * any other text, and ftrace is asked for nothing.
 */
#define KP_FTRACE_LEN 4
#define KP_FTRACE_IDLE { 0x00, 0x40, 0xbd, 0xe8 }

/* ---- assembly ------------------------------------------------------------------- */

/* A jump to the address behind it, which is to be filled in: jump.c. */
#define KP_JUMP_LEN 8
#define KP_ASM_JUMP_PLACE						\
	"	ldr pc, [pc, #-4]\n"					\
	"	.long 0\n"

/* Returns its argument and one more, which its first instruction does not change. */
#define KP_ASM_TRIAL							\
	"	add r1, r0, #1\n"					\
	"	mov r0, r1\n"						\
	"	bx lr\n"
static inline unsigned long kp_first_argument(const struct pt_regs *regs)
{
	return regs->ARM_r0;
}

/* At a function's entry: it returns this. */
static __always_inline void kp_leave_function(struct pt_regs *regs, unsigned long value)
{
	regs->ARM_r0 = value;
	regs->ARM_pc = regs->ARM_lr;
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
	return (unsigned long *)&task_thread_info(task)->cpu_context.sp;
}

/* In struct pt_regs, the program counter on: sp is before it, the state behind. */
#define KP_FRAME_PC ARM_pc
#define KP_FRAME_SP (-2)
#define KP_FRAME_LAST 1
/*
 * What the kernel keeps behind the registers, and what its boundary of 8 costs.  Breakpoints,
 * whose frames are no sleeper's, leave 64 more where it has Kprobes: old ones are everywhere.
 */
#define KP_FRAME_GAP 20
static inline bool kp_is_frame(const unsigned long *word)
{
	unsigned long state = READ_ONCE_NOCHECK(word[1]);

	return (state & (MODE_MASK | PSR_T_BIT | PSR_J_BIT)) == SVC_MODE;
}

/* ---- hidden functions of the machine's ---------------------------------------------- */

struct cpumask;
int kp_kernel_stop_machine(int (*fn)(void *arg), void *arg, const struct cpumask *cpus);

#define KP_MACHINE_HIDDEN uintptr_t stop_machine;
#define KP_MACHINE_JUMPS ", stop_machine"
#define KP_MACHINE_WANTED FUNCTION(stop_machine, "stop_machine_cpuslocked"),

#endif
