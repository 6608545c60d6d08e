// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * stop.c - stopping a thread, and choosing one.
 *
 * Owns: the rules by which a thread may be borrowed:
 *   - it is before a system call that waits for the outside or talks to it
 *     (safe_call): an allocator or the linker would not make it;
 *   - or, when no thread of the process makes system calls, it runs in code
 *     that is neither, and nothing on its stack points into either;
 *   - it is on a stack of the C library's, with room below.
 * A system call that the stop itself has interrupted is restarted.
 */
#include "trace.h"
#include "cli.h"

#include <errno.h>
#include <linux/elf.h>
#include <linux/ptrace.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STOP_MS 2000			/* for a stop that must come */
#define CALL_MS 150			/* for a running thread's next call */
#define PATIENCE_MS 5000		/* for all of it */
#define RESUME_MS 50			/* for a call to be taken up again */
#define STACK_ROOM (24u * 1024)

#define ERESTARTSYS 512
#define ERESTARTNOINTR 513
#define ERESTARTNOHAND 514
#define ERESTART_RESTARTBLOCK 516

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* ---- one thread ---------------------------------------------------------------- */

int thread_wait(pid_t tid, int *status, int ms)
{
	long end = now_ms() + ms;
	int tries = 0;
	pid_t got;

	for (;;) {
		got = waitpid(tid, status, __WALL | WNOHANG);
		if (got == tid)
			return WIFSTOPPED(*status) ? 0 : ESRCH;
		if (got < 0 && errno != EINTR)
			return errno;
		if (now_ms() > end)
			return ETIMEDOUT;
		if (tries++ < 50)
			sched_yield();
		else
			usleep(100);
	}
}

/* Stopped by our request, by a signal of its own, or at a system call. */
static bool is_event_stop(int status)
{
	return status >> 16 == PTRACE_EVENT_STOP;
}

static bool is_call_stop(int status)
{
	return WSTOPSIG(status) == (SIGTRAP | 0x80);
}

static bool is_call(long call, const long *calls, size_t nr)
{
	while (nr--)
		if (calls[nr] == call)
			return true;
	return false;
}
#define IS_CALL(call, calls) is_call(call, calls, sizeof(calls) / sizeof((calls)[0]))

/*
 * Calls that end with EINTR when they are interrupted, even by a stop.  If
 * there is a signal with a handler they still do.
 */
static void restart_call(struct user_regs_struct *regs, pid_t tid)
{
	static const long calls[] = {
		SYS_epoll_wait, SYS_epoll_pwait, 441 /* epoll_pwait2 */,
		SYS_rt_sigtimedwait, SYS_semop, SYS_semtimedop,
		SYS_io_getevents, SYS_io_pgetevents, SYS_accept, SYS_accept4,
		SYS_recvfrom, SYS_recvmsg, SYS_recvmmsg, SYS_sendto,
		SYS_sendmsg, SYS_sendmmsg, SYS_msgrcv, SYS_msgsnd,
	};

	if ((long)regs->rax != -EINTR ||
	    !IS_CALL((long)regs->orig_rax, calls))
		return;
	regs->rax = (unsigned long)-ERESTARTNOHAND;
	ptrace(PTRACE_SETREGS, tid, 0, regs);
}

int thread_read(struct thread *thread)
{
	return ptrace(PTRACE_GETREGS, thread->tid, 0, &thread->regs) ||
	       ptrace(PTRACE_GETSIGMASK, thread->tid, sizeof(thread->mask),
		      &thread->mask) ? errno : 0;
}

int thread_stop(struct thread *thread, pid_t tid)
{
	int status, err;

	*thread = (struct thread){ .tid = tid };
	if (ptrace(PTRACE_SEIZE, tid, 0, PTRACE_O_TRACESYSGOOD))
		return errno;
	if (ptrace(PTRACE_INTERRUPT, tid, 0, 0))
		return errno;
	err = thread_wait(tid, &status, STOP_MS);
	if (err)
		return err;
	thread->stopped = true;
	if (!is_event_stop(status))
		thread->signal = WSTOPSIG(status);
	err = thread_read(thread);
	if (err)
		return err;
	if (is_event_stop(status))
		restart_call(&thread->regs, tid);
	thread->call = (long)thread->regs.orig_rax;
	return 0;
}

