// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * attach.c - bringing the library into a running process.
 *
 * Owns: the order:
 *   1. borrow one thread (stop.c) and map the mailbox (inject.c)
 *   2. dlopen of the library; prepare(): handlers
 *   3. stop all other threads, tell the library their masks, take SIGTRAP out
 *      of them and out of the one with which the borrowed thread will go on;
 *      arm(): the library's own breakpoints; let them go on
 *   4. serve(): a thread that serves us, as long as we are connected
 *   5. the borrowed thread goes on, the mailbox is gone
 * Each step finds what an interrupted one has left, and goes on from there.
 */
#include "attach_cli.h"
#include "cli.h"
#include "engine.h"
#include "frame.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRAP (1ull << (SIGTRAP - 1))
#define FAULTS (1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1) | \
		1ull << (SIGFPE - 1) | 1ull << (SIGILL - 1))
#define VFORK_MS 5000
#define CHILD_MS 2000			/* for a new process to be stopped */
#define LINKER_MS 250			/* for the dynamic linker's lock */
#define LEAVING_MS 5			/* between looks whether it has been left */
#define LOADING_MS 2000
#define LINKER_PATIENCE_MS 10000	/* for all tries */
#define CALLS_MS 10000			/* for all other calls */
#define SERVE_TRIES 400

/* ---- the mailbox ---------------------------------------------------------------- */

static uint64_t field(const struct injection *in, size_t offset)
{
	return in->mailbox + KP_MAILBOX_CODE_LEN + offset;
}
#define FIELD(in, name) field(in, offsetof(struct kp_mailbox, name))

static int write_head(struct injection *in)
{
	const uint64_t magic = KP_ATTACH_MAGIC;
	const uint32_t version = KP_ATTACH_VERSION;
	int err = remote_write(in->remote, FIELD(in, own_mask),
			       &in->thread.mask, sizeof(in->thread.mask));

	if (!err)
		err = remote_write(in->remote, FIELD(in, version), &version,
				   sizeof(version));
	return err ? err : remote_write(in->remote, FIELD(in, magic), &magic,
					sizeof(magic));
}

static uint64_t function(const struct process *process, int call)
{
	const struct kp_attach_surface *surface = &process->surface;

	switch (call) {
	case KP_ENGINE_PREPARE:
		return (uintptr_t)surface->prepare;
	case KP_ENGINE_ADOPT:
		return (uintptr_t)surface->adopt;
	case KP_ENGINE_ARM:
		return (uintptr_t)surface->arm;
	default:
		return (uintptr_t)surface->serve;
	}
}

/*
 * One of the library's calls (enum kp_engine_call): a status, printed; *busy, if it is asked
 * for.
 */
static int call_surface(struct process *process, struct injection *in, int call, bool *busy)
{
	int32_t result = -EPROTO;
	char text[512] = "";
	uint64_t unused;
	int status = process_prove(process);

	in->limit = thread_now_ms() + CALLS_MS;
	if (!status && process->by_image)
		status = engine_call(process, in, call);
	else if (!status)
		status = inject_call(in, function(process, call), FIELD(in, magic), 0, &unused);
	if (status)
		return status;
	remote_read(in->remote, FIELD(in, result), &result, sizeof(result));
	remote_read(in->remote, FIELD(in, text), text, sizeof(text) - 1);
	if (busy)
		*busy = result == -EBUSY;
	if (!result || (busy && *busy))
		return CLI_OK;
	return process_failed(process->remote.pid, CLI_FAILED, ": %s (%s)",
			      text, strerror(-result));
}

/* ---- the library ----------------------------------------------------------------- */

static int cannot_bring(const struct injection *in, int err)
{
	return process_failed(in->remote->pid, CLI_FAILED,
			      ": the library cannot be brought into it: %s",
			      strerror(err));
}

/* The library into the memfd that the process says it has made: 0 or errno. */
static int fill(const struct injection *in, const char *path, int number)
{
	int from, err, to = take_memfd(in->remote->pid, number);

	if (to < 0)
		return -to;
	from = open(path, O_RDONLY | O_CLOEXEC);
	err = from < 0 ? errno : cli_copy_file(from, to);
	if (!err)
		err = take_seal(to);
	if (from >= 0)
		close(from);
	close(to);
	return err;
}

