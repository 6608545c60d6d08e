/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ctypes.h - what the two files of C's types share.
 *
 * Owns: nothing but their declarations.
 */
#ifndef KT_CTYPES_H
#define KT_CTYPES_H

#include "parse.h"

#define CTYPE_DEPTH 16

/* ctypes.c.  A type without its stars; depth: -1: no definitions. */
const struct ctype *ctype_base(struct lex *lex, int depth);
const struct ctype *ctype_stars(struct lex *lex, const struct ctype *c);
void ctype_add(struct front *f, const char *name, const struct ctype *type);

/* ctypes_define.c: "{ ... }" of c, whose incomplete says that it is a union. */
const struct ctype *ctype_body(struct lex *lex, struct ctype *c, int depth);

#endif
