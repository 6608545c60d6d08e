/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The decoder's contract with its callers: what it returns at the end of a
 * buffer, what it refuses, and that it reads nothing past the end.  The breadth
 * of the opcode map is the business of tests/insn/.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/mman.h>
#include <unistd.h>

#include "insn.h"

struct sample {
	uint8_t len;
	uint8_t bytes[16];
};

/* Valid in 64-bit mode; between them, every way of ending. */
static const struct sample samples64[] = {
	{ 1, { 0x90 } },
	{ 5, { 0xE8, 1, 0, 0, 0 } },
	{ 4, { 0xF3, 0x0F, 0x1E, 0xFA } },
	{ 10, { 0x48, 0xB8, 1, 2, 3, 4, 5, 6, 7, 8 } },
	{ 10, { 0x48, 0xA1, 1, 2, 3, 4, 5, 6, 7, 8 } },
	{ 4, { 0xC8, 0x10, 0x00, 0x01 } },
	{ 12, { 0x48, 0xC7, 0x84, 0xE5, 1, 2, 3, 4, 5, 6, 7, 8 } },
	{ 11, { 0x48, 0xC7, 0x05, 1, 2, 3, 4, 5, 6, 7, 8 } },
	{ 5, { 0x0F, 0x0F, 0x40, 0x08, 0xB0 } },
	{ 6, { 0x66, 0x0F, 0x78, 0xC1, 4, 8 } },
	{ 8, { 0xC5, 0xF9, 0x6F, 0x05, 1, 2, 3, 4 } },
	{ 6, { 0xC4, 0xE3, 0xF9, 0x16, 0xC0, 0x01 } },
	{ 9, { 0x8F, 0xEA, 0x78, 0x10, 0xC0, 1, 2, 3, 4 } },
	{ 8, { 0x62, 0xF1, 0x7C, 0x48, 0xC2, 0x40, 0x01, 0x03 } },
	{ 15, { 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x2E, 0x0F, 0x1F, 0x84, 0, 0, 0, 0, 0 } },
};

static const struct sample samples32[] = {
	{ 1, { 0x40 } },
	{ 7, { 0x9A, 1, 2, 3, 4, 8, 0 } },
	{ 6, { 0x66, 0xEA, 1, 2, 8, 0 } },
	{ 5, { 0xA1, 1, 2, 3, 4 } },
	{ 4, { 0x67, 0xA1, 1, 2 } },
	{ 4, { 0x67, 0x8B, 0x46, 0x10 } },
	{ 5, { 0x67, 0x8B, 0x06, 1, 2 } },
	{ 4, { 0x66, 0xE9, 1, 2 } },
	{ 2, { 0xC4, 0x00 } },
	{ 3, { 0xC5, 0xF8, 0x77 } },
	{ 2, { 0x62, 0x00 } },
};

