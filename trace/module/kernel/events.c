// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * events.c - what is hit where no probe stands: the kernel's tracepoints, and its
 * clock.
 *
 * Owns: an event of the kernel's own (perf) on each processor, for each of these; it
 * is made when the program starts, and gives what the tracepoint has to say as one
 * record.  A processor that comes later has none.
 *
 * Locks: the session's; handlers take none.  They run where the kernel's events do, in
 * interrupts, too.
 */
#include <linux/perf_event.h>
#include <linux/slab.h>
#include "session.h"

static bool is_event(u32 kind)
{
	return kind == KT_PROBE_EVENT || kind == KT_PROBE_SAMPLE;
}

static void serve(const struct probe *probe, struct pt_regs *regs)
{
	struct kt_hit hit = {
		.regs = regs,
		.addr = instruction_pointer(regs),
		.probe = probe->number,
	};

	kt_probe_hit(probe, &hit);
}

/* The record is a tracepoint's only argument. */
static void on_event(struct perf_event *event, struct perf_sample_data *data,
		     struct pt_regs *regs)
{
	const struct probe *probe = event->overflow_handler_context;
	struct pt_regs with_record;

	if (kt_stopped(probe->session) || !data->raw)
		return;
	with_record = *regs;
	kt_machine_set_first(&with_record, (unsigned long)data->raw->frag.data);
	serve(probe, &with_record);
}

static void on_sample(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs)
{
	const struct probe *probe = event->overflow_handler_context;

	if (!kt_stopped(probe->session))
		serve(probe, regs);
}

static struct perf_event *make(struct probe *probe, const struct kt_probe *wanted,
			       int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_TRACEPOINT,
		.config = wanted->addr,
		.sample_type = PERF_SAMPLE_RAW,
		.sample_period = 1,
	};
	perf_overflow_handler_t handler = on_event;

	if (wanted->kind == KT_PROBE_SAMPLE) {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_CPU_CLOCK;
		attr.sample_type = 0;
		attr.sample_period = wanted->addr;
		handler = on_sample;
	}
	return perf_event_create_kernel_counter(&attr, cpu, NULL, handler, probe);
}

/* Was there any? */
static bool release(struct probe *probe)
{
	unsigned int cpu;

	if (!probe->events)
		return false;
	for_each_possible_cpu(cpu)
		if (probe->events[cpu])
			perf_event_release_kernel(probe->events[cpu]);
	kvfree(probe->events);
	probe->events = NULL;
	return true;
}

static int set(struct probe *probe, const struct kt_probe *wanted)
{
	struct perf_event *event;
	unsigned int cpu;

	probe->events = kvcalloc(nr_cpu_ids, sizeof(*probe->events), GFP_KERNEL);
	if (!probe->events)
		return -ENOMEM;
	for_each_online_cpu(cpu) {
		event = make(probe, wanted, cpu);
		/* It has gone meanwhile. */
		if (PTR_ERR_OR_ZERO(event) == -ENODEV && !cpu_online(cpu))
			continue;
		if (IS_ERR(event)) {
			release(probe);
			return PTR_ERR(event);
		}
		probe->events[cpu] = event;
	}
	return 0;
}

void kt_events_start(struct session *session)
{
	u32 i;
	int err;

	lockdep_assert_held(&session->lock);
	/* The event that was made last is called first; the script's first clause is to be. */
	for (i = session->vm.program->probes_nr; i-- > 0;) {
		const struct kt_probe *wanted = &session->vm.probes[i];
		struct probe *probe = &session->probes[i];

		if (!is_event(wanted->kind))
			continue;
		err = set(probe, wanted);
		if (err)
			kt_probe_refuse(probe, err, wanted->kind == KT_PROBE_EVENT ?
				"the kernel does not let this tracepoint be used" :
				"the kernel has no clock for this");
	}
}

void kt_events_stop(struct session *session)
{
	bool any = false;
	u32 i;

	lockdep_assert_held(&session->lock);
	for (i = 0; i < session->vm.program->probes_nr; i++)
		any |= release(&session->probes[i]);
	/* A handler that was interrupted by that comes to its end. */
	if (any)
		synchronize_rcu();
}
