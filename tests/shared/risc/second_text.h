/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * second_text.h - a text of little functions, and what is known of the one at its beginning.
 *
 * Owns: that text, at TEXT, which a port's test_second.c defines before.  Whoever sets
 * patched_at has somebody make another instruction of the one there.
 */
#ifndef TESTS_WORDS_SECOND_TEXT_H
#define TESTS_WORDS_SECOND_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <string.h>
#include <cmocka.h>

#include "code.h"

#define LEN 0x200u
#define OTHER 0x100u		/* where a second function stands */

static uint8_t text[LEN];
static uintptr_t patched_at;

static int read_text(uint8_t *dst, uintptr_t addr, size_t len)
{
	if (addr < TEXT || addr + len > TEXT + LEN)
		return -1;
	memcpy(dst, text + (addr - TEXT), len);
	return 0;
}

static bool patched(uintptr_t addr, size_t len)
{
	return patched_at && patched_at - addr < len;
}

static void put(const void *code, size_t len)
{
	memset(text, 0xff, sizeof(text));
	memcpy(text, code, len);
}

/* What is known of it: each is more than the one before. */
enum { ANYTHING, SPARES, BARE };

static int answer(uintptr_t addr)
{
	bool spares = kp_arch_spares_second(addr, read_text, patched);
	bool bare = kp_arch_leaves_nothing(addr, read_text, patched);

	assert_false(bare && !spares);
	return spares + bare;
}

/* What is asserted of code made of type's numbers, called by addr. */
#define ANSWER(type, addr, what, ...)					\
	do {								\
		const type code_[] = { __VA_ARGS__ };			\
		put(code_, sizeof(code_));				\
		assert_int_equal(answer(addr), what);			\
	} while (0)

#endif
