// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_process.c - a script at work in processes.
 *
 * Owns: the memory that is shared with each of them (share.h), and the module's way
 * in and out.  How one is started to be traced is trace_start.c's.
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
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NUMBERS 200			/* from there on descriptors of memory lie */

/* ---- memory ---------------------------------------------------------------- */

/* In front of each mapping: what the kernel finds the futex in it by. */
struct holder {
	struct robust_list entry;
} __attribute__((aligned(TRACING_PAGE)));

static struct holder *holder_of(const struct tracing_process *p)
{
	return (struct holder *)p->share - 1;
}

/* Larger than the file is, for now: what lies behind its end is not touched. */
static bool map_memory(struct tracing_process *p)
{
	struct holder *holder = mmap(NULL, sizeof(*holder) + TRACING_MEMORY_MAX,
				     PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
				     -1, 0);

	if (holder == MAP_FAILED)
		return false;
	p->share = mmap(holder + 1, TRACING_MEMORY_MAX, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_NORESERVE | MAP_FIXED, p->memory, 0);
	return p->share != MAP_FAILED;
}

/* Of a file that cannot be written, so nobody can have the mapping changed. */
static bool map_head(struct tracing_process *p)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", p->memory);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	p->head = mmap(NULL, KT_SHARE_LEN, PROT_READ, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	return p->head != MAP_FAILED;
}

/* What stands there the module obeys, and it is not for the jail to say. */
bool tracing_give_head_up(const struct tracing *t)
{
	unsigned int i;

	for (i = 0; i < TRACING_PROCESSES; i++) {
		const struct tracing_process *p = &t->processes[i];

		if (p->share && mremap(p->head, KT_SHARE_LEN, KT_SHARE_LEN,
				       MREMAP_MAYMOVE | MREMAP_FIXED,
				       p->share) == MAP_FAILED)
			return false;
	}
	return true;
}

