/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * plan.c - finding a jump for a site.
 *
 * Owns: which bytes around a site may be patched, and the search through the kinds of jump for
 * one that finds a head.  A plan is made once and kept as long as the site, whether or not the
 * jump is in the text.
 *
 * Locks: the registry lock.
 */
#include "plan.h"
#include "blacklist.h"
#include "head.h"
#include "unpatched.h"

/* The probed instruction and all that a jump over it may displace. */
#define WINDOW		((size_t)32)
#define WAYS_MAX	40u
#define TRIES_MAX	24u

struct view {
	uint8_t text[WINDOW];
	size_t avail;
	size_t extent;			/* that may be patched */
	size_t inside;			/* of the function */
};

/* The bounds of the function looked at last: batches go through one by one. */
static uintptr_t bounds_start, bounds_end;

static bool bounds(uintptr_t addr, uintptr_t *end)
{
	size_t len;

	if (addr < bounds_start || addr >= bounds_end) {
		bounds_end = 0;
		if (kp_host_bounds(addr, &bounds_start, &len))
			return false;
		bounds_end = bounds_start + len;
	}
	*end = bounds_end;
	return true;
}

/* Padding behind the function that belongs to no symbol is nobody's. */
static size_t padding(const struct view *view, uintptr_t addr)
{
	size_t nr = kp_arch_padding(view->text + view->inside,
				    view->avail - view->inside), i;
	uintptr_t start;
	size_t len;

	for (i = 0; i < nr; i++)
		if (!kp_host_bounds(addr + view->inside + i, &start, &len))
			break;
	return i;
}

static void look(struct view *view, const struct kp_site *site)
{
	uintptr_t end = site->addr;

	view->avail = WINDOW;
	while (view->avail &&
	       kp_unpatched_read(view->text, site->addr, view->avail))
		view->avail--;
	bounds(site->addr, &end);
	view->inside = end - site->addr < view->avail ? end - site->addr
						      : view->avail;
	view->extent = view->inside;
	if (view->inside < view->avail)
		view->extent += padding(view, site->addr);
}

static bool text_ok(uintptr_t addr, size_t len, unsigned int *flags)
{
	struct kp_text_info info;
	size_t i;

	kp_host_text_query(addr, len, &info);
	*flags = info.arch_flags;
	if (info.kind != KP_TEXT_OK)
		return false;
	for (i = 0; i < len; i++)
		if (kp_blacklisted(addr + i))
			return false;
	return true;
}

/*
 * May the bytes behind the probed instruction be part of the jump?  Somebody
 * else's breakpoint there is going to change.
 */
static bool span_ok(const struct kp_site *site, const struct view *view,
		    size_t len, const char **reason)
{
	size_t at = site->arch.len;
	struct kp_arch_decoded insn;
	unsigned int flags;

	if (len <= at)
		return true;
	if (len > view->extent)
		*reason = "what follows is not known to be code";
	else if (!text_ok(site->addr + at, len - at, &flags))
		*reason = "what follows must not be changed";
	else
		*reason = NULL;
	for (; !*reason && at < len && at < view->inside; at += insn.len) {
		if (kp_arch_decode(&insn, view->text + at, view->avail - at, flags))
			break;
		if (insn.breakpoint)
			*reason = "a breakpoint that is no probe's follows";
	}
	return !*reason;
}

/* The instruction at offset `at` goes to the body, too. */
static int take_insn(struct kp_site *site, struct kp_detour *detour,
		     const struct view *view, unsigned int at,
		     const char **reason)
{
	struct kp_arch_probe *insn = &detour->insns[detour->insns_nr];
	uintptr_t addr = site->addr + at;
	struct kp_text_info info;
	unsigned int flags;

	kp_host_text_query(addr, 1, &info);
	if (kp_arch_prepare(insn, addr, view->text + at, view->avail - at,
			    info.arch_flags, reason))
		return -EOPNOTSUPP;
	if (at + insn->len > view->extent || !text_ok(addr, insn->len, &flags) ||
	    (flags | info.arch_flags) & KP_ARCH_HAS_FIXUP) {
		*reason = "an instruction under the jump must stay where it is";
		return -EOPNOTSUPP;
	}
	detour->insns_nr++;
	return 0;
}

