/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * toggles.c - usage: toggles [LAZY [TEXT]]
 *
 * Probes on hot code are switched LAZY times, so fast that the worker hardly
 * ever follows, and TEXT times so that each time text changes, while
 *
 *   three threads call that code, and take signals whose handler calls it, too;
 *   one thread jumps into the middle of the bytes under the jump;
 *   one thread sleeps in a system call, and in a call, that return there.
 *
 * Each call's result is right; the probe that stays on is hit once in each
 * call, or counts a miss; the other one is hit at most once, and by who
 * switches it exactly when it is on.  At the end text is what it was.
 */
#include "text.h"

#include <sys/syscall.h>
#include <time.h>

#define HOT_NR 3

/*
 * hot: S is on the first instruction, T on the second one, under S's jump.
 * rest: R on the nop, and the system call returns under its jump; deep: so
 * does the probed call itself.
 */
__asm__(".text\n.p2align 5\n"
	".type hot, @function\n"
	"hot:	mov %rdi, %rax\n"
	"hot_middle:\n"
	"	add $1, %rax\n"
	"	add %rsi, %rax\n"
	"	ret\n"
	".size hot, . - hot\n"
	".type into_middle, @function\n"
	"into_middle:\n"
	"	mov %rdi, %rax\n"
	"	jmp hot_middle\n"
	".size into_middle, . - into_middle\n"
	".p2align 5\n"
	".type rest, @function\n"
	"rest:	mov %rdi, %rax\n"
	"	mov %rsi, %rdi\n"
	"	xor %esi, %esi\n"
	"rest_probed:\n"
	"	nop\n"
	"	syscall\n"
	"	add $7, %rax\n"
	"	ret\n"
	".size rest, . - rest\n"
	".p2align 5\n"
	".type deep, @function\n"
	"deep:	sub $8, %rsp\n"
	"deep_probed:\n"
	"	call *%rdi\n"
	"	add $7, %rax\n"
	"	add $8, %rsp\n"
	"	ret\n"
	".size deep, . - deep\n");
long hot(long a, long b);
long into_middle(long a, long b);
long rest(long nr, const struct timespec *time);
long deep(long (*fn)(void));
extern char hot_middle[], rest_probed[], deep_probed[];

static volatile int stop;
static long wrong, doubled, calls, hits;
static struct kprobe always, switched, rests, deeps;

/* ---- handlers ---------------------------------------------------------------- */

static __thread long mine_always, mine_switched;

static int on_always(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	__atomic_fetch_add(&mine_always, 1, __ATOMIC_RELAXED);
	return 0;
}

static int on_switched(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	__atomic_fetch_add(&mine_switched, 1, __ATOMIC_RELAXED);
	return 0;
}

static void count(long *what, bool yes)
{
	if (yes)
		__atomic_fetch_add(what, 1, __ATOMIC_RELAXED);
}

/* ---- threads ----------------------------------------------------------------- */

/* Inside another call, so what it adds to that one's counters goes again. */
static __thread long signal_calls, signal_hits;

static void on_signal(int sig)
{
	long a = mine_always, s = mine_switched;

	count(&wrong, hot(sig, 3) != sig + 4);
	count(&doubled, mine_always - a > 1 || mine_switched - s > 1);
	signal_calls++;
	signal_hits += mine_always - a;
	mine_always = a;
	mine_switched = s;
}

static void *call_it(void *arg)
{
	long n = (long)arg, made = 0, seen = 0;

	while (!stop) {
		long a = mine_always, s = mine_switched;

		count(&wrong, hot(n, 5) != n + 6);
		count(&doubled, mine_always - a > 1 || mine_switched - s > 1);
		made++;
		seen += mine_always - a;
		n++;
	}
	/* The signaller may still be at work. */
	__atomic_fetch_add(&calls, made, __ATOMIC_RELAXED);
	__atomic_fetch_add(&hits, seen, __ATOMIC_RELAXED);
	while (stop < 2)
		usleep(1000);
	__atomic_fetch_add(&calls, signal_calls, __ATOMIC_RELAXED);
	__atomic_fetch_add(&hits, signal_hits, __ATOMIC_RELAXED);
	return NULL;
}

static void *call_middle(void *arg)
{
	long n = (long)arg;

	while (!stop) {
		long a = mine_always, s = mine_switched;

		count(&wrong, into_middle(n, 5) != n + 6);
		count(&doubled, mine_always != a || mine_switched - s > 1);
		n++;
	}
	return NULL;
}

static long short_sleep(void)
{
	struct timespec time = { 0, 300000 };

	return rest(SYS_nanosleep, &time) - 7;
}

static void *sleep_there(void *arg)
{
	while (!stop) {
		count(&wrong, short_sleep() != 0);
		count(&wrong, deep(short_sleep) != 7);
	}
	return arg;
}

static void *send_signals(void *threads)
{
	pthread_t *to = threads;
	int i = 0;

	while (!stop) {
		pthread_kill(to[i++ % HOT_NR], SIGUSR1);
		usleep(200);
	}
	return NULL;
}

/* ---- switching ------------------------------------------------------------------ */

/* By itself, when the switched probe is on, or not. */
static void verify(bool on)
{
	long a = mine_always, s = mine_switched;

	count(&wrong, hot(1, 2) != 4);
	count(&wrong, mine_always - a != 1);
	count(&wrong, mine_switched - s != on);
	calls++;
	hits += mine_always - a;
}

