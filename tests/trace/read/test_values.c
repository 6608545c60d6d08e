// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Each kind of value, as text and as JSON. */
#include "show.h"

#include "front/script.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

static const struct cfield enumerators[] = { { .name = "ZERO" }, { .name = "TWO" } };
static const int64_t numbers[] = { 0, 2 };
static const struct ctype enumeration = {
	.kind = CTYPE_ENUM, .name = "enum e", .fields = enumerators, .fields_nr = 2,
	.values = numbers,
};

/* Printed by print() from so many words. */
struct value {
	struct trace_type type;
	uint64_t words[5];
	const char *text, *json;
};

static struct trace_field pair[] = {
	{ { .kind = TRACE_INT, .size = 4, .sign = true }, 0 },
	{ { .kind = TRACE_STRING, .size = 8 }, 8 },
}, around[] = {
	{ { .kind = TRACE_BOOL, .size = 8 }, 0 },
	{ { .kind = TRACE_TUPLE, .size = 16, .fields = pair, .fields_nr = 2 }, 8 },
};

static const struct value values[] = {
	{ { .kind = TRACE_INT, .size = 1, .sign = true }, { 0xfff0 }, "-16", "-16" },
	{ { .kind = TRACE_INT, .size = 2, .sign = true }, { 0x18000 }, "-32768", "-32768" },
	{ { .kind = TRACE_INT, .size = 2 }, { 0x1ffff }, "65535", "65535" },
	{ { .kind = TRACE_INT, .size = 4, .sign = true }, { 0x80000000 },
	  "-2147483648", "-2147483648" },
	{ { .kind = TRACE_INT, .size = 4 }, { ~0ull }, "4294967295", "4294967295" },
	{ { .kind = TRACE_INT, .size = 8 }, { ~0ull }, "18446744073709551615",
	  "18446744073709551615" },
	{ { .kind = TRACE_POINTER, .size = 8 }, { 0xfe00 }, "0xfe00", "65024" },
	{ { .kind = TRACE_BOOL, .size = 8 }, { 1 }, "true", "true" },
	{ { .kind = TRACE_BOOL, .size = 8 }, { 0 }, "false", "false" },
	{ { .kind = TRACE_STRING, .size = 8 }, { 0x4142434445464748, 0x49 },
	  "HGFEDCBA", "\"HGFEDCBA\"" },
	{ { .kind = TRACE_STRING, .size = 8 }, { 0x225c }, "\\\"", "\"\\\\\\\"\"" },
	{ { .kind = TRACE_BUFFER, .size = 16 }, { 3, 0x4100ff41 },
	  "A\\xff\\x00", "\"A\\\\xff\\\\x00\"" },
	{ { .kind = TRACE_BUFFER, .size = 16 }, { ~0ull, 0x4141414141414141, 0x41 },
	  "AAAAAAAA", "\"AAAAAAAA\"" },
	{ { .kind = TRACE_KSYM, .size = 8 }, { 0x1231 }, "k0_123", "\"k0_123\"" },
	{ { .kind = TRACE_KSYM, .size = 8 }, { 1 }, "0x1", "\"0x1\"" },
	{ { .kind = TRACE_USYM, .size = 16 }, { 0x1231, 7 }, "u7_123", "\"u7_123\"" },
	{ { .kind = TRACE_FUNC, .size = 8 }, { 0x1230 }, "u0_123", "\"u0_123\"" },
	{ { .kind = TRACE_FUNC, .size = 8 }, { -16ull }, "k0_fffffffffffffff",
	  "\"k0_fffffffffffffff\"" },
	{ { .kind = TRACE_KSTACK, .size = 8, .format = "" }, { 7 }, "\n", "\"\\n\"" },
	{ { .kind = TRACE_INET, .size = 24 }, { AF_INET, 0x0100007f }, "127.0.0.1",
	  "\"127.0.0.1\"" },
	{ { .kind = TRACE_INET, .size = 24 }, { AF_INET6, 0, 1ull << 56 }, "::1",
	  "\"::1\"" },
	{ { .kind = TRACE_INET, .size = 24 }, { 77, 0x0100007f }, "127.0.0.1",
	  "\"127.0.0.1\"" },
	{ { .kind = TRACE_USERNAME, .size = 8 }, { 0 }, "root", "\"root\"" },
	{ { .kind = TRACE_USERNAME, .size = 8 }, { 5 }, "5", "\"5\"" },
	{ { .kind = TRACE_PROBE, .size = 8 }, { 0 }, "kprobe:f", "\"kprobe:f\"" },
	{ { .kind = TRACE_PROBE, .size = 8 }, { 9 }, "", "\"\"" },
	{ { .kind = TRACE_ENUM, .size = 8, .c = &enumeration }, { 2 }, "TWO", "\"TWO\"" },
	{ { .kind = TRACE_ENUM, .size = 8, .c = &enumeration }, { 1 }, "1", "\"1\"" },
	{ { .kind = TRACE_MAC, .size = 8 }, { 0x060504030201 }, "01:02:03:04:05:06",
	  "\"01:02:03:04:05:06\"" },
	{ { .kind = TRACE_ERRNO, .size = 8 }, { 2 }, "No such file or directory",
	  "\"No such file or directory\"" },
	{ { .kind = TRACE_ERRNO, .size = 8 }, { -13ull }, "Permission denied",
	  "\"Permission denied\"" },
	{ { .kind = TRACE_ERRNO, .size = 8 }, { 1ull << 63 }, "-9223372036854775808",
	  "\"-9223372036854775808\"" },
	{ { .kind = TRACE_TUPLE, .size = 24, .fields = around, .fields_nr = 2 },
	  { 1, -2ull, 0x62 }, "(true, (-2, b))", "[true,[-2,\"b\"]]" },
};
#define VALUES_NR (sizeof(values) / sizeof(values[0]))

