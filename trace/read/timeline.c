// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * timeline.c - what happens, in Perfetto's format: packets, one behind the other.
 *
 * Owns: a track for each thread, and which functions are open on it.  A function with
 * a probe at its entry and one where it returns is a slice, from one hit to the other;
 * what else is hit, or printed, is an instant.
 *
 * Hits are hostile, some are lost, and exceptions leave calls without a return.  A
 * return closes the innermost call of its function and those within it, or nothing;
 * a call closes those that the stack pointer says are over.  So every end has its
 * begin.  Where a function has several probes at its entry they begin one slice; the
 * first of those where it returns ends it.
 */
#include "timeline.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOOK_NS		100000000ull	/* between looks at maps and losses */
#define THREADS_MAX	65536u
#define DEPTH_MAX	512u		/* calls on a thread that are shown */
#define STACK		(1u << 20)	/* ... that are on one stack are no farther apart */
#define KERNEL_STACK	(1u << 14)	/* ... are in one such part of memory */

#define SEQUENCE	1
#define FLAG_BEGINS	1		/* what was interned before is void */
#define FLAG_CONTINUES	2		/* it needs what was interned */

enum { CATEGORY_PROCESS = 1, CATEGORY_KERNEL, CATEGORY_SCRIPT };
enum { ANNOTATION_RETVAL = 1 };

/* What a probe means. */
struct function {
	u32 number;			/* the same of all probes of a function */
	bool slice;			/* it has both kinds of them */
	bool ends;			/* this one ends it */
};

struct call {
	u32 function, probe;
	u64 sp;				/* at its entry */
};

struct thread {
	u32 pid, tid;
	char name[16];
	bool process_named;
	struct call *calls;		/* that are open */
	u32 nr, room;
	u32 deeper;			/* that are not shown */
	u64 last;			/* ns: on a track time goes on */
};

/* ---- packets ---------------------------------------------------------------- */

void read_packet_begin(struct read_timeline *t, u64 nsecs)
{
	t->packet.len = 0;
	if (nsecs)
		read_proto_number(&t->packet, PACKET_TIMESTAMP, nsecs);
}

static void end_packet(struct read_timeline *t, u32 flags)
{
	struct read_text whole = { 0 };

	read_proto_number(&t->packet, PACKET_SEQUENCE, SEQUENCE);
	read_proto_number(&t->packet, PACKET_FLAGS, flags);
	read_proto_message(&whole, TRACE_PACKET, &t->packet);
	read_out(t->out, &whole);
}

void read_packet_end(struct read_timeline *t)
{
	end_packet(t, FLAG_CONTINUES);
}

void read_event_begin(struct read_timeline *t, u64 nsecs, enum event_type type, u64 on)
{
	read_packet_begin(t, nsecs);
	read_proto_number(&t->message, EVENT_TYPE, type);
	read_proto_number(&t->message, EVENT_TRACK, on);
}

void read_event_end(struct read_timeline *t)
{
	read_proto_message(&t->packet, PACKET_EVENT, &t->message);
	read_packet_end(t);
}

static void put_clock(struct read_timeline *t, clockid_t clock, u32 id)
{
	struct read_text one = { 0 };
	struct timespec now;

	clock_gettime(clock, &now);
	read_proto_number(&one, CLOCK_ID, id);
	read_proto_number(&one, CLOCK_TIME, (u64)now.tv_sec * 1000000000 +
					    (u64)now.tv_nsec);
	read_proto_message(&t->message, SNAPSHOT_CLOCK, &one);
	read_text_free(&one);
}

static void put_interned(struct read_text *interned, u32 kind, u64 id, const char *name,
			 size_t len)
{
	struct read_text one = { 0 };

	read_proto_number(&one, INTERNED_ID, id);
	read_proto_string(&one, INTERNED_TEXT, name, len);
	read_proto_message(interned, kind, &one);
	read_text_free(&one);
}

#define MONOTONIC_ID	3		/* BUILTIN_CLOCK_... */

