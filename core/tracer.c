/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * tracer.c - probes at instructions from which the host calls us.
 *
 * Owns: sites of the kind KP_TEXT_TRACER (a kernel's ftrace sites, [FTRACE] in
 * the list).  The host owns their bytes, so there is no breakpoint, no slot and
 * no jump: arming asks the host to call kp_core_on_tracer, and the instruction,
 * which does nothing, is executed by leaving it behind.
 *
 *   IDLE  --kp_tracer_arm-->    ARMED   the host calls us
 *   ARMED --kp_tracer_disarm--> IDLE    it does not; calls on their way are ignored
 *
 * The tracer calls in two ways: one says that it may redirect execution, which the
 * host gives to one user at a time (K-FTR-05: probes with a post_handler), and
 * one does not.  A site is served in the way that it was
 * armed with, so a hit is one call.  A redirecting probe that joins an armed
 * site claims the other way besides: its calls are ignored, and nobody else
 * gets it, until the site is disarmed.
 *
 * Locks: the registry lock is held to change anything.
 */
#include "tracer.h"
#include "batch.h"
#include "children.h"
#include "hit.h"
#include "table.h"

/* ---- the hit --------------------------------------------------------------- */

/*
 * K-FTR-03, 04: handlers see the addresses of a breakpoint, afterwards
 * execution goes on where it would have, unless a pre_handler says otherwise.
 * One that says so without saying where would resume inside the instruction.
 */
HOT void finish(struct kp_context *ctx, struct kp_site *site,
		struct pt_regs *regs, long ran, unsigned long resume)
{
	if (LIKELY(!ran)) {
		instruction_pointer_set(regs, resume);
	} else if (ran & KP_PRE_POST) {
		instruction_pointer_set(regs, site->addr + site->arch.len);
		kp_framed_post(ctx, site, regs);
		instruction_pointer_set(regs, resume);
	} else if (kp_arch_trap_addr(regs) == site->addr) {
		instruction_pointer_set(regs, resume);
	}
}

HOT bool redirecting(const struct kp_site *site)
{
	return site->tracer == KP_TRACER_REDIRECTS;
}

/* The site that is served in that way; or NULL. */
HOT struct kp_site *site_of(uintptr_t addr, bool redirects)
{
	struct kp_site *site = kp_table_look(addr);

	/* Pairs with arm(). */
	if (LIKELY(site) && kp_load_acquire(&site->state) == KP_SITE_ARMED &&
	    LIKELY(redirecting(site) == redirects))
		return site;
	return NULL;
}

KP_TRAP_PATH static void hit(struct kp_context *ctx, struct kp_site *site,
			     struct pt_regs *regs)
{
	unsigned long resume = instruction_pointer(regs);
	uintptr_t frame = kp_hit_begin(ctx, site);

	kp_arch_set_pre_ip(regs, site->addr);
	finish(ctx, site, regs, kp_run_pre(ctx, site, regs), resume);
	kp_hit_end(ctx, frame);
}

KP_TRAP_PATH void kp_core_on_tracer(struct pt_regs *regs, uintptr_t addr,
				  bool redirects)
{
	struct kp_context *ctx = kp_host_enter();
	struct kp_site *site = site_of(addr, redirects);

	if (site && (!ctx || ctx->site))
		kp_hit_missed(site);
	else if (site)
		hit(ctx, site, regs);
	kp_host_leave(ctx);
}

/*
 * In a frame of the host's: functions of their own, so that nothing is saved
 * before it is known which of them it is.
 */
KP_TRAP_PATH COLD void run_framed(struct kp_site *site, struct kp_context *ctx,
				  struct pt_regs *regs)
{
	long ran;

	kp_framed_begin(ctx, site, regs);
	ctx->resume = instruction_pointer(regs);
	kp_arch_set_pre_ip(regs, site->addr);
	ran = kp_call_pre(ctx, kp_child_first(site), regs);
	/* From memory: nothing else has to be kept across the calls. */
	finish(ctx, site, regs, ran, ctx->resume);
	kp_framed_end(ctx);
}

