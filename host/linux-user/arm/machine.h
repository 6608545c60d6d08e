/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine.h - what a signal, a system call, a thread and an intercept are on arm.
 *
 * Owns: the host's only knowledge of ucontext_t's registers and of the bytes of its own
 * jumps, but for what else stands in this folder.  All of it is trap path.
 */
#ifndef KP_USER_MACHINE_H
#define KP_USER_MACHINE_H

#include "arch.h"
#include "env.h"
#include "restorer.h"
#include "shadow_stack.h"
#include "sys.h"
#include "two_sets.h"

#include <errno.h>
#include <signal.h>
#include <ucontext.h>

#define KP_SYSCALL_LEN 2		/* or 4: what it has at least */

/* ---- a signal's registers ------------------------------------------------------------- */

#define KP_UC_IP(uc) ((uc)->uc_mcontext.arm_pc)
#define KP_UC_SP(uc) ((uc)->uc_mcontext.arm_sp)
/* The frame of sigreturn has no siginfo_t in front. */
#define KP_UC_FRAME_AT(uc) ((uc)->uc_mcontext.arm_r7 == SYS_sigreturn ? 0 : KP_FRAME_UC_AT)
#include "signal_words.h"

#define KP_UC_MASK_AT 104

/* To code of the host's own, which is of A32. */
static inline void kp_uc_enter_host(ucontext_t *uc, uintptr_t ip)
{
	uc->uc_mcontext.arm_pc = ip;
	uc->uc_mcontext.arm_cpsr &= ~(unsigned long)(KP_ARM_CPSR_T | KP_ARM_CPSR_IT);
}

/* bkpt, of T32, is reported as debugging hardware's by a kernel, at no address. */
static inline bool kp_uc_is_breakpoint(const siginfo_t *info,
				       const ucontext_t *uc)
{
	return (info->si_code == TRAP_BRKPT && (uintptr_t)info->si_addr == kp_uc_ip(uc)) ||
	       (info->si_code == TRAP_HWBKPT && uc->uc_mcontext.arm_cpsr & KP_ARM_CPSR_T);
}

/*
 * An undefined instruction: the kernel reads it again to know it for a breakpoint, and it
 * may be gone by then.
 */
static inline bool kp_uc_undecided(const siginfo_t *info, const ucontext_t *uc)
{
	return info->si_signo == SIGILL && (uintptr_t)info->si_addr == kp_uc_ip(uc);
}

/* As kp_core_on_fault wants it: what the kernel notes of a thread; an emulator does not. */
static inline int kp_uc_trapnr(const siginfo_t *info, const ucontext_t *uc)
{
	(void)uc;
	return info->si_signo == SIGILL ? 6 : 14;
}

/* Both have r0 to the PC, and the flags. */
_Static_assert(offsetof(ucontext_t, uc_mcontext.arm_cpsr) - offsetof(ucontext_t, uc_mcontext.arm_r0) ==
	       offsetof(struct pt_regs, ARM_cpsr), "the registers of a signal");
#define KP_UC_REGS_LEN (offsetof(struct pt_regs, ARM_cpsr) + sizeof(long))

static inline void kp_uc_load(struct pt_regs *regs, const ucontext_t *uc)
{
	memcpy(regs, &uc->uc_mcontext.arm_r0, KP_UC_REGS_LEN);
	regs->ARM_ORIG_r0 = regs->ARM_r0;
}

/*
 * A handler may have set the PC to what a pointer to a function is, or to the return address:
 * both say the set.  Else it stays in the one where it was.
 */
static inline void kp_uc_store(ucontext_t *uc, const struct pt_regs *regs)
{
	bool names = kp_arm_names_set(regs, uc->uc_mcontext.arm_pc);

	memcpy(&uc->uc_mcontext.arm_r0, regs, KP_UC_REGS_LEN);
	if (names)
		kp_uc_set_pointer(uc, regs->ARM_pc);
}

/* ---- vector registers: those for floating point -------------------------------------------- */

#define KP_UC_VFP 0x56465001ul		/* d0 to d31 and FPSCR: this, the length */

/* Records, each with its length behind its name; NULL: it is not there. */
static inline const void *kp_uc_image(const ucontext_t *uc)
{
	const unsigned long *at = uc->uc_regspace;
	const unsigned long *end = at + sizeof(uc->uc_regspace) / sizeof(*at);

	while (at + 2 < end && at[0] && at[1] >= 2 * sizeof(*at)) {
		if (at[0] == KP_UC_VFP)
			return at + 2;
		at += at[1] / sizeof(*at);
	}
	return NULL;
}

static inline void kp_uc_vectors(struct kp_arch_vectors *out, const void *image)
{
	out->image = image;
}

/* ---- a system call that is about to be made, or has been -------------------------------- */

/* Of two calls that differ in how long a time is, or what frame they have, the usual one. */
static inline long kp_call_alike(long nr)
{
	switch (nr) {
	case SYS_sigreturn:
		return SYS_rt_sigreturn;
	case SYS_rt_sigtimedwait_time64:
		return SYS_rt_sigtimedwait;
	case SYS_ppoll_time64:
		return SYS_ppoll;
	case SYS_pselect6_time64:
		return SYS_pselect6;
	case SYS_io_pgetevents_time64:
		return SYS_io_pgetevents;
	}
	return nr;
}

