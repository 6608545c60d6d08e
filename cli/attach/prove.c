// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * prove.c - whether the library in a process is the one that we know.
 *
 * Owns: the proof that is needed before a call is injected into it.  Any memory may contain a
 * symbol of the right name and a magic number.  So
 *   - the functions have to be in read-only executable memory of the file that
 *     contains the surface;
 *   - if that file is a library, the memory has to equal our own library, byte
 *     for byte (the engine never probes itself).
 * A program that is linked with the library has different bytes.  Then the first point has to
 * do, and the surface has to be the program's own symbol.
 */
#include "attach_cli.h"
#include "cli.h"
#include "engine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static bool same_file(const struct remote_map *a, const struct remote_map *b)
{
	return a->ino && a->ino == b->ino && a->dev == b->dev &&
	       !strcmp(a->path, b->path);
}

/* The executable mapping that holds fn, of the surface's own file. */
static const struct remote_map *text_of(const struct process *process,
					const struct remote_map *home,
					uint64_t fn)
{
	const struct remote_map *map = remote_map_at(&process->remote, fn);

	return map && map->exec && !map->write && !map->shared &&
	       same_file(map, home) ? map : NULL;
}

static bool is_program(const struct process *process,
		       const struct remote_map *home)
{
	char path[64], target[4096];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)process->remote.pid);
	len = readlink(path, target, sizeof(target) - 1);
	target[len > 0 ? len : 0] = 0;
	return !strcmp(target, home->path);
}

static bool same_bytes(const struct process *process,
		       const struct remote_map *map)
{
	size_t len = (size_t)(map->end - map->start);
	const char *path = cli_library();
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	char *ours = NULL, *there = NULL;
	ssize_t got = -1;
	bool same;

	if (fd >= 0 && len <= 64u << 20) {
		ours = calloc(1, len);
		there = malloc(len);
	}
	if (ours && there)
		got = pread(fd, ours, len, (off_t)map->offset);
	/* The last page ends with what the file holds behind it, or nothing. */
	same = got > 0 && len - (size_t)got < 4096 &&
	       !remote_read(&process->remote, map->start, there, len) &&
	       !memcmp(ours, there, len);
	free(ours);
	free(there);
	if (fd >= 0)
		close(fd);
	return same;
}

/* What the command has put there itself: its code is not relocated. */
static bool is_our_image(const struct process *process)
{
	uint64_t base = engine_begin(&process->remote);
	const struct image *image = engine_image();
	uint8_t *there = image ? malloc(image->len) : NULL;
	bool same = there && engine_is_whole(&process->remote) &&
		    process->surface_at - base < image->len;
	unsigned int i;

	for (i = 0; same && i < image->parts_nr; i++)
		if (image->parts[i].prot & PROT_EXEC)
			same = !remote_read(&process->remote, base + image->parts[i].from, there,
					    image->parts[i].len) &&
			       !memcmp(there, image->bytes + image->parts[i].from, image->parts[i].len);
	free(there);
	return same;
}

int process_prove(const struct process *process)
{
	const struct kp_attach_surface *surface = &process->surface;
	const struct remote_map *home = remote_map_at(&process->remote,
						      process->surface_at);
	void (*const fns[])(struct kp_mailbox *) = {
		surface->prepare, surface->adopt, surface->arm, surface->serve,
	};
	const struct remote_map *text = NULL;
	size_t i;

	/* It calls its functions itself. */
	if (process->by_image && is_our_image(process))
		return CLI_OK;
	for (i = 0; home && !process->by_image && i < sizeof(fns) / sizeof(fns[0]); i++) {
		text = text_of(process, home, (uintptr_t)fns[i]);
		if (!text)
			break;
	}
	if (text && (is_program(process, home) || same_bytes(process, text)))
		return CLI_OK;
	return process_failed(
		process->remote.pid, CLI_REFUSED,
		": what calls itself the library there is not this build of libkprobes.so, so nothing is called in it; use the command that belongs to it, or restart the process");
}
