// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Every instruction: what it gives for ordinary and for extreme values.  Results
 * leave a program by OVERRIDE.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "build.h"

#define LOWEST (1ull << 63)

static struct build build;

static void begin(void)
{
	build_begin(&build);
	build.head.stacks = 16;
	build.head.depth = 20;
	build.head.events_nr = 1;
	build.head.ring = KT_RING_MIN;
}

/* a = what arg0 is, and so on; then the program that follows ends with a's value. */
static u64 run(struct pt_regs *regs)
{
	struct kt_hit hit;

	build_insn(&build, KT_OVERRIDE, 0, 0, 0, 0);
	build_insn(&build, KT_END, 0, 0, 0, 0);
	assert_null(build_done(&build));
	hit = build_hit(&build, regs);
	build_free(&build);
	assert_true(hit.overridden);
	return hit.value;
}

static u64 run_with(u64 arg0, u64 arg1)
{
	struct pt_regs regs = { { arg0, arg1 } };

	return run(&regs);
}

/* ---- numbers ------------------------------------------------------------------ */

static const struct {
	u8 op;
	u64 x, y, result;
} sums[] = {
	{ KT_ADD, 7, 8, 15 }, { KT_ADD, ~0ull, 1, 0 },
	{ KT_SUB, 7, 8, ~0ull }, { KT_MUL, 7, ~0ull, (u64)-7 },
	{ KT_UDIV, ~0ull, 2, LOWEST - 1 }, { KT_UDIV, 7, 0, 0 },
	{ KT_SDIV, (u64)-7, 2, (u64)-3 }, { KT_SDIV, 7, 0, 0 },
	{ KT_SDIV, LOWEST, (u64)-1, LOWEST }, { KT_SDIV, 9, (u64)-1, (u64)-9 },
	{ KT_UMOD, ~0ull, 10, 5 }, { KT_UMOD, 7, 0, 7 },
	{ KT_SMOD, (u64)-7, 4, (u64)-3 }, { KT_SMOD, 7, 0, 7 },
	{ KT_SMOD, LOWEST, (u64)-1, 0 },
	{ KT_AND, 12, 10, 8 }, { KT_OR, 12, 10, 14 }, { KT_XOR, 12, 10, 6 },
	{ KT_SHL, 3, 63, LOWEST }, { KT_SHL, 3, 65, 6 },
	{ KT_SHR, LOWEST, 63, 1 }, { KT_SHR, 6, 65, 3 },
	{ KT_SAR, LOWEST, 63, ~0ull }, { KT_SAR, 6, 65, 3 },
	{ KT_EQ, 5, 5, 1 }, { KT_EQ, 5, 6, 0 },
	{ KT_NE, 5, 5, 0 }, { KT_NE, 5, 6, 1 },
	{ KT_ULT, 5, ~0ull, 1 }, { KT_ULT, 5, 5, 0 },
	{ KT_ULE, 5, 5, 1 }, { KT_ULE, ~0ull, 5, 0 },
	{ KT_SLT, ~0ull, 5, 1 }, { KT_SLT, 5, 5, 0 },
	{ KT_SLE, 5, 5, 1 }, { KT_SLE, 5, ~0ull, 0 },
};

static void arithmetic(void **unused)
{
	u64 i;

	(void)unused;
	for (i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
		begin();
		build_insn(&build, KT_ARG, 1, 0, 0, 0);
		build_insn(&build, KT_ARG, 2, 0, 0, 1);
		build_insn(&build, sums[i].op, 0, 1, 2, 0);
		assert_int_equal(run_with(sums[i].x, sums[i].y), sums[i].result);
	}
}

static const struct {
	u8 op;
	u64 x;
	s32 imm;
	u64 result;
} with_imm[] = {
	{ KT_ADDI, 7, -8, ~0ull }, { KT_ANDI, ~0ull, -2, ~1ull },
	{ KT_SHLI, 1, 63, LOWEST }, { KT_SHRI, LOWEST, 63, 1 },
	{ KT_SARI, LOWEST, 63, ~0ull }, { KT_SHLI, 1, -1, LOWEST },
	{ KT_EQI, ~0ull, -1, 1 }, { KT_EQI, 0xffffffff, -1, 0 },
	{ KT_NEI, ~0ull, -1, 0 }, { KT_NEI, 1, 2, 1 },
	{ KT_MOVI, 0, -5, (u64)-5 }, { KT_MOV, 77, 0, 77 },
};

