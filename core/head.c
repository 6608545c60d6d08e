/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * head.c - the target of a jump.
 *
 * Owns: the heads.  A head is filled before its site's detour is published, and keeps its
 * meaning as long as the engine lives.  Every kind of head serves all probes.  If another kind
 * suits the probes of a site better, the site gets a second head; the rest of its detour stays.
 *
 * Locks: the registry lock to take; kp_head_site reads without a lock.
 */
#include "head.h"
#include "hub.h"
#include "place.h"
#include "slot.h"

/* The site whose head contains ip, or NULL. */
KP_TRAP_PATH struct kp_site *kp_head_site(uintptr_t ip)
{
	uintptr_t start;

	return kp_place_owner(ip, &start);
}

/* Where a head may be: the jump reaches it, and it reaches the body. */
static int place_for(struct kp_site *site, const struct kp_arch_jump *jump,
		     uint32_t value, uint32_t mask, unsigned int *tries, uintptr_t *head)
{
	uintptr_t low = kp_hub_low(jump->base, jump->reach_down), body = site->slot;
	uintptr_t high = kp_hub_high(jump->base, jump->reach_up);
	struct kp_place want = {
		.base = jump->base, .value = value, .mask = mask,
		.near = body, .tries = *tries < 8 ? *tries : 8,
	};
	unsigned int had = want.tries;
	int err;

	want.low = kp_hub_low(body, KP_ARCH_REACH);
	want.high = kp_hub_high(body, KP_ARCH_REACH);
	want.low = low > want.low ? low : want.low;
	want.high = high < want.high ? high : want.high;
	if (want.low > want.high)
		return -ERANGE;
	err = kp_place_take(&want, site, head);
	*tries -= had - want.tries;
	return err;
}

static int place(struct kp_site *site, const struct kp_arch_jump *jump,
		 unsigned int *tries, uintptr_t *head)
{
	if (jump->wish_mask &&
	    !place_for(site, jump, jump->value | jump->wish, jump->mask | jump->wish_mask,
		       tries, head))
		return 0;
	return place_for(site, jump, jump->value, jump->mask, tries, head);
}

/* Where there is a chain, that is what all of them lead to. */
static enum kp_head_kind kind_for(const struct kp_site *site,
				  const struct kp_detour *detour)
{
	if (KP_CALLING_STUBS && site->calls)
		return KP_HEAD_CALLS;
	return site->lean_post && site->step && !detour->chain ? KP_HEAD_STEP
							       : KP_HEAD_PLAIN;
}

static uintptr_t body_of(const struct kp_site *site,
			 const struct kp_detour *detour)
{
	if (detour->chain)
		return detour->chain;
	/* The way from there is the one that the processor predicts. */
	return detour->kind == KP_HEAD_STEP ? site->step : site->slot;
}

static int fill(struct kp_site *site, struct kp_detour *detour)
{
	uint8_t image[KP_ARCH_HEAD_LEN];
	uintptr_t entry;
	int err;

	detour->kind = kind_for(site, detour);
	detour->body = body_of(site, detour);
	entry = kp_hub(detour->head,
			    KP_CALLING_STUBS && detour->kind == KP_HEAD_CALLS ?
				    kp_arch_call_entry : kp_arch_detour_entry);
	if (!entry)
		return -ENOMEM;
	err = kp_arch_emit_head(&site->arch, detour->head, entry, detour->body,
				site, image);
	return err ? err : kp_host_exec_write_later(detour->head, image,
						    sizeof(image));
}

/*
 * A head for detour->jump, filled, and the chain where the jump needs one.
 * tries: how often memory may be asked for.  0 or -errno with *reason.
 */
int kp_head_take(struct kp_site *site, struct kp_detour *detour,
		 unsigned int *tries, const char **reason)
{
	int err = place(site, &detour->jump, tries, &detour->head);

	if (err) {
		*reason = "no executable memory where the jump could lead";
		return err;
	}
	if ((detour->jump.inner_nr || detour->jump.along) && !detour->chain)
		err = kp_slot_take_chain(site, detour, reason);
	/* Where the next instruction cannot be copied, the body ends before. */
	if (err && detour->jump.inner_nr)
		goto put_place;
	err = fill(site, detour);
	if (!err)
		return 0;
	*reason = err == -ERANGE ?
		"from where the jump could lead the instruction does not reach where it goes" :
		"the jump's target could not be written";

put_place:
	kp_place_put(detour->head);
	return err;
}

#define TWIN_TRIES 4

/* With the head that suits now, in old's ring; NULL when there is no place. */
static struct kp_detour *twin_make(struct kp_site *site, struct kp_detour *old)
{
	unsigned int insns = old->chain ? old->insns_nr : 0, tries = TWIN_TRIES;
	size_t len = sizeof(*old) + insns * sizeof(old->insns[0]);
	struct kp_detour *twin = kp_host_alloc(len);

	if (!twin)
		return NULL;
	memcpy(twin, old, len);
	if (place(site, &twin->jump, &tries, &twin->head))
		goto free_twin;
	if (fill(site, twin))
		goto put_place;
	kp_arch_emit_jump(&twin->jump, twin->head, twin->bytes);
	twin->twin = old->twin;
	/* Pairs with kp_head_detour. */
	kp_store_release(&old->twin, twin);
	return twin;

put_place:
	kp_place_put(twin->head);
free_twin:
	kp_host_free(twin);
	return NULL;
}

/* The site's jump is about to be written: to the kind of head for its probes. */
void kp_head_suit(struct kp_site *site)
{
	struct kp_detour *detour = site->detour, *at = detour;
	enum kp_head_kind kind = kind_for(site, detour);

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	while (at->kind != kind && at->twin != detour)
		at = at->twin;
	if (at->kind != kind && !detour->no_twin) {
		at = twin_make(site, detour);
		detour->no_twin = !at;
	}
	/* Pairs with landing.c. */
	if (at && at->kind == kind)
		kp_store_release(&site->detour, at);
}

/* Is that the kind of the head that its jump leads to, as far as there was room for one? */
bool kp_head_suits(const struct kp_site *site)
{
	const struct kp_detour *detour = site->detour;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	return detour->no_twin || detour->kind == kind_for(site, detour);
}

/* The one of the site's detours that has this head. */
KP_TRAP_PATH const struct kp_detour *
kp_head_detour(const struct kp_site *site, uintptr_t head)
{
	/* Pairs with kp_plan and kp_head_suit: it is complete. */
	const struct kp_detour *detour = kp_load_acquire(&site->detour);
	const struct kp_detour *at = detour;

	/* Pairs with twin_make(): so is each of the ring. */
	while (at->head != head && kp_load_acquire(&at->twin) != detour)
		at = kp_load_acquire(&at->twin);
	return at;
}

/* All of them; no reader is left. */
void kp_head_free(struct kp_site *site)
{
	struct kp_detour *last = site->detour, *at, *next;

	for (at = last ? last->twin : NULL; at && at != last; at = next) {
		next = at->twin;
		kp_host_free(at);
	}
	kp_host_free(last);
}

void kp_head_put(struct kp_site *site)
{
	struct kp_detour *first = site->detour, *at = first;

	if (!first)
		return;
	do {
		kp_place_put(at->head);
		at = at->twin;
	} while (at != first);
}

void kp_head_stop(void)
{
	kp_hub_stop();
	kp_place_stop();
}
