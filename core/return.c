/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * return.c - a call of a function with a return probe.
 *
 * Owns: the hook at the entry, and the return of the function.  All of it is trap path.
 *
 *   entry  the pre_handler of the entry probe takes a node, calls the entry_handler, and
 *          replaces the return address by the node's stub.
 *   return the stub leads here with its own address.  The handler runs, the node is put
 *          back, and execution continues at the real address.
 *
 * Several return probes may share a call: several on one function, or a probed function that
 * tail-calls another.  The later one finds the earlier one's stub as return address and stores
 * it as its chain.  All of them run when the first stub is reached, latest first, and all see
 * the real address.
 *
 * Locks: none.
 */
#include "return_hits.h"
#include "busy.h"
#include "children.h"
#include "enter.h"
#include "hit.h"
#include "instance.h"
#include "left.h"
#include "retired.h"
#include "pool.h"
#include "stub.h"
#include "task.h"

/* ---- entry ------------------------------------------------------------------ */

HOT bool hook(struct kp_node *node, struct pt_regs *regs, uintptr_t real)
{
	struct kp_node *chain = kp_stub_node(real);

	node->called = false;
	node->below = real;
	node->real = chain ? chain->real : real;
	node->ri.ret_addr = (kprobe_opcode_t *)node->real;
	/* Whoever finds the stub on the stack finds what it is chained to. */
	kp_fence_release();
	/* The stack was read just now; should it fail all the same: */
	if (kp_arch_return_set(regs, &host_mem, node->entry))
		return false;
	/*
	 * Only now: reclaim() in pool.c takes an active call for lost when it
	 * does not find the stub there.
	 */
	kp_node_set(node, KP_NODE_ACTIVE);
	return true;
}

/* With that node, call_entry.S may hook the context's next call from there. */
HOT void stamp(const struct kp_pool *pool, struct kp_node *node,
	       const struct kp_context *ctx, uintptr_t frame)
{
	if (KP_CALLING_STUBS && pool->owned && node->body)
		kp_host_task_stamp(&node->task, ctx, frame);
}

HOT struct kp_node *take(struct kp_pool *pool, struct kp_context *ctx,
			 uintptr_t frame, uintptr_t real)
{
	struct kp_calling by = { frame, real };
	struct kp_node *node;

	if (!LIKELY(kp_load_relaxed(&kp_retired_round) == ctx->retired_round))
		kp_retired_visit(ctx, &by);
	node = kp_pool_take_parked(pool, ctx);
	return LIKELY(node) ? node : kp_pool_take(pool, ctx, &by);
}

/*
 * The entry_handler says that the call is to be hooked.  Otherwise the node is
 * free again.
 */
KP_TRAP_PATH COLD bool accepted(struct kretprobe *rp, struct kp_context *ctx,
				struct kp_node *node, struct pt_regs *regs)
{
	int declined;

	/* Pairs with kp_left_entry(), of a fault in it, or of who finds it left behind. */
	kp_store_release(&ctx->taken, node);
	declined = rp->entry_handler(&node->ri, regs);
	/* It was believed to be left for good: the node is taken. */
	if (!LIKELY(kp_load_relaxed(&ctx->taken) == node))
		return false;
	if (declined)
		kp_left_entry(ctx);
	else if (!KP_LEFT_BEHIND)
		kp_store_relaxed(&ctx->taken, NULL);
	return !declined;
}

/*
 * The call of a function with a return probe; lean: no entry_handler, and of regs
 * only what a lean handler finds.
 */
HOT int enter(struct kprobe *kp, struct pt_regs *regs, bool lean)
{
	struct kretprobe *rp = (struct kretprobe *)(void *)kp;
	struct kp_context *ctx = kp_host_context_here();
	struct kp_pool *pool = rp->pool;
	struct kp_node *node = NULL;
	uintptr_t real, frame;
	bool hooked;

	/* Being unregistered; pairs with abandon() in retprobe.c. */
	if (!LIKELY(kp_load_acquire(&pool->rp)))
		return 0;
	if (LIKELY(!kp_arch_return_get(regs, &host_mem, &real, &frame)))
		node = take(pool, ctx, frame, real);
	if (!LIKELY(node)) {
		kp_add_relaxed(&rp->nmissed, 1);
		return 0;
	}
	/* For whoever leaves what follows, where that can be. */
	if (KP_LEFT_BEHIND)
		kp_store_release(&ctx->taken, node);
	kp_host_task(&node->task, frame);
	stamp(pool, node, ctx, frame);
	node->frame = frame;
	node->site = ctx->site;
	node->ri.task = node->task.task;
	if (!lean && !LIKELY(!rp->entry_handler) &&
	    !accepted(rp, ctx, node, regs))
		return 0;
	hooked = hook(node, regs, real);
	/* Before it may be another call's. */
	if (KP_LEFT_BEHIND)
		kp_store_release(&ctx->taken, NULL);
	if (!LIKELY(hooked))
		kp_pool_put(node);
	return 0;
}