static void immediates(void **unused)
{
	u64 i;

	(void)unused;
	for (i = 0; i < sizeof(with_imm) / sizeof(with_imm[0]); i++) {
		begin();
		build_insn(&build, KT_ARG, 1, 0, 0, 0);
		build_insn(&build, with_imm[i].op, 0, 1, 0, with_imm[i].imm);
		assert_int_equal(run_with(with_imm[i].x, 0), with_imm[i].result);
	}
	begin();
	memcpy(build.data + 8, "ABCDEFGH", 8);
	build_insn(&build, KT_CONST, 0, 0, 0, 8);
	assert_int_equal(run_with(0, 0), 0x4847464544434241);
}

static const struct {
	u32 how;
	u64 result;
} widths[] = {
	{ KT_SIZE_1, 0x88 }, { KT_SIZE_1 | KT_SIGNED, (u64)-0x78 },
	{ KT_SIZE_2, 0x9988 }, { KT_SIZE_2 | KT_SIGNED, 0xffffffffffff9988 },
	{ KT_SIZE_4, 0xbbaa9988 }, { KT_SIZE_4 | KT_SIGNED, 0xffffffffbbaa9988 },
	{ KT_SIZE_8, 0xffeeddccbbaa9988 },
	{ KT_SIZE_8 | KT_SIGNED, 0xffeeddccbbaa9988 },
};

/* The same by EXT, from the scratch memory, and from memory. */
static void sizes(void **unused)
{
	const u64 value = 0xffeeddccbbaa9988;
	u64 i;

	(void)unused;
	memcpy(fake_memory + FAKE_LEN - 8, &value, 8);
	for (i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		begin();
		build_insn(&build, KT_ARG, 1, 0, 0, 0);
		build_insn(&build, KT_EXT, 0, 1, widths[i].how, 0);
		assert_int_equal(run_with(value, 0), widths[i].result);
		begin();
		build_insn(&build, KT_ARG, 0, 0, 0, 0);
		build_insn(&build, KT_STS, 0, 0, KT_SIZE_8, 3);
		build_insn(&build, KT_LDS, 0, 0, widths[i].how, 3);
		assert_int_equal(run_with(value, 0), widths[i].result);
		begin();
		build_insn(&build, KT_ARG, 1, 0, 0, 0);
		build_insn(&build, KT_LOAD, 0, 1, widths[i].how, -8);
		assert_int_equal(run_with(FAKE_AT + FAKE_LEN, 0), widths[i].result);
	}
}

static void stores(void **unused)
{
	static const u64 expected[] = { 0xff, 0xffff, 0xffffffff, ~0ull };
	u32 size;

	(void)unused;
	for (size = 0; size < 4; size++) {
		begin();
		build_insn(&build, KT_MOVI, 1, 0, 0, -1);
		build_insn(&build, KT_STS, 1, 0, size, 40);
		build_insn(&build, KT_LDS, 0, 0, KT_SIZE_8, 40);
		assert_int_equal(run_with(0, 0), expected[size]);
	}
}

/* Memory that cannot be read is 0, and which one it is, is asked. */
static void no_memory(void **unused)
{
	(void)unused;
	memset(fake_memory, 0x11, FAKE_LEN);
	begin();
	build_insn(&build, KT_ARG, 1, 0, 0, 0);
	build_insn(&build, KT_LOAD, 0, 1, KT_SIZE_8, 4);
	assert_int_equal(run_with(FAKE_AT + FAKE_LEN - 8, 0), 0);
	begin();
	build_insn(&build, KT_ARG, 1, 0, 0, 0);
	build_insn(&build, KT_LOAD, 0, 1, KT_SIZE_1, 0);
	assert_int_equal(run_with(FAKE_AT, 0), 0);
	begin();
	build_insn(&build, KT_ARG, 1, 0, 0, 0);
	build_insn(&build, KT_LOAD, 0, 1, KT_SIZE_1 | KT_USER, 0);
	assert_int_equal(run_with(FAKE_AT, 0), 0x11);
}

