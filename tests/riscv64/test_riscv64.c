/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_riscv64.c - the RISC-V decoder and regions, by hand-made examples.
 *
 * Owns: each field of each class once, and the far ends of ranges; where nothing may trap.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "emulate.h"
#include "region.h"
#include "reserved.h"

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

/* What compressed instructions are short for, with the far ends of their numbers. */
static void test_long(void **state)
{
	static const struct {
		uint32_t half, word;
	} shorts[] = {
		{ 0x1fe0, 0x3fc10413 },	/* c.addi4spn s0, sp, 1020 */
		{ 0x005c, 0x00410793 },	/* c.addi4spn a5, sp, 4 */
		{ 0x003c, 0x00810793 },	/* c.addi4spn a5, sp, 8 */
		{ 0x081c, 0x01010793 },	/* c.addi4spn a5, sp, 16 */
		{ 0x009c, 0x04010793 },	/* c.addi4spn a5, sp, 64 */
		{ 0x43c4, 0x0047a483 },	/* c.lw s1, 4(a5) */
		{ 0x5fa4, 0x0787a483 },	/* c.lw s1, 120(a5) */
		{ 0x7f84, 0x0387b483 },	/* c.ld s1, 56(a5) */
		{ 0x63e4, 0x0c07b483 },	/* c.ld s1, 192(a5) */
		{ 0xc3c4, 0x0097a223 },	/* c.sw s1, 4(a5) */
		{ 0xdfa4, 0x0697ac23 },	/* c.sw s1, 120(a5) */
		{ 0xff84, 0x0297bc23 },	/* c.sd s1, 56(a5) */
		{ 0xe3e4, 0x0c97b023 },	/* c.sd s1, 192(a5) */
		{ 0x0001, 0x00000013 },	/* c.nop */
		{ 0x0ffd, 0x01ff8f93 },	/* c.addi t6, 31 */
		{ 0x1081, 0xfe008093 },	/* c.addi ra, -32 */
		{ 0x3ffd, 0xffff8f9b },	/* c.addiw t6, -1 */
		{ 0x5f81, 0xfe000f93 },	/* c.li t6, -32 */
		{ 0x6ffd, 0x0001ffb7 },	/* c.lui t6, 31 */
		{ 0x7f81, 0xfffe0fb7 },	/* c.lui t6, 0xfffe0 */
		{ 0x617d, 0x1f010113 },	/* c.addi16sp sp, 496 */
		{ 0x7101, 0xe0010113 },	/* c.addi16sp sp, -512 */
		{ 0x6141, 0x01010113 },	/* c.addi16sp sp, 16 */
		{ 0x6105, 0x02010113 },	/* c.addi16sp sp, 32 */
		{ 0x6121, 0x04010113 },	/* c.addi16sp sp, 64 */
		{ 0x90fd, 0x03f4d493 },	/* c.srli s1, 63 */
		{ 0x9485, 0x4214d493 },	/* c.srai s1, 33 */
		{ 0x9881, 0xfe04f493 },	/* c.andi s1, -32 */
		{ 0x8c9d, 0x40f484b3 },	/* c.sub s1, a5 */
		{ 0x8cbd, 0x00f4c4b3 },	/* c.xor s1, a5 */
		{ 0x8cdd, 0x00f4e4b3 },	/* c.or s1, a5 */
		{ 0x8cfd, 0x00f4f4b3 },	/* c.and s1, a5 */
		{ 0x9c9d, 0x40f484bb },	/* c.subw s1, a5 */
		{ 0x9cbd, 0x00f484bb },	/* c.addw s1, a5 */
		{ 0x1ffe, 0x03ff9f93 },	/* c.slli t6, 63 */
		{ 0x5ff2, 0x03c12f83 },	/* c.lwsp t6, 60(sp) */
		{ 0x4f8e, 0x0c012f83 },	/* c.lwsp t6, 192(sp) */
		{ 0x7fe2, 0x03813f83 },	/* c.ldsp t6, 56(sp) */
		{ 0x6f9e, 0x1c013f83 },	/* c.ldsp t6, 448(sp) */
		{ 0x8f86, 0x00100fb3 },	/* c.mv t6, ra */
		{ 0x9f86, 0x001f8fb3 },	/* c.add t6, ra */
		{ 0xde7e, 0x03f12e23 },	/* c.swsp t6, 60(sp) */
		{ 0xc1fe, 0x0df12023 },	/* c.swsp t6, 192(sp) */
		{ 0xfc7e, 0x03f13c23 },	/* c.sdsp t6, 56(sp) */
		{ 0xe3fe, 0x1df13023 },	/* c.sdsp t6, 448(sp) */
		/* Of floating point, or not plain: c.fld c.fsd c.fldsp c.fsdsp c.j c.beqz c.jr c.ebreak */
		{ 0x2000, 0 }, { 0xa000, 0 }, { 0x2002, 0 }, { 0xa002, 0 },
		{ 0xa001, 0 }, { 0xc001, 0 }, { 0x8082, 0 }, { 0x9002, 0 },
		/* Long ones are what they are. */
		{ 0x00150513, 0x00150513 }, { 0x0000006f, 0x0000006f },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(shorts) / sizeof(shorts[0]); i++) {
		decode(shorts[i].half);
		assert_int_equal(kp_rv_long(&insn), shorts[i].word);
	}
}

/* What is emulated a native run shows; here is what is not. */
static void test_not_emulated(void **state)
{
	static const uint32_t words[] = {
		0x00150513,	/* addi */
		0x00000073,	/* ecall */
		0x1005A52F,	/* lr.w */
		0x0000100F,	/* fence.i */
		0xFFFFFFFF,
		0x0001,		/* c.nop */
	};
	struct kp_rv_regs regs, before;
	size_t i;

	(void)state;
	memset(&regs, 0x55, sizeof(regs));
	before = regs;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		decode(words[i]);
		assert_int_equal(kp_rv_emulate(&insn, ADDR, &regs), -EOPNOTSUPP);
		assert_memory_equal(&before, &regs, sizeof(regs));
	}
}

