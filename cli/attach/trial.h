/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trial.h - a probe module is tried before it enters a process.
 *
 * Owns: the declarations of trial.c and confine.c.
 */
#ifndef KP_CLI_TRIAL_H
#define KP_CLI_TRIAL_H

#include <stdbool.h>

/*
 * Would loading this file with these parameters end or hang a process?  A
 * status, printed.  What is wrong in any other way is left to the target.
 */
int cli_trial(const char *file, char *const *params);

/* confine.c: take the right to change anything from this process. */
bool cli_confine(void);

#endif
