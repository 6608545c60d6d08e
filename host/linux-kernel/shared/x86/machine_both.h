/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine_both.h - what of machine.h is the same in both modes of x86.
 *
 * Owns: that.  machine.h of either includes it, having said where a function's arguments
 * stand (kp_argument).
 *
 * No locks; what says so is trap path.
 */
#ifndef KP_KERNEL_MACHINE_BOTH_H
#define KP_KERNEL_MACHINE_BOTH_H

#include <linux/mm.h>
#include <linux/objtool.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/stringify.h>
#include <asm/cpufeature.h>
#include <asm/nospec-branch.h>
#include <asm/processor.h>
#include <asm/segment.h>
#include <asm/special_insns.h>
#include <asm/sync_core.h>
#include "compat/hypervisor.h"

/* ---- traps --------------------------------------------------------------------- */

/* What each adds to the preemption counter, like an NMI: the kernel does it, or short.c. */
#define KP_TRAP_COUNT (NMI_OFFSET + HARDIRQ_OFFSET)

/* Does a handler of the caller's run in a trap? */
static inline bool kp_in_trap(void)
{
	return in_nmi();
}

/* As kp_irq_restore takes it. */
static __always_inline unsigned long kp_regs_irq(const struct pt_regs *regs)
{
	return regs->flags;
}

static __always_inline void kp_irq_restore(unsigned long flags)
{
	arch_local_irq_restore(flags);
}

/* ---- text ---------------------------------------------------------------------- */

/* It is executed and not written, and what can be executed is so when it is asked for. */
#define KP_TEXT_IN_PLACE 0
#define KP_EXEC_ALWAYS 0
#define KP_DIRECT_EXEC 0
#define kp_is_direct(addr) false

static inline struct page *kp_core_page(uintptr_t addr)
{
	return virt_to_page(addr);
}

/* A single byte in one store. */
static inline void kp_store_text(uint8_t *to, const uint8_t *from, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		WRITE_ONCE(to[i], from[i]);
}

/* It was written elsewhere: let all see it as instructions. */
static inline void kp_text_written(uintptr_t addr, size_t len)
{
}

/* Whoever executes it sees it. */
#define KP_EXEC_WANTS_SYNC 0

static inline void kp_sync_this_core(void)
{
	sync_core();
}

/* text.c says what for. */
static inline bool kp_writes_twice(void)
{
	return boot_cpu_has(X86_FEATURE_HYPERVISOR) &&
	       kp_hypervisor_base("TCGTCGTCGTCG", 0);
}

/* What is known of all text: enum kp_arch_text_flags. */
#define KP_TEXT_FLAGS 0

/* Filled in by the linker, or when text was discarded. */
static inline bool kp_is_gap(const uint8_t now[16])
{
	size_t i;

	for (i = 0; i < 16; i++)
		if (now[i] != 0xcc)
			return false;
	return true;
}

/* Where modules are. */
#define KP_MODULES_LOW MODULES_VADDR
#define KP_MODULES_END MODULES_END
/* Where executable memory may be. */
#define KP_EXEC_LOW MODULES_VADDR
#define KP_EXEC_END MODULES_END
#define KP_EXEC_FAR 0

/* ---- what the kernel patches ---------------------------------------------------- */

#define KP_CALL_SITE_LEN 5

#define KP_JUMP_LABEL_MAX 5

/* That BUG and WARN are made of. */
static inline bool kp_is_bug_insn(const uint8_t now[4])
{
	return now[0] == 0x0f &&
	       (now[1] == 0x0b || now[1] == 0xb9 || now[1] == 0xff);
}

/* Lock prefixes are patched when a second CPU comes; or were, when the last one went. */
static inline bool kp_is_lock_prefix(uint8_t byte)
{
	return byte == 0xf0 || byte == 0x3e;
}

/* A probe of the kernel's own covers so many bytes behind its address. */
#define KP_OTHERS_LEN 5
#define KP_OTHERS_STEP 1

/* Can ftrace call us from a site, with all registers? */
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS
#define KP_FTRACE_CALLS
#endif

#define KP_FTRACE_LEN 5
#define KP_FTRACE_BEHIND 0

/* ---- assembly ------------------------------------------------------------------- */

/* An address that is taken, but no target of indirect calls and jumps. */
#define KP_ASM_NO_TARGET ANNOTATE_NOENDBR "\n"
/* As long as KP_JUMP_LEN: a jump in its place; objtool wants it to return. */
#define KP_JUMP_LEN 5
#define KP_ASM_JUMP_PLACE "	" ASM_RET ".balign 8, 0xcc\n"

/* At a function's entry; where its arguments stand, machine.h says. */
static inline unsigned long kp_first_argument(const struct pt_regs *regs)
{
	return *kp_argument((struct pt_regs *)regs, 0);
}

/* ---- where tasks are --------------------------------------------------------------- */

/* Functions that return on another stack than they were called on. */
static inline bool kp_switches_stack(const char *name)
{
	return !strcmp(name, "__switch_to") || !strcmp(name, "__switch_to_asm");
}

/* A call pushes its return address, and that is its frame. */
#define KP_RETURN_AT_FRAME

/* What is on the stack of a task that is switched out begins here. */
static inline unsigned long *kp_task_sp(struct task_struct *task)
{
	return &task->thread.sp;
}

/*
 * The returns that may be under way at an interrupted instruction: the word at its stack
 * pointer, or the next one.
 */
#define KP_RETURNS_UNDER_WAY 2

/* ---- hidden functions of the machine's ---------------------------------------------- */

int kp_kernel_fixup_exception(struct pt_regs *regs, int trapnr,
			      unsigned long error_code, unsigned long address);

#define KP_MACHINE_HIDDEN
#define KP_MACHINE_JUMPS ""
#define KP_MACHINE_WANTED

#endif
