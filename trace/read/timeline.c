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

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOOK_NS		100000000ull	/* between looks at maps and losses */
#define THREADS_MAX	65536u
#define DEPTH_MAX	512u		/* calls on a thread that are shown */
#define STACK		(1u << 20)	/* ... that are on one stack are no farther apart */
#define KERNEL_STACK	(1u << 14)	/* ... are in one such part of memory */

struct call {
	u32 function, probe;
	bool kernel;
	u64 sp;				/* at its entry */
};

struct thread {
	u32 pid, tid;
	char name[16];
	struct call *calls;		/* that are open */
	u32 nr, room;
	u32 deeper;			/* that are not shown */
	u64 last;			/* ns: on a track time goes on */
};

/* ---- threads ---------------------------------------------------------------- */

/* Numbers are hostile: where they are put cannot be known without the seed. */
static u32 slot_of(const struct trace_reader *reader, u32 pid, u32 tid)
{
	u64 hash = ((u64)pid << 32 | tid) + reader->seed[0];

	hash = (hash ^ hash >> 32) * (reader->seed[1] | 1);
	return (u32)((hash ^ hash >> 29) * 0x9fb21c651e98df25ull >> 32) &
	       reader->timeline->mask;
}

static u32 *find_slot(const struct trace_reader *reader, u32 pid, u32 tid)
{
	const struct read_timeline *t = reader->timeline;
	u32 slot = slot_of(reader, pid, tid);

	while (t->slots[slot] && (t->threads[t->slots[slot] - 1].pid != pid ||
				  t->threads[t->slots[slot] - 1].tid != tid))
		slot = (slot + 1) & t->mask;
	return &t->slots[slot];
}

/* Slots are twice as many as threads. */
static bool grow(struct trace_reader *reader)
{
	struct read_timeline *t = reader->timeline;
	u32 room = t->threads_room ? 2 * t->threads_room : 64, i;
	struct thread *threads = realloc(t->threads, room * sizeof(*threads));
	u32 *slots = threads ? calloc(2 * (size_t)room, sizeof(*slots)) : NULL;

	t->threads = threads ? threads : t->threads;
	if (!slots)
		return false;
	free(t->slots);
	t->slots = slots;
	t->mask = 2 * room - 1;
	t->threads_room = room;
	for (i = 0; i < t->threads_nr; i++)
		*find_slot(reader, t->threads[i].pid, t->threads[i].tid) = i + 1;
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
	u32 *slot;
	bool fresh;

	if (t->threads_nr == t->threads_room && t->threads_nr < THREADS_MAX &&
	    !grow(reader))
		return NULL;
	slot = find_slot(reader, pid, tid);
	fresh = !*slot;
	if (fresh && t->threads_nr == t->threads_room)
		return NULL;
	if (fresh) {
		t->threads[t->threads_nr] = (struct thread){
			.pid = pid, .tid = tid, .last = t->begin,
		};
		*slot = ++t->threads_nr;
	}
	thread = &t->threads[*slot - 1];
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
	const struct trace_probe *means;
	const struct kt_probe *at;
	struct place *places;		/* of all probes of its script */
	struct place *place;
	u32 probe, function;		/* numbers */
	struct thread *thread;
	u64 nsecs;
	u64 word;			/* sp; of a return what it gave */
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
	read_event_begin(h->t, h->nsecs, type, track_of(h->thread));
	if (type != SLICE_END)
		read_proto_number(&h->t->message, EVENT_CATEGORY,
				  h->means->kernel ? CATEGORY_KERNEL : CATEGORY_PROCESS);
}

static void put_retval(const struct hit *h)
{
	struct read_text one = { 0 };

	if (!h->means->returns)
		return;
	read_proto_number(&one, ANNOTATION_NAME_ID, ANNOTATION_RETVAL);
	read_proto_number(&one, ANNOTATION_NUMBER, h->word);
	read_proto_message(&h->t->message, EVENT_ANNOTATION, &one);
	read_text_free(&one);
}

/* C++'s and Rust's are not as in the source. */
static bool is_plain(const char *function)
{
	return *function && strncmp(function, "_Z", 2) && strncmp(function, "_R", 2);
}

/* As in the source; of functions that are inlined there the last line is its own. */
static void put_function(const struct hit *h, struct read_text *text)
{
	struct read_text name = { 0 };
	const char *line;

	if (h->at->addr && !is_plain(h->means->function))
		read_show_symbol(h->reader, h->means->kernel, h->thread->pid, h->at->addr,
				 false, &name);
	line = name.len ? memrchr(name.bytes, '\n', name.len) : NULL;
	line = line ? line + 1 : name.bytes;
	if (name.len && strncmp(line, "0x", 2))
		read_put(text, line, (size_t)(name.bytes + name.len - line));
	else
		read_puts(text, *h->means->function ? h->means->function : h->means->name);
	read_text_free(&name);
}

