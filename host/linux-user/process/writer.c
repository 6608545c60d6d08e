/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * writer.c - who writes text.
 *
 * Owns: threads of ours with a file table of their own, in which nothing is but
 * /proc/thread-self/mem.  So no child inherits what reaches this memory, and no
 * number that the program closes and uses again is ever written to.  There is
 * no other way: what is opened in the program's own table is there for whoever
 * shares or copies it, for however short a moment.
 *
 * A thread that has something to write, asks for a function to be run by one:
 *
 *   NONE --ask--> WORK --run--> DONE --taken--> IDLE --ask--> WORK
 *                                  \--taken--> OVER           |
 *   NONE <--it is gone-- OVER <-------------- no more ------- IDLE
 *
 * The asker waits meanwhile, with its signals blocked, and the writer has its
 * thread pointer: so it holds the asker's locks and has its context.  Each looks
 * for a few microseconds whether the other is done before it sleeps, as long as
 * that pays: where both share a processor, it does not.  It has
 * neither the C library's structures nor its knowledge, so it can be made in
 * any context; it is made with what the asker may do, and is over before the
 * asker goes on.  Only for who asks again and again it stays, LINGER_MS longer
 * than the last time, without capabilities, and without a user or group that the program
 * has only put aside (seteuid): the program may give that up meanwhile.
 *
 * A holder (kp_user_hold) stays for good, idle, with the descriptors that its function
 * has opened, until it is let go.  The program may give up root's rights meanwhile, of
 * which it does not know, and can write to its stack: so it gives them up at once.
 *
 * One that waits in another place than expected (all are stopped but the asker;
 * another process on this memory) is not asked: a new one is made.
 *
 * Locks: one of its own for the writer that stays, taken inside all others.
 */
#include "process/writer.h"
#include "atomic.h"
#include "attach.h"
#include "machine.h"
#include "signal_sets.h"
#include "thread.h"
#include "freestanding/clone.h"
#include "freestanding/heap.h"
#include "process/ids.h"

#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/futex.h>
#include <linux/prctl.h>

#define STACK_LEN	(256ul * 1024)	/* a writer's; aligned to as much */
#define LINGER_MS	3
#define SOON_NS		2000000l
#define SOON_NR		4		/* so often within SOON_NS: it stays */
#define WRITERS_MAX	16
#define SPIN_NR		200		/* looks before one sleeps */
#define SPIN_AGAIN	1000		/* requests until that is tried again */

#ifndef SYS_close_range
#define SYS_close_range SYS_NEWER(436)
#endif
#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE 2
#endif

enum { NONE, IDLE, WORK, DONE, OVER };

/* At the base of its stack. */
struct writer {
	int state;			/* atomic; a futex */
	int asleep, waits;		/* atomic: writer and asker, on state */
	bool spins;			/* it may, before it sleeps; the asker's */
	int tid;			/* the kernel clears it at the end */
	long mem;			/* in its own table; or -errno */
	int keep;			/* a number that it has too, or -1 */
	bool bare;			/* it has no capabilities */
	bool holds;			/* it stays until it is let go */
	int (*fn)(void *arg);
	void *arg;
	int result;
	uintptr_t thread;		/* the asker's thread pointer, */
	struct kp_user_thread *client;	/* and what it has of its own */
	uintptr_t has_thread;		/* the last one that the writer took */
};

static struct writer *writers[WRITERS_MAX];	/* the first one stays */
static int holders[WRITERS_MAX];	/* whose tid, where it holds */
static int taken;			/* a lock: the first one has an asker */
static int asked_soon;			/* by taken */
static int64_t asked_at;
static void (*after)(void);		/* atomic; or NULL.  Trap path */
static int spin_in;			/* requests; by taken */
static bool apart;			/* never ask the one that stays */

KP_TRAP_PATH static long futex_wait(int *word, int value, long ms)
{
	struct timespec ts = { 0, ms * 1000000 };

	return sys4(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, ms ? &ts : NULL);
}

KP_TRAP_PATH static void futex_wake(int *word)
{
	sys3(SYS_futex, word, FUTEX_WAKE_PRIVATE, 0x7fffffff);
}

/* Is it soon another one than that? */
KP_TRAP_PATH static bool spin(const int *word, int value)
{
	unsigned int i;

	for (i = 0; i < SPIN_NR; i++) {
		/* Pairs with change() and run(): the job, or its result, is there. */
		if (kp_load_acquire(word) != value)
			return true;
		kp_cpu_relax();
	}
	return false;
}

