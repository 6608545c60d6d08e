/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_arm64.c - the A64 decoder, emulation and moving, by hand-made examples.
 *
 * Owns: each field of each class once, and what a native run cannot show: memory that
 * fails, reasons, the far ends of ranges; and where nothing may trap.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "arch.h"
#include "emulate.h"
#include "region.h"

#define ADDR 0xffff800008001234ull

static struct kp_a64_insn insn;
static struct kp_a64_regs regs;

static void decode(uint32_t word)
{
	kp_a64_decode(&insn, word);
}

static int no_memory(uintptr_t addr, void *dst, size_t len)
{
	(void)addr, (void)dst, (void)len;
	return -EFAULT;
}

/* The address that was read, and what is there: the same in all bytes. */
static uint64_t read_at;

static int memory_of_f0(uintptr_t addr, void *dst, size_t len)
{
	read_at = addr;
	memset(dst, 0xF0, len);
	return 0;
}

static int emulate(uint32_t word)
{
	decode(word);
	return kp_a64_emulate(&insn, ADDR, &regs, true, memory_of_f0);
}

static void test_classes(void **state)
{
	static const struct {
		uint32_t word;
		uint8_t class;
		uint16_t flags;
	} words[] = {
		{ 0x00000000, KP_A64_EXCEPTION, 0 },			/* udf #0 */
		{ 0xFFFFFFFF, KP_A64_UNALLOCATED, 0 },
		{ 0x91000420, KP_A64_PLAIN, 0 },			/* add x0, x1, #1 */
		{ 0x925FFFFF, KP_A64_UNALLOCATED, 0 },			/* and: all ones is no mask */
		{ 0xD65F03C0, KP_A64_RET, 0 },
		{ 0xD65F0BFF, KP_A64_RET, KP_A64_PAC },			/* retaa */
		{ 0xD65F0FFF, KP_A64_RET, KP_A64_PAC | KP_A64_KEY_B },
		{ 0xD61F081F, KP_A64_BR, KP_A64_PAC },			/* braaz x0 */
		{ 0xD73F0C01, KP_A64_BLR, KP_A64_PAC | KP_A64_KEY_B | KP_A64_MODIFIER },
		{ 0xC85F7C20, KP_A64_LOAD_EXCLUSIVE, 0 },		/* ldxr x0, [x1] */
		{ 0xC87F0440, KP_A64_LOAD_EXCLUSIVE, 0 },		/* ldxp x0, x1, [x2] */
		{ 0xC8027C20, KP_A64_STORE_EXCLUSIVE, 0 },		/* stxr w2, x0, [x1] */
		{ 0x48A17C40, KP_A64_PLAIN, 0 },			/* cash w1, w0, [x2] */
		{ 0xD5033F5F, KP_A64_CLREX, 0 },
		{ 0xD4000001, KP_A64_EXCEPTION, 0 },			/* svc */
		{ 0xD4200000, KP_A64_EXCEPTION, 0 },			/* brk */
		{ 0xD69F03E0, KP_A64_ERET, 0 },
		{ 0xD503201F, KP_A64_HINT, 0 },				/* nop */
		{ 0xD503245F, KP_A64_HINT, KP_A64_PAD },		/* bti c */
		{ 0xD503233F, KP_A64_HINT, KP_A64_PAD },		/* paciasp */
		{ 0xD50323BF, KP_A64_HINT, 0 },				/* autiasp */
		{ 0xD503207F, KP_A64_WAIT, 0 },				/* wfi */
		{ 0xD5033FDF, KP_A64_BARRIER, 0 },			/* isb */
		{ 0xD50342DF, KP_A64_PSTATE, 0 },			/* msr daifset, #2 */
		{ 0xD508751F, KP_A64_SYS, 0 },				/* ic iallu */
		{ 0x19010440, KP_A64_MOPS, 0 },				/* cpyfp */
		{ 0xD5233060, KP_A64_TRANSACTION, 0 },			/* tstart x0 */
		{ 0x04200000, KP_A64_PLAIN, 0 },			/* add z0.b, z0.b, z0.b */
		{ 0x04020000, KP_A64_UNALLOCATED, 0 },			/* between sub and subr */
		{ 0x80800000, KP_A64_PLAIN, 0 },			/* fmopa */
		{ 0xDAC1A3FE, KP_A64_UNALLOCATED, 0 },			/* paciasppc: reads the PC */
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

static void test_operands(void **state)
{
	static const struct {
		uint32_t word;
		int64_t offset;
	} words[] = {
		{ 0x15FFFFFF, 0x7FFFFFC },	/* b, the farthest */
		{ 0x96000000, -0x8000000 },	/* bl, the farthest back */
		{ 0x547FFFE0, 0xFFFFC },	/* b.eq */
		{ 0xB5800000, -0x100000 },	/* cbnz */
		{ 0x3603FFE0, 0x7FFC },		/* tbz */
		{ 0xB7FC0000, -0x8000 },	/* tbnz x, #63 */
		{ 0x707FFFE0, 0xFFFFF },	/* adr */
		{ 0x10800000, -0x100000 },
		{ 0xF07FFFE0, 0xFFFFF000 },	/* adrp */
		{ 0x90800000, -0x100000000 },
		{ 0x58000020, 4 },		/* ldr x0, the next word */
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		decode(words[i].word);
		assert_true(kp_a64_is_relative(&insn));
		assert_int_equal(insn.offset, words[i].offset);
	}
	decode(0x90000001);	/* adrp x1, this page */
	assert_int_equal(kp_a64_operand(&insn, ADDR), ADDR & ~0xFFFull);
	decode(0x10000001);	/* adr x1, here */
	assert_int_equal(kp_a64_operand(&insn, ADDR), ADDR);
	decode(0xD61F0000);
	assert_false(kp_a64_is_relative(&insn));
}

static void test_fields(void **state)
{
	(void)state;
	decode(0xB7F80003);	/* tbnz x3, #63 */
	assert_int_equal(insn.rt, 3);
	assert_int_equal(insn.bit, 63);
	decode(0x5400000B);	/* b.lt */
	assert_int_equal(insn.cond, 11);
	decode(0xD73F0825);	/* blraa x1, x5 */
	assert_int_equal(insn.rn, 1);
	assert_int_equal(insn.rm, 5);
	decode(0xD65F0BFF);	/* retaa */
	assert_int_equal(insn.rn, KP_A64_LR);
	assert_int_equal(insn.rm, KP_A64_NO_REG);
	decode(0xC8027C20);	/* stxr w2, x0, [x1] */
	assert_int_equal(insn.rs, 2);
	assert_int_equal(insn.rt, 0);
	assert_int_equal(insn.rn, 1);
	decode(0x9C000009);	/* ldr q9 */
	assert_int_equal(insn.size, 16);
	decode(0x98000009);	/* ldrsw x9 */
	assert_int_equal(insn.size, 4);
	decode(0xD8000009);	/* prfm */
	assert_int_equal(insn.size, 0);
	decode(0xD503245F);	/* bti c */
	assert_int_equal(insn.number, 34);
	decode(0xD53B4220);	/* mrs x0, daif */
	assert_int_equal(insn.class, KP_A64_READ_SYSREG);
	assert_int_equal(insn.sysreg, 0xDA11);
	assert_int_equal(insn.rt, 0);
	decode(0xD51B4223);	/* msr daif, x3 */
	assert_int_equal(insn.class, KP_A64_WRITE_SYSREG);
	assert_int_equal(insn.sysreg, 0xDA11);
}

/* A loop that takes the monitor and gives it up: what must be found there. */
static void test_exclusive_pairs(void **state)
{
	uint32_t size, ordered, pair;

	(void)state;
	for (size = 0; size < 4; size++) {
		for (ordered = 0; ordered < 2; ordered++) {
			for (pair = 0; pair < 1 + (size > 1); pair++) {
				uint32_t word = size << 30 | 0x08000000 | pair << 21 | ordered << 15 |
						(pair ? 0x1000 : 0x7C00) | 2 << 5;

				decode(word | 0x001F0000 | 1 << 22);
				assert_int_equal(insn.class, KP_A64_LOAD_EXCLUSIVE);
				decode(word | 5 << 16);
				assert_int_equal(insn.class, KP_A64_STORE_EXCLUSIVE);
				assert_int_equal(insn.rs, 5);
			}
		}
	}
}

static void test_emulated(void **state)
{
	(void)state;
	memset(&regs, 0x55, sizeof(regs));
	assert_int_equal(emulate(0x94000002), 0);	/* bl +8 */
	assert_int_equal(regs.pc, ADDR + 8);
	assert_int_equal(regs.regs[30], ADDR + 4);
	regs.regs[30] = 0x1000;
	assert_int_equal(emulate(0xD63F03C0), 0);	/* blr x30 */
	assert_int_equal(regs.pc, 0x1000);
	assert_int_equal(regs.regs[30], ADDR + 4);
	assert_int_equal(regs.pstate & KP_A64_PSTATE_BTYPE, KP_A64_BTYPE_CALL << 10);
	assert_int_equal(emulate(0xD61F03C0), 0);	/* br x30, in a guarded page */
	assert_int_equal(regs.pstate & KP_A64_PSTATE_BTYPE, KP_A64_BTYPE_JUMP << 10);
	assert_int_equal(emulate(0xD61F0200), 0);	/* br x16 */
	assert_int_equal(regs.pstate & KP_A64_PSTATE_BTYPE, KP_A64_BTYPE_JUMP_16 << 10);
	assert_int_equal(emulate(0x10000001), 0);	/* adr x1, here */
	assert_int_equal(regs.regs[1], ADDR);
	assert_int_equal(regs.pc, ADDR + 4);
	assert_int_equal(regs.pstate & KP_A64_PSTATE_BTYPE, 0);
	assert_int_equal(emulate(0x98000042), 0);	/* ldrsw x2, +8 */
	assert_int_equal(read_at, ADDR + 8);
	assert_int_equal(regs.regs[2], 0xFFFFFFFFF0F0F0F0);
	assert_int_equal(emulate(0x18000042), 0);	/* ldr w2, +8 */
	assert_int_equal(regs.regs[2], 0xF0F0F0F0);
	assert_int_equal(emulate(0xB400005F), 0);	/* cbz xzr, +8 */
	assert_int_equal(regs.pc, ADDR + 8);
	regs.sp = 7;
	assert_int_equal(emulate(0x5800005F), 0);	/* ldr xzr, +8 */
	assert_int_equal(regs.sp, 7);
}

/* The flags as cmp of -1, 0 and 1 with 0 leaves them, and every condition. */
static void test_conditions(void **state)
{
	static const struct {
		uint64_t flags;
		uint16_t holds;		/* bit n: condition n */
	} after[] = {
		{ KP_A64_PSTATE_N | KP_A64_PSTATE_C, 0xE996 },	/* below zero */
		{ KP_A64_PSTATE_Z | KP_A64_PSTATE_C, 0xE6A5 },
		{ KP_A64_PSTATE_C, 0xD5A6 },			/* above */
		{ KP_A64_PSTATE_V | KP_A64_PSTATE_C, 0xE966 },	/* above, by overflow */
	};
	size_t i;
	uint32_t cond;

	(void)state;
	for (i = 0; i < sizeof(after) / sizeof(after[0]); i++) {
		for (cond = 0; cond < 16; cond++) {
			regs.pstate = after[i].flags;
			assert_int_equal(emulate(0x54000100 | cond), 0);
			assert_int_equal(regs.pc == ADDR + 32,
					 cond == 15 || (after[i].holds >> cond & 1));
		}
	}
}

static void test_not_emulated(void **state)
{
	static const uint32_t words[] = {
		0xD65F0BFF,	/* retaa */
		0xD63F081F,	/* blraaz x0 */
		0x9C000049,	/* ldr q9, +8 */
		0x91000420,	/* add */
		0xD4000001,	/* svc */
		0xFFFFFFFF,
	};
	struct kp_a64_regs before;
	size_t i;

	(void)state;
	memset(&regs, 0x55, sizeof(regs));
	before = regs;
	for (i = 0; i < sizeof(words) / 4; i++)
		assert_int_equal(emulate(words[i]), -EOPNOTSUPP);
	decode(0x58000042);	/* ldr x2, +8 */
	assert_int_equal(kp_a64_emulate(&insn, ADDR, &regs, true, no_memory), -EFAULT);
	assert_memory_equal(&before, &regs, sizeof(regs));
}

static void moved(struct kp_a64_moved *to, uint32_t word)
{
	const char *reason = NULL;

	decode(word);
	assert_int_equal(kp_a64_move(&insn, ADDR, to, &reason), 0);
}

static void test_moved(void **state)
{
	struct kp_a64_moved to;

	(void)state;
	moved(&to, 0x58000042);		/* ldr x2, +8 */
	assert_int_equal(to.word, 0xF9400042);	/* ldr x2, [x2] */
	assert_int_equal(to.reg, 2);
	assert_int_equal(to.value, ADDR + 8);
	assert_false(to.restore);
	moved(&to, 0x9C000049);		/* ldr q9, +8 */
	assert_int_equal(to.word, 0x3DC00209);	/* ldr q9, [x16] */
	assert_int_equal(to.reg, 16);
	assert_true(to.restore);
	moved(&to, 0x5800005F);		/* ldr xzr, +8 */
	assert_int_equal(to.word, 0xF940021F);	/* ldr xzr, [x16] */
	assert_true(to.restore);
	moved(&to, 0xD73F0825);		/* blraa x1, x5 */
	assert_int_equal(to.word, 0xD71F0825);	/* braa x1, x5 */
	assert_int_equal(to.reg, KP_A64_LR);
	assert_int_equal(to.value, ADDR + 4);
	assert_false(to.restore);
	moved(&to, 0xD65F0BFF);		/* retaa */
	assert_int_equal(to.word, 0xD65F0BFF);
	assert_int_equal(to.reg, KP_A64_NO_REG);
}

static void test_not_moved(void **state)
{
	static const struct {
		uint32_t word;
		const char *reason;
	} words[] = {
		{ 0x14000002, "it is emulated" },
		{ 0x90000001, "it is emulated" },
		{ 0xD63F0BDF, "it calls by the link register, which has the return address then" },
		{ 0xFFFFFFFF, "it is not an instruction that is known" },
	};
	struct kp_a64_moved to;
	const char *reason;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		decode(words[i].word);
		assert_int_equal(kp_a64_move(&insn, ADDR, &to, &reason), -EOPNOTSUPP);
		assert_string_equal(reason, words[i].reason);
	}
}

static void test_landing(void **state)
{
	static const struct {
		uint32_t word;
		uint8_t takes;		/* bit n: BTYPE n */
	} words[] = {
		{ 0xD503201F, 0x1 },	/* nop */
		{ 0xD503241F, 0x1 },	/* bti */
		{ 0xD503245F, 0x7 },	/* bti c */
		{ 0xD503249F, 0xB },	/* bti j */
		{ 0xD50324DF, 0xF },	/* bti jc */
		{ 0xD503233F, 0x7 },	/* paciasp */
		{ 0xD4200000, 0xF },	/* brk */
		{ 0xD4400000, 0xF },	/* hlt */
		{ 0xD4000001, 0x1 },	/* svc */
	};
	unsigned int i, type;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		decode(words[i].word);
		for (type = 0; type < 4; type++)
			assert_int_equal(kp_a64_may_land(&insn, (enum kp_a64_btype)type),
					 words[i].takes >> type & 1);
	}
}

