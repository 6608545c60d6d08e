/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine.h - what a signal, a system call, a thread and an intercept are on x86-64.
 *
 * Owns: the host's only knowledge of ucontext_t's registers and of the bytes of its own
 * jumps, but for what else stands in this folder.  All of it is trap path.
 */
#ifndef KP_USER_MACHINE_H
#define KP_USER_MACHINE_H

#include "env.h"
#include "restorer.h"
#include "sys.h"

#include <errno.h>
#include <signal.h>
#include <ucontext.h>

#define KP_SYSCALL_LEN 2

/* ---- a signal's registers ------------------------------------------------------------- */

#define KP_REG_IP REG_RIP
#define KP_REG_SP REG_RSP
#define KP_REG_AX REG_RAX
#define KP_CALL_REGS REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9
#define KP_READ_FLAGS __builtin_ia32_readeflags_u64
#define KP_WRITE_FLAGS __builtin_ia32_writeeflags_u64
#define KP_JUMP_WORDS 8
#define KP_JUMP_SP 6
#define KP_JUMP_TURNED 17
#define KP_JUMP_GUARD "fs:0x30"
#include "machine_both.h"

#define KP_UC_MASK_AT 296

/*
 * setcontext() sets the mask that a context has, where it is, and then goes on there; the
 * context's address is on top of its stack meanwhile, as glibc has it.  swapcontext() does the
 * same, and has the former mask written into the context that it has just saved: that has its
 * own address as the first argument, and the stack pointer behind the call.  The stack pointer
 * that it will have; 0: it is another call.
 */
#define KP_KNOWS_CONTEXTS 1
#define KP_CONTEXT_REG(reg) offsetof(ucontext_t, uc_mcontext.gregs[reg])
static inline bool kp_uc_is_swap(const ucontext_t *uc, uintptr_t old,
				 int (*read)(uintptr_t addr, void *dst, size_t len))
{
	uintptr_t first, sp;

	return !read(old + KP_CONTEXT_REG(REG_RDI), &first, sizeof(first)) && first == old &&
	       !read(old + KP_CONTEXT_REG(REG_RSP), &sp, sizeof(sp)) &&
	       sp == (uintptr_t)uc->uc_mcontext.gregs[REG_RSP] + sizeof(sp);
}

static inline uintptr_t kp_uc_context_sp(const ucontext_t *uc,
					 int (*read)(uintptr_t addr, void *dst, size_t len))
{
	uintptr_t next = (uintptr_t)uc->uc_mcontext.gregs[REG_RSI] - KP_UC_MASK_AT;
	uintptr_t old = (uintptr_t)uc->uc_mcontext.gregs[REG_RDX], top, sp;
	bool known;

	if (old)
		known = kp_uc_is_swap(uc, old - KP_UC_MASK_AT, read);
	else
		known = !read((uintptr_t)uc->uc_mcontext.gregs[REG_RSP], &top, sizeof(top)) &&
			top == next;
	return known && !read(next + KP_CONTEXT_REG(REG_RSP), &sp, sizeof(sp)) ? sp : 0;
}

static inline void kp_uc_load(struct pt_regs *regs, const ucontext_t *uc)
{
	const greg_t *g = uc->uc_mcontext.gregs;

	regs->r15 = (unsigned long)g[REG_R15];
	regs->r14 = (unsigned long)g[REG_R14];
	regs->r13 = (unsigned long)g[REG_R13];
	regs->r12 = (unsigned long)g[REG_R12];
	regs->bp = (unsigned long)g[REG_RBP];
	regs->bx = (unsigned long)g[REG_RBX];
	regs->r11 = (unsigned long)g[REG_R11];
	regs->r10 = (unsigned long)g[REG_R10];
	regs->r9 = (unsigned long)g[REG_R9];
	regs->r8 = (unsigned long)g[REG_R8];
	regs->ax = (unsigned long)g[REG_RAX];
	regs->cx = (unsigned long)g[REG_RCX];
	regs->dx = (unsigned long)g[REG_RDX];
	regs->si = (unsigned long)g[REG_RSI];
	regs->di = (unsigned long)g[REG_RDI];
	regs->orig_ax = ~0ul;
	regs->ip = (unsigned long)g[REG_RIP];
	regs->flags = (unsigned long)g[REG_EFL];
	regs->sp = (unsigned long)g[REG_RSP];
	regs->cs = (unsigned long)g[REG_CSGSFS] & 0xffff;
	regs->ss = (unsigned long)g[REG_CSGSFS] >> 48;
}

