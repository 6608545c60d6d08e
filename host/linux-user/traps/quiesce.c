/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * quiesce.c - waiting for other threads.
 *
 * Owns: the wait for handlers, and the question whether a thread may still be in a range of
 * code.
 *
 * kp_host_wait_handlers: readers mark themselves with plain stores; the
 * membarrier (barrier.c) makes every mark made before it visible here and everything
 * written before it visible to readers that enter after it.
 */
#include "traps/quiesce.h"
#include "atomic.h"
#include "host.h"
#include "machine.h"
#include "freestanding/copy.h"
#include "freestanding/parse.h"
#include "process/ids.h"
#include "process/maps.h"
#include "process/thread_file.h"
#include "process/threads.h"
#include "process/writer.h"
#include "threads/barrier.h"
#include "threads/contexts.h"
#include "threads/thread_stack.h"
#include "text/exec.h"
#include "objects/engine.h"

/* Does the reader of ctx still run the section that it had at left? */
static bool still_inside(struct kp_user_context *ctx, int owner,
			 unsigned long left)
{
	/* Pair with the exits of readers (task.h, context.c): what they read, they have. */
	return kp_load_acquire(&ctx->inside) &&
	       kp_load_acquire(&ctx->left) == left &&
	       kp_load_relaxed(&ctx->owner) == owner;
}

/* Where does the thread wait in a system call?  false: it runs, or that is not known. */
static bool waits_at(int tid, uintptr_t *sp, uintptr_t *pc)
{
	char text[256], *last;
	const char *at;
	uint64_t value;

	/* "running", or numbers; the last ones are the stack pointer and the PC. */
	if (!kp_user_thread_file(tid, "syscall", text, sizeof(text)))
		return false;
	last = strrchr(text, ' ');
	at = last;
	if (!at || !kp_user_parse(&at, 16, &value))
		return false;
	*pc = (uintptr_t)value;
	*last = 0;
	at = strrchr(text, ' ');
	if (!at || !kp_user_parse(&at, 16, &value))
		return false;
	*sp = (uintptr_t)value;
	return true;
}

/* How often a thread was taken off a processor, of its own accord; 0: not known. */
static uint64_t waited_so_far(int tid)
{
	static const char field[] = "\nvoluntary_ctxt_switches:\t";
	char text[4096];
	const char *at = NULL;
	uint64_t nr;

	if (kp_user_thread_file(tid, "status", text, sizeof(text)))
		at = strstr(text, field);
	at = at ? at + sizeof(field) - 1 : NULL;
	return at && kp_user_parse(&at, 10, &nr) ? nr : 0;
}

/* Addresses may be signed, in what is above these. */
#define ADDRESS(word) (sizeof(word) == 8 ? (word) & (uintptr_t)0xffffffffffffull : (word))
#define SCANNED_MAX (1ul << 20)

/*
 * Is there no address in our code, from sp up to the reader's frame?  What was called by
 * that, or has interrupted it, would have left one there.
 */
static bool nothing_leads_here(uintptr_t sp, uintptr_t reader)
{
	uintptr_t words[64], start, len;
	size_t i, nr;

	kp_user_engine_bounds(&start, &len);
	if (reader - sp > SCANNED_MAX)
		return false;
	for (sp &= ~(sizeof(words[0]) - 1); sp < reader; sp += nr * sizeof(words[0])) {
		nr = (reader - sp + sizeof(words[0]) - 1) / sizeof(words[0]);
		nr = nr < 64 ? nr : 64;
		if (kp_user_copy(words, (const void *)sp, nr * sizeof(words[0])))
			return false;
		for (i = 0; i < nr; i++)
			if (ADDRESS(words[i]) - start < len ||
			    kp_user_exec_owns(ADDRESS(words[i])))
				return false;
	}
	return true;
}

/*
 * Does the thread wait in a system call, on its own stack, outside of the hit?  Its stack
 * pointer is above the reader's, so a signal's handler has left the hit for good; or it is
 * deeper, and nothing in between leads back.  What the hit has left there may be
 * overwritten only later: then this is seen later.
 */
static bool waits_outside(const struct kp_user_context *ctx, int owner)
{
	uintptr_t at = kp_user_reader_at(kp_load_acquire(&ctx->inside)), sp, pc;
	uintptr_t start, engine, again;
	uint64_t before = waited_so_far(owner);
	size_t len, size;

	if (!waits_at(owner, &sp, &pc) || !kp_user_stack_of(ctx->self, sp, &start, &len) ||
	    at - start >= len)
		return false;
	if (sp > at)
		return true;
	kp_user_engine_bounds(&engine, &size);
	/* It waits all the time: it is blocked at both ends, and has not been in between. */
	return pc - engine >= size && !kp_user_exec_owns(pc) &&
	       nothing_leads_here(sp, at) && waits_at(owner, &again, &pc) && again == sp &&
	       before && waited_so_far(owner) == before;
}

