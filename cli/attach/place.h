/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * place.h - a probe module in a process that has the engine's image.
 *
 * Owns: the prototype of place.c.
 */
#ifndef KP_CLI_PLACE_H
#define KP_CLI_PLACE_H

struct cli_target;

/*
 * Bring the open file into the process, where the next "load" starts it.  file: what it is
 * called.  A status, printed.
 */
int cli_place_module(struct cli_target *target, const char *file, int fd);

#endif
