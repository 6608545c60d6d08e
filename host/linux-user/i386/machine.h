/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine.h - what a signal, a system call, a thread and an intercept are on i386.
 *
 * Owns: the host's only knowledge of ucontext_t's registers and of the bytes of its own
 * jumps, but for what else stands in this folder.  All of it is trap path.
 */
#ifndef KP_USER_MACHINE_H
#define KP_USER_MACHINE_H

#include "call_alike.h"
#include "env.h"
#include "restorer.h"
#include "resume.h"
#include "sys.h"

#include <asm/ldt.h>
#include <errno.h>
#include <signal.h>
#include <ucontext.h>

/* int $0x80; or call *%gs:16, whose first two bytes tell as much. */
#define KP_SYSCALL_LEN 2
#define KP_CALL_BY_GS_LEN 7

/* ---- a signal's registers ------------------------------------------------------------- */

#define KP_REG_IP REG_EIP
#define KP_REG_SP REG_ESP
#define KP_REG_AX REG_EAX
#define KP_CALL_REGS REG_EBX, REG_ECX, REG_EDX, REG_ESI, REG_EDI, REG_EBP
#define KP_READ_FLAGS __builtin_ia32_readeflags_u32
#define KP_WRITE_FLAGS __builtin_ia32_writeeflags_u32
#define KP_JUMP_WORDS 6
#define KP_JUMP_SP 4
#define KP_JUMP_TURNED 9
#define KP_JUMP_GUARD "gs:0x18"
#include "machine_both.h"

#define KP_UC_MASK_AT 108

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

/* A hit's entry goes on with another stack. */
static inline bool kp_uc_resume(struct pt_regs *regs)
{
	return kp_arch_resume(regs);
}

/* signal.S: fn(words), 23 of them, which are what it makes of them then. */
void kp_user_call_plain(void *fn, void *words);

/* A handler without SA_SIGINFO has the registers themselves as its second argument. */
static inline void kp_call_plain(void *handler, int sig, ucontext_t *uc)
{
	struct {
		int sig;
		mcontext_t regs;
	} words = { sig, uc->uc_mcontext };

	_Static_assert(sizeof(words) == 23 * 4, "struct sigcontext");
	kp_user_call_plain(handler, &words);
	uc->uc_mcontext = words.regs;
}
#define KP_CALL_PLAIN kp_call_plain

/* ---- vector registers: as fxsave stored them, behind what fnsave would have ------------- */

#define KP_UC_FXSAVE_AT 112

/* In that, what the kernel says about it; xsave stores more. */
#define KP_UC_SW_BYTES (512 - sizeof(struct _fpx_sw_bytes))

/* Of processors without SSE there is nothing, though some have fxsave. */
static inline void kp_uc_vectors(struct kp_arch_vectors *out, const void *image)
{
	const char *units = (const char *)image + KP_UC_FXSAVE_AT;
	struct _fpx_sw_bytes sw;
	uint32_t status;

	memcpy(&status, units - sizeof(status), sizeof(status));
	memcpy(&sw, units + KP_UC_SW_BYTES, sizeof(sw));
	out->image = status >> 16 || !kp_arch_has_sse() ? NULL : units;
	out->components = sw.magic1 == FP_XSTATE_MAGIC1 ? sw.xstate_bv : 0;
}

/* ---- a system call that is about to be made, or has been -------------------------------- */

static inline long kp_uc_call(const ucontext_t *uc)
{
	return kp_call_alike(uc->uc_mcontext.gregs[REG_EAX]);
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

/* numbers.c: how long it is; and is this in the kernel's own code for any call? */
uintptr_t kp_call_len(uintptr_t call);
bool kp_is_entry(uintptr_t ip);
#define KP_CALL_CODE(ip) kp_is_entry(ip)

/* Behind the instruction of a call whose breakpoint the signal reports. */
static inline uintptr_t kp_uc_next(const ucontext_t *uc)
{
	return kp_uc_trap_addr(uc) + kp_call_len(kp_uc_trap_addr(uc));
}

/* It was served in the handler of the breakpoint in its place, and has this result. */
static inline void kp_uc_call_done(ucontext_t *uc, long result)
{
	uc->uc_mcontext.gregs[REG_EAX] = result;
	kp_uc_set_ip(uc, kp_uc_next(uc));
}

/* A call that was made elsewhere, with other arguments, has been made in its place. */
static inline void kp_uc_call_back(ucontext_t *uc, const unsigned long args[6],
				   uintptr_t next)
{
	unsigned int i;

	for (i = 0; i < 6; i++)
		kp_uc_set_arg(uc, i, (long)args[i]);
	kp_uc_set_ip(uc, next);
}

/* ---- a thread ------------------------------------------------------------------------- */

/* Where in the C library's description of a thread, seen from the thread pointer. */
#define KP_TCB_TID 0x68			/* for years now */

#define KP_AUDIT_ARCH AUDIT_ARCH_I386
/* Why debug registers are not to be used; or NULL. */
#define KP_WATCH_REFUSED NULL
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
	/* Without one it takes a free entry. */
	area.entry_number = gs & 0xffff ? (gs & 0xffff) >> 3 : -1u;
	sys3(SYS_set_thread_area, &area, 0, 0);
	gs = area.entry_number << 3 | 3;
	/* What it said is read when it is loaded. */
	__asm__ volatile("mov %0, %%gs" : : "r"(gs) : "memory");
}

#define KP_CLONE_SETS_THREAD 0	/* it would take a description like that one */

#define KP_SWAPS_ANYWHERE 1	/* atomically, within a cache line */
#define KP_SWAPS_PAIRS 0	/* 8 bytes at most */

/* Of 32-bit code there is none. */
static inline bool kp_has_shadow_stack(void)
{
	return false;
}

/* What a function finds as its nth argument, from 0: above the return address. */
static inline void kp_set_argument(struct pt_regs *regs, unsigned int n,
				   unsigned long value)
{
	((unsigned long *)regs->sp)[1 + n] = value;
}

#endif
