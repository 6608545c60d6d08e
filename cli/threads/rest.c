/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rest.c - what a thread sleeps in, without touching it.
 *
 * Owns: what /proc says about a thread that is asleep in a system call, and what follows from
 * that: will its signal mask stay as it is, does the call continue as if nothing had happened
 * when a stop interrupts it, and can the thread hold a lock of the heap or of the dynamic linker?
 *
 * A stop ends every sleep.  The kernel continues some calls with the time that was left.  Others
 * start again with the whole of their time.  Others return what they have, or EINTR.  So a
 * sleeping thread is best left alone.
 */
#include "ptracer.h"
#include "attach_cli.h"
#include "newer_calls.h"

#include <ctype.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRAP (1ull << (SIGTRAP - 1))

#define FUTEX_OP 0x7fu
#define FUTEX_WAIT_BITSET 9u

static bool is_call(long call, const short *calls, size_t nr)
{
	while (nr--)
		if (calls[nr] == call)
			return true;
	return false;
}
#define IS_CALL(call, calls) is_call(call, calls, sizeof(calls) / sizeof((calls)[0]))

/* Where it is blocked in the kernel, be it that a tracer has stopped it; its look is not taken. */
static bool read_rest(pid_t pid, pid_t tid, struct rest *rest)
{
	char path[96], text[256];
	ssize_t got;
	int file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", (int)pid,
		 (int)tid);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	got = read(file, text, sizeof(text) - 1);
	close(file);
	text[got > 0 ? got : 0] = 0;
	/* "running", or "-1 SP PC" in a fault. */
	return isdigit((unsigned char)text[0]) &&
	       sscanf(text, "%ld %lx %lx %lx %lx %lx %lx %lx %lx", &rest->call,
		      &rest->args[0], &rest->args[1], &rest->args[2],
		      &rest->args[3], &rest->args[4], &rest->args[5], &rest->sp,
		      &rest->pc) == 9 && rest->call >= 0;
}

bool thread_rest(pid_t pid, pid_t tid, struct rest *rest)
{
	return read_rest(pid, tid, rest) && remote_look(pid, tid, &rest->look) &&
	       (rest->look.state == 'S' || rest->look.state == 'D');
}

/* The kernel tells its tracer of a stop, which costs less than to read its state. */
bool thread_rests_still(pid_t pid, const struct thread *thread, struct rest *now)
{
	siginfo_t info = { 0 };

	return read_rest(pid, thread->tid, now) &&
	       (waitid(P_PID, (id_t)thread->tid, &info,
		       WSTOPPED | WNOHANG | WNOWAIT | __WALL) || !info.si_pid);
}

bool rest_is_same(const struct rest *a, const struct rest *b)
{
	return a->call == b->call && a->sp == b->sp && a->pc == b->pc;
}

/* Until its child has a memory of its own. */
bool rest_is_vfork(const struct rest *rest)
{
	return rest->call == SYS_vfork || rest->call == NR_clone3 ||
	       (rest->call == SYS_clone && rest->args[0] & 0x4000);
}

/* As it is in the lists; where it leads to another call, that one's arguments lie in memory. */
static struct rest as_listed(const struct remote *remote, const struct rest *rest)
{
	struct rest as = *rest;
	remote_word words[6] = { 0 };
	size_t i;

	as.call = calls_alike(rest->call, rest->args[0]);
	if (as.call == rest->call || !CALLS_BY_POINTER(rest->call))
		return as;
	remote_read(remote, rest->args[1], words, sizeof(words));
	for (i = 0; i < 6; i++)
		as.args[i] = words[i];
	return as;
}

/* Calls with a mask of their own: afterwards the thread's is another. */
bool rest_hides_mask(const struct remote *remote, const struct rest *asked)
{
	const struct rest as = as_listed(remote, asked), *rest = &as;
	struct io_uring_getevents_arg arg;
	remote_word pointer = 0;
	uint64_t set = 0;

	switch (rest->call) {
	case SYS_rt_sigsuspend:
		return true;
	case SYS_ppoll:
		return rest->args[3];
	case SYS_epoll_pwait:
		return rest->args[4];
	case NR_epoll_pwait2:
		return rest->args[4];
	case SYS_pselect6:
	case SYS_io_pgetevents:
		/* A pointer to a pointer. */
		return rest->args[5] &&
		       (remote_read(remote, rest->args[5], &pointer, sizeof(pointer)) ||
			pointer);
	case NR_io_uring_enter:
		if (!rest->args[4])
			return false;
		return !(rest->args[3] & IORING_ENTER_EXT_ARG) ||
		       remote_read(remote, rest->args[4], &arg, sizeof(arg)) ||
		       arg.sigmask;
	case SYS_rt_sigtimedwait:
		/* What it waits for is open meanwhile. */
		return remote_read(remote, rest->args[0], &set, sizeof(set)) ||
		       set & TRAP;
	}
	return false;
}

/* ---- does an interruption leave a trace? ------------------------------------------------------- */

static mode_t kind_of(pid_t pid, unsigned long fd)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/fd/%lu", (int)pid, fd);
	return stat(path, &st) ? S_IFREG : st.st_mode & S_IFMT;
}

bool rest_on_socket(pid_t pid, unsigned long fd)
{
	return kind_of(pid, fd) == S_IFSOCK;
}

