/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_second.c - what functions of A32 and T32 do to what their second argument points to, and
 * what they may leave behind.
 *
 * Owns: little functions in a text of their own, each with the answers.
 */
#define TEXT 0x8000u
#include "second_text.h"

#define RET 0xe12fff1eu		/* bx lr */
#define RET_T 0x4770

#define A32(what, ...) ANSWER(uint32_t, TEXT, what, __VA_ARGS__)
/* Halves, as they stand in memory. */
#define T32(what, ...) ANSWER(uint16_t, TEXT | 1, what, __VA_ARGS__)

#define STATIC 0xe3013000u, 0xe3483000u	/* movw r3, #0x1000; movt r3, #0x8000 */
#define STATIC_T 0xf241, 0x0300, 0xf2c8, 0x0300

static void test_nothing(void **state)
{
	(void)state;
	patched_at = 0;
	A32(BARE, RET);
	T32(BARE, RET_T);
	A32(BARE, 0xe3a00000, RET);			/* mov r0, #0 */
	T32(BARE, 0x2000, RET_T);
	A32(BARE, 0xe1a0f00e);				/* mov pc, lr */
	A32(BARE, 0xe92d4010, 0xe3a00000, 0xe8bd8010);	/* push {r4, lr}; mov; pop {r4, pc} */
	T32(BARE, 0xb510, 0x2000, 0xbd10);
	A32(BARE, 0xe52de004, 0xe8bd4000, RET);		/* push {lr}; pop {lr}: no tracer */
	A32(BARE, 0xe52de004, 0xe3a00000, 0xe49df004);	/* ... ldr pc, [sp], #4 */
	A32(BARE, 0xe320f000, 0xf57ff05b, RET);		/* nop; dmb */
	T32(BARE, 0xf3bf, 0x8f5b, 0xbf00, RET_T);
}

static void test_count(void **state)
{
	(void)state;
	/* hits++ */
	A32(BARE, STATIC, 0xe5932004, 0xe2822001, 0xe5832004, 0xe3a00000, RET);
	T32(BARE, STATIC_T, 0x685a, 0x3201, 0x605a, 0x2000, RET_T);
	/* ... of a literal: ldr r3, [pc] */
	A32(BARE, 0xe59f300c, 0xe5932000, 0xe2822001, 0xe5832000, RET, 0x12345678);
	T32(BARE, 0x4b02, 0x681a, 0x3201, 0x601a, 0x2000, RET_T, 0x5678, 0x1234);
	/* ... of this place: add r3, pc */
	T32(BARE, 0x4b02, 0x447b, 0x681a, 0x3201, 0x601a, RET_T, 0x5678, 0x1234);
	/* ... atomically: ldrex r2, [r3]; add r2, #1; strex r1, r2, [r3]; cmp r1, #0; bne */
	A32(BARE, STATIC, 0xe1932f9f, 0xe2822001, 0xe1831f92, 0xe3510000, RET);
	T32(BARE, STATIC_T, 0xe853, 0x2f00, 0x3201, 0xe843, 0x2100, 0x2900, RET_T);
	/* ... until it is done: bne back */
	A32(BARE, STATIC, 0xe1932f9f, 0xe2822001, 0xe1831f92, 0xe3510000, 0x1afffffa, RET);
	/* Not where it is known on one way only: beq over it; mov r3, r0; it is changed and gone back */
	A32(SPARES, 0x0a000001, STATIC, 0xe5832000, RET);
	A32(SPARES, STATIC, 0xe5832000, 0xe1a03000, 0x1afffffc, RET);
	A32(BARE, STATIC, 0xe5832fff, RET);
	A32(BARE, STATIC, 0xe5032004, RET);
	/* An argument; what is loaded; one that an index leads away from. */
	A32(SPARES, 0xe5802000, RET);
	A32(SPARES, STATIC, 0xe5933000, 0xe5832000, RET);
	A32(SPARES, STATIC, 0xe7832000, RET);
	T32(SPARES, STATIC_T, 0x501a, RET_T);
	/* When it has the address only sometimes: movne r3, #16 */
	A32(SPARES, 0x13a03010, 0xe5832000, RET);
	T32(SPARES, 0xbf18, 0x2310, 0x601a, RET_T);
	/* mrc p15, 0, r3, c13, c0, 3: who is executing */
	A32(SPARES, 0xee1d3f70, 0xe5832004, RET);
}

