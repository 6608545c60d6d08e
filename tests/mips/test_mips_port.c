/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_mips_port.c - the pure part of arch/mips against its contract, by examples.
 *
 * Owns: each refusal with its reason; where nothing may trap; breakpoints; what of release 6
 * is computed, which no run shows here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "emulate.h"
#include "jump.h"

#define ADDR ((uintptr_t)0x7f001230)
#define R6 (KP_MIPS_RELEASE6 | KP_MIPS_64)

static struct kp_arch_probe probe;
static const char *reason;

static int prepare(uint32_t word, uint32_t behind, size_t avail, unsigned int flags)
{
	uint32_t words[2] = { word, behind };

	reason = NULL;
	return kp_arch_prepare(&probe, ADDR, (const uint8_t *)words, avail, flags, &reason);
}

static void test_refused(void **state)
{
	static const struct {
		uint32_t word, behind;
		int user, kernel;
		const char *reason;
	} words[] = {
		{ 0x04040404, 0, -EINVAL, -EINVAL, "it is not an instruction that is known" },
		{ 0xC0820000, 0, -EOPNOTSUPP, -EOPNOTSUPP,	/* ll */
		  "a trap takes the link away that it makes" },
		{ 0xE0820000, 0, -EOPNOTSUPP, -EOPNOTSUPP,	/* sc */
		  "a trap takes the link away that it needs" },
		{ 0x42000018, 0, -EOPNOTSUPP, -EOPNOTSUPP,	/* eret */
		  "it leaves the context whose registers were saved" },
		{ 0x42000020, 0, -EOPNOTSUPP, -EOPNOTSUPP,	/* wait */
		  "a trap may take the interrupt away that it waits for" },
		{ 0x0000000D, 0, -EINVAL, -EINVAL, "somebody else's breakpoint stands here" },
		{ 0x0007000D, 0, -EILSEQ, -EILSEQ, "the instruction is itself a trap" },
		{ 0x0000000C, 0, 0, -EILSEQ, "the instruction is itself a trap" },
		{ 0x40026000, 0, 0, -EOPNOTSUPP,		/* mfc0 */
		  "a trap changes the control register, or relies on it" },
		{ 0x74000000, 0, -EOPNOTSUPP, -EOPNOTSUPP,	/* jalx */
		  "it goes on in another instruction set" },
		{ 0x03E0F809, 0, -EOPNOTSUPP, -EOPNOTSUPP,	/* jalr ra, ra */
		  "it writes the register that it goes by" },
		{ 0x07F10000, 0, -EOPNOTSUPP, -EOPNOTSUPP,	/* bgezal ra */
		  "it writes the register that it goes by" },
		{ 0x10000010, 0x10000010, -EOPNOTSUPP, -EOPNOTSUPP,	/* b; b */
		  "what is in its delay slot cannot be executed elsewhere" },
		{ 0x03E00008, 0x0000000C, -EOPNOTSUPP, -EOPNOTSUPP,	/* jr ra; syscall */
		  "what is in its delay slot cannot be executed elsewhere" },
		{ 0x03200008, 0x8F998018, -EOPNOTSUPP, -EOPNOTSUPP,	/* jr t9; lw t9 */
		  "what is in its delay slot may change the register that it goes by" },
		{ 0x03200008, 0x8F828018, 0, 0, NULL },			/* jr t9; lw v0 */
		{ 0x7C03E83B, 0, 0, 0, NULL },				/* rdhwr */
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		assert_int_equal(prepare(words[i].word, words[i].behind, 8, KP_ARCH_USER),
				 words[i].user);
		if (words[i].user)
			assert_string_equal(reason, words[i].reason);
		assert_int_equal(prepare(words[i].word, words[i].behind, 8, 0), words[i].kernel);
		if (words[i].kernel)
			assert_string_equal(reason, words[i].reason);
	}
	/* What is cut off. */
	assert_int_equal(prepare(0x24420001, 0, 4, 0), 0);
	assert_int_equal(prepare(0x24420001, 0, 3, 0), -EILSEQ);
	assert_int_equal(prepare(0x03E00008, 0, 4, 0), -EILSEQ);
	assert_string_equal(reason, "its delay slot cannot be read");
}

static void test_classes(void **state)
{
	(void)state;
	assert_int_equal(prepare(0x24420001, 0, 8, 0), 0);		/* addiu */
	assert_int_equal(probe.class, KP_ARCH_COPY);
	assert_int_equal(probe.len, 4);
	assert_int_equal(prepare(0x03E00008, 0, 8, 0), 0);		/* jr ra; nop */
	assert_int_equal(probe.class, KP_ARCH_EMULATE);
	assert_int_equal(prepare(0x03E00008, 0x27BD0020, 8, 0), 0);	/* jr ra; addiu sp */
	assert_int_equal(probe.class, KP_ARCH_COPY);
	assert_int_equal(prepare(0x45000010, 0, 8, 0), 0);		/* bc1f; nop */
	assert_int_equal(probe.class, KP_ARCH_COPY);
}

