// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * choose.c - choosing a thread to borrow.
 *
 * Owns: the rules by which a thread may be borrowed:
 *   - it is before a system call that waits for the outside or talks to it
 *     (rest_call_is_safe): an allocator or the linker would not make it, and the
 *     runtime of a sanitizer has not made it;
 *   - or it waits for a futex by a call of its own, or makes no system calls
 *     but runs in code that is neither, and nothing on its stack points into
 *     either;
 *   - it is on a stack of the C library's, with room below.
 * A thread that sleeps in any other call is not touched.
 * Where no function is called in it (remote.calls_only) any system call will do, and any code
 * but the engine's, which may hold the engine's locks; where nothing is written on its stack
 * (remote.by_way), on any stack.
 * No thread is taken in a restartable sequence.  A thread that sleeps in a call where a stop
 * leaves a trace is chosen last.
 */
#include "ptracer.h"
#include "cli.h"
#include "frame.h"
#include "object.h"
#include "calls.h"

#include <errno.h>
#include <linux/ptrace.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define STOP_MS 2000			/* for a stop that must come */
#define CATCH_MS 500			/* for one that makes none to be at a good place */
#define CALL_MS 150			/* for a running thread's next call */
#define PATIENCE_MS 10000		/* for all of it */
#define BEST_MAX 8			/* threads that are asked first */
#define SPARE_MS 300			/* before one that would notice is taken */

/* PTRACE_GET_RSEQ_CONFIGURATION, and struct rseq's rseq_cs. */
#define PTRACE_RSEQ_CONFIGURATION 0x420f
#define RSEQ_CS 8u

#define FAULTS (1u << SIGSEGV | 1u << SIGBUS | 1u << SIGFPE | 1u << SIGILL | 1u << SIGTRAP)

static bool is_call_stop(int status)
{
	return WSTOPSIG(status) == (SIGTRAP | 0x80);
}

/* ---- is this a good place? ---------------------------------------------------- */

/* Is there a C library, whose threads have their own address where their pointer leads? */
static bool is_self(const struct remote *remote, uint64_t thread_pointer)
{
	remote_word word = 0;

	return !remote->calls_only ||
	       (!remote_read(remote, thread_pointer, &word, sizeof(word)) &&
		word == thread_pointer);
}

/* The C library's own stack, with room, where that is needed. */
static bool good_stack(const struct remote *remote, uint64_t sp,
		       uint64_t thread_pointer)
{
	const struct remote_map *map = remote_map_at(remote, sp);

	if (remote->by_way)
		return true;
	if (!map || !map->write || sp - frame_room() < map->start)
		return false;
	return !strcmp(map->path, "[stack]") ||
	       (thread_pointer > sp && thread_pointer < map->end &&
		is_self(remote, thread_pointer));
}

/* Text where a lock of the heap or the linker may be held. */
static bool delicate(const struct remote *remote, uint64_t ip)
{
	static const char *const parts[] = {
		"/ld-linux", "/ld-", "/ld.so", "/libc.so", "/libc-", "alloc",
		"/libkprobes", "[vdso]", "san.so", "/libclang_rt.",
	};
	const struct remote_map *map = remote_map_at(remote, ip);
	size_t i;

	if (!map || !map->exec || !map->path[0])
		return true;
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strstr(map->path, parts[i]))
			return true;
	return false;
}

/* Does the object to which this text belongs define it?  In doubt, yes. */
static bool defined_beside(const struct remote *remote, uint64_t ip,
			   const char *name)
{
	const struct remote_map *map = remote_map_at(remote, ip);
	size_t i;

	for (i = 0; map && i < remote->maps_nr; i++)
		if (!strcmp(remote->maps[i].path, map->path))
			return remote_symbol(remote, &remote->maps[i], name);
	return true;
}

/* Its own allocator would be in the program's text. */
static bool brings_allocator(const struct remote *remote, uint64_t ip)
{
	return defined_beside(remote, ip, "malloc");
}

