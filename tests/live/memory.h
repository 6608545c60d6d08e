/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * memory.h - what the engine and the process hold, for tests of growth.
 *
 * Looks into the engine for one thing: how many instances a pool has.
 */
#ifndef KP_LIVE_MEMORY_H
#define KP_LIVE_MEMORY_H

#include "live.h"
#include "instance.h"

struct memory {
	long instances, private_kb, maps;
};

static inline long instances_of(const struct kretprobe *rp)
{
	uint32_t nr = __atomic_load_n(&rp->pool->chunks_nr, __ATOMIC_ACQUIRE), i;
	long sum = 0;

	for (i = 0; i < nr; i++) {
		struct kp_chunk *chunk = __atomic_load_n(&rp->pool->chunks[i],
							 __ATOMIC_ACQUIRE);

		sum += chunk ? (long)chunk->nr : 0;
	}
	return sum;
}

/* All but the instances, which the caller adds. */
static inline struct memory memory_now(void)
{
	struct memory m = { 0 };
	char line[512];
	FILE *file = fopen("/proc/self/status", "r");

	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "RssAnon: %ld", &m.private_kb);
	if (file)
		fclose(file);
	file = fopen("/proc/self/maps", "r");
	while (file && fgets(line, sizeof(line), file))
		m.maps++;
	if (file)
		fclose(file);
	return m;
}

/* Slack: a page here and there, a stack that was not used so deep before. */
static inline void expect_stable(const char *what, const struct memory *then,
				 const struct memory *now, long slack_kb)
{
	char name[240];

	snprintf(name, sizeof(name),
		 "%s: memory is stable (instances %ld, then %ld; private %ld kB, then %ld; maps %ld, then %ld)",
		 what, then->instances, now->instances, then->private_kb,
		 now->private_kb, then->maps, now->maps);
	EXPECT(name, now->instances <= then->instances &&
	       now->private_kb <= then->private_kb + slack_kb &&
	       now->maps <= then->maps + 8);
}

#endif