KP_TRAP_PATH static int on_any_entry(struct kprobe *kp, struct pt_regs *regs)
{
	return enter(kp, regs, false);
}

/* What it was called as: a pre_handler, one of a trap that is quiet, a lean one. */
enum called_as { AS_ANY, AS_QUIET, AS_LEAN };

/*
 * enter_at_once(), where it is not as usual.  For an entry_handler that came after
 * the registration a quiet one has to note what that may leave behind.
 */
KP_TRAP_PATH COLD int enter_oddly(struct kprobe *kp, struct pt_regs *regs,
				  enum called_as as)
{
	const struct kretprobe *rp = (const struct kretprobe *)(void *)kp;
	struct kp_context *ctx;

	if (as == AS_QUIET && rp->entry_handler) {
		ctx = kp_host_context_here();
		return kp_call_noted(ctx, ctx->current, on_any_entry, regs);
	}
	if (as != AS_LEAN)
		return enter(kp, regs, false);
	/* It came after the registration: again, as an ordinary handler. */
	if (!LIKELY(!rp->entry_handler)) {
		kp_host_context_here()->again = true;
		return 1;
	}
	return enter(kp, regs, true);
}

/*
 * enter(), for most: nothing that calls another function, for what a function has
 * to keep costs as much as all of this.  word: where the return address is, NULL:
 * that may not be.
 */
HOT int enter_at_once(struct kprobe *kp, struct pt_regs *regs,
		      struct kp_context *ctx, uintptr_t *word,
		      enum called_as as)
{
	struct kretprobe *rp = (struct kretprobe *)(void *)kp;
	struct kp_pool *pool = rp->pool;
	/* Pairs with park(); rp's, below, with abandon(). */
	struct kp_node *node = kp_load_acquire(&pool->parked[ctx->parked]);
	unsigned int state;
	uintptr_t real, frame;

	if (!LIKELY(word) || !LIKELY(node) ||
	    !LIKELY(kp_load_acquire(&pool->rp)) ||
	    !LIKELY(!rp->entry_handler) || !LIKELY(kp_host_task_known(ctx)) ||
	    !LIKELY(kp_load_relaxed(&kp_retired_round) == ctx->retired_round))
		return enter_oddly(kp, regs, as);
	frame = kp_arch_return_frame(regs, word);
	real = kp_load_relaxed(word);
	state = kp_load_relaxed(&node->state);
	if (kp_stub_near(real) || !LIKELY(kp_pool_take_node(pool, node, state)))
		return enter_oddly(kp, regs, as);
	/* For what follows see enter() and hook(). */
	if (KP_LEFT_BEHIND)
		kp_store_release(&ctx->taken, node);
	kp_host_task_again(&node->task, frame);
	stamp(pool, node, ctx, frame);
	node->frame = frame;
	node->site = ctx->site;
	node->ri.task = node->task.task;
	node->below = node->real = real;
	node->ri.ret_addr = (kprobe_opcode_t *)real;
	/* As in hook(), and for the same: below and real before the word, ACTIVE behind it. */
	kp_fence_release();
	kp_store_release(word, node->entry);
	kp_store_release(&node->state, state + KP_NODE_STATES + KP_NODE_ACTIVE);
	/* Before it may be another call's. */
	if (KP_LEFT_BEHIND)
		kp_store_release(&ctx->taken, NULL);
	if (!KP_CALLING_STUBS)
		return 0;
	node->called = as == AS_LEAN && node->body;
	if (!node->called)
		return 0;
	if (*node->body != kp_arch_lean_next(regs))
		*node->body = kp_arch_lean_next(regs);
	return KP_LEAN_CALLS;
}

KP_TRAP_PATH static int on_entry(struct kprobe *kp, struct pt_regs *regs)
{
	return enter_at_once(kp, regs, kp_host_context_here(),
			     kp_arch_return_word(regs), AS_ANY);
}

