/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * retprobe.c - return probes.
 *
 * Owns: the public kretprobe calls, the hook at a function's entry and what
 * happens when the function returns.
 *
 *   entry  the entry probe is an ordinary child of its site (letter r).  Its
 *          pre_handler takes a node, asks the entry_handler, and puts the
 *          node's stub in the place of the return address.
 *   return the stub leads here with its own address.  The handler runs, the
 *          node goes back, and execution continues at the real address.
 *
 * Where several return probes share a call (several on one function, or a
 * probed function that tail-calls another), the later one finds the earlier
 * one's stub as return address and remembers it as its chain.  All of them run
 * when the first stub is reached, latest first, and all see the real address.
 *
 * Locks: the registry lock guards the pools' lists; the trap path takes none.
 */
#include "retprobe.h"

#define DATA_MAX	4096
#define BUCKETS		1024u

static struct kp_pool *by_struct[BUCKETS];
static struct kp_pool *orphans;

static const struct kp_arch_mem host_mem = {
	.read = kp_host_data_read,
	.write = kp_host_data_write,
};

/* ---- entry ------------------------------------------------------------------ */

KP_TRAP_PATH static void hook(struct kp_node *node, struct pt_regs *regs,
			      uintptr_t real)
{
	struct kp_node *chain = kp_stub_node(real);

	node->chain = chain;
	node->real = chain ? chain->real : real;
	node->ri.ret_addr = (kprobe_opcode_t *)node->real;
	/* Release: pairs with reclaim() in pool.c. */
	kp_store_release(&node->state, KP_NODE_ACTIVE);
	/* The stack was read just now; should it fail all the same: */
	if (kp_arch_return_set(regs, &host_mem, node->entry))
		kp_pool_put(node);
}

KP_TRAP_PATH static int on_entry(struct kprobe *kp, struct pt_regs *regs)
{
	struct kretprobe *rp = (struct kretprobe *)(void *)kp;
	struct kp_context *ctx = kp_host_context();
	struct kp_pool *pool = rp->pool;
	struct kp_node *node = NULL;
	uintptr_t real, frame;

	/* Being unregistered; pairs with abandon(). */
	if (!kp_load_acquire(&pool->rp))
		return 0;
	if (ctx && !kp_arch_return_get(regs, &host_mem, &real, &frame))
		node = kp_pool_take(pool, frame);
	if (!node) {
		kp_add_relaxed(&rp->nmissed, 1);
		return 0;
	}
	kp_host_task(&node->task);
	node->frame = frame;
	node->site = ctx->site;
	node->ri.rp = rp;
	node->ri.task = node->task.task;
	if (rp->entry_handler && rp->entry_handler(&node->ri, regs)) {
		kp_pool_put(node);
		return 0;
	}
	hook(node, regs, real);
	return 0;
}

/* ---- return ----------------------------------------------------------------- */

KP_TRAP_PATH static struct kp_child *child_of(struct kp_site *site,
					      const struct kretprobe *rp)
{
	struct kp_child *child = kp_child_first(site);

	while (child && child->kp != &rp->kp)
		child = kp_child_next(child);
	return child;
}

KP_TRAP_PATH static void run_handler(struct kp_context *ctx,
				     struct kp_node *node,
				     struct kretprobe *rp, struct pt_regs *regs)
{
	struct kp_child *child = child_of(node->site, rp);
	int ignored;

	if (!child || !rp->handler)
		return;
	/* Another handler of this context runs: that counts as missed. */
	if (!ctx || ctx->site) {
		kp_add_relaxed(&rp->nmissed, 1);
		return;
	}
	ctx->site = node->site;
	kp_trap_call(ctx, child, (void *)rp->handler, &node->ri, regs, 0,
		     &ignored);
	ctx->site = NULL;
}

/* A call that had no hooked entry, or that returned before (K-RET-46). */
KP_TRAP_PATH static void mismatch(const struct kp_node *node,
				  struct pt_regs *regs)
{
	kp_host_log(KP_LOG_ERROR,
		    "kretprobe BUG!: Processing kretprobe 0x%lx @ 0x%lx",
		    (unsigned long)kp_load_relaxed(&node->pool->rp),
		    (unsigned long)instruction_pointer(regs));
}

KP_TRAP_PATH static void finish(struct kp_context *ctx, struct kp_node *node,
				struct pt_regs *regs)
{
	struct kretprobe *rp;

	if (kp_load_acquire(&node->state) != KP_NODE_ACTIVE) {
		mismatch(node, regs);
		return;
	}
	kp_arch_return_to(regs, node->real);
	/* NULL: unregistered meanwhile, no handler (K-RET-61). */
	rp = kp_load_acquire(&node->pool->rp);
	if (rp)
		run_handler(ctx, node, rp, regs);
	kp_pool_put(node);
}

KP_TRAP_PATH void kp_core_on_return(struct pt_regs *regs)
{
	struct kp_context *ctx = kp_host_enter();
	struct kp_node *node = kp_stub_node(instruction_pointer(regs));
	uintptr_t real;

	if (!node) {
		/* Nothing is known about it: the address stays the stub's. */
		kp_host_broken("a return stub without a call");
		kp_host_leave(ctx);
		return;
	}
	real = node->real;
	while (node) {
		struct kp_node *chain = node->chain;

		finish(ctx, node, regs);
		node = chain;
	}
	/* Whatever the handlers wrote there (K-RET-31). */
	kp_arch_return_to(regs, real);
	kp_host_leave(ctx);
}

