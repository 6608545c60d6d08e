/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine.h - what a signal, a system call, a thread and an intercept are on riscv64.
 *
 * Owns: the host's only knowledge of ucontext_t's registers and of the bytes of its own
 * jumps, but for what else stands in this folder.  All of it is trap path.
 */
#ifndef KP_USER_MACHINE_H
#define KP_USER_MACHINE_H

#include "arch.h"
#include "env.h"
#include "one_set.h"
#include "resume.h"
#include "shadow_stack.h"
#include "sys.h"

#include <errno.h>
#include <signal.h>
#include <ucontext.h>

#define KP_SYSCALL_LEN 4

/* ---- a signal's handler --------------------------------------------------------------- */

/* It always returns to code of the kernel's. */
struct sys_sigaction {
	void *handler;
	unsigned long flags;
	sys_sigset mask;
};

SYS_INLINE long sys_sigaction(int sig, const struct sys_sigaction *act,
			      struct sys_sigaction *old)
{
	/* QEMU 7.2 has a word more, and takes the mask from there. */
	struct {
		struct sys_sigaction act;
		sys_sigset mask;
	} from, to;
	long err;

	if (act) {
		from.act = *act;
		from.mask = act->mask;
	}
	err = sys4(SYS_rt_sigaction, sig, act ? &from : NULL, old ? &to : NULL,
		   sizeof(sys_sigset));
	if (!err && old)
		*old = to.act;
	return err;
}

/* signal.S: they call kp_user_on_NAME, and return by themselves. */
extern const char kp_user_enter_trap[], kp_user_enter_fault[], kp_user_enter_gather[];
#define KP_SIGNAL_ENTRY(name) ((void *)(uintptr_t)kp_user_enter_##name)

static inline void kp_sig_returns(struct sys_sigaction *act)
{
	(void)act;
}

/* numbers.c: find out where that code is.  With SIGTRAP open. */
void kp_user_lead_start(void);

/* reserved.c: find out whether what is reserved traps. */
void kp_user_reserved_start(void);
extern bool kp_user_reserved_traps;

/* ---- a signal's registers ------------------------------------------------------------- */

#define KP_UC_MASK_AT 40

static inline uintptr_t kp_uc_ip(const ucontext_t *uc)
{
	return uc->uc_mcontext.__gregs[REG_PC];
}

static inline void kp_uc_set_ip(ucontext_t *uc, uintptr_t ip)
{
	uc->uc_mcontext.__gregs[REG_PC] = ip;
}

static inline uintptr_t kp_uc_sp(const ucontext_t *uc)
{
	return uc->uc_mcontext.__gregs[REG_SP];
}

static inline void kp_uc_set_sp(ucontext_t *uc, uintptr_t sp)
{
	uc->uc_mcontext.__gregs[REG_SP] = sp;
}

/* The address of the breakpoint that the signal reports: where the PC stays. */
static inline uintptr_t kp_uc_trap_addr(const ucontext_t *uc)
{
	return kp_uc_ip(uc);
}

/*
 * A kernel that has, or has had, a uprobe in the process raises the signal for a foreign
 * c.ebreak by another way, which tells neither.
 */
static inline bool kp_uc_is_breakpoint(const siginfo_t *info,
				       const ucontext_t *uc)
{
	return (info->si_code == TRAP_BRKPT && (uintptr_t)info->si_addr == kp_uc_ip(uc)) ||
	       info->si_code == SI_KERNEL;
}

/*
 * As kp_core_on_fault wants it: scause.  The kernel does not tell it; of an access not
 * even whether it was a load, as which it counts.
 */
static inline int kp_uc_trapnr(const siginfo_t *info, const ucontext_t *uc)
{
	(void)uc;
	switch (info->si_signo) {
	case SIGILL:
		return 2;		/* an illegal instruction */
	case SIGBUS:
		return 5;		/* a load access fault */
	default:
		return 13;		/* a load page fault */
	}
}