/* Other traces of the machine may be put beside it: what its clocks say now. */
static void begin_trace(struct read_timeline *t)
{
	static const char *const categories[] = { "process", "kernel", "script" };
	u32 i;

	read_packet_begin(t, 0);
	put_clock(t, CLOCK_REALTIME, 1);
	put_clock(t, CLOCK_MONOTONIC, MONOTONIC_ID);
	put_clock(t, CLOCK_BOOTTIME, 6);
	read_proto_message(&t->packet, PACKET_CLOCK_SNAPSHOT, &t->message);
	read_proto_number(&t->packet, PACKET_FIRST, 1);
	read_proto_number(&t->message, PACKET_CLOCK, MONOTONIC_ID);
	read_proto_message(&t->packet, PACKET_DEFAULTS, &t->message);
	for (i = 0; i < ARRAY_SIZE(categories); i++)
		put_interned(&t->message, INTERNED_CATEGORY, i + 1, categories[i],
			     strlen(categories[i]));
	put_interned(&t->message, INTERNED_ANNOTATION, ANNOTATION_RETVAL, "retval", 6);
	read_proto_message(&t->packet, PACKET_INTERNED, &t->message);
	end_packet(t, FLAG_BEGINS);
}

static void put_track(struct read_timeline *t, u64 id, const char *name)
{
	read_packet_begin(t, 0);
	read_proto_number(&t->message, TRACK_ID, id);
	read_proto_string(&t->message, TRACK_NAME, name, strlen(name));
	read_proto_message(&t->packet, PACKET_TRACK, &t->message);
	read_packet_end(t);
}

/* ---- functions -------------------------------------------------------------- */

/* By address; those that have none by name. */
static int by_function(const void *a, const void *b, void *arg)
{
	const struct trace_reader *reader = arg;
	u32 x = *(const u32 *)a, y = *(const u32 *)b;
	const struct trace_probe *p = &reader->script->probes[x];
	const struct trace_probe *q = &reader->script->probes[y];
	const struct kt_probe *at = reader->vms[0].probes;
	int found = p->kernel - q->kernel;

	if (!found && p->process != q->process)
		found = p->process < q->process ? -1 : 1;
	if (!found && at[x].addr != at[y].addr)
		found = at[x].addr < at[y].addr ? -1 : 1;
	if (!found && !at[x].addr)
		found = strcmp(p->function, q->function);
	if (!found && at[x].offset != at[y].offset)
		found = at[x].offset < at[y].offset ? -1 : 1;
	return found;
}

/* order[from] to order[to - 1] are of one function, in the order of the script. */
static void pair(const struct trace_reader *reader, const u32 *order, u32 from, u32 to)
{
	struct function *functions = reader->timeline->functions;
	u32 i, entries = 0, returns = 0;

	for (i = from; i < to; i++) {
		bool back = reader->script->probes[order[i]].returns;

		functions[order[i]] = (struct function){
			.number = from, .ends = back && !returns,
		};
		entries += !back;
		returns += back;
	}
	for (i = from; i < to; i++)
		functions[order[i]].slice = entries && returns;
}

static int in_script(const void *a, const void *b, void *arg)
{
	int found = by_function(a, b, arg);

	return found ? found : *(const u32 *)a < *(const u32 *)b ? -1 : 1;
}

static bool find_functions(struct trace_reader *reader)
{
	struct read_timeline *t = reader->timeline;
	u32 nr = reader->script->probes_nr, *order, i, from = 0;

	t->functions = calloc((size_t)nr + 1, sizeof(*t->functions));
	t->named = calloc((size_t)nr / 32 + 1, sizeof(*t->named));
	order = calloc((size_t)nr + 1, sizeof(*order));
	if (!t->functions || !t->named || !order) {
		free(order);
		return false;
	}
	for (i = 0; i < nr; i++)
		order[i] = i;
	if (nr)
		qsort_r(order, nr, sizeof(*order), in_script, reader);
	for (i = 1; i <= nr; i++)
		if (i == nr || by_function(&order[i - 1], &order[i], reader)) {
			pair(reader, order, from, i);
			from = i;
		}
	free(order);
	return true;
}

/* ---- threads ---------------------------------------------------------------- */

/* Numbers are hostile: where they are put cannot be known without the seed. */
static u32 place_of(const struct trace_reader *reader, u32 pid, u32 tid)
{
	u64 hash = ((u64)pid << 32 | tid) + reader->seed[0];

	hash = (hash ^ hash >> 32) * (reader->seed[1] | 1);
	return (u32)((hash ^ hash >> 29) * 0x9fb21c651e98df25ull >> 32) &
	       reader->timeline->mask;
}

static u32 *find_place(const struct trace_reader *reader, u32 pid, u32 tid)
{
	const struct read_timeline *t = reader->timeline;
	u32 place = place_of(reader, pid, tid);

	while (t->places[place] && (t->threads[t->places[place] - 1].pid != pid ||
				    t->threads[t->places[place] - 1].tid != tid))
		place = (place + 1) & t->mask;
	return &t->places[place];
}