static void test_stack(void **state)
{
	(void)state;
	/* sub sp, #8; str r0, [sp, #4]; add sp, #8 */
	A32(BARE, 0xe24dd008, 0xe58d0004, 0xe28dd008, RET);
	T32(BARE, 0xb082, 0x9001, 0xb002, RET_T);
	/* mov sp, r0; bic sp, sp, #0x1fc0; add sp, sp; ldr r0, [sp, r0]! */
	A32(SPARES, 0xe1a0d000, RET);
	A32(SPARES, 0xe3cddd7f, RET);
	T32(SPARES, 0x44ed, RET_T);
	A32(SPARES, 0xe7bd0000, RET);
	/* str r0, [sp, r2]; of what is far above */
	A32(SPARES, 0xe78d0002, RET);
	A32(SPARES, 0xe58d0400, RET);
	A32(SPARES, 0xe50d0004, RET);			/* below: nobody's */
	/* The frame of another convention: mov ip, sp; push {fp, ip, lr, pc}; ...; ldm sp, {fp, sp, pc} */
	A32(SPARES, 0xe1a0c00d, 0xe92dd800, 0xe24cb004, 0xe24bd00c, 0xe89da800);
}

static void test_read(void **state)
{
	(void)state;
	A32(BARE, 0xe5910038, RET);			/* ldr r0, [r1, #56] */
	T32(BARE, 0x6b88, RET_T);
	A32(BARE, 0xe7910002, RET);			/* ldr r0, [r1, r2] */
	T32(BARE, 0x5888, RET_T);
	A32(BARE, 0xe1d100b2, RET);			/* ldrh r0, [r1, #2] */
	T32(BARE, 0x8848, RET_T);
	T32(BARE, 0xf8d1, 0x0038, RET_T);		/* ldr.w r0, [r1, #56] */
	T32(BARE, 0xf891, 0x0038, RET_T);		/* ldrb.w */
	A32(BARE, 0xe1c120d8, RET);			/* ldrd r2, [r1, #8] */
	T32(BARE, 0xe9d1, 0x2302, RET_T);
	A32(BARE, 0xe3510000, RET);			/* cmp r1, #0 */
	T32(BARE, 0x2900, RET_T);
	T32(BARE, 0xb101, 0x2000, RET_T);		/* cbz r1 */
	A32(BARE, 0xe6ef0070, RET);			/* uxtb r0, r0 */
	T32(BARE, 0xb2c0, RET_T);
	A32(BARE, 0xe0000290, RET);			/* mul r0, r0, r2 */
}

static void test_written(void **state)
{
	(void)state;
	A32(ANYTHING, 0xe5810038, RET);			/* str r0, [r1, #56] */
	T32(ANYTHING, 0x6388, RET_T);
	T32(ANYTHING, 0xf8c1, 0x0038, RET_T);
	A32(ANYTHING, 0xe5c10038, RET);			/* strb */
	A32(ANYTHING, 0xe1c100b2, RET);			/* strh */
	A32(ANYTHING, 0xe1c120f8, RET);			/* strd r2, [r1, #8] */
	T32(ANYTHING, 0xe9c1, 0x2302, RET_T);
	A32(ANYTHING, 0xe8810005, RET);			/* stm r1, {r0, r2} */
	T32(ANYTHING, 0xc105, RET_T);
	A32(ANYTHING, 0xe1810f92, RET);			/* strex r0, r2, [r1] */
	T32(ANYTHING, 0xe841, 0x2000, RET_T);
	A32(ANYTHING, 0xe7802001, RET);			/* str r2, [r0, r1] */
	A32(ANYTHING, 0xe5b10038, RET);			/* ldr r0, [r1, #56]! */
	A32(ANYTHING, 0xe4910004, RET);			/* ldr r0, [r1], #4 */
	T32(ANYTHING, 0xf851, 0x0b04, RET_T);
	A32(ANYTHING, 0xe1012090, RET);			/* swp r2, r0, [r1] */
	A32(ANYTHING, 0xf441078f, RET);			/* vst1.32 {d16}, [r1] */
	A32(ANYTHING, 0xed810b00, RET);			/* vstr d0, [r1] */
}

