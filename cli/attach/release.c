// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * release.c - which memory may be freed that threads might return to.
 *
 * Owns: the proof that no thread of a process is in a copied instruction, a head or a return stub
 * of the library, or can return there; and the list of those that a thread may return to, which
 * are kept.  The address of such a place may be in a thread's registers; in the frame of a signal
 * that has interrupted a thread there; or in memory where the program has copied it from such a
 * frame: for coroutines, in a profiler.  So it is in a register or in memory, as a whole word.
 *
 *   1. All threads are held, and the library's handlers are gone.  From here on no thread gets
 *      such an address that does not have one.
 *   2. The registers of the stopped threads are examined, and where the others sleep: in a
 *      system call that is not ours, whose registers are the program's.
 *   3. So is every word of memory that the program can have written, except the library's own.
 *      Below the stack pointer of a thread's own stack are remains, of our handlers too.  There
 *      only what looks like the frame of a handler of the program counts.
 *   4. No thread may be in the library's own code at all, for it holds pointers to what is to
 *      be freed.  Memory contains many addresses in that code.  Only those count that are
 *      followed by the flags and segments that a signal saves with them.
 *   5. A thread that was asleep has not run since the first step.  If it has, it is stopped,
 *      unless a stop would end its call, and all are examined once more.
 *
 * A word that only looks like such an address is believed.  Everything stays until the next
 * detach if there is too much memory to search while all threads wait, or if another process,
 * whose threads are not held, has the same memory.
 */
#include "attach_cli.h"
#include "frame.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096u
#define SCAN_MAX (256ull << 20)		/* a tenth of a second or so */
#define SPAN_MAX (32ull << 30)		/* ditto */
#define PART 256u			/* pages, at a time */
#define RANGES_MAX 16384		/* what the process says is not believed */
#define LEN_MAX (256ull << 20)
#define JUDGED_MAX 100000		/* words */
#define REDZONE 128
#define TRIES 4
#define KEPT_MAX 8000			/* as the library takes */
#define ADDRESS_LEN 18			/* with a blank and the end */
#define NEAR_BITS 16

#define PRESENT (1ull << 63)
#define SWAPPED (1ull << 62)
#define OF_FILE (1ull << 61)		/* or shared */

struct range {
	uint64_t from, to;
	int tid;			/* of stacks: whose, its inner number */
};

struct ranges {
	struct range *list;
	size_t nr, room;
};

struct release {
	struct remote *remote;
	struct ranges in, own, stacks, code;
	struct ranges dead;		/* stacks, below their stack pointers */
	struct ranges empty;		/* mappings without a page; ascending */
	uint64_t kept[KEPT_MAX];	/* ascending */
	size_t kept_nr;
	uint64_t *switches;		/* of each held thread */
	size_t judged;
	uint64_t left;			/* that may still be looked at */
	uint64_t span_left;		/* of addresses, with and without pages */
	uint8_t near[1u << NEAR_BITS];	/* of what is in: by address, roughly */
	remote_word words[PART * PAGE / sizeof(remote_word)];
};

/* ---- ranges ---------------------------------------------------------------------- */