/* The same, where a trap calls it with nothing noted. */
KP_TRAP_PATH static int on_quiet_entry(struct kprobe *kp, struct pt_regs *regs)
{
	return enter_at_once(kp, regs, kp_host_context_here(),
			     kp_arch_return_word(regs), AS_QUIET);
}

/* The same, as a lean handler: port/arch.h. */
KP_TRAP_PATH static int on_lean_entry(struct kprobe *kp, struct pt_regs *regs)
{
	return enter_at_once(kp, regs, kp_host_context_lean(),
			     kp_arch_lean_word(regs), AS_LEAN);
}

/*
 * Of a function that acts on who calls it: it keeps its return address, and each
 * call is one that was not watched.
 */
KP_TRAP_PATH static int on_blind_entry(struct kprobe *kp, struct pt_regs *regs)
{
	struct kretprobe *rp = (struct kretprobe *)(void *)kp;

	(void)regs;
	kp_add_relaxed(&rp->nmissed, 1);
	return 0;
}

/* The user's handlers are lost (K-RET-10). */
void kp_return_claim(struct kprobe *kp, bool blind)
{
	kp->pre_handler = blind ? on_blind_entry : on_entry;
	kp->post_handler = NULL;
	kp->fault_handler = NULL;
	kp->break_handler = NULL;
}

/* What to call in its place where a lean handler is called. */
kprobe_pre_handler_t kp_return_lean(const struct kprobe *kp)
{
	const struct kretprobe *rp = (const struct kretprobe *)(const void *)kp;

	if (kp->pre_handler == on_blind_entry)
		return on_blind_entry;
	return kp->pre_handler == on_entry && !rp->entry_handler
		       ? on_lean_entry : NULL;
}

/* Does its lean handler hook calls, and no more? */
bool kp_return_calls(kprobe_pre_handler_t lean)
{
	return lean == on_lean_entry;
}

/* What to call in its place where a trap calls what is quiet; or NULL. */
kprobe_pre_handler_t kp_return_quiet(const struct kprobe *kp)
{
	const struct kretprobe *rp = (const struct kretprobe *)(const void *)kp;

	return kp->pre_handler == on_entry && !rp->entry_handler
		       ? on_quiet_entry : NULL;
}

/* The struct may be used as a plain kprobe next (K-API-19). */
void kp_return_release(struct kprobe *kp)
{
	if (kp->pre_handler == on_entry || kp->pre_handler == on_blind_entry)
		kp->pre_handler = NULL;
}

/* ---- return ----------------------------------------------------------------- */

/* NULL: unregistered as a plain kprobe, or just being so (K-RET-61). */
HOT struct kp_child *child_of(struct kp_site *site, const struct kretprobe *rp)
{
	struct kp_child *child = kp_child_first(site);

	while (LIKELY(child) && !LIKELY(child->kp == &rp->kp))
		child = kp_child_next(child);
	return child;
}

struct run {
	struct kp_context *ctx;
	struct kp_child *child;
	kretprobe_handler_t handler;
	struct kp_node *node;
	struct pt_regs *regs;
};

KP_TRAP_PATH static void call_keeping(void *arg)
{
	const struct run *run = arg;
	int ignored;

	kp_hit_call(run->ctx, run->child, (void *)run->handler,
		     &run->node->ri, run->regs, 0, &ignored);
}

/* With a guard of its own: when it faults, what called this goes on. */
KP_TRAP_PATH COLD void call_guarded(struct run *run, unsigned int keep)
{
	/* The engine itself uses no vector registers. */
	if (keep == KP_ARCH_KEEP_NONE)
		call_keeping(run);
	else
		kp_arch_keeping(keep, call_keeping, run);
}

/* A handler that the user has exchanged was not judged. */
HOT unsigned int keep_for(const struct kp_pool *pool,
			  kretprobe_handler_t handler)
{
	if (!KP_VECTORS)
		return KP_ARCH_KEEP_NONE;
	return handler == pool->handler ? pool->keep : pool->keep_other;
}

/*
 * The handler of node is about to run; what ctx->frame was.  Again once there is
 * a site: a signal in between may have had hits.  With that the stores pair, here and
 * in what ends it: kp_context_busy() and kp_left_for_good() read site, frame and
 * returning in the middle of this.
 */
HOT uintptr_t begin(struct kp_context *ctx, struct kp_node *node,
		    uintptr_t frame, bool bare)
{
	uintptr_t before = ctx->frame;

	if (KP_LEFT_BEHIND)
		kp_store_relaxed(&ctx->frame, frame);
	kp_store_here(&ctx->site, node->site);
	if (bare)
		kp_host_note_nothing(ctx);
	else
		kp_host_note(ctx);
	kp_store_here(&ctx->frame, frame);
	kp_store_release(&ctx->returning, node);
	return before;
}