/* Refused in 64-bit mode. */
static const struct sample invalid64[] = {
	{ 1, { 0x06 } }, { 1, { 0x27 } }, { 1, { 0x60 } }, { 2, { 0x82, 0xC0 } },
	{ 7, { 0x9A, 0, 0, 0, 0, 0, 0 } }, { 1, { 0xCE } }, { 1, { 0xD6 } }, { 2, { 0xD4, 0x0A } },
	{ 7, { 0xEA, 0, 0, 0, 0, 0, 0 } },
	{ 3, { 0xF0, 0x01, 0xC0 } },		/* lock add to a register */
	{ 3, { 0xF0, 0x8B, 0x00 } },		/* lock mov */
	{ 3, { 0xF0, 0x0F, 0x0B } },		/* lock ud2 */
	{ 2, { 0xFF, 0xF8 } },			/* FF/7 */
	{ 2, { 0xFE, 0xD0 } },			/* FE/2 */
	{ 2, { 0x8F, 0x48 } },			/* 8F/1 */
	{ 2, { 0x8D, 0xC0 } },			/* lea of a register */
	{ 3, { 0x0F, 0x13, 0xC0 } },		/* movlps to a register */
	{ 4, { 0x66, 0x0F, 0xF7, 0x00 } },	/* maskmovdqu from memory */
	{ 3, { 0x0F, 0xB8, 0xC0 } },		/* popcnt without F3 */
	{ 4, { 0xF2, 0x0F, 0x6F, 0xC0 } },	/* no F2 form */
	{ 4, { 0x66, 0xC5, 0xF8, 0x77 } }, { 4, { 0xF2, 0xC5, 0xF8, 0x77 } },
	{ 4, { 0xF3, 0xC5, 0xF8, 0x77 } }, { 4, { 0xF0, 0xC5, 0xF8, 0x77 } },
	{ 4, { 0x48, 0xC5, 0xF8, 0x77 } },
	{ 3, { 0xC5, 0xF0, 0x77 } },		/* vvvv where unused */
	{ 4, { 0xC4, 0xE0, 0x78, 0x77 } },	/* VEX map 0 */
	{ 6, { 0x62, 0xF1, 0x7C, 0xC8, 0x58, 0xC1 } },	/* z without a mask */
	{ 6, { 0x62, 0xF9, 0x7C, 0x48, 0x58, 0xC1 } },	/* reserved bit */
	{ 6, { 0x62, 0xF1, 0x78, 0x48, 0x58, 0xC1 } },	/* MVEX */
	{ 6, { 0x62, 0xF1, 0x7C, 0x68, 0x58, 0xC1 } },	/* L'L = 3 */
	{ 6, { 0x62, 0xF1, 0x7C, 0xC9, 0x11, 0x00 } },	/* zeroing store */
	{ 7, { 0x62, 0xF2, 0x7D, 0x48, 0x90, 0x04, 0x08 } },	/* gather without a mask */
};

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* The last bytes of a page; the next page cannot be read. */
static uint8_t *guard;

static int map_guard(void **state)
{
	long page = sysconf(_SC_PAGESIZE);
	uint8_t *base = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	if (base == MAP_FAILED || mprotect(base + page, page, PROT_NONE))
		return -1;
	guard = base + page;
	return 0;
}

static int decode(const uint8_t *bytes, size_t len, enum kp_insn_mode mode, struct kp_insn *insn)
{
	memcpy(guard - len, bytes, len);
	return kp_insn_decode(insn, guard - len, len, mode);
}

static void check_every_length(const struct sample *samples, size_t nr, enum kp_insn_mode mode)
{
	struct kp_insn insn;
	size_t i, len;

	for (i = 0; i < nr; i++) {
		for (len = 0; len < samples[i].len; len++)
			assert_int_equal(decode(samples[i].bytes, len, mode, &insn), -ENODATA);
		assert_int_equal(decode(samples[i].bytes, len, mode, &insn), 0);
		assert_int_equal(insn.length, samples[i].len);
	}
}

static void truncated_at_every_length_64(void **state)
{
	(void)state;
	check_every_length(samples64, NR(samples64), KP_INSN_64);
}

static void truncated_at_every_length_32(void **state)
{
	(void)state;
	check_every_length(samples32, NR(samples32), KP_INSN_32);
}

static void what_follows_does_not_matter(void **state)
{
	struct kp_insn insn, again;
	uint8_t bytes[32];
	size_t i;

	(void)state;
	for (i = 0; i < NR(samples64); i++) {
		memset(bytes, 0xFF, sizeof(bytes));
		memcpy(bytes, samples64[i].bytes, samples64[i].len);
		assert_int_equal(kp_insn_decode(&insn, bytes, sizeof(bytes), KP_INSN_64), 0);
		assert_int_equal(decode(bytes, samples64[i].len, KP_INSN_64, &again), 0);
		assert_memory_equal(&insn, &again, sizeof(insn));
	}
}

