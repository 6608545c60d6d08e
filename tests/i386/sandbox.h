/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A place to execute 32-bit instructions in, one by one, with all registers given and taken.
 *
 * Owns: code in which everything is a breakpoint but what a test puts there, data, a stack
 * and a hole, each at an address of which no sum with another, multiplied as an index may
 * be, is in the program; and a signal handler that puts registers in and takes them out.
 */
#ifndef KP_TEST_I386_SANDBOX_H
#define KP_TEST_I386_SANDBOX_H

#include "arch.h"

#define PLACE 0x20000800ul	/* the instruction */
#define SLOT_NEAR 0x20001000ul
#define SLOT_FAR 0xa0001000ul
#define DATA 0x20010000ul
#define STACK 0x20020000ul
#define HOLE 0x60000000ul
#define PAGE 4096u
#define MIDDLE (PAGE / 2)
#define FLOATS_LEN 288		/* st0 to st7, xmm0 to xmm7, as fxsave has them */

struct state {
	struct pt_regs regs;
	uint8_t floats[FLOATS_LEN];
	uint8_t data[PAGE], stack[PAGE];
	int signal;		/* that ended the run: SIGTRAP, or a fault's */
};

extern struct state given, got;

bool sandbox_start(void);

/*
 * From given on, a step after the other, until one of these: go_on says no, a breakpoint,
 * a fault.  Then got is.
 */
void run(bool (*go_on)(const struct pt_regs *regs));

/* Is it what a program of the sandbox may read, or write? */
int sandbox_read(uintptr_t addr, void *dst, size_t len);
int sandbox_write(uintptr_t addr, const void *src, size_t len);

#endif
