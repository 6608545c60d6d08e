/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * left.c - handlers that a signal's handler leaves for good, by siglongjmp.
 *
 * What they did counts no more; the thread's next hits do, and nobody waits for
 * the handlers that never end.
 */
#include "jumps.h"
#include "processor.h"

#include <setjmp.h>
#include <sys/syscall.h>
#include <ucontext.h>

/* Five bytes, then others: a jump fits anywhere. */
#define FUNCTION(name)							\
	__asm__(".text\n.p2align 4\n"					\
		".globl " name "\n.type " name ", @function\n"		\
		name ":	mov $7, %eax\n"					\
		"	" LIVE_ADD_ARG "\n"				\
		"	ret\n"						\
		".size " name ", . - " name "\n")
FUNCTION("first");
FUNCTION("second");
int first(int a), second(int a);

static sigjmp_buf out;
static volatile int leave, entries, returns;
static struct kprobe probe;
static struct kretprobe rets[2];

static void on_signal(int sig)
{
	(void)sig;
	siglongjmp(out, 1);
}

static void leave_now(void)
{
	leave = 0;
	syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1);
}

static int pre_leaves(struct kprobe *p, struct pt_regs *regs)
{
	live_pre(p, regs);
	if (leave == 'p')
		leave_now();
	return 0;
}

static int entry_leaves(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	entries++;
	if (leave == 'e')
		leave_now();
	return 0;
}

static int return_leaves(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	returns++;
	if (leave == 'r')
		leave_now();
	return 0;
}

/* A probe on second, and some return probes on first. */
static void put(int nr, int maxactive)
{
	int i;

	signal(SIGUSR1, on_signal);
	/* What does not end is a failure. */
	alarm(LIVE_PATIENCE);
	probe = (struct kprobe){ .addr = (kprobe_opcode_t *)(unsigned long)second,
				 .pre_handler = pre_leaves };
	NEED(!register_kprobe(&probe) && jumps_settle((void *)second));
	for (i = 0; i < nr; i++) {
		rets[i] = (struct kretprobe){
			.kp.addr = (kprobe_opcode_t *)(unsigned long)first,
			.entry_handler = entry_leaves,
			.handler = return_leaves, .maxactive = maxactive,
		};
		NEED(!register_kretprobe(&rets[i]));
	}
	NEED(!nr || jumps_settle((void *)first));
}

/* Deeper than what comes later: that shows that the call is over. */
static __attribute__((noinline, noclone)) int call_deep(int (*fn)(int))
{
	volatile char room[1024];

	room[0] = 1;
	return fn(1) + room[0];
}

static void call_and_leave(int (*fn)(int), int what)
{
	leave = what;
	if (!sigsetjmp(out, 1))
		call_deep(fn);
	NEED(!leave);
}

/* All that is called from here on counts. */
static bool all_counts(int nr)
{
	long before = live_hits;
	int i;

	entries = returns = 0;
	for (i = 0; i < 100; i++)
		if (first(1) != 8 || second(1) != 8)
			return false;
	return live_hits == before + 100 && !probe.nmissed &&
	       entries == 100 * nr && returns == 100 * nr;
}

static void unregister_all(void)
{
	unregister_kretprobe(&rets[0]);
	unregister_kretprobe(&rets[1]);
	unregister_kprobe(&probe);
}

static void *unregister_in_thread(void *arg)
{
	(void)arg;
	unregister_all();
	return NULL;
}

static bool nothing_is_left(void)
{
	long before = live_hits;

	entries = returns = 0;
	return first(1) == 8 && second(1) == 8 && live_hits == before &&
	       !entries && !returns;
}

static void unregister_elsewhere(void)
{
	pthread_t thread;

	NEED(!pthread_create(&thread, NULL, unregister_in_thread, NULL));
	NEED(!pthread_join(thread, NULL));
	NEED(nothing_is_left());
}

static void return_handler(void)
{
	put(1, 0);
	NEED(all_counts(1));
	call_and_leave(first, 'r');
	NEED(all_counts(1));
	unregister_elsewhere();
}

