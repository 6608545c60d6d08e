// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * inject.c - calls in a borrowed thread.
 *
 * Owns: the signal frame that brings the thread back by itself, and the mailbox: a mapping with
 * code that calls a function (frame.h).
 *
 * Other system calls replace one that the thread is about to make: the one at which it was
 * borrowed, or the return through the frame.  In the same way it gets back into its own.
 *
 * Order: the frame, then the registers in one step, then the mask; at the end the mask, the
 * vectors, then the registers in one step, at the entry of the return through the frame.
 * Between any two of them this command may be killed.
 */
#include "ptracer.h"
#include "cli.h"

#include "attach_cli.h"
#include "frame.h"
#include "calls.h"

#include <errno.h>
#include <pthread.h>
#include <linux/ptrace.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* How many arguments of a system call are in registers: all of them. */
#ifndef TRACEE_REG_ARGS
#define TRACEE_REG_ARGS 6u
#define TRACEE_STACK_ARGS 0u
#endif

#define CALL_MS 20000
#define LOCK_MS 50			/* for a lock that is soon free */
#define LOCK_LEN (long)sizeof(pthread_mutex_t)	/* as the C library has it */
#define SIG_SETXID 33			/* the C library's own */

/* ---- the way back -------------------------------------------------------------- */

/* The system call by which the one that it was taken from goes on. */
static long going_on(const struct injection *in)
{
	const struct thread *thread = &in->thread;

	/* Sigreturn forgets what restart_syscall would restart. */
	if (in->signalled)
		return thread->call;
	if (thread->in_call && tracee_needs_restart(&thread->regs))
		return SYS_restart_syscall;
	return tracee_call(&thread->regs);
}

/* The registers with which the thread takes up what it was at. */
static struct tracee_regs resumed(const struct injection *in, bool by_itself)
{
	struct tracee_regs regs = in->thread.regs;

	if (in->thread.at_call)
		tracee_begin_anew(&regs, by_itself ? in->thread.call
						   : going_on(in));
	tracee_leave_call(&regs);
	return regs;
}

/* A frame below top.  What a call's stack pointer is when it begins; 0: none. */
static uint64_t write_frame(const struct injection *in, uint64_t top)
{
	struct tracee_regs regs = resumed(in, true);

	return frame_write(in->remote, top, &in->thread, &regs, in->mask,
			   in->restorer);
}

/* The frame on its own stack; one for a call is written with each call. */
int inject_mask(struct injection *in, uint64_t mask)
{
	in->mask = mask;
	if (in->way)
		return way_set_mask(in->remote, in->way, mask);
	return remote_write(in->remote, frame_mask_at(in->frame), &mask,
			    sizeof(mask));
}

uint64_t inject_way_back(const struct injection *in)
{
	return in->way ? in->way : in->restorer;
}

static uint64_t way_sp(const struct injection *in)
{
	return in->way ? tracee_sp(&in->thread.regs) : frame_return_sp(in->frame);
}

/* ---- running it ---------------------------------------------------------------- */

static uint64_t blocked_mask(void)
{
	uint64_t open = 0;
	static const int sync[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP,
				    SIGSYS };
	size_t i;

	for (i = 0; i < sizeof(sync) / sizeof(sync[0]); i++)
		open |= 1ull << (sync[i] - 1);
	return ~open;
}

static int set_mask(const struct injection *in, uint64_t mask)
{
	return thread_set_mask(&in->thread, mask, ~0ull);
}

/* The registers first: from then on the thread gets its own units back. */
static int set_regs(struct injection *in, struct tracee_regs *regs)
{
	int err;

	tracee_settle(regs);
	err = tracee_write(in->thread.tid, regs);
	if (err)
		return err;
	if (!in->calls_only)
		frame_usual_units(in->thread.tid);
	in->began = true;
	in->thread.at_entry = false;
	in->open = false;
	return set_mask(in, blocked_mask());
}

/*
 * The next stop.  setuid() signals all threads and waits for them, with a lock
 * held that the linker and the making of a thread need: in a call that takes
 * long the thread is opened for that signal, now and then.
 */
