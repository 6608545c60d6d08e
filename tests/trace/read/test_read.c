// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the reader prints of events and maps. */
#include "show.h"

#include <stdlib.h>

static void printf_numbers(void **state)
{
	static const struct trace_type byte = { .kind = TRACE_INT, .size = 1, .sign = true };
	int64_t values[] = { -42, 42, 42, 255, 255, 65, -1 };
	struct show s;
	uint32_t event;

	(void)state;
	show_begin(&s);
	event = show_event(&s, TRACE_PRINTF, "[%d] [%5d] [%-5d] [%x] [%05llX] [%c] [%d]%%\n",
			   TYPES(&show_int, &show_int, &show_int, &show_int, &show_u64,
				 &show_int, &byte));
	show_ready(&s, TRACE_TEXT);
	show_emit(&s, event, values, sizeof(values));
	assert_false(trace_reader_drain(s.reader, true));
	show_is(&s, "[-42] [   42] [42   ] [ff] [000FF] [A] [-1]%\n");
	show_end(&s);
}

static void printf_strings(void **state)
{
	struct { char a[16], b[16], c[16]; } values = { "abc", "abc", "abcdef" };
	struct show s;
	uint32_t event;

	(void)state;
	show_begin(&s);
	event = show_event(&s, TRACE_PRINTF, "[%5s] [%-5s] [%.2s] [%s]\n",
			   TYPES(&show_string, &show_string, &show_string));
	show_ready(&s, TRACE_TEXT);
	memset(values.c, 'x', 16);
	show_emit(&s, event, &values, sizeof(values));
	trace_reader_drain(s.reader, true);
	show_is(&s, "[  abc] [abc  ] [xx] [%s]\n");
	show_end(&s);
}

static void printf_widths(void **state)
{
	int64_t values[] = { 4, 42, -1, 42, INT64_MAX, 42 };
	char wanted[5000];
	struct show s;
	uint32_t event;

	(void)state;
	show_begin(&s);
	event = show_event(&s, TRACE_PRINTF, "[%*d] [%*d] %-*d|\n",
			   TYPES(&show_int, &show_int, &show_int, &show_int,
				 &show_int, &show_int));
	show_ready(&s, TRACE_TEXT);
	show_emit(&s, event, values, sizeof(values));
	trace_reader_drain(s.reader, true);
	snprintf(wanted, sizeof(wanted), "[  42] [42] %-4096d|\n", 42);
	show_is(&s, wanted);
	show_end(&s);
}

static void exit_ends(void **state)
{
	struct show s;
	uint32_t print, leave;
	int64_t value = 7;

	(void)state;
	show_begin(&s);
	print = show_event(&s, TRACE_PRINT, NULL, TYPES(&show_int));
	leave = show_event(&s, TRACE_EXIT, NULL, NULL);
	show_ready(&s, TRACE_TEXT);
	show_emit(&s, print, &value, 8);
	show_emit(&s, leave, NULL, 0);
	show_emit(&s, print, &value, 8);
	assert_true(trace_reader_drain(s.reader, false));
	show_is(&s, "7\n");
	show_end(&s);
}

static void young_events_wait(void **state)
{
	struct show s;
	uint64_t was = fake_nsecs;
	uint32_t print;
	int64_t value = 7;

	(void)state;
	show_begin(&s);
	print = show_event(&s, TRACE_PRINT, NULL, TYPES(&show_int));
	show_ready(&s, TRACE_TEXT);
	fake_nsecs = ~0ull;
	show_emit(&s, print, &value, 8);
	fake_nsecs = was;
	trace_reader_drain(s.reader, false);
	show_is(&s, "");
	value = 6;
	show_emit(&s, print, &value, 8);
	trace_reader_drain(s.reader, true);
	show_is(&s, "6\n7\n");
	show_end(&s);
}

static void aggregations(void **state)
{
	static const struct { const char *name; uint32_t kind; } kinds[] = {
		{ "@c", KT_MAP_COUNT }, { "@s", KT_MAP_SUM }, { "@a", KT_MAP_AVG },
		{ "@mi", KT_MAP_MIN }, { "@ma", KT_MAP_MAX }, { "@st", KT_MAP_STATS },
	};
	struct show s;
	uint32_t i;

	(void)state;
	show_begin(&s);
	for (i = 0; i < 6; i++)
		show_map(&s, kinds[i].name, kinds[i].kind, NULL, &show_int);
	show_ready(&s, TRACE_TEXT);
	for (i = 0; i < 6; i++) {
		show_add(&s, i, NULL, 9);
		show_add(&s, i, NULL, -4);
	}
	trace_reader_maps(s.reader);
	show_is(&s, "\n\n@a: 2\n\n@c: 2\n@ma: 9\n@mi: -4\n@s: 5\n"
		    "@st: count 2, average 2, total 5\n\n");
	show_end(&s);
}

