/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * unseen.c - SIGTRAP stays open where the program blocks it by ways that no
 * function of the C library shows: numbers that come through registers, memory
 * and syscall(2), masks in signal frames and contexts, rings.  Each case runs in
 * a child, since a failure is its death.
 */
#include "live.h"

#include <kprobes/control.h>

#include <linux/io_uring.h>
#include <poll.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>

static const unsigned long all = ~0ul;
static volatile int handled;

struct raw_action {
	void *handler;
	unsigned long flags;
	void *restorer;
	unsigned long mask;
};

static bool trap_shows_blocked(void)
{
	unsigned long now = 0;

	syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &now, 8);
	return now >> (SIGTRAP - 1) & 1;
}

static void hit_in_handler(int sig)
{
	(void)sig;
	handled = live_hit() ? 1 : -1;
}

/* ---- numbers --------------------------------------------------------------- */

static void by_syscall(void)
{
	unsigned long none = 0, old = 0;

	NEED(!syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old, 8));
	NEED(!(old >> (SIGTRAP - 1) & 1));
	NEED(live_hit() && trap_shows_blocked());
	NEED(!syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, &old, 8));
	NEED(old >> (SIGTRAP - 1) & 1);
	NEED(live_hit() && !trap_shows_blocked());
}

/* What syscall(2) does otherwise, it still does: six arguments, errno, results. */
static void other_calls(void)
{
	char text[8] = "";
	int fds[2];
	char *mem;

	NEED(syscall(SYS_getpid) == getpid());
	NEED(syscall(SYS_close, -1) == -1 && errno == EBADF);
	NEED(syscall(100000) == -1 && errno == ENOSYS);
	NEED(syscall(65536 + SYS_rt_sigprocmask) == -1 && errno == ENOSYS);
	mem = (char *)syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	NEED(mem != MAP_FAILED && !mem[4095]);
	NEED(!pipe(fds) && syscall(SYS_write, fds[1], "ring", 4) == 4);
	NEED(syscall(SYS_read, fds[0], text, 8) == 4 && !strcmp(text, "ring"));
}

#define CALL_14(how_number)						\
	({								\
		register long r10_ __asm__("r10") = 8;			\
		long ret_;						\
		__asm__ volatile(how_number "syscall"			\
				 : "=a"(ret_)				\
				 : "D"(SIG_SETMASK), "S"(&all), "d"(0),	\
				   "r"(r10_), "b"(14l), "c"(&number)	\
				 : "r11", "memory");			\
		ret_;							\
	})
static volatile long number = 14;

static void by_push(void)
{
	NEED(!CALL_14("push $14\n\tpop %%rax\n\t"));
	NEED(live_hit() && trap_shows_blocked());
}

static void by_register(void)
{
	NEED(!CALL_14("mov %%rbx, %%rax\n\t"));
	NEED(live_hit() && trap_shows_blocked());
}

static void by_memory(void)
{
	NEED(!CALL_14("mov (%%rcx), %%rax\n\t"));
	NEED(live_hit() && trap_shows_blocked());
}

static void by_arithmetic(void)
{
	NEED(!CALL_14("mov $39, %%eax\n\tsub $25, %%eax\n\t"));
	NEED(live_hit() && trap_shows_blocked());
}

/* Two ways to one instruction, and a harmless constant right before it. */
static void by_branch(void)
{
	NEED(!CALL_14("mov $14, %%eax\n\ttest %%rbx, %%rbx\n\tjnz 1f\n\t"
		      "mov $39, %%eax\n\t1:\n\t"));
	NEED(live_hit() && trap_shows_blocked());
}

/* In the way of a jump: what is before the call is entered in the middle. */
static void by_loop(void)
{
	NEED(!CALL_14("mov $39, %%eax\n\tjmp 2f\n\t1: mov $14, %%eax\n\t"
		      "2: lea 0x12345678(%%rax), %%rcx\n\tcmp $14, %%eax\n\t"
		      "jne 1b\n\t"));
	NEED(live_hit() && trap_shows_blocked());
}

/* ---- what is done with signals ------------------------------------------------ */

__asm__(".text\n"
	"narrow_restorer: mov $15, %eax\n\tsyscall\n"
	"odd_restorer: .cfi_startproc\n\tpush $15\n\tpop %rax\n"
	"\tsyscall\n\t.cfi_endproc\n");
extern const char narrow_restorer[], odd_restorer[];

static struct raw_action raw(int sig, void *handler, unsigned long mask)
{
	struct raw_action act;
	struct sigaction usual = { .sa_handler = hit_in_handler };

	NEED(!sigaction(sig, &usual, NULL));
	NEED(!syscall(SYS_rt_sigaction, sig, NULL, &act, 8));
	act.handler = handler;
	act.mask = mask;
	return act;
}

static void action_by_syscall(void)
{
	struct raw_action act = raw(SIGUSR1, hit_in_handler, all);

	NEED(!syscall(SYS_rt_sigaction, SIGUSR1, &act, NULL, 8));
	raise(SIGUSR1);
	NEED(handled == 1 && live_hit());
}

