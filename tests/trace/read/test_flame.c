// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Maps of stacks as folded lines, as a tree, and as a picture. */
#include "show.h"

static const struct trace_type kstack = {
	.kind = TRACE_KSTACK, .size = 8, .format = "",
}, ustack = { .kind = TRACE_USTACK, .size = 8, .format = "" };

struct key {
	char comm[16];
	u64 user, kernel;
};

/* Two processes' stacks with the kernel's on top. */
static void begin(struct show *s, const char *name)
{
	static const u64 user[][2] = { { 0x2000, 0x1001 }, { 0x3000, 0x1001 } };
	static const u64 kernel[] = { 0x9001, 0x80 };
	struct key key = { { 0 }, 0, KT_NO_STACK };
	u32 map, i;

	show_begin(s);
	map = show_map(s, "@", KT_MAP_COUNT, TYPES(&show_string, &ustack, &kstack),
		       &show_int);
	show_map(s, "@other", KT_MAP_COUNT, TYPES(&show_string), &show_int);
	show_ready(s, TRACE_TEXT);
	strcpy(key.comm, name);
	key.user = 5ull << 32 | kt_stack_put(&s->build.vm, user[0], 2);
	for (i = 0; i < 3; i++)
		show_add(s, map, &key, 0);
	key.user = 5ull << 32 | kt_stack_put(&s->build.vm, user[1], 2);
	show_add(s, map, &key, 0);
	key.kernel = kt_stack_put(&s->build.vm, kernel, 2);
	for (i = 0; i < 4; i++)
		show_add(s, map, &key, 0);
}

static void folded(void **state)
{
	struct show s;

	(void)state;
	begin(&s, "a b;c\n");
	trace_reader_folded(s.reader, s.out);
	show_is(&s, "a b_c_;u5_100;u5_200 3\n"
		    "a b_c_;u5_100;u5_300 1\n"
		    "a b_c_;u5_100;u5_300;0x80;k0_900 4\n");
	show_end(&s);
}

static void tree(void **state)
{
	struct show s;

	(void)state;
	begin(&s, "a b;c\n");
	trace_reader_tree(s.reader, s.out);
	show_is(&s, "     CALLS         FUNCTION\n"
		    "         8 100.0%  a b_c_\n"
		    "         8 100.0%  u5_100\n"
		    "         5  62.5%    u5_300\n"
		    "         4  50.0%      0x80\n"
		    "         4  50.0%      k0_900\n"
		    "         3  37.5%    u5_200\n");
	show_end(&s);
}

static void flame(void **state)
{
	struct show s;
	u32 all = 0, names = 0;
	const char *at;

	(void)state;
	begin(&s, "<a&\xff");
	trace_reader_flame(s.reader, "title", s.out);
	fflush(s.out);
	for (at = s.text; (at = strstr(at, "<rect ")); at++)
		all++;
	for (at = s.text; (at = strstr(at, "</text>")); at++)
		names++;
	/* With the background, and the title, and what asks for a search. */
	assert_int_equal(all, 8);
	assert_int_equal(names, 9);
	assert_non_null(strstr(s.text, "<title>&#60;a&#38;\xef\xbf\xbd (8, 100.00%)"
				       "</title><rect x=\"10.0\" y=\"104.0\" "
				       "width=\"1180.0\" height=\"15\""));
	assert_non_null(strstr(s.text, "<title>u5_300 (5, 62.50%)</title>"
				       "<rect x=\"452.5\" y=\"72.0\" width=\"737.5\""));
	assert_non_null(strstr(s.text, "<title>k0_900 (4, 50.00%)</title>"
				       "<rect x=\"600.0\" y=\"40.0\" width=\"590.0\""));
	show_end(&s);
}

/* gzip's head, one stored block, and behind it a sum and a length. */
static void pprof(void **state)
{
	static const char *const texts[] = { "a b_c_", "u5_100", "u5_300", "k0_900", "[kernel]" };
	struct show s;
	size_t len, at, i;

	(void)state;
	begin(&s, "a b;c\n");
	trace_reader_pprof(s.reader, s.out);
	fflush(s.out);
	len = s.len;
	assert_true(len > 23 && !memcmp(s.text, "\x1f\x8b\x08\0", 4));
	assert_int_equal(s.text[10], 1);
	at = (unsigned char)s.text[11] | (size_t)(unsigned char)s.text[12] << 8;
	assert_int_equal(at, len - 23);
	assert_int_equal((unsigned char)s.text[len - 4] | (size_t)(unsigned char)s.text[len - 3] << 8, at);
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_non_null(memmem(s.text, len, texts[i], strlen(texts[i])));
	/* Each once. */
	at = (size_t)((char *)memmem(s.text, len, "u5_100", 6) - s.text) + 1;
	assert_null(memmem(s.text + at, len - at, "u5_100", 6));
	show_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folded),
		cmocka_unit_test(pprof),
		cmocka_unit_test(tree),
		cmocka_unit_test(flame),
	};

	return cmocka_run_group_tests_name("trace_flame", tests, NULL, NULL);
}
