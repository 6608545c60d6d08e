// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * integrity_work.c - what an integrity checker looks at.
 *
 * usage: integrity_work ROUNDS
 *
 * Owns: in each round, processes that execute, are traced, change their rights, make keys, filter
 * their system calls and ask for a module that there is not.  Exit status 0: each did what it
 * does without probes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void execute(void)
{
	execl("/bin/true", "true", (char *)NULL);
	execl("/bin/busybox", "true", (char *)NULL);
	_exit(1);
}

static void be_traced(void)
{
	if (ptrace(PTRACE_TRACEME, 0, 0, 0))
		_exit(2);
	execute();
}

/* Not every kernel has keys or filters. */
static void make_keys(void)
{
	long ring = syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);

	if (ring == -1)
		_exit(errno == ENOSYS ? 0 : 3);
	if (syscall(SYS_add_key, "user", "kp", "value", 5, KEY_SPEC_SESSION_KEYRING) == -1)
		_exit(4);
	/* There is nobody to make it. */
	if (syscall(SYS_request_key, "user", "kp-none", NULL, 0) != -1)
		_exit(5);
	_exit(0);
}

static void lose_rights(void)
{
	if (unshare(CLONE_NEWNS) || setgroups(0, NULL) || setgid(1000) || setuid(1000) || !setuid(0))
		_exit(6);
	_exit(0);
}

static void filter_calls(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { 1, &allow };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) && errno != EINVAL))
		_exit(7);
	getppid();
	execute();
}

static void ask_for_module(void)
{
	/* A family that no kernel has built in. */
	int s = socket(AF_IPX, SOCK_DGRAM, 0);

	_exit(s == -1 ? 0 : 8);
}

static void (*const works[])(void) = {
	execute, be_traced, make_keys, lose_rights, filter_calls, ask_for_module,
};

/* A traced one stops when it has executed. */
static int wait_for(pid_t child)
{
	int status;

	for (;;) {
		if (waitpid(child, &status, 0) != child)
			return -1;
		if (!WIFSTOPPED(status))
			return status;
		if (ptrace(PTRACE_PEEKUSER, child, 0, 0) == -1 && errno == ESRCH)
			return -1;
		ptrace(PTRACE_CONT, child, 0, 0);
	}
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1, round, status;
	unsigned work;
	pid_t child;

	for (round = 0; round < rounds; round++)
		for (work = 0; work < sizeof(works) / sizeof(*works); work++) {
			child = fork();
			if (!child)
				works[work]();
			status = wait_for(child);
			if (status) {
				printf("work %u ended with %x\n", work, status);
				return 1;
			}
		}
	return 0;
}