/*
 * A file that only exists in the process: *number is its descriptor there.  A
 * status, printed.
 */
static int copy_library(struct injection *in, const char *path, int *number)
{
	uint64_t create = remote_find(in->remote, "/libc", "memfd_create");
	char name[] = "libkprobes.so";
	uint64_t result = (uint64_t)-1;
	int err, status;

	err = remote_write(in->remote, FIELD(in, path), name, sizeof(name));
	if (err || !create)
		return cannot_bring(in, err ? err : ENOSYS);
	status = inject_call(in, create, FIELD(in, path),
			     MFD_CLOEXEC | MFD_ALLOW_SEALING, &result);
	if (status)
		return status;
	*number = (int)result;
	if (*number < 0)
		return cannot_bring(in, ENOSYS);
	err = fill(in, path, *number);
	if (err == EPERM)
		return process_failed(
			in->remote->pid, CLI_REFUSED,
			": what it made is not the memory file that it was asked for, and is not touched; it cannot be trusted");
	return err ? cannot_bring(in, err) : CLI_OK;
}

static int say_dlerror(struct process *process, struct injection *in)
{
	uint64_t fn = remote_find(in->remote, "", "dlerror"), at = 0;
	char text[256] = "its dynamic linker does not say why";

	if (fn && !inject_call(in, fn, 0, 0, &at) && at) {
		memset(text, 0, sizeof(text));
		for (size_t i = 0; i < sizeof(text) - 1; i++)
			if (remote_read(in->remote, at + i, text + i, 1) ||
			    !text[i])
				break;
	}
	return process_failed(process->remote.pid, CLI_FAILED,
			      " cannot load the library: %s", text);
}

/*
 * Another thread may load a library, whose constructor waits for this thread:
 * then a call of the linker would never end.  One that only takes its lock is
 * tried, and taken back if it does not come.  A status, printed unless it is that.
 */
static int try_linker(struct injection *in)
{
	uint64_t fn = remote_find(in->remote, "", "dladdr"), unused;

	in->limit = thread_now_ms() + LINKER_MS;
	/* What is at text is told at path. */
	return fn ? inject_call(in, fn, fn, FIELD(in, path), &unused) : CLI_OK;
}

static int load_library(struct process *process, struct injection *in)
{
	uint64_t fn = remote_find(in->remote, "", "dlopen"), handle = 0, unused;
	const char *path = cli_need_library();
	uint64_t mode = RTLD_NOW;
	char name[PATH_MAX];
	int number = -1, status = CLI_OK, err;

	if (!path)
		return CLI_FAILED;
	if (!fn) {
		fn = remote_find(in->remote, "", "__libc_dlopen_mode");
		mode |= 0x80000000u;	/* an old C library's inner call */
	}
	snprintf(name, sizeof(name), "%s", path);
	if (!cli_same_file(in->remote->pid, path) ||
	    !cli_opens(in->remote->pid, path)) {
		status = copy_library(in, path, &number);
		snprintf(name, sizeof(name), "/proc/self/fd/%d", number);
	}
	if (status)
		return status;
	status = try_linker(in);
	err = remote_write(in->remote, FIELD(in, path), name, strlen(name) + 1);
	if (!status && err)
		return cannot_bring(in, err);
	if (!status) {
		in->limit = thread_now_ms() + LOADING_MS;
		status = inject_call(in, fn, FIELD(in, path), mode, &handle);
	}
	if (!status && !handle)
		status = say_dlerror(process, in);
	if (number >= 0 && !in->lost) {
		fn = remote_find(in->remote, "/libc", "close");
		if (fn)
			inject_call(in, fn, (uint64_t)number, 0, &unused);
	}
	return status ? status : process_reread(process);
}

/* ---- arming ---------------------------------------------------------------------- */

/* Mostly it has just ended, or begun another program. */
static int cannot_write(const struct process *process)
{
	process_wait_gone(process->remote.pid, EIO);
	return process_failed(process->remote.pid, CLI_FAILED,
			      ": its memory cannot be written");
}

