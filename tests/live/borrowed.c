/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * borrowed.c - two threads with one thread pointer.
 *
 * Whoever serves a client works with the pointer of the thread that it borrowed.  Where
 * it is hit first and ends, the context is still that of the thread whose pointer it is:
 * who waits for handlers waits for that one's.
 *
 * Both are made by clone(): a thread of the C library's has a context from its first
 * call on.
 */
#include "live.h"

#include <dlfcn.h>
#include <kprobes/control.h>
#include <sched.h>

#define STACK_LEN 65536

static char stacks[2][STACK_LEN] __attribute__((aligned(16)));
static int lend, waits, in_handler, go_on, ended, failed;	/* atomic */

static int wait_pre(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	if (!__atomic_exchange_n(&waits, 0, __ATOMIC_ACQUIRE))
		return 0;
	__atomic_store_n(&in_handler, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&go_on, __ATOMIC_ACQUIRE))
		;
	return 0;
}

static struct kprobe probe = {
	.addr = (kprobe_opcode_t *)(unsigned long)live_target,
	.pre_handler = wait_pre,
};

static void hit(int a)
{
	if (live_target(a) != a + 1)
		__atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
}

static int borrower(void *arg)
{
	(void)arg;
	hit(1);
	return 0;
}

static int lender(void *arg)
{
	(void)arg;
	while (!__atomic_load_n(&lend, __ATOMIC_ACQUIRE))
		;
	hit(1);
	hit(2);
	return 0;
}

/*
 * Where the C library keeps a thread's number, and whether that description lies behind
 * the pointer, and begins with it: on some processors it ends there.
 */
static long find_tid(const char *own, bool *behind)
{
	long offset, from;

	*behind = *(char *const *)own == own;
	from = *behind ? 0 : -2304;
	for (offset = from; offset < from + 2304; offset += sizeof(int))
		if (*(const int *)(own + offset) == gettid())
			return offset;
	NEED(!"a thread's number is there");
	return 0;
}

/* Looks for contexts of the dead, then waits for handlers. */
static void *end_probe(void *arg)
{
	struct kprobe p = { .addr = (kprobe_opcode_t *)(unsigned long)find_tid };

	(void)arg;
	NEED(!register_kprobe(&p));
	unregister_kprobe(&p);
	unregister_kprobe(&probe);
	__atomic_store_n(&ended, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* What the kernel clears when the thread is over. */
static int *begin(int (*fn)(void *arg), int which, char *pointer, int *tid)
{
	static int over[2];

	over[which] = -1;
	NEED(clone(fn, stacks[which] + STACK_LEN,
		   CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
		   CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID |
		   CLONE_CHILD_CLEARTID, NULL, tid, pointer, &over[which]) > 0);
	return &over[which];
}

static void wait_zero(int *at)
{
	while (__atomic_load_n(at, __ATOMIC_ACQUIRE))
		usleep(100);
}

static void lent(void)
{
	void *(*make)(void *at) = (void *(*)(void *))dlsym(RTLD_DEFAULT, "_dl_allocate_tls");
	char *pointer, *own = __builtin_thread_pointer();
	int *lender_over, *borrower_over, borrower_tid;
	pthread_t thread;
	bool behind;
	long tid = find_tid(own, &behind);

	NEED(make);
	pointer = make(NULL);
	NEED(pointer);
	/* Its head, as far as it is not made by that: its own address, and guards. */
	if (behind) {
		memcpy(pointer + 16, own + 16, 48);
		((char **)pointer)[0] = ((char **)pointer)[2] = pointer;
	}
	kprobes_set_optimization(live_jumps);
	NEED(!register_kprobe(&probe));
	kprobes_flush();
	lender_over = begin(lender, 0, pointer, (int *)(pointer + tid));
	borrower_over = begin(borrower, 1, pointer, &borrower_tid);
	wait_zero(borrower_over);
	waits = 1;
	__atomic_store_n(&lend, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&in_handler, __ATOMIC_ACQUIRE))
		usleep(100);
	NEED(!pthread_create(&thread, NULL, end_probe, NULL));
	usleep(100000);
	NEED(!__atomic_load_n(&ended, __ATOMIC_ACQUIRE));
	__atomic_store_n(&go_on, 1, __ATOMIC_RELEASE);
	wait_zero(lender_over);
	NEED(!pthread_join(thread, NULL));
	NEED(!failed);
}

int main(void)
{
	static const struct live_case cases[] = {
		{ "handlers_are_waited_for_where_another_was_hit_first", lent },
	};

	live_both(cases, sizeof(cases) / sizeof(*cases));
	return live_failed;
}