#define LR 0x1005A52F		/* lr.w a0, (a1) */
#define SC 0x18C5A62F		/* sc.w a2, a2, (a1) */
#define NOP 0x00000013
#define C_NOP 0x0001
#define C_RET 0x8082
#define ECALL 0x00000073
#define SH1ADD 0x20B52533	/* which is not known */
#define TOO_LONG 0x007F

/* At @off bytes from here: bnez a2, c.bnez a2, jal x0, jal ra, c.j. */
static uint32_t bnez(int off)
{
	uint32_t u = (uint32_t)off;

	return 0x00061063 | (u >> 12 & 1) << 31 | (u >> 5 & 63) << 25 | (u >> 1 & 15) << 8 |
	       (u >> 11 & 1) << 7;
}

static uint32_t c_bnez(int off)
{
	uint32_t u = (uint32_t)off;

	return 0xE201 | (u >> 8 & 1) << 12 | (u >> 3 & 3) << 10 | (u >> 6 & 3) << 5 |
	       (u >> 1 & 3) << 3 | (u >> 5 & 1) << 2;
}

static uint32_t jal(uint32_t rd, int off)
{
	uint32_t u = (uint32_t)off;

	return 0x0000006F | rd << 7 | (u >> 20 & 1) << 31 | (u >> 1 & 0x3FF) << 21 |
	       (u >> 11 & 1) << 20 | (u >> 12 & 0xFF) << 12;
}

static uint8_t text[6 * 2 * KP_REGION_AROUND];
static size_t text_len;

static int read_text(uint8_t *dst, uintptr_t addr, size_t len)
{
	if (addr < ADDR || addr + len > ADDR + text_len)
		return -EFAULT;
	memcpy(dst, text + (addr - ADDR), len);
	return 0;
}

static void add(uint32_t word)
{
	size_t len = kp_rv_length((uint16_t)word);

	len = len ? len : 2;
	memcpy(text + text_len, &word, len);
	text_len += len;
}

static bool is_reserved(size_t off)
{
	return kp_rv_is_reserved(ADDR, text_len, ADDR + off, read_text);
}

/* Exactly the instructions that @expected has an x for must not trap. */
static void expect_reserved(const uint32_t *words, const char *expected)
{
	size_t i, off;

	text_len = 0;
	for (i = 0; expected[i]; i++)
		add(words[i]);
	for (i = off = 0; expected[i]; i++) {
		assert_int_equal(is_reserved(off), expected[i] == 'x');
		off += kp_rv_length((uint16_t)words[i]);
	}
}

static void test_reserved(void **state)
{
	/* Units of both lengths, so that some of four bytes stand at odd halves. */
	const uint32_t loop[] = { C_NOP, LR, C_NOP, SC, bnez(-10), C_NOP, C_RET };
	const uint32_t short_loop[] = { LR, NOP, SC, c_bnez(-12), C_RET };
	/* cmpxchg: what differs leaves with the reservation, and nothing wants it. */
	const uint32_t exchange[] = { LR, bnez(12), SC, c_bnez(-12), C_NOP, C_RET };
	/* The store stands elsewhere, before the load. */
	const uint32_t apart[] = { jal(0, 12), SC, C_NOP, C_RET, LR, jal(0, -12) };
	/* A call within: not wise, but seen; a system call is the end of it. */
	const uint32_t calls[] = { C_NOP, LR, jal(1, 0x1000), SC, C_RET };
	const uint32_t asks[] = { LR, NOP, ECALL, SC, C_RET };
	/* What is not known has a length, and goes on. */
	const uint32_t unknown[] = { LR, SH1ADD, NOP, SC, C_RET };
	const uint32_t twice[] = { NOP, LR, SC, NOP, LR, C_NOP, SC, C_RET, NOP, jal(0, -4) };
	/* Where no store is, none is wanted. */
	const uint32_t none[] = { NOP, LR, C_NOP, C_RET };

	(void)state;
	expect_reserved(loop, ".xxx...");
	expect_reserved(short_loop, "xxx..");
	expect_reserved(exchange, "xxx...");
	expect_reserved(apart, ".x..xx");
	expect_reserved(calls, ".xxx.");
	expect_reserved(asks, "x..x.");
	expect_reserved(unknown, "xxxx.");
	expect_reserved(twice, ".xx.xxx...");
	expect_reserved(none, ".x..");
}

/* What nobody can tell counts as reserved, in a text that has a store at all. */
static void test_reserved_unknown(void **state)
{
	const size_t nr = sizeof(text) / 4 - 1;
	size_t i;

	(void)state;
	/* A length that nobody knows. */
	text_len = 0;
	add(NOP);
	add(TOO_LONG);
	assert_false(is_reserved(0));
	add(SC);
	assert_true(is_reserved(0));
	/* Ways that lead too far. */
	text_len = 0;
	for (i = 0; i < nr; i++)
		add(NOP);
	assert_false(is_reserved(0));
	add(SC);
	assert_true(is_reserved(0));
	assert_true(is_reserved(4 * nr - 8));
	memcpy(text, &(uint16_t) { C_RET }, 2);
	assert_false(is_reserved(0));
	/* What is not the function's; what cannot be read. */
	assert_false(is_reserved(text_len));
	assert_true(kp_rv_is_reserved(ADDR, text_len + 4, ADDR + text_len, read_text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_offsets),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_not_emulated),
		cmocka_unit_test(test_reserved),
		cmocka_unit_test(test_reserved_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
