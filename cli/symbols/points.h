/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * points.h - what the engine would say of an instruction.
 *
 * Owns: struct point.  The verdict is the engine's own decoder and classifier,
 * linked into the command, on the bytes as they are without probes.
 */
#ifndef KP_CLI_POINTS_H
#define KP_CLI_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols;
struct symbol;

struct point {
	uint64_t addr;
	uint8_t len;
	uint8_t bytes[15];	/* as they are without probes */
	const char *why_not;	/* cannot be probed because; NULL: it can */
	const char *why_slow;	/* no jump because; NULL: a jump is possible */
	bool second;		/* of the second instruction set */
	bool traced;		/* neither: through the function tracer */
	uint8_t bp_len, bp[8];	/* its breakpoint, if it can be probed */
	uint8_t jump_len;	/* bytes of that jump, or 0 */
	uint8_t jump[8];	/* and what is known of them before it is made: */
	uint8_t jump_known[8];	/* the bits of jump[] that are */
};

/* "jump", "breakpoint", "ftrace", or "no", also for NULL. */
const char *points_way(const struct point *point);

/* A function, instruction by instruction. */
struct points {
	struct point *all;
	size_t nr;
	const char *broken;	/* where it ends early, why; else NULL */
};
int points_of(struct points *out, const struct symbols *s,
	      const struct symbol *fn);
void points_free(struct points *points);
/* Where a probe on the function itself goes: past a landing pad. */
const struct point *points_entry(const struct points *points);

#endif
