// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * inside.c - what came with the command, where the command is one file.
 *
 * Owns: the engine and the probe modules in it, and the memory file that each becomes when it is
 * first asked for.  Such a file is sealed, and is there as long as this process.  The table is
 * made by tools/install/static.mk: offsets from its own begin, a word each.
 */
#include "cli.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PARTS 16
#define SHOWN "/memfd:"
#define SHOWN_END " (deleted)"

extern const int32_t cli_inside[] __attribute__((visibility("hidden")));

struct part {
	const char *name;
	const char *bytes;
	size_t len;
};

static int files[PARTS];		/* a descriptor and 1; 0: none yet */

/* The i-th; name is NULL behind the last. */
static struct part part(unsigned int i)
{
	const char *base = (const char *)cli_inside;
	const int32_t *entry = &cli_inside[3 * i];

	if (i == PARTS || !entry[0])
		return (struct part){ 0 };
	return (struct part){ base + entry[0], base + entry[1], (size_t)entry[2] };
}

static int memory_file(const struct part *p)
{
	int fd = memfd_create(p->name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 && write(fd, p->bytes, p->len) == (ssize_t)p->len &&
	    !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

const char *cli_module_part(const char *name, const char *end, char path[PATH_MAX])
{
	size_t len = strlen(name);
	struct part p;
	unsigned int i;

	for (i = 0; (p = part(i)).name; i++) {
		if (strncmp(p.name, name, len) || strcmp(p.name + len, end))
			continue;
		if (!files[i])
			files[i] = memory_file(&p) + 1;
		snprintf(path, PATH_MAX, "/proc/self/fd/%d", files[i] - 1);
		return files[i] ? path : NULL;
	}
	return NULL;
}

const char *cli_part(const char *name, char path[PATH_MAX])
{
	return cli_module_part(name, "", path);
}

bool cli_real_path(const char *file, char path[PATH_MAX])
{
	char shown[PATH_MAX];
	ssize_t len = strncmp(file, "/proc/self/fd/", 14) ? 0 : readlink(file, shown, sizeof(shown));
	const size_t begin = sizeof(SHOWN) - 1, end = sizeof(SHOWN_END) - 1;

	if (len <= (ssize_t)(begin + end) || strncmp(shown, SHOWN, begin))
		return realpath(file, path);
	snprintf(path, PATH_MAX, "%.*s", (int)((size_t)len - begin - end), shown + begin);
	return true;
}
