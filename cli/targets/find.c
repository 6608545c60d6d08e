// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * find.c - probe modules by a short name.
 *
 * Owns: the location of those that came with the command.
 */
#include "cli.h"
#include "object.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Beside the command: as installed, and in the source tree. */
static const char *const places[] = {
	"../lib/kprobes", "../lib/" OBJECT_TRIPLET "/kprobes", "modules",
	"../samples",
};

static bool is_there(char path[PATH_MAX], const char *self,
		     const char *place, const char *name, const char *end)
{
	char joined[PATH_MAX];

	return snprintf(joined, sizeof(joined), "%s/%s/%s%s", self, place, name,
			end) < PATH_MAX && realpath(joined, path);
}

const char *cli_own_module(const char *name)
{
	static char path[PATH_MAX];
	char self[PATH_MAX - 64], *slash;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	size_t i;

	if (len <= 0)
		return NULL;
	self[len] = 0;
	slash = strrchr(self, '/');
	*slash = 0;
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (is_there(path, self, places[i], name, ".so") ||
		    (strstr(name, ".so") &&
		     is_there(path, self, places[i], name, "")))
			return path;
	return NULL;
}

const char *cli_find_module(const char *name)
{
	const char *own = NULL;

	if (!strchr(name, '/') && access(name, F_OK))
		own = cli_own_module(name);
	return own ? own : name;
}
