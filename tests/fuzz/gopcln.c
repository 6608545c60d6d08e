// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fuzz gopcln: the table of functions that Go programs carry, in each format
 * (host/linux-user/objects/gopcln.c).
 */
#include "fuzz.h"

#include "objects/gopcln.h"

#include <stdlib.h>
#include <string.h>

#define TEXT 0x401000u
#define SPAN 64u			/* bytes of a function */

struct making {
	uint8_t *bytes;
	size_t len;
};

static void put(struct making *m, uint64_t value, size_t len)
{
	memcpy(m->bytes + m->len, &value, len);
	m->len += len;
}

static void set(struct making *m, size_t at, uint64_t value, size_t len)
{
	memcpy(m->bytes + at, &value, len);
}

/* Names and depths first, as far as the format has them apart. */
static size_t sample(uint8_t *bytes, size_t room, uint64_t *random)
{
	static const uint32_t versions[] = {
		0xfffffffb, 0xfffffffa, 0xfffffff0, 0xfffffff1,
	};
	unsigned int version = fuzz_random(random) % 4, i;
	unsigned int nr = 1 + fuzz_random(random) % 20;
	size_t word = version < 2 ? 8 : 4, parts, names = 0, depths = 0, index;
	struct making m = { .bytes = bytes };

	memset(bytes, 0, room < 65536 ? room : 65536);
	put(&m, versions[version], 4);
	put(&m, 0x08010000, 4);
	put(&m, nr, 8);
	parts = m.len + 8 + (version > 1 ? 8 : 0);
	if (version > 1)
		set(&m, 24, TEXT, 8);
	if (version) {
		names = parts + 40;
		depths = names + 16;
		m.len = depths + 16;
		set(&m, parts, names, 8);
		set(&m, parts + 24, depths, 8);
		set(&m, parts + 32, m.len, 8);
		memcpy(bytes + names + 1, "main.work", 10);
		memcpy(bytes + depths + 1, "\x02\x01\x20\x10\x1f\x2f", 7);
	}
	index = m.len;
	m.len += (2 * nr + 1) * word;
	for (i = 0; i < nr; i++) {
		uint64_t place = i * SPAN + (version < 2 ? TEXT : 0);

		set(&m, index + 2 * i * word, place, word);
		set(&m, index + (2 * i + 1) * word,
		    m.len - (version ? index : 0), word);
		put(&m, place, word);
		put(&m, version ? 1 : 0, 4);
		put(&m, 0, 8);
		put(&m, version ? 1 : 8, 4);
	}
	set(&m, index + 2 * nr * word, nr * SPAN + (version < 2 ? TEXT : 0), word);
	return m.len;
}

static uint64_t below;			/* where the last stretch ended */

static void take_depth(void *arg, uint64_t start, uint64_t end, int64_t depth)
{
	const struct kp_gopcln_function *fn = arg;

	(void)depth;
	if (start < below || start >= end || end > fn->end)
		abort();
	below = end;
}

static void look(struct kp_gopcln *table)
{
	struct kp_gopcln_function fn;
	volatile size_t seen = 0;
	uint64_t end;
	uint32_t i;

	for (i = 0; i < table->nr; i++) {
		if (!kp_gopcln_function(table, i, &fn))
			continue;
		seen += strlen(fn.name);
		below = fn.start;
		end = kp_gopcln_depths(table, &fn, take_depth, &fn);
		if (end < fn.start || end > fn.end)
			abort();
	}
}

/* In memory that ends where they do. */
static const char *run(const uint8_t *bytes, size_t len)
{
	uint8_t *exact = malloc(len ? len : 1);
	struct kp_gopcln table;

	memcpy(exact, bytes, len);
	if (kp_gopcln_open(&table, exact, len))
		look(&table);
	if (kp_gopcln_search(&table, exact, len))
		look(&table);
	free(exact);
	return NULL;
}

const struct fuzz_target fuzz_gopcln = {
	.name = "gopcln", .sample = sample, .run = run,
};
