/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine.h - what a signal, a system call, a thread and an intercept are on arm64.
 *
 * Owns: the host's only knowledge of ucontext_t's registers and of the bytes of its own
 * jumps, but for what else stands in this folder.  All of it is trap path.
 */
#ifndef KP_USER_MACHINE_H
#define KP_USER_MACHINE_H

#include "arch.h"
#include "env.h"
#include "face.h"
#include "one_set.h"
#include "resume.h"
#include "restorer.h"
#include "shadow_stack.h"
#include "sys.h"

#include <errno.h>
#include <asm/hwcap.h>
#include <signal.h>
#include <sys/auxv.h>
#include <ucontext.h>

#define KP_SYSCALL_LEN 4

/* ---- a signal's registers ------------------------------------------------------------- */

#define KP_UC_IP(uc) ((uc)->uc_mcontext.pc)
#define KP_UC_SP(uc) ((uc)->uc_mcontext.sp)
#define KP_UC_TELLS_WRITES 1
#define KP_UC_RESUMES 1
#include "signal_words.h"

#define KP_UC_MASK_AT 40

static inline bool kp_uc_is_breakpoint(const siginfo_t *info,
				       const ucontext_t *uc)
{
	return info->si_code == TRAP_BRKPT &&
	       (uintptr_t)info->si_addr == kp_uc_ip(uc);
}

/* A record that the kernel has put behind the registers; or NULL. */
static inline const void *kp_uc_record(const ucontext_t *uc, uint32_t magic)
{
	const char *at = (const char *)uc->uc_mcontext.__reserved;
	const char *end = at + sizeof(uc->uc_mcontext.__reserved);
	const struct _aarch64_ctx *head;

	for (; at + sizeof(*head) <= end; at += head->size) {
		head = (const void *)at;
		if (!head->magic || head->size < sizeof(*head))
			return NULL;
		if (head->magic == magic)
			return head;
	}
	return NULL;
}

/*
 * As kp_core_on_fault wants it: the exception class, of ESR_ELx.  Where the kernel does
 * not tell it, what the signal is sent for.
 */
static inline int kp_uc_trapnr(const siginfo_t *info, const ucontext_t *uc)
{
	const struct esr_context *esr = kp_uc_record(uc, ESR_MAGIC);

	if (esr)
		return (int)(esr->esr >> 26);
	switch (info->si_signo) {
	case SIGILL:
		return 0;		/* unknown reason */
	case SIGFPE:
		return 0x2c;
	default:
		return 0x24;		/* a data abort */
	}
}

/*
 * Is a fault in a page a write's?  Where the kernel does not tell, it is nobody's who
 * executes there, for who reads is not refused.
 */
static inline bool kp_uc_writes(const siginfo_t *info, const ucontext_t *uc)
{
	const struct esr_context *esr = kp_uc_record(uc, ESR_MAGIC);

	if (!esr)
		return kp_uc_writes_or_executes(info, uc);
	return esr->esr >> 26 == 0x24 && (esr->esr & 1u << 6);
}

static inline void kp_uc_load(struct pt_regs *regs, const ucontext_t *uc)
{
	unsigned int i;

	for (i = 0; i < 31; i++)
		regs->regs[i] = uc->uc_mcontext.regs[i];
	regs->sp = uc->uc_mcontext.sp;
	regs->pc = uc->uc_mcontext.pc;
	regs->pstate = uc->uc_mcontext.pstate;
}

static inline void kp_uc_store(ucontext_t *uc, const struct pt_regs *regs)
{
	unsigned int i;

	for (i = 0; i < 31; i++)
		uc->uc_mcontext.regs[i] = regs->regs[i];
	uc->uc_mcontext.sp = regs->sp;
	uc->uc_mcontext.pc = regs->pc;
	uc->uc_mcontext.pstate = regs->pstate;
}

/* ---- vector registers: the record that has them ------------------------------------------ */

static inline const void *kp_uc_image(const ucontext_t *uc)
{
	return kp_uc_record(uc, FPSIMD_MAGIC);
}

static inline void kp_uc_vectors(struct kp_arch_vectors *out, const void *image)
{
	const struct fpsimd_context *fp = image;

	out->image = fp->vregs;
}

/* ---- a system call that is about to be made, or has been -------------------------------- */

static inline long kp_uc_call(const ucontext_t *uc)
{
	return (long)uc->uc_mcontext.regs[8];
}

#define KP_UC_ARG_REG(uc, n) ((uc)->uc_mcontext.regs[n])
#define KP_CALL_WORD 0xd4000001u
#include "call_words.h"

/* ---- a thread ------------------------------------------------------------------------- */

/* Where in the C library's description of a thread, seen from the thread pointer. */
#define KP_TCB_FIRST (-2304)
#define KP_TCB_LEN 2304
#define KP_TCB_TID (-1648)		/* glibc 2.36 */

#define KP_AUDIT_ARCH AUDIT_ARCH_AARCH64
/*
 * Why debug registers are not to be used: a watchpoint traps before the access, and so
 * comes the signal.  Its handler's return makes the access again, and traps again, for
 * ever (docs/watching.md has a program that shows it).
 */
