// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * seccomp.c - whether a system call that we need would kill the process.
 *
 * Owns: the questions to the filters of each of the process's threads (seccomp_filter.h interprets them).
 * The kernel gives filters only to root.  A user who cannot read them cannot attach to such a
 * process.
 */
#include "attach_cli.h"
#include "cli.h"

#include "signals/seccomp_filter.h"
#include "newer_calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>

#define PRIVATE (MAP_PRIVATE | MAP_ANONYMOUS)

struct call {
	int number;
	const char *name;
	uint64_t args[6];
};

/* What a thread does that only hits probes, and lets its masks be watched. */
static const struct call hit_calls[] = {
	{ SYS_rt_sigreturn, "rt_sigreturn", { 0 } },
	{ SYS_rt_sigprocmask, "rt_sigprocmask", { 0 } },
	{ SYS_sigaltstack, "sigaltstack", { 0 } },
	{ SYS_gettid, "gettid", { 0 } },
	{ SYS_getpid, "getpid", { 0 } },
	{ SYS_tgkill, "tgkill", { 0 } },
	{ SYS_mmap, "mmap", { 0, 4096, PROT_READ | PROT_WRITE, PRIVATE, ~0ull } },
	{ SYS_mmap, "mmap", { 0, 4096, PROT_NONE, PRIVATE | MAP_NORESERVE, ~0ull } },
	{ SYS_mprotect, "mprotect", { 0, 4096, PROT_READ | PROT_WRITE } },
	{ SYS_restart_syscall, "restart_syscall", { 0 } },
	{ SYS_rt_tgsigqueueinfo, "rt_tgsigqueueinfo", { 0 } },
	/* In a handler: a line, current->comm, and the time without a vdso. */
	{ SYS_write, "write", { 2 } },
	{ SYS_prctl, "prctl", { 16 } },
	{ SYS_clock_gettime, "clock_gettime", { 1 } },
};

/*
 * What attaching, the service thread, a breakpoint's arming, a hit and leaving
 * do; and the C library for them.  refuse.py has a process that may do no more.
 */
