// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fuzz maps: the text of a memory map, with names that a process has chosen
 * (remote.c), and what is looked up in it (mailbox.c, restorer.c).
 */
#include "fuzz.h"

#include "../../cli/inspect/remote.c"
#include "attach_cli.h"

static size_t sample(uint8_t *bytes, size_t room, uint64_t *random)
{
	static const char *const lines[] = {
		"55d0a0000000-55d0a0001000 r--p 00000000 fe:00 1234    /usr/bin/cat\n",
		"000000001000-000000003000 r-xp 00001000 fe:00 1234    /usr/lib/libc.so.6\n",
		"4b5000000000-4b5000001000 r-xp 00000000 00:00 0 \n",
		"4b5000001000-4b5000080000 rw-p 00000000 00:00 0 \n",
		"4b5000000000-4b5000080000 rw-p 00000000 00:00 0 \n",
		"7ffd0000-7ffe0000 rw-s 00000000 00:05 77   /memfd:\\012x (deleted)\n",
		"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0    [vsyscall]\n",
	};
	size_t len = 0, nr = fuzz_random(random) % 12;

	while (nr-- && len + 200 < room) {
		const char *line = lines[fuzz_random(random) %
					 (sizeof(lines) / sizeof(lines[0]))];

		memcpy(bytes + len, line, strlen(line));
		len += strlen(line);
	}
	return len;
}

static const char *run(const uint8_t *bytes, size_t len)
{
	struct remote remote = { .mem = fuzz_file(bytes, len) };
	const struct remote_map *map;
	size_t i;

	remote.text = malloc(len + 1);
	memcpy(remote.text, bytes, len);
	remote.text[len] = 0;
	if (parse_maps(&remote))
		abort();
	for (i = 0; i < remote.maps_nr; i++) {
		map = remote_map_at(&remote, remote.maps[i].start);
		if (map && strlen(map->path) > len)
			return "a path is longer than all";
	}
	inject_stale(&remote, 0);
	restorer_find(&remote);
	remote_find(&remote, "", "dlopen");
	remote_close(&remote);
	return NULL;
}

const struct fuzz_target fuzz_maps = {
	.name = "maps", .sample = sample, .run = run,
};