static bool add(struct ranges *ranges, uint64_t from, uint64_t to, int tid)
{
	struct range *more;

	if (ranges->nr == RANGES_MAX || from > to)
		return false;
	if (ranges->nr == ranges->room) {
		more = realloc(ranges->list,
			       (2 * ranges->room + 16) * sizeof(*more));
		if (!more)
			return false;
		ranges->list = more;
		ranges->room = 2 * ranges->room + 16;
	}
	ranges->list[ranges->nr++] = (struct range){ from, to, tid };
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

static void sort(struct ranges *ranges)
{
	if (ranges->nr)
		qsort(ranges->list, ranges->nr, sizeof(ranges->list[0]),
		      by_address);
}

/* The first that ends behind addr; or NULL. */
static const struct range *behind(const struct ranges *ranges, uint64_t addr)
{
	size_t low = 0, high = ranges->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (ranges->list[mid].to <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low < ranges->nr ? &ranges->list[low] : NULL;
}

static bool has(const struct ranges *ranges, uint64_t addr)
{
	const struct range *range = behind(ranges, addr);

	return range && range->from <= addr;
}

struct taking {
	struct release *r;
	bool whole;
};

static void take_line(struct taking *taking, const char *line)
{
	unsigned long long from, to;
	struct release *r = taking->r;
	int tid;

	if (sscanf(line, "in %llx-%llx", &from, &to) == 2)
		taking->whole &= to - from <= LEN_MAX && add(&r->in, from, to, 0);
	else if (sscanf(line, "code %llx-%llx", &from, &to) == 2)
		taking->whole &= to - from <= LEN_MAX &&
				 add(&r->code, from, to, 0);
	else if (sscanf(line, "own %llx-%llx", &from, &to) == 2)
		taking->whole &= add(&r->own, from, to, 0);
	else if (sscanf(line, "stack %d %llx-%llx", &tid, &from, &to) == 3)
		taking->whole &= add(&r->stacks, from, to, tid);
	else
		taking->whole = false;
}

static void take_lines(void *arg, const char *text, size_t len)
{
	const char *end = text + len, *next;
	char line[128];

	for (; text < end; text = next) {
		next = memchr(text, '\n', (size_t)(end - text));
		next = next ? next + 1 : end;
		snprintf(line, sizeof(line), "%.*s", (int)(next - text), text);
		take_line(arg, line);
	}
}

/* ---- threads ---------------------------------------------------------------------- */

/*
 * False: they are too many.  Some hundred are nothing unusual: where code is at low
 * addresses, as in a program that is not relocated, many numbers look like one.
 */
static bool keep(struct release *r, uint64_t word)
{
	size_t low = 0, high = r->kept_nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (r->kept[mid] < word)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < r->kept_nr && r->kept[low] == word)
		return true;
	if (r->kept_nr == KEPT_MAX)
		return false;
	memmove(&r->kept[low + 1], &r->kept[low],
		(r->kept_nr++ - low) * sizeof(word));
	r->kept[low] = word;
	return true;
}

static bool keep_registers(struct release *r, const struct thread *thread)
{
	remote_word words[sizeof(thread->regs) / sizeof(remote_word)];
	uint64_t word;
	size_t i;

	memcpy(words, &thread->regs, sizeof(words));
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		word = tracee_address(words[i]);
		if (has(&r->in, word) && !keep(r, word))
			return false;
	}
	return !has(&r->code, tracee_ip(&thread->regs));
}

/* Below its stack pointer, on the stack that was made for it. */
static bool note_dead(struct release *r, const struct thread *thread,
		      uint64_t sp)
{
	pid_t pid = r->remote->pid;
	int tid = remote_inner_tid(pid, thread->tid);
	const struct remote_map *map = remote_map_at(r->remote, sp);
	size_t i;

	if (thread->tid == pid && map && !strcmp(map->path, "[stack]"))
		return sp - map->start < REDZONE ||
		       add(&r->dead, map->start, sp - REDZONE, 0);
	for (i = 0; i < r->stacks.nr; i++) {
		const struct range *stack = &r->stacks.list[i];

		if (stack->tid == tid && sp > stack->from + REDZONE &&
		    sp < stack->to)
			return add(&r->dead, stack->from, sp - REDZONE, 0);
	}
	return true;
}

static bool has_ended(pid_t pid, pid_t tid)
{
	char state = remote_state(pid, tid);

	return !state || state == 'Z' || state == 'X';
}

/*
 * Asleep, and where is known: it has not run between two looks.  One that wakes every now
 * and then is to be stopped, if its call goes on afterwards as if nothing had been: false.
 * *known: false if nobody can say where it is.
 */
static bool sleeps(const struct release *r, struct thread *thread, bool *known)
{
	uint64_t before = thread->rest.look.switches;
	int tries;

	for (tries = 0; tries < TRIES; tries++) {
		if (!thread_rest(r->remote->pid, thread->tid, &thread->rest))
			return false;
		if (thread->rest.look.switches == before)
			return true;
		if (rest_restarts(r->remote, &thread->rest))
			return false;
		before = thread->rest.look.switches;
	}
	*known = false;
	return true;
}

/* Whoever has woken is in no call that would end early, and waits from now on. */
static bool stop_awake(struct release *r, struct threads *threads)
{
	bool known = true;
	int i;

	for (i = 0; i < threads->nr && known; i++) {
		struct thread *thread = &threads->list[i];

		if (thread->stopped)
			continue;
		if (sleeps(r, thread, &known))
			/* Who runs from now on is taken off once more. */
			r->switches[i] = thread->rest.look.switches;
		else if (thread_interrupt(thread) &&
			 !has_ended(threads->pid, thread->tid))
			return false;
	}
	return known;
}

/* Where it was in stop_awake(): if it has run since, all is looked at again. */
static bool look_at_thread(struct release *r, const struct thread *thread)
{
	uint64_t pc = thread->rest.pc;

	if (thread->stopped)
		return keep_registers(r, thread) &&
		       note_dead(r, thread, tracee_sp(&thread->regs));
	if (!thread->watched)
		return has_ended(r->remote->pid, thread->tid);
	return !has(&r->code, pc) && (!has(&r->in, pc) || keep(r, pc)) &&
	       note_dead(r, thread, thread->rest.sp);
}