static int next_stop(struct injection *in, int signal, int *status)
{
	int err = 0, waited;

	if (ptrace(PTRACE_SYSCALL, in->thread.tid, 0, (long)signal))
		return errno;
	for (waited = 0; waited < CALL_MS; waited += LOCK_MS) {
		err = thread_wait(in->thread.tid, status, LOCK_MS);
		if (err != ETIMEDOUT)
			return err;
		if (!in->calling)
			continue;
		if (ptrace(PTRACE_INTERRUPT, in->thread.tid, 0, 0))
			return errno;
		err = thread_wait(in->thread.tid, status, CALL_MS);
		in->open = true;
		return err ? err : set_mask(in, blocked_mask() &
						~(1ull << (SIG_SETXID - 1)));
	}
	return err;
}

/* ---- a call that is late ------------------------------------------------------- */

/* Where the C library and the linker keep what is the thread's. */
static void save_tls(struct injection *in)
{
	uint64_t pointer = tracee_tls(&in->thread.regs);
	const struct remote_map *map = remote_map_at(in->remote, pointer);

	in->tls_len = 0;
	if (!map)
		return;
	in->tls_from = pointer - INJECT_TLS / 2;
	if (in->tls_from < map->start)
		in->tls_from = map->start;
	in->tls_len = INJECT_TLS / 2 + (size_t)(pointer - in->tls_from);
	if (in->tls_len > map->end - in->tls_from)
		in->tls_len = (size_t)(map->end - in->tls_from);
	if (remote_read(in->remote, in->tls_from, in->tls, in->tls_len))
		in->tls_len = 0;
}

/* What points to the mailbox's stack, which the call has been on, did not. */
static int restore_tls(const struct injection *in)
{
	remote_word now[INJECT_TLS / sizeof(remote_word)], before;
	size_t i;
	int err = 0;

	if (!in->tls_len || remote_read(in->remote, in->tls_from, now,
					in->tls_len))
		return EFAULT;
	for (i = 0; i < in->tls_len / sizeof(before) && !err; i++) {
		memcpy(&before, in->tls + sizeof(before) * i, sizeof(before));
		if (now[i] - in->mailbox < KP_MAILBOX_LEN &&
		    before - in->mailbox >= KP_MAILBOX_LEN)
			err = remote_write(in->remote, in->tls_from + sizeof(before) * i,
					   &before, sizeof(before));
	}
	return err;
}

/* The owner that a mutex names, in the process's own numbers. */
static pid_t owner_of(const struct remote *remote, uint64_t mutex)
{
	int32_t owner = 0;

	remote_read(remote, mutex + 8, &owner, sizeof(owner));
	return owner;
}

/*
 * Does it wait for the first lock of the linker's, so that nothing has been done
 * yet?  They lie side by side: whether it has one of them already is seen.  One
 * without an owner is free again, or it is another lock that lies there, as
 * setuid()'s, for which a call waits in the midst of what it does.
 */
static bool waits_for_linker(struct injection *in,
			     const struct tracee_regs *regs)
{
	uint64_t lock = tracee_arg(regs, 0);
	const struct remote_map *map = remote_map_at(in->remote, lock);
	pid_t own = remote_inner_tid(in->remote->pid, in->thread.tid);
	int i;

	if (tracee_call(regs) != SYS_futex ||
	    (tracee_arg(regs, 1) & 0x7f) != 0 || !tracee_is_interrupted(regs) || !map ||
	    !map->write || !(strstr(map->path, "/ld-") || strstr(map->path, "/ld.so")))
		return false;
	for (i = -2; i <= 2; i++)
		if (owner_of(in->remote, lock + (uint64_t)(LOCK_LEN * i)) == own)
			return false;
	in->holder = owner_of(in->remote, lock);
	return in->holder != 0;
}

/*
 * A stop in a call, now and then.  0; EDEADLK: it is late, and can be taken back;
 * ETIMEDOUT: it is so late that it is left to itself.
 */
static int look_late(struct injection *in)
{
	struct tracee_regs regs;
	long now = thread_now_ms();

	if (!in->calling || !in->limit || now < in->limit)
		return 0;
	if (!tracee_read(in->thread.tid, &regs) &&
	    waits_for_linker(in, &regs) && !restore_tls(in))
		return EDEADLK;
	in->lost = now > in->limit + CALL_MS;
	return in->lost ? ETIMEDOUT : 0;
}

