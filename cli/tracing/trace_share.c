// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_share.c - the memory that a trace shares with each process.
 *
 * Owns: the memory (share.h): how it is made, how large it gets, what is said by it.
 *
 * Invariant: while probes are set share->reader holds our thread's number, and the
 * kernel knows it for a robust futex.  So handlers do nothing from the moment on
 * in which we are gone, however that came about.
 */
#include "tracing.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NUMBERS 200			/* from there on descriptors of memory lie */

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

/* As large as the program wants it: share, program, tables, what comes later, arena. */
int tracing_grow_one(struct tracing *t, unsigned int i)
{
	unsigned int programs = TRACING_PROCESS + i, tables = TRACING_UNWIND + i;
	struct tracing_process *p = &t->processes[i];
	uint64_t arena = pages(t->mail->of[i].arena_len);
	uint64_t program = KT_SHARE_LEN;
	uint64_t unwind = program + pages(t->len_of[programs]);
	uint64_t later = unwind + pages(t->len_of[tables]);
	uint64_t at = later + pages(sizeof(struct kt_later));
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
	memcpy((char *)p->share + later, &t->mail->of[i].later, sizeof(struct kt_later));
	/* Never read again: the process may write there. */
	share->program = program;
	share->program_len = t->len_of[programs];
	share->unwind = unwind;
	share->unwind_len = t->len_of[tables];
	share->later = later;
	share->later_len = sizeof(struct kt_later);
	share->arena = t->mail->of[i].arena = at;
	share->arena_len = arena;
	share->len = at + arena;
	share->number = (uint32_t)p->pid;
	tracing_hold(p);
	return CLI_OK;
}

/* Has it any of the script's places?  The reader has said why, if it has not. */
bool tracing_is_wanted(const struct tracing *t, unsigned int i)
{
	return t->len_of[TRACING_PROCESS + i];
}

int tracing_grow(struct tracing *t)
{
	int status = CLI_OK;
	unsigned int i;

	for (i = 0; i < t->processes_nr && !status; i++)
		if (tracing_is_wanted(t, i))
			status = tracing_grow_one(t, i);
	return status;
}

void tracing_say_go(struct tracing_process *p, enum kt_share_state state)
{
	__atomic_store_n(&p->share->state, state, __ATOMIC_RELEASE);
	syscall(SYS_futex, &p->share->state, FUTEX_WAKE, 1 << 30, NULL, NULL, 0);
}
