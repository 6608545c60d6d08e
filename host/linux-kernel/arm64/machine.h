/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine.h - what the kernel host's common files have to know of arm64.
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
#include <asm/esr.h>
#include <asm/memory.h>
#include <asm/pgtable.h>
#include <asm/processor.h>
#include <asm/ptrace.h>

/* What one store writes of text: an instruction. */
typedef u32 kp_text_unit;

/*
 * Whoever returns from a trap at regs keeps the stack pointer that he has found, whatever
 * stands there: lead him by way of resume.S if it is another.  Trap path.
 */
void kp_settle(struct pt_regs *regs);
#define KP_SETTLES
static __always_inline bool kp_is_settled(const struct pt_regs *regs)
{
	return regs->sp == (uintptr_t)(regs + 1);
}

#include "../shared/risc/machine_words.h"

/* ---- traps --------------------------------------------------------------------- */

/* As kp_irq_restore takes it. */
static __always_inline unsigned long kp_regs_irq(const struct pt_regs *regs)
{
	return regs->pstate & (PSR_D_BIT | PSR_A_BIT | PSR_I_BIT | PSR_F_BIT);
}

static __always_inline void kp_irq_restore(unsigned long flags)
{
	arch_local_irq_restore(flags);
}

/* As kp_core_on_fault takes it: data aborts are all that we are asked about. */
static __always_inline int kp_fault_number(const struct pt_regs *regs)
{
	return ESR_ELx_EC_DABT_CUR;
}

/* ---- text ---------------------------------------------------------------------- */

/* User memory, and what no page table can hold, is below. */
static inline uintptr_t kp_lowest(void)
{
	return PAGE_OFFSET;
}

/*
 * It was written elsewhere: let all see it as instructions.  Data caches know memory by
 * its physical address, so this cleans what was written by way of another mapping.
 */
static inline void kp_text_written(uintptr_t addr, size_t len)
{
	u64 ctr, data, code;
	uintptr_t at;

	asm volatile("mrs %0, ctr_el0" : "=r" (ctr));
	data = 4ul << (ctr >> 16 & 15);
	code = 4ul << (ctr & 15);
	for (at = addr & ~(data - 1); at < addr + len; at += data)
		asm volatile("dc cvau, %0" :: "r" (at) : "memory");
	asm volatile("dsb ish" ::: "memory");
	for (at = addr & ~(code - 1); at < addr + len; at += code)
		asm volatile("ic ivau, %0" :: "r" (at) : "memory");
	asm volatile("dsb ish\n\tisb" ::: "memory");
}

/* Whoever executes it sees it. */
#define KP_EXEC_WANTS_SYNC 0

static inline void kp_sync_this_core(void)
{
	asm volatile("isb" ::: "memory");
}

/* What is known of all text: whether its pages let indirect branches in at pads only. */
#ifdef CONFIG_ARM64_BTI_KERNEL
#define KP_TEXT_FLAGS 0
#else
#define KP_TEXT_FLAGS KP_ARCH_UNGUARDED
#endif

/* Where modules are. */
#define KP_MODULES_LOW MODULES_VADDR
#define KP_MODULES_END MODULES_END
/* Where executable memory may be: modules are spread over all of it. */
#define KP_EXEC_LOW MODULES_VADDR
#define KP_EXEC_END VMALLOC_END
/* From there on a branch reaches what is meant, and what lies around it. */
#define KP_EXEC_NEAR (96ul << 20)
#define KP_EXEC_FAR 0

/* ---- what the kernel patches ---------------------------------------------------- */

/* That BUG and WARN are made of: brk #0x800. */
static inline bool kp_is_bug_insn(const uint8_t now[4])
{
	u32 word;

	memcpy(&word, now, sizeof(word));
	return word == 0xd4210000;
}

/* What ftrace patches; without an end, one instruction. */
#define KP_TRACER_PARTS							\
	{ "ftrace_regs_caller", "ftrace_stub" },			\
	{ "ftrace_caller", "ftrace_stub" },				\
	{ "ftrace_stub", NULL }

/*
 * An ftrace site, when it calls nobody: nop.  It is the second instruction of a function;
 * the first one keeps the link register, which nobody patches any more.  So a function's
 * entry is like any other text, and ftrace is asked for nothing.
 */
#define KP_FTRACE_LEN 4
#define KP_FTRACE_IDLE { 0x1f, 0x20, 0x03, 0xd5 }

/* ---- assembly ------------------------------------------------------------------- */

/* A jump to the address behind it, which is to be filled in: jump.c. */
#define KP_JUMP_LEN 16
#define KP_ASM_JUMP_PLACE						\
	"	ldr x16, . + 8\n"					\
	"	br x16\n"						\
	"	.quad 0\n"

/* Returns its argument and one more, which its first instruction does not change. */
#define KP_ASM_TRIAL							\
	"	add x1, x0, #1\n"					\
	"	mov x0, x1\n"						\
	"	ret\n"