static const struct call calls[] = {
	{ SYS_mmap, "mmap", { 0, 4096, PROT_READ | PROT_EXEC, PRIVATE, ~0ull } },
	{ SYS_mmap, "mmap", { 0, 4096, PROT_READ | PROT_WRITE, PRIVATE, ~0ull } },
	{ SYS_munmap, "munmap", { 0 } },
	{ SYS_mprotect, "mprotect", { 0, 4096, PROT_READ } },
	{ SYS_openat, "openat", { (uint64_t)-100 } },
	{ SYS_openat, "openat for writing", { (uint64_t)-100, 0, 02 } },
	{ SYS_read, "read", { 3 } },
	{ SYS_pread64, "pread64", { 3 } },
	{ SYS_pwrite64, "pwrite64", { 3 } },
	{ SYS_newfstatat, "newfstatat", { 3 } },
	{ SYS_fstat, "fstat", { 3 } },
	{ SYS_close, "close", { 3 } },
	{ SYS_rt_sigaction, "rt_sigaction", { 5 } },
	{ SYS_rt_sigprocmask, "rt_sigprocmask", { 0 } },
	{ SYS_rt_sigreturn, "rt_sigreturn", { 0 } },
	{ SYS_membarrier, "membarrier", { 0x20 } },
	{ SYS_mincore, "mincore", { 0 } },
	{ SYS_madvise, "madvise", { 0, 4096, 18 } },
	{ SYS_brk, "brk", { 0 } },
	{ SYS_getpid, "getpid", { 0 } },
	{ SYS_gettid, "gettid", { 0 } },
	{ SYS_tgkill, "tgkill", { 0 } },
	{ NR_clone3, "clone3", { 0 } },
	{ SYS_clone, "clone for a thread", { 0x3d0f00 } },
	{ SYS_clone, "clone for a thread", { 0x350f00 } },
	/* The engine's image: its memory, and its threads. */
	{ SYS_mmap, "mmap of code of a file", { 0x100000, 4096, PROT_READ | PROT_EXEC,
						MAP_PRIVATE | MAP_FIXED, 3 } },
	{ SYS_mmap, "mmap of a file", { 0, 4096, PROT_NONE, MAP_PRIVATE | MAP_NORESERVE, 3 } },
	{ SYS_clone, "clone for a thread of the engine's", { 0x12d0f00 } },
	{ SYS_set_robust_list, "set_robust_list", { 0 } },
	{ SYS_rseq, "rseq", { 0 } },
	{ SYS_futex, "futex", { 0 } },
	{ SYS_prctl, "prctl", { 15 } },
	{ NR_close_range, "close_range", { 0, ~0u, 2 } },
	{ SYS_capset, "capset", { 0 } },
	{ SYS_arch_prctl, "arch_prctl", { 0x1002 } },
	{ SYS_socketpair, "socketpair", { AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC } },
	{ SYS_setsockopt, "setsockopt", { 3, SOL_SOCKET, SO_PASSCRED } },
	{ SYS_getsockopt, "getsockopt", { 3, SOL_SOCKET, SO_DOMAIN } },
	{ SYS_fcntl, "fcntl", { 3, 1030, 100 } },
	{ SYS_recvmsg, "recvmsg", { 3 } },
	{ SYS_sendmsg, "sendmsg", { 3 } },
	{ SYS_ppoll, "ppoll", { 0, 1 } },
	{ SYS_geteuid, "geteuid", { 0 } },
	{ SYS_nanosleep, "nanosleep", { 0 } },
	{ SYS_sched_yield, "sched_yield", { 0 } },
	{ SYS_exit, "exit", { 0 } },
	{ SYS_write, "write", { 2 } },
	/* The kernel's, of a sleep that a stop interrupts. */
	{ SYS_restart_syscall, "restart_syscall", { 0 } },
	/* The library, where the process cannot see its file. */
	{ SYS_memfd_create, "memfd_create", { 0, 3 } },
	/* A shadow stack?  The other threads; the program's name. */
	{ SYS_arch_prctl, "arch_prctl", { 0x5005 } },
	{ SYS_getdents64, "getdents64", { 3 } },
	{ SYS_readlinkat, "readlinkat", { (uint64_t)-100 } },
	/* In a handler: current->comm, and the time where the vdso has none. */
	{ SYS_prctl, "prctl", { 16 } },
	{ SYS_clock_gettime, "clock_gettime", { 1 } },
	/* Which calls with a return probe were left by longjmp. */
	{ SYS_sigaltstack, "sigaltstack", { 0 } },
	/* A SIGTRAP of the program's own, kept until it is open. */
	{ SYS_rt_tgsigqueueinfo, "rt_tgsigqueueinfo", { 0 } },
	/* malloc and realloc: a first use, a thread's first, large blocks, trim. */
	{ SYS_getrandom, "getrandom", { 0, 8, 1 } },
	{ SYS_sched_getaffinity, "sched_getaffinity", { 0 } },
	/* How far the main thread's stack may grow. */
	{ SYS_prlimit64, "prlimit64", { 0, 3 } },
	{ SYS_mremap, "mremap", { 0, 4096, 8192, 1 } },
	{ SYS_madvise, "madvise", { 0, 4096, 4 } },
	CALLS_ATTACH
};

static const char *first_harm(const struct sock_filter *code, size_t nr,
			      const struct call *asked, size_t asked_nr)
{
	size_t i;

	for (i = 0; i < asked_nr; i++) {
		struct seccomp_data data = {
			.nr = asked[i].number, .arch = CALLS_AUDIT_ARCH,
		};

		if (data.nr < 0)
			continue;	/* this processor has no such call */
		memcpy(data.args, asked[i].args, sizeof(data.args));
		if (kp_filter_harms(kp_filter_evaluate(code, nr, &data)))
			return asked[i].name;
	}
	return NULL;
}

static int say_strict(pid_t pid, pid_t tid)
{
	return process_failed(
		pid, CLI_REFUSED,
		": its thread %d is in strict seccomp mode: it may only read, write and exit, and a breakpoint would kill it; start it with \"kprobes load ... -- COMMAND\" instead, and probe what can be a jump",
		(int)tid);
}

