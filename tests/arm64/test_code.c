/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_code.c - what arm64 functions do, as the port sees it.
 *
 * Owns: who looks at its return address, who uses vector registers, who changes what
 * its second argument points to: by words made for it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "auth.h"
#include "code.h"

#define TEXT 0x400000ull
#define OTHER (TEXT + 0x100)	/* another function, or an entry of a table */
#define WORD (TEXT + 0x2018)
#define WORDS 0x80

#define RET 0xd65f03c0
#define PUSH 0xa9be7bfd		/* stp x29, x30, [sp, #-32]! */
#define FRAME 0x910003fd	/* mov x29, sp */
#define POP 0xa8c27bfd		/* ldp x29, x30, [sp], #32 */
#define BL_OTHER(at) (0x94000000 | (0x100 - (at)) / 4)
#define B_OTHER(at) (0x14000000 | (0x100 - (at)) / 4)

static uint32_t text[WORDS];
static size_t len;
static uintptr_t followed, patched_at;

bool kp_a64_authenticate(uint64_t value, uint64_t modifier, bool key_b,
			 uint64_t *target)
{
	(void)value, (void)modifier, (void)key_b, (void)target;
	return false;
}

static int read_text(uint8_t *dst, uintptr_t addr, size_t n)
{
	const uintptr_t word = 0x123450;

	if (addr == WORD && n == sizeof(word)) {
		memcpy(dst, &word, n);
		return 0;
	}
	if (addr < TEXT || addr + n > TEXT + sizeof(text))
		return -EFAULT;
	memcpy(dst, (const uint8_t *)text + (addr - TEXT), n);
	return 0;
}

static void function(uintptr_t at, const uint32_t *words, size_t nr)
{
	memcpy((uint8_t *)text + (at - TEXT), words, nr * 4);
	if (at == TEXT)
		len = nr * 4;
}

#define FUNCTION(at, ...) do { \
		const uint32_t words_[] = { __VA_ARGS__ }; \
		function(at, words_, sizeof(words_) / 4); \
	} while (0)

static bool minds(uintptr_t to, uintptr_t word)
{
	(void)word;
	return to == followed;
}

static bool sees(void)
{
	const struct kp_arch_caller how = {
		.read = read_text, .reads = true, .follows = followed ? minds : NULL,
	};

	return kp_arch_sees_caller(TEXT, len, &how);
}

static void test_looks(void **state)
{
	(void)state;
	followed = 0;
	FUNCTION(TEXT, 0xaa1e03e0, RET);			/* mov x0, x30 */
	assert_true(sees());
	FUNCTION(TEXT, 0xd50320ff, RET);			/* xpaclri */
	assert_true(sees());
	FUNCTION(TEXT, 0xdac143fe, RET);			/* xpaci x30 */
	assert_true(sees());
	FUNCTION(TEXT, 0xca0303c4, RET);			/* eor x4, x30, x3 */
	assert_true(sees());
	FUNCTION(TEXT, 0xa900781d, RET);			/* stp x29, x30, [x0] */
	assert_true(sees());
	FUNCTION(TEXT, 0xf900041e, RET);			/* str x30, [x0, #8] */
	assert_true(sees());
	FUNCTION(TEXT, PUSH, FRAME, 0xf94007a0, POP, RET);	/* ldr x0, [x29, #8] */
	assert_true(sees());
	FUNCTION(TEXT, PUSH, 0xd10043ff, 0xf9400fe0,		/* sub sp, sp, #16; ldr x0, [sp, #24] */
		 0x910043ff, POP, RET);
	assert_true(sees());
	FUNCTION(TEXT, PUSH, 0xa900d3f3, POP, RET);		/* stp x19, x20, [sp, #8] */
	assert_true(sees());
	/* On the second of two ways. */
	FUNCTION(TEXT, 0xb4000040, RET, 0xaa1e03e0, RET);	/* cbz x0, . + 8 */
	assert_true(sees());
}

static void test_does_not_look(void **state)
{
	(void)state;
	followed = 0;
	FUNCTION(TEXT, PUSH, FRAME, 0xa90153f3, BL_OTHER(12),	/* stp x19, x20, [sp, #16] */
		 0xaa1e03e0,					/* mov x0, x30: ours */
		 0xa94153f3, POP, RET);
	assert_false(sees());
	FUNCTION(TEXT, 0xd503233f, PUSH, POP, 0xd50323bf, RET);	/* paciasp, autiasp */
	assert_false(sees());
	FUNCTION(TEXT, 0xaa1e03e9, BL_OTHER(4), 0xd65f0120);	/* mov x9, x30; ret x9 */
	assert_false(sees());
	/* What was given back is somebody else's. */
	FUNCTION(TEXT, PUSH, POP, 0xa9be53f3, 0xa8c253f3, RET);	/* stp x19, x20, [sp, #-32]! */
	assert_false(sees());
	/* cmp sp, x0; and a stack that moves by a register */
	FUNCTION(TEXT, PUSH, 0xeb2063ff, 0xcb2063ff, 0xf94007e0, RET);
	assert_false(sees());
}

static void test_leaves(void **state)
{
	(void)state;
	followed = OTHER;
	FUNCTION(TEXT, B_OTHER(0));
	assert_true(sees());
	FUNCTION(TEXT, PUSH, POP, B_OTHER(8));
	assert_true(sees());
	FUNCTION(TEXT, BL_OTHER(0), B_OTHER(4));
	assert_false(sees());
	/* adrp x16, 0x402000; ldr x17, [x16, #0x18]; add x16, x16, #0x18; br x17 */
	followed = 0x123450;
	FUNCTION(TEXT, B_OTHER(0));
	FUNCTION(OTHER, 0xd0000010, 0xf9400e11, 0x91006210, 0xd61f0220);
	assert_true(sees());
	FUNCTION(OTHER, 0xd503245f, 0xd0000010, 0xf9400e11, 0x91006210, 0xd61f0220);
	assert_true(sees());
	followed = 0x123454;
	assert_false(sees());
}

