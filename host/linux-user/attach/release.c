/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * release.c - memory that is no longer needed after a detach.
 *
 * Owns: the information that the client needs to decide whether any thread may return to a
 * copied instruction, a head or a return stub; and freeing all of these if none can.  The client
 * searches (cli/attach/release.c): it holds all other threads and sees their registers, and in a
 * program that has changed its user only the client may read /proc.
 *
 * What stays is not locked into memory, though the program may lock all that it maps.
 *
 * No lock is waited for: no held thread has one (kp_user_disarm has tried).
 */
#include "attach/release.h"
#include "face.h"
#include "machine.h"
#include "thread.h"
#include "upcall.h"
#include "freestanding/format.h"
#include "freestanding/heap.h"
#include "freestanding/parse.h"
#include "process/ids.h"
#include "process/thread_file.h"
#include "process/writer.h"
#include "threads/contexts.h"
#include "threads/thread_stack.h"
#include "objects/engine.h"
#include "traps/quiesce.h"


#define KEPT_MAX 8192

static uintptr_t kept[KEPT_MAX];	/* written while all others are held */
static size_t kept_nr;

struct lines {
	char *text;
	size_t len, room;
	const char *kind;
	uintptr_t from, to;		/* not written yet */
	bool lost;
};

static void write_out(struct lines *lines)
{
	size_t len;

	if (lines->from == lines->to || lines->lost)
		return;
	len = kp_user_print(lines->text + lines->len, lines->room - lines->len,
		       "%s %lx-%lx\n", lines->kind, (unsigned long)lines->from,
		       (unsigned long)lines->to);
	lines->lost = len >= lines->room - lines->len;
	lines->len += lines->lost ? 0 : len;
}

/* Neighbours become one. */
static void add(void *arg, uintptr_t base, size_t len)
{
	struct lines *lines = arg;

	if (base == lines->to) {
		lines->to += len;
	} else if (base + len == lines->from) {
		lines->from = base;
	} else {
		write_out(lines);
		lines->from = base;
		lines->to = base + len;
	}
}

static void begin(struct lines *lines, const char *kind)
{
	write_out(lines);
	lines->kind = kind;
	lines->from = lines->to = 0;
}

/* Threads that never met us have left nothing below their stack pointers. */
static void add_stacks(struct lines *lines)
{
	struct kp_user_context *ctx = NULL;
	uintptr_t start;
	char kind[32];
	size_t len;

	while ((ctx = kp_user_context_next(ctx))) {
		if (ctx->owner <= 0 || !ctx->self ||
		    kp_user_thread_over(ctx->owner) ||
		    !kp_user_thread_stack(ctx->self, &start, &len))
			continue;
		kp_user_print(kind, sizeof(kind), "stack %d", ctx->owner);
		begin(lines, kind);
		add(lines, start, len);
		begin(lines, NULL);
	}
}

/*
 * "in": what may go where no thread is, or comes back to; "code": what no thread may
 * be in at all; "own": memory in which such addresses stand for us alone; "stack TID":
 * the one that the C library made it with.
 */
size_t kp_user_inside(char *text, size_t room)
{
	struct lines lines = { .text = text, .room = room };
	uintptr_t start;
	size_t len;

	begin(&lines, "in");
	kp_core_rests(add, &lines);
	begin(&lines, "code");
	kp_user_engine_bounds(&start, &len);
	add(&lines, start, len);
	begin(&lines, "own");
	add(&lines, start, len);
	if (kp_user_thread_stack(kp_user_pointer(), &start,
				 &len))
		add(&lines, start, len);
	kp_user_heap_each(add, &lines);
	kp_user_context_each(add, &lines);
	kp_user_writer_each(add, &lines);
	kp_face_threads_each(add, &lines);
	add_stacks(&lines);
	begin(&lines, NULL);
	return lines.lost ? 0 : lines.len;
}

static void unlock(void *unused, uintptr_t base, size_t len)
{
	uintptr_t from = base & ~4095ul;

	(void)unused;
	sys3(SYS_munlock, from, base + len - from, 0);
}

/* Is memory locked, and no filter there that may kill for unlocking it? */
static bool may_unlock(void)
{
	char text[4096];
	const char *locked, *filter;

	if (!kp_user_thread_file(sys_gettid(), "status", text, sizeof(text)))
		return false;
	locked = strstr(text, "\nVmLck:\t");
	filter = strstr(text, "\nSeccomp:\t");
	for (locked += locked ? 8 : 0; locked && *locked == ' '; locked++)
		;
	return locked && *locked != '0' && (!filter || filter[10] == '0');
}

/*
 * Of a program that locks all that it maps (mlockall).  What is locked cannot be given
 * back, page by page.  The stack of the calling thread may be the program's next thread's.
 */
void kp_user_memory_inert(void)
{
	uintptr_t start;
	size_t len;

	/* It may kill for that. */
	if (kp_user_filtered())
		return;
	if (may_unlock()) {
		kp_user_engine_bounds(&start, &len);
		unlock(NULL, start, len);
		kp_user_heap_each(unlock, NULL);
		kp_user_context_each(unlock, NULL);
		kp_user_writer_each(unlock, NULL);
	}
	kp_user_heap_trim();
}

/* Is some thread believed to be in a handler, or to have left one for good? */
static bool any_reader(void)
{
	struct kp_user_context *ctx = NULL;

	kp_user_context_reap();
	while ((ctx = kp_user_context_next(ctx)))
		if (ctx->inside || ctx->core.site)
			return true;
	return kp_user_anonymous_readers();
}

/* Addresses that somebody may be at, of those that the next release is about. */
int kp_user_keep(const char *words)
{
	uint64_t addr;

	for (; *words; words += *words != 0) {
		if (kept_nr == KEPT_MAX)
			return -E2BIG;
		if (!kp_user_parse(&words, 16, &addr))
			return -EINVAL;
		kept[kept_nr++] = (uintptr_t)addr;
	}
	return 0;
}

/* Before the first of them. */
void kp_user_keep_none(void)
{
	kept_nr = 0;
}

/* Nobody is inside, but at what is kept: that was shown. */
int kp_user_release(void)
{
	int err;

	/* It may kill for what takes memory away. */
	if (kp_user_filtered() || any_reader())
		return -EBUSY;
	kp_user_nobody_inside(true);
	err = kp_core_release(kept, kept_nr);
	kp_user_nobody_inside(false);
	kp_user_heap_trim();
	return err;
}
