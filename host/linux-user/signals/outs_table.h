/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * outs_table.h - what each system call writes, as a table says it.
 *
 * Owns: the form of a row.  outs.c applies it to a call.
 */
#ifndef KP_USER_OUTS_TABLE_H
#define KP_USER_OUTS_TABLE_H

#include "env.h"

enum kp_outs_how {
	END,
	BYTES,				/* n of them */
	LEN,				/* as many as argument n says */
	RESULT,				/* ditto, and of those as many as the result says */
	TIMES,				/* element size in the high byte, argument n */
	BITS,				/* as many as argument 0 says, in long words */
	SOCKLEN,			/* as argument n points at */
	VECTOR,				/* struct iovec, as many as argument n says */
	MESSAGE,			/* struct msghdr */
	MESSAGES,			/* struct mmsghdr, as many as argument n says */
};

struct kp_outs_row {
	uint16_t nr;
	struct {
		uint8_t arg, how;
		uint16_t n;
	} outs[3];
};

#define TIMES_OF(size, arg) ((size) << 8 | (arg))

/* outs_table.c */
void kp_user_outs_init(void);
bool kp_user_outs_none(unsigned long nr);	/* surely nothing, by its number; any context */
const struct kp_outs_row *kp_user_outs_row(unsigned long nr);	/* NULL: it is not listed; any context */
extern const struct kp_outs_row kp_user_outs_nothing;	/* of a call that writes nothing */

#endif
