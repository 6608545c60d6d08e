/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * parse.h - numbers out of text, and text out of numbers.
 *
 * Owns: the prototypes of parse.c, and of format.c as far as the host itself uses it.
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

/*
 * As snprintf, in the format language of format.c: the length that the text has or would
 * have; what does not fit is left out, and the text is terminated.  Any context.
 */
__attribute__((format(printf, 3, 4)))
size_t kp_user_print(char *text, size_t room, const char *fmt, ...);

#endif