void thread_let_go(struct thread *thread)
{
	if (!thread->stopped)
		return;
	ptrace(PTRACE_DETACH, thread->tid, 0, (long)thread->signal);
	thread->stopped = false;
	thread->resuming = (long)thread->regs.orig_rax >= 0;
}

/*
 * A system call that was interrupted begins anew.  Until it sleeps in it again
 * no probe may come to stand there: the return from our signal handler would
 * make the kernel forget how long is left.
 */
static void wait_resumed(const struct thread *thread)
{
	long end = now_ms() + RESUME_MS;
	char state;

	do {
		state = remote_state(thread->tid, thread->tid);
		if (state != 'R' && state != 't')
			return;
		sched_yield();
	} while (now_ms() < end);
}

void thread_release(struct thread *thread)
{
	thread_let_go(thread);
	if (thread->resuming)
		wait_resumed(thread);
	thread->resuming = false;
	free(thread->vectors);
	thread->vectors = NULL;
}

/* ---- is this a good place? ---------------------------------------------------- */

/* On a kind of file that a library would not be read from? */
static bool waits_for_input(pid_t pid, unsigned long fd)
{
	char path[64], target[64];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/fd/%lu", (int)pid, fd);
	len = readlink(path, target, sizeof(target) - 1);
	if (len <= 0)
		return false;
	target[len] = 0;
	return !strncmp(target, "pipe:", 5) || !strncmp(target, "socket:", 7) ||
	       !strncmp(target, "/dev/", 5) || !strncmp(target, "anon_inode", 10);
}

/* Not getpid: the C library makes it while it signals all its threads. */
static bool safe_call(pid_t pid, long call, unsigned long first,
		      unsigned long second)
{
	static const long calls[] = {
		SYS_poll, SYS_ppoll, SYS_select, SYS_pselect6, SYS_epoll_wait,
		SYS_epoll_pwait, 441, SYS_accept, SYS_accept4, SYS_recvfrom,
		SYS_recvmsg, SYS_recvmmsg, SYS_sendto, SYS_sendmsg,
		SYS_sendmmsg, SYS_connect, SYS_nanosleep, SYS_clock_nanosleep,
		SYS_pause, SYS_rt_sigsuspend, SYS_rt_sigtimedwait, SYS_wait4,
		SYS_waitid, SYS_io_getevents, SYS_msgrcv, SYS_semop,
		SYS_semtimedop, SYS_flock, SYS_fsync, SYS_fdatasync,
		SYS_write, SYS_writev, SYS_pwrite64, SYS_getppid, SYS_times,
		SYS_getrusage, SYS_setsockopt, SYS_epoll_ctl, SYS_shutdown,
		SYS_kill, SYS_alarm, SYS_setitimer, SYS_sendfile,
		SYS_timerfd_settime, SYS_unlink, SYS_rename,
	};

	if (IS_CALL(call, calls))
		return true;
	if (call == SYS_read || call == SYS_readv)
		return waits_for_input(pid, first);
	/* Locks are waited for with FUTEX_WAIT; conditions with this one. */
	return call == SYS_futex && (second & 0x7f) == 9 /* WAIT_BITSET */;
}

/* The C library's own stack, with room. */
static bool good_stack(const struct remote *remote, uint64_t sp,
		       uint64_t thread_pointer)
{
	const struct remote_map *map = remote_map_at(remote, sp);

	if (!map || !map->write || sp - STACK_ROOM < map->start)
		return false;
	return !strcmp(map->path, "[stack]") ||
	       (thread_pointer > sp && thread_pointer < map->end);
}