/* ---- ways --------------------------------------------------------------------- */

static void jumps(void **unused)
{
	(void)unused;
	/* The sum of 1 to arg0. */
	begin();
	build_insn(&build, KT_ARG, 1, 0, 0, 0);
	build_insn(&build, KT_JZ, 1, 0, 0, 3);
	build_insn(&build, KT_ADD, 0, 0, 1, 0);
	build_insn(&build, KT_ADDI, 1, 1, 0, -1);
	build_insn(&build, KT_JMP, 0, 0, 0, -4);
	assert_int_equal(run_with(100, 0), 5050);
	begin();
	build_insn(&build, KT_ARG, 1, 0, 0, 0);
	build_insn(&build, KT_ADDI, 0, 0, 0, 2);
	build_insn(&build, KT_ADDI, 1, 1, 0, -1);
	build_insn(&build, KT_JNZ, 1, 0, 0, -3);
	assert_int_equal(run_with(100, 0), 200);
	begin();
	build_insn(&build, KT_MOVI, 0, 0, 0, 1);
	build_insn(&build, KT_JNZ, 1, 0, 0, 1);
	build_insn(&build, KT_MOVI, 0, 0, 0, 2);
	build_insn(&build, KT_JZ, 1, 0, 0, 1);
	build_insn(&build, KT_MOVI, 0, 0, 0, 3);
	assert_int_equal(run_with(0, 0), 2);
}

/* So many steps; and for what is more than a step, fewer. */
static u64 rounds_until_cut(void)
{
	struct kt_probe_state *state;
	struct pt_regs regs = { { FAKE_AT + FAKE_LEN / 2 } };
	u64 key = 0, rounds;

	build_map(&build, KT_MAP_COUNT, 0, 0, 1);
	build_insn(&build, KT_MAGG, 0, 0, 0, 0);
	build_insn(&build, KT_JMP, 0, 0, 0, -(s32)build.head.insns_nr - 1);
	assert_null(build_done(&build));
	build_hit(&build, &regs);
	rounds = kt_map_get(&build.vm, 0, &key);
	state = (void *)(build.vm.arena + build.vm.layout.probes);
	assert_int_equal(state->cut, 1);
	build_free(&build);
	return rounds;
}

static void endless(void **unused)
{
	u64 plain, dear;

	(void)unused;
	begin();
	plain = rounds_until_cut();
	assert_in_range(plain, 1000, KT_STEPS_MAX);
	begin();
	build_insn(&build, KT_ARG, 1, 0, 0, 0);
	build_insn(&build, KT_MOVI, 2, 0, 0, 64);
	build_insn(&build, KT_STR, 1, 2, 0, LOHI(0, 64));
	dear = rounds_until_cut();
	assert_in_range(dear, 100, plain / 3);
	/* What goes on without a loop has an end too. */
	begin();
	while (build.head.insns_nr < 250)
		build_insn(&build, KT_STACK, 0, 0, 0, 20);
	assert_int_equal(rounds_until_cut(), 0);
}

/* Of other probes' code, and behind the end. */
static void firsts(void **unused)
{
	struct pt_regs regs = { { 0 } };
	struct kt_hit hit = { .regs = &regs };

	(void)unused;
	begin();
	build_insn(&build, KT_END, 0, 0, 0, 0);
	build_insn(&build, KT_OVERRIDE, 0, 0, 0, 0);
	build_insn(&build, KT_END, 0, 0, 0, 0);
	assert_null(build_done(&build));
	kt_run(&build.vm, 0, &hit);
	assert_false(hit.overridden);
	kt_run(&build.vm, 3, &hit);
	kt_run(&build.vm, ~0u, &hit);
	assert_false(hit.overridden);
	hit.returns = true;
	kt_run(&build.vm, 1, &hit);
	assert_false(hit.overridden);
	hit.returns = false;
	kt_run(&build.vm, 1, &hit);
	assert_true(hit.overridden);
	build_free(&build);
}

