/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * signal_words.h - a signal's frame on processors whose breakpoint leaves the PC where it is,
 * and which do not single-step a process by themselves.
 *
 * Owns: what of machine.h follows from where the frame has the PC and the stack pointer.
 * machine.h says that (KP_UC_IP, KP_UC_SP), and may say KP_FRAME_AHEAD, KP_UC_FRAME_AT,
 * KP_UC_TELLS_WRITES and KP_UC_RESUMES; then it includes this.  All of it is trap path.
 */
#ifndef KP_USER_SIGNAL_WORDS_H
#define KP_USER_SIGNAL_WORDS_H

static inline uintptr_t kp_uc_ip(const ucontext_t *uc)
{
	return (uintptr_t)KP_UC_IP(uc);
}

/* In the set that the thread is in; sign-extended where the kernel keeps 64 bits on 32. */
static inline void kp_uc_set_ip(ucontext_t *uc, uintptr_t ip)
{
	KP_UC_IP(uc) = (__typeof__(KP_UC_IP(uc)))(long)ip;
}

static inline uintptr_t kp_uc_sp(const ucontext_t *uc)
{
	return (uintptr_t)KP_UC_SP(uc);
}

static inline void kp_uc_set_sp(ucontext_t *uc, uintptr_t sp)
{
	KP_UC_SP(uc) = (__typeof__(KP_UC_SP(uc)))(long)sp;
}

/* The address of the breakpoint that the signal reports. */
static inline uintptr_t kp_uc_trap_addr(const ucontext_t *uc)
{
	return kp_uc_ip(uc);
}

/* What is between the stack pointer and the siginfo_t. */
#ifndef KP_FRAME_AHEAD
#define KP_FRAME_AHEAD 0
#endif
#define KP_FRAME_UC_AT (KP_FRAME_AHEAD + sizeof(siginfo_t))

/* How large a frame is without vectors; with them the kernel says so. */
static inline unsigned long kp_signal_frame(void)
{
	return KP_FRAME_UC_AT + sizeof(ucontext_t) + 64;
}

/* The frame that a thread which is about to call rt_sigreturn or sigreturn returns by. */
#ifndef KP_UC_FRAME_AT
#define KP_UC_FRAME_AT(uc) KP_FRAME_UC_AT
#endif
static inline ucontext_t *kp_uc_frame_of(const ucontext_t *uc)
{
	return (ucontext_t *)(kp_uc_sp(uc) + KP_UC_FRAME_AT(uc));
}

/*
 * Was a fault in a page a write?  Where the kernel does not tell: a page refuses no reads, so
 * it was, unless the thread executes there.
 */
static inline bool kp_uc_writes_or_executes(const siginfo_t *info, const ucontext_t *uc)
{
	return (uintptr_t)info->si_addr != kp_uc_ip(uc);
}
#ifndef KP_UC_TELLS_WRITES
#define kp_uc_writes kp_uc_writes_or_executes
#endif

/* A process is single-stepped by its tracer alone. */
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

/* Vector registers are part of the frame, which may be a copy: found each time. */
static inline void kp_uc_set_image(ucontext_t *uc, const void *image)
{
	(void)uc;
	(void)image;
}

/* The trap of an entry of ours that continues elsewhere, with these registers? */
static inline bool kp_uc_resume(struct pt_regs *regs)
{
#ifdef KP_UC_RESUMES
	return kp_arch_resume(regs);
#else
	(void)regs;
	return false;
#endif
}

#endif
