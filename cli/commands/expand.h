/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * expand.h - places in the parameters of a probe module.
 *
 * Owns: nothing but the declaration of expand.c.
 */
#ifndef KP_CLI_EXPAND_H
#define KP_CLI_EXPAND_H

#include "cli.h"

/* Replace "@PLACE" in the words after the first.  An exit status. */
int cli_expand_params(const struct cli_args *args);

#endif
