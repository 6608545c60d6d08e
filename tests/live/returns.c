/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * returns.c - return probes where calls do not simply return.
 *
 * Exceptions, longjmp, threads that end, exit and fork in a probed function,
 * backtraces, coroutines, signals, and vectors as results.
 */
#include "jumps.h"
#include "processor.h"

#include <linux/sched.h>

#include <execinfo.h>
#include <setjmp.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unwind.h>

int throw_deep(int depth);
int throw_caught(int depth);

#define TARGET __attribute__((noinline, noclone, used))

static volatile int entries, returns;

static int on_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	__atomic_fetch_add(&entries, 1, __ATOMIC_RELAXED);
	return 0;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	__atomic_fetch_add(&returns, 1, __ATOMIC_RELAXED);
	return 0;
}

static struct kretprobe probe;
static int other_entries;		/* not as wanted: see jumps.h */

static int watch(void *fn, int maxactive)
{
	int err;

	entries = returns = 0;
	probe = (struct kretprobe){ .kp.addr = fn, .entry_handler = on_entry,
				    .handler = on_return,
				    .maxactive = maxactive };
	err = register_kretprobe(&probe);
	if (err)
		printf("# register_kretprobe: %d %s\n", err,
		       probe.kp.reason ? probe.kp.reason : "");
	else if (!jumps_settle(fn))
		other_entries++;
	return err;
}

/* ---- exceptions and longjmp -------------------------------------------------- */

static void exceptions(void)
{
	EXPECT("K-RET-47 register", !watch(throw_deep, 0));
	EXPECT("K-RET-47 an exception through one frame",
	       throw_caught(0) == 1);
	EXPECT("K-RET-47 through 10 frames", throw_caught(9) == 10);
	EXPECT("K-RET-47 through 1,000 frames", throw_caught(999) == 1000);
	EXPECT("K-RET-47 all were entered, none returned",
	       entries == 1011 && !returns && !probe.nmissed);
	unregister_kretprobe(&probe);
}

/* Or, where no instance is known to be free, they are missed. */
static bool all_hit(long calls)
{
	return RETURNS_STAND ? entries == calls && !probe.nmissed
			     : entries + (long)probe.nmissed == calls;
}

static void exceptions_capped(void)
{
	int i, wrong = 0;

	watch(throw_deep, 20);
	for (i = 0; i < 100; i++)
		wrong += throw_caught(9) != 10;
	EXPECT("K-RET-47 after exceptions each call is right", !wrong && !returns);
	EXPECT("K-RET-47 and instances are taken back",
	       all_hit(1000) && (!RETURNS_STAND || probe.nstale >= 980));
	unregister_kretprobe(&probe);
}

static jmp_buf outside;

TARGET static int jumps(int n)
{
	__asm__ volatile("" ::: "memory");
	if (n < 0)
		return 0;
	if (!n)
		longjmp(outside, 1);
	n = jumps(n - 1);
	__asm__ volatile("" ::: "memory");
	return n + 1;
}

static void long_jumps(void)
{
	volatile int i;

	watch(jumps, 4);
	for (i = 0; i < 2000; i++)
		if (!setjmp(outside))
			jumps(3);
	EXPECT("K-RET-47 longjmp over four frames, 2,000 times",
	       all_hit(8000) && !returns);
	unregister_kretprobe(&probe);
}

static sigjmp_buf outside_signal;

/* Deep in probed calls the signal's handler calls deeper, and leaves all. */
TARGET static int interrupted(int n)
{
	__asm__ volatile("" ::: "memory");
	if (n < 0)
		return 0;
	if (!n)
		raise(SIGUSR1);
	n = interrupted(n - 1);
	__asm__ volatile("" ::: "memory");
	return n + 1;
}

static void leaves(int sig)
{
	interrupted(-1);
	siglongjmp(outside_signal, sig);
}

