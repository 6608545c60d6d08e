// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_process.c - a script at work in a process: the side that may touch it.
 *
 * Owns: the shared memory, the module's way in and out, and the end: the script's
 * own, the process's, a signal's.  The program comes out of the jail, so it is not
 * looked at here; the module proves it.
 *
 *   the face        what the user started: passes signals on, and clears up when the
 *                   controller is killed
 *   the controller  attaches, loads, leaves; it ends when the face is killed
 *   the reader      trace_reader.c, in the jail
 *
 * Invariant: while probes are set share->reader holds our thread's number, and the
 * kernel knows it for a robust futex.  So handlers do nothing from the moment on
 * in which we are gone, however that came about.
 */
#include "attach_cli.h"
#include "jail.h"
#include "source.h"
#include "tracing.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PASS_MS 20			/* between looks at everything else */
#define PAGE 4096ull

static volatile sig_atomic_t asked;	/* to end: by a signal */

struct session {
	struct tracing *t;
	struct jail jail;
};

uint32_t tracing_state(const struct tracing *t)
{
	/* Acquire: what the other side wrote before it said so. */
	return __atomic_load_n(&t->mail->state, __ATOMIC_ACQUIRE);
}

void tracing_say(struct tracing *t, enum tracing_state state)
{
	__atomic_store_n(&t->mail->state, state, __ATOMIC_RELEASE);
}

/* ---- memory ---------------------------------------------------------------- */