static int say_unread(pid_t pid, int err)
{
	return process_failed(
		pid, err == EACCES || err == EPERM ? CLI_DENIED : CLI_REFUSED,
		" has a seccomp filter, which only root can read (%s); run as root, so that no system call kills it",
		strerror(err));
}

int cli_seccomp_look(pid_t pid, bool others)
{
	bool readable = filtered_readable();
	int i, nr, strict = 0, filtered = 0;
	pid_t *tids = NULL, first = 0;

	nr = remote_threads(pid, &tids);
	for (i = 0; i < nr; i++)
		switch (filtered_mode(pid, tids[i])) {
		case 1:
			strict++;
			first = tids[i];
			break;
		case 2:
			filtered++;
			break;
		}
	free(tids);
	if (strict && (others || strict == nr))
		return say_strict(pid, first);
	if (!readable && filtered && (others || filtered + strict == nr))
		return say_unread(pid, EACCES);
	return CLI_OK;
}

/* tid is stopped; hits: it need not do more.  A status, printed. */
static int check(pid_t pid, pid_t tid, bool hits)
{
	long mode = filtered_mode(pid, tid), nr, i;
	struct sock_filter *code;
	const char *harm = NULL;
	int err;

	if (mode == 1)
		return say_strict(pid, tid);
	if (mode <= 0)
		return CLI_OK;
	for (i = 0; !harm; i++) {
		nr = ptrace(PTRACE_SECCOMP_GET_FILTER, tid, i, NULL);
		if (nr < 0)
			break;
		code = calloc((size_t)nr + 1, sizeof(*code));
		if (!code || ptrace(PTRACE_SECCOMP_GET_FILTER, tid, i, code) < 0)
			harm = "(cannot be read)";
		else if (hits)
			harm = first_harm(code, (size_t)nr, hit_calls,
					  sizeof(hit_calls) / sizeof(hit_calls[0]));
		else
			harm = first_harm(code, (size_t)nr, calls,
					  sizeof(calls) / sizeof(calls[0]));
		free(code);
	}
	if (harm)
		return process_failed(
			pid, CLI_REFUSED,
			": a seccomp filter would kill it for the system call %s, which probing needs in its thread %d; start it with \"kprobes load ... -- COMMAND\" so that the probes are in before the filter",
			harm, (int)tid);
	if (i)
		return CLI_OK;
	err = errno;
	if (hits && err == ESRCH)
		return CLI_OK;		/* it has ended */
	return say_unread(pid, err);
}

int cli_seccomp_check(pid_t pid, pid_t tid)
{
	return check(pid, tid, false);
}

/* One that is not stopped yet, and may have ended. */
static int check_running(pid_t pid, pid_t tid)
{
	struct thread thread;
	int err = thread_stop(&thread, tid), status = CLI_OK;

	if (!err)
		status = cli_dispatch_check(pid, tid);
	if (!err && !status)
		status = check(pid, tid, true);
	else if (err && err != ESRCH && filtered_mode(pid, tid) > 0)
		status = process_failed(pid, CLI_FAILED,
					": its thread %d, which has a seccomp filter, could not be stopped: %s",
					(int)tid, strerror(err));
	thread_release(&thread);
	return status;
}

int cli_seccomp_check_others(pid_t pid, pid_t except)
{
	pid_t *tids = NULL;
	int i, nr = remote_threads(pid, &tids), status = CLI_OK;
	struct remote_look look;

	/* One that sleeps is not woken to be asked whether it dispatches. */
	for (i = 0; i < nr && !status; i++)
		if (tids[i] != except && remote_look(pid, tids[i], &look) &&
		    (look.seccomp > 0 || look.state == 'R'))
			status = check_running(pid, tids[i]);
	free(tids);
	return status;
}

/* All are stopped: those that have got a filter meanwhile, too. */
int cli_check_stopped(pid_t pid, const struct threads *threads)
{
	int i, status = CLI_OK;

	for (i = 0; i < threads->nr && !status; i++)
		status = cli_dispatch_check(pid, threads->list[i].tid);
	for (i = 0; i < threads->nr && !status; i++)
		if (filtered_mode(pid, threads->list[i].tid) > 0)
			status = check(pid, threads->list[i].tid, true);
	return status;
}
