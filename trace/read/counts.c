// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * counts.c - what the words that a map keeps say.
 *
 * Owns: sums that do not turn over, averages, what an entry is sorted by, and whether
 * anything was counted.
 */
#include "read.h"

u64 read_saturated(u64 a, u64 b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

s64 read_average(const u64 *kept)
{
	/* Not by -1: the smallest number has no positive one. */
	return (s64)kept[1] > 0 ? (s64)kept[0] / (s64)kept[1] : 0;
}

s64 read_weight(const struct trace_map *map, const u64 *kept, u32 len)
{
	u64 total = 0;
	u32 i;

	switch (map->kind) {
	case KT_MAP_VALUE:
		return map->value.kind == TRACE_INT ? (s64)kept[0] : 0;
	case KT_MAP_MIN:
	case KT_MAP_MAX:
		return kt_extreme(map->kind, kept[0]);
	case KT_MAP_AVG:
	case KT_MAP_STATS:
		return read_average(kept);
	case KT_MAP_SERIES:
		return 0;
	case KT_MAP_HIST:
	case KT_MAP_LHIST:
		for (i = 0; i < len / 8; i++)
			total = read_saturated(total, kept[i]);
		return total > INT64_MAX ? INT64_MAX : (s64)total;
	default:
		return (s64)kept[0];
	}
}

bool read_is_empty(const struct kt_map *map, const u64 *kept)
{
	u32 i, nr = kt_value_len(map) / 8;

	switch (map->kind) {
	case KT_MAP_VALUE:
		return false;
	case KT_MAP_MIN:
	case KT_MAP_MAX:
		return !kept[0];
	default:
		for (i = 0; i < nr; i++)
			if (kept[i])
				return false;
		return true;
	}
}
