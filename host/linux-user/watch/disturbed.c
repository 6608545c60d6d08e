/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * disturbed.c - whether a protected page would disturb anything.
 *
 * Owns: the checks before memory is watched by its pages: which mapping it is in, whether the
 * system itself must be able to write there, and whether a thread waits in a system call that
 * will write there or that blocks SIGSEGV.
 *
 * They run in a writer, which has a file table of its own.
 * Locks: the registry lock.
 */
#include "watch/disturbed.h"
#include "atomic.h"
#include "face.h"
#include "machine.h"
#include "thread.h"
#include "freestanding/copy.h"
#include "freestanding/format.h"
#include "freestanding/heap.h"
#include "process/ids.h"
#include "process/maps.h"
#include "process/thread_file.h"
#include "process/threads.h"
#include "process/writer.h"
#include "threads/contexts.h"
#include "text/exec.h"
#include "objects/engine.h"
#include "objects/objects.h"
#include "watch/outs.h"


#define PAGE KP_ARCH_PAGE
#define FILES "/proc/self/fd"
#ifndef KP_CALL_CODE			/* calls are made where they stand */
#define KP_CALL_CODE(ip) false
#endif

static uintptr_t first_thread;		/* its thread pointer; 0: not known */

/* ---- may this page be protected? ------------------------------------------------------- */

#define NO_PROC "there is no /proc to look for threads in"

struct question {
	uintptr_t addr;			/* of the page */
	const char *why;		/* not */
	bool found;
	uintptr_t start, end;		/* the mapping */
};

static bool look_at_map(const struct kp_map *map, void *arg)
{
	struct question *q = arg;

	if (q->addr < map->start || q->addr >= map->end)
		return false;
	q->found = true;
	q->start = map->start;
	q->end = map->end;
	if (!map->read || !map->write)
		q->why = "the program itself may not write there";
	else if (map->exec)
		q->why = "it is executable memory, whose pages cannot be protected";
	else if (map->shared || !strncmp(map->name, "/[aio]", 6))
		q->why = "it is shared memory, whose pages cannot be protected";
	else if (!first_thread && !map->name[0])
		q->why = "it may be beside the first thread's own data: where that is, is not known";
	else if (!strncmp(map->name, "[stack", 6))
		q->why = "it is on a thread's stack, whose pages cannot be protected";
	return true;
}

/* The number behind a word of a file of /proc; 0: none. */
static uintptr_t hex(const char *text)
{
	uintptr_t value;

	while (*text == ' ' || *text == '\t')
		text++;
	if (text[0] == '0' && text[1] == 'x')
		text += 2;
	sys_hex(text, &value);
	return value;
}

/* ---- other threads ------------------------------------------------------------------------ */

/*
 * A thread that runs may be inside a system call that began before the page was
 * protected.  It is sent a SIGSEGV, and has left the kernel when it arrives: what it
 * had begun is over, or begins again at its breakpoint.  One that has passed that
 * breakpoint, but not gone into the kernel yet, is asked again.
 *
 * The system keeps one signal of a kind.  A fault that is dropped for ours is met
 * again, which a breakpoint would not be; and ours, where it is dropped, is sent again.
 */
static int asked;			/* atomic; tid */
static int arrived;			/* atomic; tid of the last one */
static uintptr_t arrived_at, arrived_sp;
static int mark;			/* its address is in the signal */

KP_TRAP_PATH bool kp_user_pages_arrived(const siginfo_t *info, const ucontext_t *uc)
{
	if (info->si_code != SI_QUEUE || info->si_value.sival_ptr != &mark)
		return false;
	/* One too many may come when another thread is asked. */
	if (kp_load_acquire(&asked) != sys_gettid())
		return true;
	kp_store_relaxed(&arrived_at, kp_uc_ip(uc));
	kp_store_relaxed(&arrived_sp, kp_uc_sp(uc));
	/* Pairs with call(): where it was is there. */
	kp_store_release(&arrived, sys_gettid());
	return true;
}

#define PATIENCE_US 1000000
#define AGAIN_US 2000
#define TRIES 1000

static bool call(int tid)
{
	siginfo_t info;
	long us;

	memset(&info, 0, sizeof(info));
	info.si_signo = SIGSEGV;
	info.si_code = SI_QUEUE;
	info.si_value.sival_ptr = &mark;
	kp_store_relaxed(&arrived, 0);
	/* Pairs with kp_user_pages_arrived: nobody's arrival is overwritten by this 0. */
	kp_store_release(&asked, tid);
	for (us = 0; us < PATIENCE_US; us += 50) {
		if (us % AGAIN_US == 0 &&
		    sys4(SYS_rt_tgsigqueueinfo, sys_getpid(), tid, SIGSEGV, &info))
			return false;
		/* Pairs with kp_user_pages_arrived. */
		if (kp_load_acquire(&arrived) == tid)
			return true;
		sys_sleep_us(50);
	}
	return false;
}

