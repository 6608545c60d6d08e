// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * library.c - the library that belongs to this program.
 *
 * Owns: where libkprobes.so is found: beside the program, where it is installed, or where
 * KPROBES_LIBRARY says.
 */
#include "attach_cli.h"
#include "cli.h"
#include "object.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The library beside this program: in the tree, or where it is installed. */
const char *cli_library(void)
{
	static char path[PATH_MAX];
	static const char *const places[] = {
		"libkprobes.so", "../lib/libkprobes.so",
		"../lib/" OBJECT_TRIPLET "/libkprobes.so",
	};
	char self[PATH_MAX - 64], joined[PATH_MAX], *slash;
	const char *given = secure_getenv("KPROBES_LIBRARY");
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
		snprintf(joined, sizeof(joined), "%s/%s", self, places[i]);
		if (!access(joined, R_OK))
			return realpath(joined, path);
	}
	return NULL;
}

const char *cli_need_library(void)
{
	const char *path = cli_library();

	if (!path)
		cli_error("libkprobes.so is not beside this program, nor in ../lib; name it in KPROBES_LIBRARY");
	return path;
}