/* Text where a lock of the heap or the linker may be held. */
static bool delicate(const struct remote *remote, uint64_t ip)
{
	static const char *const parts[] = {
		"/ld-linux", "/ld-", "/libc.so", "/libc-", "alloc",
		"/libkprobes", "[vdso]", "san.so",
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

/* Its own allocator would be in the program's text. */
static bool brings_allocator(const struct remote *remote, uint64_t ip)
{
	const struct remote_map *map = remote_map_at(remote, ip);
	size_t i;

	for (i = 0; map && i < remote->maps_nr; i++)
		if (!strcmp(remote->maps[i].path, map->path))
			return remote_symbol(remote, &remote->maps[i],
					     "malloc") != 0;
	return true;
}

/*
 * A thread that only computes: nothing on its stack leads into the C library's
 * or the linker's text but the frame that started it, and no signal frame.
 */
static bool computes(const struct remote *remote,
		     const struct user_regs_struct *regs)
{
	const struct remote_map *map = remote_map_at(remote, regs->rsp);
	uint64_t words[512], at, top;
	size_t i, nr;

	if (!map || delicate(remote, regs->rip) ||
	    brings_allocator(remote, regs->rip))
		return false;
	top = map->end;
	for (at = regs->rsp & ~7ull; at < top; at += nr * 8) {
		nr = (top - at) / 8 < 512 ? (top - at) / 8 : 512;
		if (!nr || remote_read(remote, at, words, nr * 8))
			return false;
		for (i = 0; i < nr; i++) {
			const struct remote_map *to;

			if (words[i] < 4096 || words[i] >> 47)
				continue;
			to = remote_map_at(remote, words[i]);
			/* Nothing is called at a mapping's first byte: auxv. */
			if (!to || !to->exec || !to->path[0] ||
			    words[i] == to->start)
				continue;
			/* What called main or the thread's function. */
			if (strstr(to->path, "/libc") && top - at - i * 8 < 16384)
				continue;
			if (delicate(remote, words[i]))
				return false;
		}
	}
	return true;
}

/* ---- choosing -------------------------------------------------------------------- */

struct candidate {
	pid_t tid;
	bool waiting;			/* in a safe call already */
};

static bool waiting_well(const struct remote *remote, pid_t tid)
{
	char path[96], text[256] = "";
	unsigned long first, second, sp;
	long call;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall",
		 (int)remote->pid, (int)tid);
	file = fopen(path, "r");
	if (!file)
		return false;
	if (!fgets(text, sizeof(text), file))
		text[0] = 0;
	fclose(file);
	if (sscanf(text, "%ld %lx %lx %*x %*x %*x %*x %lx", &call, &first,
		   &second, &sp) != 4)
		return false;
	return safe_call(remote->pid, call, first, second);
}

/* At the entry of a safe call, on a good stack? */
static bool good_entry(const struct remote *remote, struct thread *thread)
{
	struct user_regs_struct *regs = &thread->regs;
	uint8_t insn[2];

	if (ptrace(PTRACE_GETREGS, thread->tid, 0, regs))
		return false;
	/* restart_syscall: what it was before is known. */
	if (regs->orig_rax != SYS_restart_syscall)
		thread->call = (long)regs->orig_rax;
	return !remote_read(remote, regs->rip - 2, insn, sizeof(insn)) &&
	       insn[0] == 0x0f && insn[1] == 0x05 &&
	       safe_call(remote->pid, thread->call, regs->rdi, regs->rsi) &&
	       good_stack(remote, regs->rsp, regs->fs_base);
}

static bool is_entry(pid_t tid)
{
	struct __ptrace_syscall_info info = { 0 };

	return ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof(info), &info) > 0 &&
	       info.op == PTRACE_SYSCALL_INFO_ENTRY;
}

/* From call to call, until one is good: 0, ETIMEDOUT (it runs), or gone. */
static int follow(struct thread *thread, const struct remote *remote, long end)
{
	int status, err;

	for (;;) {
		if (ptrace(PTRACE_SYSCALL, thread->tid, 0, (long)thread->signal))
			return errno;
		thread->signal = 0;
		thread->stopped = false;
		err = thread_wait(thread->tid, &status,
				  end > now_ms() ? (int)(end - now_ms()) : 0);
		if (err)
			return err;
		thread->stopped = true;
		if (is_call_stop(status)) {
			if (is_entry(thread->tid) &&
			    good_entry(remote, thread)) {
				thread->at_call = true;
				return 0;
			}
		} else if (!is_event_stop(status)) {
			thread->signal = WSTOPSIG(status);
		}
		if (now_ms() > end)
			return EAGAIN;
	}
}