static void trap_by_syscall(void)
{
	struct raw_action act = raw(SIGUSR1, NULL, 0), old;
	static const unsigned long odd[] = { 0x80000000ul, 0x40000000ul };
	size_t i;

	act.flags |= odd[0];			/* SA_RESETHAND */
	NEED(!syscall(SYS_rt_sigaction, SIGTRAP, &act, NULL, 8));
	NEED(live_hit());
	act.handler = (void *)SIG_IGN;
	NEED(!syscall(SYS_rt_sigaction, SIGTRAP, &act, &old, 8));
	NEED(!old.handler && live_hit());
	act.handler = (void *)hit_in_handler;
	for (i = 0; i < 2; i++) {
		act.flags ^= odd[i];
		NEED(!syscall(SYS_rt_sigaction, SIGTRAP, &act, NULL, 8));
		NEED(live_hit());
	}
	raise(SIGTRAP);
	NEED(handled == 1 && live_hit());
}

static void fill(int sig, siginfo_t *info, void *uc)
{
	(void)sig;
	(void)info;
	sigfillset(&((ucontext_t *)uc)->uc_sigmask);
	handled = live_hit() ? 1 : -1;
}

static void frame_with(int flags)
{
	struct sigaction act = { .sa_sigaction = fill,
				 .sa_flags = SA_SIGINFO | flags };
	unsigned long none = 0;
	int i;

	NEED(!sigaction(SIGUSR1, &act, NULL));
	for (i = 0; i < 3; i++) {
		handled = 0;
		raise(SIGUSR1);
		NEED(handled == 1 && live_hit() && trap_shows_blocked());
		NEED(!syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, 8));
		NEED(!trap_shows_blocked());
	}
}

static void in_frame(void)
{
	frame_with(0);
}

static void in_frame_on_other_stack(void)
{
	static char stack[262144];
	stack_t alt = { .ss_sp = stack, .ss_size = sizeof(stack) };

	NEED(!sigaltstack(&alt, NULL));
	frame_with(SA_ONSTACK);
}

static void with_restorer(const void *restorer)
{
	struct raw_action act = raw(SIGUSR2, fill, 0);

	act.flags |= SA_SIGINFO;
	act.restorer = (void *)(unsigned long)restorer;
	NEED(!syscall(SYS_rt_sigaction, SIGUSR1, &act, NULL, 8));
	raise(SIGUSR1);
	NEED(handled == 1 && live_hit() && trap_shows_blocked());
}

static void narrow_return(void)
{
	with_restorer(narrow_restorer);
}

/* Faults, too: a handler's must reach the engine. */
static volatile int *volatile nowhere = (int *)8;

static int bad_read(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	live_hits++;
	return *nowhere;
}

static void fault_after_frame(void)
{
	struct kprobe p = { .addr = (kprobe_opcode_t *)(unsigned long)live_target,
			    .pre_handler = bad_read };
	struct sigaction act = { .sa_sigaction = fill, .sa_flags = SA_SIGINFO };
	long before = live_hits;

	unregister_kprobe(&live_probe);
	NEED(!register_kprobe(&p));
	kprobes_flush();
	NEED(!sigaction(SIGUSR1, &act, NULL));
	raise(SIGUSR1);
	NEED(live_target(4) == 5 && live_hits > before);
}

static void by_setcontext(void)
{
	static volatile int n;
	ucontext_t uc;

	getcontext(&uc);
	sigfillset(&uc.uc_sigmask);
	if (!n++)
		setcontext(&uc);
	NEED(live_hit() && trap_shows_blocked());
}

/* ---- masks of waits -------------------------------------------------------------- */

static unsigned long but_alarm(void)
{
	return ~(1ul << (SIGALRM - 1));
}

static void start_timer(void)
{
	struct itimerval soon = { { 0, 20000 }, { 0, 20000 } };

	handled = 0;
	signal(SIGALRM, hit_in_handler);
	setitimer(ITIMER_REAL, &soon, NULL);
}

static void waits_by_syscall(void)
{
	unsigned long mask = but_alarm();
	struct { const void *mask; unsigned long len; } pair = { &mask, 8 };
	struct epoll_event event;
	int fd = epoll_create1(0);

	start_timer();
	NEED(syscall(SYS_ppoll, NULL, 0, NULL, &mask, 8) == -1 && handled == 1);
	start_timer();
	NEED(syscall(SYS_epoll_pwait, fd, &event, 1, -1, &mask, 8) == -1);
	NEED(handled == 1);
	start_timer();
	NEED(syscall(SYS_pselect6, 0, NULL, NULL, NULL, NULL, &pair) == -1);
	NEED(handled == 1);
	start_timer();
	NEED(syscall(SYS_rt_sigsuspend, &mask, 8) == -1 && handled == 1);
	NEED(mask == but_alarm() && live_hit());
}

