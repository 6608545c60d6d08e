// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * watches.c - what is hit by accesses to the kernel's memory.
 *
 * Owns: the watch probe of each of these; they stand in the session's list behind the
 * others.
 *
 * Locks: the session's; the handler takes none.
 */
#include "../accesses.h"
#include "session.h"

/* The processor calls it like an NMI, after the access. */
static void on_access(struct wprobe *wp, struct pt_regs *regs,
		      const struct kp_access *access)
{
	const struct probe *probe = container_of(wp, struct probe, wp);
	struct kt_hit hit = {
		.regs = regs,
		.addr = instruction_pointer(regs) - 1,
		.probe = probe->number,
	};

	if (kt_stopped(probe->session))
		return;
	kt_note_access(regs, access, (unsigned long)wp->kp.addr);
	kt_probe_hit(probe, &hit);
}
NOKPROBE_SYMBOL(on_access);

static struct wprobe **watches_of(struct session *session)
{
	return (struct wprobe **)session->set + session->entries + session->returns;
}

static int set(struct probe *probe, const struct kt_probe *wanted)
{
	struct wprobe *wp = &probe->wp;

	memset(wp, 0, sizeof(*wp));
	wp->kp.addr = (void *)(unsigned long)wanted->addr;
	if (!wanted->addr)
		wp->kp.symbol_name = probe->session->vm.names + wanted->name;
	wp->kp.offset = wanted->offset;
	wp->handler = on_access;
	wp->type = KT_WATCH_KIND(wanted->watch);
	wp->len = KT_WATCH_BYTES(wanted->watch);
	kt_codes_name(&probe->session->codes, wp);
	return register_wprobe(wp);
}

/* The engine tries to read it first. */
static const char *why(const struct probe *probe, int err)
{
	if (err == -EFAULT && (unsigned long)probe->wp.kp.addr < TASK_SIZE_MAX)
		return "a process's address, or a variable of which each processor has its own";
	return probe->wp.kp.reason;
}

void kt_watches_start(struct session *session)
{
	int err, none;
	u32 i;

	lockdep_assert_held(&session->lock);
	session->watches = 0;
	none = kt_codes_make(&session->codes, &session->vm);
	for (i = 0; i < session->vm.program->probes_nr; i++) {
		const struct kt_probe *wanted = &session->vm.probes[i];
		struct probe *probe = &session->probes[i];

		if (wanted->kind == KT_PROBE_WATCHED)
			kt_probe_refuse(probe, -EOPNOTSUPP,
					"what a script names while it runs is memory of a process");
		if (wanted->kind != KT_PROBE_WATCH)
			continue;
		err = none ? none : set(probe, wanted);
		if (err)
			kt_probe_refuse(probe, err, why(probe, err));
		else
			watches_of(session)[session->watches++] = &probe->wp;
		WRITE_ONCE(kt_state_of(probe)->unseen, probe->wp.unseen);
	}
}

void kt_watches_count(struct session *session)
{
	struct wprobe **list = watches_of(session);
	u32 i;

	lockdep_assert_held(&session->lock);
	for (i = 0; i < session->watches; i++)
		WRITE_ONCE(kt_state_of(container_of(list[i], struct probe, wp))->missed,
			   list[i]->kp.nmissed);
}

void kt_watches_stop(struct session *session)
{
	lockdep_assert_held(&session->lock);
	unregister_wprobes(watches_of(session), session->watches);
	kt_codes_free(&session->codes);
}