/* Places are twice as many as threads. */
static bool grow(struct trace_reader *reader)
{
	struct read_timeline *t = reader->timeline;
	u32 room = t->threads_room ? 2 * t->threads_room : 64, i;
	struct thread *threads = realloc(t->threads, room * sizeof(*threads));
	u32 *places = threads ? calloc(2 * (size_t)room, sizeof(*places)) : NULL;

	t->threads = threads ? threads : t->threads;
	if (!places)
		return false;
	free(t->places);
	t->places = places;
	t->mask = 2 * room - 1;
	t->threads_room = room;
	for (i = 0; i < t->threads_nr; i++)
		*find_place(reader, t->threads[i].pid, t->threads[i].tid) = i + 1;
	return true;
}

static u64 track_of(const struct thread *thread)
{
	return track(OF_THREAD, (u64)(thread->pid & 0x3fffffff) << 30 |
				(thread->tid & 0x3fffffff));
}

static void put_process(struct read_timeline *t, const struct thread *thread)
{
	struct read_text process = { 0 };

	read_packet_begin(t, 0);
	read_proto_number(&t->message, TRACK_ID, track(OF_PROCESS, thread->pid));
	read_proto_number(&process, PROCESS_PID, thread->pid);
	if (thread->pid == thread->tid)
		read_proto_string(&process, PROCESS_NAME, thread->name,
				  strnlen(thread->name, sizeof(thread->name)));
	read_proto_message(&t->message, TRACK_PROCESS, &process);
	read_proto_message(&t->packet, PACKET_TRACK, &t->message);
	read_packet_end(t);
	read_text_free(&process);
}

static void put_thread(struct read_timeline *t, const struct thread *thread)
{
	struct read_text one = { 0 };

	put_process(t, thread);
	read_packet_begin(t, 0);
	read_proto_number(&t->message, TRACK_ID, track_of(thread));
	read_proto_number(&t->message, TRACK_PARENT, track(OF_PROCESS, thread->pid));
	read_proto_number(&one, THREAD_PID, thread->pid);
	read_proto_number(&one, THREAD_TID, thread->tid);
	read_proto_string(&one, THREAD_NAME, thread->name,
			  strnlen(thread->name, sizeof(thread->name)));
	read_proto_message(&t->message, TRACK_THREAD, &one);
	read_proto_message(&t->packet, PACKET_TRACK, &t->message);
	read_packet_end(t);
	read_text_free(&one);
}

/* name: NULL: not known.  NULL: no room. */
static struct thread *thread_of(struct trace_reader *reader,
				const struct read_event *event, const char name[16])
{
	u32 pid = read_pid(reader, event->vm, event->record.pid);
	u32 tid = event->record.tid;
	struct read_timeline *t = reader->timeline;
	struct thread *thread;
	u32 *place;
	bool fresh;

	if (t->threads_nr == t->threads_room && t->threads_nr < THREADS_MAX &&
	    !grow(reader))
		return NULL;
	place = find_place(reader, pid, tid);
	fresh = !*place;
	if (fresh && t->threads_nr == t->threads_room)
		return NULL;
	if (fresh) {
		t->threads[t->threads_nr] = (struct thread){
			.pid = pid, .tid = tid, .last = t->begin,
		};
		*place = ++t->threads_nr;
	}
	thread = &t->threads[*place - 1];
	if (fresh || (name && memcmp(thread->name, name, sizeof(thread->name)))) {
		if (name)
			memcpy(thread->name, name, sizeof(thread->name));
		put_thread(t, thread);
	}
	return thread;
}

/* ---- hits ------------------------------------------------------------------- */

/* A hit, as it is to be trusted. */
struct hit {
	struct trace_reader *reader;
	struct read_timeline *t;
	struct thread *thread;
	u64 nsecs;
	u32 probe;
	bool returns;
	u64 word;			/* sp; what was returned */
};

/* thread: NULL: none. */
static u64 time_of(const struct read_timeline *t, const struct kt_record *record,
		   struct thread *thread)
{
	u64 now = read_now(), least = thread ? thread->last : t->begin;
	u64 nsecs = record->nsecs < least ? least :
		    record->nsecs > now ? now : record->nsecs;

	if (thread)
		thread->last = nsecs;
	return nsecs;
}

static void begin_event(const struct hit *h, enum event_type type)
{
	bool kernel = h->reader->script->probes[h->probe].kernel;

	read_event_begin(h->t, h->nsecs, type, track_of(h->thread));
	if (type != SLICE_END)
		read_proto_number(&h->t->message, EVENT_CATEGORY,
				  kernel ? CATEGORY_KERNEL : CATEGORY_PROCESS);
}