static void in_ring(void)
{
	unsigned long mask = but_alarm();
	struct io_uring_params params;
	struct {
		const void *mask;
		unsigned int len, pad;
		const void *time;
	} arg = { &mask, 8, 0, NULL };
	long fd;

	memset(&params, 0, sizeof(params));
	fd = syscall(SYS_io_uring_setup, 4, &params);
	if (fd < 0)
		return;			/* not on this machine */
	start_timer();
	NEED(syscall(SYS_io_uring_enter, fd, 0, 1, IORING_ENTER_GETEVENTS,
		     &mask, 8) == -1 && handled == 1);
	if (!(params.features & IORING_FEAT_EXT_ARG))
		return;
	start_timer();
	NEED(syscall(SYS_io_uring_enter, fd, 0, 1,
		     IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &arg,
		     sizeof(arg)) == -1 && handled == 1);
	NEED(mask == but_alarm() && arg.mask == &mask);
}

static void odd_return(void)
{
	with_restorer(odd_restorer);
}

/* ---- what it may not have meanwhile ------------------------------------------ */

static void dispatch(void)
{
	static char selector;

	/* PR_SET_SYSCALL_USER_DISPATCH: on, in two ways, and off. */
	NEED(prctl(59, 1, 0, 0, &selector) == -1 && errno == EINVAL);
	NEED(syscall(SYS_prctl, 59, 1, 0, 0, &selector) == -1);
	NEED(errno == EINVAL);
	selector = 1;			/* SYSCALL_DISPATCH_FILTER_BLOCK */
	NEED(live_hit() && getppid() > 0);
	prctl(59, 0, 0, 0, 0);
	NEED(!prctl(PR_SET_NAME, "other", 0, 0, 0) && live_hit());
}

/* ---- what a program that is executed gets --------------------------------------- */

static unsigned long status_field(const char *name)
{
	char line[256];
	unsigned long value = 0;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			value = strtoul(line + strlen(name), NULL, 16);
	if (f)
		fclose(f);
	return value;
}

#define BIT(sig) (1ul << ((sig) - 1))

/* In what was executed, without the engine: what the program had set. */
static int inherited(void)
{
	unsigned long blocked = BIT(SIGTRAP) | BIT(SIGUSR1);
	unsigned long ignored = BIT(SIGTRAP) | BIT(SIGSEGV) | BIT(SIGFPE);

	if (status_field("SigBlk:") == blocked &&
	    (status_field("SigIgn:") & (ignored | BIT(SIGBUS))) == ignored)
		return 0;
	printf("# blocked %lx ignored %lx\n", status_field("SigBlk:"),
	       status_field("SigIgn:"));
	return 1;
}

static void set_for_exec(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	sigaddset(&set, SIGUSR1);
	NEED(!sigprocmask(SIG_SETMASK, &set, NULL));
	signal(SIGTRAP, SIG_IGN);
	signal(SIGSEGV, SIG_IGN);
	signal(SIGFPE, SIG_IGN);
}

static char *const again[] = { "unseen", "inherited", NULL };

/* This program, which is linked with the library: looked at before it starts. */
static void exec_hands_on(void)
{
	set_for_exec();
	execv("/nothing", again);
	NEED(errno == ENOENT && live_hit() && trap_shows_blocked());
	NEED(signal(SIGTRAP, SIG_IGN) == SIG_IGN);
	execv("/proc/self/exe", again);
	_exit(9);
}

static void spawn_hands_on(void)
{
	int status;
	pid_t pid;

	set_for_exec();
	NEED(!posix_spawn(&pid, "/proc/self/exe", NULL, NULL, again, environ));
	NEED(waitpid(pid, &status, 0) == pid && !status);
	NEED(live_hit() && trap_shows_blocked());
}

static int inherited_status = -1;

/* Before the library's constructor, which opens SIGTRAP. */
static void look_first(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "inherited"))
		inherited_status = inherited();
}
__attribute__((section(".preinit_array"), used))
static void (*const first)(int, char **) = look_first;

int main(void)
{
	if (inherited_status >= 0)
		return inherited_status;
	live_arm();
	child_case("syscall_2_K-HIT-20", by_syscall);
	child_case("syscall_2_other_calls", other_calls);
	child_case("number_pushed", by_push);
	child_case("number_in_register", by_register);
	child_case("number_in_memory", by_memory);
	child_case("number_computed", by_arithmetic);
	child_case("number_by_branch", by_branch);
	child_case("number_by_loop", by_loop);
	child_case("sigaction_by_syscall_2", action_by_syscall);
	child_case("sigtrap_by_syscall_2", trap_by_syscall);
	child_case("mask_in_frame", in_frame);
	child_case("mask_in_frame_on_other_stack", in_frame_on_other_stack);
	child_case("mask_in_frame_other_restorer", narrow_return);
	child_case("mask_in_frame_odd_restorer", odd_return);
	child_case("fault_after_mask_in_frame", fault_after_frame);
	child_case("mask_by_setcontext", by_setcontext);
	child_case("masks_of_waits_by_syscall_2", waits_by_syscall);
	child_case("mask_of_ring", in_ring);
	child_case("syscall_user_dispatch_is_refused", dispatch);
	child_case("exec_hands_on", exec_hands_on);
	child_case("posix_spawn_hands_on", spawn_hands_on);
	return live_failed;
}
