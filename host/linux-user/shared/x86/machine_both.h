/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine_both.h - what of machine.h is the same in both modes of x86.
 *
 * Owns: that.  machine.h of either includes it, having said which of a signal's registers
 * are KP_REG_IP, _SP and _AX, which carry a system call's arguments (KP_CALL_REGS), and how
 * the flags are read and written.  All of it is trap path.
 */
#ifndef KP_USER_MACHINE_BOTH_H
#define KP_USER_MACHINE_BOTH_H

#include "env.h"
#include "one_set.h"

#include <cpuid.h>
#include <signal.h>
#include <ucontext.h>

/* ---- a signal's registers ------------------------------------------------------------- */

#define KP_UC_STEP_TRAP 1
#define KP_UC_BREAKPOINT_TRAP 3
#define KP_UC_TRAP_FLAG 0x100
#define KP_UC_ALIGNMENT_FLAG 0x40000

static inline uintptr_t kp_uc_ip(const ucontext_t *uc)
{
	return (uintptr_t)uc->uc_mcontext.gregs[KP_REG_IP];
}

static inline void kp_uc_set_ip(ucontext_t *uc, uintptr_t ip)
{
	uc->uc_mcontext.gregs[KP_REG_IP] = (greg_t)ip;
}

static inline uintptr_t kp_uc_sp(const ucontext_t *uc)
{
	return (uintptr_t)uc->uc_mcontext.gregs[KP_REG_SP];
}

static inline void kp_uc_set_sp(ucontext_t *uc, uintptr_t sp)
{
	uc->uc_mcontext.gregs[KP_REG_SP] = (greg_t)sp;
}

#define KP_TRAP_PASSES 1
/* The address of the breakpoint that the signal reports. */
static inline uintptr_t kp_uc_trap_addr(const ucontext_t *uc)
{
	return kp_uc_ip(uc) - 1;
}

/*
 * Is it a breakpoint's?  raise() and kill() leave an old trap number behind: ask the
 * code.  The kernel says SI_KERNEL, and nothing else of SIGTRAP's is told so.  Where it
 * has, or has had, a uprobe in the process, it raises the signal by another way, which
 * leaves the trap number as it was: 0, or an earlier trap's.  Valgrind, which executes
 * the program itself, says TRAP_BRKPT.
 */
static inline bool kp_uc_is_breakpoint(const siginfo_t *info,
				       const ucontext_t *uc)
{
	return info->si_code == SI_KERNEL ||
	       (info->si_code == TRAP_BRKPT &&
		uc->uc_mcontext.gregs[REG_TRAPNO] == KP_UC_BREAKPOINT_TRAP);
}

/* As kp_core_on_fault wants it. */
static inline int kp_uc_trapnr(const siginfo_t *info, const ucontext_t *uc)
{
	(void)info;
	return (int)uc->uc_mcontext.gregs[REG_TRAPNO];
}

/*
 * siglongjmp() sets the mask that its buffer has, where it is, and then jumps.  mask: such
 * a one, or any other.  The stack pointer that it will jump to, or what is none.  As glibc
 * has it: the registers, whether there is a mask, the mask.
 */
#define KP_KNOWS_JUMPS 1
static inline uintptr_t kp_uc_jumps_to(uintptr_t mask,
				       int (*read)(uintptr_t addr, void *dst, size_t len))
{
	unsigned long words[KP_JUMP_WORDS + 1], value, guard;

	if (read(mask - sizeof(words), words, sizeof(words)) ||
	    (int)words[KP_JUMP_WORDS] != 1)
		return 0;
	value = words[KP_JUMP_SP];
	__asm__("mov %%" KP_JUMP_GUARD ", %0" : "=r"(guard));
	value = value >> KP_JUMP_TURNED | value << (8 * sizeof(value) - KP_JUMP_TURNED);
	return value ^ guard;
}

/* Is a fault in a page a write's? */
static inline bool kp_uc_writes(const siginfo_t *info, const ucontext_t *uc)
{
	(void)info;
	return uc->uc_mcontext.gregs[REG_ERR] & 2;
}

/* The program has itself single-stepped. */
static inline bool kp_uc_stepping(const ucontext_t *uc)
{
	return uc->uc_mcontext.gregs[REG_EFL] & KP_UC_TRAP_FLAG;
}