static int note(const struct process *process, const struct injection *in, int32_t *nr,
		const struct thread *thread)
{
	int32_t tid = remote_inner_tid(process->remote.pid, thread->tid);
	uint64_t at = (unsigned int)(*nr)++;
	int err = remote_write(in->remote, FIELD(in, threads) + 4 * at, &tid, sizeof(tid));

	return err ? err : remote_write(in->remote, FIELD(in, masks) + 8 * at, &thread->mask,
					sizeof(uint64_t));
}

/*
 * Tell the library what the threads have blocked.  more: besides those that it
 * has been told of.  An injected call knows of the borrowed one itself.
 */
static int record(struct process *process, struct threads *threads,
		  struct injection *in, bool more)
{
	int32_t nr = 0;
	int i, err = 0;

	if (process->by_image && !more)
		err = note(process, in, &nr, &in->thread);
	for (i = 0; i < threads->nr && !err && nr < KP_MAILBOX_THREADS; i++) {
		struct thread *thread = &threads->list[i];

		if (thread->told)
			continue;
		thread->told = true;
		err = note(process, in, &nr, thread);
	}
	if (more)
		nr = -nr;
	if (!err)
		err = remote_write(in->remote, FIELD(in, threads_nr), &nr,
				   sizeof(nr));
	if (err)
		return cannot_write(process);
	return call_surface(process, in, KP_ENGINE_ADOPT, NULL);
}

/*
 * It has made a process meanwhile, as by posix_spawn(), with its mask, and as it is
 * traced that waits to begin.  There are breakpoints now, in a memory that is shared.
 * What it does to its mask itself is watched from now on.
 */
static void open_child(struct thread *maker)
{
	struct thread child = { 0 };
	int status;

	if (!maker->stopped || maker->child_open)
		return;
	maker->child_open = true;
	child.tid = thread_made(maker);
	if (child.tid && remote_state(maker->tid, child.tid) == 0 &&
	    !thread_wait(child.tid, &status, CHILD_MS) && !thread_read(&child) &&
	    child.mask & TRAP)
		thread_set_mask(&child, child.mask & ~TRAP, child.mask_rest);
}

static int open_trap(const struct process *process,
		     struct threads *threads)
{
	int i, err;

	for (i = 0; i < threads->nr; i++) {
		struct thread *thread = &threads->list[i];
		uint64_t mask = thread->mask & ~TRAP;

		open_child(thread);
		if (mask == thread->mask || !thread->stopped)
			continue;
		err = thread_set_mask(thread, mask, thread->mask_rest);
		if (err && err != ESRCH)
			return process_failed(
				process->remote.pid, CLI_FAILED,
				": the signal mask of its thread %d cannot be changed: %s",
				(int)thread->tid, strerror(err));
	}
	return CLI_OK;
}

/* ---- threads that were left asleep, and woke --------------------------------------- */

/* Nothing to be changed in it: it need not be stopped. */
static bool is_open(void *arg, const struct thread *thread)
{
	return !(thread->mask & TRAP) && !rest_hides_mask(arg, &thread->rest);
}

static bool has_action(pid_t pid)
{
	return (uint64_t)remote_status_signals(pid, pid, "SigCgt") & TRAP;
}

/*
 * It woke, blocked SIGTRAP where that was not watched yet, and has met one of
 * the library's breakpoints.  The kernel has opened SIGTRAP and dropped the
 * handler for all, and would end the process; but as it is traced, the signal
 * waits for us.  Another may have renewed the handler since: then it is known by
 * what else it has blocked.  Nobody blocks all the signals of faults but that.
 */
static bool was_forced(const struct thread *thread, pid_t pid, uint64_t before)
{
	return !has_action(pid) || !(FAULTS & ~(thread->mask & ~before));
}

/* The hit is taken back; the library renews the handler. */
static bool take_back(const struct remote *remote, struct thread *thread,
		      uint64_t before)
{
	if (thread->signal != SIGTRAP ||
	    !was_forced(thread, remote->pid, before) ||
	    !thread_take_back(remote, thread, true))
		return false;
	/* It has blocked more than it had: all, then. */
	if (thread->mask & ~before)
		thread->mask |= TRAP;
	return true;
}

