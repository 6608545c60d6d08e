/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_port.c - the arm64 port's pure part: what is refused, and what does not reach.
 *
 * Owns: what a native run cannot show: kernel mode, memory that fails, text far away.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "auth.h"
#include "monitor.h"
#include "outofline.h"
#include "return.h"
#include "watch.h"

#define ADDR 0x555500001000ull
#define NEAR (ADDR + 0x100000)
#define FAR (ADDR + (1ull << 27) + 0x1000)

static struct kp_arch_probe probe;
static struct pt_regs regs;
static uint8_t image[KP_ARCH_SLOT_LEN];

/* A processor whose keys make nothing of one address. */
bool kp_a64_authenticate(uint64_t value, uint64_t modifier, bool key_b,
			 uint64_t *target)
{
	*target = value ^ modifier;
	return !key_b;
}

static int no_memory(uintptr_t addr, void *dst, size_t len)
{
	(void)addr, (void)dst, (void)len;
	return -EFAULT;
}

static const struct kp_arch_mem mem = { .read = no_memory };

static int prepare(uint32_t word, unsigned int flags, const char **reason)
{
	*reason = NULL;
	return kp_arch_prepare(&probe, ADDR, (const uint8_t *)&word, sizeof(word), flags,
			       reason);
}

static void test_refused(void **state)
{
	static const struct {
		uint32_t word;
		int kernel, user;
	} words[] = {
		{ 0xffffffff, -EINVAL, -EINVAL },		/* no instruction */
		{ 0x885f7c20, -EOPNOTSUPP, -EOPNOTSUPP },	/* ldxr w0, [x1] */
		{ 0x88027c20, -EOPNOTSUPP, -EOPNOTSUPP },	/* stxr w2, w0, [x1] */
		{ 0xd69f03e0, -EOPNOTSUPP, -EOPNOTSUPP },	/* eret */
		{ 0xd503205f, -EOPNOTSUPP, -EOPNOTSUPP },	/* wfe */
		{ 0xd503207f, -EOPNOTSUPP, -EOPNOTSUPP },	/* wfi */
		{ 0x1d010440, -EOPNOTSUPP, -EOPNOTSUPP },	/* cpyfm [x0]!, [x1]!, x2! */
		{ 0xd4200000, -EINVAL, -EINVAL },		/* brk #0 */
		{ 0xd4400000, -EILSEQ, -EILSEQ },		/* hlt #0 */
		{ 0x00000000, -EILSEQ, -EILSEQ },		/* udf #0 */
		{ 0xd4000001, -EOPNOTSUPP, 0 },			/* svc #0 */
		{ 0xd4000002, -EOPNOTSUPP, -EOPNOTSUPP },	/* hvc #0 */
		{ 0xd4000003, -EOPNOTSUPP, -EOPNOTSUPP },	/* smc #0 */
		{ 0xd50342df, -EOPNOTSUPP, 0 },			/* msr daifset, #2 */
		{ 0xd518d080, -EOPNOTSUPP, 0 },			/* msr tpidr_el1, x0 */
		{ 0xd51bd040, 0, 0 },				/* msr tpidr_el0, x0 */
		{ 0xd51b4200, 0, 0 },				/* msr nzcv, x0 */
		{ 0xd53bd040, 0, 0 },				/* mrs x0, tpidr_el0 */
		{ 0xd5033f5f, 0, 0 },				/* clrex */
		{ 0xd503245f, 0, 0 },				/* bti c */
		{ 0xd503233f, 0, 0 },				/* paciasp */
		{ 0x91000420, 0, 0 },				/* add x0, x1, #1 */
	};
	const char *reason;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		assert_int_equal(prepare(words[i].word, 0, &reason), words[i].kernel);
		assert_int_equal(!reason, !words[i].kernel);
		assert_int_equal(prepare(words[i].word, KP_ARCH_USER, &reason), words[i].user);
		assert_int_equal(!reason, !words[i].user);
	}
}

