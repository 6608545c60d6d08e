/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_rv_port.c - the pure part of arch/riscv64 against its contract, by examples.
 *
 * Owns: each refusal with its reason; lengths, breakpoints and classes as the core sees
 * them; registers of a hit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "arch.h"
#include "regs.h"

#define ADDR 0x3f80001232ull

static struct kp_arch_probe probe;
static const char *reason;

static int prepare_at(uintptr_t addr, uint32_t word, size_t avail, unsigned int flags)
{
	uint8_t bytes[4];

	memcpy(bytes, &word, sizeof(word));
	reason = NULL;
	return kp_arch_prepare(&probe, addr, bytes, avail, flags, &reason);
}

static void test_refused(void **state)
{
	static const struct {
		uint32_t word;
		int user, kernel;
		const char *reason;
	} words[] = {
		{ 0xFFFFFFFB, -EINVAL, -EINVAL, "it is not an instruction that is known" },
		{ 0x20B52533, -EINVAL, -EINVAL, "it is not an instruction that is known" },
		{ 0x0000001F, -EILSEQ, -EILSEQ, "it is not an instruction that is known" },
		{ 0x1005A52F, -EOPNOTSUPP, -EOPNOTSUPP,		/* lr.w */
		  "a trap takes the reservation away that it makes" },
		{ 0x18C5A52F, -EOPNOTSUPP, -EOPNOTSUPP,		/* sc.w */
		  "a trap takes the reservation away that it needs" },
		{ 0x10200073, -EOPNOTSUPP, -EOPNOTSUPP,		/* sret */
		  "it leaves the context whose registers were saved" },
		{ 0x10500073, -EOPNOTSUPP, -EOPNOTSUPP,		/* wfi */
		  "a trap may take the interrupt away that it waits for" },
		{ 0x00100073, -EINVAL, -EINVAL, "somebody else's breakpoint stands here" },
		{ 0x00009002, -EINVAL, -EINVAL, "somebody else's breakpoint stands here" },
		{ 0x00000000, -EILSEQ, -EILSEQ, "the instruction is itself a trap" },
		{ 0x00000073, 0, -EOPNOTSUPP, "the firmware may look at its address" },
		{ 0x14102573, 0, -EOPNOTSUPP,			/* csrr a0, sepc */
		  "a trap changes the control register, or relies on it" },
		{ 0x10017073, 0, -EOPNOTSUPP,			/* csrci sstatus, 2 */
		  "a trap changes the control register, or relies on it" },
		{ 0xC0102573, 0, 0, NULL },			/* rdtime a0 */
		{ 0x00351573, 0, 0, NULL },			/* fscsr */
		{ 0x0000100F, 0, 0, NULL },			/* fence.i */
		{ 0x12000073, 0, 0, NULL },			/* sfence.vma */
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		assert_int_equal(prepare_at(ADDR, words[i].word, 4, KP_ARCH_USER), words[i].user);
		if (words[i].user)
			assert_string_equal(reason, words[i].reason);
		else
			assert_null(reason);
		assert_int_equal(prepare_at(ADDR, words[i].word, 4, 0), words[i].kernel);
		if (words[i].kernel)
			assert_string_equal(reason, words[i].reason);
	}
	/* An odd address; what is cut off. */
	assert_int_equal(prepare_at(ADDR + 1, 0x00150513, 4, 0), -EILSEQ);
	assert_int_equal(prepare_at(ADDR, 0x00150513, 2, 0), -EILSEQ);
	assert_int_equal(prepare_at(ADDR, 0x8082, 2, 0), 0);
}

