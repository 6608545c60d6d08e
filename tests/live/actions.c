/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * actions.c - signals that are not ours behave as without us: the program's
 * handlers, default actions, ignoring, and what a handler sees when a probed
 * instruction faults.
 */
#include "live.h"

#include <kprobes/control.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "filter.h"

static volatile int caught, code;
static volatile unsigned long caught_ip;
static void *volatile caught_addr;
static sigjmp_buf env;

static void on_signal(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	caught = sig;
	code = info->si_code;
	caught_addr = info->si_addr;
	caught_ip = (unsigned long)uc->uc_mcontext.gregs[REG_RIP];
}

static void on_fault_jump(int sig, siginfo_t *info, void *context)
{
	on_signal(sig, info, context);
	siglongjmp(env, 1);
}

static void install(int sig, void (*fn)(int, siginfo_t *, void *), int flags)
{
	struct sigaction act = { .sa_sigaction = fn };

	act.sa_flags = SA_SIGINFO | flags;
	NEED(!sigaction(sig, &act, NULL));
}

/* ---- SIGTRAP -------------------------------------------------------------- */

static void foreign_traps(void)
{
	install(SIGTRAP, on_signal, 0);
	NEED(!raise(SIGTRAP) && caught == SIGTRAP && code == SI_TKILL);
	caught = 0;
	NEED(!kill(getpid(), SIGTRAP) && caught == SIGTRAP && code == SI_USER);
	caught = 0;
	__asm__ volatile("int3; .globl after_int3; after_int3:");
	extern char after_int3[];
	NEED(caught == SIGTRAP && code == SI_KERNEL);
	NEED(caught_ip == (unsigned long)after_int3);
	NEED(live_hit());
}

/* The form of two bytes. */
static void foreign_long_trap(void)
{
	extern char after_long_int3[];

	install(SIGTRAP, on_signal, 0);
	__asm__ volatile(".byte 0xcd, 0x03; .globl after_long_int3; after_long_int3:");
	NEED(caught == SIGTRAP && code == SI_KERNEL);
	NEED(caught_ip == (unsigned long)after_long_int3);
}

/*
 * Bytes that might be it: the end of an instruction, and the start of one whose breakpoint
 * comes and goes while it is hit.
 */
__asm__(".globl like_trap, like_trap_at\n"
	".type like_trap, @function\n"
	"like_trap: mov $0xcd000000, %eax\n"
	"like_trap_at: .byte 0x03, 0xc7\n"	/* add %edi, %eax */
	"ret\n"
	".size like_trap, . - like_trap\n");
unsigned int like_trap(unsigned int n);
extern char like_trap_at[];
static int like_trap_over;

static void *call_like_trap(void *arg)
{
	unsigned int n;

	for (n = 0; !__atomic_load_n(&like_trap_over, __ATOMIC_RELAXED); n++)
		if (like_trap(n) != 0xcd000000 + n)
			return arg;
	return NULL;
}

static void like_trap_toggled(void)
{
	struct kprobe p = { .addr = (kprobe_opcode_t *)like_trap_at,
			    .pre_handler = live_pre };
	pthread_t threads[2];
	void *failed;
	int i;

	kprobes_set_optimization(false);
	for (i = 0; i < 2; i++)
		NEED(!pthread_create(&threads[i], NULL, call_like_trap, &p));
	for (i = 0; i < 300; i++) {
		NEED(!register_kprobe(&p));
		usleep(i % 3 * 100);
		NEED(!disable_kprobe(&p) && !enable_kprobe(&p));
		usleep(i % 3 * 100);
		unregister_kprobe(&p);
	}
	__atomic_store_n(&like_trap_over, 1, __ATOMIC_RELAXED);
	for (i = 0; i < 2; i++)
		NEED(!pthread_join(threads[i], &failed) && !failed);
	NEED(live_hits > 0);
}

static void trap_default(void)
{
	__asm__ volatile("int3");
}

static void trap_raise_default(void)
{
	raise(SIGTRAP);
}

static void trap_ignored(void)
{
	signal(SIGTRAP, SIG_IGN);
	raise(SIGTRAP);
	kill(getpid(), SIGTRAP);
	NEED(live_hit());
}