#define LDXR 0xC85F7C20		/* ldxr x0, [x1] */
#define STXR 0xC8027C20		/* stxr w2, x0, [x1] */
#define CLREX 0xD5033F5F
#define NOP 0xD503201F
#define RET 0xD65F03C0
#define BR 0xD61F0000
#define B(words) (0x14000000 | ((words) & 0x3FFFFFF))
#define BL(words) (0x94000000 | ((words) & 0x3FFFFFF))
#define BNE(words) (0x54000001 | ((words) & 0x7FFFF) << 5)
#define CBNZ(words) (0x35000002 | ((words) & 0x7FFFF) << 5)

/* Of @text, exactly the instructions that @expected has an x for must not trap. */
static const uint32_t *text_words;
static size_t text_nr;

static int read_text(uint8_t *dst, uintptr_t addr, size_t len)
{
	if (addr < ADDR || addr + len > ADDR + text_nr * 4)
		return -EFAULT;
	memcpy(dst, (const uint8_t *)text_words + (addr - ADDR), len);
	return 0;
}

static bool is_exclusive(const uint32_t *words, size_t nr, size_t at)
{
	const char *reason = NULL;
	int err;

	text_words = words;
	text_nr = nr;
	err = kp_arch_refuse_around(ADDR, nr * 4, ADDR + at * 4, 0, read_text, &reason);
	assert_int_equal(!err, !reason);
	return err == -EOPNOTSUPP;
}