/* The signal becomes a step's. */
static inline void kp_uc_say_step(ucontext_t *uc)
{
	uc->uc_mcontext.gregs[REG_TRAPNO] = KP_UC_STEP_TRAP;
}

/*
 * The kernel leaves AC as the program has it, and with that set each access off
 * its boundary is a fault: neither we nor handlers could copy a thing.  Our
 * return loads it again.  What else is unusual the kernel clears (DF, TF), or it
 * harms nobody here and would not be loaded again (NT, ID).
 */
static inline void kp_uc_settle(const ucontext_t *uc)
{
	unsigned long flags;

	if (!(uc->uc_mcontext.gregs[REG_EFL] & KP_UC_ALIGNMENT_FLAG))
		return;
	flags = KP_READ_FLAGS();
	KP_WRITE_FLAGS(flags & ~(unsigned long)KP_UC_ALIGNMENT_FLAG);
}

static inline const void *kp_uc_image(const ucontext_t *uc)
{
	return uc->uc_mcontext.fpregs;
}

static inline void kp_uc_set_image(ucontext_t *uc, const void *image)
{
	uc->uc_mcontext.fpregs = (fpregset_t)(uintptr_t)image;
}

/* ---- a system call that is about to be made, or has been -------------------------------- */

static inline greg_t *kp_uc_arg_at(ucontext_t *uc, unsigned int n)
{
	static const int regs[] = { KP_CALL_REGS };

	return &uc->uc_mcontext.gregs[regs[n]];
}

static inline long kp_uc_arg(const ucontext_t *uc, unsigned int n)
{
	return (long)*kp_uc_arg_at((ucontext_t *)(uintptr_t)uc, n);
}

static inline void kp_uc_set_arg(ucontext_t *uc, unsigned int n, long value)
{
	*kp_uc_arg_at(uc, n) = value;
}

static inline long kp_uc_result(const ucontext_t *uc)
{
	return (long)uc->uc_mcontext.gregs[KP_REG_AX];
}

static inline void kp_uc_set_result(ucontext_t *uc, long result)
{
	uc->uc_mcontext.gregs[KP_REG_AX] = result;
}

/* ---- a thread ------------------------------------------------------------------------- */

#define KP_TCB_FIRST 0		/* of the C library's description, from the thread pointer on */
#define KP_TCB_LEN 2048

/* Do unwinders find the ready-made stubs?  They stand on the stack. */
static inline bool kp_stubs_unwind(void)
{
	return true;
}

/* How large a signal's frame is: what the processor's state takes, and 1 KB; or 0. */
static inline unsigned long kp_signal_frame(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid_count(13, 0, &a, &b, &c, &d) ? b + 1024ul : 0;
}

/* A counter that all processors have in common, about; ten milliseconds, or a few more. */
#define KP_TICKS_10MS (1ull << 25)
static inline uint64_t kp_ticks(void)
{
	return __builtin_ia32_rdtsc();
}

static inline void kp_cpu_relax(void)
{
	__builtin_ia32_pause();
}

/* ---- text ----------------------------------------------------------------------------- */

#define KP_INTERCEPT_JUMP_LEN 5

/* Code that returns n, as bytes. */
#define KP_RETURN_CODE(n) { 0xb8, n, 0, 0, 0, 0xc3 }
#define KP_WRITES_TEAR 0		/* the kernel writes a breakpoint by one store */
#define KP_TRIES_WRITES 0	/* what is written to text is executed */

/* Text was written as data is: let all see it as instructions. */
static inline void kp_text_written(uintptr_t addr, size_t len)
{
	(void)addr;
	(void)len;
}

/* What is known of all text: nothing that is asked for here. */
static inline unsigned int kp_text_flags(void)
{
	return 0;
}

/* The bytes of a jump. */
static inline void kp_intercept_jump(uint8_t *bytes, uintptr_t from, uintptr_t to)
{
	int32_t rel = (int32_t)(to - from - KP_INTERCEPT_JUMP_LEN);

	bytes[0] = 0xe9;
	memcpy(bytes + 1, &rel, sizeof(rel));
}

/* Does a jump, as these are, begin there? */
static inline bool kp_intercept_is_jump(const uint8_t *at)
{
	return *at == 0xe9;
}

#endif
