// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * dies.c - walking debugging information that may be malicious.
 *
 * Owns: the walk over entries of debugging information.
 *
 * Invariant: the walk does not recurse and only moves forward, since the nesting and the
 * position of a sibling come from the file.
 */
#include "dies.h"

#include <dwarf.h>

#define DEPTH_MAX 1024

bool dies_first(Dwarf_Die *die, Dwarf_Die *child)
{
	return !dwarf_child(die, child) &&
	       dwarf_dieoffset(child) > dwarf_dieoffset(die);
}

bool dies_next(Dwarf_Die *child)
{
	Dwarf_Off last = dwarf_dieoffset(child);

	return !dwarf_siblingof(child, child) && dwarf_dieoffset(child) > last;
}

/*
 * What nests deeper than any compiler does ends it: finding the way back up would
 * read the rest once for each level.
 */
bool dies_walk(Dwarf_Die *unit,
	       bool (*enter)(void *arg, Dwarf_Die *die, unsigned int depth),
	       void *arg)
{
	static Dwarf_Die path[DEPTH_MAX];
	Dwarf_Off last = 0, off;
	int depth = 0;

	if (dwarf_child(unit, &path[0]))
		return true;
	while (depth >= 0) {
		Dwarf_Die *die = &path[depth];

		off = dwarf_dieoffset(die);
		if (off <= last)
			return false;
		last = off;
		if (enter(arg, die, (unsigned int)depth) &&
		    !dwarf_child(die, &path[depth + 1])) {
			if (++depth == DEPTH_MAX - 1)
				return false;
			continue;
		}
		while (depth >= 0 && dwarf_siblingof(&path[depth], &path[depth]))
			depth--;
	}
	return true;
}

void dies_call_place(Dwarf_Die *unit, Dwarf_Die *copy, const char **file,
		     int *line)
{
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	Dwarf_Word number, at;

	if (dwarf_formudata(dwarf_attr(copy, DW_AT_call_file, &attr),
			    &number) ||
	    dwarf_formudata(dwarf_attr(copy, DW_AT_call_line, &attr), &at) ||
	    dwarf_getsrcfiles(unit, &files, NULL))
		return;
	*file = dwarf_filesrc(files, number, NULL, NULL);
	*line = (int)at;
}