/*
 * A system call in the text of a sanitizer's runtime, which may be the program's:
 * the runtime writes with its locks held, and a thread of its own has no state in
 * it; the first allocation there writes through a pointer that is not set.
 * What the program calls itself is called in the C library.
 */
static bool in_sanitizer(const struct remote *remote, uint64_t ip)
{
	return remote_map_at(remote, ip) &&
	       defined_beside(remote, ip, "__sanitizer_set_report_path");
}

/*
 * Nothing on its stack leads into the C library's or the linker's text but the
 * frame that started it, and no signal frame.
 */
static bool quiet_stack(const struct remote *remote, uint64_t sp)
{
	const struct remote_map *map = remote_map_at(remote, sp);
	remote_word words[512];
	uint64_t at, top;
	size_t i, nr;

	if (!map)
		return false;
	top = map->end;
	for (at = sp & ~(sizeof(words[0]) - 1ull); at < top; at += nr * sizeof(words[0])) {
		nr = (top - at) / sizeof(words[0]);
		if (nr > 512)
			nr = 512;
		if (!nr || remote_read(remote, at, words, nr * sizeof(words[0])))
			return false;
		for (i = 0; i < nr; i++) {
			uint64_t word = tracee_address(words[i]);
			const struct remote_map *to;

			if (word < 4096 || word >> OBJECT_ADDRESS_BITS)
				continue;
			to = remote_map_at(remote, word);
			/* Nothing is called at a mapping's first byte: auxv. */
			if (!to || !to->exec || !to->path[0] ||
			    word == to->start)
				continue;
			/* What called main or the thread's function. */
			if (strstr(to->path, "/libc") && top - at - i * sizeof(words[0]) < 16384)
				continue;
			if (delicate(remote, word))
				return false;
		}
	}
	return true;
}

/* What it has called may hold a lock that our own thread there needs. */
static bool in_engine(const struct remote *remote, uint64_t ip)
{
	const struct remote_map *map = remote_map_at(remote, ip);

	return map && strstr(map->path, "libkprobes.so");
}

/* It runs in code that is neither, and was called by none. */
static bool computes(const struct remote *remote, uint64_t ip, uint64_t sp)
{
	if (remote->calls_only)
		return !in_engine(remote, ip);
	return (!delicate(remote, ip) && !brings_allocator(remote, ip) &&
		quiet_stack(remote, sp));
}

/*
 * Locks of the C library are waited for with FUTEX_WAIT in its own text; but so
 * does a runtime with locks of its own, as Rust's, by syscall(2) or a call that
 * is compiled into it.
 */
static bool is_lock(long call, uint64_t op)
{
	return calls_alike(call, 0) == SYS_futex && (op & 0x7f) == 0;
}

static bool by_number(const struct remote *remote, uint64_t ip)
{
	uint64_t function = remote_find(remote, "/libc", "syscall");

	return function && ip - function < 64;
}

static bool own_futex(const struct remote *remote, long call,
		      const struct tracee_regs *regs)
{
	uint64_t ip = tracee_ip(regs), sp;

	if (!is_lock(call, tracee_arg(regs, 1)))
		return false;
	if (!delicate(remote, ip))
		return computes(remote, ip, tracee_sp(regs));
	return by_number(remote, ip) && tracee_caller(remote, regs, &ip, &sp) &&
	       computes(remote, ip, sp);
}

/* The same of one that rests: what is not seen of it yet will be, when it is taken. */
static bool rests_in_own_futex(const struct remote *remote,
			       const struct rest *rest)
{
	uint64_t ip = rest->pc, sp;

	if (!is_lock(rest->call, rest->args[1]))
		return false;
	if (!delicate(remote, ip))
		return computes(remote, ip, rest->sp);
	if (!by_number(remote, ip))
		return false;
	return tracee_rest_caller(remote, rest->sp, &ip, &sp)
		       ? computes(remote, ip, sp) : quiet_stack(remote, sp);
}

