/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * coroutines.c - return probes on calls that wait while their stack moves from
 * thread to thread.
 *
 * Each coroutine calls a probed function, which yields; threads take whatever
 * coroutine is next, go on with it for a few turns, and end.  So most calls
 * return in another thread than they were made in, and that one is gone.  There
 * are three callers: who comes back to another one's finds that one's number.
 */
#include "jumps.h"

#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

#define TARGET __attribute__((noinline, noclone, used))
#define NR 24
#define ROUNDS 12
#define STACK (64 * 1024)

/* The stack of a coroutine, and next to it one that a thread is given. */
static struct {
	char coroutine[STACK], thread[STACK];
} arena[NR] __attribute__((aligned(4096)));

struct coroutine {
	void *sp;			/* by hand */
	ucontext_t context;		/* by swapcontext */
	void *thread_sp;
	ucontext_t *thread_context;
	int who, calls, wrong, jumps;
	bool done;
	jmp_buf out;
};
static struct coroutine all[NR];

static bool by_hand, jumping, own_stacks;
static struct kretprobe probe, switches;
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

/* void change(void **save, void *to): as hand-written switches do it. */
void change(void **save, void *to);
__asm__(".text\n.p2align 4\n.globl change\n.type change, @function\n"
	"change: push %rbp\n push %rbx\n push %r12\n push %r13\n"
	"	push %r14\n push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	pop %r15\n pop %r14\n pop %r13\n pop %r12\n"
	"	pop %rbx\n pop %rbp\n"
	"	pop %rcx\n"
	"	jmp *%rcx\n"
	".size change, . - change\n");

TARGET static void yield(struct coroutine *c)
{
	if (by_hand)
		change(&c->sp, c->thread_sp);
	else
		swapcontext(&c->context, c->thread_context);
}

TARGET static int work(struct coroutine *c, int value)
{
	int turns = 1 + (c->who + value) % 3;

	while (turns--)
		yield(c);
	if (jumping && value % 2) {
		c->jumps++;
		longjmp(c->out, 1);
	}
	__asm__ volatile("" ::: "memory");
	return value * 3 + c->who;
}

/* What tells one caller from the others lies on its stack and in its code. */
#define CALLER(n)							\
TARGET static void caller_##n(struct coroutine *c)			\
{									\
	volatile int mine = n;						\
	volatile int i;							\
									\
	for (i = 0; i < ROUNDS; i++) {					\
		c->calls++;						\
		if (setjmp(c->out))					\
			continue;					\
		if (work(c, i) != i * 3 + c->who || mine != (n))	\
			c->wrong++;					\
	}								\
}
CALLER(0)
CALLER(1)
CALLER(2)

static void run_coroutine(struct coroutine *c)
{
	static void (*const callers[])(struct coroutine *) = {
		caller_0, caller_1, caller_2,
	};

	callers[c->who % 3](c);
	c->done = true;
	yield(c);
	abort();
}

static __thread struct coroutine *starting;

static void begin(void)
{
	run_coroutine(starting);
}

static void begin_split(unsigned int high, unsigned int low)
{
	run_coroutine((void *)((unsigned long)high << 32 | low));
}

static void make(int who, char *stack, size_t len)
{
	struct coroutine *c = &all[who];
	void **top = (void **)(void *)(stack + len - 64);

	memset(c, 0, sizeof(*c));
	c->who = who;
	if (by_hand) {
		/* Six registers, where to, and the alignment of a call. */
		top[-1] = NULL;
		top[-2] = (void *)begin;
		memset(top - 8, 0, 6 * sizeof(*top));
		c->sp = top - 8;
		return;
	}
	NEED(!getcontext(&c->context));
	c->context.uc_stack.ss_sp = stack;
	c->context.uc_stack.ss_size = len;
	c->context.uc_link = NULL;
	makecontext(&c->context, (void (*)(void))begin_split, 2,
		    (unsigned int)((unsigned long)c >> 32),
		    (unsigned int)(unsigned long)c);
}

static void resume(struct coroutine *c)
{
	ucontext_t here;

	starting = c;
	c->thread_context = &here;
	if (by_hand)
		change(&c->thread_sp, c->sp);
	else
		NEED(!swapcontext(&here, &c->context));
}

/* ---- threads ----------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int queue[NR], queue_nr;

static struct coroutine *take(void)
{
	struct coroutine *c = NULL;

	pthread_mutex_lock(&lock);
	if (queue_nr) {
		c = &all[queue[0]];
		memmove(queue, queue + 1, (size_t)--queue_nr * sizeof(*queue));
	}
	pthread_mutex_unlock(&lock);
	return c;
}

static void put_back(struct coroutine *c)
{
	pthread_mutex_lock(&lock);
	if (!c->done)
		queue[queue_nr++] = c->who;
	pthread_mutex_unlock(&lock);
}

static void *thread(void *arg)
{
	int turns;

	(void)arg;
	for (turns = 0; turns < 7; turns++) {
		struct coroutine *c = take();

		if (!c)
			break;
		resume(c);
		put_back(c);
	}
	return NULL;
}

static void start(pthread_t *t, int i, void *(*fn)(void *))
{
	pthread_attr_t attr;

	NEED(!pthread_attr_init(&attr));
	if (own_stacks)
		NEED(!pthread_attr_setstack(&attr, arena[i].thread, STACK));
	NEED(!pthread_create(t, &attr, fn, NULL));
	pthread_attr_destroy(&attr);
}

/* A generation of threads, which ends; false: all is done. */
static bool generation(void)
{
	pthread_t threads[4];
	int i;

	for (i = 0; i < 4; i++)
		start(&threads[i], i * 5, thread);
	for (i = 0; i < 4; i++)
		NEED(!pthread_join(threads[i], NULL));
	return queue_nr;
}