static inline unsigned long kp_first_argument(const struct pt_regs *regs)
{
	return regs->regs[0];
}

/* At a function's entry: it returns this. */
static __always_inline void kp_leave_function(struct pt_regs *regs, unsigned long value)
{
	regs->regs[0] = value;
	regs->pc = regs->regs[30];
}

/* ---- where tasks are --------------------------------------------------------------- */

/* Functions that return on another stack than they were called on. */
static inline bool kp_switches_stack(const char *name)
{
	return !strcmp(name, "cpu_switch_to");
}

/*
 * As the task's functions keep a return address in their frames: signed with its key and the
 * stack pointer that they were called with.  Another task's key is ours meanwhile, so there is no
 * return in between.
 */
#ifdef CONFIG_ARM64_PTR_AUTH_KERNEL
static inline unsigned long kp_return_signed(const struct task_struct *task, unsigned long frame,
					     unsigned long addr)
{
	const struct ptrauth_key *key = &task->thread.keys_kernel.apia;
	register unsigned long value asm("x17") = addr;
	register unsigned long modifier asm("x16") = frame;
	unsigned long lo, hi;

	if (!(read_sysreg(sctlr_el1) & SCTLR_ELx_ENIA))
		return addr;
	asm volatile("mrs %1, S3_0_C2_C1_0\n"	/* APIAKeyLo_EL1, Hi */
		     "mrs %2, S3_0_C2_C1_1\n"
		     "msr S3_0_C2_C1_0, %4\n"
		     "msr S3_0_C2_C1_1, %5\n"
		     "isb\n"
		     "hint #8\n"	/* pacia1716 */
		     "msr S3_0_C2_C1_0, %1\n"
		     "msr S3_0_C2_C1_1, %2\n"
		     "isb"
		     : "+r" (value), "=&r" (lo), "=&r" (hi)
		     : "r" (modifier), "r" (key->lo), "r" (key->hi));
	return value;
}
#define kp_return_signed kp_return_signed

/* Kernel addresses have ones where the signature is. */
#define kp_return_stripped(word)	((word) | ~0ul << VA_BITS_MIN)
#endif

/* What is on the stack of a task that is switched out begins here. */
static inline unsigned long *kp_task_sp(struct task_struct *task)
{
	return &task->thread.cpu_context.sp;
}

/* In struct pt_regs, the program counter on: sp is before it, the state behind. */
#define KP_FRAME_PC pc
#define KP_FRAME_SP (-1)
#define KP_FRAME_LAST 1
static inline bool kp_is_frame(const unsigned long *word)
{
	unsigned long state = READ_ONCE_NOCHECK(word[1]);

	return !(state >> 32) && ((state & 0x1f) == PSR_MODE_EL1h ||
				  (state & 0x1f) == PSR_MODE_EL2h);
}

/*
 * In struct pt_regs is a record of what was interrupted, as a function's frame has one, and from
 * the innermost record, at, each leads to the next: by those of frames that live, to that of the
 * task's first.  Where they lead elsewhere, nothing is known.
 */
static inline bool kp_frame_lives(const unsigned long *at, const struct pt_regs *regs,
				  const struct pt_regs *first)
{
	const unsigned long *record = (const unsigned long *)&regs->stackframe;
	const unsigned long *last = (const unsigned long *)&first->stackframe, *next;

	for (; at != record && at != last; at = next) {
		if ((unsigned long)last - (unsigned long)at >= THREAD_SIZE ||
		    !IS_ALIGNED((unsigned long)at, sizeof(*at)))
			return true;
		next = (const unsigned long *)READ_ONCE_NOCHECK(*at);
		if (next <= at)
			return true;
	}
	return at == record;
}
#define kp_frame_lives kp_frame_lives
#define kp_task_fp(task) ((const unsigned long *)READ_ONCE((task)->thread.cpu_context.fp))

/* ---- hidden functions of the machine's ---------------------------------------------- */

struct break_hook;
struct step_hook;
void kp_kernel_register_break_hook(struct break_hook *hook);
void kp_kernel_unregister_break_hook(struct break_hook *hook);
void kp_kernel_register_step_hook(struct step_hook *hook);
void kp_kernel_unregister_step_hook(struct step_hook *hook);

#define KP_MACHINE_HIDDEN						\
	uintptr_t register_break_hook, unregister_break_hook,		\
		register_step_hook, unregister_step_hook;
#define KP_MACHINE_JUMPS						\
	", register_break_hook, unregister_break_hook"			\
	", register_step_hook, unregister_step_hook"
#define KP_MACHINE_WANTED						\
	FUNCTION(register_break_hook, "register_kernel_break_hook"),	\
	FUNCTION(unregister_break_hook, "unregister_kernel_break_hook"), \
	FUNCTION(register_step_hook, "register_kernel_step_hook"),	\
	FUNCTION(unregister_step_hook, "unregister_kernel_step_hook"),

#endif
