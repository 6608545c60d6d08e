// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * beside.c - what came with the command: the engine, and probe modules.
 *
 * Owns: where they are, as installed and in the source tree.  The command that is one file has
 * cli/onefile/ instead.
 */
#include "cli.h"
#include "object.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* From the program's folder on. */
static const char *const engines[] = { "", "../lib/", "../lib/" OBJECT_TRIPLET "/", NULL };
static const char *const modules[] = {
	"../lib/kprobes/", "../lib/" OBJECT_TRIPLET "/kprobes/", "modules/", "../samples/", NULL,
};

static const char *find(const char *const *place, const char *name, const char *end,
			char path[PATH_MAX])
{
	char self[PATH_MAX - 64], joined[PATH_MAX], *slash;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len <= 0)
		return NULL;
	self[len] = 0;
	slash = strrchr(self, '/');
	*slash = 0;
	for (; *place; place++)
		if (snprintf(joined, sizeof(joined), "%s/%s%s%s", self, *place, name, end) < PATH_MAX &&
		    !access(joined, R_OK))
			return realpath(joined, path);
	return NULL;
}

const char *cli_part(const char *name, char path[PATH_MAX])
{
	return find(engines, name, "", path);
}

const char *cli_own_module(const char *name)
{
	static char path[PATH_MAX];
	const char *found = find(modules, name, ".so", path);

	return found || !strstr(name, ".so") ? found : find(modules, name, "", path);
}

bool cli_real_path(const char *file, char path[PATH_MAX])
{
	return realpath(file, path);
}