/*
 * Who is awake is stopped: it may have met a breakpoint just now, and not be seen
 * to wait.  1: there was something to mend.  -errno.
 */
static int look_again(struct process *process, struct thread *thread)
{
	pid_t pid = process->remote.pid;
	uint64_t before = thread->mask;
	struct rest now;
	bool asleep = thread_rest(pid, thread->tid, &now), hidden;
	int err;

	if (!asleep && !remote_state(pid, thread->tid))
		return 0;
	hidden = asleep && !rest_is_same(&now, &thread->rest) &&
		 rest_hides_mask(&process->remote, &now);
	if (asleep && !hidden && !(now.look.blocked & TRAP))
		return 0;
	err = thread_interrupt(thread);
	if (!err)
		err = thread_arrive(thread);
	if (err)
		return err == ESRCH || err == ECHILD ? 0 : -err;
	open_child(thread);
	if (!take_back(&process->remote, thread, before) && !hidden &&
	    !(thread->mask & TRAP))
		return 0;
	thread->told = false;
	return 1;
}

/*
 * The breakpoints stand.  Who was left asleep may have woken meanwhile, blocked
 * SIGTRAP or made threads with it blocked.
 */
static int mend(struct process *process, struct threads *threads,
		struct injection *in)
{
	int i, found, tries, status = CLI_OK, before, err;

	for (tries = 0; tries < 64 && !status; tries++) {
		before = threads->nr;
		err = threads_more(threads);
		found = threads->nr - before;
		for (i = 0; i < threads->nr && !err; i++) {
			int got = threads->list[i].watched
				? look_again(process, &threads->list[i]) : 0;

			err = got < 0 ? -got : 0;
			found += got > 0;
		}
		if (err)
			return process_failed(
				process->remote.pid, CLI_FAILED,
				": its threads could not all be stopped: %s; try again",
				strerror(err));
		if (!found)
			break;
		status = record(process, threads, in, true);
		if (!status)
			status = open_trap(process, threads);
	}
	return status;
}

/* ---- arming ---------------------------------------------------------------------- */

static int say_vfork(pid_t pid, pid_t tid)
{
	return process_failed(
		pid, CLI_REFUSED,
		": its thread %d is in vfork(): until that child runs a program of its own, it shares this process's memory and would die of a breakpoint; try again then",
		(int)tid);
}

/* A thread in vfork(), after waiting that there be none; 0: none. */
static pid_t in_vfork(pid_t pid)
{
	long end = thread_now_ms() + VFORK_MS;
	pid_t *tids = NULL, found;
	struct rest rest;
	int i, nr;

	for (;;) {
		found = 0;
		nr = remote_threads(pid, &tids);
		for (i = 0; i < nr && !found; i++)
			if (remote_state(pid, tids[i]) == 'D' &&
			    thread_rest(pid, tids[i], &rest) &&
			    rest_is_vfork(&rest))
				found = tids[i];
		free(tids);
		tids = NULL;
		if (!found || thread_now_ms() > end)
			break;
		usleep(1000);
	}
	return found;
}

/*
 * Another process with its memory, none of vfork()'s: it has handlers of its own, and for
 * a breakpoint none.  A status, printed.
 */
static int check_sharers(pid_t pid)
{
	long end = thread_now_ms() + VFORK_MS;
	char name[32];
	pid_t other, last = 0;
	int seen = 0;

	do {
		other = process_sharer(pid);
		if (other <= 0)
			return CLI_OK;
		seen = other == last ? seen + 1 : 0;
		last = other;
		usleep(2000);
	} while ((seen < 5 || in_vfork(pid)) && thread_now_ms() < end);
	return process_failed(
		pid, CLI_REFUSED,
		": its memory is process %d's (%s), too, which is none of its threads (clone with CLONE_VM) and would die of a breakpoint; try again when that has ended",
		(int)other, remote_comm(other, name));
}

