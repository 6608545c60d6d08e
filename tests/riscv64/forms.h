/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Instructions at random, of each form that matters to probes, and what they really do.
 *
 * Owns: the forms, and the registers that they find.  A riscv64 program's.
 */
#ifndef KP_TEST_RV_FORMS_H
#define KP_TEST_RV_FORMS_H

#include "sandbox.h"

extern struct kp_rv_insn insn;
extern size_t place;			/* where it was executed; a breakpoint is there now */
extern struct state real;		/* what it made of given */
extern uint64_t random_state;

/* Does it read or write the PC? */
bool goes(void);

/* It, at another place. */
void execute(size_t at);

/*
 * check() with count instructions of each form.  The number of forms that failed; prints a
 * line for each, of name.
 */
size_t check_forms(const char *name, uint64_t count, bool (*check)(void));

#endif
