/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * diff.h - between the parts of the differential execution test.
 *
 * Owns: struct trial, one instruction in one machine state.
 */
#ifndef KP_DIFF_H
#define KP_DIFF_H

#include "arch.h"
#include "insn/insn.h"
#include "sandbox.h"

struct trial {
	const char *name;
	int set;			/* HIGH or LOW */
	uint8_t bytes[KP_INSN_MAX];	/* operands may have been moved */
	struct kp_insn insn;
	struct state before;
	uint8_t data[DATA_LEN], stack[STACK_LEN];	/* memory before */
};

struct counts {
	unsigned long forms, trials, runs, faults, steps, jumps;
	unsigned long undecodable, refused, far_refused, skipped, invalid;
	unsigned long failures;
};
extern struct counts counts;

/* seed.c: a reproducible random source, and states. */
void seed_set(uint64_t seed);
uint64_t seed_next(void);
/*
 * What is tried in between draws from a source of its own, so that how much it
 * draws, which may depend on free addresses, changes nothing afterwards.
 */
uint64_t seed_fork(uint64_t nr);
void seed_join(uint64_t parent);
/* True with probability 1 in n. */
bool seed_one_in(unsigned int n);
/*
 * Prepare a trial of the instruction.  false: it cannot be run here (it would
 * branch into itself, or reach for the thread's own memory).
 */
bool seed_trial(struct trial *t, const char *name, const uint8_t *bytes,
		size_t len);

/* variants.c: run it natively and in every other way; false: they differ. */
bool variants_agree(const struct trial *t, bool trace);

/* main.c: another effect each time, or one that outlives the run? */
bool diff_unrepeatable(const struct kp_insn *insn);

/* sequences.c: what stands at the start of bytes, natively and in chains. */
void sequences_try(const uint8_t *bytes, size_t avail);

/* compare.c: what differs first, or NULL. */
const char *compare_outcomes(const struct trial *t, const struct outcome *want,
			     const struct outcome *got);
void compare_print(const struct trial *t, const char *variant,
		   const char *what, const struct outcome *want,
		   const struct outcome *got);

#endif
