// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * library.c - the library that belongs to this program.
 *
 * Owns: which libkprobes.so and kprobes.image are used: what came with the program, or what
 * KPROBES_LIBRARY and KPROBES_IMAGE say.
 */
#include "attach_cli.h"
#include "cli.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char *found(const char *name, const char *given, char path[PATH_MAX])
{
	return given && *given ? realpath(given, path) : cli_part(name, path);
}

/* The library beside this program. */
const char *cli_library(void)
{
	static char path[PATH_MAX];

	return found("libkprobes.so", secure_getenv("KPROBES_LIBRARY"), path);
}

bool cli_library_has_name(void)
{
	const char *path = cli_library();

	return !path || strncmp(path, "/proc/self/", 11);
}

const char *cli_image(void)
{
	static char path[PATH_MAX];

	return found("kprobes.image", secure_getenv("KPROBES_IMAGE"), path);
}

const char *cli_need_library(void)
{
	const char *path = cli_library();

	if (!path)
		cli_error("libkprobes.so is not beside this program, nor in ../lib; name it in KPROBES_LIBRARY");
	return path;
}
