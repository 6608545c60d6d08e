/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * retprobe.c - registering return probes.
 *
 * Owns: the public kretprobe calls and the pools of registered probes.  return.c handles the
 * hits; retired.c owns pools that outlive their probe.
 *
 * The entry probe is an ordinary child of its site (letter r).  It is registered and
 * unregistered in one batch with the others of a call.
 *
 * Locks: the registry lock guards the lists of pools.
 */
#include "retprobe.h"
#include "busy.h"
#include "children.h"
#include "examine.h"
#include "handler.h"
#include "retired.h"
#include "pool.h"
#include "register.h"
#include "return_hits.h"
#include "stub.h"
#include "unpatched.h"

#define DATA_MAX	4096
#define BUCKETS		1024u
#define BLIND "acts on who calls it: it keeps its return address, and its calls count as missed"

static struct kp_pool *by_struct[BUCKETS];

/* ---- pools ------------------------------------------------------------------ */

static struct kp_pool **bucket_of(const struct kretprobe *rp)
{
	return &by_struct[kp_hash((uintptr_t)rp) % BUCKETS];
}

static struct kp_pool *pool_find(const struct kretprobe *rp)
{
	struct kp_pool *pool = *bucket_of(rp);

	while (pool && pool->rp != rp)
		pool = pool->hash_next;
	return pool;
}

static void pool_insert(struct kp_pool *pool, struct kretprobe *rp)
{
	struct kp_pool **bucket = bucket_of(rp);

	pool->rp = rp;
	pool->hash_next = *bucket;
	*bucket = pool;
}

/* From now on no handler starts; the pool moves to *list.  The user's struct may be gone. */
static void detach(struct kp_pool *pool, struct kp_pool **list)
{
	struct kp_pool **link = bucket_of(pool->rp);

	while (*link != pool)
		link = &(*link)->hash_next;
	*link = pool->hash_next;
	/*
	 * Pairs with the entries and finish() in return.c, and those who count what was lost:
	 * each that loads the user's struct is a reader, whom unregistering waits for.
	 */
	kp_store_release(&pool->rp, NULL);
	/* Pairs with return.S and finish_bare(): likewise. */
	kp_store_release(&pool->lean_child, NULL);
	kp_store_release(&pool->bare_child, NULL);
	pool->next = *list;
	*list = pool;
}

static void abandon(struct kp_pool *pool, struct kp_pool **list)
{
	kp_return_release(&pool->rp->kp);
	detach(pool, list);
}

/* A kretprobe's entry probe, in whatever way; its readers are not waited for yet. */
static void unlinked(const struct kp_child *child)
{
	struct kp_pool *pool =
		pool_find((const struct kretprobe *)(const void *)child->kp);

	if (!pool)
		return;
	/* Pairs with return.S and finish_bare(), which call that child's handler. */
	kp_store_release(&pool->lean_child, NULL);
	kp_store_release(&pool->bare_child, NULL);
}

/* Ours has the user's entry_handler called with the same registers. */
static void know(struct kp_child *child)
{
	const struct kretprobe *rp = (const void *)child->kp;
	const void *entry_handler = (const void *)rp->entry_handler;

	if (kp_handler_spares(entry_handler))
		child->spares = child->kp->pre_handler;
	child->keep = (uint8_t)kp_handler_keep(entry_handler);
	child->lean = kp_return_lean(child->kp);
	child->calls = KP_CALLING_STUBS && child->lean;
	child->quiet = kp_return_quiet(child->kp);
	child->pool = kp_return_calls(child->lean) ? rp->pool : NULL;
	/* Before anybody finds it. */
	kp_store_release(&rp->pool->lean_child, rp->pool->lean ? child : NULL);
	kp_store_release(&rp->pool->bare_child, rp->pool->bare ? child : NULL);
}

static unsigned int functions(const struct kprobe *seen, uintptr_t *fns)
{
	const struct kretprobe *rp = (const void *)seen;

	fns[0] = (uintptr_t)rp->handler;
	fns[1] = (uintptr_t)rp->entry_handler;
	return 2;
}

static struct kp_pool *orphans;		/* registry lock */

/* Calls that are out return without a handler, as after unregistering. */
static void orphaned(struct kp_child *child, bool there)
{
	struct kp_pool *pool = pool_find((const struct kretprobe *)(const void *)child->kp);

	if (!pool)
		return;
	if (there)
		abandon(pool, &orphans);
	else
		detach(pool, &orphans);
}

static const struct kp_kind kind = {
	.letter = KP_LETTER_RETURN,
	.len = sizeof(struct kretprobe),
	.know = know,
	.unlinked = unlinked,
	.functions = functions,
	.orphaned = orphaned,
};

/* ---- register --------------------------------------------------------------- */

static int refuse(struct kretprobe *rp, int err, const char *reason)
{
	rp->kp.reason = reason;
	return err;
}

static bool code(const void *handler)
{
	return !handler || kp_host_is_code((uintptr_t)handler);
}

