/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * session.h - what the files of kprobes_trace.ko offer one another.
 *
 * Owns: struct session, one for each open file, and struct probe.
 */
#ifndef KT_SESSION_H
#define KT_SESSION_H

#include "../codes.h"
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <kprobes/watch.h>
#include "../filtered.h"
#include "vm.h"

/* What stands for one probe of a program. */
struct probe {
	struct kt_predicate asks;	/* stands before rp */
	/* Each begins with its kprobe; of an entry's only that is used. */
	union {
		struct kretprobe rp;
		struct wprobe wp;
	};
	/* Written once before it is registered. */
	struct session *session;
	u32 number;
	u32 first;			/* of its instructions */
	struct perf_event **events;	/* of each processor; NULL: none (events.c) */
	/* Guarded by the session's lock; err is 0 or negative. */
	int err;
	const char *reason;
};

struct session {
	struct mutex lock;		/* guards what follows */
	/* Also read by handlers; written once before they are registered. */
	struct kt_vm vm;
	struct kt_arena *arena;		/* NULL: no program yet; also read to map it */
	/* Handlers do nothing while it is not 0; switched while they run. */
	const u32 *stop;
	const char *wrong;		/* with the program that was refused */
	struct probe *probes;
	/* What is registered: entries from the front on, then returns, then watches. */
	void **set;
	u32 entries, returns, watches;
	struct kt_codes codes;		/* of the watches */
	bool started;
};

/* Handlers ask it first. */
static inline bool kt_stopped(const struct session *session)
{
	return READ_ONCE(*READ_ONCE(session->stop));
}

/*
 * probes.c: a hit that was not stopped.  A program and the stack that it asks for take up to
 * so many bytes of the stack: of a small one, on which less is left, the hit is cut.
 */
#define KT_STACK_NEEDED 3072u
void kt_probe_hit(const struct probe *probe, struct kt_hit *hit);

/* probes.c; the session's lock is held. */
int kt_probes_make(struct session *session);
void kt_probes_free(struct session *session);
/* How many of them were refused, or a negative errno: then none is set. */
int kt_probes_start(struct session *session);
void kt_probes_stop(struct session *session);
void kt_probes_count(struct session *session);
void kt_probe_refuse(struct probe *probe, int err, const char *reason);
struct kt_probe_state *kt_state_of(const struct probe *probe);
bool kt_probes_override(const struct session *session);

/* events.c: those that are tracepoints or samples; the session's lock is held. */
void kt_events_start(struct session *session);
void kt_events_stop(struct session *session);

/* watches.c: those that are accesses to memory; the session's lock is held. */
void kt_watches_start(struct session *session);
void kt_watches_count(struct session *session);
void kt_watches_stop(struct session *session);

#endif