/* What needs a register needs room on the stack, and a stack that fixups know. */
static void test_vector_literal(void **state)
{
	const uint32_t ldr = 0x9c000080;	/* ldr q0, . + 16 */
	const char *reason;

	(void)state;
	assert_int_equal(prepare(ldr, KP_ARCH_USER, &reason), 0);
	assert_int_equal(probe.class, KP_ARCH_COPY);
	assert_int_equal(prepare(ldr, KP_ARCH_USER | KP_ARCH_TRAP_ONLY, &reason), -ENOSPC);
	assert_non_null(reason);
	assert_int_equal(prepare(ldr, KP_ARCH_HAS_FIXUP, &reason), -ENOSPC);
	assert_non_null(reason);
}

static void test_place(void **state)
{
	const uint32_t word = 0x91000420;
	const char *reason;

	(void)state;
	assert_int_equal(kp_arch_prepare(&probe, ADDR + 2, (const uint8_t *)&word, 4, 0, &reason),
			 -EILSEQ);
	assert_int_equal(kp_arch_prepare(&probe, ADDR, (const uint8_t *)&word, 3, 0, &reason),
			 -EILSEQ);
}

static void test_decode(void **state)
{
	static const uint32_t words[] = { KP_A64_BP, 0xd4200000, 0x91000420, 0xffffffff };
	struct kp_arch_decoded out;
	bool on_entry;
	size_t i;

	(void)state;
	for (i = 0; i < 4; i++) {
		assert_int_equal(kp_arch_decode(&out, (const uint8_t *)&words[i], 4, 0), 0);
		assert_int_equal(out.len, 4);
		assert_int_equal(out.breakpoint, i < 2);
	}
	assert_int_equal(kp_arch_decode(&out, (const uint8_t *)words, 3, 0), -ENODATA);
	assert_memory_equal(kp_arch_bp, words, 4);
	assert_int_equal(kp_arch_adjust_addr((const uint8_t *)words, 4, ADDR, 0, &on_entry), ADDR);
	assert_true(on_entry);
	assert_int_equal(kp_arch_adjust_addr((const uint8_t *)words, 4, ADDR, 4, &on_entry),
			 ADDR + 4);
	assert_false(on_entry);
}

/* A slot's branches go back, and where the instruction's go; its call may be a trap. */
static void test_reach(void **state)
{
	static const uint32_t words[] = {
		0x91000420,	/* add x0, x1, #1 */
		0x10000000,	/* adr x0, . */
		0x54000040,	/* b.eq . + 8 */
	};
	const char *reason;
	uint32_t word;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / 4; i++) {
		assert_int_equal(prepare(words[i], KP_ARCH_USER, &reason), 0);
		assert_int_equal(kp_arch_emit_slot(&probe, NEAR, image, &reason), 0);
		assert_int_equal(kp_arch_emit_slot(&probe, FAR, image, &reason), -ENOSPC);
		assert_non_null(reason);
	}
	/* b to the other side: near to the instruction, far from its slot. */
	assert_int_equal(prepare(0x16000000, KP_ARCH_USER, &reason), 0);
	assert_int_equal(kp_arch_emit_slot(&probe, ADDR - 0x1000, image, &reason), 0);
	assert_int_equal(kp_arch_emit_slot(&probe, NEAR, image, &reason), -ENOSPC);
	assert_non_null(reason);
	assert_int_equal(prepare(words[0], KP_ARCH_USER, &reason), 0);
	assert_int_equal(kp_arch_emit_slot_post(&probe, NEAR, FAR + NEAR, image, &reason), 0);
	memcpy(&word, image + probe.stepped + 8, 4);
	assert_int_equal(word, KP_A64_BP);
}

static void test_emulation_fails(void **state)
{
	struct pt_regs before;
	const char *reason;

	(void)state;
	memset(&regs, 0x5a, sizeof(regs));
	before = regs;
	assert_int_equal(prepare(0x58000040, KP_ARCH_USER, &reason), 0);	/* ldr x0, . + 8 */
	assert_int_equal(kp_arch_emulate(&probe, &regs, &mem), -EFAULT);
	assert_memory_equal(&regs, &before, sizeof(regs));
	assert_int_equal(prepare(0xd65f0fff, KP_ARCH_USER, &reason), 0);	/* retab */
	assert_int_equal(kp_arch_emulate(&probe, &regs, &mem), -EFAULT);
	assert_memory_equal(&regs, &before, sizeof(regs));
	/* braa x1, sp */
	assert_int_equal(prepare(0xd71f083f, KP_ARCH_USER, &reason), 0);
	assert_int_equal(kp_arch_emulate(&probe, &regs, &mem), 0);
	assert_int_equal(regs.pc, before.regs[1] ^ before.sp);
}

