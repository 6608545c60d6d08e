/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * masks.c - SIGTRAP stays open whatever the program does to its masks: a probe
 * is hit where the program, or the C library by itself, has blocked all
 * signals.  Each case runs in a child, since a failure is its death.
 */
#include "live.h"

#include <kprobes/control.h>
#include <linux/uaccess.h>

#include <dlfcn.h>
#include <link.h>
#include <poll.h>
#include <setjmp.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

static sigset_t full;
static volatile int handled;

static void hit_in_handler(int sig)
{
	(void)sig;
	handled = live_hit() ? 1 : -1;
}

static bool trap_shows_blocked(void)
{
	sigset_t now;

	pthread_sigmask(SIG_BLOCK, NULL, &now);
	return sigismember(&now, SIGTRAP) == 1;
}

static void with_sigprocmask(void)
{
	NEED(!sigprocmask(SIG_BLOCK, &full, NULL));
	NEED(live_hit());
	NEED(trap_shows_blocked());
	NEED(!sigprocmask(SIG_UNBLOCK, &full, NULL));
	NEED(!trap_shows_blocked());
	NEED(!sigprocmask(SIG_SETMASK, &full, NULL));
	NEED(live_hit());
}

static void with_pthread_sigmask(void)
{
	sigset_t old, none;

	sigemptyset(&none);
	NEED(!pthread_sigmask(SIG_SETMASK, &full, &old));
	NEED(!sigismember(&old, SIGTRAP));
	NEED(live_hit());
	NEED(!pthread_sigmask(SIG_SETMASK, &none, &old));
	NEED(sigismember(&old, SIGTRAP) && sigismember(&old, SIGUSR1));
	NEED(live_hit());
	NEED(pthread_sigmask(77, &none, NULL) == EINVAL);
}

static void with_old_calls(void)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
	sigblock(~0);
	NEED(live_hit());
	sigsetmask(~0);
	NEED(live_hit());
	sighold(SIGTRAP);
	NEED(live_hit());
	sigset(SIGTRAP, SIG_HOLD);
	NEED(live_hit());
	sigrelse(SIGTRAP);
#pragma GCC diagnostic pop
	NEED(live_hit());
}

static void install(int sig)
{
	struct sigaction act = { .sa_handler = hit_in_handler };

	act.sa_mask = full;
	NEED(!sigaction(sig, &act, NULL));
}

static void with_sa_mask(void)
{
	struct sigaction old;

	install(SIGUSR1);
	raise(SIGUSR1);
	NEED(handled == 1);
	NEED(!sigaction(SIGUSR1, NULL, &old));
	NEED(sigismember(&old.sa_mask, SIGTRAP) == 1);
	NEED(old.sa_handler == hit_in_handler);
}

static void with_signal(void)
{
	signal(SIGUSR1, hit_in_handler);
	raise(SIGUSR1);
	NEED(handled == 1);
	sigprocmask(SIG_BLOCK, &full, NULL);
	sigset_t open = full;
	sigdelset(&open, SIGUSR1);
	handled = 0;
	raise(SIGUSR1);
	sigprocmask(SIG_SETMASK, &open, NULL);
	NEED(handled == 1);
}

static void start_timer(void)
{
	struct itimerval soon = { { 0, 0 }, { 0, 20000 } };

	install(SIGALRM);
	setitimer(ITIMER_REAL, &soon, NULL);
}

static sigset_t all_but_alarm(void)
{
	sigset_t set = full;

	sigdelset(&set, SIGALRM);
	return set;
}

static void with_sigsuspend(void)
{
	sigset_t set = all_but_alarm();

	sigprocmask(SIG_BLOCK, &full, NULL);
	start_timer();
	NEED(sigsuspend(&set) == -1 && errno == EINTR);
	NEED(handled == 1);
	NEED(sigismember(&set, SIGTRAP) == 1);
	NEED(live_hit() && trap_shows_blocked());
}

