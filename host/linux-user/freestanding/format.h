/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * format.h - printf for any context.
 *
 * Owns: the prototypes of format.c.
 */
#ifndef KP_USER_FORMAT_H
#define KP_USER_FORMAT_H

#include "env.h"

#include <stdarg.h>

#define KP_SHIM_SYMBOL_MAX 128

/*
 * The symbol at addr and its object ("" for the program), in any
 * context: -EAGAIN when looking it up now would wait or allocate.
 */
struct kp_shim_symbol {
	char name[KP_SHIM_SYMBOL_MAX], object[KP_SHIM_SYMBOL_MAX];
	uintptr_t offset;		/* from its first byte */
	size_t len;
};

/* symbol says what %pS names; NULL: addresses are numbers. */
typedef int (*kp_shim_symbol_fn)(struct kp_shim_symbol *out, uintptr_t addr);
size_t kp_shim_format(char *text, size_t room, const char *fmt, va_list *args,
		      kp_shim_symbol_fn symbol);

/*
 * As snprintf, in the format language of format.c: the length that the text has or would
 * have; what does not fit is left out, and the text is terminated.  Any context.
 */
__attribute__((format(printf, 3, 4)))
size_t kp_user_print(char *text, size_t room, const char *fmt, ...);

#endif