/* Larger than the file is, for now: what lies behind its end is not touched. */
static int make_memory(struct tracing *t)
{
	int flags = MAP_SHARED | MAP_NORESERVE;

	t->memory = memfd_create("kprobes-trace", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (t->memory < 0 || ftruncate(t->memory, KT_SHARE_LEN)) {
		cli_error("no memory to share: %s", strerror(errno));
		return CLI_FAILED;
	}
	t->share = mmap(NULL, TRACING_MEMORY_MAX, PROT_READ | PROT_WRITE, flags,
			t->memory, 0);
	t->mail = mmap(NULL, sizeof(*t->mail) + 2 * TRACING_PROGRAM_MAX,
		       PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
	if (t->share == MAP_FAILED || t->mail == MAP_FAILED) {
		cli_error("no memory: %s", strerror(errno));
		return CLI_FAILED;
	}
	t->share->magic = KT_SHARE_MAGIC;
	return CLI_OK;
}

/*
 * The list's head is ours, so that nothing in the shared memory leads the kernel
 * anywhere: the futex is its one entry "under way".
 */
static void hold_futex(struct tracing *t)
{
	static struct robust_list_head head;

	head.list.next = &head.list;
	head.futex_offset = 0;
	head.list_op_pending = (struct robust_list *)(uintptr_t)&t->share->reader;
	t->share->reader = (uint32_t)syscall(SYS_gettid);
	syscall(SYS_set_robust_list, &head, sizeof(head));
}

static uint64_t pages(uint64_t len)
{
	return (len + PAGE - 1) / PAGE * PAGE;
}

/* As large as the program wants it: share, program, tables, arena. */
static int grow_memory(struct tracing *t)
{
	uint64_t program = pages(t->mail->program_len);
	uint64_t unwind = pages(t->mail->unwind_len);
	uint64_t arena = pages(t->mail->arena_len);
	struct kt_share *share = t->share;

	if (program > TRACING_PROGRAM_MAX || unwind > TRACING_PROGRAM_MAX ||
	    arena > TRACING_MEMORY_MAX / 2) {
		cli_error("the script's maps would need %llu MiB: make them smaller with BPFTRACE_MAP_KEYS_MAX",
			  (unsigned long long)arena >> 20);
		return CLI_REFUSED;
	}
	share->program = KT_SHARE_LEN;
	share->program_len = t->mail->program_len;
	share->unwind = share->program + program;
	share->unwind_len = t->mail->unwind_len;
	share->arena = share->unwind + unwind;
	share->arena_len = arena;
	share->len = share->arena + arena;
	if (ftruncate(t->memory, (off_t)share->len) ||
	    fcntl(t->memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW |
		  F_SEAL_SEAL)) {
		cli_error("no memory to share: %s", strerror(errno));
		return CLI_FAILED;
	}
	memcpy((char *)share + share->program, t->mail->bytes,
	       share->program_len);
	memcpy((char *)share + share->unwind, t->mail->bytes + program,
	       share->unwind_len);
	return CLI_OK;
}

/* ---- the process ------------------------------------------------------------ */

static void say_go(struct tracing *t, enum kt_share_state state)
{
	__atomic_store_n(&t->share->state, state, __ATOMIC_RELEASE);
	syscall(SYS_futex, &t->share->state, FUTEX_WAKE, 1 << 30, NULL, NULL, 0);
}

static bool alive(const struct tracing *t)
{
	if (t->started)
		return waitpid(t->pid, NULL, WNOHANG) == 0;
	return !remote_ending(t->pid);
}

static void pause_ms(int ms)
{
	struct timespec ts = { 0, ms * 1000000l };

	nanosleep(&ts, NULL);
}

/* It waits at its start until there is a program. */
static int start_process(struct tracing *t)
{
	const char *module = cli_own_module("trace");
	char fd[32];
	char *params[] = { fd, NULL };
	int number;

	if (!module) {
		cli_error("trace.so is not beside this program, nor in ../lib/kprobes");
		return CLI_FAILED;
	}
	snprintf(t->mail->module, sizeof(t->mail->module), "%s", module);
	t->started = true;
	t->pid = fork();
	if (!t->pid) {
		number = fcntl(t->memory, F_DUPFD, 100);
		snprintf(fd, sizeof(fd), "fd=%d", number);
		_exit(cli_process_run(module, params, t->args->command));
	}
	if (t->pid < 0) {
		cli_error("no process: %s", strerror(errno));
		return CLI_FAILED;
	}
	while (__atomic_load_n(&t->share->state, __ATOMIC_ACQUIRE) ==
	       KT_SHARE_NEW) {
		int status;

		if (waitpid(t->pid, &status, WNOHANG) == t->pid)
			return WIFEXITED(status) && WEXITSTATUS(status)
				       ? WEXITSTATUS(status) : CLI_FAILED;
		if (asked)
			return CLI_FAILED;
		pause_ms(1);
	}
	return CLI_OK;
}

/* Wait until the module has set its probes, in a process of ours. */
static int let_go(struct tracing *t)
{
	uint32_t state;

	say_go(t, KT_SHARE_GO);
	do {
		pause_ms(1);
		state = __atomic_load_n(&t->share->state, __ATOMIC_ACQUIRE);
	} while (state == KT_SHARE_GO && alive(t));
	if (state == KT_SHARE_ON)
		return CLI_OK;
	cli_error("%s: the program could not be started with probes: %.*s",
		  t->args->command[0], (int)sizeof(t->share->text),
		  t->share->text);
	return CLI_FAILED;
}

static int attach(struct tracing *t)
{
	struct cli_target target;
	int status = cli_process_open(&target, t->pid, CLI_ATTACH);

	if (status)
		return status;
	snprintf(t->mail->module, sizeof(t->mail->module), "trace-%d.so",
		 (int)getpid());
	t->share->state = KT_SHARE_GO;
	status = cli_process_share(&target, cli_own_module("trace"),
				   t->mail->module, t->memory);
	if (status && target.ops->alive(&target))
		cli_process_leave(&target);
	cli_close(&target);
	return status;
}

static void leave(struct tracing *t)
{
	struct cli_target target;

	if (!t->mail->loaded || remote_ending(t->mail->pid))
		return;
	if (!cli_process_open(&target, t->mail->pid, CLI_LOOK)) {
		target.ops->unload(&target, t->mail->module);
		cli_close(&target);
	}
	t->mail->loaded = 0;
}

/* ---- the talk ---------------------------------------------------------------- */

/* The jail's next step, or its end: then false. */
static bool wait_for(struct session *s, enum tracing_state state)
{
	while (tracing_state(s->t) < state)
		if (asked || !jail_pass(&s->jail, PASS_MS / 10))
			return false;
	return true;
}

static int load(struct session *s)
{
	struct tracing *t = s->t;
	int status;

	if (!wait_for(s, TRACING_COMPILED))
		return CLI_OK;
	status = grow_memory(t);
	if (status)
		return status;
	hold_futex(t);
	tracing_say(t, TRACING_READY);
	if (!wait_for(s, TRACING_BEGUN) || t->mail->wants_end)
		return CLI_OK;
	t->mail->pid = t->pid;
	status = t->started ? let_go(t) : attach(t);
	t->mail->loaded = !status;
	if (!status)
		tracing_say(t, TRACING_LOADED);
	return status;
}

static void watch(struct session *s)
{
	struct tracing *t = s->t;

	while (!asked && !t->mail->wants_end && alive(t))
		if (!jail_pass(&s->jail, PASS_MS))
			return;
}

/* What is left of a process of ours that waits for a program in vain. */
static void give_up(struct tracing *t)
{
	if (!t->started)
		return;
	if (tracing_state(t) < TRACING_LOADED)
		say_go(t, KT_SHARE_GIVEN_UP);
	if (alive(t))
		kill(t->pid, SIGTERM);
}

static int converse(struct session *s, const struct view *view)
{
	int status = CLI_OK, end;

	if (jail_start(&s->jail, view, NULL, &status)) {
		signal(SIGINT, SIG_IGN);
		signal(SIGTERM, SIG_IGN);
		exit(tracing_read(s->t, view));
	}
	if (status)
		return status;
	status = load(s);
	if (s->t->mail->loaded)
		watch(s);
	leave(s->t);
	tracing_say(s->t, TRACING_OVER);
	while (jail_pass(&s->jail, PASS_MS))
		;
	end = jail_end(&s->jail);
	return status ? status : end;
}

static int control(struct tracing *t)
{
	struct session s = { .t = t };
	struct cli_args source = { 0 };
	struct view view;
	int status = t->args->command ? start_process(t) : CLI_OK;

	if (status)
		return status;
	source.pid = t->pid;
	status = cli_source_view(&view, &source);
	if (!status) {
		status = converse(&s, &view);
		view_close(&view);
	}
	give_up(t);
	return status;
}

/* ---- the face ----------------------------------------------------------------- */

static pid_t controller;

static void on_signal(int number)
{
	asked = 1;
	if (controller > 0)
		kill(controller, number);
}

static void hear_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal };
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaction(numbers[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static int wait_for_controller(struct tracing *t)
{
	int status;

	while (waitpid(controller, &status, 0) < 0)
		if (errno != EINTR)
			return CLI_FAILED;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	controller = 0;
	leave(t);
	cli_error("tracing was ended by a signal (%s); its probes are gone",
		  strsignal(WTERMSIG(status)));
	return CLI_FAILED;
}

int tracing_process(struct tracing *t)
{
	pid_t face = getpid();
	int status = make_memory(t);

	if (status)
		return status;
	hear_signals();
	fflush(stdout);
	controller = fork();
	if (controller < 0) {
		cli_error("no process: %s", strerror(errno));
		return CLI_FAILED;
	}
	if (controller)
		return wait_for_controller(t);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != face)
		_exit(CLI_FAILED);
	exit(control(t));
}