static void test_breakpoints(void **state)
{
	static const uint32_t words[] = { 0x0000000D, 0x0005000D, 0x0000028D, 0x0007000D, 0x000001CD,
					  0x0000000C };
	struct kp_arch_decoded out;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		assert_int_equal(kp_arch_decode(&out, (const uint8_t *)&words[i], 4, 0), 0);
		assert_int_equal(out.len, 4);
		assert_int_equal(out.breakpoint, i < 3);
	}
	assert_int_equal(kp_arch_decode(&out, (const uint8_t *)&words[0], 3, 0), -ENODATA);
}

static const uint32_t *text;
static size_t text_len;

static int read_text(uint8_t *dst, uintptr_t addr, size_t len)
{
	if (addr < ADDR || addr + len > ADDR + text_len)
		return -EFAULT;
	memcpy(dst, (const uint8_t *)text + (addr - ADDR), len);
	return 0;
}

/* Exactly those that @expected has an s or l for are refused: for a slot, a link. */
static void expect_around(const uint32_t *words, const char *expected)
{
	size_t i;

	text = words;
	text_len = 4 * strlen(expected);
	for (i = 0; expected[i]; i++) {
		int err = kp_arch_refuse_around(ADDR, text_len, ADDR + 4 * i, 0, read_text, &reason);

		assert_int_equal(err, expected[i] == '.' ? 0 : -EOPNOTSUPP);
		if (err)
			assert_string_equal(reason, expected[i] == 's' ?
				"it is in the delay slot of a branch, where a trap loses where that leads" :
				"it may be between a load-linked and its store-conditional, whose loop a trap would make endless");
	}
}

#define LL 0xC0820000
#define SC 0xE0820000
#define NOP 0
#define ADDIU 0x24420001
#define BEQZ(off) (0x10400000 | ((off) & 0xFFFF))	/* in words, from the one behind it */
#define JR 0x03E00008
#define J(at) (0x08000000 | ((uint32_t)(ADDR + 4 * (at)) >> 2 & 0x03FFFFFF))

static void test_around(void **state)
{
	const uint32_t slots[] = { NOP, BEQZ(3), ADDIU, NOP, JR, ADDIU };
	const uint32_t loop[] = { NOP, LL, ADDIU, SC, BEQZ(-4), NOP, JR, NOP };
	/* What differs leaves with the link, and nothing wants it; a slot that stores. */
	const uint32_t exchange[] = { LL, BEQZ(4), ADDIU, SC, BEQZ(-5), NOP, JR, NOP };
	const uint32_t in_slot[] = { LL, BEQZ(-2), SC, JR, NOP };
	/* A j, to where its address tells: to the store, or behind it. */
	const uint32_t jumps[] = { LL, J(4), NOP, NOP, SC, JR, NOP };
	const uint32_t leaves[] = { NOP, J(5), NOP, LL, SC, JR, NOP };
	const uint32_t none[] = { LL, ADDIU, JR, NOP };

	(void)state;
	expect_around(slots, "..s..s");
	expect_around(loop, ".lll.s.s");
	expect_around(exchange, "llsl.s.s");
	expect_around(in_slot, "lls.s");
	expect_around(jumps, "llsll.s");
	expect_around(leaves, "..sll.s");
	expect_around(none, "l..s");
	/* What cannot be read. */
	text = none;
	text_len = 4;
	assert_int_equal(kp_arch_refuse_around(ADDR, 16, ADDR + 8, 0, read_text, &reason), -EOPNOTSUPP);
}

