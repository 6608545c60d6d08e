// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * links.c - names of files that lead to other files.
 *
 * Owns: what the files are called that places name by a link: /usr/bin/redis-server is
 * redis-check-rdb in a process's map. They are looked up before the jail closes, in this
 * command's own root, as a shell would find them.
 *
 * No locks: written before the jail closes, read behind that.
 */
#include "links.h"
#include "symbols.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINKS_MAX 16

static struct link {
	char name[256], file[256];	/* as it is written; what it leads to */
} links[LINKS_MAX];
static unsigned int links_nr;

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

void links_note(const char *target)
{
	struct link *link = &links[links_nr];
	char found[PATH_MAX];
	bool there = (!strchr(target, '/') && in_path(target, found)) || realpath(target, found);

	if (!there || links_nr == LINKS_MAX || links_file(target) ||
	    !strcmp(links_last_part(target), links_last_part(found)) ||
	    strlen(target) >= sizeof(link->name) ||
	    strlen(links_last_part(found)) >= sizeof(link->file))
		return;
	strcpy(link->name, target);
	strcpy(link->file, links_last_part(found));
	links_nr++;
}

void links_note_place(const char *where)
{
	const char *end = demangle_owner_end(where);
	char owner[PATH_MAX];

	if (!end || end - where >= (int)sizeof(owner))
		return;
	snprintf(owner, sizeof(owner), "%.*s", (int)(end - where), where);
	links_note(owner);
}

const char *links_file(const char *target)
{
	unsigned int i;

	for (i = 0; i < links_nr; i++)
		if (!strcmp(links[i].name, target))
			return links[i].file;
	return NULL;
}
