// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * cgroup.c - the processes of a control group, or of a container.
 *
 * Owns: how both are found.  A control group is a folder of the kernel's, and the groups below
 * it belong to it.  A container has one control group, or one at the same place in each
 * hierarchy, whose name contains the container's ID or name.  A container may create and name
 * groups inside its own, so a group at another place belongs to another container.
 */
#include "cli.h"

#include <errno.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ID_LEAST 6			/* digits that stand for an ID */

/* nftw(3) passes nothing on. */
static struct search {
	struct cli_args *args;
	const char *word;		/* of a container */
	char called[256];		/* the folder's name, without where it is */
	char place[4096];		/* ... in its hierarchy */
	char inside[4096];		/* that folder */
	bool alone;			/* there is one hierarchy */
	bool several;
} search;

/* Where control groups are; where docker keeps its containers. */
static const char *root(void)
{
	const char *given = getenv("KPROBES_CGROUP_DIR");

	return given && *given ? given : "/sys/fs/cgroup";
}

static const char *docker(void)
{
	const char *given = getenv("KPROBES_DOCKER_DIR");

	return given && *given ? given : "/var/lib/docker/containers";
}

static bool is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Those in other namespaces than ours are 0. */
static int take_folder(const char *path, const struct stat *st, int kind,
		       struct FTW *where)
{
	char name[4096], line[32];
	FILE *file;

	(void)st;
	(void)where;
	if (kind != FTW_D ||
	    snprintf(name, sizeof(name), "%s/cgroup.procs", path) >= (int)sizeof(name))
		return 0;
	file = fopen(name, "re");
	while (file && fgets(line, sizeof(line), file))
		if (atoi(line) > 0)
			cli_pick_add(search.args, atoi(line));
	if (file)
		fclose(file);
	return 0;
}

static void take_all(const char *path)
{
	nftw(path, take_folder, 16, FTW_PHYS);
}

/* As it is written, or below where control groups are, in each hierarchy. */
static bool take_named(const char *name)
{
	static const char *const places[] = { "%s/%s", "%s/*/%s" };
	char path[4096];
	glob_t found = { 0 };
	bool any = is_folder(name);
	size_t i, k;

	if (any)
		take_all(name);
	for (i = 0; i < 2 && !any; i++) {
		snprintf(path, sizeof(path), places[i], root(), name);
		if (glob(path, 0, NULL, &found))
			continue;
		for (k = 0; k < found.gl_pathc; k++) {
			take_all(found.gl_pathv[k]);
			any = true;
		}
		globfree(&found);
	}
	return any;
}

static int end(struct cli_args *args, int first, const char *what, const char *name)
{
	if (args->pids_nr == first) {
		cli_error("%s %s: no process is in it", what, name);
		return CLI_ABSENT;
	}
	return cli_pick_end(args, first, name);
}

int cli_pick_cgroup(struct cli_args *args, const char *name)
{
	int first = args->pids_nr;

	search = (struct search){ .args = args };
	if (!name || !*name) {
		cli_error("--cgroup takes a control group, as in system.slice/nginx.service");
		return CLI_USAGE;
	}
	if (!take_named(name)) {
		cli_error("there is no control group %s, neither as a path nor below %s",
			  name, root());
		return CLI_ABSENT;
	}
	return end(args, first, "control group", name);
}

/* ---- containers ------------------------------------------------------------------ */

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* "docker-ID.scope", "libpod-ID", "lxc.payload.NAME", "NAME"; an ID may be short. */
static bool names_it(const char *folder, const char *word)
{
	size_t len = strlen(word), i;
	const char *at = folder;
	bool id = len >= ID_LEAST;

	for (i = 0; i < len; i++)
		id &= is_hex(word[i]);
	for (; (at = strstr(at, word)); at++) {
		char before = at > folder ? at[-1] : 0, after = at[len];
		bool begins = !before || strchr("-:.@", before);

		if (begins && ((!after && before) || !strcmp(folder, word) ||
			       (before && after == '.') || (id && is_hex(after))))
			return true;
	}
	return false;
}

static const char *place_of(const char *path)
{
	path += strlen(root());
	while (*path == '/')
		path++;
	return search.alone ? path : strchrnul(path, '/');
}

static int take_container(const char *path, const struct stat *st, int kind,
			  struct FTW *where)
{
	const char *folder = path + where->base;
	size_t len = strlen(search.inside);

	if (len && !strncmp(path, search.inside, len) && path[len] == '/')
		return take_folder(path, st, kind, where);
	if (kind != FTW_D || !names_it(folder, search.word))
		return 0;
	if (search.called[0] && (strcmp(search.called, folder) ||
				 strcmp(search.place, place_of(path))))
		search.several = true;
	snprintf(search.place, sizeof(search.place), "%s", place_of(path));
	snprintf(search.called, sizeof(search.called), "%s", folder);
	snprintf(search.inside, sizeof(search.inside), "%s", path);
	return take_folder(path, st, kind, where);
}

/* docker's own name of a container: its ID, or none. */
static bool docker_id(const char *name, char id[128])
{
	char path[4096], wanted[300], *text = NULL;
	glob_t found = { 0 };
	size_t room = 0, i;
	bool is = false;

	snprintf(path, sizeof(path), "%s/*/config.v2.json", docker());
	snprintf(wanted, sizeof(wanted), "\"Name\":\"/%s\"", name);
	if (glob(path, 0, NULL, &found))
		return false;
	for (i = 0; i < found.gl_pathc && !is; i++) {
		FILE *file = fopen(found.gl_pathv[i], "re");

		is = file && getdelim(&text, &room, 0, file) > 0 &&
		     strstr(text, wanted);
		if (is) {
			char *end = strrchr(found.gl_pathv[i], '/'), *begin;

			*end = 0;
			begin = strrchr(found.gl_pathv[i], '/') + 1;
			snprintf(id, 128, "%s", begin);
		}
		if (file)
			fclose(file);
	}
	free(text);
	globfree(&found);
	return is;
}

int cli_pick_container(struct cli_args *args, const char *name)
{
	char id[128], root_procs[4096];
	int first = args->pids_nr;

	search = (struct search){ .args = args, .word = name };
	if (!name || !*name) {
		cli_error("--container takes a container's name or ID");
		return CLI_USAGE;
	}
	if (docker_id(name, id))
		search.word = id;
	snprintf(root_procs, sizeof(root_procs), "%s/cgroup.procs", root());
	search.alone = !access(root_procs, F_OK);
	nftw(root(), take_container, 16, FTW_PHYS);
	if (!search.called[0]) {
		cli_error("no container is known as %s: give its ID, or its control group with --cgroup",
			  name);
		return CLI_ABSENT;
	}
	if (search.several) {
		cli_error("several containers are known as %s: give more of the ID, or a control group with --cgroup",
			  name);
		return CLI_USAGE;
	}
	return end(args, first, "container", name);
}
