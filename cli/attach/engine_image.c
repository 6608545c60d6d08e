// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * engine_image.c - the engine's image, in its file and in processes.
 *
 * Owns: reading it, once, and the proof that all of it is mapped in a process.  It is found there
 * by the name of its memory, which anybody may choose: before anything is executed, prove.c
 * compares its code.
 */
#include "engine.h"
#include "cli.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX (64l << 20)

/* ---- the file ------------------------------------------------------------------------ */

static uint8_t *read_whole(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint8_t *bytes = NULL;
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && st.st_size > 0 && st.st_size < FILE_MAX)
		bytes = malloc((size_t)st.st_size);
	if (bytes && pread(fd, bytes, (size_t)st.st_size, 0) != st.st_size) {
		free(bytes);
		bytes = NULL;
	}
	if (bytes)
		*len = (size_t)st.st_size;
	if (fd >= 0)
		close(fd);
	return bytes;
}

/* Does it need anything of who loads it? */
static const char *needs(const struct image *image)
{
	struct image copy;
	const char *missing;

	if (!image_copy(&copy, image))
		return "there is no memory for it";
	missing = image_relocate(&copy, 0, NULL, NULL);
	image_end(&copy);
	return missing;
}

static const char *load(const char *path, struct image *image)
{
	const char *wrong;
	size_t len = 0;
	uint8_t *bytes = read_whole(path, &len);

	if (!bytes)
		return "it cannot be read";
	wrong = image_read(image, bytes, len);
	free(bytes);
	if (wrong)
		return wrong;
	wrong = image->entry ? needs(image) : "it has no entry";
	if (wrong)
		image_end(image);
	return wrong;
}

const struct image *engine_image(void)
{
	static struct image image;
	static bool tried;
	const char *path = cli_image(), *wrong;

	if (!tried && path) {
		wrong = load(path, &image);
		/* Whoever names one wants to know. */
		if (wrong && secure_getenv("KPROBES_IMAGE"))
			cli_error("%s cannot be brought into a process: %s", path, wrong);
	}
	tried = true;
	return image.bytes ? &image : NULL;
}

/* ---- finding it ------------------------------------------------------------------------ */

uint64_t engine_begin(const struct remote *remote)
{
	size_t i;

	for (i = 0; i < remote->maps_nr; i++)
		if (!strcmp(remote->maps[i].path, ENGINE_PATH))
			return remote->maps[i].start - remote->maps[i].offset;
	return 0;
}

static bool is_part(const struct remote *remote, uint64_t base, const struct image_part *part)
{
	uint64_t at = base + part->from, end = at + part->len;
	const struct remote_map *map;

	for (; at < end; at = map->end) {
		map = remote_map_at(remote, at);
		if (!map || strcmp(map->path, ENGINE_PATH) || map->shared ||
		    map->start - map->offset != base ||
		    map->read != !!(part->prot & PROT_READ) ||
		    map->write != !!(part->prot & PROT_WRITE) ||
		    map->exec != !!(part->prot & PROT_EXEC))
			return false;
	}
	return true;
}

bool engine_is_whole(const struct remote *remote)
{
	const struct image *image = engine_image();
	uint64_t base = engine_begin(remote);
	unsigned int i;

	for (i = 0; image && i < image->parts_nr; i++)
		if (!is_part(remote, base, &image->parts[i]))
			return false;
	return image && base;
}