static void return_handler_then_unregister(void)
{
	put(1, 0);
	call_and_leave(first, 'r');
	unregister_all();
	NEED(nothing_is_left());
}

static void return_handler_then_others(void)
{
	put(1, 0);
	call_and_leave(first, 'r');
	NEED(!disable_kprobe(&probe) && !enable_kprobe(&probe));
	NEED(all_counts(1));
	call_and_leave(first, 'r');
	NEED(all_counts(1));
	unregister_elsewhere();
}

/* The second one's handler did not even begin. */
static void return_handlers(void)
{
	put(2, 0);
	call_and_leave(first, 'r');
	NEED(all_counts(2));
	NEED(!rets[0].nmissed && !rets[1].nmissed);
	unregister_elsewhere();
}

/* Neither one's only instance is lost. */
static void return_handlers_with_a_cap(void)
{
	put(2, 1);
	call_and_leave(first, 'r');
	NEED(all_counts(2));
	NEED(!rets[0].nmissed && !rets[1].nmissed);
	NEED(rets[0].nstale == 1 && rets[1].nstale == 1);
	unregister_elsewhere();
}

/*
 * A coroutine is preempted in its return handler; what comes next on the main
 * stack, which is above, looks as if that had been left.
 */
static ucontext_t main_context, coroutine, preempted;
static volatile int came;

static void on_preemption(int sig)
{
	(void)sig;
	swapcontext(&preempted, &main_context);
}

static void in_coroutine(void)
{
	came = first(1);
}

static void return_handler_goes_on(int nr)
{
	static char stack[65536];
	int i;

	put(nr, 4);
	signal(SIGUSR1, on_preemption);
	NEED(!getcontext(&coroutine));
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = sizeof(stack);
	coroutine.uc_link = &main_context;
	makecontext(&coroutine, in_coroutine, 0);
	leave = 'r';
	NEED(!swapcontext(&main_context, &coroutine));
	NEED(!leave && !came && second(1) == 8);
	NEED(!swapcontext(&main_context, &preempted));
	NEED(came == 8);
	/* Each instance is in the list once. */
	for (i = 0; i < 100; i++)
		NEED(first(i) == i + 7 && second(i) == i + 7);
	NEED(all_counts(nr));
	NEED(!rets[0].nmissed && !rets[1].nmissed);
	unregister_elsewhere();
}

static void one_return_handler_goes_on(void)
{
	return_handler_goes_on(1);
}

static void first_return_handler_goes_on(void)
{
	return_handler_goes_on(2);
}

/* The only instance is not lost. */
static void entry_handler(void)
{
	put(1, 1);
	call_and_leave(first, 'e');
	NEED(all_counts(1));
	NEED(!rets[0].nmissed);
	unregister_elsewhere();
}

/* A breakpoint of the program's, before any hit. */
static void foreign_trap(void)
{
	put(0, 0);
	signal(SIGTRAP, on_signal);
	call_and_leave(second, 'p');
	if (!sigsetjmp(out, 1))
		__asm__ volatile("int3");
	NEED(all_counts(0));
	unregister_elsewhere();
}

static void unregister_kretprobe_first(void)
{
	put(1, 0);
	call_and_leave(second, 'p');
	unregister_kretprobe(&rets[0]);
	returns = 0;
	NEED(first(1) == 8 && !returns);
	call_and_leave(second, 'p');
	rets[0].kp.flags = 0;
	NEED(!register_kretprobe(&rets[0]));
	NEED(all_counts(1));
	unregister_elsewhere();
}

/* ---- the thread goes on deeper on its stack ------------------------------------- */

static volatile int gone;

static void *unregister_and_tell(void *arg)
{
	(void)arg;
	unregister_all();
	gone = 1;
	return NULL;
}

static void wait_until_gone(void)
{
	while (!gone)
		usleep(1000);
}

/* fn, with a hole above it in which everything stays as it was. */
static __attribute__((noinline, noclone)) void deeper(void (*fn)(void))
{
	volatile char room[32768];

	room[0] = 1;
	fn();
	room[0]++;
}