static bool is_zero(int fd, int option)
{
	struct timeval time;
	socklen_t len = sizeof(time);

	return !getsockopt(fd, SOL_SOCKET, option, &time, &len) &&
	       !time.tv_sec && !time.tv_usec;
}

/* Neither SO_RCVTIMEO nor SO_SNDTIMEO: such a call has no end of its own. */
static bool without_end(pid_t pid, unsigned long number)
{
	bool endless;
	int fd;

	if (!rest_on_socket(pid, number))
		return true;
	fd = take_any(pid, (int)number);
	endless = fd >= 0 && is_zero(fd, SO_RCVTIMEO) && is_zero(fd, SO_SNDTIMEO);
	if (fd >= 0)
		close(fd);
	return endless;
}

bool rest_restarts(const struct remote *remote, const struct rest *asked)
{
	const struct rest as = as_listed(remote, asked), *rest = &as;
	static const short calls[] = {
		SYS_restart_syscall, SYS_poll, SYS_ppoll, SYS_select,
		SYS_pselect6, SYS_nanosleep, SYS_clock_nanosleep, SYS_pause,
		SYS_rt_sigsuspend, SYS_wait4, SYS_waitid, SYS_flock,
		SYS_msgrcv, SYS_msgsnd, SYS_semop, SYS_futex, SYS_fcntl,
		SYS_mq_timedreceive, SYS_mq_timedsend, NR_futex_waitv,
	};

	if (IS_CALL(rest->call, calls))
		return true;
	switch (rest->call) {
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
		return (int)rest->args[3] < 0;
	case NR_epoll_pwait2:
	case SYS_semtimedop:
		return !rest->args[3];
	case SYS_rt_sigtimedwait:
		return !rest->args[2];
	case SYS_io_getevents:
	case SYS_io_pgetevents:
		return !rest->args[4];
	case SYS_recvfrom:
		return !(rest->args[3] & MSG_WAITALL) &&
		       without_end(remote->pid, rest->args[0]);
	case SYS_recvmsg:
		return !(rest->args[2] & MSG_WAITALL) &&
		       without_end(remote->pid, rest->args[0]);
	case SYS_read:
	case SYS_readv:
	case SYS_accept:
	case SYS_accept4:
	case SYS_connect:
		return without_end(remote->pid, rest->args[0]);
	}
	return false;
}

/* ---- is it outside of allocators and the linker? -------------------------------- */

/* On a kind of file that a library would not be read from? */
static bool waits_for_input(pid_t pid, unsigned long fd)
{
	mode_t kind = kind_of(pid, fd);

	return kind != S_IFREG && kind != S_IFDIR && kind != S_IFBLK;
}

/*
 * Calls that change what a command has noted of the thread, its mask and its handlers, or that
 * make or become another process, which has what was written meanwhile: no thread is taken there.
 */
bool rest_call_changes_thread(long call)
{
	static const short calls[] = {
		SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigaction, SYS_sigaltstack,
		SYS_clone, NR_clone3, SYS_fork, SYS_vfork, SYS_execve, SYS_execveat,
		SYS_exit, SYS_exit_group,
	};

	return IS_CALL(call, calls);
}

/* Not getpid: the C library makes it while it signals all its threads. */
bool rest_call_is_safe(pid_t pid, long call, unsigned long first,
		       unsigned long second)
{
	static const short calls[] = {
		SYS_poll, SYS_ppoll, SYS_select, SYS_pselect6, SYS_epoll_wait,
		SYS_epoll_pwait, NR_epoll_pwait2, SYS_accept, SYS_accept4,
		SYS_recvfrom, SYS_recvmsg, SYS_recvmmsg, SYS_sendto,
		SYS_sendmsg, SYS_sendmmsg, SYS_connect, SYS_nanosleep,
		SYS_clock_nanosleep, SYS_pause, SYS_rt_sigsuspend,
		SYS_rt_sigtimedwait, SYS_wait4, SYS_waitid, SYS_io_getevents,
		SYS_io_pgetevents, NR_io_uring_enter, SYS_msgrcv, SYS_msgsnd,
		SYS_semop, SYS_semtimedop, SYS_mq_timedreceive,
		SYS_mq_timedsend, SYS_flock, SYS_fsync, SYS_fdatasync,
		SYS_sync, SYS_syncfs, SYS_write, SYS_writev, SYS_pwrite64,
		SYS_getppid, SYS_times, SYS_getrusage, SYS_setsockopt,
		SYS_epoll_ctl, SYS_shutdown, SYS_kill, SYS_alarm,
		SYS_setitimer, SYS_sendfile, SYS_splice, SYS_tee,
		SYS_vmsplice, SYS_timerfd_settime, SYS_unlink, SYS_rename,
		NR_futex_waitv,
		/*
		 * A sleep, poll, or a wait for a futex with a time of its own:
		 * locks are waited for without one.
		 */
		SYS_restart_syscall,
	};

	call = calls_alike(call, first);
	if (IS_CALL(call, calls))
		return true;
	if (call == SYS_read || call == SYS_readv)
		return waits_for_input(pid, first);
	if (call == SYS_fcntl)
		return second == F_SETLKW || second == F_OFD_SETLKW;
	/* Locks are waited for with FUTEX_WAIT; conditions with this one. */
	return call == SYS_futex && (second & FUTEX_OP) == FUTEX_WAIT_BITSET;
}
