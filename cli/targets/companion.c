// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * companion.c - programs of 32 bits, for which there is another command.
 *
 * Owns: which one that is, beside this one: kprobes-i386 and the like, one static file
 * (tools/install/static.mk).  It is executed in the place of this one, with the same words.
 *
 * Where it is not there, or processes of both kinds are selected, this one goes on, and says
 * for which of them it cannot.
 */
#include "attach_cli.h"
#include "cli.h"
#include "object.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Installed; and in the source tree. */
static const char *const places[] = { "kprobes-", NULL };
static const char *const built[] = { "", NULL };

/* The processor of them all, as make ARCH=... names it; NULL: this command's, or several. */
static const char *owner(const struct cli_args *args)
{
	const char *whose = NULL, *one;
	int i;

	for (i = 0; i < args->pids_nr; i++) {
		one = object_library(process_machine(args->pids[i]));
		if (!one || (i && one != whose))
			return NULL;
		whose = one;
	}
	return whose;
}

void cli_companion(const struct cli_args *args, char **argv)
{
	const char *whose = owner(args), *path;
	char text[PATH_MAX];

	if (!whose)
		return;
	path = cli_near(places, whose, "", text);
	if (!path)
		path = cli_near(built, whose, "/kprobes-static", text);
	if (!path)
		return;
	/* They name this one's. */
	unsetenv("KPROBES_LIBRARY");
	unsetenv("KPROBES_IMAGE");
	execv(path, argv);
}
