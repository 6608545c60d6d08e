// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * library.c - the library that belongs to this program.
 *
 * Owns: where libkprobes.so and kprobes.image are found: beside the program, where they are
 * installed, or where KPROBES_LIBRARY and KPROBES_IMAGE say.
 */
#include "attach_cli.h"
#include "cli.h"
#include "object.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In the tree, or where it is installed. */
static const char *beside(const char *name, const char *given, char path[PATH_MAX])
{
	static const char *const places[] = { "", "../lib/", "../lib/" OBJECT_TRIPLET "/" };
	char self[PATH_MAX - 64], joined[PATH_MAX], *slash;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	size_t i;

	if (given && *given)
		return realpath(given, path);
	if (len <= 0)
		return NULL;
	self[len] = 0;
	slash = strrchr(self, '/');
	*slash = 0;
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(joined, sizeof(joined), "%s/%s%s", self, places[i], name);
		if (!access(joined, R_OK))
			return realpath(joined, path);
	}
	return NULL;
}

/* The library beside this program. */
const char *cli_library(void)
{
	static char path[PATH_MAX];

	return beside("libkprobes.so", secure_getenv("KPROBES_LIBRARY"), path);
}

const char *cli_image(void)
{
	static char path[PATH_MAX];

	return beside("kprobes.image", secure_getenv("KPROBES_IMAGE"), path);
}

const char *cli_need_library(void)
{
	const char *path = cli_library();

	if (!path)
		cli_error("libkprobes.so is not beside this program, nor in ../lib; name it in KPROBES_LIBRARY");
	return path;
}
