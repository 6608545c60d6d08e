/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * copies.h - what compilers append to a function's name.
 *
 * Owns: nothing but the declarations of copies.c.
 */
#ifndef KP_CLI_COPIES_H
#define KP_CLI_COPIES_H

#include <stdbool.h>
#include <stddef.h>

/* ".constprop.0.isra.0": is text nothing but endings?  *part: the name is of a part only. */
bool copies_is_ending(const char *text, bool *part);
/* How long the name is that the source has; all of it where nothing was appended. */
size_t copies_base(const char *name, bool *part);

#endif