/* To the next system call's entry or end. */
static int step(struct injection *in, struct tracee_regs *regs)
{
	int status, err, signal = 0;

	for (;;) {
		err = next_stop(in, signal, &status);
		if (err)
			return err;
		if (WSTOPSIG(status) == (SIGTRAP | 0x80))
			break;
		err = thread_is_event(status) ? look_late(in) : 0;
		if (err)
			return err;
		signal = status >> 16 ? 0 : WSTOPSIG(status);
		in->signalled |= signal != 0;
		/* The second: what is blocked now is queued again. */
		if (signal == SIG_SETXID && !in->open)
			set_mask(in, blocked_mask());
		if (signal == SIG_SETXID)
			in->open = false;
		cli_progress(0, 0);
	}
	return tracee_read(in->thread.tid, regs);
}

/*
 * The thread is before a system call: it executes this one in its place, and
 * would then go on through the frame.
 */
static int replaced_call(struct injection *in, long number,
			 const uint64_t args[6], long *result)
{
	struct tracee_regs regs = in->thread.regs;
	int err;

	tracee_replace_call(&regs, in->after ? in->after : inject_way_back(in), way_sp(in),
			    number, args);
	err = set_regs(in, &regs);
	if (!err)
		err = step(in, &regs);
	*result = tracee_result(&regs);
	return err;
}

/*
 * To the entry of the return through the frame, or of the way's first call, with that in the first argument's
 * register.  No other call is made.
 */
static int to_return(struct injection *in, uint64_t first)
{
	struct tracee_regs regs = in->thread.regs;
	int err;

	tracee_go_to(&regs, inject_way_back(in), way_sp(in));
	tracee_set_first(&regs, first);
	err = set_regs(in, &regs);
	if (!err)
		err = step(in, &regs);
	if (!err && tracee_call(&regs) != (in->way ? WAY_CALL : SYS_rt_sigreturn))
		err = EPROTO;
	return err;
}

/* To the end of the call that it was taken at, in whose place nothing is done. */
static int skip_call(struct injection *in)
{
	struct tracee_regs regs = in->thread.regs;
	int err;

	tracee_go_to(&regs, inject_way_back(in), way_sp(in));
	err = set_regs(in, &regs);
	return err ? err : step(in, &regs);
}

/* What of a call's arguments it takes from the stack, where a frame leaves room for them. */
static int pass(const struct injection *in, const uint64_t args[6])
{
	uint64_t at = frame_return_sp(in->frame) + TRACEE_STACK_ARGS;
	unsigned long word;
	unsigned int i;

	for (i = TRACEE_REG_ARGS; i < 6; i++) {
		word = (unsigned long)args[i];
		if (remote_write(in->remote, at, &word, sizeof(word)))
			return EFAULT;
		at += sizeof(word);
	}
	return 0;
}

/*
 * The call that is replaced is the one it was taken at, if that may have another first
 * argument, or the return through the frame.  No function of the C library's is called:
 * it may be probed.
 */
int inject_system_call(struct injection *in, long number, const uint64_t args[6], long *result)
{
	bool before = in->thread.at_call && !in->thread.in_call && !in->began;
	int err = before && TRACEE_FIRST_STAYS ? skip_call(in) : 0;

	*result = -EPROTO;
	if (!err)
		err = pass(in, args);
	if (!err && (!before || TRACEE_FIRST_STAYS))
		err = to_return(in, args[0]);
	return err ? err : replaced_call(in, number, args, result);
}

/*
 * As the tracer: where the process may not write, /proc/PID/mem may serve nobody else, and
 * there the tracer of the first thread alone (since Linux 6.12, as it is configured).
 */
static int write_code(const struct injection *in, const uint8_t *code, size_t len)
{
	size_t at;
	long word;

	for (at = 0; at < len; at += sizeof(word)) {
		word = 0;
		memcpy(&word, code + at, len - at < sizeof(word) ? len - at : sizeof(word));
		if (ptrace(PTRACE_POKETEXT, in->thread.tid,
			   (unsigned long)in->mailbox + at, word))
			return errno;
	}
	return 0;
}