/* Those of a jump with inner boundaries, or one more. */
static int take_insns(struct kp_site *site, struct kp_detour *detour,
		      const struct view *view, const char **reason)
{
	unsigned int i, flags;
	int err = 0;

	detour->insns[0] = site->arch;
	detour->insns_nr = 1;
	if (!text_ok(site->addr, site->arch.len, &flags) ||
	    flags & KP_ARCH_HAS_FIXUP) {
		*reason = "an instruction under the jump must stay where it is";
		return -EOPNOTSUPP;
	}
	for (i = 0; !err && i < detour->jump.inner_nr; i++)
		err = take_insn(site, detour, view, detour->jump.inner[i],
				reason);
	return detour->jump.along ? take_insn(site, detour, view,
					      site->arch.len, reason) : err;
}

/* One way.  0 when the detour is ready, else why not. */
static int attempt(struct kp_site *site, struct kp_detour *detour,
		   const struct view *view, unsigned int *tries,
		   const char **reason)
{
	if (!span_ok(site, view, detour->jump.len, reason))
		return -EOPNOTSUPP;
	if ((detour->jump.inner_nr || detour->jump.along) && !detour->chain) {
		int err = take_insns(site, detour, view, reason);

		if (err && detour->jump.inner_nr)
			return err;
		/* Slower, but it need not. */
		detour->jump.along &= !err;
	}
	return kp_head_take(site, detour, tries, reason);
}

static int find_way(struct kp_site *site, struct kp_detour *detour,
		    const char **reason)
{
	unsigned int tries = TRIES_MAX, n;
	const char *why = NULL, *no_spread = NULL;
	struct view view;
	int err = -ENOENT;

	look(&view, site);
	*reason = "no jump fits there";
	for (n = 0; n < WAYS_MAX; n++) {
		if (kp_arch_jump_way(&detour->jump, &site->arch, view.text,
				     view.avail, view.extent, n, &why)) {
			/* What stood in the way of the others says more. */
			*reason = no_spread ? no_spread : n ? *reason : why;
			return -ENOENT;
		}
		/* What stands in the way of one spread jump does of all. */
		if (no_spread && detour->jump.inner_nr)
			continue;
		err = attempt(site, detour, &view, &tries, reason);
		if (!err)
			break;
		if (err == -EOPNOTSUPP && detour->jump.inner_nr)
			no_spread = *reason;
	}
	if (err && no_spread)
		*reason = no_spread;
	if (!err)
		memcpy(detour->original, view.text, detour->jump.len);
	return n < WAYS_MAX ? err : -ENOENT;
}

static struct kp_detour *detour_alloc(unsigned int insns)
{
	return kp_host_alloc(sizeof(struct kp_detour) +
			     insns * sizeof(struct kp_arch_probe));
}

/*
 * Where the instruction behind the probed one is to be executed while the jump is
 * in the text, if that changes it: laying a chain out anew takes as long as a hit.
 */
static uintptr_t next_in_chain(const struct kp_site *site,
			       const struct kp_detour *detour)
{
	unsigned int i;

	for (i = 0; i < detour->jump.inner_nr; i++)
		if (detour->jump.inner[i] == site->arch.len)
			return kp_arch_chain_entry(detour->insns,
						   detour->insns_nr,
						   detour->chain, i + 1);
	return 0;
}

/* It was made for as many instructions as a chain may have. */
static struct kp_detour *trim(struct kp_detour *detour)
{
	unsigned int insns = detour->chain ? detour->insns_nr : 0;
	struct kp_detour *small = detour_alloc(insns);

	if (!small)
		return detour;
	memcpy(small, detour, sizeof(*small) + insns * sizeof(small->insns[0]));
	kp_host_free(detour);
	return small;
}

/* Give the site a detour, if it can have one. */
bool kp_plan(struct kp_site *site)
{
	struct kp_detour *detour;
	const char *reason = "out of memory";
	int err = -ENOMEM;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	if (site->detour || site->opt_failed)
		return site->detour;
	detour = detour_alloc(1 + KP_ARCH_INNER_MAX);
	if (detour)
		err = find_way(site, detour, &reason);
	if (err) {
		kp_host_free(detour);
		site->opt_failed = true;
		site->why_not = reason;
		return false;
	}
	kp_arch_emit_jump(&detour->jump, detour->head, detour->bytes);
	detour->next = next_in_chain(site, detour);
	detour = trim(detour);
	detour->twin = detour;
	site->why_not = NULL;
	/* Pairs with landing.c. */
	kp_store_release(&site->detour, detour);
	return true;
}

/* Symbols may come and go between batches. */
void kp_plan_reset(void)
{
	bounds_start = bounds_end = 0;
}
