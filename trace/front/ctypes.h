/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ctypes.h - what the files of C's types share.
 *
 * Owns: struct ctype_layout, a structure while its fields are placed.
 */
#ifndef KT_CTYPES_H
#define KT_CTYPES_H

#include "parse.h"

#define CTYPE_DEPTH 16
#define CTYPE_SIZE (1u << 30)

struct ctype_layout {
	struct cfield *fields;
	uint32_t nr, room;
	uint64_t size;			/* by now */
	uint64_t bits;			/* of it; behind the last bit-field */
	uint32_t align;
	bool is_union, packed;
};

/* ctypes.c: a type of the script's own, or NULL. */
const struct ctype *ctype_own(struct front *f, const char *name);
void ctype_add(struct front *f, const char *name, const struct ctype *type);

/* ctypes_layout.c: the next field; is_bits: it is a bit-field; least: its alignment at least. */
void ctype_place_field(struct lex *lex, struct ctype_layout *l, struct cfield field,
		       bool is_bits, uint32_t least, struct pos pos);

#endif
