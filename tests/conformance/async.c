/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * async.c - what interrupts, traps and faults, on both hosts.
 *
 * Owns: the receivers that are not the engine's.  In a process they are signal
 * handlers; in a kernel a timer interrupt and die notifiers.
 */
#ifndef __KERNEL__
#define _GNU_SOURCE
#endif
#include "harness.h"

static void (*async_fn)(void);
static long (*volatile watched)(void);
static volatile int trapped, steps;
static unsigned long *step_ips;
static int step_max;

unsigned long t_clock(void)
{
	return t_ticks();
}

#ifdef __KERNEL__

#include <linux/hrtimer.h>
#include <linux/kdebug.h>
#include <linux/notifier.h>
#include <linux/uaccess.h>

static struct hrtimer timer;
static ktime_t period;

static enum hrtimer_restart on_timer(struct hrtimer *t)
{
	async_fn();
	hrtimer_forward_now(t, period);
	return HRTIMER_RESTART;
}

int t_async_start(void (*fn)(void), int period_us)
{
	async_fn = fn;
	period = ns_to_ktime(period_us * 1000ull);
	hrtimer_setup(&timer, on_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED);
	hrtimer_start(&timer, period, HRTIMER_MODE_REL_PINNED);
	return 0;
}

void t_async_stop(void)
{
	hrtimer_cancel(&timer);
}

bool t_faults_alone(void)
{
	long got;

	return get_user(got, (long __user *)t_bad_address) == -EFAULT;
}

#ifdef CONFIG_ARM64

#include <asm/debug-monitors.h>

/* The kernel's list of who serves which brk: its functions are not exported. */
static int on_break(struct pt_regs *regs, unsigned long esr)
{
	if (!watched || regs->pc != (unsigned long)watched + T_TRAP_INT3)
		return DBG_HOOK_ERROR;
	trapped++;
	regs->pc += 4;
	return DBG_HOOK_HANDLED;
}

static struct break_hook receiver = { .fn = on_break, .imm = 0 };

static void receive(bool on)
{
	void (*fn)(struct break_hook *hook) =
		t_address_of(on ? "register_kernel_break_hook" :
				  "unregister_kernel_break_hook");

	fn(&receiver);
}

#elif defined(CONFIG_ARM)

#include <asm/traps.h>

/* The kernel's list of who serves which undefined instruction: its functions are not exported. */
static int on_undefined(struct pt_regs *regs, unsigned int insn)
{
	if (!watched || regs->ARM_pc != (unsigned long)watched + T_TRAP_INT3)
		return 1;
	trapped++;
	regs->ARM_pc += 4;
	return 0;
}

static struct undef_hook receiver = {
	.instr_mask = ~0u, .instr_val = T_FOREIGN_BP, .fn = on_undefined,
};

static void receive(bool on)
{
	void (*fn)(struct undef_hook *hook) =
		t_address_of(on ? "register_undef_hook" : "unregister_undef_hook");

	fn(&receiver);
}

#elif defined(CONFIG_RISCV)

#include <linux/bug.h>

/*
 * No kernel has a list of who serves an ebreak: all that it takes itself is a WARN in its
 * tables.  This one counts as told already, so nothing is printed; any other would be an
 * oops.
 */
static struct bug_entry receiver __attribute__((section("__bug_table")));

static void receive(bool on)
{
	unsigned long addr = on ? (unsigned long)watched + T_TRAP_INT3 : 0;

	receiver.bug_addr_disp = addr - (unsigned long)&receiver.bug_addr_disp;
	receiver.flags = BUGFLAG_WARNING | BUGFLAG_ONCE | BUGFLAG_DONE;
	trapped = 1;
}

#else

#ifdef CONFIG_MIPS
#define T_DIE DIE_TRAP			/* who gets it is past nothing */
#define t_pass_trap(regs) ((void)((regs)->cp0_epc += 4))
#else
#define T_DIE DIE_INT3
#define t_pass_trap(regs) ((void)(regs))
#endif

static int on_die(struct notifier_block *nb, unsigned long event, void *data)
{
	struct die_args *args = data;
	unsigned long ip = instruction_pointer(args->regs);

	if (event == T_DIE && watched &&
	    ip == T_PRE_IP(watched) + T_TRAP_INT3) {
		trapped++;
		t_pass_trap(args->regs);
		return NOTIFY_STOP;
	}
	return NOTIFY_DONE;
}

static struct notifier_block receiver = { .notifier_call = on_die };

static void receive(bool on)
{
	if (on)
		register_die_notifier(&receiver);
	else
		unregister_die_notifier(&receiver);
}

#endif

bool t_interruptible(void)
{
	return !irqs_disabled() || !preempt_count();
}

#else

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

static void install(int sig, void (*fn)(int, siginfo_t *, void *),
		    struct sigaction *old)
{
	struct sigaction act = { .sa_sigaction = fn,
				 .sa_flags = SA_SIGINFO | SA_RESTART };

	if (sigaction(sig, &act, old))
		abort();
}

static struct sigaction before;

static void on_alarm(int sig, siginfo_t *info, void *uc)
{
	(void)sig;
	(void)info;
	(void)uc;
	async_fn();
}

int t_async_start(void (*fn)(void), int period_us)
{
	struct itimerval every = { .it_interval.tv_usec = period_us,
				   .it_value.tv_usec = period_us };

	async_fn = fn;
	install(SIGALRM, on_alarm, &before);
	return setitimer(ITIMER_REAL, &every, NULL) ? -errno : 0;
}

void t_async_stop(void)
{
	struct itimerval never = { .it_value.tv_usec = 0 };

	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &before, NULL);
}

static sigjmp_buf out;

static void on_segv(int sig, siginfo_t *info, void *uc)
{
	(void)sig;
	(void)info;
	(void)uc;
	siglongjmp(out, 1);
}

bool t_faults_alone(void)
{
	volatile bool survived = false;
	struct sigaction old;

	install(SIGSEGV, on_segv, &old);
	if (sigsetjmp(out, 1))
		survived = true;
	else
		t_poke(t_bad_address);
	sigaction(SIGSEGV, &old, NULL);
	return survived;
}

static void note_step(unsigned long ip)
{
	if (steps < step_max)
		step_ips[steps] = ip;
	steps++;
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	unsigned long ip = t_uc_ip(uc);

	(void)sig;
	if (watched && ip == T_PRE_IP(watched) + T_TRAP_INT3) {
		trapped++;
		t_uc_pass_breakpoint(uc);
	} else if (step_ips && info->si_code == TRAP_TRACE) {
		note_step(ip);
	}
}

static void receive(bool on)
{
	if (on)
		install(SIGTRAP, on_trap, &before);
	else
		sigaction(SIGTRAP, &before, NULL);
}

static volatile sig_atomic_t came;

static void on_usr1(int sig, siginfo_t *info, void *uc)
{
	(void)sig;
	(void)info;
	(void)uc;
	came = 1;
}

bool t_interruptible(void)
{
	static bool installed;
	bool now;

	if (!installed)
		install(SIGUSR1, on_usr1, NULL);
	installed = true;
	came = 0;
	syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR1);
	now = came;
	return now;
}

#endif

bool t_foreign_int3(long (*fn)(void), long *result)
{
	trapped = 0;
	watched = fn;
	receive(true);
	*result = fn();
	receive(false);
	watched = NULL;
	return trapped == 1;
}

int t_single_steps(long (*fn)(void), unsigned long *ips, int max)
{
	steps = 0;
	step_max = max;
	step_ips = ips;
	receive(true);
	if (fn() != 2)
		steps = -EIO;
	receive(false);
	step_ips = NULL;
	return steps;
}