static void put_retval(const struct hit *h)
{
	struct read_text one = { 0 };

	if (!h->returns)
		return;
	read_proto_number(&one, ANNOTATION_NAME_ID, ANNOTATION_RETVAL);
	read_proto_number(&one, ANNOTATION_NUMBER, h->word);
	read_proto_message(&h->t->message, EVENT_ANNOTATION, &one);
	read_text_free(&one);
}

/* As in the source; of functions that are inlined there the last line is its own. */
static void put_function(const struct trace_reader *reader, u32 probe, u32 pid,
			 struct read_text *text)
{
	const struct trace_probe *p = &reader->script->probes[probe];
	u64 addr = reader->vms[0].probes[probe].addr;
	struct read_text name = { 0 };
	const char *line;

	/* A system call's function is not what it is called by. */
	if (addr && strncmp(p->name, "tracepoint:", 11))
		read_show_symbol(reader, p->kernel, pid, addr, 0, &name);
	line = name.len ? memrchr(name.bytes, '\n', name.len) : NULL;
	line = line ? line + 1 : name.bytes;
	if (name.len && strncmp(line, "0x", 2))
		read_put(text, line, (size_t)(name.bytes + name.len - line));
	else
		read_puts(text, *p->function ? p->function : p->name);
	read_text_free(&name);
}

/* A name is written once; then its number stands for it. */
static void put_slice_name(const struct hit *h)
{
	struct read_timeline *t = h->t;
	u32 number = t->functions[h->probe].number;
	struct read_text interned = { 0 }, name = { 0 };

	read_proto_number(&t->message, EVENT_NAME_ID, number + 1);
	if (t->named[number / 32] & 1u << number % 32)
		return;
	t->named[number / 32] |= 1u << number % 32;
	put_function(h->reader, h->probe, h->thread->pid, &name);
	put_interned(&interned, INTERNED_NAME, number + 1, name.bytes, name.len);
	read_proto_message(&t->packet, PACKET_INTERNED, &interned);
	read_text_free(&interned);
	read_text_free(&name);
}

static bool make_room(struct thread *thread)
{
	u32 room = thread->room ? 2 * thread->room : 16;
	struct call *calls;

	if (thread->nr < thread->room)
		return true;
	calls = room <= DEPTH_MAX ? realloc(thread->calls, room * sizeof(*calls)) : NULL;
	if (!calls)
		return false;
	thread->calls = calls;
	thread->room = room;
	return true;
}

static void end_call(const struct hit *h, bool returned)
{
	h->thread->nr--;
	begin_event(h, SLICE_END);
	if (returned)
		put_retval(h);
	read_event_end(h->t);
}

/* On one stack; interrupts, signals and coroutines have others. */
static bool same_stack(const struct hit *h, const struct call *call)
{
	bool kernel = h->reader->script->probes[h->probe].kernel;

	if (kernel != h->reader->script->probes[call->probe].kernel)
		return false;
	return kernel ? (call->sp ^ h->word) < KERNEL_STACK :
	       h->word - call->sp < STACK;
}

/* It was left without a return: what is called now is called from farther out. */
static bool is_over(const struct hit *h, const struct call *call)
{
	u32 number = h->t->functions[h->probe].number;

	return same_stack(h, call) &&
	       (call->sp < h->word || (call->sp == h->word && call->probe == h->probe &&
				       call->function == number));
}

static void begin_slice(const struct hit *h)
{
	struct thread *thread = h->thread;
	u32 number = h->t->functions[h->probe].number;
	const struct call *top;

	while (thread->nr && is_over(h, &thread->calls[thread->nr - 1])) {
		thread->deeper = 0;
		end_call(h, false);
	}
	top = thread->nr ? &thread->calls[thread->nr - 1] : NULL;
	/* Another probe at the same entry. */
	if (top && top->function == number && top->sp == h->word)
		return;
	if (thread->deeper || !make_room(thread)) {
		thread->deeper++;
		h->t->left_out++;
		return;
	}
	thread->calls[thread->nr++] = (struct call){ number, h->probe, h->word };
	begin_event(h, SLICE_BEGIN);
	put_slice_name(h);
	read_event_end(h->t);
}

static void end_slice(const struct hit *h)
{
	struct thread *thread = h->thread;
	u32 number = h->t->functions[h->probe].number, at;

	if (thread->deeper) {
		thread->deeper--;
		return;
	}
	for (at = thread->nr; at && thread->calls[at - 1].function != number; at--)
		;
	while (at && thread->nr >= at)
		end_call(h, thread->nr == at);
}

