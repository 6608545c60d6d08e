/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * tracee_both.h - a stopped thread's registers, in both modes of x86.
 *
 * Owns: the instruction of a system call, of 2 bytes, and how the kernel restarts one.
 *
 * The mode's tracee.h includes it behind its struct tracee_regs, whose `user` is as ptrace
 * gives it, having said how that names the registers: TRACEE_IP, _SP, _NUMBER and _RESULT;
 * those of a call's arguments, as TRACEE_ARGS has them from a macro; which bytes the call's
 * instruction has, and which calls sleep besides (TRACEE_SLEEPS_MORE).
 */
#ifndef KP_CLI_TRACEE_BOTH_H
#define KP_CLI_TRACEE_BOTH_H

static inline uint64_t tracee_ip(const struct tracee_regs *regs)
{
	return (unsigned long)regs->user.TRACEE_IP;
}

/* What a word in memory or a register is, taken for an address of code. */
static inline uint64_t tracee_address(uint64_t word)
{
	return word;
}

static inline void tracee_set_ip(struct tracee_regs *regs, uint64_t ip)
{
	regs->user.TRACEE_IP = (unsigned long)ip;
}

static inline uint64_t tracee_sp(const struct tracee_regs *regs)
{
	return (unsigned long)regs->user.TRACEE_SP;
}

/* Of who called the function that has just begun: where it goes on, with which stack. */
static inline bool tracee_rest_caller(const struct remote *remote, uint64_t rest_sp,
				      uint64_t *ip, uint64_t *sp)
{
	remote_word word = 0;
	bool read = !remote_read(remote, rest_sp, &word, sizeof(word));

	*ip = word;
	*sp = rest_sp + sizeof(word);
	return read;
}

static inline bool tracee_caller(const struct remote *remote,
				 const struct tracee_regs *regs, uint64_t *ip,
				 uint64_t *sp)
{
	return tracee_rest_caller(remote, tracee_sp(regs), ip, sp);
}

/* ---- its system call ----------------------------------------------------------------- */

/* The call that it is in, or goes on with; < 0: none. */
static inline long tracee_call(const struct tracee_regs *regs)
{
	return (long)regs->user.TRACEE_NUMBER;
}

/* Where its argument n is, which the registers have. */
static inline unsigned long *tracee_arg_at(struct tracee_regs *regs, unsigned int n)
{
#define AT(reg) offsetof(struct tracee_regs, user.reg)
	static const unsigned short places[6] = TRACEE_ARGS(AT);
#undef AT

	return (unsigned long *)((char *)regs + places[n]);
}

static inline uint64_t tracee_arg(const struct tracee_regs *regs, unsigned int n)
{
	return *tracee_arg_at((struct tracee_regs *)(uintptr_t)regs, n);
}

static inline void tracee_set_first(struct tracee_regs *regs, uint64_t value)
{
	*tracee_arg_at(regs, 0) = (unsigned long)value;
}

/* At a call's end. */
static inline long tracee_result(const struct tracee_regs *regs)
{
	return (long)regs->user.TRACEE_RESULT;
}

/* At a call's entry: that one is made in its place, and it goes on at ip, with sp. */
static inline void tracee_replace_call(struct tracee_regs *regs, uint64_t ip,
				       uint64_t sp, long number,
				       const uint64_t args[6])
{
	unsigned int i;

	tracee_set_ip(regs, ip);
	regs->user.TRACEE_SP = (unsigned long)sp;
	regs->user.TRACEE_NUMBER = (unsigned long)number;
	for (i = 0; i < 6; i++)
		*tracee_arg_at(regs, i) = (unsigned long)args[i];
}

/* It goes on at ip, in no call. */
static inline void tracee_go_to(struct tracee_regs *regs, uint64_t ip, uint64_t sp)
{
	regs->user.TRACEE_IP = (unsigned long)ip;
	regs->user.TRACEE_SP = (unsigned long)sp;
	regs->user.TRACEE_NUMBER = (unsigned long)-1;
}

/* It is in no call, wherever it is. */
static inline void tracee_leave_call(struct tracee_regs *regs)
{
	regs->user.TRACEE_NUMBER = (unsigned long)-1;
}

/* Its IP is behind a system call's instruction: it executes that, for call number. */
static inline void tracee_begin_anew(struct tracee_regs *regs, long number)
{
	regs->user.TRACEE_IP -= 2;
	regs->user.TRACEE_RESULT = (unsigned long)number;
}

/* At the entry of another call: these are the registers of one that begins. */
static inline void tracee_enter_call(struct tracee_regs *regs, long number)
{
	regs->user.TRACEE_NUMBER = (unsigned long)number;
	regs->user.TRACEE_RESULT = (unsigned long)-ENOSYS;
}

/* Neither single step nor direction nor alignment checks. */
static inline void tracee_settle(struct tracee_regs *regs)
{
	regs->user.eflags &= ~0x40500l;
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
	long result = (long)regs->user.TRACEE_RESULT;

	return result == -TRACEE_RESTARTSYS || result == -TRACEE_RESTARTNOINTR ||
	       result == -TRACEE_RESTARTNOHAND || result == -TRACEE_RESTARTBLOCK;
}

/* Its call waits for a lock, and has been interrupted in that. */
static inline bool tracee_is_interrupted(const struct tracee_regs *regs)
{
	return (long)regs->user.TRACEE_RESULT == -TRACEE_RESTARTSYS;
}

/* The kernel has more to remember of it than its registers: restart_syscall. */
static inline bool tracee_needs_restart(const struct tracee_regs *regs)
{
	return (long)regs->user.TRACEE_RESULT == -TRACEE_RESTARTBLOCK;
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
	return (long)regs->user.TRACEE_RESULT == -EINTR;
}

/* That begins anew, unless a signal's handler comes first. */
static inline void tracee_restart(struct tracee_regs *regs)
{
	regs->user.TRACEE_RESULT = (unsigned long)-TRACEE_RESTARTNOHAND;
}

/*
 * Its call begins anew, as call, instead of going on by restart_syscall; or it ends with
 * EINTR where nobody knows any more which it was.  True: these registers say so.
 */
static inline bool tracee_repeat(struct tracee_regs *regs, long call)
{
	tracee_restart(regs);
	if (call == SYS_restart_syscall)
		regs->user.TRACEE_RESULT = (unsigned long)-EINTR;
	else
		regs->user.TRACEE_NUMBER = (unsigned long)call;
	return true;
}

/* At a call's entry, by its instruction? */
static inline bool tracee_at_instruction(const struct remote *remote,
					 const struct tracee_regs *regs)
{
	uint8_t insn[2];

	return !remote_read(remote, tracee_ip(regs) - 2, insn, sizeof(insn)) &&
	       insn[0] == TRACEE_CALL_FIRST && insn[1] == TRACEE_CALL_SECOND;
}

/*
 * Has a breakpoint come to stand on the instruction of the call that it is in?  Then
 * its IP is behind that.
 */
static inline bool tracee_at_covered(const struct remote *remote,
				     struct tracee_regs *regs)
{
	uint8_t insn[2];

	return !remote_read(remote, tracee_ip(regs) - 2, insn, sizeof(insn)) &&
	       insn[0] == 0xcc && insn[1] == TRACEE_CALL_SECOND;
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
	    remote_read(remote, tracee_ip(regs) - 1, &byte, 1) ||
	    (byte == 0xcc) != stands)
		return false;
	regs->user.TRACEE_IP--;
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
		     number == SYS_poll || number == SYS_futex || TRACEE_SLEEPS_MORE(number)))
			return (long)number;
	}
	return SYS_restart_syscall;
}

#endif