/* The older calls, of masks of a word, and the oldest. */
static void with_oldest_calls(void)
{
#ifdef SYS_sgetmask
	struct {
		void (*handler)(int);
		unsigned long mask, flags;
		void *restorer;
	} act = { hit_in_handler, ~0ul, 0, NULL }, old;
	unsigned long all = ~0ul, now = 0;
	const unsigned long trap = 1ul << (SIGTRAP - 1), alarms = 1ul << (SIGALRM - 1);

	NEED(!syscall(SYS_sigaction, SIGUSR1, &act, NULL));
	NEED(!syscall(SYS_sigaction, SIGUSR1, NULL, &old));
	NEED(old.handler == hit_in_handler && old.mask & trap && !old.restorer);
	raise(SIGUSR1);
	NEED(handled == 1 && live_hit());
	NEED(syscall(SYS_signal, SIGUSR1, SIG_IGN) == (long)(unsigned long)hit_in_handler);
	NEED(!syscall(SYS_sigprocmask, SIG_SETMASK, &all, NULL));
	NEED(!syscall(SYS_sigprocmask, SIG_BLOCK, NULL, &now));
	NEED(now & trap && live_hit());
	NEED((unsigned long)syscall(SYS_sgetmask) == now);
	NEED((unsigned long)syscall(SYS_ssetmask, alarms) == now);
	NEED((unsigned long)syscall(SYS_sgetmask) == alarms && live_hit());
	NEED((unsigned long)syscall(SYS_ssetmask, ~0ul) == alarms && live_hit());
	handled = 0;
	start_timer();
	NEED(syscall(SYS_sigsuspend, 0, 0, ~alarms) == -1 && errno == EINTR);
	NEED(handled == 1 && live_hit() && trap_shows_blocked());
#endif
}

static void with_ppoll(void)
{
	const sigset_t set = all_but_alarm();

	sigprocmask(SIG_BLOCK, &full, NULL);
	start_timer();
	NEED(ppoll(NULL, 0, NULL, &set) == -1 && errno == EINTR);
	NEED(handled == 1 && live_hit());
}

static void with_pselect(void)
{
	const sigset_t set = all_but_alarm();

	sigprocmask(SIG_BLOCK, &full, NULL);
	start_timer();
	NEED(pselect(0, NULL, NULL, NULL, NULL, &set) == -1 && errno == EINTR);
	NEED(handled == 1 && live_hit());
}

static void with_epoll_pwait(void)
{
	const sigset_t set = all_but_alarm();
	struct epoll_event event;
	int fd = epoll_create1(0);

	sigprocmask(SIG_BLOCK, &full, NULL);
	start_timer();
	NEED(epoll_pwait(fd, &event, 1, -1, &set) == -1 && errno == EINTR);
	NEED(handled == 1 && live_hit());
	handled = 0;
	start_timer();
	NEED(epoll_pwait2(fd, &event, 1, NULL, &set) == -1);
	NEED(errno == EINTR ? handled == 1 : errno == ENOSYS);
	NEED(live_hit());
}

/* Timeouts and plain results pass through. */
static void with_timeouts(void)
{
	struct timespec ts = { 0, 1000000 };
	struct timeval tv = { 0, 1000 };
	int fds[2];
	struct pollfd p;

	NEED(!pipe(fds));
	p = (struct pollfd){ fds[0], POLLIN, 0 };
	NEED(ppoll(&p, 1, &ts, &full) == 0);
	NEED(select(0, NULL, NULL, NULL, &tv) == 0);
	NEED(write(fds[1], "x", 1) == 1);
	NEED(ppoll(&p, 1, &ts, &full) == 1 && p.revents == POLLIN);
	NEED(pselect(0, NULL, NULL, NULL, &ts, NULL) == 0);
	NEED(live_hit());
}

static ucontext_t main_context, side_context;
static volatile int side;

static void on_the_side(void)
{
	side = live_hit() ? 1 : -1;
}

static void with_swapcontext(void)
{
	static char stack[65536];

	NEED(!getcontext(&side_context));
	side_context.uc_stack.ss_sp = stack;
	side_context.uc_stack.ss_size = sizeof(stack);
	side_context.uc_link = &main_context;
	side_context.uc_sigmask = full;
	makecontext(&side_context, on_the_side, 0);
	NEED(!swapcontext(&main_context, &side_context));
	NEED(side == 1 && live_hit());
}

