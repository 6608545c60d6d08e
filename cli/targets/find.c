// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * find.c - probe modules by a short name.
 *
 * Owns: when one that came with the command is meant.
 */
#include "cli.h"

#include <string.h>
#include <unistd.h>

const char *cli_own_module(const char *name)
{
	static char path[PATH_MAX];
	const char *found = cli_module_part(name, ".so", path);

	return found || !strstr(name, ".so") ? found : cli_module_part(name, "", path);
}

const char *cli_find_module(const char *name)
{
	const char *own = NULL;

	if (!strchr(name, '/') && access(name, F_OK))
		own = cli_own_module(name);
	return own ? own : name;
}