static bool threads_looked_at(struct release *r, const struct threads *threads)
{
	int i;

	for (i = 0; i < threads->nr; i++)
		if (!look_at_thread(r, &threads->list[i]))
			return false;
	return true;
}

static bool has_run(const struct release *r, const struct threads *threads,
		    int i, struct rest *now)
{
	pid_t tid = threads->list[i].tid;
	struct remote_look look;

	if (threads->list[i].stopped ||
	    (remote_look(threads->pid, tid, &look) && look.switches == r->switches[i] &&
	     (look.state == 'S' || look.state == 'D')))
		return false;
	return thread_rest(threads->pid, tid, now) || !has_ended(threads->pid, tid);
}

/*
 * Has any?  One that wakes every now and then would do so the next time, too: it is
 * stopped where its call goes on afterwards as if nothing had been.
 */
static bool any_has_run(const struct release *r, struct threads *threads)
{
	struct rest now;
	bool any = false;
	int i;

	for (i = 0; i < threads->nr; i++) {
		now.call = -1;
		if (!has_run(r, threads, i, &now))
			continue;
		any = true;
		if (now.call >= 0 && rest_restarts(r->remote, &now))
			thread_interrupt(&threads->list[i]);
	}
	return any;
}

/* ---- memory ------------------------------------------------------------------------- */

/* Is that the IP in the frame of a handler of the program's? */
static bool is_frame(const struct release *r, uint64_t addr)
{
	uint64_t from;

	return frame_has_ip(r->remote, addr, &from) && !has(&r->code, from);
}

/* The word at addr is an address that matters.  False: then nothing may go. */
static bool judge(struct release *r, uint64_t addr, uint64_t word)
{
	if (has(&r->own, addr))
		return true;
	if (++r->judged > JUDGED_MAX)
		return false;
	if (has(&r->dead, addr) && !is_frame(r, addr))
		return true;
	return has(&r->in, word) ? keep(r, word) : !frame_is_saved(r->remote, addr);
}

/* 64 KiB have one place in the table; few words need more than a look at it. */
static uint8_t *near(struct release *r, uint64_t addr)
{
	return &r->near[addr >> 16 & ((1u << NEAR_BITS) - 1)];
}

static void know_near(struct release *r, const struct ranges *ranges)
{
	const struct range *range = ranges->list;
	uint64_t at;

	for (; range < ranges->list + ranges->nr; range++) {
		for (at = range->from; at < range->to; at += 65536)
			*near(r, at) = 1;
		*near(r, range->to - 1) = 1;
	}
}

/* Pages that are there, one after the other. */
static bool look_through(struct release *r, uint64_t addr, size_t pages)
{
	size_t i, nr = pages * PAGE / sizeof(r->words[0]);
	uint64_t word;

	if (pages * PAGE > r->left ||
	    remote_read(r->remote, addr, r->words, pages * PAGE))
		return false;
	r->left -= pages * PAGE;
	for (i = 0; i < nr; i++) {
		word = tracee_address(r->words[i]);
		if (*near(r, word) && (has(&r->in, word) || has(&r->code, word)) &&
		    !judge(r, addr + i * sizeof(r->words[0]), word))
			return false;
	}
	return true;
}

/* What was written there; of what is shared, all that is there. */
static bool is_looked_at(const struct remote_map *map, uint64_t entry)
{
	return entry & (PRESENT | SWAPPED) &&
	       (map->shared || !(entry & OF_FILE));
}

static bool look_at_part(struct release *r, const struct remote_map *map,
			 uint64_t addr, const uint64_t *entries, size_t nr)
{
	size_t i, from;

	for (i = 0; i < nr; i++) {
		for (from = i; i < nr && is_looked_at(map, entries[i]); i++)
			;
		if (i > from &&
		    !look_through(r, addr + from * PAGE, i - from))
			return false;
	}
	return true;
}

/* A runtime may have reserved more addresses than could be asked for one by one. */
static bool know_empty(struct release *r)
{
	unsigned long long from = 0, to = 0, rss = 0, swap, start, end;
	char path[64], *line = NULL;
	bool whole = true;
	size_t room = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/smaps", (int)r->remote->pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (whole && getline(&line, &room, file) >= 0) {
		/* Of another line it may take a letter for a number. */
		if (sscanf(line, "%llx-%llx ", &start, &end) == 2) {
			from = start;
			to = end;
			rss = 1;
		}
		sscanf(line, "Rss: %llu", &rss);
		if (sscanf(line, "Swap: %llu", &swap) == 1 && !rss && !swap)
			whole = add(&r->empty, from, to, 0);
	}
	free(line);
	fclose(file);
	return whole;
}