static void test_handed_on(void **state)
{
	(void)state;
	A32(ANYTHING, 0xe1a02001, RET);			/* mov r2, r1 */
	T32(ANYTHING, 0x460a, RET_T);
	T32(ANYTHING, 0x000a, RET_T);			/* movs r2, r1 */
	T32(ANYTHING, 0xea4f, 0x0201, RET_T);		/* mov.w r2, r1 */
	A32(ANYTHING, 0xe2812038, RET);			/* add r2, r1, #56 */
	T32(ANYTHING, 0x1d0a, RET_T);
	T32(ANYTHING, 0xf101, 0x0238, RET_T);
	T32(ANYTHING, 0xf201, 0x0238, RET_T);		/* addw */
	A32(ANYTHING, 0xe2811004, RET);			/* add r1, r1, #4 */
	T32(ANYTHING, 0x3104, RET_T);
	A32(ANYTHING, 0xe5801000, RET);			/* str r1, [r0] */
	T32(ANYTHING, 0x6001, RET_T);
	A32(ANYTHING, 0xe92d0002, 0xe8bd0004, RET);	/* push {r1}; pop {r2} */
	T32(ANYTHING, 0xb402, 0xbc04, RET_T);
	A32(ANYTHING, 0xe0822111, RET);			/* add r2, r2, r1, lsl r1 */
	A32(ANYTHING, 0xe6ef0071, RET);			/* uxtb r0, r1 */
	A32(ANYTHING, 0xee010f10, RET);			/* mcr ... r0; mcr r1 */
	A32(ANYTHING, 0xee010a10, RET);			/* vmov s2, r0 */
	A32(ANYTHING, 0xef000000, RET);			/* svc */
}

static void test_lost(void **state)
{
	(void)state;
	/* ...; str r0, [r1] */
	A32(SPARES, 0xe5901000, 0xe5810000, RET);	/* ldr r1, [r0] */
	T32(SPARES, 0x6801, 0x6008, RET_T);
	A32(SPARES, 0xe1a01000, 0xe5810000, RET);	/* mov r1, r0 */
	T32(SPARES, 0x4601, 0x6008, RET_T);
	A32(BARE, 0xe3a01010, 0xe5810000, RET);		/* mov r1, #16 */
	T32(BARE, 0x2110, 0x6008, RET_T);
	A32(SPARES, 0xe2801001, 0xe5810000, RET);	/* add r1, r0, #1 */
	A32(SPARES, 0xe8bd0002, 0xe5810000, RET);	/* pop {r1} */
	/* Not always, and in parts. */
	A32(ANYTHING, 0x15901000, 0xe5810000, RET);	/* ldrne r1, [r0] */
	T32(ANYTHING, 0xbf18, 0x6801, 0x6008, RET_T);	/* it ne */
	T32(ANYTHING, 0xbf14, 0x6801, 0x6801, 0x6008, RET_T);	/* ite ne */
	T32(SPARES, 0xbf18, 0x6803, 0x6801, 0x6008, RET_T);	/* it is behind */
	A32(ANYTHING, 0xe3401010, 0xe5810000, RET);	/* movt r1, #16 */
	A32(ANYTHING, 0xe7c01010, 0xe5810000, RET);	/* bfi */
	/* Somebody may come to the second one with what it was: bne back */
	A32(ANYTHING, 0x0a000000, 0xe5901000, 0xe5810000, RET);
	A32(SPARES, 0xe5901000, 0xe5810000, 0x1afffffd, RET);
}

