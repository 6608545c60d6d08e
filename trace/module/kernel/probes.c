// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * probes.c - the probes of a program.
 *
 * Owns: setting and removing them, what is refused and why, and the handlers.
 *
 * A batch registers all or nothing, and waits where it fails; a script's wildcard has
 * thousands of places, some of which cannot be probed.  So starting is in steps, each
 * waiting at most once:
 *
 * 1. Every place is registered as a probe that is switched off, which writes no text:
 *    what is refused is known.
 * 2. Return probes again, as such.
 * 3. What is left is registered in two batches.
 * 4. Jumps are written, and only then do handlers do anything.
 *
 * What sets and removes probes is the kernel's code, too: with thousands of probes it
 * is hit all the time, and then takes minutes for what else takes a second.  So nothing
 * is done by handlers meanwhile.
 *
 * The functions of the kernel that handlers call may be probed, by this program or
 * others: the engine counts such hits as missed.  Those of this module are refused.
 *
 * Locks: the session's; handlers take none.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <kprobes/control.h>
#include "session.h"

_Static_assert(offsetof(struct probe, asks) + sizeof(struct kt_predicate) ==
	       offsetof(struct probe, rp), "struct kt_predicate");

/* ---- hits ------------------------------------------------------------------ */

/* What handlers find while probes are set and removed. */
static const u32 quiet = 1;

static struct kt_probe_state *state_of(const struct kt_vm *vm, u32 number)
{
	return (void *)(vm->arena + vm->layout.probes +
			number * sizeof(struct kt_probe_state));
}

/* Stacks are at multiples of their size. */
static __always_inline bool has_room(const struct kt_hit *hit)
{
	return THREAD_SIZE >= 16384 ||
	       ((unsigned long)hit & (THREAD_SIZE - 1)) > KT_STACK_NEEDED;
}

static __always_inline void serve(const struct probe *probe, struct kt_hit *hit)
{
	const struct kt_vm *vm = &probe->session->vm;

	if (likely(has_room(hit)))
		kt_serve(vm, probe->asks.plan, probe->first, hit);
	else
		__atomic_fetch_add(&state_of(vm, probe->number)->cut, 1, __ATOMIC_RELAXED);
}

void kt_probe_hit(const struct probe *probe, struct kt_hit *hit)
{
	serve(probe, hit);
}
NOKPROBE_SYMBOL(kt_probe_hit);

static int on_entry(struct kprobe *p, struct pt_regs *regs)
{
	const struct probe *probe = container_of(p, struct probe, rp.kp);
	struct kt_hit hit = {
		.regs = regs,
		.addr = (unsigned long)p->addr,
		.probe = probe->number,
		.begins = !IS_ENABLED(CONFIG_UNWINDER_ORC) &&
			  p->flags & KPROBE_FLAG_ON_FUNC_ENTRY,
	};

	if (unlikely(kt_stopped(probe->session)))
		return 0;
	serve(probe, &hit);
	if (likely(!hit.overridden))
		return 0;
	kt_machine_return(regs, hit.value);
	return 1;
}
NOKPROBE_SYMBOL(on_entry);

/* Only a probe that has one may redirect where the function tracer serves it. */
static void on_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
}
NOKPROBE_SYMBOL(on_post);

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct kretprobe *rp = get_kretprobe(ri);
	const struct probe *probe;
	struct kt_hit hit = {
		.regs = regs,
		.returns = true,
	};

	/* Unregistered while the function ran. */
	if (unlikely(!rp))
		return 0;
	probe = container_of(rp, struct probe, rp);
	if (unlikely(kt_stopped(probe->session)))
		return 0;
	hit.addr = (unsigned long)rp->kp.addr;
	hit.probe = probe->number;
	serve(probe, &hit);
	return 0;
}
NOKPROBE_SYMBOL(on_return);

/* ---- one probe ------------------------------------------------------------- */

static const struct kt_probe *asked(const struct probe *probe)
{
	return &probe->session->vm.probes[probe->number];
}

struct kt_probe_state *kt_state_of(const struct probe *probe)
{
	return state_of(&probe->session->vm, probe->number);
}

static bool overrides(const struct kt_vm *vm, const struct kt_probe *wanted)
{
	u32 i;

	for (i = 0; i < wanted->nr; i++)
		if (vm->insns[wanted->first + i].op == KT_OVERRIDE)
			return true;
	return false;
}

