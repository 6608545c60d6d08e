/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Instructions of both sets, made at random by their forms, and executed for real.
 */
#ifndef KP_TEST_ARM_FORMS_H
#define KP_TEST_ARM_FORMS_H

#include "sandbox.h"

extern struct kp_arm_insn insn;
extern size_t place;			/* where it was executed; a trap is there now */
extern struct kp_arm_regs real;		/* what it made of given */
extern uint64_t random_state;

/* It, at another place; given is changed to that. */
void execute(size_t at);

/* What it wrote to memory is as it was; then memory is as before it. */
bool same_stores(void);
void undo_stores(void);

/*
 * check() with count instructions of each form.  The number of forms that failed; prints a
 * line for each, of name.
 */
size_t check_forms(const char *name, uint64_t count, bool (*check)(void));

#endif