static int make_memory(struct tracing_process *p)
{
	int fd = memfd_create("kprobes-trace", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	/* Programs that begin later are told one number, and how many follow it. */
	p->memory = fd < 0 ? fd : fcntl(fd, F_DUPFD_CLOEXEC, NUMBERS);
	if (fd >= 0)
		close(fd);
	/* Who takes one cannot make it smaller than what is looked at here. */
	if (p->memory < 0 || ftruncate(p->memory, KT_SHARE_LEN) ||
	    fcntl(p->memory, F_ADD_SEALS, F_SEAL_SHRINK)) {
		cli_error("no memory to share: %s", strerror(errno));
		return CLI_FAILED;
	}
	if (!map_memory(p) || !map_head(p)) {
		cli_error("no memory: %s", strerror(errno));
		return CLI_FAILED;
	}
	p->share->magic = KT_SHARE_MAGIC;
	return CLI_OK;
}

int tracing_memory(struct tracing *t)
{
	int status = CLI_OK;
	unsigned int i;

	for (i = 0; i < (t->follows ? TRACING_PROCESSES : t->processes_nr) &&
	     !status; i++)
		status = make_memory(&t->processes[i]);
	return status;
}

/*
 * The list's head and its entries are ours, so that nothing in the shared memory
 * leads the kernel anywhere.
 */
void tracing_hold(struct tracing_process *p)
{
	static struct robust_list_head head;

	if (holder_of(p)->entry.next)
		return;
	if (!head.list.next) {
		head.list.next = &head.list;
		head.futex_offset = sizeof(struct holder) +
				    offsetof(struct kt_share, reader);
		syscall(SYS_set_robust_list, &head, sizeof(head));
	}
	p->share->reader = (uint32_t)syscall(SYS_gettid);
	holder_of(p)->entry.next = head.list.next;
	head.list.next = &holder_of(p)->entry;
}

static uint64_t pages(uint64_t len)
{
	return (len + TRACING_PAGE - 1) / TRACING_PAGE * TRACING_PAGE;
}

static void fill(struct tracing *t, struct tracing_process *p, unsigned int piece,
		 uint64_t at)
{
	memcpy((char *)p->share + at, tracing_piece(t, piece), t->len_of[piece]);
}

/* As large as the program wants it: share, program, tables, arena. */
int tracing_grow_one(struct tracing *t, unsigned int i)
{
	unsigned int programs = TRACING_PROCESS + i, tables = TRACING_UNWIND + i;
	struct tracing_process *p = &t->processes[i];
	uint64_t arena = pages(t->mail->of[i].arena_len);
	uint64_t program = KT_SHARE_LEN;
	uint64_t unwind = program + pages(t->len_of[programs]);
	uint64_t at = unwind + pages(t->len_of[tables]);
	struct kt_share *share = p->share;

	if (arena > TRACING_MEMORY_MAX / 2) {
		cli_error("the script's maps would need %llu MiB: make them smaller with BPFTRACE_MAP_KEYS_MAX",
			  (unsigned long long)arena >> 20);
		return CLI_REFUSED;
	}
	if (ftruncate(p->memory, (off_t)(at + arena)) ||
	    fcntl(p->memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW |
		  F_SEAL_SEAL)) {
		cli_error("no memory to share: %s", strerror(errno));
		return CLI_FAILED;
	}
	fill(t, p, programs, program);
	fill(t, p, tables, unwind);
	/* Never read again: the process may write there. */
	share->program = program;
	share->program_len = t->len_of[programs];
	share->unwind = unwind;
	share->unwind_len = t->len_of[tables];
	share->arena = t->mail->of[i].arena = at;
	share->arena_len = arena;
	share->len = at + arena;
	share->number = (uint32_t)p->pid;
	tracing_hold(p);
	return CLI_OK;
}

/* Has it any of the script's places?  The reader has said why, if it has not. */
static bool is_wanted(const struct tracing *t, unsigned int i)
{
	return t->len_of[TRACING_PROCESS + i];
}

int tracing_grow(struct tracing *t)
{
	int status = CLI_OK;
	unsigned int i;

	for (i = 0; i < t->processes_nr && !status; i++)
		if (is_wanted(t, i))
			status = tracing_grow_one(t, i);
	return status;
}

/* ---- who is there -------------------------------------------------------------- */

/* Its number is not another's as long as this says no. */
bool tracing_has_ended(const struct tracing_process *p)
{
	struct pollfd end = { .fd = p->handle, .events = POLLIN };

	return poll(&end, 1, 0) > 0 || remote_ending(p->pid);
}

static bool has_changed(const struct tracing_ledger *ledger)
{
	unsigned long image = remote_image(ledger->pid);

	return image && ledger->image && image != ledger->image;
}

/* One that was started is told by its end, unless what it executes is followed. */
static bool changes(const struct tracing *t, const struct tracing_ledger *ledger)
{
	return (!t->started || t->follows) && has_changed(ledger);
}

/* The library has noted what it executed, and cannot be followed (share.h). */
static void say_left(struct tracing_process *p)
{
	char path[sizeof(p->share->left_path)];

	/* Acquire: the path is there. */
	if (p->seen || !__atomic_load_n(&p->share->left, __ATOMIC_ACQUIRE))
		return;
	memcpy(path, p->share->left_path, sizeof(path));
	path[sizeof(path) - 1] = 0;
	cli_error("process %d has begun %s, which is not traced: what is static, of another C library or architecture, gains rights, or is executed by its descriptor cannot be followed",
		  (int)p->pid, path[0] ? path : "another program");
	p->seen = true;
}

/* A debugger that has come takes the signals of breakpoints for its own. */
static void look_for_debugger(struct tracing_process *p)
{
	pid_t tracer = (pid_t)remote_status_number(p->pid, p->pid, "TracerPid", 10);
	char name[32];

	if (tracer <= 0 || tracer == p->debugged || tracer == thread_self() ||
	    !strcmp(remote_comm(tracer, name), "kprobes"))
		return;
	p->debugged = tracer;
	cli_error("process %d is being debugged by process %d (%s), which must pass SIGTRAP on (in gdb: handle SIGTRAP nostop noprint pass)",
		  (int)p->pid, (int)tracer, name);
}

static void look(struct tracing *t, unsigned int i)
{
	struct tracing_process *p = &t->processes[i];
	struct tracing_ledger *ledger = &t->ledger[i];

	look_for_debugger(p);

	if (t->started && !i ? waitpid(p->pid, NULL, WNOHANG) != 0 : tracing_has_ended(p)) {
		ledger->loaded = 0;
	} else if (changes(t, ledger)) {
		/* With its memory all that was ours is gone. */
		if (!t->follows)
			cli_error("process %d has executed another program, which is not traced",
				  (int)p->pid);
		ledger->loaded = 0;
	} else {
		return;
	}
	p->there = TRACING_GONE;
	if (t->follows)
		say_left(p);
}

bool tracing_alive(struct tracing *t)
{
	unsigned int i, nr = 0;

	if (!t->processes_nr)
		return true;
	for (i = 0; i < t->processes_nr; i++) {
		if (t->processes[i].there == TRACING_THERE)
			look(t, i);
		nr += t->processes[i].there == TRACING_THERE;
	}
	return nr || tracing_follows_any(t);
}

/* ---- what is said to a process --------------------------------------------------- */

void tracing_say_go(struct tracing_process *p, enum kt_share_state state)
{
	__atomic_store_n(&p->share->state, state, __ATOMIC_RELEASE);
	syscall(SYS_futex, &p->share->state, FUTEX_WAKE, 1 << 30, NULL, NULL, 0);
}

/* What executes programs in a process; NULL: it is not there, which is said. */
const char *tracing_module(void)
{
	const char *module = cli_own_module("trace");

	if (!module)
		cli_error("trace.so is not beside this program, nor in ../lib/kprobes");
	return module;
}

/* ---- in and out ------------------------------------------------------------- */

static int load(struct tracing_process *p, struct tracing_ledger *ledger)
{
	const char *module = tracing_module();
	struct cli_target target;
	int status;

	if (!module)
		return CLI_FAILED;
	status = cli_process_open(&target, p->pid, CLI_ATTACH);
	if (status)
		return status;
	snprintf(ledger->module, sizeof(ledger->module), "trace-%d.so",
		 (int)getpid());
	p->share->state = KT_SHARE_GO;
	status = cli_process_share(&target, module, ledger->module, p->memory);
	if (status && target.ops->alive(&target))
		cli_process_leave(&target);
	cli_close(&target);
	return status;
}

/*
 * Somebody looks, or not any more.  The addresses come out of the jail: what is
 * written is the process's own memory, by its own rules; p, if any, says whether it
 * is still the one.
 */
static void count_in(const struct tracing_ledger *ledger, int change,
		     const struct tracing_process *p)
{
	struct remote remote;
	uint16_t count;
	uint32_t i;

	if (!ledger->semaphores.nr || remote_open(&remote, ledger->pid))
		return;
	for (i = 0; i < ledger->semaphores.nr && !(p && tracing_has_ended(p)); i++) {
		uint64_t at = ledger->semaphores.at[i];

		if (remote_read(&remote, at, &count, sizeof(count)))
			continue;
		count = (uint16_t)(count + change);
		remote_write(&remote, at, &count, sizeof(count));
	}
	remote_close(&remote);
}

static void take_semaphores(struct tracing_ledger *ledger,
			    const struct tracing_semaphores *from)
{
	uint32_t nr = __atomic_load_n(&from->nr, __ATOMIC_RELAXED);

	if (nr > TRACING_SEMAPHORES)
		nr = TRACING_SEMAPHORES;
	memcpy(ledger->semaphores.at, from->at, nr * sizeof(from->at[0]));
	ledger->semaphores.nr = nr;
}

void tracing_count(struct tracing *t, unsigned int i)
{
	take_semaphores(&t->ledger[i], &t->mail->of[i].semaphores);
	count_in(&t->ledger[i], 1, &t->processes[i]);
}

static int attach(struct tracing *t, unsigned int i)
{
	struct tracing_ledger *ledger = &t->ledger[i];
	struct tracing_process *p = &t->processes[i];
	int status;

	/* Whoever has its number by now is not who was meant. */
	if (!(t->started && !i) && tracing_has_ended(p)) {
		cli_error("process %d has ended", (int)p->pid);
		p->there = TRACING_GONE;
		return CLI_ABSENT;
	}
	ledger->pid = p->pid;
	tracing_count(t, i);
	status = t->started && !i ? tracing_let_go(t) : load(p, ledger);
	ledger->loaded = !status;
	ledger->image = remote_image(p->pid);
	if (status)
		count_in(ledger, -1, p);
	p->there = status ? TRACING_GONE : TRACING_THERE;
	return status;
}

/* One that cannot be attached to does not keep the others from it. */
int tracing_attach(struct tracing *t)
{
	int status = CLI_ABSENT, one;
	unsigned int i, nr = 0;

	for (i = 0; i < t->processes_nr && !tracing_is_asked_to_end(); i++) {
		if (!is_wanted(t, i))
			continue;
		one = attach(t, i);
		nr += !one;
		status = one ? one : status;
	}
	return nr ? CLI_OK : status;
}

int tracing_leave_one(struct tracing *t, struct tracing_ledger *ledger)
{
	struct cli_target target;
	int status;

	if (!ledger->loaded || remote_ending(ledger->pid) ||
	    changes(t, ledger))
		return CLI_OK;
	count_in(ledger, -1, NULL);
	status = cli_process_open(&target, ledger->pid, CLI_LOOK);
	if (!status) {
		status = target.ops->unload(&target, ledger->module);
		cli_close(&target);
	}
	ledger->loaded = 0;
	/* Then nothing stays. */
	return remote_ending(ledger->pid) || changes(t, ledger) ? CLI_OK : status;
}

int tracing_leave(struct tracing *t)
{
	int one, status = CLI_OK;
	unsigned int i;

	tracing_follow_last(t);
	for (i = 0; i < TRACING_PROCESSES; i++) {
		one = tracing_leave_one(t, &t->ledger[i]);
		status = one ? one : status;
	}
	tracing_follow_leave(t);
	return status;
}