static inline void kp_uc_store(ucontext_t *uc, const struct pt_regs *regs)
{
	greg_t *g = uc->uc_mcontext.gregs;

	g[REG_R15] = (greg_t)regs->r15;
	g[REG_R14] = (greg_t)regs->r14;
	g[REG_R13] = (greg_t)regs->r13;
	g[REG_R12] = (greg_t)regs->r12;
	g[REG_RBP] = (greg_t)regs->bp;
	g[REG_RBX] = (greg_t)regs->bx;
	g[REG_R11] = (greg_t)regs->r11;
	g[REG_R10] = (greg_t)regs->r10;
	g[REG_R9] = (greg_t)regs->r9;
	g[REG_R8] = (greg_t)regs->r8;
	g[REG_RAX] = (greg_t)regs->ax;
	g[REG_RCX] = (greg_t)regs->cx;
	g[REG_RDX] = (greg_t)regs->dx;
	g[REG_RSI] = (greg_t)regs->si;
	g[REG_RDI] = (greg_t)regs->di;
	g[REG_RIP] = (greg_t)regs->ip;
	g[REG_EFL] = (greg_t)regs->flags;
	g[REG_RSP] = (greg_t)regs->sp;
}

/* Entries of ours need no breakpoint to go on elsewhere. */
static inline bool kp_uc_resume(struct pt_regs *regs)
{
	(void)regs;
	return false;
}

/* ---- vector registers: as fxsave or xsave stored them --------------------------------- */

/* In a saved image: what the kernel says about it. */
#define KP_UC_SW_BYTES (512 - sizeof(struct _fpx_sw_bytes))

static inline void kp_uc_vectors(struct kp_arch_vectors *out, const void *image)
{
	const struct _fpx_sw_bytes *sw =
		(const void *)((const char *)image + KP_UC_SW_BYTES);

	out->image = image;
	out->components = sw->magic1 == FP_XSTATE_MAGIC1 ? sw->xstate_bv : 0;
}

/* ---- a system call that is about to be made, or has been -------------------------------- */

static inline long kp_uc_call(const ucontext_t *uc)
{
	return (long)uc->uc_mcontext.gregs[REG_RAX];
}

/* Behind the instruction of a call whose breakpoint the signal reports. */
static inline uintptr_t kp_uc_next(const ucontext_t *uc)
{
	return kp_uc_trap_addr(uc) + KP_SYSCALL_LEN;
}

/* A call that was made elsewhere, with other arguments, has been made in its place. */
static inline void kp_uc_call_back(ucontext_t *uc, const unsigned long args[6],
				   uintptr_t next)
{
	unsigned int i;

	for (i = 0; i < 6; i++)
		kp_uc_set_arg(uc, i, (long)args[i]);
	uc->uc_mcontext.gregs[REG_RIP] = (greg_t)next;
	uc->uc_mcontext.gregs[REG_RCX] = (greg_t)next;
}

#define KP_CLONE_CHILD_TID 3	/* which argument of clone(2) */

/* Are these bytes that instruction? */
static inline bool kp_is_call(const uint8_t *bytes)
{
	return bytes[0] == 0x0f && bytes[1] == 0x05;
}

/* rt_sigreturn's frame. */
static inline ucontext_t *kp_uc_frame_of(const ucontext_t *uc)
{
	return (ucontext_t *)kp_uc_sp(uc);
}

/* It was served in the handler of the breakpoint in its place, and has this result. */
static inline void kp_uc_call_done(ucontext_t *uc, long result)
{
	greg_t *g = uc->uc_mcontext.gregs;

	g[REG_RAX] = result;
	g[REG_RIP] += 1;		/* from behind the int3: two bytes */
	g[REG_RCX] = g[REG_RIP];
	g[REG_R11] = g[REG_EFL];
}

/* ---- a thread ------------------------------------------------------------------------- */

/* Where in the C library's description of a thread, seen from the thread pointer. */
#define KP_TCB_TID 0x2d0		/* for years now */

#define KP_AUDIT_ARCH AUDIT_ARCH_X86_64
/* Why debug registers are not to be used; or NULL. */
#define KP_WATCH_REFUSED NULL
#define KP_SET_THREAD_CALL SYS_arch_prctl	/* what the next one asks for */

/* The calling thread gets another one's thread pointer. */
static inline void kp_set_thread(uintptr_t self)
{
	sys3(SYS_arch_prctl, 0x1002 /* ARCH_SET_FS */, self, 0);
}

static inline bool kp_has_shadow_stack(void)
{
	unsigned long features = 0;

	/* arch_prctl(ARCH_SHSTK_STATUS) */
	return !sys3(SYS_arch_prctl, 0x5005, &features, 0) && (features & 1);
}

/* What a function finds as its nth argument, from 0. */
static inline void kp_set_argument(struct pt_regs *regs, unsigned int n,
				   unsigned long value)
{
	unsigned long *const args[] = {
		&regs->di, &regs->si, &regs->dx, &regs->cx, &regs->r8, &regs->r9,
	};

	*args[n] = value;
}

/* ---- memory --------------------------------------------------------------------------- */

#define KP_SWAPS_ANYWHERE 1	/* atomically, within a cache line */

/* If the 16 bytes at their boundary are old, make new of them; else what they are. */
static inline bool kp_swap_pair_if(void *at, uint64_t old[2], const uint64_t new[2])
{
	bool done;

	__asm__ volatile("lock cmpxchg16b %1"
			 : "=@ccz"(done), "+m"(*(uint64_t (*)[2])at),
			   "+a"(old[0]), "+d"(old[1])
			 : "b"(new[0]), "c"(new[1]) : "memory");
	return done;
}

#endif
