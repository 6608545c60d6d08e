/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * place.h - executable memory in pieces as long as a head.
 */
#ifndef KP_CORE_PLACE_H
#define KP_CORE_PLACE_H

#include "site.h"

struct kp_place {
	uintptr_t base;			/* as in struct kp_arch_jump */
	uint32_t value, mask;
	uintptr_t low, high;		/* the piece starts there */
	uintptr_t near;			/* and here, if possible */
	unsigned int tries;		/* how often to ask for memory; counts */
};
int kp_place_take(struct kp_place *want, struct kp_site *owner, uintptr_t *out);
void kp_place_put(uintptr_t at);
struct kp_site *kp_place_owner(uintptr_t ip, uintptr_t *start);	/* any */
bool kp_place_has(uintptr_t ip);				/* any */
int kp_place_wait(void);
void kp_place_drop(void);			/* what has no piece */
bool kp_place_empty(uintptr_t ip);
void kp_place_each(void (*each)(void *arg, uintptr_t base, size_t len),
		   void *arg);
void kp_place_stop(void);

#endif
