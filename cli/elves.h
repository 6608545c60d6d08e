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
/* A process's objects become modules. */
void elves_report(Dwfl *dwfl, const struct view *view);

#endif