static int map_at(struct injection *in, uint64_t place)
{
	uint64_t args[6] = {
		place, KP_MAILBOX_LEN, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | 0x100000 /* NOREPLACE */,
		(uint64_t)-1, 0,
	};
	const uint8_t *code;
	long result;
	size_t len;
	int err;

	code = frame_code(&len);
	err = inject_system_call(in, SYS_mmap, args, &result);
	if (err)
		return err;
	if (result != (long)place)
		return result < 0 ? (int)-result : EEXIST;
	in->mailbox = place;
	args[1] = KP_MAILBOX_CODE_LEN;
	args[2] = PROT_READ | PROT_EXEC;
	args[3] = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
	err = inject_system_call(in, SYS_mmap, args, &result);
	if (err)
		return err;
	if (result != (long)place)
		return EACCES;
	return write_code(in, code, len);
}

static void unmap(struct injection *in)
{
	uint64_t args[6] = { in->mailbox, KP_MAILBOX_LEN };
	long result;

	if (in->mailbox)
		inject_system_call(in, SYS_munmap, args, &result);
	in->mailbox = 0;
}

/* ---- mailboxes of commands that were killed ------------------------------------ */

uint64_t inject_stale(const struct remote *remote, unsigned int from)
{
	unsigned int i;

	for (i = from; i < KP_MAILBOX_PLACES; i++)
		if (mailbox_is_ours(remote, KP_MAILBOX_PLACE(i)))
			return KP_MAILBOX_PLACE(i);
	return 0;
}

static bool inside(const struct remote *remote, uint64_t ip, uint64_t sp)
{
	uint64_t place;
	unsigned int i;

	if (way_holds(way_stale(remote), ip))
		return true;
	for (i = 0; i < KP_MAILBOX_PLACES; i++) {
		place = KP_MAILBOX_PLACE(i);
		if ((ip - place < KP_MAILBOX_LEN ||
		     sp - place <= KP_MAILBOX_LEN) &&
		    mailbox_is_ours(remote, place))
			return true;
	}
	return false;
}

static bool rests_outside(void *arg, const struct thread *thread)
{
	return !inside(arg, thread->rest.pc, thread->rest.sp);
}

/* 0; EBUSY: one is on its way back; or an errno. */
static int look_left(void *arg)
{
	const struct injection *in = arg;
	struct threads threads = {
		.pid = in->remote->pid, .except = in->thread.tid,
		.may_rest = rests_outside, .arg = in->remote,
	};
	int i, err = threads_hold(&threads);

	if (err)
		return err;
	for (i = 0; i < threads.nr && !err; i++)
		if (threads.list[i].stopped &&
		    inside(in->remote, tracee_ip(&threads.list[i].regs),
			   tracee_sp(&threads.list[i].regs)))
			err = EBUSY;
	threads_release(&threads);
	return err;
}

/* A thread may still be on its way back from there. */
static int wait_left(struct injection *in)
{
	int tries, err = EBUSY;

	for (tries = 0; tries < 1000 && err == EBUSY; tries++) {
		if (tries)
			usleep(5000);
		err = ptracer_run(look_left, in);
	}
	return err;
}

static void unmap_stale(struct injection *in)
{
	uint64_t own = in->mailbox, place;
	unsigned int i;
	long result;

	for (i = 0; i < KP_MAILBOX_PLACES; i++) {
		uint64_t args[6] = { KP_MAILBOX_PLACE(i), KP_MAILBOX_LEN };

		place = KP_MAILBOX_PLACE(i);
		if (place != own && inject_stale(in->remote, i) == place)
			inject_system_call(in, SYS_munmap, args, &result);
	}
}

/*
 * The thread goes on in the system call it was taken from without executing its
 * instruction again: there may be a breakpoint by now, and after a return from its
 * handler the kernel has forgotten how much of the call's time is left.
 */
static bool at_its_call(struct injection *in, struct tracee_regs *regs)
{
	*regs = resumed(in, false);
	if (!in->thread.at_call ||
	    to_return(in, tracee_arg(&in->thread.regs, 0)))
		return false;
	*regs = in->thread.regs;
	tracee_enter_call(regs, going_on(in));
	return true;
}

/* The library may have begun to watch it since. */
static void look_for_return(struct injection *in)
{
	uint64_t now;

	if (in->way || restorer_at(in->remote, in->restorer) || remote_refresh(in->remote))
		return;
	now = restorer_find(in->remote);
	if (now)
		in->restorer = now;
}

