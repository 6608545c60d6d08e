/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * frames.c - the two frames of a signal's handler on i386.
 *
 * Owns: handlers with and without SA_SIGINFO that change the mask in their frame so that
 * SIGTRAP is blocked behind them; a probe is hit all the same, and the program sees what it
 * asked for.  And a call of the C library's that uses the older call for masks.
 */
#include <linux/kprobes.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define OLD_MASK 84			/* from the handler's first argument on */
#define TRAP_BIT (1ul << (SIGTRAP - 1))

static volatile int hits, came;
static int failed;

static void say(const char *name, int ok)
{
	printf("%sok i386-frames-%s\n", ok ? "" : "not ", name);
	failed |= !ok;
}

static __attribute__((noinline, noclone)) int probed(int a)
{
	__asm__ volatile("" : : : "memory");
	return a + 1;
}

static int on_hit(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	hits += regs_get_kernel_argument(regs, 0) == 41;
	return 0;
}

static void with_info(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	came += info->si_signo == sig;
	sigaddset(&uc->uc_sigmask, SIGTRAP);
}

/* Its frame has the mask's first word behind the registers. */
static __attribute__((noinline)) void without(int sig)
{
	char *first = (char *)__builtin_frame_address(0) + 8;

	came += *(volatile int *)(void *)first == sig;
	*(volatile unsigned long *)(void *)(first + OLD_MASK) |= TRAP_BIT;
}

static int is_blocked(void)
{
	sigset_t now;

	return !sigprocmask(SIG_BLOCK, NULL, &now) && sigismember(&now, SIGTRAP);
}

static void open_trap(void)
{
	sigset_t trap;

	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	sigprocmask(SIG_UNBLOCK, &trap, NULL);
}

static void through_frame(const char *name, int flags)
{
	struct sigaction action = { .sa_flags = flags }, old;
	int before = hits;

	if (flags & SA_SIGINFO)
		action.sa_sigaction = with_info;
	else
		action.sa_handler = without;
	came = 0;
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	say(name, came == 1 && probed(41) == 42 && hits == before + 1 && is_blocked());
	open_trap();
	sigaction(SIGUSR1, NULL, &old);
	say("the-handler-is-the-program's", old.sa_flags == flags && !old.sa_restorer &&
	    old.sa_handler == action.sa_handler);
}

/*
 * A fault's handler has the registers as its second argument, and goes on behind what has
 * faulted: the engine has the signal first.
 */
struct registers {
	unsigned long segments[4], di, si, bp, sp, bx, dx, cx, ax, trap, error, ip;
};

static struct registers seen;

static void on_fault(int sig, struct registers now)
{
	volatile struct registers *changed = &now;

	came += sig == SIGSEGV;
	seen = now;
	changed->ip += 2;
	changed->cx = 5;
}

static void through_fault(void)
{
	struct sigaction action = { .sa_handler = (void (*)(int))(unsigned long)on_fault }, old;
	unsigned long cx = 8;

	came = 0;
	sigaction(SIGSEGV, &action, &old);
	/* mov %eax, (%ecx) */
	__asm__ volatile(".byte 0x89, 0x01" : "+c"(cx) : "a"(7), "d"(9) : "memory");
	say("registers-by-value", came == 1 && seen.ax == 7 && seen.cx == 8 && seen.dx == 9 && cx == 5);
	sigaction(SIGSEGV, &old, NULL);
}

/* setcontext and getcontext ask by the older call. */
static void through_context(void)
{
	static volatile int back;
	ucontext_t uc;
	int before = hits;

	back = 0;
	getcontext(&uc);
	if (!back) {
		back = 1;
		sigaddset(&uc.uc_sigmask, SIGTRAP);
		setcontext(&uc);
	}
	say("setcontext", probed(41) == 42 && hits == before + 1 && is_blocked());
	open_trap();
}

int main(void)
{
	struct kprobe p = { .addr = (kprobe_opcode_t *)(unsigned long)probed, .pre_handler = on_hit };

	if (register_kprobe(&p)) {
		printf("not ok i386-frames %s\n", p.reason ? p.reason : "");
		return 1;
	}
	through_frame("with-SA_SIGINFO", SA_SIGINFO);
	through_frame("without", 0);
	through_context();
	through_fault();
	unregister_kprobe(&p);
	return failed;
}