/* A name is written once; then its number stands for it. */
static void put_slice_name(const struct hit *h)
{
	struct place *first = &h->places[h->place->first];
	struct read_text interned = { 0 }, name = { 0 };

	read_proto_number(&h->t->message, EVENT_NAME_ID, h->function + 1);
	if (first->named)
		return;
	first->named = true;
	put_function(h, &name);
	read_packet_intern(&interned, INTERNED_NAME, h->function + 1, name.bytes, name.len);
	read_proto_message(&h->t->packet, PACKET_INTERNED, &interned);
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
	if (h->means->kernel != call->kernel)
		return false;
	return call->kernel ? (call->sp ^ h->word) < KERNEL_STACK :
	       h->word - call->sp < STACK;
}

/* It was left without a return: what is called now is called from farther out. */
static bool is_over(const struct hit *h, const struct call *call)
{
	return same_stack(h, call) &&
	       (call->sp < h->word || (call->sp == h->word && call->probe == h->probe &&
				       call->function == h->function));
}

static void begin_slice(const struct hit *h)
{
	struct thread *thread = h->thread;
	const struct call *top;

	while (thread->nr && is_over(h, &thread->calls[thread->nr - 1])) {
		thread->deeper = 0;
		end_call(h, false);
	}
	top = thread->nr ? &thread->calls[thread->nr - 1] : NULL;
	/* Another probe at the same entry. */
	if (top && top->function == h->function && top->sp == h->word)
		return;
	if (thread->deeper || !make_room(thread)) {
		thread->deeper++;
		h->t->left_out++;
		return;
	}
	thread->calls[thread->nr++] = (struct call){
		h->function, h->probe, h->means->kernel, h->word,
	};
	begin_event(h, SLICE_BEGIN);
	put_slice_name(h);
	read_event_end(h->t);
}

static void end_slice(const struct hit *h)
{
	struct thread *thread = h->thread;
	u32 at;

	if (thread->deeper) {
		thread->deeper--;
		return;
	}
	for (at = thread->nr; at && thread->calls[at - 1].function != h->function; at--)
		;
	while (at && thread->nr >= at)
		end_call(h, thread->nr == at);
}

static void put_instant(const struct hit *h)
{
	begin_event(h, INSTANT);
	read_proto_string(&h->t->message, EVENT_NAME, h->means->name,
			  strlen(h->means->name));
	put_retval(h);
	read_event_end(h->t);
}

void read_timeline_mark(struct trace_reader *reader, const struct read_event *event)
{
	const struct kt_record *record = &event->record;
	const struct trace_script *script = read_script(reader, event->vm);
	struct read_timeline *t = reader->timeline;
	u32 len = record->len - (u32)sizeof(*record);
	struct hit h = { .reader = reader, .t = t, .probe = record->probe };
	struct places *of;
	char name[16] = "";

	if (!t || h.probe >= script->probes_nr)
		return;
	memcpy(name, record->bytes, len < sizeof(name) ? len : sizeof(name));
	of = read_pairs(reader, event->vm);
	h.thread = thread_of(reader, event, name);
	if (!of || !h.thread) {
		t->left_out++;
		return;
	}
	h.means = &script->probes[h.probe];
	h.at = &event->vm->probes[h.probe];
	h.places = of->all;
	h.place = &of->all[h.probe];
	h.function = of->numbers + h.place->first;
	h.nsecs = time_of(t, record, h.thread);
	h.word = read_word(record->bytes, len, sizeof(name));
	if (!h.place->slice)
		put_instant(&h);
	else if (!h.means->returns)
		begin_slice(&h);
	else if (h.place->ends)
		end_slice(&h);
}

void read_timeline_say(struct trace_reader *reader, const struct read_event *event,
		       const struct read_text *text)
{
	const struct kt_record *record = &event->record;
	struct read_timeline *t = reader->timeline;
	u32 nr = read_script(reader, event->vm)->probes_nr;
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
		[READ_CUT] = "hits cut off",
		[READ_UNWATCHED] = "objects not watched", [READ_UNSEEN] = "instructions not seen",
		[READ_GONE] = "places unloaded",
		 [READ_LOSSES] = "hits not shown",
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
		read_printf(&name, "%" PRIu64 " %s", more, what[i]);
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
	if (!t->counters)
		return false;
	read_packet_first(t);
	read_packet_track(t, track(OF_SCRIPT, 0), "script");
	read_packet_track(t, track(OF_LOSSES, 0), "losses");
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
	read_pairs_free(t);
	free(t->threads);
	free(t->slots);
	free(t);
}