static inline long kp_uc_call(const ucontext_t *uc)
{
	return kp_call_alike((long)uc->uc_mcontext.arm_r7);
}

#define KP_UC_ARG_REG(uc, n) ((&(uc)->uc_mcontext.arm_r0)[n])
#include "call_words.h"

#define kp_uc_lead kp_uc_enter_host	/* passage.c's call is of A32 */

/* Do these bytes begin that instruction?  What they stand in is not known. */
static inline bool kp_is_call(const uint8_t *bytes)
{
	return bytes[1] == KP_SVC_T32 >> 8 && !bytes[0];
}

/* ---- a thread ------------------------------------------------------------------------- */

/* Where in the C library's description of a thread, seen from the thread pointer. */
#define KP_TCB_FIRST (-1280)
#define KP_TCB_LEN 1280
#define KP_TCB_TID (-1176)		/* glibc 2.36 */

#define KP_AUDIT_ARCH AUDIT_ARCH_ARM
#define KP_WATCH_REFUSED \
	"on arm a watchpoint traps before the access, so that a process would never get past its signal: writes are watched by pages or by code"
#define KP_SET_THREAD_CALL 0xf0005	/* what the next one asks for */

/* The calling thread gets another one's thread pointer. */
static inline void kp_set_thread(uintptr_t self)
{
	sys3(KP_SET_THREAD_CALL, self, 0, 0);
}

void kp_user_unprotect_forget(void);

/*
 * Ready-made stubs are for unwinders, if the table behind them can be written (return.S): its
 * pages are the library's own, and no code.
 */
static inline bool kp_stubs_unwind(void)
{
	extern struct kp_node *kp_arch_return_nodes[] __attribute__((visibility("hidden")));
	uintptr_t start = (uintptr_t)kp_arch_return_nodes & ~(uintptr_t)(KP_ARCH_PAGE - 1);

	kp_user_unprotect_forget();
	return !sys3(SYS_mprotect, (long)start, (KP_RETURN_STUBS + 1) * sizeof(void *),
		     PROT_READ | PROT_WRITE);
}

/* What asks an unwinder for a register of the frame it is at, and the address there. */
struct _Unwind_Context;
#define KP_UNWIND_GET "_Unwind_VRS_Get"
typedef int (*kp_unwind_get)(struct _Unwind_Context *at, int class, unsigned int nr, int as, void *value);

static inline uintptr_t kp_unwind_ip(kp_unwind_get get, struct _Unwind_Context *at)
{
	uint32_t pc = 0;

	get(at, 0 /* general ones */, KP_ARM_PC, 0 /* uint32_t */, &pc);
	return kp_arch_code_at(pc);
}

/* A program need not be allowed to read the processor's counter: nanoseconds, by the kernel. */
#include "clock_ticks.h"

static inline void kp_cpu_relax(void)
{
	__asm__ volatile("yield" : : : "memory");
}

/* What a function finds as its nth argument, from 0. */
static inline void kp_set_argument(struct pt_regs *regs, unsigned int n,
				   unsigned long value)
{
	regs->uregs[n] = value;
}

/* ---- memory --------------------------------------------------------------------------- */

#define KP_SWAPS_ANYWHERE 0	/* atomically, at a boundary of its length */
#define KP_SWAPS_PAIRS 0	/* 8 bytes at most */

/* Data caches of Armv7 are found by physical addresses, or as if they were. */
#define KP_SHARED_COLOURS 1ul
#define kp_own_page(addr) ((void)(addr), 0)

/* lone_insn.c */
uintptr_t kp_uc_off_boundary(const siginfo_t *info, ucontext_t *uc, struct pt_regs *regs,
			     uintptr_t *last);

/* ---- text ----------------------------------------------------------------------------- */

#define KP_INTERCEPT_JUMP_LEN 4

/* Code that returns n, as bytes: mov r0, #n; bx lr. */
#define KP_RETURN_CODE(n) { n, 0x00, 0xa0, 0xe3, 0x1e, 0xff, 0x2f, 0xe1 }
/* The kernel writes 2 bytes one after the other: half a breakpoint may be anything. */
#define KP_WRITES_TEAR 1
#define KP_TRIES_WRITES 1	/* what is written to text may not be executed */

/* Text was written as data is: let all see it as instructions. */
#define KP_TEXT_CALL 0xf0002	/* cacheflush */
static inline void kp_text_written(uintptr_t addr, size_t len)
{
	sys3(KP_TEXT_CALL, addr, addr + len, 0);
}

/* What is known of all text: no landing pads are asked for. */
static inline unsigned int kp_text_flags(void)
{
	return KP_ARCH_UNGUARDED;
}

/* The bytes of a jump: b, of A32.  None is written (syscalls.c). */
static inline void kp_intercept_jump(uint8_t *bytes, uintptr_t from, uintptr_t to)
{
	uint32_t word = 0xea000000u | ((uint32_t)(to - from - 8) >> 2 & 0xffffffu);

	memcpy(bytes, &word, sizeof(word));
}

/* Does a jump, as these are, begin there? */
static inline bool kp_intercept_is_jump(const uint8_t *at)
{
	return at[3] == 0xea;
}

#endif
