// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * packet.c - packets of Perfetto's format, one behind the other.
 *
 * Owns: how a packet begins and ends, and the first one, which says what the machine's
 * clocks say and gives numbers to the names that are used in all others.
 */
#include "timeline.h"

#include <string.h>
#include <time.h>

#define SEQUENCE	1
#define FLAG_BEGINS	1		/* what was interned before is void */
#define FLAG_CONTINUES	2		/* it needs what was interned */

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

void read_packet_intern(struct read_text *interned, u32 kind, u64 id, const char *name,
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
void read_packet_first(struct read_timeline *t)
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
		read_packet_intern(&t->message, INTERNED_CATEGORY, i + 1, categories[i],
			     strlen(categories[i]));
	read_packet_intern(&t->message, INTERNED_ANNOTATION, ANNOTATION_RETVAL, "retval", 6);
	read_proto_message(&t->packet, PACKET_INTERNED, &t->message);
	end_packet(t, FLAG_BEGINS);
}

void read_packet_track(struct read_timeline *t, u64 id, const char *name)
{
	read_packet_begin(t, 0);
	read_proto_number(&t->message, TRACK_ID, id);
	read_proto_string(&t->message, TRACK_NAME, name, strlen(name));
	read_proto_message(&t->packet, PACKET_TRACK, &t->message);
	read_packet_end(t);
}
