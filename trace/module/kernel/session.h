/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * session.h - what the files of kprobes_trace.ko offer one another.
 *
 * Owns: struct session, one for each open file, and struct probe.
 */
#ifndef KT_SESSION_H
#define KT_SESSION_H

#include <linux/kprobes.h>
#include <linux/mutex.h>
#include "../filtered.h"
#include "vm.h"

/* What stands for one probe of a program. */
struct probe {
	struct kt_predicate asks;	/* stands before rp */
	/* Of an entry's probe only kp is used. */
	struct kretprobe rp;
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
	/* What is registered: entries from the front on, returns behind them. */
	void **set;
	u32 entries, returns;
	bool started;
};

/* Handlers ask it first. */
static inline bool kt_stopped(const struct session *session)
{
	return READ_ONCE(*READ_ONCE(session->stop));
}

/* probes.c; the session's lock is held. */
int kt_probes_make(struct session *session);
void kt_probes_free(struct session *session);
/* How many of them were refused, or a negative errno: then none is set. */
int kt_probes_start(struct session *session);
void kt_probes_stop(struct session *session);
void kt_probes_count(struct session *session);
void kt_probe_refuse(struct probe *probe, int err, const char *reason);

/* events.c: those that are tracepoints or samples; the session's lock is held. */
void kt_events_start(struct session *session);
void kt_events_stop(struct session *session);
bool kt_probes_override(const struct session *session);

#endif
