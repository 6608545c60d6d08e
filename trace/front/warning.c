/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * warning.c - what may be wrong with a script that is compiled all the same.
 *
 * Owns: the script's warnings.
 */
#include "front.h"

#include <stdarg.h>

void warn(struct front *f, struct pos pos, const char *format, ...)
{
	struct trace_script *s = f->script;
	va_list args;

	s->warnings = get_room(f, s->warnings, s->warnings_nr, &f->warnings_room,
			       sizeof(*s->warnings));
	va_start(args, format);
	front_say(f, &s->warnings[s->warnings_nr++], pos, format, args);
	va_end(args);
}