/*
 * False: meanwhile it was believed to be left for good (it was on a stack of its
 * own), and the nodes are taken.
 */
HOT bool end(struct kp_context *ctx, const struct kp_node *node,
	     uintptr_t before)
{
	if (!KP_LEFT_BEHIND) {
		kp_hit_end(ctx, 0);
		return true;
	}
	if (!LIKELY(kp_load_relaxed(&ctx->returning) == node))
		return false;
	/* Before there is no site: see begin(). */
	kp_store_release(&ctx->returning, NULL);
	kp_hit_end(ctx, before);
	return true;
}

/* Another handler of this context runs: that counts as missed. */
KP_TRAP_PATH COLD void missed(struct kretprobe *rp)
{
	kp_add_relaxed(&rp->nmissed, 1);
}

/* As end().  There may be others of the call, which come after this one. */
KP_TRAP_PATH COLD bool run_guarded(struct kp_context *ctx,
				   struct kp_child *child,
				   kretprobe_handler_t handler,
				   struct kp_node *node, struct pt_regs *regs)
{
	struct run run = { ctx, child, handler, node, regs };
	uintptr_t before = begin(ctx, node, (uintptr_t)regs | KP_FRAME_RETURN |
					    KP_FRAME_GUARDED, false);

	call_guarded(&run, keep_for(node->pool, handler));
	return end(ctx, node, before);
}

/* As end().  When it faults, kp_core_on_return_abort goes on. */
HOT bool run_directly(struct kp_context *ctx, struct kp_child *child,
		      kretprobe_handler_t handler, struct kp_node *node,
		      struct pt_regs *regs, const struct kp_host_saved *saved,
		      bool bare)
{
	uintptr_t before = begin(ctx, node, (uintptr_t)regs | KP_FRAME_RETURN,
				 bare);

	ctx->saved = *saved;
	ctx->current = child;
	handler(&node->ri, regs);
	ctx->current = NULL;
	return end(ctx, node, before);
}

/*
 * saved: what kp_core_on_return_abort needs; NULL: there are others of the call.
 * Otherwise as end().
 */
HOT bool run_handler(struct kp_context *ctx, struct kp_node *node,
		     struct kretprobe *rp, struct pt_regs *regs,
		     const struct kp_host_saved *saved)
{
	kretprobe_handler_t handler = rp->handler;
	struct kp_child *child = child_of(node->site, rp);

	if (!LIKELY(child) || !LIKELY(handler))
		return true;
	if (!LIKELY(ctx && !ctx->site)) {
		missed(rp);
		return true;
	}
	if (saved && LIKELY(keep_for(node->pool, handler) == KP_ARCH_KEEP_NONE))
		return run_directly(ctx, child, handler, node, regs, saved,
				    false);
	return run_guarded(ctx, child, handler, node, regs);
}

/* A call that had no hooked entry, or that returned before (K-RET-46). */
KP_TRAP_PATH COLD void mismatch(const struct kp_node *node,
				struct pt_regs *regs)
{
	kp_host_log(KP_LOG_ERROR,
		    "kretprobe BUG!: Processing kretprobe 0x%lx @ 0x%lx",
		    (unsigned long)kp_load_relaxed(&node->pool->rp),
		    (unsigned long)instruction_pointer(regs));
}

/* As run_handler. */
HOT bool finish(struct kp_context *ctx, struct kp_node *node,
		struct pt_regs *regs, const struct kp_host_saved *saved)
{
	struct kretprobe *rp;

	kp_arch_return_to(regs, node->real);
	/* NULL: unregistered meanwhile, no handler (K-RET-61). */
	rp = kp_load_acquire(&node->pool->rp);
	if (LIKELY(rp) && !LIKELY(run_handler(ctx, node, rp, regs, saved)))
		return false;
	kp_pool_put(node);
	return true;
}

/*
 * Several of one call.  All are claimed before the first is free again, and may
 * be another call's: until then rekp_node_claim() in pool.c goes from one to the next.
 */
KP_TRAP_PATH COLD void finish_all(struct kp_context *ctx, struct kp_node *node,
				  struct pt_regs *regs)
{
	struct kp_node *at;
	unsigned int nr = 0;