/* ---- choosing -------------------------------------------------------------------- */

/* In the order in which they are tried. */
enum rank { RESTS, RUNS, RESTS_BY_ITSELF, WOULD_NOTICE, RANKS };

struct candidate {
	pid_t tid;
	enum rank rank;
	struct rest rest;		/* unless it runs */
};

static bool is_well(const struct remote *remote, const struct rest *rest)
{
	return rest_call_is_safe(remote->pid, rest->call, rest->args[0],
				 rest->args[1]);
}

/* False: it is not to be touched. */
static bool rank_of(const struct remote *remote, struct candidate *c)
{
	char state;

	/* To learn that it may not be borrowed would take a stop. */
	if (!filtered_readable() && filtered_mode(remote->pid, c->tid) > 0)
		return false;
	c->rank = RUNS;
	if (!thread_rest(remote->pid, c->tid, &c->rest)) {
		state = remote_state(remote->pid, c->tid);
		return state == 'R' || state == 'S';
	}
	if (remote->calls_only ? in_engine(remote, c->rest.pc) ||
				 rest_call_changes_thread(c->rest.call)
			       : in_sanitizer(remote, c->rest.pc))
		return false;
	if (remote->calls_only || is_well(remote, &c->rest))
		c->rank = rest_restarts(remote, &c->rest) ? RESTS : WOULD_NOTICE;
	else if (rests_in_own_futex(remote, &c->rest))
		c->rank = RESTS_BY_ITSELF;
	else
		return false;
	return remote_state(remote->pid, c->tid) != 'D';
}

/* A safe call, on a good stack?  Its registers are known. */
static bool good_call(const struct remote *remote, struct thread *thread)
{
	const struct tracee_regs *regs = &thread->regs;
	bool restarts = tracee_call(regs) == SYS_restart_syscall;

	/* What it was before may be known. */
	if (!restarts)
		thread->call = tracee_call(regs);
	else if (thread->call == SYS_restart_syscall)
		thread->call = tracee_restarted(remote, tracee_ip(regs));
	if (remote->calls_only)
		return !in_engine(remote, tracee_ip(regs)) &&
		       !rest_call_changes_thread(thread->call) &&
		       good_stack(remote, tracee_sp(regs), tracee_tls(regs));
	return (restarts || rest_call_is_safe(remote->pid, thread->call,
					      tracee_arg(regs, 0), tracee_arg(regs, 1)) ||
		own_futex(remote, thread->call, regs)) &&
	       good_stack(remote, tracee_sp(regs), tracee_tls(regs)) &&
	       !in_sanitizer(remote, tracee_ip(regs));
}

/*
 * At the entry of one?  Its mask is read here, too: since the thread was stopped
 * first it may have left a signal's handler, or a part of a library that blocks
 * all signals, and it goes on with the mask that is in *thread.
 */
static bool good_entry(const struct remote *remote, struct thread *thread)
{
	return !thread_read(thread) &&
	       tracee_at_instruction(remote, &thread->regs) &&
	       good_call(remote, thread);
}

/*
 * Asleep in a call whose instruction has got a breakpoint since.  If it went on to
 * that call's entry, it would meet that, and the kernel forget how much of its time
 * is left.
 */
static bool sleeps_at_breakpoint(const struct remote *remote,
				 struct thread *thread)
{
	struct tracee_regs *regs = &thread->regs;

	return tracee_call(regs) >= 0 && !thread->signal &&
	       tracee_restarts(regs) && tracee_at_covered(remote, regs) &&
	       good_call(remote, thread);
}

/*
 * In a sequence that has to begin again if it is interrupted?  The kernel does not see to
 * that once the thread is elsewhere.  False where the kernel does not say.
 */