static void watch(int maxactive)
{
	probe = (struct kretprobe){ .kp.addr = (void *)work,
				    .entry_handler = on_entry,
				    .handler = on_return,
				    .maxactive = maxactive };
	NEED(!register_kretprobe(&probe) && jumps_settle((void *)work));
}

/* All coroutines, from the first call to the end; one on the main stack. */
static void run(int maxactive, void (*between)(void))
{
	char on_main[STACK] __attribute__((aligned(16)));
	int i, calls = 0;

	alarm(LIVE_PATIENCE);
	watch(maxactive);
	for (i = 0; i < NR; i++) {
		make(i, i ? arena[i].coroutine : on_main, STACK);
		queue[i] = i;
	}
	queue_nr = NR;
	while (generation())
		if (between)
			between();
	for (i = 0; i < NR; i++) {
		NEED(!all[i].wrong);
		calls += all[i].calls;
	}
	NEED(calls == NR * ROUNDS);
	if (!between)
		NEED(entries + probe.nmissed == calls);
	if (!between && !jumping)
		NEED(returns == entries);
	unregister_kretprobe(&probe);
}

/* ---- cases -------------------------------------------------------------------- */

static void hand_written(void)
{
	by_hand = true;
	run(0, NULL);
	NEED(!probe.nmissed);
}

static void hand_written_capped(void)
{
	by_hand = true;
	run(3, NULL);
	NEED(probe.nmissed && !probe.nstale);
}

static void contexts(void)
{
	run(0, NULL);
	NEED(!probe.nmissed);
}

static void contexts_capped(void)
{
	run(1, NULL);
	NEED(probe.nmissed && !probe.nstale);
}

/* The threads' stacks and the coroutines' are one piece of memory. */
static void one_arena(void)
{
	by_hand = own_stacks = true;
	run(2, NULL);
	NEED(probe.nmissed && !probe.nstale);
}

static void another(void)
{
	unregister_kretprobe(&probe);
	watch(entries % 2 ? 0 : 2);
}

static void unregistered_meanwhile(void)
{
	by_hand = true;
	run(2, another);
}

static void left_by_longjmp(void)
{
	int i, jumps = 0;

	by_hand = jumping = true;
	run(0, NULL);
	for (i = 0; i < NR; i++)
		jumps += all[i].jumps;
	NEED(jumps == NR * ROUNDS / 2 && !probe.nmissed);
	NEED(returns == entries - jumps);
}

/* The switch itself: it is called on one stack and goes on on another. */
static void the_switch(void)
{
	by_hand = true;
	switches = (struct kretprobe){ .kp.addr = (void *)change,
				       .handler = on_return };
	NEED(!register_kretprobe(&switches) && jumps_settle((void *)change));
	run(0, another);
	unregister_kretprobe(&switches);
}

/* ---- calls that do end ---------------------------------------------------------- */

TARGET static void inside(void)
{
	pthread_exit(NULL);
}

static void *enters(void *arg)
{
	(void)arg;
	inside();
	return NULL;
}

/* On the thread's stack, the program's or not: nobody goes on there. */
static void threads_end(void)
{
	pthread_t t;
	int i;

	probe = (struct kretprobe){ .kp.addr = (void *)inside,
				    .entry_handler = on_entry,
				    .maxactive = 1 };
	NEED(!register_kretprobe(&probe));
	for (i = 0; i < 20; i++) {
		own_stacks = i % 2;
		start(&t, i, enters);
		NEED(!pthread_join(t, NULL));
	}
	NEED(entries == 20 && !probe.nmissed && probe.nstale == 19);
	unregister_kretprobe(&probe);
}

static void *resumes_first(void *arg)
{
	(void)arg;
	resume(&all[0]);
	return NULL;
}

/* A coroutine that nobody goes on with: when its stack is unmapped, that shows. */
static void unmapped(void)
{
	char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t t;
	int i;

	NEED(stack != MAP_FAILED);
	by_hand = true;
	watch(1);
	for (i = 0; i < 3; i++) {
		make(0, i ? arena[i].coroutine : stack, STACK);
		start(&t, 0, resumes_first);
		NEED(!pthread_join(t, NULL));
		if (!i)
			munmap(stack, STACK);
	}
	/* The second one was probed, and waits; so the third was not. */
	NEED(entries == 2 && probe.nstale == 1 && probe.nmissed == 1);
	unregister_kretprobe(&probe);
}

int main(void)
{
	jumps_begin();
	child_case("K-RET-40 coroutines move between threads", hand_written);
	child_case("K-RET-20 the same with three instances",
		   hand_written_capped);
	child_case("K-RET-40 contexts move between threads", contexts);
	child_case("K-RET-20 the same with one instance", contexts_capped);
	child_case("K-RET-48 stacks of threads and coroutines side by side",
		   one_arena);
	child_case("K-RET-61 unregistered while they wait",
		   unregistered_meanwhile);
	child_case("K-RET-47 left by longjmp in another thread",
		   left_by_longjmp);
	child_case("K-RET-40 the switch itself is probed", the_switch);
	child_case("K-RET-48 threads end on stacks of the program's",
		   threads_end);
	child_case("K-RET-48 a coroutine's stack is unmapped", unmapped);
	return live_failed;
}
