/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * numbers.h - between syscalls.c and numbers.c.
 *
 * Owns: nothing but their declarations.
 */
#ifndef KP_USER_NUMBERS_H
#define KP_USER_NUMBERS_H

#include "objects/objects.h"
#include "insn/insn.h"

enum kp_number {
	KP_NUMBER_NO_CALL,	/* not shown to be an instruction that runs */
	KP_NUMBER_HARMLESS,	/* every number that it may be asked for is */
	KP_NUMBER_UNKNOWN,	/* or not harmless */
};

/* What is before a call. */
struct kp_before {
	uintptr_t at;			/* the instruction, or 0 */
	bool alone;			/* only that one leads to the call */
};

enum kp_number kp_user_number(const struct kp_object *object, uintptr_t call,
			      bool (*harmless)(unsigned long nr),
			      struct kp_before *before);
void kp_user_numbers_end(void);		/* of a scan: give memory back */

/*
 * pair.S: where the two bytes follow each other, the first place of
 * [p, end - 1); else end.  Not in a handler: vector registers are used.
 */
const uint8_t *kp_user_find_pair(const uint8_t *p, const uint8_t *end,
				 unsigned int first, unsigned int second);

#endif