static bool in_sequence(const struct remote *remote, const struct thread *thread)
{
	struct { uint64_t area; uint32_t len, signature, flags, pad; } where = { 0 };
	struct { uint32_t version, flags; uint64_t start, len, abort; } sequence;
	uint64_t at = 0;

	return ptrace(PTRACE_RSEQ_CONFIGURATION, thread->tid, sizeof(where), &where) > 0 &&
	       where.area && !remote_read(remote, where.area + RSEQ_CS, &at, sizeof(at)) && at &&
	       !remote_read(remote, at, &sequence, sizeof(sequence)) &&
	       tracee_ip(&thread->regs) - sequence.start < sequence.len;
}

/* In code of its own, in no call, and called by none that may hold a lock? */
static bool computes_now(const struct remote *remote, const struct thread *thread)
{
	const struct tracee_regs *regs = &thread->regs;

	return tracee_call(regs) < 0 && !in_sequence(remote, thread) &&
	       good_stack(remote, tracee_sp(regs), tracee_tls(regs)) &&
	       computes(remote, tracee_ip(regs), tracee_sp(regs));
}

/*
 * It waits with a signal.  A breakpoint's is taken back: it stands before that, and will
 * meet it again.  Any other is delivered first: the thread is at the beginning of its
 * handler then, which has interrupted what is known to be harmless.
 */
static bool past_signal(const struct remote *remote, struct thread *thread)
{
	int status;

	if (!thread->signal)
		return true;
	if (thread->signal == SIGTRAP)
		return thread_take_back(remote, thread, true);
	if (FAULTS & 1u << thread->signal)
		return false;
	if (ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0) ||
	    ptrace(PTRACE_CONT, thread->tid, 0, (long)thread->signal))
		return false;
	thread->signal = 0;
	thread->stopped = false;
	if (thread_wait(thread->tid, &status, STOP_MS))
		return false;
	thread->stopped = true;
	if (!thread_is_event(status))
		thread->signal = WSTOPSIG(status);
	return !thread->signal && !thread_read(thread) &&
	       tracee_call(&thread->regs) < 0 &&
	       (remote->calls_only ? !in_engine(remote, tracee_ip(&thread->regs))
				   : !delicate(remote, tracee_ip(&thread->regs)) &&
				     !brings_allocator(remote, tracee_ip(&thread->regs))) &&
	       good_stack(remote, tracee_sp(&thread->regs), tracee_tls(&thread->regs));
}

/* From call to call, until one is good: 0, ETIMEDOUT (it runs), or gone. */
static int follow(struct thread *thread, const struct remote *remote, long end)
{
	int status, err;

	for (;;) {
		if (ptrace(PTRACE_SYSCALL, thread->tid, 0, (long)thread->signal))
			return errno;
		thread->signal = 0;
		thread->stopped = thread->at_entry = false;
		err = thread_wait(thread->tid, &status,
				  end > thread_now_ms() ? (int)(end - thread_now_ms()) : 0);
		if (err)
			return err;
		thread->stopped = true;
		if (is_call_stop(status)) {
			thread->at_entry = thread_at_entry(thread->tid);
			err = thread->at_entry && good_entry(remote, thread)
				      ? tracee_see_all(thread) : EAGAIN;
			thread->at_call = !err;
			if (err != EAGAIN)
				return err;
		} else if (!thread_is_event(status)) {
			thread->signal = WSTOPSIG(status);
			/* With signals all the time, as of breakpoints, it makes calls for these only. */
			if (!thread_read(thread) && computes_now(remote, thread) &&
			    past_signal(remote, thread))
				return thread->at_call = 0;
		}
		/* None of its calls is good: then what it does between them may be. */
		if (thread_now_ms() > end)
			return remote->calls_only ? ETIMEDOUT : EAGAIN;
	}
}

/*
 * It makes no calls: bring it back, and look whether it only computes.  Where a probe is
 * hit all the time it is in the engine mostly, so it is looked for often.
 */
