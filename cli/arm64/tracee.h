/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * tracee.h - a stopped thread's registers, on arm64.
 *
 * Owns: the command's only knowledge of them, of the instruction of a system call and
 * of how the kernel restarts one; each processor's folder has this file.
 *
 * At a system call's stop the IP is behind its instruction.  At any other the kernel
 * has taken an interrupted call back already: x0 is its argument again, the IP is at
 * the instruction, and no register tells that from a call that has yet to begin; it
 * makes no difference.  So `call` is what the instruction would do.  That a sleep is
 * to go on with what was left, the kernel knows as long as the IP stays there.
 */
#ifndef KP_CLI_TRACEE_H
#define KP_CLI_TRACEE_H

#include "remote.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Bytes below the stack pointer that are the program's: none. */
#define TRACEE_RED_ZONE 0

#define TRACEE_INSN_LEN 4
#define TRACEE_SVC 0xd4000001u

struct rest;
struct thread;

/* Words, all of them: who looks for an address looks at each. */
struct tracee_regs {
	uint64_t x[31], sp, pc, pstate;	/* as ptrace gives them */
	uint64_t tls;
	int64_t number;			/* of the call that it is stopped in; or -1 */
	int64_t call;			/* the same, or that it is about to make; or -1 */
};

/* ---- reading and writing (tracee.c) ------------------------------------------------- */

/* 0 or an errno. */
int tracee_read(pid_t tid, struct tracee_regs *regs);
int tracee_write(pid_t tid, const struct tracee_regs *regs);

static inline uint64_t tracee_ip(const struct tracee_regs *regs)
{
	return regs->pc;
}

/* What a word in memory or a register is, taken for an address of code: unsigned. */
static inline uint64_t tracee_address(uint64_t word)
{
	return word & ((1ull << 48) - 1);
}

static inline void tracee_set_ip(struct tracee_regs *regs, uint64_t ip)
{
	regs->pc = ip;
}

static inline uint64_t tracee_sp(const struct tracee_regs *regs)
{
	return regs->sp;
}

/* Where the C library has what is the thread's. */
static inline uint64_t tracee_tls(const struct tracee_regs *regs)
{
	return regs->tls;
}

/* Of who called the function that has just begun: where it goes on, with which stack. */
static inline bool tracee_caller(const struct remote *remote,
				 const struct tracee_regs *regs, uint64_t *ip,
				 uint64_t *sp)
{
	(void)remote;
	*ip = regs->x[30];
	*sp = regs->sp;
	return true;
}

/* The same of one that rests, of which /proc does not tell the register. */
static inline bool tracee_rest_caller(const struct remote *remote, uint64_t rest_sp,
				      uint64_t *ip, uint64_t *sp)
{
	(void)remote;
	(void)ip;
	*sp = rest_sp;
	return false;
}

/* ---- its system call ----------------------------------------------------------------- */

/* The call that it is in, or goes on with; < 0: none. */
static inline long tracee_call(const struct tracee_regs *regs)
{
	return regs->call;
}

static inline uint64_t tracee_arg(const struct tracee_regs *regs, unsigned int n)
{
	return regs->x[n];
}

/* At a call's end. */
static inline long tracee_result(const struct tracee_regs *regs)
{
	return (long)regs->x[0];
}

/* At a call's entry: that one is made in its place, and it goes on at ip, with sp. */
static inline void tracee_replace_call(struct tracee_regs *regs, uint64_t ip,
				       uint64_t sp, long number,
				       const uint64_t args[6])
{
	unsigned int i;

	regs->pc = ip;
	regs->sp = sp;
	regs->number = regs->call = number;
	for (i = 0; i < 6; i++)
		regs->x[i] = args[i];
}

/* It is in no call, wherever it is. */
static inline void tracee_leave_call(struct tracee_regs *regs)
{
	regs->number = regs->call = -1;
}

/* It goes on at ip, in no call. */
static inline void tracee_go_to(struct tracee_regs *regs, uint64_t ip, uint64_t sp)
{
	regs->pc = ip;
	regs->sp = sp;
	tracee_leave_call(regs);
}

/* Its IP is behind a system call's instruction: it executes that, for call number. */
static inline void tracee_begin_anew(struct tracee_regs *regs, long number)
{
	regs->pc -= TRACEE_INSN_LEN;
	regs->x[8] = (uint64_t)number;
}

/*
 * At the entry of another call, which has begun with the same x0: these are the
 * registers of one that begins.
 */
static inline void tracee_enter_call(struct tracee_regs *regs, long number)
{
	regs->number = regs->call = number;
}

/* fn(a, b), by the code in the mailbox (frame.c). */
static inline void tracee_call_function(struct tracee_regs *regs, uint64_t mailbox,
					uint64_t sp, uint64_t fn, uint64_t a, uint64_t b)
{
	tracee_go_to(regs, mailbox, sp);
	regs->x[19] = fn;
	regs->x[21] = regs->x[7];
	regs->x[29] = 0;
	regs->x[0] = a;
	regs->x[1] = b;
}

/* What that has returned. */
static inline uint64_t tracee_function_result(const struct tracee_regs *regs)
{
	return regs->x[20];
}

/* Neither a single step nor a branch that must end on a landing pad. */
static inline void tracee_settle(struct tracee_regs *regs)
{
	regs->pstate &= ~(1ull << 21 | 3ull << 10);
}

/* ---- stops ---------------------------------------------------------------------------- */

/* Its call, if left, goes on or begins anew. */
static inline bool tracee_restarts(const struct tracee_regs *regs)
{
	return regs->number < 0 && regs->call >= 0;
}

/* Its call waits for a lock, and has been interrupted in that. */
static inline bool tracee_is_interrupted(const struct tracee_regs *regs)
{
	return tracee_restarts(regs);
}

/* The kernel has more to remember of it than its registers: restart_syscall. */
bool tracee_needs_restart(const struct tracee_regs *regs);

/*
 * It has been stopped; rest, unless it is NULL, is where it slept a moment before.
 * Has the stop ended its call, with EINTR?  Then the registers are those with which it
 * began.  And where a breakpoint has come to stand on its instruction, they say so.
 */
bool tracee_has_ended_early(pid_t tid, struct tracee_regs *regs,
			    const struct rest *rest);

/* That begins anew. */
static inline void tracee_restart(struct tracee_regs *regs)
{
	regs->pc -= TRACEE_INSN_LEN;
}

/* At a call's entry, by its instruction? */
bool tracee_at_instruction(const struct remote *remote,
			   const struct tracee_regs *regs);
/*
 * Has a breakpoint come to stand on the instruction of the call that it is in?  Then
 * its IP is behind that.
 */
bool tracee_at_covered(const struct remote *remote, struct tracee_regs *regs);

/* At a call's entry not all may be seen of a thread: make it so.  0 or an errno. */
int tracee_see_all(struct thread *thread);

/*
 * It waits with the signal of a breakpoint that its handler has not seen, and that
 * still stands, or does not any more: the hit is taken back.
 */
bool tracee_take_back(const struct remote *remote, const siginfo_t *info,
		      struct tracee_regs *regs, bool stands);

/* What restart_syscall goes on with stood in the register that says so now. */
long tracee_restarted(const struct remote *remote, uint64_t ip);

#endif
