/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jail.h - reading what may be hostile in a process that can do nothing else.
 *
 * Owns: the prototypes of jail.c, and the requests that the jail can make.
 */
#ifndef KP_CLI_JAIL_H
#define KP_CLI_JAIL_H

#include "cli.h"
#include "view.h"

/*
 * Go on in a child.  True in the child, which is in the jail as soon as it calls
 * jail_close(): it may compute, print, and ask for the files of view.  False in
 * the caller, when the child is done: *status is what it ended with, and what it
 * printed has been printed, or, with take, is there.
 */
bool jail_begin(const struct view *view, struct cli_lines *take, int *status);
bool jail_inside(void);			/* is this the child? */
/* From here on nothing can be opened or changed.  A status, printed. */
int jail_close(void);

/* In the jail: as those of view.h. */
int jail_mapping(uint64_t start);
int jail_build_id(const uint8_t *id, size_t len);
int jail_debuglink(uint64_t start, const char *name, unsigned int place);

#endif