static int hold_all(struct process *process, struct threads *threads)
{
	int err, tries = 0;
	pid_t vforks;

	*threads = (struct threads){
		.pid = process->remote.pid, .except = threads->except,
		.service = process_service(process), .engine = threads->engine,
		.may_rest = is_open,
		.arg = &process->remote,
	};
	vforks = in_vfork(threads->pid);
	if (vforks)
		return say_vfork(threads->pid, vforks);
	err = threads_more(threads);
	/* One is in vfork() just now.  Others wait meanwhile: not for long. */
	while (err == EBUSY && tries++ < 200) {
		usleep(1000);
		err = threads_more(threads);
	}
	if (!err)
		return CLI_OK;
	threads_release(threads);
	if (err == EBUSY)
		return say_vfork(threads->pid, in_vfork(threads->pid));
	process_wait_gone(threads->pid, err);
	return process_failed(
		threads->pid, CLI_FAILED,
		": its threads could not all be stopped: %s; try again",
		strerror(err));
}

static int arm(struct process *process, struct injection *in)
{
	struct threads threads = { .except = in->thread.tid };
	int status = CLI_OK;

	/* Before others are held, so that it is known for ours. */
	if (process->by_image)
		status = process_prove(process);
	if (!status && process->by_image)
		status = engine_start(process, in);
	threads.engine = in->engine;
	if (!status)
		status = hold_all(process, &threads);
	if (status)
		return status;
	status = cli_check_stopped(process->remote.pid, &threads);
	if (!status)
		status = record(process, &threads, in, false);
	ptracer_critical(true);
	/* At once: armed, it may go on by itself at any moment. */
	if (!status && inject_mask(in, in->thread.mask & ~TRAP))
		status = cannot_write(process);
	if (!status)
		status = open_trap(process, &threads);
	if (!status)
		status = call_surface(process, in, KP_ENGINE_ARM, NULL);
	if (!status)
		status = mend(process, &threads, in);
	threads_release(&threads);
	ptracer_critical(false);
	return status;
}

/* ---- all of it --------------------------------------------------------------------- */

/* Another tracer of one of its threads, other than ours. */
static long other_tracer(pid_t pid)
{
	pid_t *tids = NULL;
	long tracer = 0;
	int i, nr = remote_threads(pid, &tids);

	for (i = 0; i < nr && tracer <= 0; i++) {
		tracer = remote_status_number(pid, tids[i], "TracerPid", 10);
		if (tracer == ptracer_self())
			tracer = 0;
	}
	free(tids);
	return tracer > 0 ? tracer : 0;
}

/* Two of this command at a time: each sees the other, and one waits longer. */
static int take(struct process *process, struct injection *in)
{
	pid_t pid = process->remote.pid;
	const char *why = "";
	int err, tries = 0;
	long tracer;

	for (;; tries++) {
		err = EBUSY;
		tracer = other_tracer(pid);
		if (!tracer)
			err = thread_take(&in->thread, &process->remote,
					  process_service(process), &why);
		if (!err && !other_tracer(pid))
			return CLI_OK;
		if (!err) {
			thread_release(&in->thread);
			err = EBUSY;
		}
		if (tries == 400 || (err != EBUSY && err != EPERM) ||
		    process_foreign(tracer))
			break;
		if (err == EPERM && !other_tracer(pid) && tries > 10)
			break;
		usleep((useconds_t)(1000 + (getpid() * 7919 + tries * 104729) % 30000));
	}
	if (err == EPERM || err == EACCES || err == EBUSY)
		return process_denied(process, err);
	return process_failed(pid, err == ESRCH ? CLI_ABSENT : CLI_FAILED,
			      ": %s", why);
}

/* The thread goes on; nothing of ours is at work for it any more. */
static void give_back(struct injection *in)
{
	engine_end(in);
	inject_end(in);
}

