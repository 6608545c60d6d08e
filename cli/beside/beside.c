// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * beside.c - what came with the command: the engine, and probe modules.
 *
 * Owns: where they are, as installed and in the source tree.  The command that is one file has
 * cli/onefile/ instead.
 */
#include "cli.h"
#include "object.h"

#include <stdlib.h>

/* From the program's folder on. */
static const char *const engines[] = { "", "../lib/", "../lib/" OBJECT_TRIPLET "/", NULL };
static const char *const modules[] = {
	"../lib/kprobes/", "../lib/" OBJECT_TRIPLET "/kprobes/", "modules/", "../samples/", NULL,
};

const char *cli_part(const char *name, char path[PATH_MAX])
{
	return cli_near(engines, name, "", path);
}

const char *cli_module_part(const char *name, const char *end, char path[PATH_MAX])
{
	return cli_near(modules, name, end, path);
}

bool cli_real_path(const char *file, char path[PATH_MAX])
{
	return realpath(file, path);
}
