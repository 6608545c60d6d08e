/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * numbers.h - what syscalls.c asks of a processor about the calls in code.
 *
 * Owns: the questions; numbers.c in the processor's folder has the answers.  All text that
 * is asked about is readable, and [start, end) is a function.
 */
#ifndef KP_USER_NUMBERS_H
#define KP_USER_NUMBERS_H

#include "objects/objects.h"

/* Does what stands there look like a system call's instruction? */
bool kp_number_wanted(uintptr_t addr);
enum kp_number {
	KP_NUMBER_NO_CALL,		/* it may be no instruction at all */
	KP_NUMBER_DATA,			/* it is none */
	KP_NUMBER_KNOWN,		/* the one that it can have: straight code sets it */
	KP_NUMBER_ANY,
};
enum kp_number kp_number_of(uintptr_t start, uintptr_t end, uintptr_t call,
			    unsigned long *nr);
/* The same where no description for unwinders tells of a function; asked in order. */
enum kp_number kp_number_outside(struct kp_object *object, uintptr_t begin,
				 uintptr_t call, unsigned long *nr);
/* Is that one left alone in this object? */
bool kp_number_spared(const struct kp_object *object, unsigned long nr);
void kp_number_end(void);		/* of asking about an object */
/* Code beside it that makes the call and goes on behind it.  0 or -errno. */
int kp_number_stub(uintptr_t call, uintptr_t *stub);
/* Calls of other text than objects' that are to be watched, before all others: until 0. */
uintptr_t kp_number_more(unsigned int nth);

#endif