static void trap_ignored_int3(void)
{
	signal(SIGTRAP, SIG_IGN);
	__asm__ volatile("int3");
}

static void dispositions(void)
{
	struct sigaction old, act = { .sa_handler = SIG_IGN };

	NEED(!sigaction(SIGTRAP, NULL, &old) && old.sa_handler == SIG_DFL);
	NEED(!sigaction(SIGTRAP, &act, &old) && old.sa_handler == SIG_DFL);
	NEED(live_hit());
	NEED(!sigaction(SIGTRAP, NULL, &old) && old.sa_handler == SIG_IGN);
	install(SIGTRAP, on_signal, SA_RESTART);
	NEED(!sigaction(SIGTRAP, NULL, &old));
	NEED(old.sa_sigaction == on_signal);
	NEED((old.sa_flags & (SA_SIGINFO | SA_RESTART)) ==
	     (SA_SIGINFO | SA_RESTART));
	NEED(signal(SIGSEGV, SIG_IGN) == SIG_DFL);
	NEED(signal(SIGSEGV, SIG_DFL) == SIG_IGN);
	NEED(live_hit());
	NEED(sigaction(SIGKILL, &act, NULL) == -1 && errno == EINVAL);
	NEED(sigaction(99, &act, NULL) == -1 && errno == EINVAL);
}

static void once(void)
{
	struct sigaction old;

	install(SIGTRAP, on_signal, SA_RESETHAND);
	raise(SIGTRAP);
	NEED(caught == SIGTRAP);
	NEED(!sigaction(SIGTRAP, NULL, &old) && old.sa_handler == SIG_DFL);
	NEED(live_hit());
	raise(SIGTRAP);
	_exit(1);
}

static void held_until_unblocked(void)
{
	sigset_t trap;

	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	install(SIGTRAP, on_signal, 0);
	sigprocmask(SIG_BLOCK, &trap, NULL);
	raise(SIGTRAP);
	NEED(!caught);
	NEED(live_hit());
	sigprocmask(SIG_UNBLOCK, &trap, NULL);
	NEED(caught == SIGTRAP && code == SI_TKILL);
}

static void handler_mask(void)
{
	struct sigaction act = { .sa_handler = SIG_DFL };

	act.sa_sigaction = on_signal;
	act.sa_flags = SA_SIGINFO;
	sigemptyset(&act.sa_mask);
	sigaddset(&act.sa_mask, SIGUSR2);
	NEED(!sigaction(SIGTRAP, &act, NULL));
	raise(SIGTRAP);
	NEED(caught == SIGTRAP && live_hit());
}

/* ---- faults --------------------------------------------------------------- */

static __attribute__((noinline, noclone, used)) long load(long *p)
{
	long value;

	__asm__ volatile(".globl load_at; load_at: mov (%1), %0"
			 : "=r"(value) : "r"(p));
	return value;
}
extern char load_at[];

static struct kprobe on_load;

static void arm_load(bool post)
{
	on_load = (struct kprobe){
		.addr = (kprobe_opcode_t *)load_at, .pre_handler = live_pre,
		.post_handler = post ? live_post : NULL,
	};
	NEED(!register_kprobe(&on_load));
}

static void plain_fault(void)
{
	install(SIGSEGV, on_fault_jump, 0);
	if (!sigsetjmp(env, 1))
		load((long *)16);
	NEED(caught == SIGSEGV && code == SEGV_MAPERR);
	NEED(caught_addr == (void *)16);
	NEED(caught_ip == (unsigned long)load_at);
	NEED(live_hit());
}

static void probed_fault(bool post)
{
	int i;

	arm_load(post);
	install(SIGSEGV, on_fault_jump, 0);
	for (i = 0; i < 3; i++) {
		caught = 0;
		caught_ip = 0;
		if (!sigsetjmp(env, 1))
			load((long *)16);
		NEED(caught == SIGSEGV && caught_addr == (void *)16);
		/* The original instruction, not the engine's copy. */
		NEED(caught_ip == (unsigned long)load_at);
		NEED(live_hits == i + 1);
	}
	live_hits = 0;
	NEED(live_hit());
}

static void probed_fault_boosted(void)
{
	probed_fault(false);
}