static bool known(uintptr_t addr)
{
	return addr == 0x123450;
}

static bool constant(uintptr_t addr, uintptr_t *word)
{
	return addr == WORD && !read_text((uint8_t *)word, addr, sizeof(*word));
}

static bool pure(void)
{
	return kp_arch_purity(TEXT, read_text, known, constant) == KP_ARCH_PURE_GPR;
}

static void test_pure(void **state)
{
	static const uint32_t others[] = {
		0x1e604020,	/* fmov d0, d1 */
		0x3dc00000,	/* ldr q0, [x0] */
		0x6d000400,	/* stp d0, d1, [x0] */
		0x04205000,	/* addvl, of SVE */
		0xd53b4400 & ~0x200000,	/* msr fpcr, x0 */
		0xd4000001,	/* svc #0 */
		0xd63f0000,	/* blr x0 */
		0xd61f0000,	/* br x0 */
		0xaa0003fe,	/* mov x30, x0 */
		0xffffffff,
	};
	size_t i;

	(void)state;
	FUNCTION(TEXT, PUSH, FRAME, 0x91000420, 0xb4000040, 0xf9400000, BL_OTHER(20), POP, RET);
	FUNCTION(OTHER, 0xd53b4200, 0xd503201f, 0x9b017c00, RET);	/* mrs; nop; mul */
	assert_true(pure());
	assert_true(kp_arch_general_only(TEXT, TEXT + len, read_text));
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		FUNCTION(OTHER, others[i], RET);
		assert_false(pure());
	}
	FUNCTION(TEXT, 0x1e604020, RET);
	assert_false(kp_arch_general_only(TEXT, TEXT + len, read_text));
	/* By way of a table, whose word stays. */
	FUNCTION(TEXT, B_OTHER(0));
	FUNCTION(OTHER, 0xd0000010, 0xf9400e11, 0x91006210, 0xd61f0220);
	assert_true(pure());
	assert_int_equal(kp_arch_purity(TEXT, read_text, known, NULL), KP_ARCH_PURE_NOT);
	assert_int_equal(kp_arch_purity(TEXT, read_text, NULL, constant), KP_ARCH_PURE_NOT);
}

static bool patched(uintptr_t addr, size_t n)
{
	return n == 4 && addr == patched_at;
}

static bool spares(void)
{
	return kp_arch_spares_second(TEXT, read_text, patched);
}

static void test_second(void **state)
{
	static const uint32_t changes[] = {
		0xf9000020,	/* str x0, [x1] */
		0xaa0103e2,	/* mov x2, x1 */
		0xf9000001,	/* str x1, [x0] */
		0xf8408c22,	/* ldr x2, [x1, #8]! */
		0x91000421,	/* add x1, x1, #1 */
		0xc8217c20,	/* casp ... */
		0xf8210000,	/* ldadd x1, x0, [x0] */
		0xd51b4201,	/* msr nzcv, x1 */
	};
	size_t i;

	(void)state;
	patched_at = 0;
	/* add x0, x0, #1; ldr x2, [x1, #8]; ldp x2, x3, [x1]; str x0, [x3, #8]; b 1f: */
	FUNCTION(TEXT, 0x91000400, 0xf9400422, 0xa9400c22, 0xf9000460, 0x14000001, RET);
	assert_true(spares());
	patched_at = TEXT + 16;
	assert_false(spares());
	patched_at = 0;
	for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		FUNCTION(TEXT, changes[i], RET);
		assert_false(spares());
	}
}

static void test_second_lost(void **state)
{
	static const uint32_t gone[] = {
		0xf9400041,	/* ldr x1, [x2] */
		0x38626841,	/* ldrb w1, [x2, x2] */
		0xd2800001,	/* mov x1, #0 */
		0x90000001,	/* adrp x1, page */
		0x91000441,	/* add x1, x2, #1 */
		0xaa0203e1,	/* mov x1, x2 */
		0x9a820041,	/* csel x1, x2, x2, eq */
		0x9b027c41,	/* mul x1, x2, x2 */
	};
	static const uint32_t there[] = {
		0xf9800041,	/* prfm pldl1strm, [x2] */
		0xf2800001,	/* movk x1, #0 */
		0xb3400041,	/* bfxil x1, x2, #0, #1 */
		0xdac10041,	/* pacia x1, x2 */
		0xfa420041,	/* ccmp x2, x2, #1, eq */
		0x91000421,	/* add x1, x1, #1 */
	};
	size_t i;

	(void)state;
	patched_at = 0;
	for (i = 0; i < sizeof(gone) / sizeof(gone[0]); i++) {
		/* ...; add x1, x1, #1; str x1, [x2] */
		FUNCTION(TEXT, gone[i], 0x91000421, 0xf9000041, RET);
		assert_true(spares());
	}
	for (i = 0; i < sizeof(there) / sizeof(there[0]); i++) {
		FUNCTION(TEXT, there[i], 0xf9000041, RET);
		assert_false(spares());
	}
	/* Somebody may come to the second one with what it was: cbnz x0, back */
	FUNCTION(TEXT, gone[0], 0xf9000041, 0xb5ffffe0, RET);
	assert_false(spares());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_looks),
		cmocka_unit_test(test_does_not_look),
		cmocka_unit_test(test_leaves),
		cmocka_unit_test(test_pure),
		cmocka_unit_test(test_second),
		cmocka_unit_test(test_second_lost),
	};

	return cmocka_run_group_tests_name("a64_code", tests, NULL, NULL);
}