static void test_followed(void **state)
{
	const uint32_t to_ldr[] = { 0xe5910038 }, to_str[] = { 0xe5810038 }, ret[] = { RET };

	(void)state;
	/* push {r4, lr}; bl other; pop {r4, pc} */
	A32(ANYTHING, 0xe92d4010, 0xeb00003d, 0xe8bd8010);
	memcpy(text + OTHER, to_ldr, 4);
	memcpy(text + OTHER + 4, ret, 4);
	assert_int_equal(answer(TEXT), SPARES);
	memcpy(text + OTHER, to_str, 4);
	assert_int_equal(answer(TEXT), ANYTHING);
	/* blx, to the other set: push {r4, lr}; blx other; pop {r4, pc} */
	T32(ANYTHING, 0xb510, 0xf000, 0xe87e, 0xbd10);
	memcpy(text + OTHER, to_ldr, 4);
	memcpy(text + OTHER + 4, ret, 4);
	assert_int_equal(answer(TEXT | 1), SPARES);
	/* Both ways: beq 1f; bx lr; 1: str r0, [r1]; bx lr */
	A32(ANYTHING, 0x0a000000, RET, 0xe5810000, RET);
	A32(BARE, 0x0a000000, RET, 0xe5910000, RET);
	T32(ANYTHING, 0xd000, RET_T, 0x6008, RET_T);
	T32(BARE, 0xd000, RET_T, 0x6808, RET_T);
	A32(ANYTHING, 0x012fff1e, 0xe5810000, RET);	/* bxeq lr; str */
	T32(ANYTHING, 0xbf08, RET_T, 0x6008, RET_T);
	T32(BARE, 0xb108, 0x2000, 0x2000, RET_T);	/* cbz r0 */
	/* Through registers and memory, exceptions, tables, and what is no code. */
	A32(ANYTHING, 0xe12fff33);			/* blx r3 */
	A32(ANYTHING, 0xe12fff13);			/* bx r3 */
	A32(ANYTHING, 0xe1a0f003);			/* mov pc, r3 */
	A32(ANYTHING, 0xe51ff004, 0x8000);		/* ldr pc, [pc, #-4] */
	A32(ANYTHING, 0xe79bf103);			/* ldr pc, [fp, r3, lsl #2] */
	A32(ANYTHING, 0xe79df103);
	A32(ANYTHING, 0xe7f001f2, RET);			/* udf */
	T32(ANYTHING, 0xe8df, 0xf000);			/* tbb */
	A32(ANYTHING, 0xe3a00000);
	/* Returns that are none: mov lr, r3; push {r3}, pop {pc} */
	A32(ANYTHING, 0xe1a0e003, RET);
	A32(ANYTHING, 0xe590e000, RET);			/* ldr lr, [r0] */
	A32(ANYTHING, 0xe92d0008, 0xe8bd8000);
	T32(ANYTHING, 0xb408, 0xbd00);
	A32(ANYTHING, 0xe92d0008, 0x0affffff, 0xe8bd8000);	/* push; beq; pop */
}

static void test_patched(void **state)
{
	(void)state;
	patched_at = TEXT + 4;
	A32(ANYTHING, 0xe3a00000, 0xe320f000, RET);
	patched_at = TEXT + 8;
	A32(ANYTHING, 0xe3a00000, 0xe320f000, RET);
	patched_at = 0;
	A32(BARE, 0xe3a00000, 0xe320f000, RET);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_stack),
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_written),
		cmocka_unit_test(test_handed_on),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_followed),
		cmocka_unit_test(test_patched),
	};

	return cmocka_run_group_tests_name("arm_second", tests, NULL, NULL);
}