static void test_jump(void **state)
{
	static const struct {
		uint32_t word;
		unsigned int flags;
		bool can;
	} words[] = {
		{ 0x91000420, KP_ARCH_USER, true },	/* add x0, x1, #1 */
		{ 0x91000420, KP_ARCH_USER | KP_ARCH_TRAP_ONLY, false },
		{ 0xd63f0000, KP_ARCH_USER, true },	/* blr x0 */
		{ 0xd63f03c0, KP_ARCH_USER, false },	/* blr x30 */
		{ 0xd503245f, KP_ARCH_USER, false },	/* bti c */
		{ 0xd503233f, KP_ARCH_USER, false },	/* paciasp */
		{ 0xd503233f, KP_ARCH_USER | KP_ARCH_UNGUARDED, true },
	};
	struct kp_arch_jump jump;
	const char *reason;
	uint32_t word;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		assert_int_equal(prepare(words[i].word, words[i].flags, &reason), 0);
		assert_int_equal(kp_arch_jump_way(&jump, &probe, NULL, 0, 4, 0, &reason),
				 words[i].can ? 0 : -ENOENT);
		assert_true(words[i].can || reason);
		assert_int_equal(kp_arch_jump_way(&jump, &probe, NULL, 0, 4, 1, &reason), -ENOENT);
		assert_non_null(reason);
		assert_int_equal(kp_arch_jump_way(&jump, &probe, NULL, 0, 3, 0, &reason), -ENOENT);
		assert_non_null(reason);
	}
	assert_int_equal(prepare(words[0].word, KP_ARCH_USER, &reason), 0);
	assert_int_equal(kp_arch_jump_way(&jump, &probe, NULL, 0, 4, 0, &reason), 0);
	assert_true(jump.len == 4 && jump.patched == 4 && !jump.inner_nr && !jump.mask);
	kp_arch_emit_jump(&jump, jump.base - jump.reach_down, (uint8_t *)&word);
	assert_int_equal(word, 0x16000000);
	kp_arch_emit_jump(&jump, jump.base + jump.reach_up, (uint8_t *)&word);
	assert_int_equal(word, 0x15ffffff);
}

static void test_head(void **state)
{
	const char *reason;

	(void)state;
	assert_int_equal(prepare(0x91000420, KP_ARCH_USER, &reason), 0);
	assert_int_equal(kp_arch_emit_head(&probe, ADDR, NEAR, NEAR, &probe, image), 0);
	assert_int_equal(kp_arch_emit_head(&probe, ADDR, FAR, NEAR, &probe, image), -ERANGE);
	assert_int_equal(kp_arch_emit_head(&probe, ADDR, NEAR, FAR, &probe, image), -ERANGE);
}

static void test_padding(void **state)
{
	static const uint32_t words[] = { 0xd503201f, 0, 0xd503201f, 0x91000420 };

	(void)state;
	assert_int_equal(kp_arch_padding((const uint8_t *)words, sizeof(words)), 12);
	assert_int_equal(kp_arch_padding((const uint8_t *)words, 6), 4);
	assert_int_equal(kp_arch_padding((const uint8_t *)&words[3], 4), 0);
}

static void test_return(void **state)
{
	uintptr_t to, frame;
	uint32_t word;

	(void)state;
	memset(&regs, 0, sizeof(regs));
	regs.sp = 0x1000;
	regs.regs[30] = 0x2000;
	assert_int_equal(kp_arch_return_get(&regs, &mem, &to, &frame), 0);
	assert_true(to == 0x2000 && frame == 0x1000);
	assert_int_equal(*kp_arch_return_word(&regs), 0x2000);
	assert_int_equal(kp_arch_return_frame(&regs, &to), 0x1000);
	assert_int_equal(kp_arch_return_standing(frame, &mem, &to), -ENOENT);
	assert_int_equal(kp_arch_return_set(&regs, &mem, 0x3000), 0);
	assert_int_equal(regs.regs[30], 0x3000);
	kp_arch_return_to(&regs, 0x4000);
	assert_true(regs.pc == 0x4000 && regs.regs[30] == 0x4000);
	/* Called in place of a return: the one before is not over. */
	assert_false(kp_arch_stack_left(0x1000, 0x1000));
	assert_false(kp_arch_stack_left(0x1000, 0xff0));
	assert_true(kp_arch_stack_left(0x1000, 0x1010));
	kp_arch_emit_stub(ADDR, NEAR, image);
	memcpy(&word, image + KP_ARCH_STUB_RETURN, 4);
	assert_int_equal(word, 0x94000000 | (NEAR - ADDR - KP_ARCH_STUB_RETURN) / 4);
}

