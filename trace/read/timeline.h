/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * timeline.h - what the files of the timeline share.
 *
 * Owns: struct read_timeline; the numbers of the fields of Perfetto's TracePacket,
 * which its documentation lists.
 */
#ifndef KT_TIMELINE_H
#define KT_TIMELINE_H

#include "read.h"

enum {
	TRACE_PACKET = 1,
	/* TracePacket */
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_CLOCK = 58,		/* also of TracePacketDefaults */
	PACKET_DEFAULTS = 59,
	PACKET_TRACK = 60,
	PACKET_FIRST = 87,
	/* ClockSnapshot, and its Clock */
	SNAPSHOT_CLOCK = 1,
	CLOCK_ID = 1,
	CLOCK_TIME = 2,
	/* InternedData, and what is in it */
	INTERNED_CATEGORY = 1,
	INTERNED_NAME = 2,
	INTERNED_ANNOTATION = 3,
	INTERNED_ID = 1,
	INTERNED_TEXT = 2,
	/* TrackDescriptor */
	TRACK_ID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	/* ProcessDescriptor, ThreadDescriptor */
	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,
	/* TrackEvent */
	EVENT_CATEGORY = 3,
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_ID = 10,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
	EVENT_COUNTER = 30,
	/* DebugAnnotation */
	ANNOTATION_NAME_ID = 1,
	ANNOTATION_NUMBER = 4,
};

enum event_type { SLICE_BEGIN = 1, SLICE_END, INSTANT, COUNTER };

/* Kinds of tracks: their ids begin with it. */
enum track_kind {
	OF_PROCESS = 1, OF_THREAD, OF_COUNTER, OF_SCRIPT, OF_LOSSES,
};

static inline u64 track(enum track_kind kind, u64 which)
{
	return (u64)kind << 60 | (which & ((1ull << 60) - 1));
}

/* What a probe means. */
struct place {
	u32 first;			/* of the probes of its function */
	bool slice;			/* that has both kinds of them */
	bool ends;			/* this one ends it */
	bool named;			/* of the first: the function's name was written */
};

/* Those of an arena. */
struct places {
	struct place *all;		/* for each probe; NULL: not known yet */
	u32 numbers;			/* the functions' numbers begin there */
};

struct read_timeline {
	FILE *out;
	u64 begin;			/* ns; nothing is older */
	u64 looked;			/* at counters */
	struct read_text packet, message;	/* in the making */

	struct places *places_of;	/* of each arena, as far as one was hit */
	u32 arenas;
	u32 functions;			/* numbers that are given */
	struct thread *threads;
	u32 threads_nr, threads_room;
	u32 *slots;			/* of threads, by a hash: number + 1; 0: free */
	u32 mask;
	struct counters *counters;	/* for each map */
	u64 lost[READ_LOSSES + 1];		/* as the timeline has shown them */
	u64 left_out;			/* hits of threads without room, or too deep */
};

/* Numbers of names that the first packet gives. */
enum { CATEGORY_PROCESS = 1, CATEGORY_KERNEL, CATEGORY_SCRIPT };
enum { ANNOTATION_RETVAL = 1 };

/* packet.c: a packet is begun, gets fields, and is written. */
void read_packet_begin(struct read_timeline *t, u64 nsecs);
void read_packet_end(struct read_timeline *t);
/* An event; what else it has comes behind it, then read_event_end(). */
void read_event_begin(struct read_timeline *t, u64 nsecs, enum event_type type,
		      u64 on);
void read_event_end(struct read_timeline *t);
/* What others refer to: clocks, categories, annotations. */
void read_packet_first(struct read_timeline *t);
/* A name, once; then its number stands for it. */
void read_packet_intern(struct read_text *interned, u32 kind, u64 id, const char *name,
			size_t len);
void read_packet_track(struct read_timeline *t, u64 id, const char *name);

/* pairs.c: of an arena; NULL: no memory. */
struct places *read_pairs(struct trace_reader *reader, const struct kt_vm *vm);
void read_pairs_free(struct read_timeline *t);

/* counters.c; NULL: no memory */
struct counters *read_counters_new(const struct trace_reader *reader);
void read_counters(struct trace_reader *reader, u64 nsecs);
void read_counters_free(struct trace_reader *reader);

#endif
