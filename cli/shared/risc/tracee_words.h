/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * tracee_words.h - what the stopped threads of arm64, riscv64, arm and MIPS have in common.
 *
 * Owns: arguments in registers side by side; and how those kernels restart a system call.
 *
 * At a system call's stop the IP is behind its instruction.  At any other the kernel has
 * taken an interrupted call back already: the first argument is in its register again,
 * the IP is at the instruction, and no register tells that from a call that has yet to
 * begin; it makes no difference.  So `call` is what the instruction would do.  That a
 * sleep is to go on with what was left, the kernel knows as long as the IP stays there.
 *
 * The processor's tracee.h includes it behind what its instructions are (one_set.h) and its
 * struct tracee_regs, which has `x`, words
 * in which TRACEE_ARG and TRACEE_LINK are places, `number`, of the call that it is stopped
 * in, or -1, and `call`, the same, or that it is about to make, or -1.
 */
#ifndef KP_CLI_TRACEE_WORDS_H
#define KP_CLI_TRACEE_WORDS_H

/* Bytes below the stack pointer that are the program's: none. */
#define TRACEE_RED_ZONE 0

struct rest;
struct thread;

/* 0 or an errno (tracee.c). */
int tracee_read(pid_t tid, struct tracee_regs *regs);
int tracee_write(pid_t tid, const struct tracee_regs *regs);

/* Of who called the function that has just begun: where it goes on, with which stack. */
static inline bool tracee_caller(const struct remote *remote,
				 const struct tracee_regs *regs, uint64_t *ip,
				 uint64_t *sp)
{
	(void)remote;
	*ip = regs->x[TRACEE_LINK];
	*sp = tracee_sp(regs);
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
	return regs->x[TRACEE_ARG + n];
}

static inline void tracee_set_first(struct tracee_regs *regs, uint64_t value)
{
	regs->x[TRACEE_ARG] = value;
}

/* At a call's entry: that one is made in its place, and it goes on at ip, with sp. */
static inline void tracee_replace_call(struct tracee_regs *regs, uint64_t ip,
				       uint64_t sp, long number,
				       const uint64_t args[6])
{
	unsigned int i;

	tracee_set_code(regs, ip);
	tracee_set_sp(regs, sp);
	tracee_enter_call(regs, number);
	for (i = 0; i < 6; i++)
		regs->x[TRACEE_ARG + i] = args[i];
}

/* It is in no call, wherever it is. */
static inline void tracee_leave_call(struct tracee_regs *regs)
{
	regs->number = regs->call = -1;
}

/* It goes on at ip, in no call. */
static inline void tracee_go_to(struct tracee_regs *regs, uint64_t ip, uint64_t sp)
{
	tracee_set_code(regs, ip);
	tracee_set_sp(regs, sp);
	tracee_skip_call(regs);
	tracee_leave_call(regs);
}

/* Its IP is behind a system call's instruction: it executes that, for call number. */
static inline void tracee_begin_anew(struct tracee_regs *regs, long number)
{
	tracee_set_ip(regs, tracee_ip(regs) - tracee_call_len(regs));
	regs->x[TRACEE_NUMBER] = (uint64_t)number;
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

/*
 * Its call begins anew, as call, instead of going on by restart_syscall.  False: no
 * register says so; at the entry of that one it becomes the other.
 */
static inline bool tracee_repeat(struct tracee_regs *regs, long call)
{
	(void)regs;
	(void)call;
	return false;
}

/* ---- restart.c ------------------------------------------------------------------------ */

/* The kernel has more to remember of it than its registers: restart_syscall. */
bool tracee_needs_restart(const struct tracee_regs *regs);

/*
 * It has been stopped; rest, unless it is NULL, is where it slept a moment before.
 * Has the stop ended its call, with EINTR?  Then the registers are those with which it
 * began.  And where a breakpoint has come to stand on its instruction, they say so.
 */
bool tracee_has_ended_early(pid_t tid, struct tracee_regs *regs,
			    const struct rest *rest);

/* At a call's entry, by its instruction? */
bool tracee_at_instruction(const struct remote *remote,
			   const struct tracee_regs *regs);
/*
 * Has a breakpoint come to stand on the instruction of the call that it is in?  Then
 * its IP is behind that.
 */
bool tracee_at_covered(const struct remote *remote, struct tracee_regs *regs);

/*
 * It waits with the signal of a breakpoint that its handler has not seen, and that
 * still stands, or does not any more: the hit is taken back.
 */
bool tracee_take_back(const struct remote *remote, const siginfo_t *info,
		      struct tracee_regs *regs, bool stands);

/* The instruction at addr, which may stand across two words; 0: it cannot be read. */
uint32_t tracee_peek(pid_t tid, uint64_t addr);

/* What restart_syscall goes on with stood in the register that says so now. */
long tracee_restarted(const struct remote *remote, uint64_t ip);

#endif
