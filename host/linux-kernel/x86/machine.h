/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine.h - what the kernel host's common files have to know of x86.
 *
 * Owns: the small facts, inline; what is more than that stands in files of this folder.
 *
 * No locks; what says so is trap path.
 */
#ifndef KP_KERNEL_MACHINE_H
#define KP_KERNEL_MACHINE_H

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

static inline struct page *kp_core_page(uintptr_t addr)
{
	return virt_to_page(addr);
}

/* Trap path. */
static __always_inline void kp_copy_words(void *dst, uintptr_t from,
					  size_t words)
{
	asm volatile("rep movsq" : "+D" (dst), "+S" (from), "+c" (words) ::
		     "memory");
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
/* From there on a jump reaches all kernel text. */
#define KP_EXEC_NEAR (2ul << 30)
#define KP_EXEC_FAR 0

/* ---- what the kernel patches ---------------------------------------------------- */

#define KP_CALL_SITE_LEN 5

/* Two bytes when both targets are near, else five. */
static inline unsigned int kp_jump_label_len(const uint8_t now[2])
{
	return now[0] == 0xeb || (now[0] == 0x66 && now[1] == 0x90) ? 2 : 5;
}
#define KP_JUMP_LABEL_MAX 5

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

/* What ftrace patches and makes trampolines of; without an end, one instruction. */
#define KP_TRACER_PARTS							\
	{ "ftrace_caller", "ftrace_caller_end" },			\
	{ "ftrace_regs_caller", "ftrace_regs_caller_end" },		\
	{ "ftrace_graph_call", NULL },					\
	{ "ftrace_stub", NULL }

/* Can ftrace call us from a site, with all registers? */
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS
#define KP_FTRACE_CALLS
#endif

/* An ftrace site, when it calls nobody: nopl 0(%rax,%rax,1). */
#define KP_FTRACE_LEN 5
#define KP_FTRACE_IDLE { 0x0f, 0x1f, 0x44, 0x00, 0x00 }

/* ---- assembly ------------------------------------------------------------------- */

/* An address that is taken, but no target of indirect calls and jumps. */
#define KP_ASM_NO_TARGET ANNOTATE_NOENDBR "\n"
/* As long as KP_JUMP_LEN: a jump in its place; objtool wants it to return. */
#define KP_JUMP_LEN 5
#define KP_ASM_JUMP_PLACE "	" ASM_RET ".balign 8, 0xcc\n"

/* Returns its argument and one more, which its first instruction does not change. */
#define KP_ASM_TRIAL							\
	"	lea 1(%rdi), %rax\n"					\
	"	lea (%rax), %rax\n"					\
	"	" ASM_RET
static inline unsigned long kp_first_argument(const struct pt_regs *regs)
{
	return regs->di;
}

/* ---- where tasks are --------------------------------------------------------------- */

/* Functions that return on another stack than they were called on. */
static inline bool kp_switches_stack(const char *name)
{
	return !strcmp(name, "__switch_to") || !strcmp(name, "__switch_to_asm");
}

/* What is on the stack of a task that is switched out begins here. */
static inline unsigned long *kp_task_sp(struct task_struct *task)
{
	return &task->thread.sp;
}

/*
 * A saved frame has the code segment after the instruction pointer; on a machine with
 * FRED together with the stack level that was left, and whether a landing pad was next.
 */
#define KP_FRED_STATE (7ul << 16)

/* What an interrupt or fault leaves on the stack: ip, cs, flags, sp, ss. */
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
