/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A place to execute MIPS instructions in, with all registers given and taken.
 *
 * Owns: memory in which everything is a breakpoint but what a test puts there, so that
 * wherever an instruction goes is seen; a signal handler puts registers in and takes
 * them out.  A MIPS program's.
 */
#ifndef KP_TEST_MIPS_SANDBOX_H
#define KP_TEST_MIPS_SANDBOX_H

#include "env.h"

#define AREA (4u << 20)
#define PLACE (2u << 20)	/* in it */

struct state {
	struct pt_regs regs;	/* without what only a kernel has */
	unsigned long fcsr;
	uint64_t floats[32];
};

extern uint8_t *area;		/* and one as large from which no j leads here */
extern uint8_t *far_area;
extern struct state given, got;
extern int stopped_by;		/* the signal that ended the run */

bool sandbox_start(void);

/* Execute from given on until a signal; then got is. */
void run(void);

/* A word; and back to a breakpoint. */
void put_word(uint8_t *at, uint32_t word);
void take_word(uint8_t *at);

/* All registers but the PC; small numbers and a zero among them. */
void randomize(struct state *state, uint64_t *random);

/* Else it is printed where they differ. */
bool same(const struct state *a, const struct state *b);

#endif