/*
 * Is a fault in a page a write's?  The kernel does not tell: it is nobody's who executes
 * there, for who reads is not refused.
 */
static inline bool kp_uc_writes(const siginfo_t *info, const ucontext_t *uc)
{
	return (uintptr_t)info->si_addr != kp_uc_ip(uc);
}

/* Nobody single-steps a process here but its tracer, in software. */
static inline bool kp_uc_stepping(const ucontext_t *uc)
{
	(void)uc;
	return false;
}

static inline void kp_uc_say_step(ucontext_t *uc)
{
	(void)uc;
}

/* A handler begins with all as the calling convention wants it. */
static inline void kp_uc_settle(const ucontext_t *uc)
{
	(void)uc;
}

/* Both have the PC in x0's place, then x1 to x31. */
_Static_assert(sizeof(((ucontext_t *)0)->uc_mcontext.__gregs) ==
	       offsetof(struct pt_regs, status), "the registers of a signal");

static inline void kp_uc_load(struct pt_regs *regs, const ucontext_t *uc)
{
	memcpy(regs, uc->uc_mcontext.__gregs, sizeof(uc->uc_mcontext.__gregs));
	regs->status = regs->badaddr = regs->cause = 0;
	regs->orig_a0 = regs->a0;
}

static inline void kp_uc_store(ucontext_t *uc, const struct pt_regs *regs)
{
	memcpy(uc->uc_mcontext.__gregs, regs, sizeof(uc->uc_mcontext.__gregs));
}

/* An entry of ours that goes on elsewhere: with these registers. */
static inline bool kp_uc_resume(struct pt_regs *regs)
{
	return kp_arch_resume(regs);
}

/* ---- vector registers: those for floating point -------------------------------------------- */

static inline const void *kp_uc_image(const ucontext_t *uc)
{
	return &uc->uc_mcontext.__fpregs;
}

/* It is part of the frame, which may be a copy: found each time. */
static inline void kp_uc_set_image(ucontext_t *uc, const void *image)
{
	(void)uc;
	(void)image;
}

static inline void kp_uc_vectors(struct kp_arch_vectors *out, const void *image)
{
	out->image = image;
}

/* ---- a system call that is about to be made, or has been -------------------------------- */

static inline long kp_uc_call(const ucontext_t *uc)
{
	return (long)uc->uc_mcontext.__gregs[REG_A0 + 7];
}

static inline long kp_uc_arg(const ucontext_t *uc, unsigned int n)
{
	return (long)uc->uc_mcontext.__gregs[REG_A0 + n];
}

static inline void kp_uc_set_arg(ucontext_t *uc, unsigned int n, long value)
{
	uc->uc_mcontext.__gregs[REG_A0 + n] = (unsigned long)value;
}

static inline long kp_uc_result(const ucontext_t *uc)
{
	return (long)uc->uc_mcontext.__gregs[REG_A0];
}

static inline void kp_uc_set_result(ucontext_t *uc, long result)
{
	uc->uc_mcontext.__gregs[REG_A0] = (unsigned long)result;
}

#include "call_back.h"

#define KP_CLONE_CHILD_TID 4	/* which argument of clone(2) */

/* Are these bytes that instruction? */
static inline bool kp_is_call(const uint8_t *bytes)
{
	const uint32_t ecall = 0x73;

	return !memcmp(bytes, &ecall, sizeof(ecall));
}

/* rt_sigreturn's frame: a siginfo_t, then this. */
static inline ucontext_t *kp_uc_frame_of(const ucontext_t *uc)
{
	return (ucontext_t *)(kp_uc_sp(uc) + sizeof(siginfo_t));
}

/* It was served in the handler of the breakpoint in its place, and has this result. */
static inline void kp_uc_call_done(ucontext_t *uc, long result)
{
	kp_uc_set_result(uc, result);
	kp_uc_set_ip(uc, kp_uc_ip(uc) + KP_SYSCALL_LEN);
}

/* ---- a thread ------------------------------------------------------------------------- */

