/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * elves.h - the ELF files of a view, for libdwfl.
 *
 * Owns: the prototypes of elves.c.
 */
#ifndef KP_CLI_ELVES_H
#define KP_CLI_ELVES_H

#include <elfutils/libdwfl.h>

#include "view.h"

/* In the jail.  NULL: no memory. */
Dwfl *elves_begin(const struct view *view);
/*
 * Files that processes may open later, with what they contain: they become modules, too, at
 * addresses that no process has (later.h).  They stay.  Before the jail closes.
 */
struct elves_file {
	const char *path;
	char *image;
	size_t len;
	uint64_t base;
	uint64_t ino, dev;
};
void elves_know(const struct elves_file *files, unsigned int nr);
bool elves_is_later(uint64_t start);
/* Has the process that file, however it is named? */
bool elves_is_mapped(const struct view *view, uint64_t ino, const char *path);
/* A process's objects become modules. */
void elves_report(Dwfl *dwfl, const struct view *view);

#endif
