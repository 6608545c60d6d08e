// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * near.c - files near this program's own.
 *
 * Owns: where that is.
 */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *cli_near(const char *const *place, const char *name, const char *end,
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