/* Jumps out without the mask, which no system call shows. */
static void on_plain(int sig)
{
	(void)sig;
	_longjmp(out, 1);
}

/* As above, but nothing stays. */
static __attribute__((noinline, noclone)) void deeper_over(void (*fn)(void))
{
	volatile char room[32768];
	size_t i;

	for (i = 0; i < sizeof(room); i++)
		room[i] = 0;
	fn();
	room[0]++;
}

static volatile int jumped;

static void *unregister_when_left(void *arg)
{
	while (!jumped)
		usleep(1000);
	return unregister_and_tell(arg);
}

/*
 * It waits deeper, and nothing of the hit is on its stack any more.  The thread exists
 * before: to make one is a call that is watched, and that shows where the stack is.
 */
static void waits_over(void)
{
	pthread_t thread;

	put(0, 0);
	signal(SIGUSR1, on_plain);
	NEED(!pthread_create(&thread, NULL, unregister_when_left, NULL));
	leave = 'p';
	if (!_setjmp(out))
		call_deep(second);
	NEED(!leave);
	jumped = 1;
	deeper_over(wait_until_gone);
	NEED(!pthread_join(thread, NULL));
	NEED(nothing_is_left());
}

/* It waits, not so deep as the hit was: that is seen. */
static void waits_behind(void)
{
	pthread_t thread;

	put(0, 0);
	signal(SIGUSR1, on_plain);
	leave = 'p';
	if (!_setjmp(out))
		call_deep(second);
	NEED(!leave);
	NEED(!pthread_create(&thread, NULL, unregister_and_tell, NULL));
	wait_until_gone();
	NEED(!pthread_join(thread, NULL));
	NEED(nothing_is_left());
}

#if defined(__x86_64__) || defined(__i386__)	/* what a jump's buffer holds is known */
static void all_counts_here(void)
{
	NEED(all_counts(1));
}

static void counts_deeper(void)
{
	put(1, 0);
	call_and_leave(second, 'p');
	deeper(all_counts_here);
	call_and_leave(first, 'e');
	deeper(all_counts_here);
	call_and_leave(first, 'r');
	deeper(all_counts_here);
	unregister_elsewhere();
}

static void waits_deeper(void)
{
	pthread_t thread;

	put(1, 0);
	call_and_leave(second, 'p');
	NEED(!pthread_create(&thread, NULL, unregister_and_tell, NULL));
	deeper(wait_until_gone);
	NEED(!pthread_join(thread, NULL));
	NEED(nothing_is_left());
}

#ifdef __x86_64__
static ucontext_t outside;

static void on_context(int sig)
{
	(void)sig;
	setcontext(&outside);
}

static void on_swap(int sig)
{
	static ucontext_t within;

	(void)sig;
	swapcontext(&within, &outside);
}

/* By setcontext or swapcontext, to deep in the stack. */
static void waits_deeper_by(void (*handler)(int))
{
	pthread_t thread;

	put(1, 0);
	signal(SIGUSR1, handler);
	NEED(!pthread_create(&thread, NULL, unregister_when_left, NULL));
	leave = 'p';
	NEED(!getcontext(&outside));
	if (leave)
		call_deep(second);
	NEED(!leave);
	jumped = 1;
	deeper(wait_until_gone);
	NEED(!pthread_join(thread, NULL));
	NEED(nothing_is_left());
}

static void waits_deeper_by_context(void)
{
	waits_deeper_by(on_context);
}

static void waits_deeper_by_swap(void)
{
	waits_deeper_by(on_swap);
}

/*
 * A coroutine's switch from within a handler, to which it comes back: nothing is left, and what
 * is called meanwhile is counted as missed, as within any handler.
 */
static ucontext_t hit_context, other_context;

static void other(void)
{
	for (;;) {
		NEED(second(1) == 8);
		swapcontext(&other_context, &hit_context);
	}
}

static void on_switch(int sig)
{
	(void)sig;
	swapcontext(&hit_context, &other_context);
}