/* What no run shows: what is not told, pushes, and addresses with a byte of one's own. */
static void test_writes(void **state)
{
	static const struct {
		uint32_t word;
		enum kp_arch_writes kind;
	} words[] = {
		{ 0xa9be7bfd, KP_ARCH_WRITES_NOT },		/* stp x29, x30, [sp, #-32]! */
		{ 0xf81f0fe0, KP_ARCH_WRITES_NOT },		/* str x0, [sp, #-16]! */
		{ 0xa90153f3, KP_ARCH_WRITES_AT },		/* stp x19, x20, [sp, #16] */
		{ 0xf8010fe0, KP_ARCH_WRITES_AT },		/* str x0, [sp, #16]! */
		{ 0x88027c20, KP_ARCH_WRITES_SOMEWHERE },	/* stxr w2, w0, [x1] */
		{ 0xd50b7420, KP_ARCH_WRITES_SOMEWHERE },	/* dc zva, x0 */
		{ 0xd50b7b20, KP_ARCH_WRITES_NOT },		/* dc cvau, x0 */
		{ 0x1d010440, KP_ARCH_WRITES_SOMEWHERE },	/* cpyfm */
		{ 0xe400e000, KP_ARCH_WRITES_SOMEWHERE },	/* st1b { z0.b } ... */
		{ 0x58000040, KP_ARCH_WRITES_NOT },		/* ldr x0, . + 8 */
		{ 0x91000420, KP_ARCH_WRITES_NOT },		/* add x0, x1, #1 */
		{ 0xffffffff, KP_ARCH_WRITES_SOMEWHERE },
	};
	struct kp_arch_write write;
	uintptr_t at;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		assert_int_equal(kp_arch_write_of(&write, ADDR, (const uint8_t *)&words[i].word, 4, 0),
				 words[i].kind);
	assert_int_equal(kp_arch_write_of(&write, ADDR, (const uint8_t *)words, 3, 0),
			 KP_ARCH_WRITES_SOMEWHERE);
	/* strb w0, [x1, w2, sxtw] */
	assert_int_equal(kp_arch_write_of(&write, ADDR, (const uint8_t *)&(uint32_t){ 0x3822c820 },
					  4, 0), KP_ARCH_WRITES_AT);
	regs.regs[1] = 0x4200000000001000;
	regs.regs[2] = 0x12345678fffffff0;
	assert_int_equal(kp_arch_write_at(&write, &regs, &at), 1);
	assert_int_equal(at, 0xff0);
}

/* ---- exclusives by software ----------------------------------------------------- */

static union {
	uint64_t words[2];
	uint8_t bytes[16];
} cell;
static struct kp_monitor monitor;

static int read_cell(uintptr_t addr, void *dst, size_t len)
{
	if (addr < ADDR || addr + len > ADDR + sizeof(cell))
		return -EFAULT;
	memcpy(dst, cell.bytes + (addr - ADDR), len);
	return 0;
}

static bool swap_cell_if(uintptr_t addr, unsigned int len, const uint64_t *old,
			 const uint64_t *new)
{
	uint8_t *at = cell.bytes + (addr - ADDR);

	if (memcmp(at, old, len))
		return false;
	memcpy(at, new, len);
	return true;
}

static enum kp_monitored exclusive(uint32_t word)
{
	static const struct kp_monitor_memory memory = {
		.read = read_cell, .swap_if = swap_cell_if,
	};

	return kp_monitor_do(&monitor, word, &regs, &memory);
}