KP_TRAP_PATH COLD void run_quiet(struct kp_site *site, struct kp_context *ctx,
				 struct kp_child *child, struct pt_regs *regs)
{
	kp_framed_begin(ctx, site, regs);
	ctx->resume = instruction_pointer(regs);
	kp_arch_set_pre_ip(regs, site->addr);
	if (LIKELY(!kp_call_quiet(ctx, child, regs)))
		instruction_pointer_set(regs, ctx->resume);
	else
		finish(ctx, site, regs, KP_PRE_TAKEN, ctx->resume);
	kp_framed_end(ctx);
}

KP_TRAP_PATH void kp_core_on_framed_tracer(uintptr_t addr, struct kp_context *ctx,
					 bool redirects, struct pt_regs *regs)
{
	struct kp_site *site = site_of(addr, redirects);
	struct kp_child *quiet;

	if (!LIKELY(site))
		return;
	if (!LIKELY(!ctx->site)) {
		kp_hit_missed(site);
		return;
	}
	quiet = kp_quiet_child(site);
	if (LIKELY(quiet))
		run_quiet(site, ctx, quiet, regs);
	else
		run_framed(site, ctx, regs);
}

KP_TRAP_PATH struct kp_child *
kp_core_tracer_begin(uintptr_t addr, struct kp_context *ctx, struct pt_regs *regs)
{
	struct kp_site *site = site_of(addr, false);
	struct kp_child *quiet = LIKELY(site) ? kp_quiet_child(site) : NULL;

	if (!LIKELY(quiet))
		return NULL;
	kp_framed_begin(ctx, site, regs);
	ctx->resume = instruction_pointer(regs);
	kp_arch_set_pre_ip(regs, addr);
	ctx->current = quiet;
	return quiet;
}

KP_TRAP_PATH void kp_core_tracer_taken(struct kp_context *ctx, struct pt_regs *regs)
{
	ctx->current = NULL;
	finish(ctx, ctx->site, regs, KP_PRE_TAKEN, ctx->resume);
	kp_framed_end(ctx);
}

KP_TRAP_PATH void kp_core_on_framed_tracer_abort(struct pt_regs *regs)
{
	struct kp_context *ctx = kp_host_context();

	finish(ctx, ctx->site, regs, kp_hit_pre_aborted(ctx, regs),
	       ctx->resume);
	kp_framed_end(ctx);
}

/* ---- sites ----------------------------------------------------------------- */

int kp_tracer_prepare(struct kp_site *site, const uint8_t *bytes, size_t avail,
		    unsigned int text_flags, const char **reason)
{
	struct kp_arch_decoded insn;
	int err = kp_arch_decode(&insn, bytes, avail, text_flags);

	if (err) {
		*reason = "the tracer's instruction cannot be decoded";
		return -EINVAL;
	}
	site->tracer = KP_TRACER_PLAIN;
	site->arch.len = insn.len;
	return 0;
}

/* Does a child say that it may redirect? */
static bool wants_redirect(const struct kp_site *site)
{
	const struct kp_child *child;

	for (child = site->children; child; child = child->next)
		if (child->enabled && child->kp->post_handler)
			return true;
	return false;
}

/* ---- arming ---------------------------------------------------------------- */

/* What is asked of the host at a time; without memory for all: some. */
#define FEW 16

struct request {
	struct kp_site **sites;
	struct kp_tracer_site *asked;
	size_t nr, max;
	struct kp_site *few_sites[FEW];
	struct kp_tracer_site few_asked[FEW];
};

/* Guarded by the registry lock: both ways. */
static struct request requests[2];

static void request_begin(struct request *r, size_t nr)
{
	r->nr = 0;
	r->max = nr;
	r->sites = nr > FEW ? kp_host_alloc(nr * sizeof(*r->sites)) : NULL;
	r->asked = r->sites ? kp_host_alloc(nr * sizeof(*r->asked)) : NULL;
	if (r->asked)
		return;
	kp_host_free(r->sites);
	r->sites = r->few_sites;
	r->asked = r->few_asked;
	r->max = FEW;
}

static void request_end(struct request *r)
{
	if (r->sites == r->few_sites)
		return;
	kp_host_free(r->sites);
	kp_host_free(r->asked);
}

/* The host's answer for one site. */
typedef void (*answer_fn)(struct kp_site *site, bool redirects, int err);

static int request_send(bool redirects, bool on, answer_fn answer)
{
	struct request *r = &requests[redirects];
	int err;
	size_t i;

	if (!r->nr)
		return 0;
	err = on ? kp_host_tracer_on(r->asked, r->nr, redirects) :
		   kp_host_tracer_off(r->asked, r->nr, redirects);
	for (i = 0; i < r->nr; i++)
		answer(r->sites[i], redirects, r->asked[i].err);
	r->nr = 0;
	return err;
}

