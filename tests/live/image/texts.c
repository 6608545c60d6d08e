/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * texts.c - numbers and texts of the process host's own (parse.c, format.c, mem.c).
 *
 * Each does what the C library's does, on texts and numbers that are drawn at random.  Those of
 * mem.c have the C library's names, and are hidden: what is called here is ours.
 */
#include "freestanding/format.h"
#include "freestanding/parse.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 200000

int kp_user_copy(void *dst, const void *src, size_t len);

/* In the host's place: format.c reads what it is to print with care. */
int kp_user_copy(void *dst, const void *src, size_t len)
{
	char *to = dst;
	const char *from = src;

	if (src == (const void *)8)
		return -EFAULT;
	while (len--)
		*to++ = *from++;
	return 0;
}

static uint64_t seed = 88172645463325252ull;

static uint64_t draw(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static void say(const char *name, const char *wrong)
{
	printf(wrong[0] ? "not ok %s: %s\n" : "ok %s%s\n", name, wrong);
}

/* Few characters, so that much is alike. */
static void draw_text(char *text, size_t most, const char *set)
{
	size_t len = draw() % (most + 1), i, nr = strlen(set);

	for (i = 0; i < len; i++)
		text[i] = set[draw() % nr];
	text[len] = 0;
}

static void test_strings(void)
{
	char *(*find)(const char *, const char *) = dlsym(RTLD_DEFAULT, "strstr");
	size_t (*of)(const char *, const char *) = dlsym(RTLD_DEFAULT, "strspn");
	size_t (*until)(const char *, const char *) = dlsym(RTLD_DEFAULT, "strcspn");
	void *(*byte)(const void *, int, size_t) = dlsym(RTLD_DEFAULT, "memchr");
	char text[32], set[8], wrong[128] = "";
	int i, c;

	if (find == strstr || of == strspn || until == strcspn || byte == memchr)
		snprintf(wrong, sizeof(wrong), "the C library's own are called");
	for (i = 0; i < ROUNDS && !wrong[0]; i++) {
		draw_text(text, sizeof(text) - 1, "ab ");
		draw_text(set, 3, "ab c");
		c = set[0] | (int)(draw() & ~255ull);
		if (strstr(text, set) != find(text, set) || strspn(text, set) != of(text, set) ||
		    strcspn(text, set) != until(text, set) ||
		    memchr(text, c, strlen(text)) != byte(text, c, strlen(text)))
			snprintf(wrong, sizeof(wrong), "\"%s\" in \"%s\"", set, text);
	}
	say("strings are found as the C library finds them", wrong);
}

static void test_parse(void)
{
	static const unsigned int bases[] = { 0, 8, 10, 16, 0, 10, 16 };
	char text[40], wrong[128] = "", *end;
	unsigned long long expected;
	const char *at;
	unsigned int base;
	uint64_t value;
	bool ok;
	int i;

	for (i = 0; i < ROUNDS && !wrong[0]; i++) {
		base = bases[draw() % 7];
		draw_text(text, 24, i % 3 ? "0123456789" : "0x1fF9 gz");
		if (i % 5 == 0)
			snprintf(text, sizeof(text), base == 16 ? "%llx" : base == 8 ? "%llo" : "%llu",
				 (unsigned long long)(draw() >> draw() % 64));
		errno = 0;
		expected = strtoull(text, &end, (int)base);
		at = text;
		ok = kp_user_parse(&at, base, &value);
		if (at != end || ok != (end != text && !errno) || (ok && value != expected))
			snprintf(wrong, sizeof(wrong), "\"%s\" in base %u", text, base);
	}
	say("numbers are read as the C library reads them", wrong);
}

static const char *const formats[] = {
	"%d", "%5d|", "%-5d|", "%05d", "%+d", "% d", "%x", "%X", "%08x", "%o", "%u", "%c", "%.3d",
	"%-8x|", "%hd", "%hhu",
};
static const char *const long_formats[] = {
	"%ld", "%lx", "%lu", "%zu", "%016lx", "%-20ld|",
};
static const char *const longest_formats[] = { "%lld", "%llx", "%llu", "%016llx", "%020llu" };

#define PICK(set) (set)[draw() % (sizeof(set) / sizeof((set)[0]))]

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
static void test_print(void)
{
	char ours[48], theirs[48], wrong[160] = "", text[24];
	const char *fmt;
	size_t len, expected, room;
	uint64_t value;
	int i;

	for (i = 0; i < ROUNDS && !wrong[0]; i++) {
		room = 1 + draw() % sizeof(ours);
		value = draw() >> draw() % 64;
		switch (i % 4) {
		case 0:
			fmt = PICK(formats);
			len = kp_user_print(ours, room, fmt, (int)value);
			expected = (size_t)snprintf(theirs, room, fmt, (int)value);
			break;
		case 1:
			fmt = PICK(long_formats);
			len = kp_user_print(ours, room, fmt, (long)value);
			expected = (size_t)snprintf(theirs, room, fmt, (long)value);
			break;
		case 2:
			fmt = PICK(longest_formats);
			len = kp_user_print(ours, room, fmt, (long long)value);
			expected = (size_t)snprintf(theirs, room, fmt, (long long)value);
			break;
		default:
			fmt = "%d %s|%-6s|%.3s|";
			draw_text(text, 8, "abc");
			room = sizeof(ours);
			len = kp_user_print(ours, room, fmt, i, text, text, text);
			expected = (size_t)snprintf(theirs, room, fmt, i, text, text, text);
		}
		/* A character of 0 is printed as one by both. */
		if (len != expected || memcmp(ours, theirs, len < room ? len + 1 : room))
			snprintf(wrong, sizeof(wrong), "%s of %llx in %zu: \"%s\", not \"%s\"", fmt,
				 (unsigned long long)value, room, ours, theirs);
	}
	say("text is printed as the C library prints it", wrong);
	wrong[0] = 0;
	len = kp_user_print(ours, sizeof(ours), "%s %s", (const char *)8, "x");
	if (len != 7 || strcmp(ours, "(bad) x") || kp_user_print(ours, 0, "%d", 100) != 3)
		snprintf(wrong, sizeof(wrong), "\"%s\"", ours);
	say("text that cannot be read is said to be bad", wrong);
}

int main(void)
{
	test_strings();
	test_parse();
	test_print();
	return 0;
}
