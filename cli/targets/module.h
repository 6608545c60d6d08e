/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * module.h - kernel modules: in and out.
 *
 * Owns: nothing but the declarations of module.c.  All return an exit status
 * and say what is wrong.
 */
#ifndef KP_CLI_MODULE_H
#define KP_CLI_MODULE_H

#include <stdbool.h>

/* params: "name=value", NULL-terminated. */
int cli_module_load(const char *file, char *const *params);
/* By file or by name. */
int cli_module_unload(const char *file);
/* "kprobes", "kprobes_trace" for the running kernel, wherever it is installed. */
int cli_module_load_own(const char *name);
/* Would it be found? */
bool cli_module_has_own(const char *name);

#endif