/* ---- what is there besides ---------------------------------------------------- */

static void builtins(void **unused)
{
	static const u64 expected[KT_GETS] = {
		[KT_GET_NSECS] = 5000, [KT_GET_ELAPSED] = 4000,
		[KT_GET_PID] = 1001, [KT_GET_TID] = 1002, [KT_GET_UID] = 1003,
		[KT_GET_GID] = 1004, [KT_GET_CPU] = 3, [KT_GET_CURTASK] = 1005,
		[KT_GET_CGROUP] = 1006, [KT_GET_PROBE] = 0,
		[KT_GET_ADDR] = 0x1000, [KT_GET_IP] = 116, [KT_GET_SP] = 119,
		[KT_GET_RETVAL] = 110, [KT_GET_RETURNED] = 110,
	};
	struct pt_regs regs;
	s32 i;

	(void)unused;
	fake_cpu = 3;
	for (i = 0; i < KT_HOST_REGS; i++)
		regs.r[i] = 100 + (u64)i;
	for (i = 0; i < KT_GETS; i++) {
		begin();
		build_insn(&build, KT_GET, 0, 0, 0, i);
		if (i == KT_GET_RANDOM)
			assert_true(run(&regs) <= 0xffffffff);
		else
			assert_int_equal(run(&regs), expected[i]);
	}
	begin();
	build_insn(&build, KT_REG, 0, 0, 0, 20);
	assert_int_equal(run(&regs), 120);
	begin();
	build_insn(&build, KT_COMM, 0, 0, 0, 9);
	build_insn(&build, KT_LDS, 0, 0, KT_SIZE_8, 9);
	assert_int_equal(run(&regs), 0x6461657268742d61);
	fake_cpu = 0;
}

/* Of a function that nobody knows an int's error is one; all else is what it is. */
static void returned(void **unused)
{
	static const struct {
		u64 is, shown;
	} cases[] = {
		{ 0xffffffff, ~0ull }, { 0xfffffff2, (u64)-14 }, { 0xfffff000, (u64)-4096 },
		{ 0xffffefff, 0xffffefff }, { 0x1ffffffff, 0x1ffffffff },
		{ ~0ull, ~0ull }, { 0x80000000, 0x80000000 }, { 5, 5 },
	};
	struct pt_regs regs = { { 0 } };
	size_t i;

	(void)unused;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		regs.r[10] = cases[i].is;
		begin();
		build_insn(&build, KT_GET, 0, 0, 0, KT_GET_RETURNED);
		assert_int_equal(run(&regs), cases[i].shown);
	}
}

/* Where there are no registers: BEGIN, intervals. */
static void no_registers(void **unused)
{
	static const struct kt_insn insns[] = {
		{ KT_ARG, 0, 0, 0, 0 }, { KT_REG, 0, 0, 0, 0 },
		{ KT_GET, 0, 0, 0, KT_GET_IP }, { KT_GET, 0, 0, 0, KT_GET_SP },
		{ KT_GET, 0, 0, 0, KT_GET_RETVAL },
		{ KT_GET, 0, 0, 0, KT_GET_RETURNED },
	};
	u64 key = 0, i;

	(void)unused;
	for (i = 0; i < sizeof(insns) / sizeof(insns[0]); i++) {
		begin();
		build_map(&build, KT_MAP_SUM, 0, 0, 1);
		build_insn(&build, KT_MOVI, 0, 0, 0, 5);
		build_insn(&build, insns[i].op, 0, 0, 0, insns[i].imm);
		build_insn(&build, KT_MAGG, 0, 0, 0, 0);
		build_insn(&build, KT_STACK, 0, 0, 0, 20);
		build_insn(&build, KT_OVERRIDE, 0, 0, 0, 0);
		build_insn(&build, KT_END, 0, 0, 0, 0);
		assert_null(build_done(&build));
		assert_false(build_hit(&build, NULL).overridden);
		assert_int_equal(kt_map_get(&build.vm, 0, &key), 0);
		build_free(&build);
	}
}

