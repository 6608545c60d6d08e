// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_links.c - names of files that lead to other files.
 *
 * Owns: what the files are called that a script's places name by a link: /usr/bin/redis-server
 * is redis-check-rdb in a process's map. They are looked up before the jail closes, in this
 * command's own root, as a shell would find them.
 *
 * No locks: written once, before the reader begins.
 */
#include "tracing.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As execvp() finds it. */
static char *in_path(const char *name, char found[PATH_MAX])
{
	const char *at = getenv("PATH"), *end;
	char file[PATH_MAX];

	for (; at && *at; at = *end ? end + 1 : end) {
		end = at + strcspn(at, ":");
		if (snprintf(file, sizeof(file), "%.*s/%s", (int)(end - at), at, name) <
			    (int)sizeof(file) &&
		    !access(file, X_OK) && realpath(file, found))
			return found;
	}
	return NULL;
}

const char *links_last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void links_note(struct tracing *t, const char *target)
{
	struct tracing_link *link = &t->links[t->links_nr];
	char found[PATH_MAX];
	bool there = strchr(target, '/') ? realpath(target, found) : in_path(target, found);

	if (!there || t->links_nr == TRACING_LINKS || links_file(t, target) ||
	    !strcmp(links_last_part(target), links_last_part(found)) ||
	    strlen(target) >= sizeof(link->name) ||
	    strlen(links_last_part(found)) >= sizeof(link->file))
		return;
	strcpy(link->name, target);
	strcpy(link->file, links_last_part(found));
	t->links_nr++;
}

const char *links_file(const struct tracing *t, const char *target)
{
	unsigned int i;

	for (i = 0; i < t->links_nr; i++)
		if (!strcmp(t->links[i].name, target))
			return t->links[i].file;
	return NULL;
}
