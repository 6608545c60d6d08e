// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * frames.c - the source functions that an instruction belongs to.
 *
 * Owns: the way outwards, from an inlined copy to the function that contains it.
 */
#include "dwarf.h"

#include "dies.h"

#include <dwarf.h>

static void line_at(const struct scopes *s, struct names_frame *frame)
{
	Dwfl_Line *line = dwfl_module_getsrc(s->module, s->pc + s->bias);

	if (line)
		frame->file = dwfl_lineinfo(line, NULL, &frame->line, NULL,
					    NULL, NULL);
}

int frames_find(struct names *names, uint64_t addr,
		void (*take)(void *arg, const struct names_frame *frame),
		void *arg)
{
	static struct scopes s;
	struct names_frame frame = { 0 };
	int nr = 0;
	uint32_t i;

	if (!scopes_at(names->own, addr, &s))
		return 0;
	line_at(&s, &frame);
	for (i = s.nr; i-- > s.function;) {
		Dwarf_Die *die = &s.chain[i];

		if (dwarf_tag(die) == DW_TAG_lexical_block)
			continue;
		frame.function = entry_function_name(die);
		frame.inlined = i != s.function;
		take(arg, &frame);
		nr++;
		frame.file = NULL;
		frame.line = 0;
		dies_call_place(&s.unit, die, &frame.file, &frame.line);
	}
	return nr;
}