static void test_exclusives(void **state)
{
	/* ldxr, stxr of x0 with its status in w2, at [x1]: one to eight bytes */
	static const uint32_t loads[] = { 0x085f7c20, 0x485f7c20, 0x885f7c20, 0xc85f7c20 };
	static const uint32_t stores[] = { 0x08027c20, 0x48027c20, 0x88027c20, 0xc8027c20 };
	uint64_t mask;
	unsigned int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		mask = i == 3 ? ~0ull : (1ull << (8 << i)) - 1;
		cell.words[0] = 0x1122334455667788;
		regs.regs[1] = regs.pc = ADDR;
		assert_int_equal(exclusive(loads[i]), KP_MONITOR_LOADED);
		assert_int_equal(regs.regs[0], cell.words[0] & mask);
		assert_int_equal(regs.pc, ADDR + 4);
		regs.regs[0] = 0xfedcba9876543210;
		assert_int_equal(exclusive(stores[i]), KP_MONITOR_STORED);
		assert_int_equal(regs.regs[2], 0);
		assert_int_equal(cell.words[0], (0x1122334455667788 & ~mask) |
						(0xfedcba9876543210 & mask));
		assert_int_equal(regs.pc, ADDR + 8);
		/* Once. */
		assert_int_equal(exclusive(stores[i]), KP_MONITOR_FAILED);
		assert_int_equal(regs.regs[2], 1);
		/* Somebody else has written. */
		assert_int_equal(exclusive(loads[i]), KP_MONITOR_LOADED);
		cell.words[0] ^= 1;
		assert_int_equal(exclusive(stores[i]), KP_MONITOR_FAILED);
	}
}

static void test_exclusive_pairs(void **state)
{
	(void)state;
	cell.words[0] = 0x1111222233334444;
	cell.words[1] = 0x5555666677778888;
	regs.sp = regs.pc = ADDR;
	/* ldxp w0, w3, [sp]; stxp w2, w0, wzr, [sp] */
	assert_int_equal(exclusive(0x887f0fe0), KP_MONITOR_LOADED);
	assert_int_equal(regs.regs[0], 0x33334444);
	assert_int_equal(regs.regs[3], 0x11112222);
	regs.regs[0] = 0xf00000001;
	assert_int_equal(exclusive(0x88227fe0), KP_MONITOR_STORED);
	assert_int_equal(cell.words[0], 1);
	/* ldaxp x0, x3, [sp]; stlxp w2, x3, x0, [sp] */
	assert_int_equal(exclusive(0xc87f8fe0), KP_MONITOR_LOADED);
	assert_int_equal(regs.regs[3], 0x5555666677778888);
	/* of another length, and elsewhere */
	assert_int_equal(exclusive(0xc8027fe0), KP_MONITOR_FAILED);
	assert_int_equal(exclusive(0xc87f8fe0), KP_MONITOR_LOADED);
	assert_int_equal(exclusive(0xc82283e3), KP_MONITOR_STORED);
	assert_int_equal(cell.words[0], 0x5555666677778888);
	assert_int_equal(cell.words[1], 1);
}

static void test_no_exclusive(void **state)
{
	/* ldar, stlr, casp, cas, ldr */
	static const uint32_t words[] = {
		0x88dffc20, 0x889ffc20, 0x08207c82, 0xc8a07c20, 0xf9400020,
	};
	unsigned int i;

	(void)state;
	regs.regs[1] = regs.pc = ADDR;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		assert_int_equal(exclusive(words[i]), KP_MONITOR_NONE);
	/* No memory. */
	regs.regs[1] = ADDR + 64;
	assert_int_equal(exclusive(0xc85f7c20), KP_MONITOR_NONE);
	assert_int_equal(regs.pc, ADDR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_vector_literal),
		cmocka_unit_test(test_place),
		cmocka_unit_test(test_decode),
		cmocka_unit_test(test_reach),
		cmocka_unit_test(test_emulation_fails),
		cmocka_unit_test(test_jump),
		cmocka_unit_test(test_head),
		cmocka_unit_test(test_padding),
		cmocka_unit_test(test_return),
		cmocka_unit_test(test_writes),
		cmocka_unit_test(test_exclusives),
		cmocka_unit_test(test_exclusive_pairs),
		cmocka_unit_test(test_no_exclusive),
	};

	return cmocka_run_group_tests_name("a64_port", tests, NULL, NULL);
}