static void comes_back_by_swap(void)
{
	static char stack[256 * 1024];
	long before = live_hits;
	int i;

	put(1, 0);
	signal(SIGUSR1, on_switch);
	NEED(!getcontext(&other_context));
	other_context.uc_stack.ss_sp = stack;
	other_context.uc_stack.ss_size = sizeof(stack);
	makecontext(&other_context, other, 0);
	for (i = 0; i < 3; i++) {
		leave = 'p';
		call_deep(second);
		NEED(!leave);
	}
	/* Behind a breakpoint the signal waits until the hit is over: then all count. */
	NEED(live_hits - before + (long)probe.nmissed == 6 && live_hits >= before + 3);
	NEED(probe.nmissed == (jumps_wanted() ? 3 : 0));
	probe.nmissed = 0;
	NEED(all_counts(1));
	unregister_all();
	NEED(nothing_is_left());
}
#endif

static volatile int wanted;
static pthread_t hitting;

static void *interrupts(void *arg)
{
	while (wanted >= 0) {
		if (wanted) {
			usleep(wanted * 37 % 1000);
			wanted = 0;
			pthread_kill(hitting, SIGUSR1);
		}
		usleep(100);
	}
	return arg;
}

static void some_count(void)
{
	long before = live_hits, missed = (long)probe.nmissed;
	int i;

	for (i = 0; i < 10; i++)
		NEED(second(1) == 8);
	NEED(live_hits == before + 10 && (long)probe.nmissed == missed);
}

/* Wherever in a hit the signal comes. */
static void interrupted_anywhere(void)
{
	volatile int round;
	pthread_t thread;

	put(0, 0);
	hitting = pthread_self();
	NEED(!pthread_create(&thread, NULL, interrupts, NULL));
	for (round = 1; round <= live_rounds(100); round++) {
		if (!sigsetjmp(out, 1)) {
			wanted = round;
			for (;;)
				second(1);
		}
		deeper(some_count);
	}
	wanted = -1;
	NEED(!pthread_join(thread, NULL));
	NEED(!pthread_create(&thread, NULL, unregister_and_tell, NULL));
	deeper(wait_until_gone);
	NEED(!pthread_join(thread, NULL));
	NEED(nothing_is_left());
}
#endif

int main(void)
{
	jumps_begin();
	child_case("K-UNR-02 the thread of a hit that was left waits", waits_behind);
	child_case("K-UNR-02 the thread of a hit that was left waits over it", waits_over);
#ifdef __x86_64__
	child_case("K-UNR-02 a hit is left by setcontext", waits_deeper_by_context);
	child_case("K-UNR-02 a hit is left by swapcontext", waits_deeper_by_swap);
	child_case("K-UNR-02 a coroutine is switched to in a hit, and back", comes_back_by_swap);
#endif
#if defined(__x86_64__) || defined(__i386__)
	child_case("hits deeper on the stack than one that was left", counts_deeper);
	child_case("K-UNR-02 the thread of a hit that was left waits deeper", waits_deeper);
	child_case("K-UNR-02 hits are left anywhere", interrupted_anywhere);
#endif
	child_case("K-RET-36 K-UNR-02 a return handler is left",
		   return_handler);
	child_case("K-RET-61 unregistered by the thread that left it",
		   return_handler_then_unregister);
	child_case("K-EN-01 switched by the thread that left it",
		   return_handler_then_others);
	child_case("K-RET-39 the first of two return handlers is left",
		   return_handlers);
	child_case("K-RET-20 the first of two is left, one instance each",
		   return_handlers_with_a_cap);
	child_case("K-RET-46 a return handler seems to be left",
		   one_return_handler_goes_on);
	child_case("K-RET-46 the first of two seems to be left",
		   first_return_handler_goes_on);
	child_case("K-RET-27 an entry handler is left", entry_handler);
	child_case("K-JP-25 int3 of the program after a hit that was left",
		   foreign_trap);
	child_case("K-UNR-02 unregister_kretprobe after a hit that was left",
		   unregister_kretprobe_first);
	return live_failed;
}
