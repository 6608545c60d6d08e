/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_second.c - what functions of MIPS do to what their second argument points to, and what
 * they may leave behind.
 *
 * Owns: little functions in a text of their own, each with the answers.
 */
#define TEXT ((uintptr_t)0x7f001000)
#include "second_text.h"

#define RET 0x03e00008u, 0	/* jr ra; nop */

#define CODE(what, ...) ANSWER(uint32_t, TEXT, what, __VA_ARGS__)

/* lui v1, 0x8012 */
#define STATIC 0x3c038012u

static void test_bare(void **state)
{
	(void)state;
	patched_at = 0;
	CODE(BARE, RET);
	CODE(BARE, 0x03e00008, 0x00001025);		/* jr ra; move v0, zero */
	/* hits++: lw v0, 16(v1); addiu v0, v0, 1; jr ra; sw v0, 16(v1) */
	CODE(BARE, STATIC, 0x8c620010, 0x24420001, 0x03e00008, 0xac620010);
	/* ... of 64 bits: lui a0; daddiu a0, a0; lui v0; dsll a0, a0, 32; daddu a0, a0, v0; ld; sd below it */
	CODE(BARE, 0x3c048000, 0x64840012, 0x3c028034, 0x0004203c, 0x0082202d, 0xdc83fff0, 0x64630001,
	     0x03e00008, 0xfc83fff0);
	/* ... atomically: ll v0, 0(v1); addiu v0, v0, 1; sc v0, 0(v1); beq v0, zero, back; nop */
	CODE(BARE, STATIC, 0xc0620000, 0x24420001, 0xe0620000, 0x1040fffc, 0, RET);
	/* addiu sp, sp, -16; sd v0, 8(sp); addiu sp, sp, 16 */
	CODE(BARE, 0x27bdfff0, 0xffa20008, 0x27bd0010, RET);
	/* sd ra, 8(sp); ld ra, 8(sp) */
	CODE(BARE, 0x27bdfff0, 0xffbf0008, 0xdfbf0008, 0x03e00008, 0x27bd0010);
	/* b 1f; nop; ...; 1: */
	CODE(BARE, 0x10000002, 0, 0xffffffff, RET);
	CODE(BARE, 0x8ca20010, RET);			/* lw v0, 16(a1) */
	CODE(BARE, 0xdca50010, RET);			/* ld a1, 16(a1) */
}

static void test_left_behind(void **state)
{
	(void)state;
	CODE(SPARES, 0xac820000, RET);			/* sw v0, 0(a0) */
	CODE(SPARES, STATIC, 0x8c630000, 0xac620000, RET);	/* lw v1, 0(v1); sw v0, 0(v1) */
	CODE(SPARES, STATIC, 0x00641821, 0xac620000, RET);	/* addu v1, v1, a0; sw v0, 0(v1) */
	CODE(SPARES, 0xaf820000, RET);			/* sw v0, 0(gp) */
	CODE(SPARES, 0xac020000, RET);			/* sw v0, 0(zero) */
	CODE(SPARES, 0xafa24000, RET);			/* sw v0, 16384(sp) */
	CODE(SPARES, 0xafa2fff8, RET);			/* sw v0, -8(sp) */
	CODE(SPARES, 0x0080e825, RET);			/* move sp, a0 */
	CODE(SPARES, 0x33bd1000, RET);			/* andi sp, sp, 4096 */
	CODE(SPARES, 0x8fbd0000, RET);			/* lw sp, 0(sp) */
	CODE(SPARES, 0x0080e025, RET);			/* move gp, a0 */
	/* Known on one way only: beq a0, zero, 1f; nop; lui v1; 1: sw v0, 0(v1) */
	CODE(SPARES, 0x10800002, 0, STATIC, 0xac620000, RET);
}

