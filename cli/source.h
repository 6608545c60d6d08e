/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * source.h - whose functions a command line means.
 *
 * Owns: nothing but the declarations of source.c.
 */
#ifndef KP_CLI_SOURCE_H
#define KP_CLI_SOURCE_H

#include "cli.h"
#include "symbols.h"

/* -b FILE, -p PID, or the kernel.  A status; s is open when it is 0. */
int cli_source_open(struct symbols *s, const struct cli_args *args);
/* Print s->error, close; the status for err. */
int cli_source_failed(struct symbols *s, int err);

#endif