/* It makes no calls: bring it back, and look whether it only computes. */
static int catch_running(struct thread *thread, const struct remote *remote)
{
	int status, err;

	if (ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0))
		return errno;
	err = thread_wait(thread->tid, &status, STOP_MS);
	if (err)
		return err;
	thread->stopped = true;
	if (is_call_stop(status) || !is_event_stop(status)) {
		thread->signal = is_call_stop(status) ? 0 : WSTOPSIG(status);
		return EAGAIN;
	}
	if (ptrace(PTRACE_GETREGS, thread->tid, 0, &thread->regs))
		return errno;
	restart_call(&thread->regs, thread->tid);
	if ((long)thread->regs.orig_rax >= 0 ||
	    !good_stack(remote, thread->regs.rsp, thread->regs.fs_base) ||
	    !computes(remote, &thread->regs))
		return EAGAIN;
	thread->at_call = false;
	return 0;
}

/* As xsave has them; on processors without it, as fxsave has. */
static int save_vectors(struct thread *thread)
{
	struct iovec part = { .iov_len = 65536 };

	part.iov_base = thread->vectors = malloc(part.iov_len);
	if (!thread->vectors)
		return errno;
	thread->vectors_set = NT_X86_XSTATE;
	if (ptrace(PTRACE_GETREGSET, thread->tid, NT_X86_XSTATE, &part)) {
		thread->vectors_set = NT_PRFPREG;
		if (ptrace(PTRACE_GETREGSET, thread->tid, NT_PRFPREG, &part))
			return errno;
	}
	thread->vectors_len = part.iov_len;
	return 0;
}

static int try_thread(struct thread *thread, const struct remote *remote,
		      pid_t tid)
{
	int err = thread_stop(thread, tid);

	if (!err)
		err = follow(thread, remote, now_ms() + CALL_MS);
	if (err == ETIMEDOUT)
		err = catch_running(thread, remote);
	if (!err)
		err = save_vectors(thread);
	if (err)
		thread_release(thread);
	return err;
}

/* Those that wait in a good place first. */
static int candidates(const struct remote *remote, pid_t except,
		      struct candidate **out)
{
	pid_t *tids = NULL;
	int i, nr = remote_threads(remote->pid, &tids), used = 0, pass;

	*out = nr > 0 ? calloc((size_t)nr, sizeof(**out)) : NULL;
	if (!*out) {
		free(tids);
		return nr < 0 ? nr : -ESRCH;
	}
	for (pass = 1; pass >= 0; pass--)
		for (i = 0; i < nr; i++) {
			bool well = tids[i] != except &&
				    waiting_well(remote, tids[i]);

			if (tids[i] != except && well == pass && used < nr)
				(*out)[used++] = (struct candidate){ tids[i],
								     well };
		}
	free(tids);
	return used;
}

int thread_take(struct thread *thread, const struct remote *remote,
		pid_t except, const char **why)
{
	long end = now_ms() + PATIENCE_MS;
	int err = ESRCH, i, nr;

	cli_progress_begin("waiting for a thread at a system call");
	do {
		struct candidate *list;

		nr = candidates(remote, except, &list);
		if (nr < 0) {
			*why = "the process has ended";
			return -nr;
		}
		for (i = 0; i < nr; i++) {
			err = try_thread(thread, remote, list[i].tid);
			if (!err || err == EPERM)
				break;
		}
		free(list);
		if (!err || err == EPERM)
			break;
		cli_progress(0, 0);
		usleep(1000);
	} while (now_ms() < end);
	cli_progress_end();
	*why = err == EPERM ? "not permitted" :
	       "no thread came to a system call where it could be borrowed; try again";
	return err;
}