	for (at = node; at; at = kp_node_next(at)) {
		if (!kp_node_claim(at)) {
			mismatch(at, regs);
			break;
		}
		nr++;
	}
	for (; nr; nr--) {
		at = kp_node_next(node);
		if (!finish(ctx, node, regs, NULL))
			break;
		node = at;
	}
}

/* It stands for a call that has not returned, and no other one does. */
HOT bool only_one(const struct kp_node *node)
{
	return LIKELY(node->below == node->real) &&
	       LIKELY(kp_node_state(node) == KP_NODE_ACTIVE);
}

/* The child whose handler is all that there is to the return, and is that one; or NULL. */
HOT struct kp_child *only_child(const struct kp_node *node,
				const struct kp_pool *pool,
				kretprobe_handler_t handler)
{
	/* Pairs with abandon(): NULL, or it stays as long as this reader. */
	const struct kretprobe *rp = kp_load_acquire(&pool->rp);

	if (!LIKELY(rp) || !LIKELY(rp->handler == handler) ||
	    !LIKELY(only_one(node)))
		return NULL;
	return child_of(node->site, rp);
}

/*
 * Most: a handler that leaves nothing behind is all that there is to it.  False: to
 * others this does nothing.
 */
HOT bool finish_bare(struct kp_context *ctx, struct kp_node *node,
		     struct pt_regs *regs, const struct kp_host_saved *saved)
{
	const struct kp_pool *pool = node->pool;
	/* Pairs with abandon(), as in only_child(): the struct stays as long. */
	struct kp_child *child = kp_load_pointer(&pool->bare_child);
	const struct kretprobe *rp;
	kretprobe_handler_t bare;

	if (!LIKELY(child))
		return false;
	rp = (const struct kretprobe *)(const void *)child->kp;
	bare = rp->handler;
	if (!LIKELY(bare == pool->bare) || !LIKELY(only_one(node)) ||
	    keep_for(pool, bare) != KP_ARCH_KEEP_NONE)
		return false;
	kp_arch_return_to(regs, node->real);
	if (LIKELY(run_directly(ctx, child, bare, node, regs, saved, true)))
		kp_pool_put(node);
	return true;
}

KP_TRAP_PATH bool kp_core_on_return(struct pt_regs *regs)
{
	struct kp_host_saved saved;
	/* Like a hit through a jump, this is no trap. */
	struct kp_context *ctx = kp_host_enter_detour(&saved);
	struct kp_node *node = kp_stub_in_first(instruction_pointer(regs));
	uintptr_t real;
	bool called;

	if (!LIKELY(node))
		node = kp_stub_node(instruction_pointer(regs));
	if (LIKELY(ctx && !ctx->site) && LIKELY(node)) {
		called = KP_CALLING_STUBS && node->called;
		if (LIKELY(finish_bare(ctx, node, regs, &saved))) {
			kp_host_leave_detour(ctx, &saved);
			return called;
		}
	}
	if (!LIKELY(ctx && !ctx->site))
		kp_context_enter_again(ctx, &saved, kernel_stack_pointer(regs));
	if (!node) {
		/* Nothing is known about it: the address stays the stub's. */
		kp_host_broken("a return stub without a call");
		kp_host_leave_detour(ctx, &saved);
		return false;
	}
	called = KP_CALLING_STUBS && node->called;
	real = node->real;
	if (!LIKELY(!kp_node_next(node)))
		finish_all(ctx, node, regs);
	else if (LIKELY(kp_node_state(node) == KP_NODE_ACTIVE))
		finish(ctx, node, regs, &saved);
	else
		mismatch(node, regs);
	/* Whatever the handlers wrote there (K-RET-31). */
	kp_arch_return_to(regs, real);
	kp_host_leave_detour(ctx, &saved);
	return called;
}

/* Like on_lean_entry, nothing that calls another function. */
KP_TRAP_PATH struct kp_return kp_core_on_return_begin(uintptr_t stub,
						      struct pt_regs *regs)
{
	uintptr_t frame = (uintptr_t)regs | KP_FRAME_RETURN | KP_FRAME_LEAN;
	struct kp_context *ctx = kp_host_enter_lean((uintptr_t)regs);
	struct kp_child *child = NULL;
	struct kp_pool *pool;
	struct kp_node *node;