/* others: something is to be done to the other threads, too. */
static int borrow(struct process *process, struct injection *in, bool others)
{
	bool stale;
	int status;

	process->remote.calls_only = process->by_image;
	process->remote.by_way = process->by_image && way_possible(&process->remote);
	*in = (struct injection){ .remote = &process->remote, .calls_only = process->by_image };
	status = cli_seccomp_look(process->remote.pid, others);
	if (!status)
		status = take(process, in);
	if (status)
		return status;
	status = cli_dispatch_check(process->remote.pid, in->thread.tid);
	if (!status)
		status = cli_seccomp_check(process->remote.pid, in->thread.tid);
	/* They are stopped for that, and their calls with them. */
	if (!status && others)
		status = cli_seccomp_check_others(process->remote.pid,
						  in->thread.tid);
	/* It may have been attached to, or detached from, meanwhile. */
	if (!status)
		status = process_reread(process);
	if (status) {
		thread_release(&in->thread);
		return status;
	}
	stale = inject_stale(in->remote, 0);
	status = inject_begin(in);
	/* The other command's call has ended just now. */
	if (!status && stale)
		status = process_reread(process);
	if (status && in->began)
		inject_end(in);
	return status;
}

static int start(struct process *process, struct injection *in)
{
	int status = CLI_OK;

	if (write_head(in))
		return cannot_write(process);
	if (!process->surface_at)
		status = cli_locked_check(process->remote.pid, in->mailbox);
	if (!status && !process->surface_at)
		status = process->by_image ? engine_place(process, in)
					   : load_library(process, in);
	if (!status && !process_started(process)) {
		status = call_surface(process, in, KP_ENGINE_PREPARE, NULL);
		if (status && process->by_image && !in->engine && in->mailbox)
			engine_unplace(process, in);
		if (!status)
			status = process_reread(process);
	}
	if (!status && process->surface.state != KP_ATTACH_RUNNING)
		status = arm(process, in);
	return status ? status : process_reread(process);
}

/* ---- the service thread ------------------------------------------------------------ */

static int write_wish(struct process *process, struct injection *in, int shared)
{
	int32_t wish = shared;
	int err = remote_write(in->remote, FIELD(in, token), process->token,
			       sizeof(process->token));

	if (!err)
		err = remote_write(in->remote, FIELD(in, shared), &wish,
				   sizeof(wish));
	return err ? cannot_write(process) : CLI_OK;
}

/* The service thread has waited too long for us, and closed its socket as it ended. */
static bool has_given_up(struct process *process)
{
	int fd = process->surface.knock_fd;
	uint64_t ino = process->surface.knock_ino[0];

	return !process_reread(process) && (process->surface.knock_fd != fd ||
					    process->surface.knock_ino[0] != ino);
}

/* Also where it has to be tried again: then there is no connection. */
static int knock(struct process *process)
{
	int err = process_knock(process);

	if (!err || err == EAGAIN || err == ESRCH)
		return CLI_OK;
	if ((err == EBADF || err == ENOTCONN) && has_given_up(process))
		return CLI_OK;
	if (err == EPERM || err == EACCES)
		return process_denied(process, err);
	return process_failed(process->remote.pid, cli_status_of(err),
			      ": its endpoint does not answer: %s",
			      strerror(err));
}

/*
 * While the thread is borrowed: a service thread for us, and the connection.
 * Another client may have one; then there is no connection.
 */
static int serve(struct process *process, struct injection *in)
{
	bool own = take_knows_threads(), busy = false;
	int status;

	if (getrandom(process->token, sizeof(process->token), 0) !=
	    sizeof(process->token)) {
		cli_error("no random numbers: %s", strerror(errno));
		return CLI_FAILED;
	}
	status = write_wish(process, in, own ? KP_KNOCK_OWN : KP_KNOCK_SHARED);
	if (!status)
		status = call_surface(process, in, KP_ENGINE_SERVE, &busy);
	if (!status && !busy)
		status = process_reread(process);
	if (!status && !busy)
		status = knock(process);
	/* What is in the program's own table goes at once. */
	if (!own && !busy && !write_wish(process, in, KP_KNOCK_TAKEN))
		call_surface(process, in, KP_ENGINE_SERVE, NULL);
	return status;
}

struct attaching {
	struct process *process;
	bool running;			/* it was */
	bool leaving;			/* another command is just at that */
	bool left;			/* another command has left it meanwhile */
	pid_t holder;			/* of the linker's lock; 0: nobody */
};