static void signal_jumps(void)
{
	struct sigaction action = { .sa_handler = leaves };
	volatile int i;

	sigaction(SIGUSR1, &action, NULL);
	watch(interrupted, 5);
	for (i = 0; i < 2000; i++)
		if (!sigsetjmp(outside_signal, 1))
			interrupted(3);
	EXPECT("K-RET-47 siglongjmp out of a signal handler, 2,000 times",
	       all_hit(10000) &&
		       returns <= 2000 && (!RETURNS_STAND || returns == 2000));
	unregister_kretprobe(&probe);
	signal(SIGUSR1, SIG_DFL);
}

/* ---- ends of threads and processes --------------------------------------------- */

TARGET static void ends(int how)
{
	__asm__ volatile("" ::: "memory");
	if (how == 1)
		pthread_exit(NULL);
	if (how == 2)
		for (;;)
			pause();
	if (how == 3)
		exit(0);
	__asm__ volatile("" ::: "memory");
}

static void *ending_thread(void *how)
{
	ends((int)(long)how);
	return NULL;
}

static void run_thread(long how)
{
	pthread_t thread;

	pthread_create(&thread, NULL, ending_thread, (void *)how);
	if (how == 2) {
		usleep(50000);
		pthread_cancel(thread);
	}
	pthread_join(thread, NULL);
}

static void thread_ends(void)
{
	watch(ends, 1);
	run_thread(1);
	EXPECT("K-RET-48 pthread_exit in a probed function",
	       entries == 1 && !returns);
	run_thread(0);
	EXPECT("K-RET-48 the next thread is probed again",
	       entries == 2 && returns == 1 && !probe.nmissed);
	run_thread(2);
	ends(0);
	EXPECT("K-RET-48 and after a cancelled one",
	       all_hit(4) && (!RETURNS_STAND || returns == 2));
	unregister_kretprobe(&probe);
}

static void exits(void)
{
	NEED(!watch(ends, 0));
	ends(3);
}

static void exits_elsewhere(void)
{
	NEED(!watch(ends, 0));
	ending_thread((void *)0);
	exit(returns == 1 ? 0 : 1);
}

TARGET static int forks(void)
{
	int pid = fork();

	__asm__ volatile("" ::: "memory");
	return pid;
}