#define LOOK_US 20000l
#define SAY_US 5000000l
#define END_US 2000000l

static bool ending;

void kp_user_quiesce_end(void)
{
	ending = true;
}

static void say(int owner)
{
	kp_host_log(KP_LOG_WARN,
		    "kprobes: thread %d has been in a probe's handler, or in a signal's that interrupted a hit, for %d s; waiting for it",
		    owner, (int)(SAY_US / 1000000));
}

static void wait_one(struct kp_user_context *ctx)
{
	/* Before inside is looked at: a section that began later counts as left. */
	unsigned long left = kp_load_acquire(&ctx->left);
	int owner = kp_load_relaxed(&ctx->owner);
	long us = 0, waited = 0, looked = 0;

	while (still_inside(ctx, owner, left)) {
		/* A thread that was killed inside never leaves. */
		if (us > 1000 && kp_user_thread_over(owner))
			return;
		/* Nor one that has left it otherwise, until its next hit. */
		if (waited - looked > LOOK_US) {
			looked = waited;
			if (waits_outside(ctx, owner) && still_inside(ctx, owner, left))
				return;
		}
		/* What it would find goes with the process. */
		if (ending && waited > END_US)
			return;
		if (waited < SAY_US && waited + us >= SAY_US)
			say(owner);
		waited += us;
		if (us)
			sys_sleep_us(us);
		else
			sys3(SYS_sched_yield, 0, 0, 0);
		us = us ? (us < 4000 ? us * 2 : us) : 10;
	}
}

void kp_host_wait_handlers(void)
{
	struct kp_user_context *ctx = NULL, *own;
	long us = 10;

	own = (struct kp_user_context *)kp_host_context();
	kp_user_barrier();
	while ((ctx = kp_user_context_next(ctx)))
		if (ctx != own && kp_load_acquire(&ctx->inside))
			wait_one(ctx);
	while (kp_user_anonymous_readers()) {
		sys_sleep_us(us);
		us = us < 4000 ? us * 2 : us;
	}
	kp_user_context_reap();
}

static bool count(int tid, void *nr)
{
	(void)tid;
	++*(int *)nr;
	return false;
}

/* How many threads, but for who asks; or -errno. */
static int count_threads(void *unused)
{
	int nr = 0, err = kp_user_each_thread(count, &nr);

	(void)unused;
	return err ? err : nr - kp_user_is_writer();
}

/* Is there no other thread? */
static bool alone(void)
{
	return kp_user_write_call(count_threads, NULL) == 0;
}

struct stack_scan {
	uintptr_t sp, base;
	size_t len;
	bool found, complete;
};

static bool scan_map(const struct kp_map *map, void *arg)
{
	struct stack_scan *scan = arg;
	uintptr_t word, at;

	if (scan->sp < map->start || scan->sp >= map->end)
		return false;
	scan->complete = true;
	for (at = scan->sp & ~(uintptr_t)7; at + 8 <= map->end; at += 8) {
		if (kp_user_copy(&word, (void *)at, sizeof(word)))
			return true;
		if (word - scan->base < scan->len)
			scan->found = true;
	}
	return true;
}

static bool nobody_inside;

void kp_user_nobody_inside(bool shown)
{
	nobody_inside = shown;
}

/* Nobody in a process can stop the others by itself. */
int kp_host_alone(void (*fn)(void *arg), void *arg)
{
	(void)fn;
	(void)arg;
	return -EOPNOTSUPP;
}

bool kp_host_put_back(const struct kp_task *task, uintptr_t frame, uintptr_t stub,
		      uintptr_t real)
{
	(void)task;
	(void)frame;
	(void)stub;
	(void)real;
	return false;
}

bool kp_host_call_over(const struct kp_task *task, uintptr_t frame)
{
	(void)task;
	(void)frame;
	return false;
}

/*
 * By itself a process can show only with one thread that it is out of the range:
 * nothing on its stack, where a signal's frame would keep the interrupted address,
 * points there.  With more threads the answer is "cannot tell"; but who holds them
 * all may have looked (release.c).
 */
int kp_host_wait_tasks(uintptr_t base, size_t len)
{
	struct stack_scan scan = {
		.sp = (uintptr_t)__builtin_frame_address(0) + 16,
		.base = base, .len = len,
	};
	stack_t alt;

	if (nobody_inside)
		return 0;
	kp_user_writer_end();
	if (!alone())
		return -EBUSY;
	if (sys3(SYS_sigaltstack, NULL, &alt, 0) || (alt.ss_flags & SS_ONSTACK))
		return -EBUSY;
	if (kp_user_maps(scan_map, &scan) || !scan.complete || scan.found)
		return -EBUSY;
	return 0;
}