static int request_put(struct kp_site *site, bool redirects, bool on,
		       answer_fn answer)
{
	struct request *r = &requests[redirects];
	int err = r->nr == r->max ? request_send(redirects, on, answer) : 0;

	r->sites[r->nr] = site;
	r->asked[r->nr].addr = site->addr;
	r->asked[r->nr++].err = 0;
	return err;
}

/* Take the sites of this file out of the batch: a list by batch_next. */
static struct kp_site *take_traced(struct kp_batch *batch, size_t *nr)
{
	struct kp_site **link = &batch->first, *site, *taken = NULL;

	*nr = 0;
	while ((site = *link)) {
		if (!site->tracer) {
			link = &site->batch_next;
			batch->last = site;
			continue;
		}
		*link = site->batch_next;
		site->queued = false;
		site->batch_next = taken;
		taken = site;
		++*nr;
	}
	return taken;
}

typedef int (*change_fn)(struct kp_site *site);

static int change(struct kp_batch *batch, bool on, change_fn ask,
		  answer_fn answer)
{
	struct kp_site *site, *next;
	int err = 0, one, redirects;
	size_t nr;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	site = take_traced(batch, &nr);
	if (!nr)
		return 0;
	for (redirects = 0; redirects < 2; redirects++)
		request_begin(&requests[redirects], nr);
	for (; site; site = next) {
		next = site->batch_next;
		site->batch_next = NULL;
		one = ask(site);
		err = err ? err : one;
	}
	for (redirects = 0; redirects < 2; redirects++) {
		one = request_send(redirects, on, answer);
		err = err ? err : one;
		request_end(&requests[redirects]);
	}
	return err;
}

static void armed(struct kp_site *site, bool redirects, int err)
{
	if (redirects != redirecting(site))
		site->tracer_claimed = !err;
	/* It will not be called; site_of() answers that it is nobody's. */
	else if (err)
		kp_store_release(&site->state, KP_SITE_IDLE);
}

static int arm(struct kp_site *site)
{
	bool redirects = wants_redirect(site);

	if (site->state == KP_SITE_IDLE) {
		site->tracer = redirects ? KP_TRACER_REDIRECTS :
					 KP_TRACER_PLAIN;
		site->tracer_claimed = false;
		/* Before the first call; pairs with kp_core_on_tracer. */
		kp_store_release(&site->state, KP_SITE_ARMED);
		return request_put(site, redirects, true, armed);
	}
	if (site->state == KP_SITE_ARMED && redirects &&
	    !redirecting(site) && !site->tracer_claimed)
		return request_put(site, true, true, armed);
	return 0;
}

/* A site that the tracer does not give back is ARMED still: its hits pass through. */
static void disarmed(struct kp_site *site, bool redirects, int err)
{
	if (redirects != redirecting(site))
		site->tracer_claimed = err != 0;
	/* Pairs with site_of(): calls on their way are ignored from here on. */
	else if (!err)
		kp_store_release(&site->state, KP_SITE_IDLE);
}

static int disarm(struct kp_site *site)
{
	int err = 0, one;

	if (site->tracer_claimed)
		err = request_put(site, true, false, disarmed);
	if (site->state != KP_SITE_ARMED)
		return err;
	one = request_put(site, redirecting(site), false, disarmed);
	return err ? err : one;
}

/*
 * Arm or disarm the batch's traced sites and take them out of it; one request
 * to the host for each kind.  0, or the first errno.
 */
int kp_tracer_arm(struct kp_batch *batch)
{
	return change(batch, true, arm, armed);
}

int kp_tracer_disarm(struct kp_batch *batch)
{
	return change(batch, false, disarm, disarmed);
}

/* Text is about to vanish; what the tracer calls in it must not outlive it. */
void kp_tracer_text_gone(uintptr_t start, size_t len)
{
	struct kp_batch batch = { NULL, NULL };
	struct kp_site *site;

	for (site = kp_table_next(NULL); site; site = kp_table_next(site))
		if (site->tracer && site->addr - start < len)
			kp_batch_add(&batch, site);
	kp_tracer_disarm(&batch);
}
