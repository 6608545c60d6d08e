/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * tracee.h - a stopped thread's registers, on x86-64.
 *
 * Owns: the command's only knowledge of them, of the instruction of a system call and
 * of how the kernel restarts one; each processor's folder has this file.
 */
#ifndef KP_CLI_TRACEE_H
#define KP_CLI_TRACEE_H

#include "remote.h"

#include <errno.h>
#include <linux/ptrace.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>

/* Bytes below the stack pointer that are the program's. */
#define TRACEE_RED_ZONE 128

/* At a call's entry another first argument may be given. */
#define TRACEE_FIRST_STAYS 0

struct rest;
struct thread;

/* Words, all of them: who looks for an address looks at each. */
struct tracee_regs {
	struct user_regs_struct user;
};

/* ---- reading and writing ----------------------------------------------------------- */

/* 0 or an errno. */
static inline int tracee_read(pid_t tid, struct tracee_regs *regs)
{
	return ptrace(PTRACE_GETREGS, tid, 0, &regs->user) ? errno : 0;
}

static inline int tracee_write(pid_t tid, const struct tracee_regs *regs)
{
	return ptrace(PTRACE_SETREGS, tid, 0, &regs->user) ? errno : 0;
}

static inline uint64_t tracee_ip(const struct tracee_regs *regs)
{
	return regs->user.rip;
}

/* What a word in memory or a register is, taken for an address of code. */
static inline uint64_t tracee_address(uint64_t word)
{
	return word;
}

static inline void tracee_set_ip(struct tracee_regs *regs, uint64_t ip)
{
	regs->user.rip = ip;
}

static inline uint64_t tracee_sp(const struct tracee_regs *regs)
{
	return regs->user.rsp;
}

/* Where the C library has what is the thread's. */
static inline uint64_t tracee_tls(const struct tracee_regs *regs)
{
	return regs->user.fs_base;
}

/* Of who called the function that has just begun: where it goes on, with which stack. */
static inline bool tracee_caller(const struct remote *remote,
				 const struct tracee_regs *regs, uint64_t *ip,
				 uint64_t *sp)
{
	*sp = regs->user.rsp + 8;
	return !remote_read(remote, regs->user.rsp, ip, sizeof(*ip));
}

/* The same of one that rests. */
static inline bool tracee_rest_caller(const struct remote *remote, uint64_t rest_sp,
				      uint64_t *ip, uint64_t *sp)
{
	*sp = rest_sp + 8;
	return !remote_read(remote, rest_sp, ip, sizeof(*ip));
}

/* ---- its system call ----------------------------------------------------------------- */

/* The call that it is in, or goes on with; < 0: none. */
static inline long tracee_call(const struct tracee_regs *regs)
{
	return (long)regs->user.orig_rax;
}

static inline uint64_t tracee_arg(const struct tracee_regs *regs, unsigned int n)
{
	const struct user_regs_struct *user = &regs->user;
	const uint64_t args[6] = {
		user->rdi, user->rsi, user->rdx, user->r10, user->r8, user->r9,
	};

	return args[n];
}

static inline void tracee_set_first(struct tracee_regs *regs, uint64_t value)
{
	regs->user.rdi = value;
}

/* At a call's end. */
static inline long tracee_result(const struct tracee_regs *regs)
{
	return (long)regs->user.rax;
}

/* At a call's entry: that one is made in its place, and it goes on at ip, with sp. */
static inline void tracee_replace_call(struct tracee_regs *regs, uint64_t ip,
				       uint64_t sp, long number,
				       const uint64_t args[6])
{
	struct user_regs_struct *user = &regs->user;

	user->rip = ip;
	user->rsp = sp;
	user->orig_rax = (unsigned long)number;
	user->rdi = args[0];
	user->rsi = args[1];
	user->rdx = args[2];
	user->r10 = args[3];
	user->r8 = args[4];
	user->r9 = args[5];
}

/* It goes on at ip, in no call. */
static inline void tracee_go_to(struct tracee_regs *regs, uint64_t ip, uint64_t sp)
{
	regs->user.rip = ip;
	regs->user.rsp = sp;
	regs->user.orig_rax = (unsigned long)-1;
}

/* It is in no call, wherever it is. */
static inline void tracee_leave_call(struct tracee_regs *regs)
{
	regs->user.orig_rax = (unsigned long)-1;
}

/* Its IP is behind a system call's instruction: it executes that, for call number. */
static inline void tracee_begin_anew(struct tracee_regs *regs, long number)
{
	regs->user.rip -= 2;
	regs->user.rax = (unsigned long)number;
}

/* At the entry of another call: these are the registers of one that begins. */
static inline void tracee_enter_call(struct tracee_regs *regs, long number)
{
	regs->user.orig_rax = (unsigned long)number;
	regs->user.rax = (unsigned long)-ENOSYS;
}

