/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * warning.c - what may be wrong with a script that is compiled all the same.
 *
 * Owns: the script's warnings.
 */
#include "front.h"

#include <stdarg.h>
#include <string.h>

void front_warn(struct front *f, struct pos pos, const char *format, ...)
{
	struct trace_script *s = f->script;
	struct trace_error *now;
	va_list args;
	uint32_t i;

	s->warnings = front_room(f, s->warnings, s->warnings_nr, &f->warnings_room,
				 sizeof(*s->warnings));
	va_start(args, format);
	now = &s->warnings[s->warnings_nr];
	front_say(f, now, pos, format, args);
	va_end(args);
	/* A clause is looked at for each kind of its places. */
	for (i = 0; i < s->warnings_nr; i++)
		if (now->line == s->warnings[i].line && now->column == s->warnings[i].column &&
		    !strcmp(now->text, s->warnings[i].text))
			return;
	s->warnings_nr++;
}
