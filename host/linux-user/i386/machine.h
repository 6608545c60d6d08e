/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine.h - what a signal, a system call, a thread and an intercept are on i386.
 *
 * Owns: the host's only knowledge of ucontext_t's registers and of the bytes of its own
 * jumps, but for what else stands in this folder.  All of it is trap path.
 */
#ifndef KP_USER_MACHINE_H
#define KP_USER_MACHINE_H

#include "env.h"
#include "restorer.h"
#include "sys.h"

#include <asm/ldt.h>
#include <cpuid.h>
#include <errno.h>
#include <signal.h>
#include <ucontext.h>

/* int $0x80; or call *%gs:16, whose first two bytes tell as much. */
#define KP_SYSCALL_LEN 2
#define KP_CALL_BY_GS_LEN 7

/* access.S: of handlers without SA_SIGINFO, whose frame is another one. */
extern void kp_user_sigreturn_old(void);

/* ---- a signal's registers ------------------------------------------------------------- */

#define KP_UC_MASK_AT 108
#define KP_UC_STEP_TRAP 1
#define KP_UC_BREAKPOINT_TRAP 3
#define KP_UC_TRAP_FLAG 0x100
#define KP_UC_ALIGNMENT_FLAG 0x40000

static inline uintptr_t kp_uc_ip(const ucontext_t *uc)
{
	return (uintptr_t)uc->uc_mcontext.gregs[REG_EIP];
}

static inline void kp_uc_set_ip(ucontext_t *uc, uintptr_t ip)
{
	uc->uc_mcontext.gregs[REG_EIP] = (greg_t)ip;
}

static inline uintptr_t kp_uc_sp(const ucontext_t *uc)
{
	return (uintptr_t)uc->uc_mcontext.gregs[REG_ESP];
}

static inline void kp_uc_set_sp(ucontext_t *uc, uintptr_t sp)
{
	uc->uc_mcontext.gregs[REG_ESP] = (greg_t)sp;
}

/* The address of the breakpoint that the signal reports. */
static inline uintptr_t kp_uc_trap_addr(const ucontext_t *uc)
{
	return kp_uc_ip(uc) - 1;
}

/*
 * Is it a breakpoint's?  raise() and kill() leave an old trap number behind: ask the
 * code.  The kernel says SI_KERNEL, Valgrind, which executes the program itself,
 * TRAP_BRKPT.
 */
static inline bool kp_uc_is_breakpoint(const siginfo_t *info,
				       const ucontext_t *uc)
{
	return (info->si_code == SI_KERNEL || info->si_code == TRAP_BRKPT) &&
	       uc->uc_mcontext.gregs[REG_TRAPNO] == KP_UC_BREAKPOINT_TRAP;
}

/* As kp_core_on_fault wants it. */
static inline int kp_uc_trapnr(const siginfo_t *info, const ucontext_t *uc)
{
	(void)info;
	return (int)uc->uc_mcontext.gregs[REG_TRAPNO];
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
	flags = __builtin_ia32_readeflags_u32();
	__builtin_ia32_writeeflags_u32(flags & ~(unsigned long)KP_UC_ALIGNMENT_FLAG);
}

static inline void kp_uc_load(struct pt_regs *regs, const ucontext_t *uc)
{
	const greg_t *g = uc->uc_mcontext.gregs;

	regs->bx = (unsigned long)g[REG_EBX];
	regs->cx = (unsigned long)g[REG_ECX];
	regs->dx = (unsigned long)g[REG_EDX];
	regs->si = (unsigned long)g[REG_ESI];
	regs->di = (unsigned long)g[REG_EDI];
	regs->bp = (unsigned long)g[REG_EBP];
	regs->ax = (unsigned long)g[REG_EAX];
	regs->ds = (unsigned short)g[REG_DS];
	regs->es = (unsigned short)g[REG_ES];
	regs->fs = (unsigned short)g[REG_FS];
	regs->gs = (unsigned short)g[REG_GS];
	regs->orig_ax = ~0ul;
	regs->ip = (unsigned long)g[REG_EIP];
	regs->cs = (unsigned short)g[REG_CS];
	regs->flags = (unsigned long)g[REG_EFL];
	regs->sp = (unsigned long)g[REG_ESP];
	regs->ss = (unsigned short)g[REG_SS];
}

static inline void kp_uc_store(ucontext_t *uc, const struct pt_regs *regs)
{
	greg_t *g = uc->uc_mcontext.gregs;

	g[REG_EBX] = (greg_t)regs->bx;
	g[REG_ECX] = (greg_t)regs->cx;
	g[REG_EDX] = (greg_t)regs->dx;
	g[REG_ESI] = (greg_t)regs->si;
	g[REG_EDI] = (greg_t)regs->di;
	g[REG_EBP] = (greg_t)regs->bp;
	g[REG_EAX] = (greg_t)regs->ax;
	g[REG_EIP] = (greg_t)regs->ip;
	g[REG_EFL] = (greg_t)regs->flags;
	g[REG_ESP] = (greg_t)regs->sp;
}

