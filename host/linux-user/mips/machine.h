/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine.h - what a signal, a system call, a thread and an intercept are on MIPS.
 *
 * Owns: the host's only knowledge of ucontext_t's registers and of the bytes of its own
 * jumps, but for what else stands in this folder.  All of it is trap path.
 */
#ifndef KP_USER_MACHINE_H
#define KP_USER_MACHINE_H

#include "arch.h"
#include "env.h"
#include "host.h"
#include "one_set.h"
#include "shadow_stack.h"
#include "sys.h"

#include <errno.h>
#include <sgidefs.h>
#include <signal.h>
#include <ucontext.h>

#if _MIPS_SIM == _ABIO32
#include "call_alike.h"
#else
#define kp_call_alike(nr) (nr)
#endif

#define KP_SYSCALL_LEN 4

/* ---- a signal's handler --------------------------------------------------------------- */

/* It always returns to code of the kernel's. */
struct sys_sigaction {
	unsigned int flags;
	void *handler;
	sys_sigset mask;
};

SYS_INLINE long sys_sigaction(int sig, const struct sys_sigaction *act,
			      struct sys_sigaction *old)
{
	return sys4(SYS_rt_sigaction, sig, act, old, sizeof(sys_sigset));
}

#include "kernel_return.h"

/* ---- a signal's registers ------------------------------------------------------------- */

#define KP_UC_REG(uc, n) ((uc)->uc_mcontext.gregs[n])
#define KP_UC_IP(uc) ((uc)->uc_mcontext.pc)
#define KP_UC_SP(uc) KP_UC_REG(uc, 29)
/* Room for four arguments, and two words more. */
#define KP_FRAME_AHEAD 24
#if _MIPS_SIM == _ABIO32
/* sigreturn's, of a handler that wants no siginfo_t, has the same from the registers on. */
#define KP_UC_FRAME_AT(uc) (KP_UC_REG(uc, 2) == SYS_sigreturn ? \
	KP_FRAME_AHEAD - offsetof(ucontext_t, uc_mcontext) : KP_FRAME_UC_AT)
#endif
#include "signal_words.h"

/* A function of C finds its own address in $25. */
#undef kp_uc_enter_host
static inline void kp_uc_enter_host(ucontext_t *uc, uintptr_t function)
{
	KP_UC_REG(uc, 25) = (greg_t)(long)function;
	kp_uc_set_ip(uc, function);
}

#undef kp_regs_enter_host
static inline void kp_regs_enter_host(struct pt_regs *regs, uintptr_t function)
{
	regs->regs[25] = function;
	regs->cp0_epc = function;
}

#undef kp_user_call_past
struct _Unwind_Context;
int kp_user_call_past(int (*fn)(struct _Unwind_Context *at, void *arg), void *arg,
		      uintptr_t past, uintptr_t entry);

/* The kernel tells no address. */
static inline bool kp_uc_is_breakpoint(const siginfo_t *info,
				       const ucontext_t *uc)
{
	(void)uc;
	return info->si_code == TRAP_BRKPT;
}

/*
 * As kp_core_on_fault wants it: the cause's code.  The kernel does not tell it; of an
 * access not even whether it was a load, as which it counts.
 */
static inline int kp_uc_trapnr(const siginfo_t *info, const ucontext_t *uc)
{
	(void)uc;
	switch (info->si_signo) {
	case SIGILL:
		return 10;		/* a reserved instruction */
	case SIGBUS:
		return 4;		/* an address error at a load */
	case SIGFPE:
		return 15;		/* floating point */
	default:
		return 2;		/* no translation for a load */
	}
}

/* lone_insn.c */
#ifdef __mips64
#undef kp_uc_off_boundary
uintptr_t kp_uc_off_boundary(const siginfo_t *info, ucontext_t *uc, struct pt_regs *regs,
			     uintptr_t *last);
#endif

static inline void kp_uc_load(struct pt_regs *regs, const ucontext_t *uc)
{
	unsigned int i;

	for (i = 0; i < 32; i++)
		regs->regs[i] = (unsigned long)KP_UC_REG(uc, i);
	regs->hi = (unsigned long)uc->uc_mcontext.mdhi;
	regs->lo = (unsigned long)uc->uc_mcontext.mdlo;
	regs->cp0_epc = kp_uc_ip(uc);
	regs->cp0_status = regs->cp0_badvaddr = regs->cp0_cause = 0;
}