static int attach(void *arg)
{
	struct attaching *a = arg;
	struct process *process = a->process;
	struct injection in;
	int status = process_attachable(process);
	pid_t vforks;

	a->holder = 0;
	a->leaving = false;
	if (status)
		return status;
	vforks = in_vfork(process->remote.pid);
	if (vforks)
		return say_vfork(process->remote.pid, vforks);
	/* Where the library is at work, who was made later has its handlers. */
	if (process->surface.state != KP_ATTACH_RUNNING)
		status = check_sharers(process->remote.pid);
	if (status)
		return status;
	status = borrow(process, &in, true);
	if (status)
		return status;
	/*
	 * Whoever is served while the engine is not at work is leaving; where that command
	 * was killed, the library's thread may still do so.
	 */
	a->leaving = process_started(process) && process->surface.state != KP_ATTACH_RUNNING &&
		     process_service(process);
	/* Nobody is served now, and what has become of it stays so. */
	if (!a->leaving)
		status = process_reread(process);
	if (a->leaving || status) {
		give_back(&in);
		return status;
	}
	/* Who is traced stays so until this tracer ends: no serve() before. */
	status = start(process, &in);
	a->holder = in.holder;
	/* Also where the library has started by itself. */
	if (process->surface.state == KP_ATTACH_RUNNING)
		inject_mask(&in, in.thread.mask & ~TRAP);
	give_back(&in);
	return status;
}

int process_attach(struct process *process)
{
	struct attaching a = { .process = process };
	long end = thread_now_ms() + LINKER_PATIENCE_MS;
	int status;

	/* Meanwhile the thread that was borrowed does what the other waits for. */
	for (;;) {
		status = ptracer_run(attach, &a);
		if ((!a.leaving && (!status || !a.holder)) || thread_now_ms() > end)
			break;
		usleep(a.leaving ? LEAVING_MS * 1000 : LINKER_MS * 1000);
	}
	if (!status && a.leaving)
		return process_failed(process->remote.pid, CLI_FAILED,
				      ": another command has been leaving it for %d s; try again",
				      LINKER_PATIENCE_MS / 1000);
	if (status && a.holder)
		return process_failed(
			process->remote.pid, CLI_FAILED,
			": its dynamic linker is busy: its thread %d has held the lock for %d s, so it loads or unloads a library; nothing was changed; try again",
			(int)a.holder, LINKER_PATIENCE_MS / 1000);
	return status;
}

/* Without the engine's handlers a probe would kill. */
static bool has_been_left(const struct attaching *a)
{
	return !process_started(a->process) ||
	       (a->running && a->process->surface.state != KP_ATTACH_RUNNING);
}

static int serve_once(void *arg)
{
	struct attaching *a = arg;
	struct process *process = a->process;
	struct injection in;
	int status = process_attachable(process);

	a->holder = 0;
	if (!status)
		status = borrow(process, &in, false);
	if (status)
		return status;
	a->left = has_been_left(a);
	if (a->left) {
		give_back(&in);
		return CLI_OK;
	}
	if (write_head(&in))
		status = cannot_write(process);
	if (!status)
		status = serve(process, &in);
	a->holder = in.holder;
	give_back(&in);
	/* It is ours alone now.  Whoever was served before may have left it until then. */
	if (!status && process->connection >= 0 && has_been_left(a)) {
		close(process->connection);
		process->connection = -1;
		a->left = true;
	}
	return status;
}

/* Others come first: one that was killed is given up in a few seconds. */
int process_serve(struct process *process)
{
	struct attaching a = {
		.process = process,
		.running = process->surface.state == KP_ATTACH_RUNNING,
	};
	int status, tries;

	for (tries = 0; tries < SERVE_TRIES; tries++) {
		status = ptracer_run(serve_once, &a);
		if ((status && !a.holder) || a.left || process->connection >= 0)
			return status;
		usleep((useconds_t)(10000 + getpid() * 7919 % 20000));
	}
	return process_failed(process->remote.pid, CLI_FAILED,
			      ": other commands are at work on it all the time; try again");
}

static int clean(void *arg)
{
	struct process *process = arg;
	struct injection in;
	int status = process_attachable(process);

	if (!status)
		status = borrow(process, &in, false);
	if (!status)
		give_back(&in);
	return status;
}

int process_clean(struct process *process)
{
	return inject_stale(&process->remote, 0)
		? ptracer_run(clean, process) : CLI_OK;
}