/*
 * Says that it sleeps before it does; who changes the state looks at that
 * afterwards, and the kernel at the state: one of them is seen.
 */
KP_TRAP_PATH static long sleep_on(struct writer *w, int *says, int value, long ms)
{
	long err;

	__atomic_store_n(says, 1, __ATOMIC_SEQ_CST);
	err = futex_wait(&w->state, value, ms);
	__atomic_store_n(says, 0, __ATOMIC_RELAXED);
	return err;
}

/* After the state was changed, with a full barrier. */
KP_TRAP_PATH static void wake(struct writer *w, const int *says)
{
	if (__atomic_load_n(says, __ATOMIC_SEQ_CST))
		futex_wake(&w->state);
}

KP_TRAP_PATH static bool change(struct writer *w, int from, int to)
{
	return __atomic_compare_exchange_n(&w->state, &from, to, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE);
}

/* ---- the thread ---------------------------------------------------------------- */

/* Before close_range(2): one at a time. */
KP_TRAP_PATH static int close_each(int keep)
{
	long dir, len, at;
	char buf[1024];

	if (sys3(SYS_unshare, CLONE_FILES, 0, 0))
		return -EPERM;
	dir = sys_open("/proc/thread-self/fd", O_RDONLY | O_DIRECTORY);
	if (dir < 0)
		return (int)dir;
	while ((len = sys3(SYS_getdents64, dir, buf, sizeof(buf))) > 0)
		for (at = 0; at < len;
		     at += *(unsigned short *)(void *)(buf + at + 16)) {
			const char *s = buf + at + 19;
			long fd = 0;

			for (; *s >= '0' && *s <= '9'; s++)
				fd = fd * 10 + (*s - '0');
			if (buf[at + 19] != '.' && fd != dir && fd != keep)
				sys_close(fd);
		}
	sys_close(dir);
	return 0;
}

KP_TRAP_PATH int kp_user_leave_files(int keep)
{
	/* Nothing is copied that would have to be closed again. */
	long err = sys3(SYS_close_range, keep + 1, ~0u, CLOSE_RANGE_UNSHARE);

	if (!err && keep > 0)
		err = sys3(SYS_close_range, 0, keep - 1, 0);
	return err ? close_each(keep) : 0;
}

KP_TRAP_PATH static void drop_all(void)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct none[2] = { { 0, 0, 0 }, { 0, 0, 0 } };

	sys3(SYS_capset, &head, none, 0);
}

KP_TRAP_PATH void kp_user_drop_capabilities(void)
{
	/* Who has none needs no system call that a filter may not know. */
	if (!sys3(SYS_geteuid, 0, 0, 0))
		drop_all();
}

/*
 * To be a user that owns nothing and runs nothing else.  Who may not become that has
 * no other rights to give up than its capabilities.  The kernel then takes this memory
 * for a setuid program's, which it is not.
 */
KP_TRAP_PATH static void leave_root(void)
{
	/* The second one where a namespace has no more than 16 bits. */
	static const long nobodies[] = { 0xfffffff0, 0xffff };
	long dumpable = sys3(SYS_prctl, PR_GET_DUMPABLE, 0, 0);
	unsigned int i;

	/* Root that acts for somebody else. */
	sys3(SYS_setresuid, -1, 0, -1);
	sys3(SYS_setgroups, 0, 0, 0);
	for (i = 0; i < 2; i++)
		if (!sys3(SYS_setresgid, nobodies[i], nobodies[i], nobodies[i]))
			break;
	for (i = 0; i < 2; i++)
		if (!sys3(SYS_setresuid, nobodies[i], nobodies[i], nobodies[i]))
			break;
	drop_all();
	if (dumpable == 1)
		sys3(SYS_prctl, PR_SET_DUMPABLE, 1, 0);
}

/* The C library, which would want it back together with all, does not know this thread. */
KP_TRAP_PATH static void leave_what_is_aside(void)
{
	unsigned int real = 0, now = 0, saved = 0;

	/* A filter may kill for it. */
	if (kp_user_filtered())
		return;
	if (!sys3(SYS_getresgid, &real, &now, &saved) &&
	    (real != now || saved != now))
		sys3(SYS_setresgid, now, now, now);
	if (!sys3(SYS_getresuid, &real, &now, &saved) &&
	    (real != now || saved != now))
		sys3(SYS_setresuid, now, now, now);
}