static inline void kp_uc_store(ucontext_t *uc, const struct pt_regs *regs)
{
	unsigned int i;

	for (i = 1; i < 32; i++)
		KP_UC_REG(uc, i) = (greg_t)(long)regs->regs[i];
	uc->uc_mcontext.mdhi = (greg_t)(long)regs->hi;
	uc->uc_mcontext.mdlo = (greg_t)(long)regs->lo;
	kp_uc_set_ip(uc, regs->cp0_epc);
}

/* ---- vector registers: those for floating point -------------------------------------------- */

/* Of a thread that has used none the frame has none. */
static inline const void *kp_uc_image(const ucontext_t *uc)
{
	return uc->uc_mcontext.used_math ? &uc->uc_mcontext.fpregs : NULL;
}

/* In a signal's frame their flags are at a distance from them. */
#define KP_FCSR_BEHIND (offsetof(mcontext_t, fpc_csr) - offsetof(mcontext_t, fpregs))
static inline void kp_uc_vectors(struct kp_arch_vectors *out, const void *image)
{
	out->image = image;
	out->fcsr = image ? (const uint32_t *)((uintptr_t)image + KP_FCSR_BEHIND) : NULL;
}

/* ---- a system call that is about to be made, or has been -------------------------------- */

/* On 32 bits there is a call that makes the one that its first argument names. */
#if _MIPS_SIM == _ABIO32
#define KP_UC_BY_NAME(uc) (KP_UC_REG(uc, 2) == SYS_syscall)
#define KP_UC_ARGS 4u
#else
#define KP_UC_BY_NAME(uc) 0
#define KP_UC_ARGS 8u
#endif

static inline long kp_uc_call(const ucontext_t *uc)
{
	long nr = (long)(KP_UC_BY_NAME(uc) ? KP_UC_REG(uc, 4) : KP_UC_REG(uc, 2));

#if _MIPS_SIM == _ABIO32
	/* The same by another number: of both the argument is where a whole set is. */
	if (nr == SYS_sigsuspend)
		return SYS_rt_sigsuspend;
	if (nr == SYS_sigreturn)
		return SYS_rt_sigreturn;
#endif
	return kp_call_alike(nr);
}

/* Behind those in registers they are on the stack, above room for these. */
static inline long *kp_uc_stacked(const ucontext_t *uc, unsigned int n)
{
	return (long *)kp_uc_sp(uc) + n;
}

static inline long kp_uc_arg(const ucontext_t *uc, unsigned int n)
{
	long value = 0;

	n += KP_UC_BY_NAME(uc);
	if (n < KP_UC_ARGS)
		return (long)KP_UC_REG(uc, 4 + n);
	kp_host_data_read((uintptr_t)kp_uc_stacked(uc, n), &value, sizeof(value));
	return value;
}

static inline void kp_uc_set_arg(ucontext_t *uc, unsigned int n, long value)
{
	n += KP_UC_BY_NAME(uc);
	if (n < KP_UC_ARGS)
		KP_UC_REG(uc, 4 + n) = (greg_t)value;
	else
		kp_host_data_write((uintptr_t)kp_uc_stacked(uc, n), &value, sizeof(value));
}

/* A register besides tells whether it is an errno. */
static inline long kp_uc_result(const ucontext_t *uc)
{
	return (long)(KP_UC_REG(uc, 7) ? -KP_UC_REG(uc, 2) : KP_UC_REG(uc, 2));
}

static inline void kp_uc_set_result(ucontext_t *uc, long result)
{
	KP_UC_REG(uc, 7) = sys_failed(result);
	KP_UC_REG(uc, 2) = (greg_t)(sys_failed(result) ? -result : result);
}

#define KP_CALL_WORD 0x0cu
#include "call_words.h"

#if _MIPS_SIM == _ABIO32
/* What the older sigaction is given: of the mask its first word counts. */
struct sys_old_action {
	unsigned int flags;
	void *handler;
	unsigned long mask[4];
};

static inline void kp_old_action_get(struct sys_sigaction *act, const struct sys_old_action *old)
{
	*act = (struct sys_sigaction){
		.flags = old->flags, .handler = old->handler, .mask = sys_set_of(old->mask[0]),
	};
}

static inline void kp_old_action_put(struct sys_old_action *old, const struct sys_sigaction *act)
{
	*old = (struct sys_old_action){ act->flags, act->handler, { act->mask[0] } };
}
#endif

/*
 * A call that was made elsewhere, with other arguments, has been made in its place.  One of
 * them is where an error is told.
 */
static inline void kp_uc_call_back(ucontext_t *uc, const unsigned long args[6],
				   uintptr_t next)
{
	unsigned int i;

	for (i = 0; i < 6; i++)
		if (i != 3)
			kp_uc_set_arg(uc, i, (long)args[i]);
	kp_uc_set_ip(uc, next);
}