static void put_instant(const struct hit *h)
{
	const char *name = h->reader->script->probes[h->probe].name;

	begin_event(h, INSTANT);
	read_proto_string(&h->t->message, EVENT_NAME, name, strlen(name));
	put_retval(h);
	read_event_end(h->t);
}

void read_timeline_mark(struct trace_reader *reader, const struct read_event *event)
{
	const struct kt_record *record = &event->record;
	struct read_timeline *t = reader->timeline;
	struct hit h = { .reader = reader, .t = t, .probe = record->probe };
	u32 len = record->len - (u32)sizeof(*record);
	char name[16] = "";

	if (!t || h.probe >= reader->script->probes_nr)
		return;
	memcpy(name, record->bytes, len < sizeof(name) ? len : sizeof(name));
	h.returns = reader->script->probes[h.probe].returns;
	h.word = read_word(record->bytes, len, sizeof(name));
	h.thread = thread_of(reader, event, name);
	if (!h.thread) {
		t->left_out++;
		return;
	}
	h.nsecs = time_of(t, record, h.thread);
	if (!t->functions[h.probe].slice)
		put_instant(&h);
	else if (!h.returns)
		begin_slice(&h);
	else if (t->functions[h.probe].ends)
		end_slice(&h);
}

void read_timeline_say(struct trace_reader *reader, const struct read_event *event,
		       const struct read_text *text)
{
	const struct kt_record *record = &event->record;
	struct read_timeline *t = reader->timeline;
	u32 nr = reader->script->probes_nr;
	struct thread *thread = NULL;
	u64 on = track(OF_SCRIPT, 0);
	size_t len = text->len;

	while (len && text->bytes[len - 1] == '\n')
		len--;
	if (record->probe < nr) {
		thread = thread_of(reader, event, NULL);
		if (!thread) {
			t->left_out++;
			return;
		}
		on = track_of(thread);
	}
	read_event_begin(t, time_of(t, record, thread), INSTANT, on);
	read_proto_number(&t->message, EVENT_CATEGORY, CATEGORY_SCRIPT);
	read_proto_string(&t->message, EVENT_NAME, text->bytes, len);
	read_event_end(t);
}

/* ---- losses ----------------------------------------------------------------- */

static void put_losses(struct trace_reader *reader, u64 nsecs)
{
	static const char *const what[READ_LOSSES + 1] = {
		[READ_LOST] = "events lost", [READ_MISSED] = "hits missed",
		[READ_CUT] = "hits cut off", [READ_LOSSES] = "hits not shown",
	};
	struct read_timeline *t = reader->timeline;
	struct read_text name = { 0 };
	u32 i;

	for (i = 0; i <= READ_LOSSES; i++) {
		u64 now = i < READ_LOSSES ? read_lost(reader, i) : t->left_out;
		u64 more = now > t->lost[i] ? now - t->lost[i] : 0;

		t->lost[i] = now;
		if (!more)
			continue;
		name.len = 0;
		read_printf(&name, "%lu %s", more, what[i]);
		read_event_begin(t, nsecs, INSTANT, track(OF_LOSSES, 0));
		read_proto_string(&t->message, EVENT_NAME, name.bytes, name.len);
		read_event_end(t);
	}
	read_text_free(&name);
}

void read_timeline_look(struct trace_reader *reader, bool last)
{
	struct read_timeline *t = reader->timeline;
	u64 now = read_now();

	if (!t || (!last && now - t->looked < LOOK_NS))
		return;
	t->looked = now;
	read_counters(reader, now);
	put_losses(reader, now);
	fflush(t->out);
}

/* ---- all of it -------------------------------------------------------------- */

bool trace_reader_timeline(struct trace_reader *reader, FILE *out)
{
	struct read_timeline *t = reader->timeline = calloc(1, sizeof(*t));

	if (!t)
		return false;
	t->out = out;
	t->begin = read_now();
	t->counters = read_counters_new(reader);
	if (!t->counters || !find_functions(reader))
		return false;
	begin_trace(t);
	put_track(t, track(OF_SCRIPT, 0), "script");
	put_track(t, track(OF_LOSSES, 0), "losses");
	return true;
}

void read_timeline_free(struct trace_reader *reader)
{
	struct read_timeline *t = reader->timeline;
	u32 i;

	if (!t)
		return;
	for (i = 0; i < t->threads_nr; i++)
		free(t->threads[i].calls);
	read_counters_free(reader);
	read_text_free(&t->packet);
	read_text_free(&t->message);
	free(t->functions);
	free(t->named);
	free(t->threads);
	free(t->places);
	free(t);
}