/* Where in the C library's description of a thread, seen from the thread pointer. */
#define KP_TCB_FIRST (-1888)
#define KP_TCB_LEN 1888
#define KP_TCB_TID (-1680)		/* glibc 2.36 */

#define KP_AUDIT_ARCH AUDIT_ARCH_RISCV64
#define KP_WATCH_REFUSED \
	"on riscv64 Linux gives no debug registers to processes"
#define KP_SET_THREAD_CALL SYS_getpid	/* none */

/* The calling thread gets another one's thread pointer. */
static inline void kp_set_thread(uintptr_t self)
{
	__asm__ volatile("mv tp, %0" : : "r"(self) : "memory");
}

/* Unwinders find the ready-made stubs (return.S). */
static inline bool kp_stubs_unwind(void)
{
	return true;
}

/* How large a signal's frame is without vectors; with them the kernel says so. */
static inline unsigned long kp_signal_frame(void)
{
	return sizeof(siginfo_t) + sizeof(ucontext_t) + 64;
}

/* A counter that all processors have in common; of 10 MHz on those of today, or more. */
#define KP_TICKS_10MS (1ull << 17)
static inline uint64_t kp_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("rdtime %0" : "=r"(ticks) : : "memory");
	return ticks;
}

static inline void kp_cpu_relax(void)
{
	__asm__ volatile(".word 0x0100000f" : : : "memory");	/* pause */
}

/* What a function finds as its nth argument, from 0. */
static inline void kp_set_argument(struct pt_regs *regs, unsigned int n,
				   unsigned long value)
{
	(&regs->a0)[n] = value;
}

/* ---- memory --------------------------------------------------------------------------- */

#define KP_SWAPS_ANYWHERE 0	/* atomically, at a boundary of its length */

/* No instruction that is known stores 16 bytes at once: two of 8 are as good. */
static inline bool kp_swap_pair_if(void *at, uint64_t old[2], const uint64_t new[2])
{
	uint64_t *words = at;

	(void)old;
	__atomic_store_n(&words[0], new[0], __ATOMIC_RELEASE);
	__atomic_store_n(&words[1], new[1], __ATOMIC_RELEASE);
	return true;
}

/* ---- text ----------------------------------------------------------------------------- */

#define KP_INTERCEPT_JUMP_LEN 4

/* Code that returns n, as bytes: c.li a0, n; ret. */
#define KP_RETURN_CODE(n) \
	{ 0x01 | (n) << 2, 0x45, 0x82, 0x80 }
/* The kernel writes 2 bytes one after the other: half a breakpoint may be anything. */
#define KP_WRITES_TEAR 1
#define KP_TRIES_WRITES 1	/* what is written to text may not be executed */

/*
 * Text was written as data is: let all see it as instructions.  fence.i is for the core
 * that executes it alone; the kernel has it executed on all that run a thread of the
 * process, and on others before they do; by itself for what is written through
 * /proc/self/mem.  It looks at no range.
 */
#define KP_TEXT_CALL 259	/* riscv_flush_icache */
static inline void kp_text_written(uintptr_t addr, size_t len)
{
	(void)addr;
	(void)len;
	if (sys3(KP_TEXT_CALL, 0, 0, 0))
		__asm__ volatile("fence.i" : : : "memory");
}

/* What is known of all text: no landing pads are asked for. */
static inline unsigned int kp_text_flags(void)
{
	return KP_ARCH_UNGUARDED | (kp_user_reserved_traps ? KP_ARCH_RESERVED_TRAPS : 0);
}

/* The bytes of a jump: jal x0. */
static inline void kp_intercept_jump(uint8_t *bytes, uintptr_t from, uintptr_t to)
{
	uint32_t word = kp_rv_jump(from, to);

	memcpy(bytes, &word, sizeof(word));
}

/* Does a jump, as these are, begin there? */
static inline bool kp_intercept_is_jump(const uint8_t *at)
{
	return at[0] == 0x6f;
}

#endif