/* Two numbers drawn in one nanosecond differ. */
static void randoms(void **unused)
{
	(void)unused;
	begin();
	build_insn(&build, KT_GET, 1, 0, 0, KT_GET_RANDOM);
	build_insn(&build, KT_GET, 2, 0, 0, KT_GET_RANDOM);
	build_insn(&build, KT_NE, 0, 1, 2, 0);
	assert_int_equal(run_with(0, 0), 1);
}

/* ---- bytes -------------------------------------------------------------------- */

/* What a program left in the scratch memory leaves as an event. */
static void scratch_after(const char *expected, u64 arg0, u64 arg1)
{
	struct pt_regs regs = { { arg0, arg1 } };
	u64 record[KT_RECORD_MAX / 8], skipped = 0;
	u32 len;

	build_insn(&build, KT_EMIT, 0, 0, 0, LOHI(0, 32));
	build_insn(&build, KT_END, 0, 0, 0, 0);
	assert_null(build_done(&build));
	build_hit(&build, &regs);
	len = kt_ring_take(&build.vm, 0, record, &skipped);
	assert_int_equal(len, sizeof(struct kt_record) + 32);
	assert_memory_equal(((struct kt_record *)record)->bytes, expected, 32);
	build_free(&build);
}

static void begin_filled(void)
{
	begin();
	memcpy(build.data, "0123456789abcdefghijklmnopqrstuv", 32);
	build_insn(&build, KT_ARG, 0, 0, 0, 0);
	build_insn(&build, KT_ARG, 1, 0, 0, 1);
	build_insn(&build, KT_DATA, 0, 0, 0, LOHI(0, 32));
}

static void blocks(void **unused)
{
	(void)unused;
	begin_filled();
	scratch_after("0123456789abcdefghijklmnopqrstuv", 0, 0);
	begin_filled();
	build_insn(&build, KT_ZERO, 0, 0, 0, LOHI(3, 5));
	scratch_after("012\0\0\0\0\089abcdefghijklmnopqrstuv", 0, 0);
	begin_filled();
	build_insn(&build, KT_COPY, 20, 0, 0, LOHI(1, 3));
	scratch_after("0klm456789abcdefghijklmnopqrstuv", 0, 0);
	begin_filled();
	build_insn(&build, KT_DATA, 10, 0, 0, LOHI(0, 2));
	scratch_after("ab23456789abcdefghijklmnopqrstuv", 0, 0);
	/* Nothing is nothing. */
	begin_filled();
	build_insn(&build, KT_ZERO, 0, 0, 0, LOHI(256, 0));
	build_insn(&build, KT_COPY, 0, 0, 0, LOHI(0, 0));
	scratch_after("0123456789abcdefghijklmnopqrstuv", 0, 0);
}

/* STR at S[2], 8 bytes. */
static void string_is(const char *expected, u64 addr, u64 most)
{
	begin_filled();
	build_insn(&build, KT_STR, 0, 1, KT_USER, LOHI(2, 8));
	scratch_after(expected, addr, most);
}

static void strings(void **unused)
{
	(void)unused;
	memset(fake_memory, 0, FAKE_LEN);
	memcpy(fake_memory, "hello\0xx", 8);
	memcpy(fake_memory + 100, "a long string", 14);
	memcpy(fake_memory + FAKE_LEN - 3, "end", 3);
	string_is("01hello\0\0\0abcdefghijklmnopqrstuv", FAKE_AT, ~0ull);
	string_is("01hell\0\0\0\0abcdefghijklmnopqrstuv", FAKE_AT, 4);
	string_is("01\0\0\0\0\0\0\0\0abcdefghijklmnopqrstuv", FAKE_AT, 0);
	string_is("01a long \0abcdefghijklmnopqrstuv", FAKE_AT + 100, 7);
	string_is("01a long \0abcdefghijklmnopqrstuv", FAKE_AT + 100, 8);
	string_is("01a long \0abcdefghijklmnopqrstuv", FAKE_AT + 100, 0xffffffff);
	string_is("01end\0\0\0\0\0abcdefghijklmnopqrstuv", FAKE_AT + FAKE_LEN - 3, 7);
	string_is("01\0\0\0\0\0\0\0\0abcdefghijklmnopqrstuv", 16, 7);
	begin_filled();
	build_insn(&build, KT_STR, 0, 1, KT_USER, LOHI(2, 1));
	scratch_after("01\0003456789abcdefghijklmnopqrstuv", FAKE_AT, 7);
}

