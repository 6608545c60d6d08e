/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dies.h - going through debugging information that may be made to harm.
 *
 * Owns: nothing but the declarations of dies.c.
 */
#ifndef KP_CLI_DIES_H
#define KP_CLI_DIES_H

#include <stdbool.h>
#include <elfutils/libdw.h>

/*
 * Call enter for the entries of a unit; where it returns true for those within, too.
 * depth: 0 for what stands in the unit itself.  False: the unit is damaged or nests
 * too deep, and the rest of it was left out.  Not to be called in enter.
 */
bool dies_walk(Dwarf_Die *unit,
	       bool (*enter)(void *arg, Dwarf_Die *die, unsigned int depth),
	       void *arg);
/* The first entry within die, and the one behind it; false: there is none. */
bool dies_first(Dwarf_Die *die, Dwarf_Die *child);
bool dies_next(Dwarf_Die *child);
/* Where in the source a copy was inlined; as they were when that is not known. */
void dies_call_place(Dwarf_Die *unit, Dwarf_Die *copy, const char **file,
		     int *line);

#endif
