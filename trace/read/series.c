// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * series.c - time series: a row for each interval, and the same as JSON.
 *
 * Owns: which intervals are shown, and what a row looks like.  They are those from the first
 * that has a value to the last, as many as the series keeps.  An interval without a value has
 * a row without a mark.
 */
#include "read.h"

#include <inttypes.h>
#include <string.h>

#define LAST_COLUMN 52u

/* The intervals that one series keeps, and the range that is shown. */
struct series {
	const struct trace_map *map;
	const struct kt_interval *kept;
	u64 first, last;		/* numbers of intervals */
	s64 least, most;		/* of their values */
	u64 div;
	u32 digits;			/* of a second */
};

static u64 number_of(const struct kt_interval *in)
{
	return (in->word >> 2) - 1;
}

static s64 value_of(const struct series *s, const struct kt_interval *in)
{
	s64 value = (s64)in->value;

	switch (s->map->step) {
	case KT_SERIES_AVG:
		value = (s64)in->also > 0 ? value / (s64)in->also : 0;
		break;
	case KT_SERIES_MAX:
	case KT_SERIES_MIN:
		value = kt_extreme(s->map->step == KT_SERIES_MIN ? KT_MAP_MIN : KT_MAP_MAX,
				   in->value);
		break;
	default:
		break;
	}
	return s->div > 1 && s->div <= INT64_MAX ? value / (s64)s->div : value;
}

void read_merge_series(const struct kt_map *map, u64 *into, const u64 *from)
{
	struct kt_interval *a = (struct kt_interval *)into;
	const struct kt_interval *b = (const struct kt_interval *)from;
	s64 i;

	for (i = 0; i < map->max; i++, a++, b++) {
		if (!b->also || a->word >> 2 > b->word >> 2)
			continue;
		if (!a->also || a->word >> 2 < b->word >> 2) {
			*a = *b;
		} else if (map->step == KT_SERIES_LAST) {
			*a = b->also > a->also ? *b : *a;
		} else if (map->step == KT_SERIES_MIN || map->step == KT_SERIES_MAX) {
			a->value = b->value > a->value ? b->value : a->value;
		} else {
			a->value += b->value;
			a->also = read_saturated(a->also, b->also);
		}
	}
}

/* The place of an interval, if it has a value.  A word of 0 has no number. */
static const struct kt_interval *find(const struct series *s, u64 number)
{
	const struct kt_interval *in = &s->kept[number % (u64)s->map->max];

	return in->also && in->word >> 2 && number_of(in) == number ? in : NULL;
}

/* Finds the range to show; false: no interval has a value. */
static bool look(struct series *s)
{
	u64 nr = (u64)s->map->max, i;
	bool any = false;
	s64 value;

	/* One that is not at its place is no interval: whoever writes the arena may lie. */
	for (i = 0; i < nr; i++)
		if (find(s, number_of(&s->kept[i])) == &s->kept[i] && (!any || number_of(&s->kept[i]) > s->last)) {
			s->last = number_of(&s->kept[i]);
			any = true;
		}
	if (!any)
		return false;
	s->first = s->last >= nr ? s->last - nr + 1 : 0;
	while (!find(s, s->first))
		s->first++;
	s->least = s->most = value_of(s, find(s, s->first));
	for (i = s->first; i <= s->last; i++) {
		if (!find(s, i))
			continue;
		value = value_of(s, find(s, i));
		s->least = value < s->least ? value : s->least;
		s->most = value > s->most ? value : s->most;
	}
	s->digits = s->map->min % 1000000 == 0 ? 3 : s->map->min % 1000 == 0 ? 6 : 9;
	return true;
}

static u32 column(const struct series *s, s64 value)
{
	double range = (double)s->most - (double)s->least;

	return range > 0 ? (u32)(((double)value - (double)s->least) / range * LAST_COLUMN) : 0;
}

/* "10:41:46.700" */
static void put_time(const struct series *s, u64 number, bool day, struct read_text *text)
{
	const char *second = s->digits == 3 ? "%H:%M:%S.%3f" : s->digits == 6 ? "%H:%M:%S.%f" :
			     "%H:%M:%S.%9f";
	u64 nsecs = number * (u64)s->map->min;

	if (day)
		read_strftime("%Y-%m-%dT", nsecs, text);
	read_strftime(second, nsecs, text);
}

static void put_bounds(const struct series *s, struct read_text *text)
{
	char least[32], most[32];
	int left = snprintf(least, sizeof(least), "%" PRId64, s->least);
	int right = snprintf(most, sizeof(most), "%" PRId64, s->most);

	read_fill(text, ' ', s->digits + 10);
	read_printf(text, "%s", least);
	read_fill(text, ' ', (size_t)(LAST_COLUMN + 1) > (size_t)(left + right) ?
			     LAST_COLUMN + 1 - (size_t)(left + right) : 1);
	read_printf(text, "%s\n", most);
}

static void put_rule(const struct series *s, const char *names, char end, struct read_text *text)
{
	read_puts(text, names);
	read_fill(text, ' ', s->digits + 10 - strlen(names));
	read_put(text, &end, 1);
	read_fill(text, '_', LAST_COLUMN - 1);
	read_put(text, &end, 1);
	read_puts(text, "\n");
}

static void put_row(const struct series *s, u64 number, struct read_text *text)
{
	const struct kt_interval *in = find(s, number);
	char row[LAST_COLUMN + 2];

	memset(row, ' ', sizeof(row));
	row[0] = row[LAST_COLUMN] = '|';
	row[LAST_COLUMN + 1] = 0;
	if (s->least < 0 && s->most > 0)
		row[column(s, 0)] = '.';
	if (in)
		row[column(s, value_of(s, in))] = '*';
	put_time(s, number, false, text);
	read_printf(text, " %s", row);
	if (in)
		read_printf(text, " %" PRId64, value_of(s, in));
	read_puts(text, "\n");
}

void read_show_series(const struct trace_map *map, const u64 *kept, u64 div,
		      struct read_text *text)
{
	struct series s = {
		.map = map, .kept = (const struct kt_interval *)kept, .div = div,
	};
	u64 i;

	if (!look(&s))
		return;
	put_bounds(&s, text);
	put_rule(&s, s.digits == 3 ? "hh:mm:ss.ms" : s.digits == 6 ? "hh:mm:ss.us" :
		     "hh:mm:ss.ns", '|', text);
	for (i = s.first; i <= s.last; i++)
		put_row(&s, i, text);
	put_rule(&s, "", 'v', text);
	put_bounds(&s, text);
}

void read_show_series_json(const struct trace_map *map, const u64 *kept, u64 div,
			   struct read_text *text)
{
	struct series s = {
		.map = map, .kept = (const struct kt_interval *)kept, .div = div,
	};
	bool any = look(&s);
	const char *between = "";
	u64 i;

	read_puts(text, "[");
	for (i = s.first; any && i <= s.last; i++) {
		if (!find(&s, i))
			continue;
		read_printf(text, "%s{\"interval_start\": \"", between);
		put_time(&s, i, true, text);
		read_printf(text, "\", \"value\": %" PRId64 "}", value_of(&s, find(&s, i)));
		between = ", ";
	}
	read_puts(text, "]");
}
