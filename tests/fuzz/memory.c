// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fuzz memory: an object in another process's memory (remote_elf.c).  The file
 * stands for the memory, at the address 0.
 */
#include "fuzz.h"

#include "attach_cli.h"

#include <stdlib.h>
#include <unistd.h>

static const char *run(const uint8_t *bytes, size_t len)
{
	uint8_t *image = fuzz_image(bytes, len);
	struct remote_map map = {
		.end = FUZZ_IMAGE, .read = true, .exec = true,
		.ino = 1, .path = "/lib/libc.so.6",
	};
	struct remote remote = {
		.mem = fuzz_file(image, FUZZ_IMAGE), .maps = &map, .maps_nr = 1,
	};

	remote_find(&remote, "", "dlopen");
	remote_find(&remote, "libc", "main");
	remote_symbol(&remote, &map, "two_copies");
	restorer_find(&remote);
	close(remote.mem);
	free(image);
	return NULL;
}

const struct fuzz_target fuzz_memory = {
	.name = "memory", .run = run,
};