static void probed_fault_stepped(void)
{
	probed_fault(true);
}

/* The handler maps the page; the instruction then completes. */
static long *lazy;

static void on_fault_map(int sig, siginfo_t *info, void *context)
{
	on_signal(sig, info, context);
	mprotect(lazy, 4096, PROT_READ | PROT_WRITE);
	*lazy = 1234;
}

static void fault_repaired_by_program(void)
{
	lazy = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	arm_load(false);
	install(SIGSEGV, on_fault_map, 0);
	NEED(load(lazy) == 1234);
	NEED(caught == SIGSEGV && live_hits >= 1);
}

static void fault_default(void)
{
	load((long *)16);
}

static void fault_default_probed(void)
{
	arm_load(true);
	load((long *)16);
}

static void fault_ignored(void)
{
	signal(SIGSEGV, SIG_IGN);
	load((long *)16);
}

static void fault_ignored_sent(void)
{
	signal(SIGSEGV, SIG_IGN);
	kill(getpid(), SIGSEGV);
	NEED(live_hit());
}

static void fault_sent(void)
{
	kill(getpid(), SIGSEGV);
	sleep(1);
}

static void fpe(void)
{
	volatile int zero = 0;

	install(SIGFPE, on_fault_jump, 0);
	if (!sigsetjmp(env, 1))
		zero = 7 / zero;
	NEED(caught == SIGFPE && code == FPE_INTDIV);
	NEED(live_hit());
}

static void ill(void)
{
	install(SIGILL, on_fault_jump, 0);
	if (!sigsetjmp(env, 1))
		__builtin_trap();
	NEED(caught == SIGILL && live_hit());
}

/* A handler of ours that faults while the program has SIGSEGV blocked. */
static int pre_faults(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	load((long *)16);
	return 0;
}

static void fault_in_handler_while_blocked(void)
{
	struct kprobe p = {
		.addr = (kprobe_opcode_t *)(unsigned long)live_target,
		.pre_handler = pre_faults,
	};
	sigset_t full;

	sigfillset(&full);
	sigprocmask(SIG_BLOCK, &full, NULL);
	NEED(!register_kprobe(&p));
	NEED(live_hit());
	NEED(live_hit());
	unregister_kprobe(&p);
}

/* ---- surroundings --------------------------------------------------------- */

static int pre_errno(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	errno = 4321;
	return 0;
}

static void errno_survives(void)
{
	struct kprobe p = {
		.addr = (kprobe_opcode_t *)(unsigned long)live_target,
		.pre_handler = pre_errno,
	};

	NEED(!register_kprobe(&p));
	errno = 77;
	live_target(1);
	NEED(errno == 77);
	unregister_kprobe(&p);
}

static char alt[65536];
static volatile int deep_hits;

static void on_overflow(int sig, siginfo_t *info, void *context)
{
	on_signal(sig, info, context);
	deep_hits = live_hit();
	siglongjmp(env, 1);
}

static __attribute__((noinline)) int recurse(int n)
{
	volatile char frame[4096];

	frame[0] = (char)n;
	return n ? recurse(n + 1) + frame[0] : 0;
}

static void alternate_stack(void)
{
	stack_t ss = { .ss_sp = alt, .ss_size = sizeof(alt) };

	NEED(!sigaltstack(&ss, NULL));
	NEED(live_hit());
	install(SIGSEGV, on_overflow, SA_ONSTACK);
	if (!sigsetjmp(env, 1))
		recurse(1);
	NEED(caught == SIGSEGV && deep_hits);
	NEED(live_hit());
}

static void sigwait_others(void)
{
	sigset_t set;
	int sig, fd;
	struct signalfd_siginfo info;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGTRAP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR1);
	NEED(!sigwait(&set, &sig) && sig == SIGUSR1);
	fd = signalfd(-1, &set, 0);
	raise(SIGUSR1);
	NEED(read(fd, &info, sizeof(info)) == sizeof(info));
	NEED(info.ssi_signo == SIGUSR1 && live_hit());
}

static void *kill_main(void *arg)
{
	usleep(20000);
	kill((pid_t)(long)arg, SIGTRAP);
	return NULL;
}

