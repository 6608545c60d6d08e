/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * debugged.c - a debugger takes a breakpoint's signal for its own.
 *
 * Owns: a debugger that attaches, sees SIGTRAP, keeps or passes it, and leaves.  The
 * process goes on with the right result.
 */
#include "live.h"

#include <kprobes/control.h>

#include <sys/ptrace.h>

#define CALLS 400

int tick(int a);
/* The rest of it, behind the first byte, is no instruction of 64 bits. */
#ifdef __x86_64__
__asm__(".text\n.p2align 4\n"
	".globl tick\n.type tick, @function\n"
	"tick:	lea 7(%rdi), %eax\n"
	"	ret\n"
	".size tick, . - tick\n");
#else
__attribute__((noinline, noclone)) int tick(int a)
{
	__asm__("");
	return a + 7;
}
#endif

static int ready[2];

/* 0: all is well. */
static int traced(void)
{
	struct kprobe probe = { .addr = (kprobe_opcode_t *)(unsigned long)tick,
				.pre_handler = live_pre };
	int i;

	if (kprobes_set_optimization(false) || register_kprobe(&probe) ||
	    write(ready[1], "", 1) != 1)
		return 2;
	for (i = 0; i < CALLS; i++) {
		if (tick(i) != i + 7)
			return 3;
		usleep(5000);
	}
	unregister_kprobe(&probe);
	return live_hits + (long)probe.nmissed == CALLS ? 0 : 4;
}

/* pass: as gdb after "handle SIGTRAP nostop pass". */
static bool visited(bool pass)
{
	int status, stops = 0;
	char byte;
	pid_t pid;

	alarm(LIVE_PATIENCE);
	NEED(!pipe(ready));
	pid = fork();
	if (!pid)
		_exit(traced());
	NEED(read(ready[0], &byte, 1) == 1);
	NEED(!ptrace(PTRACE_SEIZE, pid, NULL, NULL));
	while (stops < (pass ? 20 : 1)) {
		NEED(waitpid(pid, &status, 0) == pid && WIFSTOPPED(status));
		if (WSTOPSIG(status) == SIGTRAP)
			stops++;
		else if (!pass)
			return false;
		if (stops < (pass ? 20 : 1))
			NEED(!ptrace(PTRACE_CONT, pid, NULL, (long)WSTOPSIG(status)));
	}
	NEED(!ptrace(PTRACE_DETACH, pid, NULL, pass ? (long)SIGTRAP : 0l));
	NEED(waitpid(pid, &status, 0) == pid);
	if (status)
		printf("# %s\n", status_text(status));
	return !status;
}

static void keeps(void)
{
	NEED(visited(false));
}

static void passes(void)
{
	NEED(visited(true));
}

int main(void)
{
	pid_t pid = fork();
	int status = 0;

	/* An emulator has no ptrace. */
	if (!pid)
		_exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0);
	waitpid(pid, &status, 0);
	if (WIFSTOPPED(status)) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		status = 0;
	}
	if (status) {
		printf("skip a_debugger_visits there is no ptrace here\nok a_debugger_looked_for\n");
		return 0;
	}
	child_case("a_debugger_passes_SIGTRAP_on", passes);
#ifndef __i386__	/* the rest of an instruction may be one, there */
	child_case("a_debugger_keeps_SIGTRAP", keeps);
#else
	(void)keeps;
#endif
	return live_failed;
}
