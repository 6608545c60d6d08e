/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * variants.h - between variants.c and detours.c.
 *
 * Owns: the present trial, its native outcome, and the probe made from it.
 */
#ifndef KP_DIFF_VARIANTS_H
#define KP_DIFF_VARIANTS_H

#include "diff.h"
#include "emit.h"

struct variant {
	const char *name;
	bool emulate, far, stepped;
};

extern const struct trial *trial;
extern struct kp_arch_probe probe;
extern struct outcome native;
extern const struct kp_arch_mem mem;	/* data and stack */

void to_regs(const struct state *s, struct pt_regs *regs);
void from_regs(struct state *s, struct pt_regs *regs);
void reset_memory(const struct areas *a);
/* A trap or a fault at a branch's target: the instruction has completed. */
void settle(struct outcome *o, uintptr_t addr);
const char *compare_memory(const struct areas *a, bool in_slot);
/* Below the red zone a head has pushed that much. */
void forget_pushes(const struct areas *a, size_t len);
bool same_registers(const struct state *a, const struct state *b);
bool can_trace(void);

/* detours.c: in chains, behind jumps, and with the other stepped tail. */
bool detours_agree(const struct areas *a, bool trace);

#endif