/* Who looks at its return address would find the stub's. */
static bool sees_caller(uintptr_t addr)
{
	unsigned int callers = kp_host_callers(addr);
	const struct kp_arch_caller how = {
		.read = kp_unpatched_read,
		.reads = callers & KP_CALLERS_READ,
		.follows = callers & KP_CALLERS_FOLLOW ? kp_host_minds_caller
						       : NULL,
	};
	uintptr_t start;
	size_t len;

	if (callers & KP_CALLERS_SELF)
		return true;
	return callers && !kp_host_bounds(addr, &start, &len) &&
	       kp_arch_sees_caller(start, len, &how);
}

/* *blind: it may be called, but its returns cannot be watched. */
static int check(struct kretprobe *rp, bool *blind)
{
	const char *why;
	uintptr_t addr;
	bool at_entry = false;
	int err;

	if (kp_child_find(&rp->kp)) {
		kp_host_log(KP_LOG_WARN, "kprobes: this struct kretprobe is registered already");
		return -EINVAL;
	}
	err = kp_examine_entry(&rp->kp, &addr, &at_entry);
	if (err)
		return err;
	if (!KP_ARCH_RETURNS)
		return refuse(rp, -EOPNOTSUPP, "there are no return probes on this processor yet");
	if (!at_entry)
		return refuse(rp, -EINVAL, "a return probe needs the function's entry");
	err = kp_host_return_refused(addr, &why);
	if (err)
		return refuse(rp, err, why);
	*blind = sees_caller(addr);
	if (rp->data_size > DATA_MAX)
		return refuse(rp, -E2BIG, "data_size is more than 4096");
	if (!code((const void *)rp->handler))
		return refuse(rp, -EINVAL, "handler does not point at code");
	if (!code((const void *)rp->entry_handler))
		return refuse(rp, -EINVAL, "entry_handler does not point at code");
	return 0;
}

/* Everything but the entry probe; K-RET-15 has the order. */
static int prepare_locked(struct kretprobe *rp, struct kp_pool **replaced)
{
	struct kp_pool *pool;
	bool grows, blind = false;
	int err = check(rp, &blind);

	if (err)
		return err;
	/* Its entry probe was unregistered as a plain kprobe, or twice here. */
	pool = pool_find(rp);
	if (pool)
		abandon(pool, replaced);
	grows = rp->maxactive <= 0;
	if (grows) {
		unsigned int cpus = kp_host_cpus();

		rp->maxactive = cpus > 5 ? (int)(2 * cpus) : 10;
	}
	err = kp_stub_prepare((uint32_t)rp->maxactive);
	pool = err ? NULL : kp_pool_create(rp, (uint32_t)rp->maxactive, grows);
	if (!pool)
		return refuse(rp, -ENOMEM, "out of memory");
	rp->nmissed = 0;
	rp->nstale = 0;
	rp->pool = pool;
	kp_return_claim(&rp->kp, blind);
	pool->blind = blind;
	pool_insert(pool, rp);
	return 0;
}

/* May the struct be read and written? */
static bool usable(struct kretprobe *rp)
{
	struct kretprobe copy;

	return rp && !kp_host_data_read((uintptr_t)rp, &copy, sizeof(copy)) &&
	       !kp_host_data_write((uintptr_t)&rp->kp.reason,
				   &(const char *){ NULL }, sizeof(char *));
}

/* The pools of rps[0..num), where there are any, to *list. */
static void abandon_all(struct kretprobe **rps, int num, struct kp_pool **list)
{
	struct kp_pool *pool;
	int i;

	kp_host_lock(KP_LOCK_REGISTRY);
	for (i = 0; i < num; i++) {
		pool = rps[i] ? pool_find(rps[i]) : NULL;
		if (pool)
			abandon(pool, list);
	}
	kp_host_unlock(KP_LOCK_REGISTRY);
}

/* The entry probes, in one batch; kprobes[] is scratch. */
static int register_entries(struct kretprobe **rps, struct kprobe **kprobes,
			    int num)
{
	int i;

	for (i = 0; i < num; i++)
		kprobes[i] = &rps[i]->kp;
	return num ? kp_probe_register(kprobes, num, &kind) : 0;
}

/* Registering has cleared their reasons. */
static void tell_blind(struct kretprobe **rps, int num)
{
	int i;

	for (i = 0; i < num; i++) {
		if (!rps[i]->pool->blind)
			continue;
		rps[i]->kp.reason = BLIND;
		kp_host_log(KP_LOG_WARN, "kprobes: the function at 0x%lx " BLIND,
			    (unsigned long)rps[i]->kp.addr);
	}
}

static int register_batch(struct kretprobe **rps, struct kprobe **kprobes,
			  int num)
{
	struct kp_pool *dead = NULL, *idle;
	int i, err = 0, failed;

	kp_host_lock(KP_LOCK_REGISTRY);
	for (i = 0; i < num && !err; i++)
		err = usable(rps[i]) ? prepare_locked(rps[i], &dead) : -EINVAL;
	if (err)
		num = i - 1;
	/* Once for all; when the last pool goes, it is taken back. */
	if (num)
		kp_host_returns_hooked(true);
	kp_host_unlock(KP_LOCK_REGISTRY);
	/* After a failure too, for what registration does to the structs. */
	failed = register_entries(rps, kprobes, num);
	if (err && !failed)
		kp_probe_unregister(kprobes, num);
	err = failed ? failed : err;
	if (err)
		abandon_all(rps, num, &dead);
	else
		tell_blind(rps, num);
	if (!dead)
		return err;
	idle = kp_retired_condemn(dead);
	kp_host_wait_handlers();
	kp_retired_bury(idle);
	return err;
}

