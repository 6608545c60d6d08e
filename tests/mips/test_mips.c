/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_mips.c - the MIPS decoder, by hand-made examples.
 *
 * Owns: each field of each class once, and the far ends of ranges; what is of one release
 * or one width alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "insn.h"

#define ADDR 0x7f001230ull
#define R5 0
#define R6 KP_MIPS_RELEASE6

static struct kp_mips_insn insn;

static void test_classes(void **state)
{
	static const struct {
		uint32_t word;
		unsigned int modes;
		uint8_t class, flags;
	} words[] = {
		{ 0x00000000, R5, KP_MIPS_PLAIN, 0 },			/* nop */
		{ 0x08000000, R5, KP_MIPS_JUMP, 0 },
		{ 0x0C000000, R5, KP_MIPS_JUMP, KP_MIPS_LINK },
		{ 0x74000000, R5, KP_MIPS_JUMP, KP_MIPS_LINK | KP_MIPS_EXCHANGE },
		{ 0x74000000, R6, KP_MIPS_UNALLOCATED, 0 },
		{ 0x74000000, R6 | KP_MIPS_64, KP_MIPS_PLAIN, 0 },	/* daui */
		{ 0x03E00008, R5, KP_MIPS_JUMP_REG, 0 },		/* jr ra */
		{ 0x03E00008, R6, KP_MIPS_UNALLOCATED, 0 },
		{ 0x03E00009, R6, KP_MIPS_JUMP_REG, KP_MIPS_LINK },	/* jr ra */
		{ 0x0320F809, R5, KP_MIPS_JUMP_REG, KP_MIPS_LINK },	/* jalr t9 */
		{ 0x10000000, R5, KP_MIPS_BRANCH, 0 },			/* b */
		{ 0x50000000, R5, KP_MIPS_BRANCH, KP_MIPS_LIKELY },	/* beql */
		{ 0x50000000, R6, KP_MIPS_UNALLOCATED, 0 },
		{ 0x04110000, R5, KP_MIPS_BRANCH, KP_MIPS_LINK },	/* bal */
		{ 0x04510000, R5, KP_MIPS_BRANCH, KP_MIPS_LINK },	/* bgezal v0 */
		{ 0x04510000, R6, KP_MIPS_UNALLOCATED, 0 },
		{ 0x45000000, R5, KP_MIPS_BRANCH_COP, 0 },		/* bc1f */
		{ 0x45020000, R5, KP_MIPS_BRANCH_COP, KP_MIPS_LIKELY },	/* bc1fl */
		{ 0x45200000, R6, KP_MIPS_BRANCH_COP, 0 },		/* bc1eqz */
		{ 0x20000000, R5, KP_MIPS_PLAIN, 0 },			/* addi */
		{ 0x20000000, R6, KP_MIPS_COMPACT, 0 },			/* bovc */
		{ 0x20020000, R6, KP_MIPS_COMPACT, KP_MIPS_LINK },	/* beqzalc v0 */
		{ 0xC8000000, R6, KP_MIPS_COMPACT, 0 },			/* bc */
		{ 0xC8000000, R5, KP_MIPS_PLAIN, 0 },			/* lwc2 */
		{ 0xD8020000, R6, KP_MIPS_COMPACT_REG, 0 },		/* jic v0 */
		{ 0xF8020000, R6, KP_MIPS_COMPACT_REG, KP_MIPS_LINK },
		{ 0xEC400000, R6, KP_MIPS_ADDRESS, 0 },			/* addiupc v0 */
		{ 0xEC480000, R6, KP_MIPS_LOAD_RELATIVE, 0 },		/* lwpc v0 */
		{ 0xEC580000, R6, KP_MIPS_UNALLOCATED, 0 },		/* ldpc v0 */
		{ 0xEC580000, R6 | KP_MIPS_64, KP_MIPS_LOAD_RELATIVE, 0 },
		{ 0xC0820000, R5, KP_MIPS_LOAD_LINKED, 0 },		/* ll v0, 0(a0) */
		{ 0xE0820000, R5, KP_MIPS_STORE_CONDITIONAL, 0 },
		{ 0xE0820000, R6, KP_MIPS_UNALLOCATED, 0 },
		{ 0x7C820036, R6, KP_MIPS_LOAD_LINKED, 0 },
		{ 0x7C820026, R6, KP_MIPS_STORE_CONDITIONAL, 0 },
		{ 0xD0820000, R5, KP_MIPS_UNALLOCATED, 0 },		/* lld */
		{ 0xD0820000, KP_MIPS_64, KP_MIPS_LOAD_LINKED, 0 },
		{ 0x0000000C, R5, KP_MIPS_EXCEPTION, 0 },		/* syscall */
		{ 0x0000000D, R5, KP_MIPS_EXCEPTION, 0 },		/* break */
		{ 0x42000018, R5, KP_MIPS_RETURN, 0 },			/* eret */
		{ 0x42000020, R5, KP_MIPS_WAIT, 0 },
		{ 0x40026000, R5, KP_MIPS_SYSTEM, 0 },			/* mfc0 v0, status */
		{ 0x7C03E83B, R5, KP_MIPS_PLAIN, 0 },			/* rdhwr v1, $29 */
		{ 0xDC820000, R5, KP_MIPS_UNALLOCATED, 0 },		/* ld */
		{ 0xDC820000, KP_MIPS_64, KP_MIPS_PLAIN, 0 },
		{ 0x88820000, R5, KP_MIPS_PLAIN, 0 },			/* lwl */
		{ 0x88820000, R6, KP_MIPS_UNALLOCATED, 0 },
		{ 0x04040404, R5, KP_MIPS_UNALLOCATED, 0 },		/* what fills */
		{ 0x04040404, R6 | KP_MIPS_64, KP_MIPS_UNALLOCATED, 0 },
		{ 0xFFFFFFFF, R5, KP_MIPS_UNALLOCATED, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		kp_mips_decode(&insn, words[i].word, words[i].modes);
		assert_int_equal(insn.class, words[i].class);
		assert_int_equal(insn.flags, words[i].flags);
		assert_int_equal(insn.word, words[i].word);
	}
}

static void test_operands(void **state)
{
	static const struct {
		uint32_t word;
		uint64_t addr, operand;
	} words[] = {
		{ 0x10007FFF, ADDR, ADDR + 0x20000 },		/* b, the farthest */
		{ 0x10008000, ADDR, ADDR - 0x1FFFC },		/* and back */
		{ 0x0BFFFFFF, ADDR, 0x7FFFFFFC },		/* j: within 256 MB */
		{ 0x08000000, 0x7FFFFFFC, 0x80000000 },		/* of the word behind it */
		{ 0xC9FFFFFF, ADDR, ADDR + 0x8000000 },		/* bc */
		{ 0xCA000000, ADDR, ADDR - 0x7FFFFFC },
		{ 0xD84FFFFF, ADDR, ADDR + 0x400000 },		/* beqzc */
		{ 0xD8500000, ADDR, ADDR - 0x3FFFFC },
		{ 0xEC43FFFF, ADDR, ADDR + 0xFFFFC },		/* addiupc */
		{ 0xEC440000, ADDR, ADDR - 0x100000 },
		{ 0xEC5E7FFF, ADDR, ADDR + 0x7FFF0000 },	/* auipc */
		{ 0xEC5F0001, ADDR, 0x7F010000 },		/* aluipc */
		{ 0xEC480001, ADDR, ADDR + 4 },			/* lwpc */
		{ 0xEC580001, ADDR + 4, ADDR + 8 },		/* ldpc: from a boundary of 8 */
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		kp_mips_decode(&insn, words[i].word, R6 | KP_MIPS_64);
		assert_true(kp_mips_is_relative(&insn));
		assert_int_equal(kp_mips_operand(&insn, words[i].addr), words[i].operand);
	}
	kp_mips_decode(&insn, 0xD8028000, R6);	/* jic v0, -32768 */
	assert_false(kp_mips_is_relative(&insn));
	assert_int_equal(insn.offset, -32768);
}

static void test_conditions(void **state)
{
	static const struct {
		uint32_t word;
		uint8_t cond, a, b;
	} words[] = {
		{ 0x10430000, KP_MIPS_EQ, 2, 3 }, { 0x14430000, KP_MIPS_NE, 2, 3 },
		{ 0x18400000, KP_MIPS_LEZ, 2, 0 }, { 0x1C400000, KP_MIPS_GTZ, 2, 0 },
		{ 0x04400000, KP_MIPS_LTZ, 2, KP_MIPS_NO_REG },
		{ 0x04410000, KP_MIPS_GEZ, 2, KP_MIPS_NO_REG },
		{ 0x04110000, KP_MIPS_GEZ, 0, KP_MIPS_NO_REG },		/* bal */
		/* Compact ones, of release 6. */
		{ 0xC8000000, KP_MIPS_ALWAYS, KP_MIPS_NO_REG, KP_MIPS_NO_REG },
		{ 0xE8000000, KP_MIPS_ALWAYS, KP_MIPS_NO_REG, KP_MIPS_NO_REG },
		{ 0xD8400000, KP_MIPS_EQ, 2, 0 }, { 0xF8400000, KP_MIPS_NE, 2, 0 },
		{ 0x20620000, KP_MIPS_OVERFLOW, 2, 3 }, { 0x60620000, KP_MIPS_NO_OVERFLOW, 2, 3 },
		{ 0x20430000, KP_MIPS_EQ, 3, 2 }, { 0x60430000, KP_MIPS_NE, 3, 2 },
		{ 0x20030000, KP_MIPS_EQ, 3, 0 }, { 0x60030000, KP_MIPS_NE, 3, 0 },
		{ 0x18430000, KP_MIPS_GEU, 2, 3 }, { 0x1C430000, KP_MIPS_LTU, 2, 3 },
		{ 0x58430000, KP_MIPS_GE, 2, 3 }, { 0x5C430000, KP_MIPS_LT, 2, 3 },
		{ 0x18030000, KP_MIPS_LEZ, 3, KP_MIPS_NO_REG },
		{ 0x1C030000, KP_MIPS_GTZ, 3, KP_MIPS_NO_REG },
		{ 0x18630000, KP_MIPS_GEZ, 3, KP_MIPS_NO_REG },
		{ 0x1C630000, KP_MIPS_LTZ, 3, KP_MIPS_NO_REG },
		{ 0x58030000, KP_MIPS_LEZ, 3, KP_MIPS_NO_REG },
		{ 0x5C030000, KP_MIPS_GTZ, 3, KP_MIPS_NO_REG },
		{ 0x58630000, KP_MIPS_GEZ, 3, KP_MIPS_NO_REG },
		{ 0x5C630000, KP_MIPS_LTZ, 3, KP_MIPS_NO_REG },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		kp_mips_decode(&insn, words[i].word, R6);
		assert_int_equal(insn.cond, words[i].cond);
		assert_int_equal(insn.a, words[i].a);
		assert_int_equal(insn.b, words[i].b);
	}
}

static void test_links(void **state)
{
	(void)state;
	kp_mips_decode(&insn, 0x03200809, R5);		/* jalr at, t9 */
	assert_int_equal(insn.a, 25);
	assert_int_equal(insn.rd, 1);
	assert_true(kp_mips_has_slot(&insn));
	kp_mips_decode(&insn, 0x0C000000, R5);		/* jal */
	assert_int_equal(insn.rd, KP_MIPS_RA);
	kp_mips_decode(&insn, 0xF8020000, R6);		/* jialc v0 */
	assert_int_equal(insn.a, 2);
	assert_int_equal(insn.rd, KP_MIPS_RA);
	assert_false(kp_mips_has_slot(&insn));
	assert_true(kp_mips_is_compact(&insn));
	kp_mips_decode(&insn, 0xEC400000, R6);		/* addiupc v0 */
	assert_int_equal(insn.rd, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_operands),
		cmocka_unit_test(test_conditions),
		cmocka_unit_test(test_links),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