/* Has it decided where its call is to write (passage.c)? */
static bool decides(int tid)
{
	struct kp_user_context *ctx = NULL;

	while ((ctx = kp_user_context_next(ctx)))
		if (kp_load_relaxed(&ctx->owner) == tid)
			/* Pairs with passage.c: what it decided by, it has read. */
			return kp_load_acquire(&ctx->calls);
	return true;
}

/* Is a system call the next thing that it does, or may be? */
static bool is_about_to_call(uintptr_t ip, int tid)
{
	uint8_t bytes[KP_SYSCALL_LEN];
	uintptr_t start, len;

	kp_user_engine_bounds(&start, &len);
	return kp_user_exec_owns(ip) || KP_CALL_CODE(ip) || (ip - start < len && decides(tid)) ||
	       (!kp_user_copy(bytes, (const void *)ip, sizeof(bytes)) &&
		kp_is_call(bytes));
}

/* What the engine itself does in between; no page of the program's is written to. */
static bool ends_soon(long nr)
{
	switch (nr) {
	case -1:			/* a fault of the processor's */
	case SYS_mmap:
	case SYS_munmap:
	case SYS_mprotect:
	case SYS_mremap:
	case SYS_rt_sigprocmask:
	case SYS_rt_sigreturn:
	case SYS_sched_yield:
		return true;
	}
	return false;
}

static bool reaches_page(const struct question *q, long nr,
			 const unsigned long args[6])
{
	struct kp_out outs[KP_OUTS_MAX];
	int outs_nr, i;

	if (kp_user_outs(nr, args, outs, &outs_nr) == KP_OUTS_ANY)
		return true;
	for (i = 0; i < outs_nr; i++)
		if (outs[i].addr < q->addr + PAGE &&
		    outs[i].addr + outs[i].len > q->addr)
			return true;
	return false;
}

/* Nothing can be read of it: it is over, or else nothing is known. */
static bool is_hidden(int tid, struct question *q)
{
	if (kp_user_thread_over(tid))
		return false;
	q->why = "the system does not say what the program's threads are doing";
	return true;
}

/* What /proc says of a thread: where it waits in the kernel. */
struct wait {
	long nr;			/* -1: in no call */
	unsigned long args[6], sp, ip;
};

/* nr a b c d e f sp pc; or -1 sp pc. */
static void read_wait(const char *text, struct wait *wait)
{
	unsigned long word[8] = { 0 };
	int i;

	wait->nr = text[0] == '-' ? -1 : sys_number(text);
	for (i = 0; i < 8 && (text = strchr(text, ' ')); i++)
		word[i] = hex(++text);
	memcpy(wait->args, word, sizeof(wait->args));
	wait->sp = word[wait->nr < 0 ? 0 : 6];
	wait->ip = word[wait->nr < 0 ? 1 : 7];
}

static bool is_on_stack(struct question *q, uintptr_t sp)
{
	if (sp - q->start >= q->end - q->start)
		return false;
	q->why = "a thread's stack is in the same mapping, and the system itself must be able to write there";
	return true;
}

/*
 * The kernel finds who waits for a futex that is not FUTEX_PRIVATE_FLAG's by the memory,
 * which becomes another.
 */
static bool waits_for_futex(const struct question *q, const struct wait *wait)
{
	return wait->nr == SYS_futex && !(wait->args[1] & 128) &&
	       wait->args[0] - q->addr < PAGE;
}

static bool look_at_thread(int tid, void *arg)
{
	struct question *q = arg;
	struct wait wait;
	char text[256];
	int tries;

	if (kp_user_is_holder(tid))
		return false;
	for (tries = 0; tries < TRIES; tries++) {
		if (!kp_user_thread_file(tid, "syscall", text, sizeof(text)))
			return is_hidden(tid, q);
		if (text[0] == 'r') {
			if (!call(tid) && !kp_user_thread_over(tid))
				break;
			if (!is_about_to_call(arrived_at, tid))
				return is_on_stack(q, arrived_sp);
			continue;
		}
		read_wait(text, &wait);
		if (!ends_soon(wait.nr) || !is_about_to_call(wait.ip, tid))
			break;
		sys_sleep_us(50);
	}
	if (text[0] == 'r') {
		q->why = "a thread does not take the signal that would show where it is";
		return !kp_user_thread_over(tid);
	}
	/* It would end early, when it is woken to look again. */
	if (waits_for_futex(q, &wait) && wait.args[3]) {
		q->why = "a thread waits for a futex there, for a time only; try again";
		return true;
	}
	if (wait.nr >= 0 && reaches_page(q, wait.nr, wait.args)) {
		q->why = "a thread waits in a system call that will write to the page, or may";
		return true;
	}
	return is_on_stack(q, wait.sp);
}

/* Its call begins anew, and finds the memory that is there now. */
static bool wait_anew(int tid, void *arg)
{
	struct wait wait;
	char text[256];

	if (kp_user_is_holder(tid) || !kp_user_thread_file(tid, "syscall", text, sizeof(text)) ||
	    text[0] == 'r')
		return false;
	read_wait(text, &wait);
	if (waits_for_futex(arg, &wait))
		call(tid);
	return false;
}

