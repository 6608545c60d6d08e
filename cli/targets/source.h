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
#include "view.h"

/*
 * -b FILE, -p PID, or the kernel.  A status; s is open when it is 0.  Returns in
 * the jail, unless it is the kernel: from then on only to print is possible.
 */
int cli_source_open(struct symbols *s, const struct cli_args *args);
/*
 * The same in two steps, for who makes the jail: before it, and in it; the
 * latter also where it is closed already.
 */
int cli_source_view(struct view *view, const struct cli_args *args);
int cli_source_read(struct symbols *s, const struct view *view);
int cli_source_read_more(struct symbols *s, const struct view *view);
bool cli_source_is_kernel(const struct view *view);
/* Print s->error, close; the status for err. */
int cli_source_failed(struct symbols *s, int err);

#endif