bool kt_probes_override(const struct session *session)
{
	const struct kt_vm *vm = &session->vm;
	u32 i;

	for (i = 0; i < vm->program->insns_nr; i++)
		if (vm->insns[i].op == KT_OVERRIDE)
			return true;
	return false;
}

void kt_probe_refuse(struct probe *probe, int err, const char *reason)
{
	probe->err = err;
	probe->reason = reason ? reason : "refused";
	WRITE_ONCE(kt_state_of(probe)->error, -err);
}

/* Ready to be registered: at the place that the program names, or that was found. */
static void prepare(struct probe *probe, bool found, u32 flags)
{
	const struct kt_probe *wanted = asked(probe);
	const struct session *session = probe->session;
	kprobe_opcode_t *addr = found ? probe->rp.kp.addr
				      : (void *)(unsigned long)wanted->addr;

	memset(&probe->rp, 0, sizeof(probe->rp));
	probe->rp.kp.addr = addr;
	if (!addr) {
		probe->rp.kp.symbol_name = session->vm.names + wanted->name;
		probe->rp.kp.offset = wanted->offset;
	}
	probe->rp.kp.pre_handler = on_entry;
	kt_filter_set(&probe->asks, &probe->rp.kp);
	if (wanted->kind == KT_PROBE_ENTRY && overrides(&session->vm, wanted))
		probe->rp.kp.post_handler = on_post;
	probe->rp.handler = on_return;
	probe->rp.kp.flags = flags;
}

/* ---- batches --------------------------------------------------------------- */

static struct kprobe **entries_of(struct session *session)
{
	return (struct kprobe **)session->set;
}

static struct kretprobe **returns_of(struct session *session)
{
	return (struct kretprobe **)session->set + session->entries;
}

static struct probe *probe_of(struct kprobe *p)
{
	return container_of(p, struct probe, rp.kp);
}

/*
 * Those that were not refused, entries first; ready to be registered.  Of several entry
 * probes of one place the one that was registered last runs first (K-HIT-15), and the
 * script's first clause is to run first: so these are registered from the last one on.
 */
static void collect(struct session *session, u32 flags, bool found)
{
	u32 i, pass, nr = 0, all = session->vm.program->probes_nr;
	struct probe *probe;

	for (pass = KT_PROBE_ENTRY; pass <= KT_PROBE_RETURN; pass++) {
		for (i = 0; i < all; i++) {
			probe = &session->probes[pass == KT_PROBE_ENTRY ? all - 1 - i : i];
			if (probe->err || asked(probe)->kind != pass)
				continue;
			prepare(probe, found, flags);
			session->set[nr++] = &probe->rp;
		}
		if (pass == KT_PROBE_ENTRY)
			session->entries = nr;
	}
	session->returns = nr - session->entries;
}

/* What register_kprobe says of it; on success it is registered. */
static int try_place(struct probe *probe)
{
	struct kprobe *p = &probe->rp.kp;
	int err = register_kprobe(p);

	if (err) {
		kt_probe_refuse(probe, err, p->reason);
		return err;
	}
	/* They run at every hit: each would be one more, and missed. */
	if (within_module((unsigned long)p->addr, THIS_MODULE))
		kt_probe_refuse(probe, -EINVAL, "a part of what runs trace programs");
	if (p->flags & KPROBE_FLAG_ON_FUNC_ENTRY)
		return 0;
	if (asked(probe)->kind == KT_PROBE_RETURN)
		kt_probe_refuse(probe, -EINVAL, "a return probe needs the function's entry");
	else if (p->post_handler)
		kt_probe_refuse(probe, -EINVAL, "override() needs the function's entry");
	return 0;
}

/* Step 1. */
static int try_places(struct session *session)
{
	struct kprobe **list = entries_of(session);
	u32 i, nr = session->entries + session->returns, good = 0;
	int err = 0;

	for (i = 0; i < nr && !err; i++) {
		if (!try_place(probe_of(list[i])))
			list[good++] = list[i];
		cond_resched();
		if (fatal_signal_pending(current))
			err = -EINTR;
	}
	unregister_kprobes(list, good);
	return err;
}