static void invalid_encodings_are_refused(void **state)
{
	struct kp_insn insn;
	uint8_t bytes[KP_INSN_MAX];
	size_t i;

	(void)state;
	for (i = 0; i < NR(invalid64); i++) {
		memset(bytes, 0, sizeof(bytes));
		memcpy(bytes, invalid64[i].bytes, invalid64[i].len);
		if (kp_insn_decode(&insn, bytes, sizeof(bytes), KP_INSN_64) != -EILSEQ)
			fail_msg("invalid64[%zu] was accepted", i);
	}
}

static void sixteen_bytes_are_refused(void **state)
{
	uint8_t bytes[32];
	struct kp_insn insn;

	(void)state;
	memset(bytes, 0x66, sizeof(bytes));
	bytes[14] = 0x90;
	assert_int_equal(kp_insn_decode(&insn, bytes, sizeof(bytes), KP_INSN_64), 0);
	assert_int_equal(insn.length, 15);
	bytes[14] = 0x66;
	bytes[15] = 0x90;
	assert_int_equal(kp_insn_decode(&insn, bytes, sizeof(bytes), KP_INSN_64), -EILSEQ);
	assert_int_equal(decode(bytes, 14, KP_INSN_64, &insn), -ENODATA);
}

static void modes_differ(void **state)
{
	static const uint8_t inc_or_rex[] = { 0x48, 0x90 };
	static const uint8_t jump[] = { 0x66, 0xE9, 0, 0, 0, 0 };
	static const uint8_t absolute[] = { 0x8B, 0x05, 0, 0, 0, 0 };
	struct kp_insn insn;

	(void)state;
	assert_int_equal(decode(inc_or_rex, 2, KP_INSN_32, &insn), 0);
	assert_int_equal(insn.length, 1);
	assert_int_equal(decode(inc_or_rex, 2, KP_INSN_64, &insn), 0);
	assert_int_equal(insn.rex, 0x48);
	assert_int_equal(decode(jump, 6, KP_INSN_32, &insn), 0);
	assert_int_equal(insn.length, 4);
	assert_int_equal(decode(jump, 6, KP_INSN_64, &insn), 0);
	assert_int_equal(insn.length, 6);
	assert_int_equal(decode(absolute, 6, KP_INSN_32, &insn), 0);
	assert_false(insn.flags & KP_INSN_RIP_REL);
	assert_int_equal(decode(absolute, 6, KP_INSN_64, &insn), 0);
	assert_true(insn.flags & KP_INSN_RIP_REL);
}

static void scratch_register_mask_covers_what_is_used(void **state)
{
	static const uint8_t cmpxchg16b[] = { 0xF0, 0x48, 0x0F, 0xC7, 0x0D, 0, 0, 0, 0 };
	static const uint8_t store_ah[] = { 0x88, 0x25, 0, 0, 0, 0 };
	static const uint8_t andn[] = { 0xC4, 0x62, 0x60, 0xF2, 0x05, 0, 0, 0, 0 };
	struct kp_insn insn;

	(void)state;
	assert_int_equal(decode(cmpxchg16b, 9, KP_INSN_64, &insn), 0);
	assert_int_equal(insn.gprs, 0x000F);
	assert_int_equal(decode(store_ah, 6, KP_INSN_64, &insn), 0);
	assert_int_equal(insn.gprs, 0x0001);
	assert_int_equal(decode(andn, 9, KP_INSN_64, &insn), 0);
	assert_int_equal(insn.gprs, 1 << 8 | 1 << 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(truncated_at_every_length_64),
		cmocka_unit_test(truncated_at_every_length_32),
		cmocka_unit_test(what_follows_does_not_matter),
		cmocka_unit_test(invalid_encodings_are_refused),
		cmocka_unit_test(sixteen_bytes_are_refused),
		cmocka_unit_test(modes_differ),
		cmocka_unit_test(scratch_register_mask_covers_what_is_used),
	};

	return cmocka_run_group_tests(tests, map_guard, NULL);
}