/* Compact branches: which numbers they compare, and how. */
static void test_compact(void **state)
{
	static const struct {
		uint32_t word;
		uint64_t v0, v1;
		bool taken;
	} words[] = {
		{ 0xC8000010, 0, 0, true },				/* bc */
		{ 0xD8400010, 0, 1, true }, { 0xD8400010, 1, 0, false },	/* beqzc v0 */
		{ 0xF8400010, 0, 1, false }, { 0xF8400010, 1, 0, true },
		{ 0x20430010, 5, 5, true }, { 0x20430010, 5, 6, false },	/* beqc */
		{ 0x60430010, 5, 5, false }, { 0x60430010, 5, 6, true },
		{ 0x58430010, ~0ull, 1, false }, { 0x58430010, 1, ~0ull, true },	/* bgec v0, v1 */
		{ 0x5C430010, ~0ull, 1, true }, { 0x5C430010, 1, 1, false },		/* bltc */
		{ 0x18430010, ~0ull, 1, true }, { 0x18430010, 1, ~0ull, false },	/* bgeuc */
		{ 0x1C430010, 1, ~0ull, true }, { 0x1C430010, 1, 1, false },		/* bltuc */
		{ 0x58030010, 9, 0, true }, { 0x58030010, 0, 1, false },	/* blezc v1 */
		{ 0x5C030010, 0, 1, true }, { 0x5C030010, 9, 0, false },	/* bgtzc v1 */
		{ 0x58630010, 9, 0, true }, { 0x58630010, 0, ~0ull, false },	/* bgezc v1 */
		{ 0x5C630010, 9, ~0ull, true }, { 0x5C630010, 0, 0, false },	/* bltzc v1 */
		{ 0x20620010, 0x7FFFFFFF, 1, true }, { 0x20620010, 1, 1, false },	/* bovc v1, v0 */
		{ 0x20620010, 1ull << 32, 1, true },
		{ 0x60620010, 1, 1, true }, { 0x60620010, 1, 0x7FFFFFFF, false },	/* bnvc */
	};
	struct kp_mips_insn insn;
	struct pt_regs regs = { .hi = 0 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		kp_mips_decode(&insn, words[i].word, R6);
		regs.regs[2] = words[i].v0;
		regs.regs[3] = words[i].v1;
		assert_int_equal(kp_mips_emulate(&insn, ADDR, &regs, NULL), 0);
		assert_int_equal(regs.cp0_epc, words[i].taken ? ADDR + 0x44 : ADDR + 4);
		assert_int_equal(regs.regs[KP_MIPS_RA], 0);
	}
	/* A link is the address behind it, taken or not. */
	kp_mips_decode(&insn, 0x20030010, R6);	/* beqzalc v1 */
	assert_int_equal(kp_mips_emulate(&insn, ADDR, &regs, NULL), 0);
	assert_int_equal(regs.regs[KP_MIPS_RA], ADDR + 4);
	regs.regs[3] = 0x1000;
	kp_mips_decode(&insn, 0xF803FFF0, R6);	/* jialc v1, -16 */
	assert_int_equal(kp_mips_emulate(&insn, ADDR + 8, &regs, NULL), 0);
	assert_int_equal(regs.cp0_epc, 0xFF0);
	assert_int_equal(regs.regs[KP_MIPS_RA], ADDR + 12);
}

static int read_number(uintptr_t addr, void *dst, size_t len)
{
	const uint64_t number = 0xFFFFFFFF80000001ull;

	if (addr != ADDR + 8)
		return -EFAULT;
	memcpy(dst, &number, len);
	return 0;
}

static void test_relative(void **state)
{
	const struct kp_arch_mem mem = { .read = read_number };
	struct pt_regs regs = { .hi = 0 };
	struct kp_mips_insn insn;

	(void)state;
	kp_mips_decode(&insn, 0xEC400002, R6);		/* addiupc v0, 8 */
	assert_int_equal(kp_mips_emulate(&insn, ADDR, &regs, &mem), 0);
	assert_int_equal(regs.regs[2], ADDR + 8);
	assert_int_equal(regs.cp0_epc, ADDR + 4);
	kp_mips_decode(&insn, 0xEC480002, R6);		/* lwpc v0 */
	assert_int_equal(kp_mips_emulate(&insn, ADDR, &regs, &mem), 0);
	assert_int_equal(regs.regs[2], 0xFFFFFFFF80000001ull);
	kp_mips_decode(&insn, 0xEC500002, R6);		/* lwupc v0 */
	assert_int_equal(kp_mips_emulate(&insn, ADDR, &regs, &mem), 0);
	assert_int_equal(regs.regs[2], 0x80000001);
	kp_mips_decode(&insn, 0xEC580001, R6);		/* ldpc v0 */
	assert_int_equal(kp_mips_emulate(&insn, ADDR, &regs, &mem), 0);
	assert_int_equal(regs.regs[2], 0xFFFFFFFF80000001ull);
	regs.cp0_epc = 1;
	assert_int_equal(kp_mips_emulate(&insn, ADDR + 8, &regs, &mem), -EFAULT);
	assert_int_equal(regs.cp0_epc, 1);
	kp_mips_decode(&insn, 0x24420001, R6);		/* addiu */
	assert_int_equal(kp_mips_emulate(&insn, ADDR, &regs, &mem), -EOPNOTSUPP);
}

static void test_jumps(void **state)
{
	static const uint8_t bytes[16];
	struct kp_arch_jump jump;

	(void)state;
	assert_int_equal(prepare(0x24420001, 0, 8, KP_ARCH_USER), 0);
	assert_int_equal(kp_arch_jump_way(&jump, &probe, bytes, sizeof(bytes), sizeof(bytes), 0, &reason),
			 -ENOENT);
	assert_string_equal(reason, "a jump is two words here, and who is at the second would execute its delay slot instead");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_breakpoints),
		cmocka_unit_test(test_around),
		cmocka_unit_test(test_compact),
		cmocka_unit_test(test_relative),
		cmocka_unit_test(test_jumps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