	if (!LIKELY(ctx))
		return (struct kp_return){ NULL, NULL };
	node = kp_stub_in_first(stub);
	if (!LIKELY(node))
		goto leave;
	pool = node->pool;
	if (LIKELY(pool->lean))
		child = only_child(node, pool, pool->lean);
	if (!LIKELY(child))
		goto leave;
	kp_arch_return_to(regs, node->real);
	/* The rest once there is a site, as in begin(). */
	if (KP_LEFT_BEHIND)
		kp_store_here(&ctx->frame, frame);
	kp_store_here(&ctx->site, node->site);
	kp_store_here(&ctx->frame, frame);
	kp_store_release(&ctx->returning, node);
	kp_store_release(&ctx->current, child);
	return (struct kp_return){ pool->lean, ctx };

leave:
	kp_host_leave_lean(ctx);
	return (struct kp_return){ NULL, NULL };
}

KP_TRAP_PATH COLD bool put_and_leave(struct kp_context *ctx,
				     struct kp_node *node)
{
	bool called = node->called;

	kp_pool_put(node);
	kp_host_leave_lean(ctx);
	return called;
}

KP_TRAP_PATH bool kp_core_on_return_end(struct kp_context *ctx)
{
	struct kp_node *node = kp_load_relaxed(&ctx->returning);
	bool called;

	/* None: it was believed to be left for good, reader and all. */
	if (KP_LEFT_BEHIND && !LIKELY(node))
		return false;
	ctx->current = NULL;
	/* As in end(). */
	if (KP_LEFT_BEHIND)
		kp_store_release(&ctx->returning, NULL);
	kp_hit_end(ctx, 0);
	if (!LIKELY(node->parked))
		return put_and_leave(ctx, node);
	called = node->called;
	kp_node_set(node, KP_NODE_FREE);
	kp_host_leave_lean(ctx);
	return called;
}

/* After run_directly, or a lean handler. */
KP_TRAP_PATH bool kp_core_on_return_abort(struct pt_regs *regs)
{
	struct kp_context *ctx = kp_host_context();
	struct kp_host_saved saved;
	struct kp_child *child = ctx->current;
	struct kp_node *node = ctx->returning;
	bool called;

	if (ctx->frame & KP_FRAME_LEAN)
		kp_host_direct_saved(&saved);
	else
		saved = ctx->saved;
	ctx->current = NULL;
	kp_hit_abandon(ctx, child);
	/* As in end(). */
	kp_store_release(&ctx->returning, NULL);
	kp_hit_end(ctx, 0);
	kp_arch_return_to(regs, node->real);
	called = node->called;
	kp_pool_put(node);
	kp_host_leave_detour(ctx, &saved);
	return called;
}

/* Where a return to ip goes in the end: for backtraces. */
KP_TRAP_PATH uintptr_t kp_return_real(uintptr_t ip)
{
	struct kp_context *ctx;
	struct kp_node *node;

	if (LIKELY(!kp_stub_node(ip)))
		return ip;
	ctx = kp_host_enter();
	kp_stub_follow();
	node = kp_stub_node(ip);
	if (node)
		ip = node->real;
	kp_stub_follow_end();
	kp_host_leave(ctx);
	return ip;
}

KP_TRAP_PATH bool kp_core_is_stub(uintptr_t ip)
{
	return kp_stub_node(ip) != NULL;
}

KP_TRAP_PATH bool is_kretprobe_trampoline(unsigned long addr)
{
	return kp_core_is_stub(addr);
}

/* The node that was hooked first for the call with this frame, or NULL. */
KP_TRAP_PATH static struct kp_node *first_at(uintptr_t frame,
					     const struct task_struct *task)
{
	struct kp_node *node, *below;
	uintptr_t word;
	int err = kp_arch_return_standing(frame, &host_mem, &word);

	if (err && err != -ENOENT)
		return NULL;
	node = err ? kp_stub_of_frame(frame, task) : kp_stub_node(word);
	while (node && node->frame == frame &&
	       (below = kp_stub_node(node->below)))
		node = below;
	return node;
}

KP_TRAP_PATH unsigned long
kretprobe_find_ret_addr(struct task_struct *task, void *frame,
			struct llist_node **cursor)
{
	struct kp_context *ctx;
	struct kp_node *node;
	unsigned long real = 0;

	if (!cursor) {
		kp_host_log(KP_LOG_WARN, "kprobes: kretprobe_find_ret_addr needs a cursor");
		return 0;
	}
	ctx = kp_host_enter();
	kp_stub_follow();
	node = first_at((uintptr_t)frame, task);
	if (node && kp_node_state(node) >= KP_NODE_ACTIVE &&
	    node->task.task == task && node != (void *)*cursor) {
		*cursor = (struct llist_node *)(void *)node;
		real = node->real;
	}
	kp_stub_follow_end();
	kp_host_leave(ctx);
	return real;
}