static void with_siglongjmp(void)
{
	sigset_t none;
	sigjmp_buf env;

	sigemptyset(&none);
	sigprocmask(SIG_BLOCK, &full, NULL);
	if (!sigsetjmp(env, 1)) {
		sigprocmask(SIG_SETMASK, &none, NULL);
		siglongjmp(env, 1);
	}
	NEED(trap_shows_blocked());
	NEED(live_hit());
}

/* ---- faults in the handler of a hit through a jump ------------------------ */

static volatile int bad_copies;

static int copies(struct kprobe *p, struct pt_regs *regs)
{
	char byte;

	(void)p;
	(void)regs;
	bad_copies += kp_copy_nofault(&byte, (void *)16, 1) != 0;
	return 0;
}

static bool copy_fails(void)
{
	int before = bad_copies;

	return live_target(4) == 5 && bad_copies == before + 1;
}

static void copy_in_handler(int sig)
{
	(void)sig;
	handled = copy_fails() ? 1 : -1;
}

static void copies_by_jump(void)
{
	unregister_kprobe(&live_probe);
	live_probe = (struct kprobe){
		.addr = (kprobe_opcode_t *)(unsigned long)live_target,
		.pre_handler = copies,
	};
	NEED(!register_kprobe(&live_probe));
	kprobes_flush();
	NEED(*(volatile unsigned char *)live_probe.addr != 0xcc);
	NEED(copy_fails());
}

static bool same_mask(int sig, const sigset_t *mask)
{
	struct sigaction act;
	int i;

	NEED(!sigaction(sig, NULL, &act));
	for (i = 1; i < 65; i++)
		if (i != SIGKILL && i != SIGSTOP &&
		    sigismember(&act.sa_mask, i) != sigismember(mask, i))
			return false;
	return true;
}

static void fault_with_sa_mask(void)
{
	struct sigaction act = { .sa_handler = copy_in_handler };

	copies_by_jump();
	act.sa_mask = full;
	NEED(!sigaction(SIGUSR1, &act, NULL) && same_mask(SIGUSR1, &full));
	raise(SIGUSR1);
	NEED(handled == 1 && same_mask(SIGUSR1, &full));
	sigemptyset(&act.sa_mask);
	NEED(!sigaction(SIGUSR1, &act, NULL));
	NEED(same_mask(SIGUSR1, &act.sa_mask));
}

static void fault_with_sigsuspend(void)
{
	sigset_t set = all_but_alarm();
	struct itimerval soon = { { 0, 0 }, { 0, 20000 } };

	copies_by_jump();
	signal(SIGALRM, copy_in_handler);
	setitimer(ITIMER_REAL, &soon, NULL);
	NEED(sigsuspend(&set) == -1 && handled == 1 && copy_fails());
}

static sigjmp_buf out_of_fault;
static volatile char *volatile nowhere = (char *)16;

static void copy_and_leave(int sig)
{
	copy_in_handler(sig);
	siglongjmp(out_of_fault, 1);
}

static void fault_in_fault_handler(void)
{
	struct sigaction act = { .sa_handler = copy_and_leave };

	copies_by_jump();
	act.sa_mask = full;
	NEED(!sigaction(SIGSEGV, &act, NULL));
	if (!sigsetjmp(out_of_fault, 1))
		*nowhere = 1;
	NEED(handled == 1 && copy_fails());
	act.sa_handler = copy_in_handler;
	NEED(!sigaction(SIGSEGV, &act, NULL));
	handled = 0;
	raise(SIGSEGV);
	NEED(handled == 1 && copy_fails());
}

/* ---- the C library's own blocking ---------------------------------------- */

/*
 * Probe the instruction behind every rt_sigprocmask call of libc: the site of
 * mov $NR,%eax and the call, whose first byte is the engine's breakpoint now.
 */
#define CALL_NR (sizeof(long) == 8 ? 14 : 175)
/* syscall; or call *%gs:16. */
#define IS_CALL(at) (sizeof(long) == 8 ? (at)[1] == 0x05 : (at)[1] == 0xff && (at)[2] == 0x15)
#define CALL_LEN (sizeof(long) == 8 ? 2 : 7)
#define SITES_MAX 64
static struct kprobe sites[SITES_MAX];
static int sites_nr, sites_refused;