/* Entries of ours need no breakpoint to go on elsewhere. */
static inline bool kp_uc_resume(struct pt_regs *regs)
{
	(void)regs;
	return false;
}

/* ---- vector registers: as fxsave stored them, behind what fnsave would have ------------- */

#define KP_UC_FXSAVE_AT 112

static inline const void *kp_uc_image(const ucontext_t *uc)
{
	return uc->uc_mcontext.fpregs;
}

static inline void kp_uc_set_image(ucontext_t *uc, const void *image)
{
	uc->uc_mcontext.fpregs = (fpregset_t)(uintptr_t)image;
}

/* Of processors without SSE there is nothing. */
static inline void kp_uc_vectors(struct kp_arch_vectors *out, const void *image)
{
	uint32_t status;

	memcpy(&status, (const char *)image + KP_UC_FXSAVE_AT - sizeof(status), sizeof(status));
	out->image = status >> 16 ? NULL : (const char *)image + KP_UC_FXSAVE_AT;
	out->components = 0;
}

/* ---- a system call that is about to be made, or has been -------------------------------- */

/* Of two calls that differ in how long a time is, the older one. */
static inline long kp_call_alike(long nr)
{
	switch (nr) {
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
	return kp_call_alike(uc->uc_mcontext.gregs[REG_EAX]);
}

static inline greg_t *kp_uc_arg_at(ucontext_t *uc, unsigned int n)
{
	static const int regs[] = {
		REG_EBX, REG_ECX, REG_EDX, REG_ESI, REG_EDI, REG_EBP,
	};

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
	return (long)uc->uc_mcontext.gregs[REG_EAX];
}

static inline void kp_uc_set_result(ucontext_t *uc, long result)
{
	uc->uc_mcontext.gregs[REG_EAX] = result;
}

#define KP_CLONE_CHILD_TID 4	/* which argument of clone(2) */

/* Do these bytes begin that instruction? */
static inline bool kp_is_call(const uint8_t *bytes)
{
	return (bytes[0] == 0xcd && bytes[1] == 0x80) ||
	       (bytes[0] == 0x65 && bytes[1] == 0xff);
}

/* rt_sigreturn's frame, behind the handler's arguments and the siginfo_t. */
static inline ucontext_t *kp_uc_frame_of(const ucontext_t *uc)
{
	return (ucontext_t *)(kp_uc_sp(uc) + 12 + sizeof(siginfo_t));
}

/*
 * It was served in the handler of the breakpoint in its place, and has this result.  Behind
 * the int3 the rest of the instruction stands.
 */
static inline void kp_uc_call_done(ucontext_t *uc, long result)
{
	const uint8_t *rest = (const uint8_t *)kp_uc_ip(uc);

	uc->uc_mcontext.gregs[REG_EAX] = result;
	kp_uc_set_ip(uc, kp_uc_trap_addr(uc) +
			 (*rest == 0x80 ? KP_SYSCALL_LEN : KP_CALL_BY_GS_LEN));
}

/* ---- a thread ------------------------------------------------------------------------- */

/* Where in the C library's description of a thread, seen from the thread pointer. */
#define KP_TCB_FIRST 0
#define KP_TCB_LEN 2048
#define KP_TCB_TID 0x68			/* for years now */

#define KP_AUDIT_ARCH AUDIT_ARCH_I386
/* Why debug registers are not to be used; or NULL. */
#define KP_WATCH_REFUSED \
	"on i386 debug registers are not used yet"
#define KP_SET_THREAD_CALL SYS_set_thread_area	/* what the next one asks for */

/* The calling thread gets another one's thread pointer. */
static inline void kp_set_thread(uintptr_t self)
{
	unsigned int gs;
	struct user_desc area = {
		.base_addr = self, .limit = 0xfffff, .seg_32bit = 1, .limit_in_pages = 1,
		.useable = 1,
	};

	__asm__ volatile("mov %%gs, %0" : "=r"(gs));
	area.entry_number = (gs & 0xffff) >> 3;
	sys3(SYS_set_thread_area, &area, 0, 0);
	/* What it said is read when it is loaded. */
	__asm__ volatile("mov %0, %%gs" : : "r"(gs) : "memory");
}

/* Of 32-bit code there is none. */
static inline bool kp_has_shadow_stack(void)
{
	return false;
}

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

/* What a function finds as its nth argument, from 0: above the return address. */
static inline void kp_set_argument(struct pt_regs *regs, unsigned int n,
				   unsigned long value)
{
	((unsigned long *)regs->sp)[1 + n] = value;
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