static void test_decoded(void **state)
{
	static const struct {
		uint32_t word;
		int err;
		uint8_t len;
		bool breakpoint;
	} words[] = {
		{ 0x00150513, 0, 4, false }, { 0x0001, 0, 2, false },
		{ 0x20B52533, 0, 4, false },		/* not known, and as long as it says */
		{ 0x9002, 0, 2, true }, { 0x00100073, 0, 4, true },
		{ 0x00000073, 0, 4, false },
		{ 0x001F, -EILSEQ, 0, false }, { 0x007F, -EILSEQ, 0, false },
	};
	struct kp_arch_decoded out;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const uint8_t *bytes = (const uint8_t *)&words[i].word;

		assert_int_equal(kp_arch_decode(&out, bytes, 4), words[i].err);
		if (words[i].err)
			continue;
		assert_int_equal(out.len, words[i].len);
		assert_int_equal(out.breakpoint, words[i].breakpoint);
		assert_int_equal(kp_arch_decode(&out, bytes, words[i].len - 1u), -ENODATA);
	}
}

static void test_classes(void **state)
{
	(void)state;
	assert_int_equal(prepare_at(ADDR, 0x00150513, 4, 0), 0);
	assert_int_equal(probe.class, KP_ARCH_COPY);
	assert_int_equal(probe.len, 4);
	assert_int_equal(prepare_at(ADDR, 0x8082, 4, 0), 0);
	assert_int_equal(probe.class, KP_ARCH_EMULATE);
	assert_int_equal(probe.len, 2);
	assert_int_equal(prepare_at(ADDR, 0x00000517, 4, 0), 0);
	assert_int_equal(probe.class, KP_ARCH_EMULATE);
}

static uint32_t standing;

static int read_standing(void *dst, uintptr_t addr, size_t len)
{
	(void)addr;
	memcpy(dst, &standing, len);
	return 0;
}

static bool stands(uint32_t word)
{
	struct pt_regs regs = { .epc = ADDR };

	standing = word;
	return kp_arch_breakpoint_stands(&regs, false, read_standing);
}

static void test_hit(void **state)
{
	struct pt_regs regs = { .epc = ADDR };
	bool on_entry;

	(void)state;
	assert_true(stands(0x9002));
	assert_true(stands(0x00100073));	/* ebreak */
	assert_false(stands(0x00000073));	/* ecall */
	assert_false(stands(0x0001));
	assert_int_equal(kp_arch_trap_addr(&regs), ADDR);
	kp_arch_retry(&regs);
	assert_int_equal(regs.epc, ADDR);
	standing = 0x9002;
	kp_arch_pass(&regs, read_standing);
	assert_int_equal(regs.epc, ADDR + 2);
	standing = 0x00100073;
	kp_arch_pass(&regs, read_standing);
	assert_int_equal(regs.epc, ADDR + 6);
	kp_arch_set_pre_ip(&regs, ADDR + 8);
	assert_int_equal(regs.epc, ADDR + 8);
	assert_int_equal(kp_arch_adjust_addr(NULL, 0, ADDR, 0, &on_entry), ADDR);
	assert_true(on_entry);
	assert_int_equal(kp_arch_adjust_addr(NULL, 0, ADDR, 6, &on_entry), ADDR + 6);
	assert_false(on_entry);
	/* As C names them. */
	kp_rv_regs(&regs)->x1[10 - 1] = 5;
	assert_int_equal(regs.a0, 5);
	assert_int_equal(regs_get_kernel_argument(&regs, 0), 5);
	kp_rv_regs(&regs)->x1[31 - 1] = 6;
	assert_int_equal(regs.t6, 6);
}

static const uint32_t text[] = { 0x1005A52F, 0x18C5A62F, 0x00000013 };

static int read_text(uint8_t *dst, uintptr_t addr, size_t len)
{
	memcpy(dst, (const uint8_t *)text + (addr - ADDR), len);
	return 0;
}

static void test_around(void **state)
{
	(void)state;
	reason = NULL;
	assert_int_equal(kp_arch_refuse_around(ADDR, sizeof(text), ADDR + 8, read_text, &reason), 0);
	assert_null(reason);
	assert_int_equal(kp_arch_refuse_around(ADDR, sizeof(text), ADDR, read_text, &reason),
			 -EOPNOTSUPP);
	assert_string_equal(reason, "it may be between a load-reserved and its store-conditional, whose loop a trap would make endless");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_decoded),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_hit),
		cmocka_unit_test(test_around),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