static void keys_by_value(void **state)
{
	struct { int64_t a; char b[16]; } keys[] = {
		{ 1, "two" }, { 0, "one" }, { 5, "zz" },
	};
	struct show s;
	uint32_t i, map, print, clear, zero;
	int64_t args[] = { 2, 2 };

	(void)state;
	show_begin(&s);
	map = show_map(&s, "@k", KT_MAP_SUM, TYPES(&show_int, &show_string), &show_int);
	print = show_event(&s, TRACE_PRINT_MAP, NULL, TYPES(&show_int, &show_int));
	zero = show_event(&s, TRACE_ZERO, NULL, NULL);
	clear = show_event(&s, TRACE_CLEAR, NULL, NULL);
	show_ready(&s, TRACE_TEXT);
	for (i = 0; i < 3; i++) {
		show_add(&s, map, &keys[i], 3 * (1 + (int)i));
		show_add(&s, map, &keys[i], -2);
	}
	show_emit(&s, print, args, 16);
	show_emit(&s, zero, NULL, 0);
	show_emit(&s, print, args, 0);
	show_emit(&s, clear, NULL, 0);
	show_emit(&s, print, args, 0);
	trace_reader_drain(s.reader, true);
	show_is(&s, "@k[0, one]: 2\n@k[5, zz]: 3\n"
		    "@k[0, one]: 0\n@k[1, two]: 0\n@k[5, zz]: 0\n\n");
	show_end(&s);
}

#define FULL "|@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
#define HALF "|@@@@@@@@@@@@@@@@@@@@@@@@@@                          |\n"
#define NONE "|                                                    |\n"

static void histograms(void **state)
{
	static const int64_t values[] = { -1, 0, 1, 3, 3, 1500, 512 << 10 };
	struct show s;
	uint32_t i, map;

	(void)state;
	show_begin(&s);
	map = show_map(&s, "@h", KT_MAP_HIST, NULL, &show_int);
	show_ready(&s, TRACE_TEXT);
	for (i = 0; i < 7; i++)
		show_add(&s, map, NULL, values[i]);
	trace_reader_maps(s.reader);
	show_is(&s, "\n\n@h: \n"
		    "(..., 0)               1 " HALF
		    "[0]                    1 " HALF
		    "[1]                    1 " HALF
		    "[2, 4)                 2 " FULL
		    "[4, 8)                 0 " NONE
		    "[8, 16)                0 " NONE
		    "[16, 32)               0 " NONE
		    "[32, 64)               0 " NONE
		    "[64, 128)              0 " NONE
		    "[128, 256)             0 " NONE
		    "[256, 512)             0 " NONE
		    "[512, 1K)              0 " NONE
		    "[1K, 2K)               1 " HALF
		    "[2K, 4K)               0 " NONE
		    "[4K, 8K)               0 " NONE
		    "[8K, 16K)              0 " NONE
		    "[16K, 32K)             0 " NONE
		    "[32K, 64K)             0 " NONE
		    "[64K, 128K)            0 " NONE
		    "[128K, 256K)           0 " NONE
		    "[256K, 512K)           0 " NONE
		    "[512K, 1M)             1 " HALF "\n");
	show_end(&s);
}

static void json(void **state)
{
	struct { char bytes[16]; } text = { "a\"\n\x01\xff\xc3\xa9" };
	struct show s;
	uint32_t map, hist, event;
	int64_t key = -3;

	(void)state;
	show_begin(&s);
	map = show_map(&s, "@k", KT_MAP_COUNT, TYPES(&show_int), &show_int);
	hist = show_map(&s, "@h", KT_MAP_HIST, NULL, &show_int);
	event = show_event(&s, TRACE_PRINTF, "%s\n", TYPES(&show_string));
	show_ready(&s, TRACE_JSON);
	show_add(&s, map, &key, 0);
	show_add(&s, hist, NULL, 3);
	show_emit(&s, event, &text, 16);
	trace_reader_attached(s.reader, 1);
	trace_reader_drain(s.reader, true);
	trace_reader_maps(s.reader);
	show_is(&s, "{\"type\": \"attached_probes\", \"data\": {\"probes\": 1}}\n"
		    "{\"type\": \"printf\", \"data\": "
		    "\"a\\\"\\n\\u0001\xef\xbf\xbd\xc3\xa9\\n\"}\n"
		    "{\"type\": \"hist\", \"data\": {\"@h\": "
		    "[{\"min\": 2, \"max\": 3, \"count\": 1}]}}\n"
		    "{\"type\": \"map\", \"data\": {\"@k\": {\"-3\": 1}}}\n");
	show_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(printf_numbers),
		cmocka_unit_test(printf_strings),
		cmocka_unit_test(printf_widths),
		cmocka_unit_test(exit_ends),
		cmocka_unit_test(young_events_wait),
		cmocka_unit_test(aggregations),
		cmocka_unit_test(keys_by_value),
		cmocka_unit_test(histograms),
		cmocka_unit_test(json),
	};

	return cmocka_run_group_tests_name("trace_read", tests, NULL, NULL);
}
