// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * hist.c - histograms: rows with bars, and the same as JSON.
 *
 * Owns: which values a bucket stands for, and what a row looks like.  Rows are
 * shown from the first bucket to the last that has something in it; a bar of full
 * width is that of the largest.
 */
#include "read.h"

#include <inttypes.h>

#define BAR 52

/* A bucket: [min, max], but for its ends. */
struct range {
	bool below;			/* all up to max */
	bool above;			/* all from min on */
	s64 min, max;
};

static u32 buckets_nr(const struct trace_map *map)
{
	if (map->kind == KT_MAP_HIST)
		return kt_hist_buckets((u64)map->step);
	return (u32)(((u64)map->max - (u64)map->min) / (u64)map->step + 2);
}

static struct range power_range(u32 bucket, u32 bits)
{
	u32 nr = bucket - 1, power;
	s64 min;

	if (bucket == 0)
		return (struct range){ .below = true, .max = -1 };
	if (!(nr >> bits))
		return (struct range){ .min = nr, .max = nr };
	power = (nr >> bits) - 1;
	min = (s64)((nr & ((1u << bits) - 1)) + (1u << bits)) << power;
	return (struct range){ .min = min, .max = min + ((1ll << power) - 1) };
}

static struct range linear_range(const struct trace_map *map, u32 bucket, u32 nr)
{
	s64 min = map->min + (s64)(bucket - 1) * map->step;

	if (bucket == 0)
		return (struct range){ .below = true, .max = map->min - 1 };
	if (bucket == nr - 1)
		return (struct range){ .above = true, .min = map->max };
	return (struct range){ .min = min, .max = min + (map->step - 1) };
}

static struct range range_of(const struct trace_map *map, u32 bucket, u32 nr)
{
	return map->kind == KT_MAP_HIST ? power_range(bucket, (u32)map->step) :
					  linear_range(map, bucket, nr);
}

/* The buckets that are shown: [first, last); the largest of them. */
static u64 shown(const u64 *buckets, u32 nr, u32 *first, u32 *last)
{
	u64 largest = 0;
	u32 i;

	*first = *last = 0;
	for (i = 0; i < nr; i++) {
		if (!buckets[i])
			continue;
		if (!largest)
			*first = i;
		*last = i + 1;
		largest = buckets[i] > largest ? buckets[i] : largest;
	}
	return largest;
}

/* 4096 is 4K; what no suffix divides is shown as it is. */
static void put_bound(struct read_text *text, u64 number)
{
	static const char suffixes[] = { 0, 'K', 'M', 'G', 'T', 'P', 'E' };
	u32 power = 0;

	while (number && number % 1024 == 0 && power < sizeof(suffixes) - 1) {
		number /= 1024;
		power++;
	}
	read_printf(text, "%" PRId64, (s64)number);
	read_put(text, &suffixes[power], power != 0);
}

static void put_range(const struct trace_map *map, const struct range *range,
		      struct read_text *text)
{
	bool one = map->kind == KT_MAP_HIST && range->min == range->max;

	read_puts(text, range->below ? "(..." : "[");
	if (!range->below)
		put_bound(text, (u64)range->min);
	if (one && !range->below) {
		read_puts(text, "]");
		return;
	}
	read_puts(text, ", ");
	if (range->above)
		read_puts(text, "...");
	else
		put_bound(text, (u64)range->max + 1);
	read_puts(text, ")");
}

void read_show_hist(const struct trace_map *map, const u64 *buckets, u64 div,
		    struct read_text *text)
{
	u32 nr = buckets_nr(map), first, last, i;
	u64 largest = shown(buckets, nr, &first, &last);

	for (i = first; i < last; i++) {
		struct range range = range_of(map, i, nr);
		size_t begin = text->len, bar, width;

		put_range(map, &range, text);
		width = text->len - begin;
		read_fill(text, ' ', width < 16 ? 16 - width : 0);
		bar = (size_t)((double)buckets[i] / (double)largest * BAR);
		read_printf(text, " %7" PRIu64 " |", div > 1 ? buckets[i] / div : buckets[i]);
		read_fill(text, '@', bar);
		read_fill(text, ' ', BAR - bar);
		read_puts(text, "|\n");
	}
}

void read_show_hist_json(const struct trace_map *map, const u64 *buckets, u64 div,
			 struct read_text *text)
{
	u32 nr = buckets_nr(map), first, last, i;

	shown(buckets, nr, &first, &last);
	read_puts(text, "[");
	for (i = first; i < last; i++) {
		struct range range = range_of(map, i, nr);

		read_puts(text, i > first ? ", {" : "{");
		if (!range.below)
			read_printf(text, "\"min\": %" PRId64 ", ", range.min);
		if (!range.above)
			read_printf(text, "\"max\": %" PRId64 ", ", range.max);
		read_printf(text, "\"count\": %" PRIu64 "}",
			    div > 1 ? buckets[i] / div : buckets[i]);
	}
	read_puts(text, "]");
}