static void test_second(void **state)
{
	(void)state;
	CODE(ANYTHING, 0xaca20010, RET);		/* sw v0, 16(a1) */
	CODE(ANYTHING, 0xfca20010, RET);		/* sd */
	CODE(ANYTHING, 0xa8a20010, RET);		/* swl */
	CODE(ANYTHING, 0xe0a20000, RET);		/* sc v0, 0(a1) */
	CODE(ANYTHING, 0x03e00008, 0xaca20010);		/* in a slot */
	CODE(ANYTHING, 0x00a01025, RET);		/* move v0, a1 */
	CODE(ANYTHING, 0x24a50004, RET);		/* addiu a1, a1, 4 */
	CODE(ANYTHING, 0xac850000, RET);		/* sw a1, 0(a0) */
	CODE(ANYTHING, 0x00a00011, RET);		/* mthi a1 */
	CODE(ANYTHING, 0xe4a00000, RET);		/* swc1 f0, 0(a1) */
	CODE(ANYTHING, 0x44850000, RET);		/* mtc1 a1, f0 */
	/* ...; sw v0, 16(a1) */
	CODE(SPARES, 0x00802825, 0xaca20010, RET);	/* move a1, a0 */
	CODE(BARE, 0x3c058012, 0xaca20010, RET);	/* lui a1 */
	CODE(SPARES, 0x8ca50000, 0xaca20010, RET);	/* lw a1, 0(a1) */
	CODE(ANYTHING, 0x0080280a, 0xaca20010, RET);	/* movz a1, a0, zero */
	CODE(ANYTHING, 0x10800002, 0, 0x00802825, 0xaca20010, RET);	/* on one way */
	CODE(SPARES, 0x10800001, 0x00802825, 0xaca20010, RET);	/* in the slot: on both */
}

static void test_followed(void **state)
{
	const uint32_t load[] = { 0x8ca20010, RET }, store[] = { 0xaca20010, RET };

	(void)state;
	/* addiu sp, sp, -16; sd ra, 8(sp); jal other; nop; ld ra, 8(sp); jr ra; addiu sp, sp, 16 */
	CODE(ANYTHING, 0x27bdfff0, 0xffbf0008, 0x0fc00440, 0, 0xdfbf0008, 0x03e00008, 0x27bd0010);
	memcpy(text + OTHER, load, sizeof(load));
	assert_int_equal(answer(TEXT), SPARES);
	memcpy(text + OTHER, store, sizeof(store));
	assert_int_equal(answer(TEXT), ANYTHING);
	CODE(ANYTHING, 0x10800002, 0, RET, 0xaca20010, RET);	/* beq over the return */
	CODE(ANYTHING, 0x0060f809, 0, RET);		/* jalr v1 */
	CODE(ANYTHING, 0x00600008, 0);			/* jr v1 */
	CODE(ANYTHING, 0x50800001, 0, RET);		/* beql */
	CODE(ANYTHING, 0x0000000c, RET);		/* syscall */
	CODE(ANYTHING, 0x0000000d, RET);		/* break */
	CODE(ANYTHING, 0x40026000, RET);		/* mfc0 */
	CODE(ANYTHING, 0x0060f825, RET);		/* move ra, v1 */
	CODE(ANYTHING, 0x8c7f0000, RET);		/* lw ra, 0(v1) */
	CODE(ANYTHING, 0xffa20008, 0xdfbf0008, RET);	/* sd v0, 8(sp); ld ra, 8(sp) */
	CODE(ANYTHING, 0x00001025);
	patched_at = TEXT + 4;
	CODE(ANYTHING, 0, 0, RET);
	/* A tracer's branch over its call: what is behind goes with it. */
	patched_at = TEXT + 4;
	CODE(BARE, 0x10000004, 0x64630000, 0x03e00825, 0x0060f809, 0x00006025, RET);
	patched_at = TEXT;
	CODE(ANYTHING, 0x10000004, 0x64630000, 0x03e00825, 0x0060f809, 0x00006025, RET);
	patched_at = 0;
	CODE(BARE, 0, 0, RET);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bare),
		cmocka_unit_test(test_left_behind),
		cmocka_unit_test(test_second),
		cmocka_unit_test(test_followed),
	};

	return cmocka_run_group_tests_name("mips_second", tests, NULL, NULL);
}