int register_kretprobes(struct kretprobe **rps, int num)
{
	struct kprobe *one, **kprobes = &one;
	int err;

	if (num <= 0 || !kp_probe_array_ok(rps, num))
		return -EINVAL;
	if (kp_in_handler())
		return -EDEADLK;
	if (num > 1)
		kprobes = kp_host_alloc((size_t)num * sizeof(*kprobes));
	if (!kprobes)
		return -ENOMEM;
	err = register_batch(rps, kprobes, num);
	if (num > 1)
		kp_host_free(kprobes);
	return err;
}

int register_kretprobe(struct kretprobe *rp)
{
	return register_kretprobes(&rp, 1);
}

/* ---- unregister ------------------------------------------------------------- */

/*
 * Without memory for the batch: one by one.  True when readers were waited for.
 */
static bool unregister_entries(struct kretprobe **rps, int num)
{
	size_t len = (size_t)num * sizeof(struct kprobe *);
	struct kprobe **kprobes = num > 1 ? kp_host_alloc(len) : NULL, *one;
	bool waited = false;
	int i;

	for (i = 0; i < num; i++) {
		one = rps[i] ? &rps[i]->kp : NULL;
		if (kprobes)
			kprobes[i] = one;
		else if (kp_probe_unregister(&one, 1))
			waited = true;
	}
	if (kprobes)
		waited = kp_probe_unregister(kprobes, num);
	kp_host_free(kprobes);
	return waited;
}

void unregister_kretprobes(struct kretprobe **rps, int num)
{
	struct kp_pool *dead = NULL, *idle;

	if (num <= 0 || !kp_probe_array_ok(rps, num))
		return;
	if (kp_in_handler()) {
		kp_host_log(KP_LOG_ERROR, "kprobes: unregister called from a probe handler; ignored");
		return;
	}
	abandon_all(rps, num, &dead);
	idle = kp_retired_condemn(dead);
	/* It waits once for all, unless all entry probes were gone already. */
	if (!unregister_entries(rps, num) && (dead || idle))
		kp_host_wait_handlers();
	kp_retired_bury(idle);
}

void unregister_kretprobe(struct kretprobe *rp)
{
	unregister_kretprobes(&rp, 1);
}

int disable_kretprobe(struct kretprobe *rp)
{
	return disable_kprobe(&rp->kp);
}

int enable_kretprobe(struct kretprobe *rp)
{
	return enable_kprobe(&rp->kp);
}

/* ---- upcalls ---------------------------------------------------------------- */

void kp_core_on_kick(void)
{
	struct kp_pool *pool;
	size_t i;

	kp_host_lock(KP_LOCK_REGISTRY);
	for (i = 0; i < BUCKETS; i++)
		for (pool = by_struct[i]; pool; pool = pool->hash_next)
			if (kp_pool_grow(pool))
				kp_host_log(KP_LOG_WARN, "kprobes: out of memory for more instances of a return probe");
	kp_host_unlock(KP_LOCK_REGISTRY);
}

/* With one more wait than usual, for calls that return meanwhile. */
static void bury_all(struct kp_pool *dead)
{
	int i;

	for (i = 0; i < 2; i++) {
		struct kp_pool *idle = kp_retired_condemn(dead);

		kp_host_wait_handlers();
		kp_retired_bury(idle);
		dead = NULL;
	}
}

/* Those of probes whose owner has gone; no lock is held. */
void kp_return_bury_orphans(void)
{
	struct kp_pool *dead, *idle;

	kp_host_lock(KP_LOCK_REGISTRY);
	dead = orphans;
	orphans = NULL;
	kp_host_unlock(KP_LOCK_REGISTRY);
	if (!dead)
		return;
	idle = kp_retired_condemn(dead);
	kp_host_wait_handlers();
	kp_retired_bury(idle);
}

/* Each time that it is another number: who stops the engine tries again and again. */
static void tell_left(uint32_t left)
{
	static uint32_t told;

	if (left && left != told)
		kp_host_log(KP_LOG_WARN, "kprobes: %u calls of functions that had return probes have not returned yet, and cannot be led past the engine",
			    left);
	told = left;
}

/* All probes are detached and no handler runs.  -EBUSY: calls in flight. */
int kp_return_stop(void)
{
	struct kp_pool *dead = NULL;
	size_t i;

	kp_host_lock(KP_LOCK_REGISTRY);
	for (i = 0; i < BUCKETS; i++)
		while (by_struct[i])
			abandon(by_struct[i], &dead);
	kp_host_unlock(KP_LOCK_REGISTRY);
	bury_all(dead);
	if (kp_retired_any()) {
		tell_left(kp_retired_lead_back());
		bury_all(NULL);
	}
	return kp_retired_any() ? -EBUSY : kp_stub_stop();
}