/* Is SIGSEGV open?  A region that blocks all signals is short. */
static bool look_at_mask(int tid, void *arg)
{
	struct question *q = arg;
	char text[2048];
	const char *at;
	int tries;

	for (tries = 0; tries < 100; tries++) {
		if (!kp_user_thread_file(tid, "status", text, sizeof(text)))
			return is_hidden(tid, q);
		at = strstr(text, "\nSigBlk:\t");
		if (!at || !(hex(at + 9) & sys_first(SYS_SIG(SIGSEGV))))
			return false;
		sys_sleep_us(1000);
	}
	q->why = "a thread has SIGSEGV blocked, with which writes to a protected page are noticed";
	return true;
}

/* ---- of all pages -------------------------------------------------------------------------------- */

#define THREAD_DATA 8192ul		/* about it lies what the kernel writes */
#ifndef KP_TCB_AHEAD
#define KP_TCB_AHEAD 0ul		/* so far behind it a thread's pointer is */
#endif

void kp_user_pages_know_thread(void)
{
	if (sys_gettid() == sys_getpid())
		first_thread = kp_user_pointer() - KP_TCB_AHEAD;
}

/* A ring, through which the kernel writes when it likes? */
static bool is_ring(const char *fd, void *unused)
{
	static const char ring[] = "anon_inode:[io_uring]";
	char path[64], name[64];

	(void)unused;
	kp_user_print(path, sizeof(path), FILES "/%s", fd);
	return sys4(SYS_readlinkat, AT_FDCWD, path, name, sizeof(name)) ==
		       sizeof(ring) - 1 &&
	       !memcmp(name, ring, sizeof(ring) - 1);
}

static int ask_of_all(void *arg)
{
	struct question *q = arg;

	if (kp_user_each_entry(FILES, is_ring, NULL) > 0)
		q->why = "the program has an io_uring, through which the kernel writes to memory at any time";
	else if (kp_user_each_thread(look_at_mask, q) && !q->why)
		q->why = NO_PROC;
	return 0;
}

const char *kp_user_pages_disturb(void)
{
	struct question q = { 0 };

	kp_user_write_call(ask_of_all, &q);
	return q.why;
}

/* ---- of one page ------------------------------------------------------------------------ */

static int ask_of_one(void *arg)
{
	struct question *q = arg;

	kp_user_maps(look_at_map, q);
	if (!q->found)
		q->why = "there is no memory there";
	if (!q->why && kp_user_each_thread(look_at_thread, q) && !q->why)
		q->why = NO_PROC;
	return 0;
}

/* Memory that the engine has taken for itself. */
static void look_at_own(void *arg, uintptr_t base, size_t len)
{
	struct question *q = arg;

	if (q->addr < base + len && base < q->addr + PAGE)
		q->why = "part of the engine";
}

static bool is_taken(uintptr_t addr)
{
	struct question q = { .addr = addr };

	kp_user_heap_look(look_at_own, &q);
	kp_user_context_each(look_at_own, &q);
	kp_user_writer_each(look_at_own, &q);
	kp_face_threads_each(look_at_own, &q);
	return q.why;
}

/* Does a thread handle its signals there? */
static bool is_alt_stack(uintptr_t addr)
{
	struct kp_user_context *ctx = NULL;

	while ((ctx = kp_user_context_next(ctx)))
		if (ctx->owner > 0 && ctx->alt_known && ctx->alt_len &&
		    addr < ctx->alt_sp + ctx->alt_len && ctx->alt_sp < addr + PAGE &&
		    !kp_user_thread_over(ctx->owner))
			return true;
	return false;
}

/* Where the engine's own data may be beside the program's. */
static const char *refused(uintptr_t addr)
{
	struct kp_object *own = kp_user_object_at((uintptr_t)&first_thread);

	if (own && own->main && own == kp_user_object_at(addr))
		return "the engine is part of the program, and its data may be on the same page";
	if (kp_user_in_engine(kp_user_object_at(addr), addr) || is_taken(addr))
		return "part of the engine";
	if (addr + PAGE + THREAD_DATA - first_thread < PAGE + 2 * THREAD_DATA)
		return "it is beside a thread's own data, and the system itself must be able to write there";
	if (is_alt_stack(addr))
		return "it is on a thread's alternate stack for signals, where the system itself must be able to write";
	return NULL;
}

static int let_wait_anew(void *arg)
{
	kp_user_each_thread(wait_anew, arg);
	return 0;
}

void kp_user_page_changed(uintptr_t addr)
{
	struct question q = { .addr = addr };

	kp_user_write_call(let_wait_anew, &q);
}

const char *kp_user_page_disturbs(uintptr_t addr)
{
	struct question q = { .addr = addr, .why = refused(addr) };

	if (!q.why)
		kp_user_write_call(ask_of_one, &q);
	return q.why;
}