/* Where a return to ip goes in the end: for backtraces. */
KP_TRAP_PATH uintptr_t kp_return_real(uintptr_t ip)
{
	struct kp_node *node = kp_stub_node(ip);

	return node ? node->real : ip;
}

/* ---- pools ------------------------------------------------------------------ */

static struct kp_pool **bucket_of(const struct kretprobe *rp)
{
	return &by_struct[(size_t)(((uint64_t)(uintptr_t)rp *
				    0x9e3779b97f4a7c15u) >> 32) % BUCKETS];
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

/* From now on no handler starts; the pool moves to *list. */
static void abandon(struct kp_pool *pool, struct kp_pool **list)
{
	struct kp_pool **link = bucket_of(pool->rp);

	while (*link != pool)
		link = &(*link)->hash_next;
	*link = pool->hash_next;
	/* Pairs with on_entry and finish. */
	kp_store_release(&pool->rp, NULL);
	pool->next = *list;
	*list = pool;
}

/*
 * Readers have been waited for since the pools in dead became orphans: free
 * those that no call will return to.  Older orphans are tried too; for them
 * the last return may be recent, so they get a wait of their own.
 */
static void bury(struct kp_pool *dead)
{
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
	struct kp_pool *idle = NULL, *pool, **link;

	kp_host_lock(KP_LOCK_REGISTRY);
	while ((pool = dead)) {
		dead = pool->next;
		pool->next = orphans;
		orphans = pool;
	}
	for (link = &orphans; (pool = *link);) {
		if (!kp_pool_idle(pool, sp)) {
			link = &pool->next;
			continue;
		}
		*link = pool->next;
		pool->next = idle;
		idle = pool;
	}
	kp_host_unlock(KP_LOCK_REGISTRY);
	if (!idle)
		return;
	kp_host_wait_handlers();
	while ((pool = idle)) {
		idle = pool->next;
		kp_pool_destroy(pool);
	}
}

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

static int check(struct kretprobe *rp)
{
	const char *why;
	uintptr_t addr;
	bool on_entry = false;
	int err;

	if (kp_child_find(&rp->kp)) {
		kp_host_log(KP_LOG_WARN, "kprobes: this struct kretprobe is registered already");
		return -EINVAL;
	}
	err = kp_probe_locate(&rp->kp, &addr, &on_entry);
	if (err)
		return err;
	if (!on_entry)
		return refuse(rp, -EINVAL, "a return probe needs the function's entry");
	why = kp_host_return_refused(addr);
	if (why)
		return refuse(rp, -EINVAL, why);
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
	bool grows;
	int err = check(rp);

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
	rp->kp.pre_handler = on_entry;
	rp->kp.post_handler = NULL;
	rp->kp.fault_handler = NULL;
	rp->kp.break_handler = NULL;
	pool_insert(pool, rp);
	return 0;
}

static bool in_handler(void)
{
	struct kp_context *ctx = kp_host_context();

	return ctx && ctx->site;
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
	return num ? kp_probe_register(kprobes, num, 'r') : 0;
}

static int register_batch(struct kretprobe **rps, struct kprobe **kprobes,
			  int num)
{
	struct kp_pool *dead = NULL;
	int i, err = 0, failed;

	kp_host_lock(KP_LOCK_REGISTRY);
	for (i = 0; i < num && !err; i++)
		err = usable(rps[i]) ? prepare_locked(rps[i], &dead) : -EINVAL;
	kp_host_unlock(KP_LOCK_REGISTRY);
	if (err)
		num = i - 1;
	/* After a failure too, for what registration does to the structs. */
	failed = register_entries(rps, kprobes, num);
	if (err && !failed)
		kp_probe_unregister(kprobes, num);
	err = failed ? failed : err;
	if (err)
		abandon_all(rps, num, &dead);
	if (dead)
		kp_host_wait_handlers();
	bury(dead);
	return err;
}

int register_kretprobes(struct kretprobe **rps, int num)
{
	struct kprobe *one, **kprobes = &one;
	int err;

	if (num <= 0 || !rps)
		return -EINVAL;
	if (in_handler())
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

/* Without memory for the batch: one by one. */
static void unregister_entries(struct kretprobe **rps, int num)
{
	size_t len = (size_t)num * sizeof(struct kprobe *);
	struct kprobe **kprobes = num > 1 ? kp_host_alloc(len) : NULL, *one;
	int i;

	for (i = 0; i < num; i++) {
		one = rps[i] ? &rps[i]->kp : NULL;
		if (kprobes)
			kprobes[i] = one;
		else
			kp_probe_unregister(&one, 1);
	}
	if (kprobes)
		kp_probe_unregister(kprobes, num);
	kp_host_free(kprobes);
	/* The struct may be used as a plain kprobe next (K-API-19). */
	for (i = 0; i < num; i++)
		if (rps[i] && rps[i]->kp.pre_handler == on_entry)
			rps[i]->kp.pre_handler = NULL;
}

void unregister_kretprobes(struct kretprobe **rps, int num)
{
	struct kp_pool *dead = NULL;

	if (num <= 0 || !rps)
		return;
	if (in_handler()) {
		kp_host_log(KP_LOG_ERROR, "kprobes: unregister called from a probe handler; ignored");
		return;
	}
	abandon_all(rps, num, &dead);
	unregister_entries(rps, num);
	/* For those whose entry probe was gone already. */
	if (dead)
		kp_host_wait_handlers();
	bury(dead);
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
	kp_host_wait_handlers();
	bury(dead);
	if (orphans)
		return -EBUSY;
	return kp_stub_stop();
}