static void show_value(const struct value *value, enum trace_format format)
{
	char expected[256];
	struct show s;
	uint32_t print;

	show_begin(&s);
	print = show_event(&s, TRACE_PRINT, NULL, TYPES(&value->type));
	show_ready(&s, format);
	show_emit(&s, print, value->words, sizeof(value->words));
	trace_reader_drain(s.reader, true);
	snprintf(expected, sizeof(expected), format == TRACE_JSON ?
		 "{\"type\": \"value\", \"data\": %s}\n" : "%s\n",
		 format == TRACE_JSON ? value->json : value->text);
	show_is(&s, expected);
	show_end(&s);
}

static void as_text(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < VALUES_NR; i++)
		show_value(&values[i], TRACE_TEXT);
}

static void as_json(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < VALUES_NR; i++)
		show_value(&values[i], TRACE_JSON);
}

/* An event that is shorter than what it should hold: what is missing is 0. */
static void cut_off(void **state)
{
	uint64_t word = 5;
	struct show s;
	uint32_t print;

	(void)state;
	show_begin(&s);
	print = show_event(&s, TRACE_PRINTF, "%d %d [%s]\n",
			   TYPES(&show_int, &show_int, &show_string));
	show_ready(&s, TRACE_TEXT);
	show_emit(&s, print, &word, 8);
	show_emit(&s, print, NULL, 0);
	trace_reader_drain(s.reader, true);
	show_is(&s, "5 0 []\n0 0 []\n");
	show_end(&s);
}

/* By the wall clock; %f are microseconds. */
static void times(void **state)
{
	static const struct trace_type year = {
		.kind = TRACE_TIME, .size = 8, .format = "%%Y %Y.%f%",
	};
	char expected[64];
	uint64_t nsecs = 0;
	time_t now = time(NULL);
	struct show s;
	uint32_t print;
	struct tm tm;

	(void)state;
	show_begin(&s);
	print = show_event(&s, TRACE_PRINT, NULL, TYPES(&year));
	show_ready(&s, TRACE_TEXT);
	show_emit(&s, print, &nsecs, 8);
	trace_reader_drain(s.reader, true);
	fflush(s.out);
	localtime_r(&now, &tm);
	strftime(expected, sizeof(expected), "%%Y ", &tm);
	assert_memory_equal(s.text, expected, 3);
	assert_in_range(atoi(s.text + 3), 1970, tm.tm_year + 1900);
	assert_int_equal(s.text[7], '.');
	assert_string_equal(s.text + 14, "%\n");
	show_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_text),
		cmocka_unit_test(as_json),
		cmocka_unit_test(cut_off),
		cmocka_unit_test(times),
	};

	return cmocka_run_group_tests_name("trace_values", tests, NULL, NULL);
}
