/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * functions.h - the code of an ELF file, function by function.
 *
 * Owns: struct object and struct function.
 */
#ifndef KP_COVERAGE_FUNCTIONS_H
#define KP_COVERAGE_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct function {
	uintptr_t addr;		/* as the file says */
	size_t len;		/* its code */
	size_t room;		/* to the next function, or the section's end */
};

struct object {
	const char *path;
	bool fixed;		/* not position independent */
	bool kernel;		/* a Linux kernel; only code that stays */
	uintptr_t start, end;	/* what its segments span */
	struct function *functions;	/* by address, not overlapping */
	size_t functions_nr;
	struct text {
		uintptr_t addr;
		size_t len;
		const uint8_t *bytes;
	} texts[64];
	int texts_nr;
};

/* By symbols and unwind tables.  0, or -1 with a message on stderr. */
int object_open(struct object *object, const char *path);
/* The bytes at addr, and how many there are up to their section's end. */
const uint8_t *object_bytes(const struct object *object, uintptr_t addr,
			    size_t *len);

#endif