static void expect_exclusive(const uint32_t *words, const char *expected)
{
	size_t at, nr = strlen(expected);

	for (at = 0; at < nr; at++)
		assert_int_equal(is_exclusive(words, nr, at), expected[at] == 'x');
}

static void test_exclusive(void **state)
{
	static const uint32_t loop[] = { NOP, LDXR, NOP, STXR, CBNZ(-3), NOP, RET };
	/* cmpxchg: what differs leaves with the monitor open, and nothing wants it. */
	static const uint32_t exchange[] = { LDXR, BNE(3), STXR, CBNZ(-3), NOP, RET };
	/* The store stands elsewhere, before the load. */
	static const uint32_t apart[] = { B(4), STXR, CBNZ(2), RET, LDXR, B(-4) };
	static const uint32_t cleared[] = { LDXR, BNE(2), B(4), CLREX, NOP, RET, STXR, CBNZ(-7), RET };
	/* A call within: not wise, but seen. */
	static const uint32_t calls[] = { NOP, LDXR, BL(1000), STXR, RET };
	/* Another loop leads to it, and none leads to it: paths end at jumps. */
	static const uint32_t twice[] = { NOP, CBNZ(-1), LDXR, STXR, LDXR, NOP, STXR, BR, NOP, B(-1) };
	static const uint32_t none[] = { NOP, B(-1), LDXR, RET };
	uint32_t long_loop[200];
	char expected[201];
	size_t i;

	(void)state;
	expect_exclusive(loop, ".xxx...");
	expect_exclusive(exchange, "xxx...");
	expect_exclusive(apart, ".x..xx");
	expect_exclusive(cleared, "xxx...x..");
	expect_exclusive(calls, ".xxx.");
	expect_exclusive(twice, "..xxxxx...");
	expect_exclusive(none, "..x.");
	for (i = 0; i < 200; i++) {
		long_loop[i] = i == 10 ? LDXR : i == 190 ? STXR : NOP;
		expected[i] = i >= 10 && i <= 190 ? 'x' : '.';
	}
	expected[200] = 0;
	expect_exclusive(long_loop, expected);
}