static void buffers(void **unused)
{
	(void)unused;
	memcpy(fake_memory, "binary", 6);
	begin_filled();
	build_insn(&build, KT_BUF, 0, 1, KT_USER, LOHI(8, 16));
	scratch_after("01234567\4\0\0\0\0\0\0\0bina\0\0\0\0opqrstuv", FAKE_AT, 4);
	begin_filled();
	build_insn(&build, KT_BUF, 0, 1, KT_USER, LOHI(8, 16));
	scratch_after("01234567\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0opqrstuv", 16, 4);
	begin_filled();
	build_insn(&build, KT_BUF, 0, 1, KT_USER, LOHI(8, 8));
	scratch_after("01234567\0\0\0\0\0\0\0\0ghijklmnopqrstuv", FAKE_AT, ~0ull);
	begin_filled();
	build_insn(&build, KT_READ, 0, 0, KT_USER, LOHI(7, 6));
	scratch_after("0123456binarydefghijklmnopqrstuv", FAKE_AT, 0);
	begin_filled();
	build_insn(&build, KT_READ, 0, 0, 0, LOHI(7, 6));
	scratch_after("0123456\0\0\0\0\0\0defghijklmnopqrstuv", FAKE_AT, 0);
}

static u64 same(const char *x, const char *y, u32 len)
{
	begin();
	memcpy(build.data, x, 8);
	memcpy(build.data + 8, y, 8);
	build_insn(&build, KT_DATA, 0, 0, 0, LOHI(0, 16));
	build_insn(&build, KT_SAME, 0, len, 0, LOHI(0, 8));
	return run_with(0, 0);
}

static void comparisons(void **unused)
{
	(void)unused;
	assert_int_equal(same("abcdefgh", "abcdefgh", 8), 1);
	assert_int_equal(same("abcdefgh", "abcdefgx", 8), 0);
	assert_int_equal(same("abcdefgh", "abcdefgx", 7), 1);
	assert_int_equal(same("abc\0zzzz", "abc\0yyyy", 8), 1);
	assert_int_equal(same("abc\0zzzz", "abcd\0yyy", 8), 0);
	assert_int_equal(same("abc\0zzzz", "xbcd\0yyy", 0), 1);
}

static u64 index_of(const char *in, const char *what)
{
	begin();
	strncpy((char *)build.data, in, 16);
	strncpy((char *)build.data + 16, what, 8);
	build_insn(&build, KT_DATA, 0, 0, 0, LOHI(0, 24));
	build_insn(&build, KT_INDEX, 0, 2, 1, LOHI(0, 16));
	return run_with(0, 0);
}

static void searches(void **unused)
{
	(void)unused;
	assert_int_equal(index_of("abcabcd", "abcd"), 3);
	assert_int_equal(index_of("abcabcd", "abc"), 0);
	assert_int_equal(index_of("abcabcd", ""), 0);
	assert_int_equal(index_of("", ""), 0);
	assert_int_equal(index_of("", "a"), -1);
	assert_int_equal(index_of("abcabcd", "cde"), -1);
	/* Neither has an end. */
	assert_int_equal(index_of("0123456789abcdef", "9abcdef"), 9);
	assert_int_equal(index_of("0123456789abcdef", "abcdefgh"), -1);
	begin();
	memcpy(build.data, "text\0xyz", 8);
	build_insn(&build, KT_DATA, 0, 0, 0, LOHI(0, 8));
	build_insn(&build, KT_STRLEN, 0, 0, 0, LOHI(0, 8));
	assert_int_equal(run_with(0, 0), 4);
	begin();
	memcpy(build.data, "01234567", 8);
	build_insn(&build, KT_DATA, 0, 0, 0, LOHI(0, 8));
	build_insn(&build, KT_STRLEN, 0, 0, 0, LOHI(0, 5));
	assert_int_equal(run_with(0, 0), 5);
}

