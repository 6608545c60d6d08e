/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gopcln.h - the table in which Go's runtime finds its functions.
 *
 * Owns: struct kp_gopcln.  The table is in each Go program, and strip(1) leaves it.
 * The engine reads it where it is loaded, the command in the file, as hostile bytes.
 * They stay the caller's, and have to stay.
 */
#ifndef KP_GOPCLN_H
#define KP_GOPCLN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kp_gopcln {
	const uint8_t *bytes;
	size_t len;
	uint32_t nr;			/* of functions, by address */
	bool by_offset;			/* since 1.18 places count from text */
	uint64_t text;
	/* Parts of the table: names, depths, and where functions count from. */
	size_t names, depths, functions;
	size_t index;			/* of functions: places, then where each is */
	size_t steps;			/* how many more stretches are looked at */
};

struct kp_gopcln_function {
	const char *name;
	uint64_t start, end;		/* as linked; up to the next function */
	size_t depths;			/* for kp_gopcln_depths() */
};

/* False: it is none, or of a version of Go that is not known. */
bool kp_gopcln_open(struct kp_gopcln *table, const uint8_t *bytes, size_t len);
/* The same anywhere in bytes: a linker may have put it among other things. */
bool kp_gopcln_search(struct kp_gopcln *table, const uint8_t *bytes, size_t len);
/* One by its number; false: damaged. */
bool kp_gopcln_function(const struct kp_gopcln *table, uint32_t number,
		     struct kp_gopcln_function *fn);
/*
 * Call take (or nothing: NULL) for each stretch of a function in which the stack
 * pointer is as far below the return address: depth bytes.  Where the last one ends:
 * there the function does; what is behind it fills up.
 */
uint64_t kp_gopcln_depths(struct kp_gopcln *table,
			  const struct kp_gopcln_function *fn,
			  void (*take)(void *arg, uint64_t start, uint64_t end,
				       int64_t depth),
			  void *arg);

#endif