/* fn(a, b), by the code in the mailbox (frame.c). */
static inline void tracee_call_function(struct tracee_regs *regs, uint64_t mailbox,
					uint64_t sp, uint64_t fn, uint64_t a, uint64_t b)
{
	tracee_go_to(regs, mailbox, sp);
	regs->user.rbx = fn;
	regs->user.rdi = a;
	regs->user.rsi = b;
}

/* What that has returned. */
static inline uint64_t tracee_function_result(const struct tracee_regs *regs)
{
	return regs->user.r12;
}

/* Neither single step nor direction nor alignment checks. */
static inline void tracee_settle(struct tracee_regs *regs)
{
	regs->user.eflags &= ~0x40500ull;
}

/* ---- stops ---------------------------------------------------------------------------- */

/* The kernel's; a program never sees them. */
#define TRACEE_RESTARTSYS 512
#define TRACEE_RESTARTNOINTR 513
#define TRACEE_RESTARTNOHAND 514
#define TRACEE_RESTARTBLOCK 516

/* Its call, if left, goes on or begins anew. */
static inline bool tracee_restarts(const struct tracee_regs *regs)
{
	long result = (long)regs->user.rax;

	return result == -TRACEE_RESTARTSYS || result == -TRACEE_RESTARTNOINTR ||
	       result == -TRACEE_RESTARTNOHAND || result == -TRACEE_RESTARTBLOCK;
}

/* Its call waits for a lock, and has been interrupted in that. */
static inline bool tracee_is_interrupted(const struct tracee_regs *regs)
{
	return (long)regs->user.rax == -TRACEE_RESTARTSYS;
}

/* The kernel has more to remember of it than its registers: restart_syscall. */
static inline bool tracee_needs_restart(const struct tracee_regs *regs)
{
	return (long)regs->user.rax == -TRACEE_RESTARTBLOCK;
}

/*
 * It has been stopped; rest, unless it is NULL, is where it slept a moment before.
 * A call that a stop ends with EINTR is told by its registers.
 */
static inline bool tracee_has_ended_early(pid_t tid, struct tracee_regs *regs,
					  const struct rest *rest)
{
	(void)tid;
	(void)rest;
	return (long)regs->user.rax == -EINTR;
}

/* That begins anew, unless a signal's handler comes first. */
static inline void tracee_restart(struct tracee_regs *regs)
{
	regs->user.rax = (unsigned long)-TRACEE_RESTARTNOHAND;
}

/* At a call's entry, by its instruction? */
static inline bool tracee_at_instruction(const struct remote *remote,
					 const struct tracee_regs *regs)
{
	uint8_t insn[2];

	return !remote_read(remote, regs->user.rip - 2, insn, sizeof(insn)) &&
	       insn[0] == 0x0f && insn[1] == 0x05;
}

/*
 * Has a breakpoint come to stand on the instruction of the call that it is in?  Then
 * its IP is behind that.
 */
static inline bool tracee_at_covered(const struct remote *remote,
				     struct tracee_regs *regs)
{
	uint8_t insn[2];

	return !remote_read(remote, regs->user.rip - 2, insn, sizeof(insn)) &&
	       insn[0] == 0xcc && insn[1] == 0x05;
}

/* At a call's entry not all may be seen of a thread: make it so.  0 or an errno. */
static inline int tracee_see_all(struct thread *thread)
{
	(void)thread;
	return 0;
}

/*
 * It waits with the signal of a breakpoint that its handler has not seen, and that
 * still stands, or does not any more: the hit is taken back.
 */
static inline bool tracee_take_back(const struct remote *remote, const siginfo_t *info,
				    struct tracee_regs *regs, bool stands)
{
	uint8_t byte = 0xcc;

	if (info->si_code != SI_KERNEL ||
	    remote_read(remote, regs->user.rip - 1, &byte, 1) ||
	    (byte == 0xcc) != stands)
		return false;
	regs->user.rip--;
	return true;
}

/*
 * restart_syscall is how the kernel goes on with a sleep that was interrupted.  Which
 * it was stands before the instruction; or it is not known.
 */
static inline long tracee_restarted(const struct remote *remote, uint64_t ip)
{
	uint8_t code[48];
	uint32_t number;
	int i;

	if (remote_read(remote, ip - sizeof(code), code, sizeof(code)))
		return SYS_restart_syscall;
	for (i = (int)sizeof(code) - 7; i >= 0; i--) {
		memcpy(&number, code + i + 1, sizeof(number));
		/* mov $number, %eax */
		if (code[i] == 0xb8 &&
		    (number == SYS_nanosleep || number == SYS_clock_nanosleep ||
		     number == SYS_poll || number == SYS_futex))
			return (long)number;
	}
	return SYS_restart_syscall;
}

#endif