/* Step 2. */
static int try_returns(struct session *session)
{
	struct kretprobe **list = returns_of(session);
	u32 i, good = 0;
	int err = 0, one;

	for (i = 0; i < session->returns && !err; i++) {
		one = register_kretprobe(list[i]);
		if (one)
			kt_probe_refuse(probe_of(&list[i]->kp), one, list[i]->kp.reason);
		else
			list[good++] = list[i];
		cond_resched();
		if (fatal_signal_pending(current))
			err = -EINTR;
	}
	unregister_kretprobes(list, good);
	return err;
}

static int register_entries(void **list, u32 nr)
{
	return register_kprobes((struct kprobe **)list, nr);
}

static int register_returns(void **list, u32 nr)
{
	return register_kretprobes((struct kretprobe **)list, nr);
}

/*
 * Step 3; text may have changed since.  What is refused then is found by halving, and
 * its place in the list is empty.
 */
static void register_all(void **list, u32 nr, int (*many)(void **list, u32 nr))
{
	int err = nr ? many(list, nr) : 0;
	struct kretprobe *rp;
	u32 i;

	if (!err)
		return;
	if (nr == 1) {
		rp = list[0];
		kt_probe_refuse(probe_of(&rp->kp), err, rp->kp.reason);
		list[0] = NULL;
		return;
	}
	/* A failure leaves marks in those that it had registered. */
	for (i = 0; i < nr; i++) {
		rp = list[i];
		prepare(probe_of(&rp->kp), true, 0);
	}
	register_all(list, nr / 2, many);
	register_all(list + nr / 2, nr - nr / 2, many);
}

static int refused(const struct session *session)
{
	u32 i;
	int nr = 0;

	for (i = 0; i < session->vm.program->probes_nr; i++)
		nr += session->probes[i].err != 0;
	return nr;
}

int kt_probes_start(struct session *session)
{
	u32 i;
	int err;

	lockdep_assert_held(&session->lock);
	if (session->started)
		return -EBUSY;
	for (i = 0; i < session->vm.program->probes_nr; i++) {
		session->probes[i].err = 0;
		WRITE_ONCE(kt_state_of(&session->probes[i])->error, 0);
	}
	session->stop = &quiet;
	collect(session, KPROBE_FLAG_DISABLED, false);
	err = try_places(session);
	if (err)
		return err;
	collect(session, KPROBE_FLAG_DISABLED, true);
	err = try_returns(session);
	if (err)
		return err;
	collect(session, 0, true);
	register_all(session->set, session->entries, register_entries);
	register_all(session->set + session->entries, session->returns,
		     register_returns);
	kt_watches_start(session);
	kt_events_start(session);
	kprobes_flush();
	WRITE_ONCE(session->stop, &session->arena->stop);
	session->started = true;
	return refused(session);
}

void kt_probes_count(struct session *session)
{
	struct kretprobe **list = (struct kretprobe **)session->set;
	u32 i;

	lockdep_assert_held(&session->lock);
	if (!session->started)
		return;
	for (i = 0; i < session->entries + session->returns; i++)
		if (list[i])
			WRITE_ONCE(kt_state_of(probe_of(&list[i]->kp))->missed,
				   list[i]->kp.nmissed + list[i]->nmissed);
	kt_watches_count(session);
}

void kt_probes_stop(struct session *session)
{
	lockdep_assert_held(&session->lock);
	if (!session->started)
		return;
	WRITE_ONCE(session->stop, &quiet);
	kt_events_stop(session);
	unregister_kprobes(entries_of(session), session->entries);
	unregister_kretprobes(returns_of(session), session->returns);
	kt_watches_stop(session);
	kt_probes_count(session);
	session->started = false;
}

int kt_probes_make(struct session *session)
{
	u32 i, nr = session->vm.program->probes_nr;

	session->probes = kvcalloc(nr, sizeof(*session->probes), GFP_KERNEL);
	session->set = kvcalloc(nr, sizeof(*session->set), GFP_KERNEL);
	if (nr && (!session->probes || !session->set)) {
		kt_probes_free(session);
		return -ENOMEM;
	}
	for (i = 0; i < nr; i++) {
		session->probes[i].session = session;
		session->probes[i].number = i;
		session->probes[i].first = session->vm.probes[i].first;
		session->probes[i].asks.plan = kt_plan_of(&session->vm,
						     session->vm.probes[i].first);
	}
	return 0;
}

void kt_probes_free(struct session *session)
{
	kvfree(session->probes);
	kvfree(session->set);
	session->probes = NULL;
	session->set = NULL;
}
