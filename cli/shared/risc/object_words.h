/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * object_words.h - programs of arm64, riscv64 and MIPS: of one machine and one set of
 * instructions.
 *
 * Owns: those answers of object.h.
 */
#ifndef KP_CLI_OBJECT_WORDS_H
#define KP_CLI_OBJECT_WORDS_H

#include <stddef.h>

/* Of another machine: which library there is for its programs, if one is.  NULL: none. */
static inline const char *object_library(unsigned int machine)
{
	(void)machine;
	return NULL;
}

/* One instruction set: bit 0 of a symbol says nothing of it, and no marks do. */
#define OBJECT_TWO_SETS 0
#define object_second_flags(start, at) ((void)(start), (void)(at), 0u)

#endif
