/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Instructions at random, of each form that matters to probes, and what they really do.
 *
 * Owns: the forms, the registers and the stack that they find, and the comparison with
 * the real execution.  An arm64 program's.
 */
#ifndef KP_TEST_A64_FORMS_H
#define KP_TEST_A64_FORMS_H

#include "outofline.h"
#include "sandbox.h"

#define SLOT (PLACE + 0x2000)
#define POST (PLACE + 0x40000)
#define STACK (PLACE + 0x8000)		/* words that no other test writes */
#define STACK_LEN 0x6000
#define ABOVE 0x400			/* of it, above the stack pointer */

extern struct kp_arch_probe probe;	/* at PLACE, prepared */
extern struct state real;		/* what it made of given */
extern int real_signal;
extern const struct kp_arch_mem mem;
extern uint64_t random_state;

static inline struct pt_regs *regs_of(struct state *state)
{
	return (struct pt_regs *)&state->regs;
}

/* Does it go where a register says? */
bool is_indirect(const struct kp_a64_insn *insn);

/* The stack as it was before, in the sandbox, for one more run. */
void put_stack(void);

/* Run on from the registers got. */
void run_on(void);

/* Are registers and stack as after the real execution?  Else it is printed, of what. */
bool agrees(const char *what);

/*
 * check() with count instructions of each form: probe, given, real are set, and at PLACE
 * is a breakpoint.  The number of forms that failed; prints a line for each, of name.
 */
size_t check_forms(const char *name, uint64_t count, bool (*check)(void));

#endif
