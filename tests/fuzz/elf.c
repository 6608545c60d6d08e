// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fuzz elf: files with symbols, unwind entries and DWARF, as files, and as the
 * image of a process's memory: what the jail reads (symbols.c, frames.c,
 * inlined.c, lookup.c, elves.c, points.c).
 */
#include "fuzz.h"

#include "points.h"
#include "symbols.h"
#include "view.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void take_copy(void *arg, const struct symbol_inlined *copy)
{
	(void)arg;
	if (copy->name && strlen(copy->name) > 1u << 20)
		abort();
}

static void look(struct symbols *s)
{
	const struct symbol *fn;
	struct points points;
	char place[700];
	uint64_t addr;
	size_t i;

	for (i = 0; i < s->nr && i < 40; i++) {
		if (!points_of(&points, s, &s->all[i]))
			points_entry(&points);
		points_free(&points);
		symbols_place(s, s->all[i].addr + 1, place, sizeof(place));
	}
	symbols_find(s, "main+0x1", &addr, &fn);
	symbols_inlined(s, "twice", take_copy, NULL);
}

static const char *run(const uint8_t *bytes, size_t len)
{
	uint8_t *image = fuzz_image(bytes, len);
	struct remote_map map = {
		.end = FUZZ_IMAGE, .read = true, .ino = 1, .path = "/fuzz",
	};
	struct view view = { .fd = fuzz_file(bytes, len), .file = "fuzz" };
	struct symbols s;

	symbols_open_file(&s, &view);
	look(&s);
	symbols_close(&s);
	close(view.fd);
	view = (struct view){
		.fd = fuzz_file(image, FUZZ_IMAGE), .pid = 1,
		.remote = { .maps = &map, .maps_nr = 1, .mem = -1 },
	};
	symbols_open_process(&s, &view);
	look(&s);
	symbols_close(&s);
	close(view.fd);
	free(image);
	return NULL;
}

const struct fuzz_target fuzz_elf = {
	.name = "elf", .run = run, .jailed = true,
};