KP_TRAP_PATH static void run(struct writer *w)
{
	/* From here on it is the asker, but for its number. */
	if (w->has_thread != w->thread)
		kp_set_thread(w->thread);
	w->has_thread = w->thread;
	w->result = w->fn(w->arg);
	if (w->holds)
		leave_root();
	/* Pairs with wait_done: the result is there; and with sleep_on: wake() looks after it. */
	__atomic_store_n(&w->state, DONE, __ATOMIC_SEQ_CST);
	wake(w, &w->waits);
}

KP_TRAP_PATH static void be_writer(void *writer)
{
	struct writer *w = writer;
	int err = kp_user_leave_files(w->keep), now;

	/* Not /proc/self, which is empty once the first thread has ended. */
	w->mem = err ? err : sys_open("/proc/thread-self/mem", O_RDWR);
	sys3(SYS_prctl, PR_SET_NAME, "kprobes", 0);
	/* Pairs with begin() and change(): the job is there. */
	while ((now = kp_load_acquire(&w->state)) != OVER) {
		if (now == WORK) {
			run(w);
			continue;
		}
		if (now == IDLE && !w->bare) {
			w->bare = true;
			leave_what_is_aside();
			kp_user_drop_capabilities();
		}
		if (w->spins && spin(&w->state, now))
			continue;
		if (sleep_on(w, &w->asleep, now, w->holds ? 0 : LINGER_MS) ==
		    -ETIMEDOUT)
			change(w, IDLE, OVER);
	}
	for (;;)
		sys3(SYS_exit, 0, 0, 0);
}

/* ---- asking ---------------------------------------------------------------------- */

KP_TRAP_PATH static struct writer *make_stack(void)
{
	char *all = kp_user_map_away(2 * STACK_LEN, PROT_READ | PROT_WRITE, MAP_NORESERVE);
	char *base = (char *)(((uintptr_t)all + STACK_LEN - 1) & ~(STACK_LEN - 1));

	if (!all)
		return NULL;
	if (base > all)
		sys3(SYS_munmap, all, base - all, 0);
	if (base < all + STACK_LEN)
		sys3(SYS_munmap, base + STACK_LEN, all + STACK_LEN - base, 0);
	return (struct writer *)(void *)base;
}

/* Until the kernel, too, has no such thread any more. */
KP_TRAP_PATH static void wait_gone(struct writer *w, int tid)
{
	int now;

	/* The kernel's wake is not a private one. */
	while ((now = kp_load_acquire(&w->tid)))
		sys4(SYS_futex, &w->tid, FUTEX_WAIT, now, NULL);
	while (tid && !sys3(SYS_tgkill, sys_getpid(), tid, 0))
		sys3(SYS_sched_yield, 0, 0, 0);
}

KP_TRAP_PATH static int begin(struct writer *w)
{
	long tid;

	wait_gone(w, 0);
	w->mem = -1;
	w->bare = false;
	w->has_thread = 0;
	w->asleep = 0;
	/* Pairs with be_writer(): the job is there. */
	kp_store_release(&w->state, WORK);
	tid = kp_user_clone(KP_CLONE_THREAD, (char *)w + STACK_LEN, &w->tid, be_writer, w);
	if (tid < 0)
		kp_store_release(&w->state, NONE);
	return tid < 0 ? (int)tid : 0;
}

KP_TRAP_PATH static void wait_done(struct writer *w)
{
	/* Pairs with run(): the result is there. */
	while (kp_load_acquire(&w->state) == WORK)
		sleep_on(w, &w->waits, WORK, 0);
}

KP_TRAP_PATH static void end(struct writer *w, int from)
{
	int tid = kp_load_acquire(&w->tid);

	if (change(w, from, OVER))
		wake(w, &w->asleep);
	wait_gone(w, tid);
	kp_store_release(&w->state, NONE);
}

KP_TRAP_PATH static void set_job(struct writer *w, int (*fn)(void *), void *arg)
{
	w->fn = fn;
	w->arg = arg;
	w->thread = kp_user_pointer();
	w->client = kp_user_thread();
}