void inject_end(struct injection *in)
{
	struct thread *thread = &in->thread;
	struct iovec part = { thread->vectors, thread->vectors_len };
	int set = thread->vectors_set;
	struct tracee_regs regs;
	bool at_call;

	/* It comes back by itself; the next command finishes what was begun. */
	if (in->lost)
		in->began = false;
	if (in->began) {
		look_for_return(in);
		unmap(in);
		at_call = at_its_call(in, &regs);
		thread_set_mask(thread, in->mask, thread->mask_rest);
		ptrace(PTRACE_SETREGSET, thread->tid, set, &part);
		tracee_write(thread->tid, &regs);
		if (at_call)
			thread_go_on(thread);
	}
	if (in->made && !in->lost)
		restorer_unmake(in->remote, in->made);
	if (in->way && !in->lost)
		way_unmake(in->remote, in->way);
	in->began = false;
	thread_release(thread);
}

/* A status, printed. */
static int make_way(struct injection *in)
{
	struct tracee_regs regs = resumed(in, true);

	if (in->remote->by_way)
		in->way = way_make(in->remote, &regs, in->mask);
	if (in->way)
		return CLI_OK;
	/* The thread may be on any stack. */
	if (in->remote->by_way)
		return process_failed(in->remote->pid, CLI_FAILED,
				      ": there is no room behind its vdso any more");
	in->restorer = restorer_find(in->remote);
	if (!in->restorer)
		in->restorer = in->made = restorer_make(in->remote);
	return in->restorer ? CLI_OK : process_failed(
		in->remote->pid, CLI_FAILED,
		": it has no return from signal handlers (rt_sigreturn) where that was looked for: in its C library and in its own text");
}

/* At the first place that is free. */
static int map_anywhere(struct injection *in)
{
	int err = EEXIST;
	unsigned int i;

	for (i = 0; i < KP_MAILBOX_PLACES && err == EEXIST; i++)
		err = map_at(in, KP_MAILBOX_PLACE(i));
	return err;
}

int inject_begin(struct injection *in)
{
	int status, err = 0;

	in->mask = in->thread.mask;
	if (inject_stale(in->remote, 0) || way_stale(in->remote))
		err = wait_left(in);
	status = err ? CLI_OK : make_way(in);
	if (status) {
		thread_release(&in->thread);
		return status;
	}
	if (!err && !in->way) {
		in->frame = write_frame(in, tracee_sp(&in->thread.regs) -
					    TRACEE_RED_ZONE);
		err = in->frame ? 0 : EFAULT;
	}
	if (!err)
		err = map_anywhere(in);
	/* So many commands were killed that each has left one. */
	if (err == EEXIST && inject_stale(in->remote, 0)) {
		unmap_stale(in);
		err = map_anywhere(in);
	}
	if (!err) {
		unmap_stale(in);
		return CLI_OK;
	}
	process_wait_gone(in->remote->pid, err);
	status = process_failed(
		in->remote->pid, CLI_FAILED,
		": no memory could be mapped into it: %s%s", strerror(err),
		err == EEXIST ? "; its address space is taken, as by ThreadSanitizer's runtime: start it with \"kprobes load ... -- COMMAND\" instead"
			      : "");
	inject_end(in);
	return status;
}

int inject_call(struct injection *in, uint64_t fn, uint64_t a, uint64_t b,
		uint64_t *result)
{
	struct tracee_regs regs = in->thread.regs;
	uint64_t frame = write_frame(in, in->mailbox + KP_MAILBOX_LEN);
	int err = frame ? 0 : EFAULT;

	tracee_call_function(&regs, in->mailbox, frame_return_sp(frame), fn, a, b);
	in->holder = 0;
	save_tls(in);
	if (!err)
		err = set_regs(in, &regs);
	in->calling = true;
	do {
		if (!err)
			err = step(in, &regs);
		/* The stop of a call that waits is seen as the call's end. */
		if (!err)
			err = look_late(in);
	} while (!err && tracee_ip(&regs) != in->mailbox + frame_over());
	in->calling = false;
	/* At its entry; to its end. */
	if (!err)
		err = step(in, &regs);
	*result = tracee_function_result(&regs);
	/* Who called says what that means. */
	if (err == EDEADLK)
		return CLI_FAILED;
	process_wait_gone(in->remote->pid, err);
	return err ? process_failed(in->remote->pid, CLI_FAILED,
				    ": an injected call did not end: %s",
				    err == ETIMEDOUT
				    ? "it goes on by itself; try again later"
				    : strerror(err))
		   : CLI_OK;
}
