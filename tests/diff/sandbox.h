/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sandbox.h - run one instruction from a chosen machine state.
 *
 * Owns: the memory that instructions under test may touch, and the signal
 * handler that loads a state, and captures the one that the next trap or fault
 * finds.  All code memory is filled with int3, so whatever an instruction does,
 * a signal follows it.
 */
#ifndef KP_DIFF_SANDBOX_H
#define KP_DIFF_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XSAVE_MAX 4096

struct state {
	uint64_t gpr[16];		/* by the hardware's numbers */
	uint64_t ip, flags;
	uint8_t fp[XSAVE_MAX];		/* XSAVE, standard format */
};

struct outcome {
	int sig;
	uint64_t trapno, err, cr2;
	struct state at;
};

/* Two sets of areas: above 4 GiB, and below for 32-bit addresses. */
enum { HIGH, LOW, SETS };
#define CODE_LEN	0x10000
#define INSN_OFF	0x8000		/* where the instruction stands in code */
#define DATA_LEN	0x1000
#define STACK_LEN	0x1000

struct areas {
	uintptr_t code;
	uintptr_t slot;			/* within reach of all */
	uintptr_t data;
	uintptr_t stack;
};
extern struct areas areas[SETS];
extern uintptr_t far_slot;		/* within reach of none */

/* Called after each single step; true: go on. */
typedef bool (*step_fn)(struct state *now);

void sandbox_init(void);
/* Run from before until something happens.  step: trace with TF, or NULL. */
void sandbox_run(const struct state *before, struct outcome *after,
		 step_fn step);
/* Is [addr, addr+len) data or stack of a set? */
bool sandbox_owns(uintptr_t addr, size_t len);
/* Bytes of the XSAVE area that are loaded and compared. */
size_t sandbox_fp_len(void);
/* The state components that may be loaded. */
uint64_t sandbox_fp_features(void);
/* Where component nr lies; false when there is none. */
bool sandbox_fp_component(unsigned int nr, size_t *off, size_t *len);

#endif
