/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A place to execute riscv64 instructions in, with all registers given and taken.
 *
 * Owns: memory in which everything is a breakpoint but what a test puts there, so that
 * wherever an instruction goes is seen; a signal handler puts registers in and takes
 * them out.  A riscv64 program's.
 */
#ifndef KP_TEST_RV_SANDBOX_H
#define KP_TEST_RV_SANDBOX_H

#include "emulate.h"

#define AREA (4u << 20)
#define PLACE (2u << 20)	/* in it; a page begins there */
#define ELSEWHERE (PLACE + 0x1230)

struct state {
	struct kp_rv_regs regs;
	uint64_t floats[32];
};

extern uint8_t *area;
extern struct state given, got;
extern int stopped_by;		/* the signal that ended the run */

bool sandbox_start(void);

/* Execute from given on until a signal; then got is. */
void run(void);

/* At an offset in the area, as long as it is; and back to breakpoints. */
void put_insn(size_t at, uint32_t word);
void take_insn(size_t at);
static inline uint64_t address(size_t at)
{
	return (uintptr_t)area + at;
}

/* All registers but the PC; small numbers and a zero among them. */
void randomize(struct state *state, uint64_t *random);

/* Else it is printed where they differ. */
bool same(const struct state *a, const struct state *b);

#endif