/* Whoever comes to where nobody looks is told, in a text that has a store at all. */
static void test_exclusive_far(void **state)
{
	static uint32_t words[3 * KP_REGION_AROUND];
	const size_t nr = sizeof(words) / 4, middle = nr / 2;
	const char *reason;
	size_t i;

	(void)state;
	for (i = 0; i < nr; i++)
		words[i] = NOP;
	words[middle + 2] = RET;
	assert_false(is_exclusive(words, nr, 0));
	words[nr - 1] = STXR;
	assert_false(is_exclusive(words, nr, middle));
	assert_false(is_exclusive(words, nr, 0));
	assert_true(is_exclusive(words, nr, nr - 2));
	assert_true(is_exclusive(words, nr, middle + 3));
	words[middle] = B(-(int)middle);
	assert_true(is_exclusive(words, nr, middle));
	/* What is not the function's. */
	assert_false(is_exclusive(words, nr, nr));
	/* What cannot be read. */
	text_nr = 1;
	assert_int_equal(kp_arch_refuse_around(ADDR, 8, ADDR + 4, 0, read_text, &reason), -EOPNOTSUPP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_operands),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_exclusive_pairs),
		cmocka_unit_test(test_emulated),
		cmocka_unit_test(test_conditions),
		cmocka_unit_test(test_not_emulated),
		cmocka_unit_test(test_moved),
		cmocka_unit_test(test_not_moved),
		cmocka_unit_test(test_landing),
		cmocka_unit_test(test_exclusive),
		cmocka_unit_test(test_exclusive_far),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