#define KP_WATCH_REFUSED \
	"an arm64 processor's debug registers trap before the access, so that a process would never get past their signal: writes are watched by pages or by code"
#define KP_SET_THREAD_CALL SYS_getpid	/* none */

/* The calling thread gets another one's thread pointer. */
static inline void kp_set_thread(uintptr_t self)
{
	__asm__ volatile("msr tpidr_el0, %0" : : "r"(self) : "memory");
}

/*
 * Do unwinders find the ready-made stubs (return.S)?  Not if return addresses are signed in
 * bits that are an address's there: xpaclri takes away all bits that a signature may have.
 */
static inline bool kp_stubs_unwind(void)
{
	const uintptr_t address = (1ul << 48) - 1;
	uintptr_t left;

	__asm__("mov x30, %1; hint #7; mov %0, x30"
		: "=r"(left) : "r"(address) : "x30");
	return left == address;
}

/* A counter that all processors have in common; of 1 GHz on those of today, or less. */
#define KP_TICKS_10MS (1ull << 20)
static inline uint64_t kp_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
	return ticks;
}

static inline void kp_cpu_relax(void)
{
	__asm__ volatile("yield" : : : "memory");
}

/* What a function finds as its nth argument, from 0. */
static inline void kp_set_argument(struct pt_regs *regs, unsigned int n,
				   unsigned long value)
{
	regs->regs[n] = value;
}

/* ---- memory --------------------------------------------------------------------------- */

#define KP_SWAPS_ANYWHERE 0	/* atomically, within a cache line */

/* If the 16 bytes at their boundary are old, make new of them; else what they are. */
static inline bool kp_swap_pair_if(void *at, uint64_t old[2], const uint64_t new[2])
{
	uint64_t low, high;
	uint32_t busy, differ;

	/* What differs is stored as it is: else both may not be of one moment. */
	__asm__ volatile("1:	ldaxp	%0, %1, %4\n\t"
			 "cmp	%0, %5\n\t"
			 "ccmp	%1, %6, #0, eq\n\t"
			 "cset	%w3, ne\n\t"
			 "b.ne	2f\n\t"
			 "stlxp	%w2, %7, %8, %4\n\t"
			 "cbnz	%w2, 1b\n\t"
			 "b	3f\n\t"
			 "2:	stlxp	%w2, %0, %1, %4\n\t"
			 "cbnz	%w2, 1b\n\t"
			 "3:"
			 : "=&r"(low), "=&r"(high), "=&r"(busy), "=&r"(differ),
			   "+Q"(*(uint64_t (*)[2])at)
			 : "r"(old[0]), "r"(old[1]), "r"(new[0]), "r"(new[1])
			 : "cc", "memory");
	old[0] = low;
	old[1] = high;
	return !differ;
}

/* ---- text ----------------------------------------------------------------------------- */

#define KP_INTERCEPT_JUMP_LEN 4

/* Code that returns n, as bytes: mov w0, #n; ret. */
#define KP_RETURN_CODE(n) \
	{ (n) << 5 & 0xe0, (n) >> 3, 0x80, 0x52, 0xc0, 0x03, 0x5f, 0xd6 }
#define KP_WRITES_TEAR 0		/* the kernel writes a breakpoint by one store */
#define KP_TRIES_WRITES 1	/* what is written to text may not be executed */

/*
 * Text was written as data is: let all see it as instructions.  Cleaned to where
 * instruction fetches look, then taken from what they have seen.
 */
static inline void kp_text_written(uintptr_t addr, size_t len)
{
	uint64_t ctr, data, code;
	uintptr_t at;

	__asm__ volatile("mrs %0, ctr_el0" : "=r"(ctr));
	data = 4ul << (ctr >> 16 & 15);
	code = 4ul << (ctr & 15);
	for (at = addr & ~(data - 1); at < addr + len; at += data)
		__asm__ volatile("dc cvau, %0" : : "r"(at) : "memory");
	__asm__ volatile("dsb ish" : : : "memory");
	for (at = addr & ~(code - 1); at < addr + len; at += code)
		__asm__ volatile("ic ivau, %0" : : "r"(at) : "memory");
	__asm__ volatile("dsb ish; isb" : : : "memory");
}

/*
 * What is known of all text: where the processor does not know landing pads, no page is
 * guarded.
 */
static inline unsigned int kp_text_flags(void)
{
	return kp_face_auxv(AT_HWCAP2) & HWCAP2_BTI ? 0 : KP_ARCH_UNGUARDED;
}

/* The bytes of a jump. */
static inline void kp_intercept_jump(uint8_t *bytes, uintptr_t from, uintptr_t to)
{
	uint32_t word = 0x14000000 | ((uint32_t)((to - from) >> 2) & 0x3ffffff);

	memcpy(bytes, &word, sizeof(word));
}

/* Does a jump, as these are, begin there? */
static inline bool kp_intercept_is_jump(const uint8_t *at)
{
	return at[3] >> 2 == 0x14000000 >> 26;
}

#endif
