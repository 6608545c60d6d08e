/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * hub.c - relays to the entry code.
 *
 * Owns: the hubs: pieces of executable memory that lead from heads and slots to the entry code
 * if it is too far away for a call.  Neighbours share a hub.
 *
 * Locks: the registry lock.
 */
#include "hub.h"
#include "place.h"

struct hub {
	struct hub *next;
	uintptr_t at;
	const char *to;
};

static struct hub *hubs;

uintptr_t kp_hub_low(uintptr_t addr, uintptr_t len)
{
	return addr > len ? addr - len : 0;
}

uintptr_t kp_hub_high(uintptr_t addr, uintptr_t len)
{
	return UINTPTR_MAX - addr > len ? addr + len : UINTPTR_MAX;
}

static bool reaches(uintptr_t from, uintptr_t to)
{
	return (from > to ? from - to : to - from) < KP_ARCH_REACH;
}

static uintptr_t hub_make(uintptr_t near, const char *to)
{
	struct kp_place want = {
		.base = near, .near = near, .tries = 4,
		.low = kp_hub_low(near, KP_ARCH_REACH),
		.high = kp_hub_high(near, KP_ARCH_REACH),
	};
	uint8_t image[KP_ARCH_HUB_LEN];
	struct hub *hub = kp_host_alloc(sizeof(*hub));

	if (!hub)
		return 0;
	if (kp_place_take(&want, NULL, &hub->at))
		goto free_hub;
	kp_arch_emit_hub(hub->at, (uintptr_t)to, image);
	if (kp_host_exec_write_later(hub->at, image, sizeof(image)))
		goto put_place;
	hub->to = to;
	hub->next = hubs;
	hubs = hub;
	return hub->at;

put_place:
	kp_place_put(hub->at);
free_hub:
	kp_host_free(hub);
	return 0;
}

/* What code at near calls to get to `to`: that itself, or a hub; 0: neither. */
uintptr_t kp_hub(uintptr_t near, const char *to)
{
	struct hub *hub;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	if (reaches(near, (uintptr_t)to))
		return (uintptr_t)to;
	for (hub = hubs; hub; hub = hub->next)
		if (hub->to == to && reaches(near, hub->at))
			return hub->at;
	return hub_make(near, to);
}

/* Nobody will be there. */
void kp_hub_stop(void)
{
	struct hub *hub;

	while ((hub = hubs)) {
		hubs = hub->next;
		kp_host_free(hub);
	}
}
