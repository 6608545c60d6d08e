/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A place to execute Arm instructions of both sets in, with all registers given and taken.
 *
 * Owns: memory in which everything is a trap in either set but what a test puts there, so that
 * wherever an instruction goes is seen; a signal handler puts registers in and takes them out.
 * An arm program's, itself of A32.
 */
#ifndef KP_TEST_ARM_SANDBOX_H
#define KP_TEST_ARM_SANDBOX_H

#include "emulate.h"

#define AREA (80u << 20)	/* more than any branch reaches, both ways */
#define PLACE (40u << 20)	/* in it; a page begins there */
#define ELSEWHERE (PLACE + 0x12340)
#define DATA (PLACE + 0x100000)	/* far from what a literal reaches */

extern uint8_t *area;
extern struct kp_arm_regs given, got;
extern uint64_t floats[32];	/* the registers for floating point at each start */
extern int stopped_by;		/* the signal that ended the run */

bool sandbox_start(void);

/* Execute from given on until a signal; then got is. */
void run(void);

/* At an offset in the area, with a trap behind it.  And back. */
void put_insn(size_t at, const struct kp_arm_insn *insn);
void take(size_t at, size_t len);
static inline uint32_t address(size_t at)
{
	return (uintptr_t)area + at;
}

/* All registers but the PC and the set; small numbers and zeros among them. */
void randomize(struct kp_arm_regs *regs, uint64_t *random);

/* Else it is printed where they differ. */
bool same(const struct kp_arm_regs *a, const struct kp_arm_regs *b);

#endif