/* Nothing that the process cannot have written, and nothing of the library's alone. */
static bool is_passed_over(const struct release *r,
			   const struct remote_map *map)
{
	const struct range *own = behind(&r->own, map->start);
	const struct range *in = behind(&r->in, map->start);

	return (map->shared && !map->write) ||
	       (has(&r->empty, map->start) && has(&r->empty, map->end - 1)) ||
	       (own && own->from <= map->start && own->to >= map->end) ||
	       (in && in->from <= map->start && in->to >= map->end) ||
	       !strcmp(map->path, "[vsyscall]") || !strcmp(map->path, "[vvar]");
}

static bool memory_looked_at(struct release *r)
{
	uint64_t entries[PART], at;
	char path[64];
	bool fine;
	size_t i, nr;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)r->remote->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	fine = fd >= 0;
	for (i = 0; i < r->remote->maps_nr && fine; i++) {
		const struct remote_map *map = &r->remote->maps[i];

		if (is_passed_over(r, map))
			continue;
		fine = map->end - map->start <= r->span_left;
		r->span_left -= fine ? map->end - map->start : 0;
		for (at = map->start; at < map->end && fine;
		     at += nr * PAGE) {
			nr = (map->end - at) / PAGE;
			nr = nr > PART ? PART : nr;
			fine = pread(fd, entries, nr * 8,
					(off_t)(at / PAGE * 8)) ==
					  (ssize_t)(nr * 8) &&
				  look_at_part(r, map, at, entries, nr);
		}
	}
	if (fd >= 0)
		close(fd);
	return fine;
}

/* ---- the whole ---------------------------------------------------------------------- */

struct release *release_begin(struct remote *remote, int fd)
{
	struct release *r = calloc(1, sizeof(*r));
	struct taking taking = { r, true };
	char error[512];

	if (!r)
		return NULL;
	r->remote = remote;
	if (process_ask(fd, "inside", -1, error, sizeof(error), take_lines,
			&taking) || !taking.whole || !r->in.nr) {
		release_end(r);
		return NULL;
	}
	sort(&r->in);
	sort(&r->own);
	know_near(r, &r->in);
	know_near(r, &r->code);
	return r;
}

/* Is it known who is where?  *again: somebody has run meanwhile. */
static bool look(struct release *r, struct threads *threads, bool *again)
{
	int nr = threads->nr;

	r->kept_nr = r->dead.nr = r->empty.nr = 0;
	r->left = SCAN_MAX;
	r->span_left = SPAN_MAX;
	r->judged = 0;
	*again = false;
	if (!stop_awake(r, threads) || remote_refresh(r->remote) ||
	    !know_empty(r) || !threads_looked_at(r, threads))
		return false;
	sort(&r->dead);
	if (!memory_looked_at(r))
		return false;
	*again = any_has_run(r, threads);
	/* None that was made by one that is awake. */
	return !threads_more(threads) && threads->nr == nr;
}

static bool may(struct release *r, struct threads *threads)
{
	bool again = true;
	int tries;

	r->switches = calloc((size_t)threads->nr + 1, sizeof(*r->switches));
	if (!r->switches || process_sharer(r->remote->pid))
		return false;
	for (tries = 0; tries < TRIES && again; tries++)
		if (!look(r, threads, &again))
			return false;
	return !again;
}

/* What is kept from the first on, as much as one request takes; how many. */
static size_t say_still(const struct release *r, size_t first, char *text,
			size_t room)
{
	size_t len = (size_t)snprintf(text, room, "still"), i;

	for (i = first; i < r->kept_nr && room - len > ADDRESS_LEN; i++)
		len += (size_t)snprintf(text + len, room - len, " %llx",
					(unsigned long long)r->kept[i]);
	return i - first;
}

void release_ask(struct release *r, struct threads *threads, int fd)
{
	char text[KP_PACKET_MAX - 1], error[512];
	bool go = may(r, threads);
	size_t i = 0;

	while (go && i < r->kept_nr) {
		i += say_still(r, i, text, sizeof(text));
		go = !process_ask(fd, text, -1, error, sizeof(error), NULL,
				  NULL);
	}
	process_ask(fd, go ? "release" : "keep", -1, error, sizeof(error), NULL,
		    NULL);
}

void release_end(struct release *r)
{
	free(r->in.list);
	free(r->own.list);
	free(r->code.list);
	free(r->stacks.list);
	free(r->dead.list);
	free(r->empty.list);
	free(r->switches);
	free(r);
}
