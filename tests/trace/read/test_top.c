// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Maps while they change.  Rates depend on the clock: how many digits is not tested. */
#include "show.h"

#include <stdlib.h>

static struct trace_top how(void)
{
	return (struct trace_top){
		.nsecs = 3600000000000ull, .home = "", .line_end = "", .end = "",
	};
}

/* All rows, without the time, and what is printed per second. */
static void top_is(struct show *s, const char *wanted)
{
	char shown[4096] = "", *line, *next;

	fflush(s->out);
	s->text[s->len] = 0;
	line = strchr(s->text, '\n');
	assert_non_null(line);
	for (line++; *line; line = next) {
		next = strchr(line, '\n') + 1;
		if (next - line > 11)
			strncat(shown, line + 11, (size_t)(next - line) - 11);
	}
	assert_string_equal(shown, wanted);
	fseek(s->out, 0, SEEK_SET);
}

static void add(struct show *s, uint32_t map, const char *name, int times)
{
	char key[16] = "";

	strncpy(key, name, sizeof(key));
	while (times--)
		show_add(s, map, key, 5);
}

static void most_first(void **state)
{
	struct trace_top top = how();
	struct show s;
	uint32_t map;

	(void)state;
	show_begin(&s);
	map = show_map(&s, "@", KT_MAP_COUNT, TYPES(&show_string), &show_int);
	show_ready(&s, TRACE_TEXT);
	add(&s, map, "before", 9);
	assert_false(trace_reader_top(s.reader, &top, false));
	add(&s, map, "little", 1);
	add(&s, map, "much", 3);
	assert_false(trace_reader_top(s.reader, &top, false));
	show_is(&s, "");
	trace_reader_top(s.reader, &top, true);
	top_is(&s, "         ALL  @\n"
		   "           3  much\n"
		   "           1  little\n"
		   "           9  before\n");
	add(&s, map, "before", 1);
	trace_reader_top(s.reader, &top, true);
	top_is(&s, "         ALL  @\n"
		   "          10  before\n"
		   "           3  much\n"
		   "           1  little\n");
	show_end(&s);
}

static void rounds_end(void **state)
{
	struct trace_top top = how();
	struct show s;

	(void)state;
	top.nsecs = 0;
	top.rounds = 2;
	show_begin(&s);
	show_map(&s, "@", KT_MAP_COUNT, TYPES(&show_string), &show_int);
	show_ready(&s, TRACE_TEXT);
	assert_false(trace_reader_top(s.reader, &top, false));
	assert_true(trace_reader_top(s.reader, &top, false));
	fseek(s.out, 0, SEEK_SET);
	assert_true(trace_reader_top(s.reader, &top, true));
	show_is(&s, "");
	show_end(&s);
}

/* A mean is of what came since. */
static void means(void **state)
{
	struct trace_top top = how();
	struct show s;
	uint32_t map, ns;
	char key[16] = "f";

	(void)state;
	top.title = "PROBE";
	top.mean = true;
	show_begin(&s);
	map = show_map(&s, "@", KT_MAP_COUNT, TYPES(&show_string), &show_int);
	ns = show_map(&s, "@ns", KT_MAP_AVG, TYPES(&show_string), &show_int);
	show_ready(&s, TRACE_TEXT);
	add(&s, map, "f", 1);
	show_add(&s, ns, key, 1000000);
	trace_reader_top(s.reader, &top, false);
	add(&s, map, "f", 2);
	add(&s, map, "g", 1);
	show_add(&s, ns, key, 2000);
	show_add(&s, ns, key, 4000);
	trace_reader_top(s.reader, &top, true);
	top_is(&s, "         ALL        MEAN  PROBE\n"
		   "           3      3.0 us  f\n"
		   "           1           -  g\n");
	show_end(&s);
}

/* What a target calls itself moves nothing on the screen. */
static void on_a_screen(void **state)
{
	struct trace_top top = how();
	struct show s;
	uint32_t map;

	(void)state;
	top.rows = 4;
	top.columns = 27;
	top.home = "<";
	top.line_end = "|";
	top.end = ">";
	show_begin(&s);
	map = show_map(&s, "@", KT_MAP_COUNT, TYPES(&show_string), &show_int);
	show_ready(&s, TRACE_TEXT);
	trace_reader_top(s.reader, &top, false);
	add(&s, map, "a\n b", 4);
	add(&s, map, "a long name", 3);
	add(&s, map, "third", 2);
	trace_reader_top(s.reader, &top, true);
	top_is(&s, "         ALL  @|\n"
		   "           4  a |\n"
		   "           3  a |>\n");
	show_end(&s);
}

static void histograms(void **state)
{
	struct trace_top top = how();
	struct show s;
	uint32_t map;
	char *at;

	(void)state;
	show_begin(&s);
	map = show_map(&s, "@h", KT_MAP_HIST, TYPES(&show_string), &show_int);
	show_ready(&s, TRACE_TEXT);
	add(&s, map, "k", 7);
	trace_reader_top(s.reader, &top, false);
	add(&s, map, "k", 2);
	trace_reader_top(s.reader, &top, true);
	fflush(s.out);
	at = strstr(s.text, "9  @h[k]\n[4, 8)                 2 |@@@");
	assert_non_null(at);
	show_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(most_first),
		cmocka_unit_test(rounds_end),
		cmocka_unit_test(means),
		cmocka_unit_test(on_a_screen),
		cmocka_unit_test(histograms),
	};

	return cmocka_run_group_tests_name("trace_top", tests, NULL, NULL);
}