/* By taken. */
KP_TRAP_PATH static bool is_asked_often(void)
{
	struct timespec ts = { 0 };
	int64_t now;

	sys3(SYS_clock_gettime, CLOCK_MONOTONIC, &ts, 0);
	now = ts.tv_sec * 1000000000l + ts.tv_nsec;
	asked_soon = now - asked_at < SOON_NS ? asked_soon + 1 : 0;
	asked_at = now;
	return asked_soon >= SOON_NR;
}

/* By taken.  How long until spinning is tried again. */
KP_TRAP_PATH static void wait_done_soon(struct writer *w)
{
	if (spin_in)
		spin_in--;
	else if (!spin(&w->state, WORK))
		spin_in = SPIN_AGAIN;
	wait_done(w);
	w->spins = !spin_in;
}

/* One that is still there was asked not long ago, and stays. */
KP_TRAP_PATH static int ask_lasting(struct writer *w, int (*fn)(void *), void *arg)
{
	bool stays;
	int err;

	w->keep = -1;
	set_job(w, fn, arg);
	stays = change(w, IDLE, WORK);
	if (stays) {
		wake(w, &w->asleep);
		wait_done_soon(w);
	} else {
		err = begin(w);
		if (err)
			return err;
		wait_done(w);
		stays = is_asked_often();
	}
	if (!stays)
		end(w, DONE);
	/* It sleeps, and has its capabilities still. */
	else if (change(w, DONE, IDLE) && !w->bare)
		wake(w, &w->asleep);
	return 0;
}