static int catch_running(struct thread *thread, const struct remote *remote)
{
	long end = thread_now_ms() + CATCH_MS;
	int err;

	for (;;) {
		err = thread->stopped ? 0 : thread_interrupt(thread);
		if (err)
			return err;
		if (thread->signal == (SIGTRAP | 0x80))
			thread->signal = 0;
		if (thread->signal == SIGTRAP)
			past_signal(remote, thread);
		if (computes_now(remote, thread) && past_signal(remote, thread))
			return thread->at_call = 0;
		if ((tracee_call(&thread->regs) >= 0 && !remote->calls_only) ||
		    thread_now_ms() > end)
			return EAGAIN;
		if (ptrace(PTRACE_CONT, thread->tid, 0, (long)thread->signal))
			return errno;
		thread->signal = 0;
		thread->stopped = false;
		/* Another moment of what it does again and again each time. */
		usleep((useconds_t)(20 + random() % 150));
	}
}

static int try_thread(struct thread *thread, const struct remote *remote,
		      const struct candidate *c)
{
	int err = thread_stop(thread, c->tid);

	if (!err)
		thread->at_call = thread->in_call =
			sleeps_at_breakpoint(remote, thread);
	if (!err && !thread->in_call)
		err = follow(thread, remote, thread_now_ms() + CALL_MS);
	if (err == ETIMEDOUT)
		err = catch_running(thread, remote);
	if (!err)
		err = frame_save_vectors(thread);
	if (err)
		thread_release(thread);
	return err;
}

static int by_rank(const void *a, const void *b)
{
	return (int)((const struct candidate *)a)->rank -
	       (int)((const struct candidate *)b)->rank;
}

/* some: not more than a few of the best are wanted. */
static int candidates(const struct remote *remote, pid_t except, bool some,
		      struct candidate **out)
{
	pid_t *tids = NULL;
	int i, nr = remote_threads(remote->pid, &tids), used = 0, best = 0;

	*out = nr > 0 ? calloc((size_t)nr, sizeof(**out)) : NULL;
	if (!*out) {
		free(tids);
		return nr < 0 ? nr : -ESRCH;
	}
	for (i = 0; i < nr && (!some || best < BEST_MAX); i++) {
		(*out)[used].tid = tids[i];
		if (tids[i] != except && rank_of(remote, &(*out)[used]))
			best += (*out)[used++].rank == RESTS;
	}
	free(tids);
	/* glibc's keeps the order among equals. */
	qsort(*out, (size_t)used, sizeof(**out), by_rank);
	return used;
}

/* One round over all.  late: also those that would notice. */
static int try_all(struct thread *thread, const struct remote *remote,
		   pid_t except, bool first, bool late)
{
	struct candidate *list;
	int i, nr = candidates(remote, except, first, &list), err = EAGAIN;

	if (nr < 0)
		return -nr;
	/* Nobody else is there. */
	if (nr && list[0].rank == WOULD_NOTICE)
		late = true;
	for (i = 0; i < nr; i++) {
		if (list[i].rank == WOULD_NOTICE && !late)
			break;
		err = try_thread(thread, remote, &list[i]);
		if (!err || err == EPERM)
			break;
	}
	free(list);
	return err;
}

int thread_take(struct thread *thread, const struct remote *remote,
		pid_t except, const char **why)
{
	long begin = thread_now_ms();
	bool first = true;
	int err;

	cli_progress_begin("waiting for a thread at a system call");
	do {
		err = try_all(thread, remote, except, first,
			      thread_now_ms() > begin + SPARE_MS);
		if (!err || err == EPERM || err == ENOENT ||
		    remote_has_changed(remote->pid))
			break;
		first = false;
		cli_progress(0, 0);
		usleep(1000);
	} while (thread_now_ms() < begin + PATIENCE_MS);
	cli_progress_end();
	*why = err == EPERM ? "not permitted" :
	       err == ENOENT || err == ESRCH ? "the process has ended" :
	       "no thread came to a system call where it could be borrowed: they are all in the C library or the dynamic linker, or in system calls of other kinds; try again";
	return err == ENOENT ? ESRCH : err;
}