/* ---- a thread ------------------------------------------------------------------------- */

/*
 * Where in the C library's description of a thread, seen from the thread pointer, which is
 * that much behind its end that offsets of 16 bits reach as much as possible.
 */
#define KP_TCB_AHEAD 0x7000
#define KP_TCB_LEN (sizeof(long) == 8 ? 1888 : 1248)	/* glibc 2.36 */
#define KP_TCB_FIRST (-KP_TCB_AHEAD - KP_TCB_LEN)
#define KP_TCB_TID (sizeof(long) == 8 ? -30352 : -29816)

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define KP_AUDIT_ARCH (sizeof(long) == 8 ? AUDIT_ARCH_MIPS64 : AUDIT_ARCH_MIPS)
#else
#define KP_AUDIT_ARCH (sizeof(long) == 8 ? AUDIT_ARCH_MIPSEL64 : AUDIT_ARCH_MIPSEL)
#endif
#define KP_WATCH_REFUSED \
	"on MIPS Linux gives no debug registers to processes"
#define KP_SET_THREAD_CALL SYS_set_thread_area	/* what the next one asks for */

/* The calling thread gets another one's thread pointer. */
static inline void kp_set_thread(uintptr_t self)
{
	sys3(SYS_set_thread_area, self, 0, 0);
}

/* Unwinders find the ready-made stubs (return.S). */
static inline bool kp_stubs_unwind(void)
{
	return true;
}

/*
 * The processor's own counter has 32 bits, and stands still under emulators: the clock.
 * For a program whose filter kills for that, as none does that has a C library, there is
 * no other.
 */
#include "clock_ticks.h"

static inline void kp_cpu_relax(void)
{
	__asm__ volatile("" : : : "memory");
}

/* What a function finds as its nth argument, from 0. */
static inline void kp_set_argument(struct pt_regs *regs, unsigned int n,
				   unsigned long value)
{
	if (n < KP_MIPS_ARGUMENTS)
		regs->regs[4 + n] = value;
	else
		((unsigned long *)regs->regs[29])[n - (KP_MIPS_ARGUMENTS == 8 ? 8 : 0)] = value;
}

/* ---- memory --------------------------------------------------------------------------- */

/* Caches that are found by addresses: as far apart as mmap(2) wants it. */
#undef KP_SHARED_COLOURS
#define KP_SHARED_COLOURS (0x40000ul / KP_ARCH_PAGE)

/*
 * Of kernels (6.1 is one) mprotect(2) forgets that a page is the one of zeros, and takes it for
 * memory then, which it gives back too often.
 */
#undef kp_own_page
static inline int kp_own_page(uintptr_t addr)
{
	return (int)sys3(SYS_madvise, addr, KP_ARCH_PAGE, 23 /* MADV_POPULATE_WRITE */);
}

#include "single_words.h"
#define KP_SWAPS_PAIRS 1	/* 16 bytes, too, as said here */

/* ---- text ----------------------------------------------------------------------------- */

#define KP_INTERCEPT_JUMP_LEN 8

/* Code that returns n, as bytes: jr $31; addiu $2, $0, n. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define KP_RETURN_CODE(n) { 0x03, 0xe0, 0, 0x08, 0x24, 0x02, 0, n }
#else
#define KP_RETURN_CODE(n) { 0x08, 0, 0xe0, 0x03, n, 0, 0x02, 0x24 }
#endif
/* The kernel may write a word of text byte by byte. */
#define KP_WRITES_TEAR 1
#define KP_TRIES_WRITES 1	/* what is written to text may not be executed */

/* Text was written as data is: let all see it as instructions. */
#define KP_TEXT_CALL SYS_cacheflush
static inline void kp_text_written(uintptr_t addr, size_t len)
{
	sys3(KP_TEXT_CALL, addr, len, 3 /* BCACHE */);
}

/* What is known of all text: nothing that is asked for here. */
static inline unsigned int kp_text_flags(void)
{
	return 0;
}

/* Does j there lead to the other place? */
static inline bool kp_jump_leads(uintptr_t from, uintptr_t to)
{
	return !((from + 4) >> 28 ^ to >> 28);
}

/* The bytes of a jump: j; nop. */
static inline void kp_intercept_jump(uint8_t *bytes, uintptr_t from, uintptr_t to)
{
	const uint32_t words[2] = { 0x08000000 | (to >> 2 & 0x3ffffff), 0 };

	(void)from;
	memcpy(bytes, words, sizeof(words));
}

/* Does a jump, as these are, begin there? */
static inline bool kp_intercept_is_jump(const uint8_t *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return word >> 26 == 2;
}

#endif
