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

/* reserved.c: find out whether what is reserved traps. */
void kp_user_reserved_start(void);
extern bool kp_user_reserved_traps;

#define KP_LEAD_ALSO kp_user_reserved_start
#include "kernel_return.h"

/* ---- a signal's registers ------------------------------------------------------------- */

#define KP_UC_IP(uc) ((uc)->uc_mcontext.__gregs[REG_PC])
#define KP_UC_SP(uc) ((uc)->uc_mcontext.__gregs[REG_SP])
#define KP_UC_RESUMES 1
#include "signal_words.h"

#define KP_UC_MASK_AT 40

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

/* ---- vector registers: those for floating point -------------------------------------------- */

static inline const void *kp_uc_image(const ucontext_t *uc)
{
	return &uc->uc_mcontext.__fpregs;
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

#define KP_UC_ARG_REG(uc, n) ((uc)->uc_mcontext.__gregs[REG_A0 + (n)])
#define KP_CALL_WORD 0x73u
#include "call_words.h"

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

#include "single_words.h"

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

#define kp_jump_leads kp_user_stub_reaches

/* Does a jump, as these are, begin there? */
static inline bool kp_intercept_is_jump(const uint8_t *at)
{
	return at[0] == 0x6f;
}

#endif