KP_TRAP_PATH static struct writer *make(int keep)
{
	struct writer *w = make_stack(), *none;
	int i;

	for (i = 1; w && i < WRITERS_MAX; i++) {
		none = NULL;
		w->keep = keep;
		if (__atomic_compare_exchange_n(&writers[i], &none, w, false,
						__ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			return w;
	}
	if (w)
		sys3(SYS_munmap, w, STACK_LEN, 0);
	return NULL;
}

/* It has ended, or has not begun. */
KP_TRAP_PATH static void unmake(struct writer *w)
{
	int i;

	for (i = 1; i < WRITERS_MAX; i++)
		if (kp_load_relaxed(&writers[i]) == w) {
			kp_store_relaxed(&holders[i], 0);
			kp_store_release(&writers[i], NULL);
		}
	sys3(SYS_munmap, w, STACK_LEN, 0);
}

void kp_user_writer_each(kp_user_range_fn each, void *arg)
{
	int i;

	for (i = 0; i < WRITERS_MAX; i++)
		if (writers[i])
			each(arg, (uintptr_t)writers[i], STACK_LEN);
}

KP_TRAP_PATH static int ask_new(int keep, int (*fn)(void *), void *arg, int *result)
{
	struct writer *w = make(keep);
	int err;

	if (!w)
		return -EAGAIN;
	set_job(w, fn, arg);
	err = begin(w);
	if (!err) {
		wait_done(w);
		*result = w->result;
		end(w, DONE);
	}
	unmake(w);
	return err;
}

KP_TRAP_PATH static int ask(int (*fn)(void *), void *arg, int *result)
{
	int err;

	if (apart || kp_user_in_vfork_child() ||
	    __atomic_exchange_n(&taken, 1, __ATOMIC_ACQUIRE))
		return ask_new(-1, fn, arg, result);
	/* A fork, which is of another thread, finds a whole one. */
	if (!writers[0])
		kp_store_release(&writers[0], make_stack());
	err = writers[0] ? ask_lasting(writers[0], fn, arg) : -ENOMEM;
	if (!err)
		*result = writers[0]->result;
	kp_store_release(&taken, 0);
	return err;
}

KP_TRAP_PATH long kp_user_mem(void)
{
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
	struct writer *base = (struct writer *)(sp & ~(STACK_LEN - 1));
	int i;

	for (i = 0; i < WRITERS_MAX; i++)
		if (base == kp_load_relaxed(&writers[i]))
			return base->mem;
	return kp_user_thread()->mem - 1;
}

/* A descriptor that the calling thread alone has, from now on; -1: none. */
void kp_user_mem_set(long fd)
{
	kp_user_thread()->mem = fd + 1;
}

KP_TRAP_PATH bool kp_user_has_own_files(void)
{
	return kp_user_thread()->mem || kp_user_is_writer();
}

KP_TRAP_PATH bool kp_user_is_writer(void)
{
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
	int i;

	for (i = 0; i < WRITERS_MAX; i++)
		if (writers[i] &&
		    sp - (uintptr_t)kp_load_relaxed(&writers[i]) < STACK_LEN)
			return true;
	return false;
}

/* Whom the thread on that stack works for; NULL: it is no writer. */
KP_TRAP_PATH struct kp_user_thread *kp_user_writer_client(uintptr_t sp)
{
	int i;

	for (i = 0; i < WRITERS_MAX; i++) {
		const struct writer *w = kp_load_relaxed(&writers[i]);

		if (w && sp - (uintptr_t)w < STACK_LEN)
			return w->client;
	}
	return NULL;
}

void kp_user_write_after(void (*fn)(void))
{
	/* Pairs with kp_user_write_call: what it needs is there. */
	kp_store_release(&after, fn);
}

/* Where no writer can be had, the asker runs it: text.c knows another way. */
KP_TRAP_PATH int kp_user_write_call(int (*fn)(void *), void *arg)
{
	/* What fn calls may be probed: its traps are taken as the asker's. */
	sys_sigset most = ~KP_SIG_OWN, before;
	int result = 0, err;

	if (kp_user_thread()->mem > 0 || kp_user_is_writer())
		return fn(arg);
	sys_sigprocmask(SIG_SETMASK, &most, &before);
	err = ask(fn, arg, &result);
	sys_sigprocmask(SIG_SETMASK, &before, NULL);
	result = err ? fn(arg) : result;
	/* What was said meanwhile. */
	if (kp_load_acquire(&after))
		after();
	return result;
}

KP_TRAP_PATH int kp_user_write_apart(int keep, int (*fn)(void *), void *arg)
{
	sys_sigset most = ~KP_SIG_OWN, before;
	int result = 0, err;

	/* Its own table is as good. */
	if (keep < 0 && kp_user_has_own_files())
		return fn(arg);
	sys_sigprocmask(SIG_SETMASK, &most, &before);
	err = ask_new(keep, fn, arg, &result);
	sys_sigprocmask(SIG_SETMASK, &before, NULL);
	return err ? err : result;
}

int kp_user_hold(int (*fn)(void *), void *arg, void **held)
{
	sys_sigset most = ~KP_SIG_OWN, before;
	struct writer *w = make(-1);
	int err, i;

	if (!w)
		return -EAGAIN;
	w->holds = true;
	set_job(w, fn, arg);
	sys_sigprocmask(SIG_SETMASK, &most, &before);
	err = begin(w);
	if (!err) {
		wait_done(w);
		err = w->result;
		if (err)
			end(w, DONE);
	}
	for (i = 1; i < WRITERS_MAX; i++)
		if (writers[i] == w)
			kp_store_relaxed(&holders[i], w->tid);
	if (err)
		unmake(w);
	else
		change(w, DONE, IDLE);
	sys_sigprocmask(SIG_SETMASK, &before, NULL);
	*held = err ? NULL : w;
	return err;
}

void kp_user_let_go(void *held)
{
	end(held, IDLE);
	unmake(held);
}

KP_TRAP_PATH bool kp_user_is_holder(int tid)
{
	int i;

	for (i = 1; i < WRITERS_MAX; i++)
		if (kp_load_relaxed(&holders[i]) == tid)
			return true;
	return false;
}

/* ---- its end ------------------------------------------------------------------------ */

/* All threads but this one are stopped, or are again let go. */
void kp_user_writer_apart(bool on)
{
	apart = on;
}

/* No thread of ours is left by this file. */
void kp_user_writer_end(void)
{
	if (kp_user_is_writer() || !writers[0] ||
	    __atomic_exchange_n(&taken, 1, __ATOMIC_ACQUIRE))
		return;
	if (writers[0]->state != NONE)
		end(writers[0], IDLE);
	kp_store_release(&taken, 0);
}

/* In a forked child there is none; its parent's may have been at work. */
void kp_user_writer_fork(void)
{
	int i;

	for (i = 1; i < WRITERS_MAX; i++) {
		writers[i] = NULL;
		holders[i] = 0;
	}
	if (writers[0]) {
		writers[0]->state = NONE;
		writers[0]->tid = 0;
		writers[0]->waits = 0;
	}
	taken = 0;
	apart = false;
	kp_user_thread()->mem = 0;
}