static void probe_behind(kprobe_opcode_t *call)
{
	struct kprobe *p = &sites[sites_nr];

	if (sites_nr == SITES_MAX)
		return;
	*p = (struct kprobe){ .addr = call + CALL_LEN, .pre_handler = live_pre,
			      .post_handler = live_post };
	if (register_kprobe(p)) {
		printf("# behind %p: %s\n", (void *)call,
		       p->reason ? p->reason : "");
		sites_refused++;
		return;
	}
	sites_nr++;
}

/* Registered when the linker's lock is dropped, which a lookup waits for. */
static kprobe_opcode_t *found[SITES_MAX];
static int found_nr;

static int scan_libc(struct dl_phdr_info *info, size_t size, void *arg)
{
	static const unsigned char mov[] = { 0xb8, CALL_NR, 0, 0, 0 };
	int i;

	(void)size;
	(void)arg;
	if (!info->dlpi_name || !strstr(info->dlpi_name, "/libc.so"))
		return 0;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		unsigned char *text = (void *)(info->dlpi_addr + ph->p_vaddr);
		size_t at, j;

		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X))
			continue;
		for (at = 0; at + 32 < ph->p_memsz; at++) {
			if (memcmp(text + at, mov, sizeof(mov)))
				continue;
			for (j = at + 5; j < at + 20; j++)
				if (text[j] == 0xcc && IS_CALL(text + j)) {
					if (found_nr < SITES_MAX)
						found[found_nr++] = text + j;
					break;
				}
		}
	}
	return 1;
}

static void *thread_hits(void *arg)
{
	(void)arg;
	return live_hit() ? (void *)1 : NULL;
}

static void in_pthread_create(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	void *result = NULL;
	long before = live_hits;

	sigprocmask(SIG_BLOCK, &full, NULL);
	NEED(!pthread_create(&thread, NULL, thread_hits, NULL));
	NEED(!pthread_join(thread, &result) && result);
	NEED(live_hits > before + 1);	/* the sites too */
	pthread_attr_init(&attr);
	NEED(!pthread_attr_setsigmask_np(&attr, &full));
	NEED(!pthread_create(&thread, &attr, thread_hits, NULL));
	NEED(!pthread_join(thread, &result) && result);
}

static void in_posix_spawn(void)
{
	char *argv[] = { "true", NULL };
	posix_spawnattr_t attr;
	int status;
	pid_t pid;
	long before = live_hits;

	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &full);
	posix_spawnattr_setsigdefault(&attr, &full);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK |
					POSIX_SPAWN_SETSIGDEF);
	signal(SIGTRAP, hit_in_handler);
	signal(SIGSEGV, hit_in_handler);
	NEED(!posix_spawnp(&pid, "true", NULL, &attr, argv, environ));
	NEED(waitpid(pid, &status, 0) == pid && !status);
	NEED(live_hits > before);
	NEED(live_hit());
	/* The child's dispositions are not ours. */
	NEED(signal(SIGTRAP, SIG_DFL) == hit_in_handler);
	NEED(signal(SIGSEGV, SIG_DFL) == hit_in_handler);
}

static void in_system(void)
{
	FILE *f;
	int c;

	NEED(system("exit 3") == 3 << 8);
	NEED(live_hit());
	f = popen("echo x", "r");
	NEED(f);
	c = fgetc(f);
	NEED(c == 'x' && !pclose(f));
	NEED(live_hit());
}

static void in_raise(void)
{
	signal(SIGUSR1, hit_in_handler);
	NEED(!raise(SIGUSR1) && handled == 1);
	handled = 0;
	NEED(!pthread_kill(pthread_self(), SIGUSR1) && handled == 1);
	handled = 0;
	NEED(!kill(getpid(), SIGUSR1) && handled == 1);
}

static void in_abort(void)
{
	abort();
}

static void on_abort(int sig)
{
	(void)sig;
	if (live_hit())
		_exit(0);
	_exit(1);
}

static void in_abort_with_handler(void)
{
	signal(SIGABRT, on_abort);
	abort();
}

static void timer_fn(union sigval value)
{
	(void)value;
	handled = live_hit() ? 1 : -1;
}