/* SIGTRAP while the program waits for it. */
static void sigwait_trap(void)
{
	pthread_t thread;
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	pthread_create(&thread, NULL, kill_main, (void *)(long)getpid());
	alarm(LIVE_PATIENCE);
	NEED(!sigwait(&set, &sig) && sig == SIGTRAP);
	pthread_join(thread, NULL);
	NEED(live_hit());
}

/* ---- SIGSYS: system calls that the program serves itself ---------------------- */

static volatile int served;

static void on_filtered(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = 4711;
	served++;
}

static void serve_call(unsigned int call)
{
	install(SIGSYS, on_filtered, 0);
	live_filter(call, SECCOMP_RET_TRAP);
	NEED(syscall(call) == 4711 && served == 1);
}

static __attribute__((noinline, noclone, used)) int served_target(int a)
{
	__asm__ volatile("");
	return a + 2;
}

static volatile long answered;

static int call_in_handler(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	answered = syscall(SYS_getppid);
	return 0;
}

static struct kprobe calling = {
	.addr = (kprobe_opcode_t *)(unsigned long)served_target,
	.pre_handler = call_in_handler,
};

static void served_in_handler(void)
{
	calling.post_handler = live_post;	/* two traps */
	NEED(!register_kprobe(&calling));
	serve_call(SYS_getppid);
	NEED(served_target(1) == 3 && served == 2 && answered == 4711);
}

/* The thread that puts the jump off gives itself a name; so does who writes it. */
static void served_in_thread(void)
{
	int tries;

	serve_call(SYS_prctl);
	NEED(!register_kprobe(&calling));
	for (tries = 0; tries < 2000 && served < 2; tries++)
		usleep(1000);
	NEED(served >= 2);
}

static void dies(const char *name, void (*fn)(void), int sig)
{
	int status = in_child(fn);

	if (!WIFSIGNALED(status) || WTERMSIG(status) != sig) {
		printf("not ok %s %s\n", name, status_text(status));
		live_failed = 1;
	} else {
		printf("ok %s\n", name);
	}
}

int main(void)
{
	live_arm();
	child_case("foreign SIGTRAP reaches the program", foreign_traps);
	child_case("foreign int3 of two bytes", foreign_long_trap);
	child_case("K-HIT-25 what ends and begins as int3 does is none", like_trap_toggled);
	dies("foreign int3, default action", trap_default, SIGTRAP);
	dies("raise(SIGTRAP), default action", trap_raise_default, SIGTRAP);
	child_case("ignored SIGTRAP", trap_ignored);
	dies("ignored SIGTRAP, int3", trap_ignored_int3, SIGTRAP);
	child_case("sigaction shows what the program set", dispositions);
	dies("SA_RESETHAND", once, SIGTRAP);
	child_case("blocked SIGTRAP is held", held_until_unblocked);
	child_case("handler with a mask", handler_mask);
	child_case("program's SIGSEGV handler", plain_fault);
	child_case("K-FLT-08 fault in a boosted copy: original ip",
		   probed_fault_boosted);
	child_case("K-FLT-08 fault in a stepped copy: original ip",
		   probed_fault_stepped);
	child_case("K-HIT-24 fault repaired by the program",
		   fault_repaired_by_program);
	dies("SIGSEGV, default action", fault_default, SIGSEGV);
	dies("SIGSEGV on a probed instruction, default action",
	     fault_default_probed, SIGSEGV);
	dies("SIGSEGV ignored, real fault", fault_ignored, SIGSEGV);
	child_case("SIGSEGV ignored, sent", fault_ignored_sent);
	dies("SIGSEGV sent, default action", fault_sent, SIGSEGV);
	child_case("SIGFPE", fpe);
	child_case("SIGILL", ill);
	child_case("fault in a handler while SIGSEGV is blocked",
		   fault_in_handler_while_blocked);
	child_case("errno survives a hit", errno_survives);
	child_case("alternate stack and stack overflow", alternate_stack);
	child_case("sigwait and signalfd", sigwait_others);
	child_case("sigwait for SIGTRAP", sigwait_trap);
	child_case("a handler's system call that a filter traps",
		   served_in_handler);
	child_case("a filter that traps in a thread of the engine's",
		   served_in_thread);
	return live_failed;
}
