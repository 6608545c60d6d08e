/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * probe.h - how the files of arch/toy read a struct kp_arch_probe.
 *
 * Owns: the form of an instruction that is executed elsewhere (slot.c), and writing a
 * jump or a call.
 */
#ifndef KP_TOY_PROBE_H
#define KP_TOY_PROBE_H

#include "arch.h"
#include "watch.h"

static inline uintptr_t kp_toy_next(const struct kp_arch_probe *ap)
{
	return ap->addr + ap->len;
}

/* Does a jump at from lead to? */
static inline bool kp_toy_reaches(uintptr_t from, uintptr_t to)
{
	return to - from + (1u << 23) < 1u << 24;
}

static inline void kp_toy_put_jump(uint8_t *bytes, uint8_t op, uintptr_t from,
				   uintptr_t to)
{
	uintptr_t distance = to - from;

	bytes[0] = op;
	bytes[1] = (uint8_t)distance;
	bytes[2] = (uint8_t)(distance >> 8);
	bytes[3] = (uint8_t)(distance >> 16);
}

/* What kp_arch_change_of() says. */
extern struct kp_arch_change kp_toy_change;

unsigned int kp_toy_form_len(const struct kp_arch_probe *ap);
/* Does the next instruction follow behind the form's last byte? */
bool kp_toy_form_ends(const struct kp_arch_probe *ap);
/*
 * The form at address at, going on at next or target: false when these are out of reach.
 */
bool kp_toy_put_form(const struct kp_arch_probe *ap, uint8_t *image,
		     uintptr_t at, uintptr_t next, uintptr_t target);
/* The pc stands in the form, off bytes from its beginning, or right behind it. */
void kp_toy_leave_form(const struct kp_arch_probe *ap, struct pt_regs *regs,
		       unsigned int off);

#endif