static void in_timer_thread(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD,
				  .sigev_notify_function = timer_fn };
	struct itimerspec soon = { { 0, 0 }, { 0, 1000000 } };
	timer_t timer;
	int i;

	NEED(!timer_create(CLOCK_MONOTONIC, &event, &timer));
	NEED(!timer_settime(timer, 0, &soon, NULL));
	for (i = 0; i < 2000 && !handled; i++)
		usleep(1000);
	NEED(handled == 1);
}

static void *exits(void *arg)
{
	pthread_exit(arg);
}

static void *cancelled(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return NULL;
}

static void in_thread_ends(void)
{
	pthread_t thread;
	void *result;

	NEED(!pthread_create(&thread, NULL, exits, (void *)7));
	NEED(!pthread_join(thread, &result) && result == (void *)7);
	NEED(!pthread_create(&thread, NULL, cancelled, NULL));
	usleep(1000);
	NEED(!pthread_cancel(thread));
	NEED(!pthread_join(thread, &result) && result == PTHREAD_CANCELED);
	NEED(live_hit());
}

static void with_vfork(void)
{
	int status;
	pid_t pid = vfork();

	if (!pid) {
		sigprocmask(SIG_BLOCK, &full, NULL);
		if (live_target(1) != 2)
			_exit(1);
		_exit(0);
	}
	NEED(waitpid(pid, &status, 0) == pid && !status);
	NEED(live_hit());
}

/* This program again, started with everything blocked. */
static void inherited_by_exec(void)
{
	char self[256] = { 0 };
	char *argv[] = { self, "inherited", NULL };

	NEED(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	unregister_kprobe(&live_probe);
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &full, NULL, 8);
	execv(self, argv);
	_exit(9);
}

int main(int argc, char **argv)
{
	int status;

	sigfillset(&full);
	live_arm();
	if (argc > 1 && !strcmp(argv[1], "inherited"))
		return live_hit() && trap_shows_blocked() ? 0 : 1;
	child_case("mask sigprocmask", with_sigprocmask);
	child_case("mask pthread_sigmask", with_pthread_sigmask);
	child_case("mask sigblock sigsetmask sighold sigset", with_old_calls);
	child_case("mask sigaction sa_mask", with_sa_mask);
	child_case("mask signal", with_signal);
	child_case("mask sigsuspend", with_sigsuspend);
	child_case("mask older calls, and the oldest", with_oldest_calls);
	child_case("mask ppoll", with_ppoll);
	child_case("mask pselect", with_pselect);
	child_case("mask epoll_pwait", with_epoll_pwait);
	child_case("mask timeouts pass through", with_timeouts);
	child_case("mask swapcontext", with_swapcontext);
	child_case("mask siglongjmp", with_siglongjmp);
	child_case("mask inherited by exec", inherited_by_exec);
	child_case("a jump's handler faults: sa_mask", fault_with_sa_mask);
	child_case("a jump's handler faults: sigsuspend", fault_with_sigsuspend);
	child_case("a jump's handler faults: the program's SIGSEGV handler",
		   fault_in_fault_handler);
	dl_iterate_phdr(scan_libc, NULL);
	while (found_nr)
		probe_behind(found[--found_nr]);
	EXPECT("mask sites of libc found", sites_nr >= 10);
	EXPECT("mask sites of libc: none refused", !sites_refused);
	child_case("libc sigprocmask", with_sigprocmask);
	child_case("libc pthread_create", in_pthread_create);
	child_case("libc posix_spawn", in_posix_spawn);
	child_case("libc system popen", in_system);
	child_case("libc raise pthread_kill", in_raise);
	child_case("libc timer thread", in_timer_thread);
	child_case("libc pthread_exit pthread_cancel", in_thread_ends);
	child_case("libc vfork", with_vfork);
	child_case("libc siglongjmp", with_siglongjmp);
	child_case("libc swapcontext", with_swapcontext);
	child_case("libc abort with a handler", in_abort_with_handler);
	status = in_child(in_abort);
	EXPECT("libc abort", WIFSIGNALED(status) &&
	       WTERMSIG(status) == SIGABRT);
	return live_failed;
}