static s64 compared(const char *x, const char *y, u32 len)
{
	begin();
	memcpy(build.data, x, 8);
	memcpy(build.data + 8, y, 8);
	build_insn(&build, KT_DATA, 0, 0, 0, LOHI(0, 16));
	build_insn(&build, KT_CMP, 0, (u8)len, 0, LOHI(0, 8));
	return (s64)run_with(0, 0);
}

static u64 matches(const char *text, const char *pattern)
{
	begin();
	strncpy((char *)build.data, text, 16);
	strncpy((char *)build.data + 16, pattern, 16);
	build_insn(&build, KT_DATA, 0, 0, 0, LOHI(0, 32));
	build_insn(&build, KT_GLOB, 0, 2, 2, LOHI(0, 16));
	return run_with(0, 0);
}

static void patterns(void **unused)
{
	(void)unused;
	assert_int_equal(compared("abc\0defg", "abc\0defg", 8), 0);
	assert_int_equal(compared("abc\0defg", "abc\0defh", 8), -1);
	assert_int_equal(compared("abc\0defg", "abc\0defh", 7), 0);
	assert_int_equal(compared("\xff_______", "\x01_______", 1), 1);
	assert_int_equal(compared("abcdefgh", "bbcdefgh", 0), 0);
	assert_int_equal(matches("", ""), 1);
	assert_int_equal(matches("", "*"), 1);
	assert_int_equal(matches("a", ""), 0);
	assert_int_equal(matches("abc", "abc"), 1);
	assert_int_equal(matches("abc", "a?c"), 1);
	assert_int_equal(matches("abc", "a?"), 0);
	assert_int_equal(matches("abcabd", "*abd"), 1);
	assert_int_equal(matches("abcabd", "a*b*d"), 1);
	assert_int_equal(matches("abcabd", "a*c"), 0);
	assert_int_equal(matches("a/b/c", "*"), 1);
	assert_int_equal(matches("x5", "[a-z][0-9]"), 1);
	assert_int_equal(matches("xy", "[a-z][0-9]"), 0);
	assert_int_equal(matches("b", "[!a]"), 1);
	assert_int_equal(matches("a", "[!a]"), 0);
	assert_int_equal(matches("]", "[]]"), 1);
	assert_int_equal(matches("-", "[a-]"), 1);
	/* A class without an end, and strings without one. */
	assert_int_equal(matches("a", "[a"), 1);
	assert_int_equal(matches("aaaaaaaaaaaaaaaa", "*a*a*a*a*a*a*a*b"), 0);
}

/* Nothing of one hit is seen by the next. */
static void fresh(void **unused)
{
	struct pt_regs regs = { { 0 } };
	struct kt_hit hit;
	u32 i;

	(void)unused;
	begin();
	build_insn(&build, KT_LDS, 0, 0, KT_SIZE_8, 248);
	build_insn(&build, KT_OR, 0, 0, 31, 0);
	build_insn(&build, KT_OVERRIDE, 0, 0, 0, 0);
	build_insn(&build, KT_MOVI, 31, 0, 0, -1);
	build_insn(&build, KT_STS, 31, 0, KT_SIZE_8, 248);
	build_insn(&build, KT_END, 0, 0, 0, 0);
	assert_null(build_done(&build));
	for (i = 0; i < 3; i++) {
		hit = build_hit(&build, &regs);
		assert_true(hit.overridden);
		assert_int_equal(hit.value, 0);
	}
	build_free(&build);
}

/* ---- stacks ------------------------------------------------------------------- */

