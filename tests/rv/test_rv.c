/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_rv.c - the RISC-V decoder, by hand-made examples.
 *
 * Owns: each field of each class once, and the far ends of ranges.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "insn.h"

#define ADDR 0xffffffff80001232ull

static struct kp_rv_insn insn;

static void decode(uint32_t word)
{
	kp_rv_decode(&insn, word);
}

static void test_lengths(void **state)
{
	static const struct {
		uint16_t half;
		unsigned int len;
	} halves[] = {
		{ 0x0000, 2 }, { 0x8082, 2 }, { 0xFFFE, 2 },
		{ 0x0003, 4 }, { 0xFF73, 4 }, { 0xFFFB, 4 },
		{ 0x001F, 6 }, { 0xFFDF, 6 },
		{ 0x003F, 8 }, { 0xFFBF, 8 },
		{ 0x007F, 0 }, { 0xFFFF, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(halves) / sizeof(halves[0]); i++) {
		assert_int_equal(kp_rv_length(halves[i].half), halves[i].len);
		decode(halves[i].half);
		assert_int_equal(insn.len, halves[i].len);
		if (insn.len == 0 || insn.len > 4)
			assert_int_equal(insn.class, KP_RV_UNALLOCATED);
	}
}

static void test_classes(void **state)
{
	static const struct {
		uint32_t word;
		uint8_t class, flags;
	} words[] = {
		{ 0x00000000, KP_RV_EXCEPTION, 0 },		/* c.unimp */
		{ 0xFFFFFFFF, KP_RV_UNALLOCATED, 0 },
		{ 0x00150513, KP_RV_PLAIN, 0 },			/* addi a0, a0, 1 */
		{ 0x02B55553, KP_RV_UNALLOCATED, 0 },		/* fadd.d with rounding 5 */
		{ 0x02B57553, KP_RV_PLAIN, 0 },			/* fadd.d, as fcsr says */
		{ 0x00000517, KP_RV_AUIPC, 0 },
		{ 0x000000EF, KP_RV_JAL, 0 },
		{ 0x000500E7, KP_RV_JALR, 0 },
		{ 0x000510E7, KP_RV_UNALLOCATED, 0 },		/* jalr has one form */
		{ 0x00B50063, KP_RV_BRANCH, 0 },		/* beq a0, a1 */
		{ 0x00B52063, KP_RV_UNALLOCATED, 0 },
		{ 0x1005A52F, KP_RV_LOAD_RESERVED, 0 },		/* lr.w a0, (a1) */
		{ 0x1605B52F, KP_RV_LOAD_RESERVED, 0 },		/* lr.d.aqrl */
		{ 0x1015A52F, KP_RV_UNALLOCATED, 0 },		/* lr has no second register */
		{ 0x18C5A52F, KP_RV_STORE_CONDITIONAL, 0 },	/* sc.w a0, a2, (a1) */
		{ 0x08C5A52F, KP_RV_PLAIN, 0 },			/* amoswap.w */
		{ 0x00000073, KP_RV_EXCEPTION, 0 },		/* ecall */
		{ 0x00100073, KP_RV_EXCEPTION, 0 },		/* ebreak */
		{ 0x10200073, KP_RV_RETURN, 0 },		/* sret */
		{ 0x30200073, KP_RV_RETURN, 0 },		/* mret */
		{ 0x10500073, KP_RV_WAIT, 0 },			/* wfi */
		{ 0x12000073, KP_RV_ADDRESS, 0 },		/* sfence.vma */
		{ 0x0000100F, KP_RV_FENCE_I, 0 },
		{ 0x0FF0000F, KP_RV_PLAIN, 0 },			/* fence */
		{ 0x0100000F, KP_RV_PLAIN, 0 },			/* pause */
		{ 0x10051573, KP_RV_CSR, KP_RV_WRITE },		/* csrrw a0, sstatus, a0 */
		{ 0x10002573, KP_RV_CSR, 0 },			/* csrr a0, sstatus */
		{ 0x10016073, KP_RV_CSR, KP_RV_WRITE },		/* csrsi sstatus, 2 */
		{ 0x04817057, KP_RV_UNALLOCATED, 0 },		/* of V */
		{ 0x20B52533, KP_RV_UNALLOCATED, 0 },		/* sh1add, of B */
		{ 0x8082, KP_RV_JALR, 0 },			/* ret */
		{ 0x8002, KP_RV_UNALLOCATED, 0 },		/* c.jr of x0 */
		{ 0x9002, KP_RV_EXCEPTION, 0 },			/* c.ebreak */
		{ 0x9502, KP_RV_JALR, 0 },			/* c.jalr a0 */
		{ 0xA001, KP_RV_JAL, 0 },			/* c.j */
		{ 0xC119, KP_RV_BRANCH, 0 },			/* c.beqz a0 */
		{ 0x0001, KP_RV_PLAIN, 0 },			/* c.nop */
		{ 0x852E, KP_RV_PLAIN, 0 },			/* c.mv a0, a1 */
		{ 0x6101, KP_RV_UNALLOCATED, 0 },		/* c.addi16sp of zero */
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		decode(words[i].word);
		assert_int_equal(insn.class, words[i].class);
		assert_int_equal(insn.flags, words[i].flags);
		assert_int_equal(insn.word, words[i].word);
	}
}

static void test_offsets(void **state)
{
	static const struct {
		uint32_t word;
		int64_t offset;
	} words[] = {
		{ 0x7FFFF06F, 0xFFFFE },	/* jal, the farthest */
		{ 0x8000006F, -0x100000 },	/* and back */
		{ 0x7E000FE3, 0xFFE },		/* beq */
		{ 0x80000063, -0x1000 },
		{ 0x7FFFF517, 0x7FFFF000 },	/* auipc */
		{ 0x80000517, -0x80000000ll },
		{ 0xAFFD, 0x7FE },		/* c.j */
		{ 0xB001, -0x800 },
		{ 0xCD7D, 0xFE },		/* c.beqz a0 */
		{ 0xF101, -0x100 },		/* c.bnez a0 */
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		decode(words[i].word);
		assert_true(kp_rv_is_relative(&insn));
		assert_int_equal(insn.offset, words[i].offset);
		assert_int_equal(kp_rv_operand(&insn, ADDR), ADDR + (uint64_t)words[i].offset);
	}
	decode(0x80050067);	/* jalr x0, -2048(a0) */
	assert_false(kp_rv_is_relative(&insn));
	assert_int_equal(insn.offset, -2048);
}

static void test_fields(void **state)
{
	(void)state;
	decode(0x000500E7);	/* jalr ra, a0 */
	assert_int_equal(insn.rd, KP_RV_RA);
	assert_int_equal(insn.rs1, 10);
	assert_int_equal(insn.rs2, KP_RV_NO_REG);
	decode(0x00000517);	/* auipc a0 */
	assert_int_equal(insn.rd, 10);
	decode(0x00C5F063);	/* bgeu a1, a2 */
	assert_int_equal(insn.cond, KP_RV_GEU);
	assert_int_equal(insn.rs1, 11);
	assert_int_equal(insn.rs2, 12);
	decode(0x12348082);	/* ret, and what stands behind it */
	assert_int_equal(insn.word, 0x8082);
	assert_int_equal(insn.len, 2);
	assert_int_equal(insn.rd, KP_RV_ZERO);
	assert_int_equal(insn.rs1, KP_RV_RA);
	decode(0x9502);		/* c.jalr a0 */
	assert_int_equal(insn.rd, KP_RV_RA);
	assert_int_equal(insn.rs1, 10);
	decode(0xA001);		/* c.j */
	assert_int_equal(insn.rd, KP_RV_ZERO);
	decode(0xE781);		/* c.bnez a5 */
	assert_int_equal(insn.cond, KP_RV_NE);
	assert_int_equal(insn.rs1, 15);
	assert_int_equal(insn.rs2, KP_RV_ZERO);
	decode(0x10051573);	/* csrrw a0, sstatus, a0 */
	assert_int_equal(insn.csr, 0x100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_offsets),
		cmocka_unit_test(test_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