static void forked(void)
{
	int pid, status = -1;

	watch(forks, 1);
	fflush(stdout);
	pid = forks();
	if (!pid) {
		/* A copy of the call, with a thread id of its own. */
		int ok = returns == 1;

		pid = forks();
		if (!pid)
			_exit(ok && returns == 2 ? 0 : 1);
		waitpid(pid, &status, 0);
		_exit(ok && returns == 2 && !status ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	EXPECT("K-RET-49 fork in a probed function: both return",
	       !status && returns == 1);
	unregister_kretprobe(&probe);
}

/* ---- backtraces ------------------------------------------------------------------ */

static void *frames[64];
static int frames_nr;

TARGET static int traced(int depth)
{
	__asm__ volatile("" ::: "memory");
	if (!depth)
		frames_nr = backtrace(frames, 64);
	else
		traced(depth - 1);
	__asm__ volatile("" ::: "memory");
	return 0;
}

TARGET static int traces(void)
{
	traced(3);
	__asm__ volatile("" ::: "memory");
	return 1;
}

static int within(void *fn, size_t len)
{
	int i, nr = 0;

	for (i = 0; i < frames_nr; i++)
		nr += (uintptr_t)frames[i] - (uintptr_t)fn < len;
	return nr;
}

static int trace_in_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	frames_nr = backtrace(frames, 64);
	return 0;
}

static void backtraces(void)
{
	int plain;

	traces();
	plain = frames_nr;
	watch(traced, 0);
	traces();
	EXPECT("K-RET-44 backtrace() through four hooked frames",
	       within(traces, 64) == 1 && within(traced, 128) >= 4 &&
	       frames_nr >= plain);
	unregister_kretprobe(&probe);
	watch(traced, 0);
	probe.handler = trace_in_handler;
	traces();
	/* Else it ends in the engine. */
	EXPECT("K-RET-44 backtrace() in a return handler",
	       !RETURNS_STAND || within(traces, 32) == 1);
	unregister_kretprobe(&probe);
}

static _Unwind_Reason_Code step(struct _Unwind_Context *at, void *unused)
{
	(void)unused;
	frames[frames_nr++] = (void *)_Unwind_GetIP(at);
	return frames_nr == 64 ? _URC_END_OF_STACK : _URC_NO_REASON;
}

TARGET static int unwound(int depth)
{
	__asm__ volatile("" ::: "memory");
	if (!depth) {
		frames_nr = 0;
		_Unwind_Backtrace(step, NULL);
	} else {
		unwound(depth - 1);
	}
	__asm__ volatile("" ::: "memory");
	return 0;
}

TARGET static int unwinds(void)
{
	unwound(3);
	__asm__ volatile("" ::: "memory");
	return 1;
}

/* But for the stubs the trace is the same: caller by caller. */
static void unwind_backtraces(void)
{
	void *plain[64];
	int nr, i, at = 0;

	unwinds();
	nr = frames_nr;
	memcpy(plain, frames, sizeof(plain));
	watch(unwound, 0);
	unwinds();
	for (i = 0; i < frames_nr; i++)
		if (at < nr && frames[i] == plain[at])
			at++;
	/* The last is the call of unwinds() above, which is another one. */
	EXPECT("K-RET-44 _Unwind_Backtrace through four hooked frames",
	       nr > 6 && at >= 5 && within(unwinds, 64) == 1 &&
	       within(unwind_backtraces, 512) == 1 && frames_nr >= nr);
	unregister_kretprobe(&probe);
}

/* ---- walks along frame pointers --------------------------------------------------- */

struct frame {
	struct frame *up;
	unsigned long back;
};

static unsigned long walked[64];
static int walked_nr, walked_stubs;

/*
 * As a profiler does.  It finds every frame; at the hooked ones the address of
 * a stub, which kretprobe_find_ret_addr() translates.
 */
__attribute__((optimize("no-omit-frame-pointer")))
TARGET static void walk(const void *last)
{
	const struct frame *at = __builtin_frame_address(0);

	for (walked_nr = walked_stubs = 0; walked_nr < 64; at = at->up) {
		struct llist_node *cursor = NULL;
		unsigned long back = at->back;

		if (is_kretprobe_trampoline(back)) {
			back = kretprobe_find_ret_addr(current,
						       (void *)(unsigned long)&at->back,
						       &cursor);
			walked_stubs++;
		}
		walked[walked_nr++] = back;
		if (at->up == last)
			return;
	}
}

__attribute__((optimize("no-omit-frame-pointer")))
TARGET static int walked_deep(int depth, const void *last)
{
	__asm__ volatile("" ::: "memory");
	if (depth)
		walked_deep(depth - 1, last);
	else
		walk(last);
	__asm__ volatile("" ::: "memory");
	return depth;
}

/* One place to be called from. */
__attribute__((optimize("no-omit-frame-pointer")))
TARGET static void walks(void)
{
	walked_deep(4, __builtin_frame_address(0));
	__asm__ volatile("" ::: "memory");
}

static void frame_pointers(void)
{
	unsigned long plain[64];
	int i, nr, same = 1;

	if (!RETURNS_STAND)
		return;
	walks();
	nr = walked_nr;
	memcpy(plain, walked, sizeof(plain));
	watch(walked_deep, 0);
	walks();
	for (i = 0; i < nr; i++)
		same &= walked[i] == plain[i];
	EXPECT("K-RET-44 K-RET-45 a walk along the frame pointers",
	       nr == 6 && walked_nr == nr && same && walked_stubs == 5 &&
	       returns == 5);
	unregister_kretprobe(&probe);
}

static void *seen_in_function;

TARGET static int where_from(void)
{
	seen_in_function = __builtin_return_address(0);
	return 1;
}

/* In the function it is the stub's; whoever wants to know asks for more. */
static void return_address(void)
{
	void *plain = NULL;
	int i;

	for (i = 0; i < 2; i++) {
		if (i)
			watch(where_from, 0);
		where_from();
		if (!i)
			plain = seen_in_function;
	}
	EXPECT("K-RET-43 __builtin_return_address(0) is the stub's",
	       seen_in_function != plain &&
	       is_kretprobe_trampoline((unsigned long)seen_in_function));
	unregister_kretprobe(&probe);
}

/* ---- other stacks ------------------------------------------------------------------ */

static ucontext_t main_context, contexts[3];
static char stacks[3][65536];

TARGET static int yields(int who)
{
	__asm__ volatile("" ::: "memory");
	swapcontext(&contexts[who], &main_context);
	__asm__ volatile("" ::: "memory");
	return who + 100;
}

static int coroutine_results[3];

static void coroutine(int who)
{
	coroutine_results[who] = yields(who);
}

static void coroutines(int maxactive, const char *name)
{
	int i;

	watch(yields, maxactive);
	memset(coroutine_results, 0, sizeof(coroutine_results));
	for (i = 0; i < 3; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = stacks[i];
		contexts[i].uc_stack.ss_size = sizeof(stacks[i]);
		contexts[i].uc_link = &main_context;
		makecontext(&contexts[i], (void (*)(void))coroutine, 1, i);
		swapcontext(&main_context, &contexts[i]);
	}
	for (i = 0; i < 3; i++)
		swapcontext(&main_context, &contexts[i]);
	EXPECT(name, coroutine_results[0] == 100 &&
	       coroutine_results[1] == 101 && coroutine_results[2] == 102 &&
	       returns == entries && entries + probe.nmissed == 3);
	unregister_kretprobe(&probe);
}

/* ---- vectors ------------------------------------------------------------------------ */

struct two { double a, b; };

TARGET static double one_double(double x)
{
	__asm__ volatile("" ::: "memory");
	return 2 * x;
}

TARGET static struct two two_doubles(double x)
{
	__asm__ volatile("" ::: "memory");
	return (struct two){ x + 1, x + 2 };
}

TARGET static long double long_one(long double x)
{
	__asm__ volatile("" ::: "memory");
	return x * 3;
}

static int clobber(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	spoil_vectors();
	returns++;
	return 0;
}

static void vectors(void)
{
	struct two two;

	watch(one_double, 0);
	probe.handler = clobber;
	EXPECT("K-RET-34 a double", one_double(21) == 42 && returns == 1);
	unregister_kretprobe(&probe);
	watch(two_doubles, 0);
	probe.handler = clobber;
	two = two_doubles(1);
	EXPECT("K-RET-34 a pair of them", two.a == 2 && two.b == 3 &&
	       returns == 1);
	unregister_kretprobe(&probe);
	watch(long_one, 0);
	probe.handler = clobber;
	EXPECT("K-RET-34 a long double",
	       long_one(5) == 15 && returns == 1);
	unregister_kretprobe(&probe);
}

/* ---- what a handler leaves behind ----------------------------------------------------- */

static int sets_errno(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	errno = 4321;
	returns++;
	return 0;
}

static void errno_survives(void)
{
	watch(one_double, 0);
	probe.handler = sets_errno;
	errno = 77;
	one_double(1);
	EXPECT("K-RET-34 errno", errno == 77 && returns == 1);
	unregister_kretprobe(&probe);
}

static volatile int *volatile nowhere = (int *)16;

static int faults(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	returns++;
	*nowhere = 1;
	return 0;
}

static bool segv_blocked(void)
{
	sigset_t now;

	return !sigprocmask(SIG_BLOCK, NULL, &now) &&
	       sigismember(&now, SIGSEGV);
}

/* The program keeps the signal from us; its mask stays as it is. */
static void faults_while_blocked(void)
{
	sigset_t segv;

	watch(one_double, 0);
	probe.handler = faults;
	sigemptyset(&segv);
	sigaddset(&segv, SIGSEGV);
	NEED(!sigprocmask(SIG_BLOCK, &segv, NULL));
	NEED(one_double(21) == 42 && returns == 1 && segv_blocked());
	NEED(kprobe_disabled(&probe.kp));
	NEED(one_double(21) == 42 && returns == 1 && segv_blocked());
	unregister_kretprobe(&probe);
}

static int spoils(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	spoil_regs(regs);
	return faults(ri, regs);
}

/* Known from the beginning, so that it is called without a guard. */
static void faults_each_time(void)
{
	int i;

	for (i = 0; i < 100; i++) {
		struct kretprobe rp = {
			.kp.addr = (kprobe_opcode_t *)(unsigned long)one_double,
			.handler = i % 2 ? faults : spoils, .maxactive = 1,
		};

		returns = 0;
		errno = 77;
		NEED(!register_kretprobe(&rp));
		NEED(one_double(i) == 2 * i && returns == 1 && errno == 77);
		NEED(kprobe_disabled(&rp.kp) && !rp.nmissed && !rp.nstale);
		/* Its only instance is free again. */
		rp.handler = on_return;
		NEED(!enable_kretprobe(&rp));
		NEED(one_double(i) == 2 * i && returns == 2 && !rp.nmissed);
		unregister_kretprobe(&rp);
	}
}

/* ---- signals, and everything at once -------------------------------------------------- */

static volatile int stop_now;
static long wrong;

TARGET static long work(long n)
{
	__asm__ volatile("" ::: "memory");
	if (n <= 0)
		return 0;
	return work(n - 1) + 1;
}

static void on_alarm(int sig)
{
	(void)sig;
	if (work(3) != 3)
		__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}

static void *worker(void *arg)
{
	long n = 0;

	while (!stop_now) {
		if (work(n % 8) != n % 8)
			__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
		n++;
	}
	(void)arg;
	return NULL;
}

/* Threads call while the probe comes and goes and signals interrupt. */
static void torture(void)
{
	struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { 0 };
	struct sigaction action = { .sa_handler = on_alarm,
				    .sa_flags = SA_RESTART };
	pthread_t threads[3];
	int i, bad = 0, total = 0;
	struct timespec start, now;

	sigaction(SIGALRM, &action, NULL);
	for (i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		struct kretprobe second = {
			.kp.addr = (void *)work, .handler = on_return,
			.maxactive = total % 3,
		};

		probe = (struct kretprobe){
			.kp.addr = (void *)work, .handler = on_return,
			.entry_handler = on_entry,
			.maxactive = total % 2 ? 5 : 0,
		};
		bad += register_kretprobe(&probe) != 0;
		if (total % 8 == 0)
			kprobes_flush();
		bad += register_kretprobe(&second) != 0;
		if (total % 4 == 0)
			usleep(500);
		unregister_kretprobe(&probe);
		memset(&probe, 0x5a, sizeof(probe));
		unregister_kretprobe(&second);
		memset(&second, 0x5a, sizeof(second));
		total++;
		clock_gettime(CLOCK_MONOTONIC, &now);
		/* On a slow machine for as many rounds as there must be. */
	} while (now.tv_sec - start.tv_sec < (total > 20 ? 3 : 60));
	setitimer(ITIMER_REAL, &never, NULL);
	stop_now = 1;
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("# %d rounds\n", total);
	EXPECT("K-INV-06 K-RET-61 probes come and go under threads and signals",
	       !bad && !wrong && total > 20);
}

int main(void)
{
	jumps_begin();
	exceptions();
	exceptions_capped();
	long_jumps();
	signal_jumps();
	thread_ends();
	child_case("K-RET-48 exit in a probed function", exits);
	child_case("K-RET-48 exit after a probed function", exits_elsewhere);
	forked();
	backtraces();
	unwind_backtraces();
	frame_pointers();
	return_address();
	coroutines(0, "K-RET-50 coroutines");
	coroutines(1, "K-RET-50 coroutines, capped: nobody's instance is taken");
	vectors();
	errno_survives();
	child_case("K-FLT-06 a return handler faults while SIGSEGV is blocked",
		   faults_while_blocked);
	child_case("K-FLT-06 a return handler faults, and again",
		   faults_each_time);
	EXPECT("every entry was a jump, or none", !other_entries);
	torture();
	return live_failed;
}