static void stacks(void **unused)
{
	struct pt_regs regs = { { 3, 0x400000 } }, others = { { 30, 0x500000 } };
	u64 frames[KT_DEPTH_MAX];
	struct kt_hit hit;
	u32 number, i;

	(void)unused;
	begin();
	build_insn(&build, KT_STACK, 0, 0, KT_USER, 20);
	build_insn(&build, KT_OVERRIDE, 0, 0, 0, 0);
	build_insn(&build, KT_END, 0, 0, 0, 0);
	assert_null(build_done(&build));
	number = (u32)build_hit(&build, &regs).value;
	assert_int_equal(build_hit(&build, &regs).value, number);
	assert_int_equal(kt_stack_get(&build.vm, number, frames, KT_DEPTH_MAX), 3);
	assert_int_equal(frames[2], 0x400003);
	assert_int_equal(kt_stack_get(&build.vm, number, frames, 2), 2);
	hit = build_hit(&build, &others);
	assert_int_not_equal(hit.value, number);
	assert_int_equal(kt_stack_get(&build.vm, (u32)hit.value, frames, 127), 20);
	others.r[0] = 0;
	assert_int_equal(build_hit(&build, &others).value, KT_NO_STACK);
	assert_int_equal(kt_stack_get(&build.vm, KT_NO_STACK, frames, 127), 0);
	assert_int_equal(kt_stack_get(&build.vm, 16, frames, 127), 0);
	/* All of 16 places, then no more. */
	for (i = 0; i < 16; i++) {
		regs.r[1] = 0x600000 + i;
		number = (u32)build_hit(&build, &regs).value;
		assert_int_equal(number < 16, i < 14);
	}
	assert_int_equal(((struct kt_arena *)build.vm.arena)->stacks_lost, 2);
	build_free(&build);
}

/* ---- watching ------------------------------------------------------------------ */

static void watch(u64 addr, u64 len)
{
	struct pt_regs regs = { { addr, len } };

	build_hit(&build, &regs);
}

static void watched(void **unused)
{
	const struct kt_probe_state *state;
	struct pt_regs regs = { { 0x2000 } };

	(void)unused;
	begin();
	build_insn(&build, KT_ARG, 0, 0, 0, 0);
	build_insn(&build, KT_ARG, 1, 0, 0, 1);
	build_insn(&build, KT_WATCH_ON, 0, 1, 0, 0);
	build_insn(&build, KT_END, 0, 0, 0, 0);
	assert_null(build_done(&build));
	watch(0x2000, 24);
	assert_int_equal(fake_watched_at, 0x2000);
	assert_int_equal(fake_watched_len, 24);
	state = (void *)(build.vm.arena + build.vm.layout.probes);
	assert_int_equal(state->unwatched, 0);
	/* What cannot be counts; what is nothing does not. */
	watch(0x10, 8);
	watch(0, 8);
	watch(0x3000, 0);
	assert_int_equal(fake_watched_at, 0x2000);
	assert_int_equal(state->unwatched, 1);
	build_free(&build);
	begin();
	build_insn(&build, KT_ARG, 0, 0, 0, 0);
	build_insn(&build, KT_WATCH_OFF, 0, 0, 0, 0);
	build_insn(&build, KT_END, 0, 0, 0, 0);
	assert_null(build_done(&build));
	build_hit(&build, &regs);
	assert_int_equal(fake_watched_at, 0);
	build_free(&build);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(arithmetic),
		cmocka_unit_test(immediates),
		cmocka_unit_test(sizes),
		cmocka_unit_test(stores),
		cmocka_unit_test(no_memory),
		cmocka_unit_test(jumps),
		cmocka_unit_test(endless),
		cmocka_unit_test(firsts),
		cmocka_unit_test(builtins),
		cmocka_unit_test(returned),
		cmocka_unit_test(no_registers),
		cmocka_unit_test(randoms),
		cmocka_unit_test(blocks),
		cmocka_unit_test(strings),
		cmocka_unit_test(buffers),
		cmocka_unit_test(comparisons), cmocka_unit_test(searches),
		cmocka_unit_test(patterns),
		cmocka_unit_test(fresh),
		cmocka_unit_test(stacks),
		cmocka_unit_test(watched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
