/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lttng_events.h - the one event that lttng.c records.
 *
 * Owns: its provider and its field.  LTTng's headers read this file several times.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER kp_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "lttng_events.h"

#if !defined(KP_BENCH_LTTNG_EVENTS_H) || \
	defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define KP_BENCH_LTTNG_EVENTS_H

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(kp_bench, call, LTTNG_UST_TP_ARGS(long, arg),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(long, arg, arg)))

#endif

#include <lttng/tracepoint-event.h>