static void switch_lazily(long nr)
{
	long i;

	for (i = 0; i < nr; i++) {
		bool on = i & 1;

		count(&wrong, on ? enable_kprobe(&switched)
				 : disable_kprobe(&switched));
		if (i % 64 < 2)
			verify(on);
	}
}

/* Each step changes text; the last leaves things as they were. */
static void step(int nr)
{
	switch (nr) {
	case 0:		/* T's jump goes, S gets one */
		count(&wrong, disable_kprobe(&switched));
		kprobes_flush();
		verify(false);
		break;
	case 1:		/* all jumps become breakpoints */
		count(&wrong, kprobes_set_optimization(false));
		verify(false);
		break;
	case 2:
		count(&wrong, kprobes_set_optimization(true));
		kprobes_flush();
		verify(false);
		break;
	case 3:		/* S's jump goes, T gets one */
		count(&wrong, enable_kprobe(&switched));
		kprobes_flush();
		verify(true);
		break;
	}
}

static long switch_text(long nr)
{
	unsigned char before[12], after[12];
	long i, changes = 0;

	for (i = 0; i < nr; i++) {
		memcpy(before, (void *)hot, sizeof(before));
		step((int)(i % 4));
		memcpy(after, (void *)hot, sizeof(after));
		changes += memcmp(before, after, sizeof(before)) != 0;
	}
	return changes;
}

/* ---- the whole -------------------------------------------------------------------- */

/* It says why there is none. */
static bool has_jump(const struct kprobe *p)
{
	if (text_has_jump(p->addr))
		return true;
	printf("# %p: no jump, %s\n", (void *)p->addr,
	       p->reason ? p->reason : "no reason given");
	return false;
}

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double wall, cpu;

static void start_clock(void)
{
	wall = seconds(CLOCK_MONOTONIC);
	cpu = seconds(CLOCK_THREAD_CPUTIME_ID);
}

static void say(const char *what, long nr)
{
	printf("# %ld times %s: %.0f in a second, %.0f in one of its own CPU\n",
	       nr, what, (double)nr / (seconds(CLOCK_MONOTONIC) - wall),
	       (double)nr / (seconds(CLOCK_THREAD_CPUTIME_ID) - cpu));
}

static int put(struct kprobe *p, const void *at, kprobe_pre_handler_t pre)
{
	*p = (struct kprobe){ .addr = (kprobe_opcode_t *)(unsigned long)at,
			      .pre_handler = pre };
	return register_kprobe(p);
}

static void run(long lazy, long text)
{
	pthread_t threads[HOT_NR + 3];
	long i, nr;

	for (i = 0; i < HOT_NR; i++)
		pthread_create(&threads[i], NULL, call_it, (void *)(i * 1000));
	pthread_create(&threads[HOT_NR], NULL, call_middle, NULL);
	pthread_create(&threads[HOT_NR + 1], NULL, sleep_there, NULL);
	pthread_create(&threads[HOT_NR + 2], NULL, send_signals, threads);

	start_clock();
	switch_lazily(lazy);
	say("switched", lazy);
	kprobes_flush();
	start_clock();
	nr = switch_text(text);
	say("with text changed", nr);
	EXPECT("toggles: each changed text", nr == text);

	stop = 1;
	pthread_join(threads[HOT_NR + 2], NULL);
	stop = 2;
	for (i = 0; i < HOT_NR + 2; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	long lazy = argc > 1 ? atol(argv[1]) : 200000;
	long text = argc > 2 ? atol(argv[2]) : 4000;
	struct sigaction act = { .sa_handler = on_signal,
				 .sa_flags = SA_RESTART };

	text -= text % 4;
	lazy -= lazy % 2;
	sigaction(SIGUSR1, &act, NULL);
	text_snapshot();
	EXPECT("toggles: registered",
	       !put(&rests, rest_probed, live_pre) &&
	       !put(&deeps, deep_probed, live_pre) &&
	       !put(&always, (void *)hot, on_always));
	kprobes_flush();
	EXPECT("toggles: each has a jump",
	       has_jump(&always) && has_jump(&rests));
	/* A short call's jump leads to few places: not always a free one. */
	has_jump(&deeps);
	EXPECT("toggles: another probe under the jump",
	       !put(&switched, hot_middle, on_switched));
	kprobes_flush();
	EXPECT("K-OPT-50 toggles: that one has a jump",
	       has_jump(&switched) && *(unsigned char *)hot == 0xcc);

	run(lazy, text);
	printf("# %ld calls, %ld hits, %lu missed; %lu missed of the other\n",
	       calls, hits, always.nmissed, switched.nmissed);
	EXPECT("toggles: every result and every hit is right", !wrong);
	EXPECT("toggles: no double hit", !doubled);
	EXPECT("K-INV-01 toggles: calls == hits + nmissed",
	       calls == hits + (long)always.nmissed);
	unregister_kprobe(&always);
	unregister_kprobe(&switched);
	unregister_kprobe(&rests);
	unregister_kprobe(&deeps);
	EXPECT("K-INV-05 toggles: text restored byte for byte", !text_changed());
	return live_failed;
}
