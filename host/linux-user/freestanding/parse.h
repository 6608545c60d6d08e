/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * parse.h - numbers out of text.
 *
 * Owns: the prototypes of parse.c.
 */
#ifndef KP_USER_PARSE_H
#define KP_USER_PARSE_H

#include "env.h"

/*
 * The number that *text begins with, after blanks: digits of that base; 0: as in C, by "0x"
 * and "0".  *text is moved behind it.  False: there is none, and *text stays; or it does not
 * fit.  Any context.
 */
bool kp_user_parse(const char **text, unsigned int base, uint64_t *value);

#endif
