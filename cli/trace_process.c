// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_process.c - a script at work in a process.
 *
 * Owns: the memory that is shared with it (share.h), the module's way in and out,
 * and processes that are started to be traced.
 *
 * Invariant: while probes are set share->reader holds our thread's number, and the
 * kernel knows it for a robust futex.  So handlers do nothing from the moment on
 * in which we are gone, however that came about.
 */
#include "attach_cli.h"
#include "tracing.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- memory ---------------------------------------------------------------- */

/* Larger than the file is, for now: what lies behind its end is not touched. */
int tracing_memory(struct tracing *t)
{
	t->memory = memfd_create("kprobes-trace", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (t->memory < 0 || ftruncate(t->memory, KT_SHARE_LEN)) {
		cli_error("no memory to share: %s", strerror(errno));
		return CLI_FAILED;
	}
	t->share = mmap(NULL, TRACING_MEMORY_MAX, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_NORESERVE, t->memory, 0);
	if (t->share == MAP_FAILED) {
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
	return (len + TRACING_PAGE - 1) / TRACING_PAGE * TRACING_PAGE;
}

static void fill(struct tracing *t, enum tracing_piece piece, uint64_t at)
{
	memcpy((char *)t->share + at, tracing_piece(t, piece),
	       t->len_of[piece]);
}

/* As large as the program wants it: share, program, tables, arena. */
int tracing_grow(struct tracing *t)
{
	const uint64_t *len = t->len_of;
	uint64_t arena = pages(t->arena_len);
	uint64_t program = KT_SHARE_LEN;
	uint64_t unwind = program + pages(len[TRACING_PROCESS]);
	uint64_t at = unwind + pages(len[TRACING_UNWIND]);
	struct kt_share *share = t->share;

	if (arena > TRACING_MEMORY_MAX / 2) {
		cli_error("the script's maps would need %llu MiB: make them smaller with BPFTRACE_MAP_KEYS_MAX",
			  (unsigned long long)arena >> 20);
		return CLI_REFUSED;
	}
	if (ftruncate(t->memory, (off_t)(at + arena)) ||
	    fcntl(t->memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW |
		  F_SEAL_SEAL)) {
		cli_error("no memory to share: %s", strerror(errno));
		return CLI_FAILED;
	}
	fill(t, TRACING_PROCESS, program);
	fill(t, TRACING_UNWIND, unwind);
	/* Never read again: the process may write there. */
	share->program = program;
	share->program_len = len[TRACING_PROCESS];
	share->unwind = unwind;
	share->unwind_len = len[TRACING_UNWIND];
	share->arena = t->mail->arena = at;
	share->arena_len = arena;
	share->len = at + arena;
	hold_futex(t);
	return CLI_OK;
}

/* ---- a process of ours --------------------------------------------------------- */

static void say_go(struct tracing *t, enum kt_share_state state)
{
	__atomic_store_n(&t->share->state, state, __ATOMIC_RELEASE);
	syscall(SYS_futex, &t->share->state, FUTEX_WAKE, 1 << 30, NULL, NULL, 0);
}

bool tracing_alive(const struct tracing *t)
{
	if (t->started)
		return waitpid(t->pid, NULL, WNOHANG) == 0;
	return !t->process || (!remote_ending(t->pid) &&
			       !(t->ledger->loaded && remote_has_changed(t->pid)));
}

static int wait_until_it_waits(struct tracing *t)
{
	int status;

	while (__atomic_load_n(&t->share->state, __ATOMIC_ACQUIRE) ==
	       KT_SHARE_NEW) {
		if (waitpid(t->pid, &status, WNOHANG) == t->pid)
			return WIFEXITED(status) && WEXITSTATUS(status)
				       ? WEXITSTATUS(status) : CLI_FAILED;
		if (tracing_is_asked_to_end())
			return CLI_FAILED;
		usleep(1000);
	}
	return CLI_OK;
}

/* What executes programs in a process; NULL: it is not there, which is said. */
static const char *own_module(void)
{
	const char *module = cli_own_module("trace");

	if (!module)
		cli_error("trace.so is not beside this program, nor in ../lib/kprobes");
	return module;
}

/* In the new process: with the module, which waits, or by itself. */
static int become(struct tracing *t, const char *module)
{
	char fd[32], path[4096], **command = t->args->command;
	char *params[] = { fd, NULL };
	int status;

	if (module) {
		snprintf(fd, sizeof(fd), "fd=%d",
			 fcntl(t->memory, F_DUPFD, 100));
		return cli_process_run(module, params, command);
	}
	raise(SIGSTOP);
	status = cli_find_program(command[0], path, sizeof(path));
	if (status)
		return status;
	execv(path, command);
	cli_error("%s: %s", command[0], strerror(errno));
	return cli_status_of(errno);
}

int tracing_start(struct tracing *t)
{
	const char *module = t->process ? own_module() : NULL;

	if (t->process && !module)
		return CLI_FAILED;
	t->pid = fork();
	if (!t->pid)
		_exit(become(t, module));
	if (t->pid < 0) {
		cli_error("no process: %s", strerror(errno));
		return CLI_FAILED;
	}
	t->started = true;
	snprintf(t->ledger->module, sizeof(t->ledger->module), "%s",
		 module ? module : "");
	return module ? wait_until_it_waits(t) : CLI_OK;
}

/* Wait until the module has set its probes. */
static int let_go(struct tracing *t)
{
	uint32_t state;

	say_go(t, KT_SHARE_GO);
	do {
		usleep(1000);
		state = __atomic_load_n(&t->share->state, __ATOMIC_ACQUIRE);
	} while (state == KT_SHARE_GO && tracing_alive(t) &&
		 !tracing_is_asked_to_end());
	/* It may be over already. */
	if (state == KT_SHARE_ON || state == KT_SHARE_OFF)
		return CLI_OK;
	cli_error("%s: the program could not be started with probes: %.*s",
		  t->args->command[0], (int)sizeof(t->share->text),
		  t->share->text);
	return CLI_FAILED;
}

/* One that waits for a program in vain must not wait for ever. */
void tracing_give_up(struct tracing *t)
{
	if (!t->started || t->pid <= 0)
		return;
	if (t->process && tracing_state(t) < TRACING_LOADED)
		say_go(t, KT_SHARE_GIVEN_UP);
	if (tracing_alive(t)) {
		kill(t->pid, SIGTERM);
		kill(t->pid, SIGCONT);
	}
}

/* ---- in and out ------------------------------------------------------------- */

static int load(struct tracing *t)
{
	const char *module = own_module();
	struct cli_target target;
	int status;

	if (!module)
		return CLI_FAILED;
	status = cli_process_open(&target, t->pid, CLI_ATTACH);
	if (status)
		return status;
	snprintf(t->ledger->module, sizeof(t->ledger->module), "trace-%d.so",
		 (int)getpid());
	t->share->state = KT_SHARE_GO;
	status = cli_process_share(&target, module, t->ledger->module,
				   t->memory);
	if (status && target.ops->alive(&target))
		cli_process_leave(&target);
	cli_close(&target);
	return status;
}

/*
 * Somebody looks, or not any more.  The addresses come out of the jail: what is
 * written is the process's own memory, by its own rules.
 */
static void count_in(struct tracing *t, int change)
{
	struct remote remote;
	uint16_t count;
	uint32_t i;

	if (!t->ledger->semaphores_nr || remote_open(&remote, t->ledger->pid))
		return;
	for (i = 0; i < t->ledger->semaphores_nr; i++) {
		uint64_t at = t->ledger->semaphores[i];

		if (remote_read(&remote, at, &count, sizeof(count)))
			continue;
		count = (uint16_t)(count + change);
		remote_write(&remote, at, &count, sizeof(count));
	}
	remote_close(&remote);
}

static void take_semaphores(struct tracing *t)
{
	uint32_t nr = __atomic_load_n(&t->mail->semaphores_nr, __ATOMIC_RELAXED);

	if (nr > TRACING_SEMAPHORES)
		nr = TRACING_SEMAPHORES;
	memcpy(t->ledger->semaphores, t->mail->semaphores,
	       nr * sizeof(t->ledger->semaphores[0]));
	t->ledger->semaphores_nr = nr;
}

int tracing_attach(struct tracing *t)
{
	int status;

	t->ledger->pid = t->pid;
	take_semaphores(t);
	count_in(t, 1);
	status = t->started ? let_go(t) : load(t);
	t->ledger->loaded = !status;
	if (status)
		count_in(t, -1);
	return status;
}

void tracing_leave(struct tracing *t)
{
	struct cli_target target;

	if (!t->ledger->loaded || remote_ending(t->ledger->pid))
		return;
	/* With its memory all that was ours is gone. */
	if (!t->started && remote_has_changed(t->ledger->pid)) {
		cli_error("process %d has begun another program, which is not traced",
			  (int)t->ledger->pid);
		return;
	}
	count_in(t, -1);
	if (!cli_process_open(&target, t->ledger->pid, CLI_LOOK)) {
		target.ops->unload(&target, t->ledger->module);
		cli_close(&target);
	}
	t->ledger->loaded = 0;
}
