// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fuzz perfmap: the file in which a process says which code it has made, as it grows
 * and begins anew (perfmap.c).
 */
#include "fuzz.h"

#include "perfmap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static size_t sample(uint8_t *bytes, size_t room, uint64_t *random)
{
	static const char *const names[] = {
		"LazyCompile:*work /x.js:12", "a", "", "\033[2J", " b ", "Stub:x\t",
	};
	size_t len = 0, nr = fuzz_random(random) % 100;

	while (nr-- && len + 200 < room) {
		uint64_t r = fuzz_random(random);

		len += (size_t)sprintf((char *)bytes + len, "%s%llx %llx %s\n",
				       r & 1 ? "" : "0x",
				       (unsigned long long)(r >> 8 & 0xfff),
				       (unsigned long long)(r >> 24 & 0xff),
				       names[(r >> 40) % (sizeof(names) / sizeof(names[0]))]);
	}
	return len;
}

static const char *look(struct perfmap *map, size_t len)
{
	uint64_t addr, start;
	const char *name;

	perfmap_look(map, true);
	for (addr = 0; addr < 0x1200; addr += 0x35) {
		name = perfmap_at(map, addr, &start);
		if (name && (strlen(name) > len || start > addr))
			return "a name that is not there";
	}
	return NULL;
}

static const char *run(const uint8_t *bytes, size_t len)
{
	struct perfmap map;
	const char *wrong;

	perfmap_begin(&map, NULL);
	map.fd = fuzz_file(bytes, len / 2);
	wrong = look(&map, len);
	if (!wrong && pwrite(map.fd, bytes, len, 0) == (ssize_t)len)
		wrong = look(&map, len);
	if (!wrong && !ftruncate(map.fd, (off_t)(len / 3)))
		wrong = look(&map, len);
	perfmap_end(&map);
	return wrong;
}

const struct fuzz_target fuzz_perfmap = {
	.name = "perfmap", .sample = sample, .run = run,
};
