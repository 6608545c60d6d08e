/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_arm.c - the decoder of A32 and T32, refusals and regions, by hand-made examples.
 *
 * Owns: each class once, operands that are the PC, and the far ends of ranges; each refusal;
 * where nothing may trap.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "arch.h"
#include "refuse.h"
#include "literal.h"
#include "reserved.h"

#define ADDR 0x8002u

static struct kp_arm_insn insn;

/* T32 of 4 bytes as the manual writes it. */
static void decode(uint32_t word, bool thumb)
{
	kp_arm_decode(&insn, thumb && word >> 16 ? word << 16 | word >> 16 : word, thumb);
}

struct example {
	uint32_t word;
	uint8_t class, pc;
};

static void expect(const struct example *words, size_t nr, bool thumb)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		decode(words[i].word, thumb);
		if (insn.class != words[i].class || insn.pc != words[i].pc)
			print_error("%08x\n", words[i].word);
		assert_int_equal(insn.class, words[i].class);
		assert_int_equal(insn.pc, words[i].pc);
		assert_int_equal(insn.word, words[i].word);
		assert_int_equal(insn.len, thumb && !(words[i].word >> 16) ? 2 : 4);
	}
}

#define EXPECT(words, thumb) expect(words, sizeof(words) / sizeof((words)[0]), thumb)

static void test_a32(void **state)
{
	static const struct example words[] = {
		{ 0xE0810002, KP_ARM_DATA, 0 },			/* add r0, r1, r2 */
		{ 0xE08F0002, KP_ARM_DATA, KP_ARM_N },		/* add r0, pc, r2 */
		{ 0xE1A0F00E, KP_ARM_DATA, KP_ARM_D },		/* mov pc, lr */
		{ 0xE1A0E00F, KP_ARM_DATA, KP_ARM_M },		/* mov lr, pc */
		{ 0xE1B0F00E, KP_ARM_DATA, KP_ARM_D },		/* movs pc, lr */
		{ 0xE081021F, KP_ARM_UNALLOCATED, 0 },	/* add r0, r1, pc, lsl r2 */
		{ 0xE0010392, KP_ARM_PLAIN, 0 },		/* mul r1, r2, r3 */
		{ 0xE10F0000, KP_ARM_STATE, 0 },		/* mrs r0, cpsr */
		{ 0xE129F000, KP_ARM_STATE, 0 },		/* msr cpsr_fc, r0 */
		{ 0xE320F000, KP_ARM_PLAIN, 0 },		/* nop */
		{ 0xE320F003, KP_ARM_WAIT, 0 },			/* wfi */
		{ 0xE12FFF1E, KP_ARM_BX, 0 },			/* bx lr */
		{ 0xE12FFF1F, KP_ARM_BX, KP_ARM_M },		/* bx pc */
		{ 0x112FFF31, KP_ARM_BLX_REG, 0 },		/* blxne r1 */
		{ 0xE12FFF21, KP_ARM_BXJ, 0 },
		{ 0xE1200070, KP_ARM_EXCEPTION, 0 },		/* bkpt */
		{ 0xE7F001F0, KP_ARM_EXCEPTION, 0 },		/* udf */
		{ 0xEF000000, KP_ARM_EXCEPTION, 0 },		/* svc */
		{ 0xE160006E, KP_ARM_RETURN, 0 },		/* eret */
		{ 0xE1910F9F, KP_ARM_LOAD_EXCLUSIVE, 0 },	/* ldrex r0, [r1] */
		{ 0xE1812F90, KP_ARM_STORE_EXCLUSIVE, 0 },	/* strex r2, r0, [r1] */
		{ 0xE1012090, KP_ARM_PLAIN, 0 },		/* swp r2, r0, [r1] */
		{ 0xF57FF01F, KP_ARM_CLREX, 0 },
		{ 0xE59F0008, KP_ARM_LOAD, KP_ARM_N },		/* ldr r0, [pc, #8] */
		{ 0xE79FF101, KP_ARM_LOAD, KP_ARM_N | KP_ARM_D }, /* ldr pc, [pc, r1, lsl #2] */
		{ 0xE5BF0008, KP_ARM_UNALLOCATED, 0 },	/* ldr r0, [pc, #8]! */
		{ 0xE58DF000, KP_ARM_STORE, KP_ARM_D },		/* str pc, [sp] */
		{ 0xE1CF00D0, KP_ARM_LOAD, KP_ARM_N },		/* ldrd r0, [pc] */
		{ 0xE1CFE0D0, KP_ARM_UNALLOCATED, 0 },	/* ldrd lr, pc, [pc] */
		{ 0xE8BD8010, KP_ARM_LOAD_LIST, KP_ARM_LIST },	/* pop {r4, pc} */
		{ 0xE8BD4010, KP_ARM_LOAD_LIST, 0 },		/* pop {r4, lr} */
		{ 0xE92D8010, KP_ARM_STORE_LIST, KP_ARM_LIST },	/* push {r4, pc} */
		{ 0xE8FD8010, KP_ARM_RETURN, KP_ARM_LIST },	/* ldm sp!, {r4, pc}^ */
		{ 0xE8FD0010, KP_ARM_STATE, 0 },		/* ldm sp!, {r4}^ */
		{ 0xED9F0B02, KP_ARM_COPRO, KP_ARM_N },		/* vldr d0, [pc, #8] */
		{ 0xED900B02, KP_ARM_COPRO, 0 },
		{ 0xEE1DFF70, KP_ARM_PLAIN, 0 },		/* mrc p15, 0, apsr, c13, c0, 3 */
		{ 0xEEF1FA10, KP_ARM_PLAIN, 0 },		/* vmrs apsr, fpscr */
		{ 0xF2000110, KP_ARM_PLAIN, 0 },		/* vand */
		{ 0xF5DFF008, KP_ARM_PRELOAD, KP_ARM_N },	/* pld [pc, #8] */
		{ 0xF57FF05F, KP_ARM_PLAIN, 0 },		/* dmb */
		{ 0xF1010200, KP_ARM_STATE, 0 },		/* setend be */
		{ 0xF8BD0A00, KP_ARM_RETURN, 0 },		/* rfeia sp! */
		{ 0xFFFFFFFF, KP_ARM_UNALLOCATED, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		decode(words[i].word, false);
		if (insn.class != words[i].class)
			print_error("%08x\n", words[i].word);
		assert_int_equal(insn.class, words[i].class);
		if (insn.class != KP_ARM_UNALLOCATED)
			assert_int_equal(insn.pc, words[i].pc);
		assert_int_equal(insn.word, words[i].word);
		assert_int_equal(insn.len, 4);
		assert_int_equal(insn.cond, words[i].word >> 28 == 15 ? KP_ARM_ALWAYS : words[i].word >> 28);
	}
}

static void test_t32(void **state)
{
	static const struct example words[] = {
		{ 0x4448, KP_ARM_HIGH, 0 },			/* add r0, r9 */
		{ 0x4478, KP_ARM_HIGH, KP_ARM_M },		/* add r0, pc */
		{ 0x46F7, KP_ARM_HIGH, KP_ARM_D },		/* mov pc, lr */
		{ 0x4770, KP_ARM_BX, 0 },
		{ 0x4778, KP_ARM_BX, KP_ARM_M },
		{ 0x4788, KP_ARM_BLX_REG, 0 },
		{ 0x4901, KP_ARM_LITERAL, 0 },			/* ldr r1, [pc, #4] */
		{ 0xA101, KP_ARM_SHORT_ADR, 0 },
		{ 0xB108, KP_ARM_CBZ, 0 },
		{ 0xBD10, KP_ARM_LOAD_LIST, KP_ARM_LIST },	/* pop {r4, pc} */
		{ 0xBC10, KP_ARM_PLAIN, 0 },
		{ 0xBF08, KP_ARM_IT, 0 },
		{ 0xBFFC, KP_ARM_UNALLOCATED, 0 },
		{ 0xBF00, KP_ARM_PLAIN, 0 },
		{ 0xBF30, KP_ARM_WAIT, 0 },
		{ 0xBE00, KP_ARM_EXCEPTION, 0 },
		{ 0xDE01, KP_ARM_EXCEPTION, 0 },
		{ 0xDF00, KP_ARM_EXCEPTION, 0 },
		{ 0xB650, KP_ARM_STATE, 0 },			/* setend le */
		{ 0xD0FE, KP_ARM_B, 0 },
		{ 0xE7FE, KP_ARM_B, 0 },
		{ 0xE8BD8010, KP_ARM_LOAD_LIST, KP_ARM_LIST },
		{ 0xE92D4010, KP_ARM_PLAIN, 0 },
		{ 0xE9DF0102, KP_ARM_LOAD, KP_ARM_N },		/* ldrd r0, r1, [pc, #8] */
		{ 0xE8510F00, KP_ARM_LOAD_EXCLUSIVE, 0 },
		{ 0xE8410200, KP_ARM_STORE_EXCLUSIVE, 0 },
		{ 0xE8DFF000, KP_ARM_TABLE, KP_ARM_N },		/* tbb [pc, r0] */
		{ 0xEA4F0001, KP_ARM_PLAIN, 0 },		/* mov.w r0, r1 */
		{ 0xEA100F01, KP_ARM_PLAIN, 0 },		/* tst.w r0, r1 */
		{ 0xF20F0004, KP_ARM_ADR, 0 },
		{ 0xF2AF0004, KP_ARM_ADR, 0 },
		{ 0xF2010004, KP_ARM_PLAIN, 0 },		/* addw r0, r1, #4 */
		{ 0xF000F800, KP_ARM_BL, 0 },
		{ 0xF000E800, KP_ARM_BLX, 0 },
		{ 0xF000B800, KP_ARM_B, 0 },
		{ 0xF0008000, KP_ARM_B, 0 },			/* beq.w */
		{ 0xF3BF8F2F, KP_ARM_CLREX, 0 },
		{ 0xF3BF8F5F, KP_ARM_PLAIN, 0 },		/* dmb sy */
		{ 0xF3DE8F04, KP_ARM_RETURN, 0 },		/* subs pc, lr, #4 */
		{ 0xF3EF8000, KP_ARM_STATE, 0 },		/* mrs */
		{ 0xF7F0A000, KP_ARM_EXCEPTION, 0 },		/* udf.w */
		{ 0xF8DF0004, KP_ARM_LOAD, KP_ARM_N },
		{ 0xF8D1F004, KP_ARM_LOAD, KP_ARM_D },		/* ldr.w pc, [r1, #4] */
		{ 0xF8D10004, KP_ARM_LOAD, 0 },
		{ 0xF89F0004, KP_ARM_LOAD, KP_ARM_N },		/* ldrb.w r0, [pc, #4] */
		{ 0xF89FF004, KP_ARM_PRELOAD, KP_ARM_N },
		{ 0xF891F004, KP_ARM_PLAIN, 0 },		/* pld [r1, #4] */
		{ 0xF9200A0F, KP_ARM_PLAIN, 0 },		/* vld1.8 */
		{ 0xED9F0B02, KP_ARM_COPRO, KP_ARM_N },
		{ 0xEF000110, KP_ARM_PLAIN, 0 },		/* vand */
		{ 0xFB90F1F1, KP_ARM_PLAIN, 0 },		/* sdiv */
	};

	(void)state;
	EXPECT(words, true);
}

static void test_operands(void **state)
{
	static const struct {
		uint32_t word;
		bool thumb;
		uint32_t operand;	/* - ADDR */
	} words[] = {
		{ 0xEA7FFFFF, false, 0x2000004 },	/* b, the farthest */
		{ 0xEB800000, false, 8 - 0x2000000 },
		{ 0xFB000000, false, 10 },		/* blx, half a word on */
		{ 0xE51F0FFF, false, 6 - 0xFFF },	/* ldr r0, [pc, #-4095], of an aligned PC */
		{ 0xE1DF0FBF, false, 6 + 0xFF },	/* ldrh r0, [pc, #255] */
		{ 0xED1F0BFF, false, 6 - 0x3FC },	/* vldr d0, [pc, #-1020] */
		{ 0xD07F, true, 4 + 0xFE },		/* beq */
		{ 0xD080, true, 4 - 0x100 },
		{ 0xE3FF, true, 4 + 0x7FE },		/* b */
		{ 0xBBF8, true, 4 + 0x7E },		/* cbnz r0, the farthest */
		{ 0x48FF, true, 2 + 0x3FC },		/* ldr r0, [pc, #1020], of an aligned PC */
		{ 0xA0FF, true, 2 + 0x3FC },
		{ 0xF03FAFFF, true, 4 + 0xFFFFE },	/* beq.w */
		{ 0xF4008000, true, 4 - 0x100000 },
		{ 0xF3FF97FF, true, 4 + 0xFFFFFE },	/* b.w */
		{ 0xF400D000, true, 4 - 0x1000000 },	/* bl */
		{ 0xF3FFC7FE, true, 2 + 0xFFFFFC },	/* blx, of an aligned PC */
		{ 0xF60F70FF, true, 2 + 0xFFF },	/* adr.w */
		{ 0xF6AF70FF, true, 2 - 0xFFF },
		{ 0xE95F01FF, true, 2 - 0x3FC },	/* ldrd r0, r1, [pc, #-1020] */
		{ 0xF85F0FFF, true, 2 - 0xFFF },	/* ldr.w r0, [pc, #-4095] */
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		decode(words[i].word, words[i].thumb);
		assert_true(insn.relative);
		if (kp_arm_operand(&insn, ADDR) - ADDR != words[i].operand)
			print_error("%08x\n", words[i].word);
		assert_int_equal(kp_arm_operand(&insn, ADDR) - ADDR, words[i].operand);
	}
	decode(0xE79F0001, false);	/* ldr r0, [pc, r1]: nobody knows yet */
	assert_false(insn.relative);
}

static void test_refusals(void **state)
{
	static const struct {
		uint32_t word;
		bool thumb;
		int user, kernel;
		const char *reason;
	} words[] = {
		{ 0xE0810002, false, 0, 0, NULL },			/* add */
		{ 0xE59F0008, false, 0, 0, NULL },			/* ldr r0, [pc, #8] */
		{ 0xE12FFF1E, false, 0, 0, NULL },			/* bx lr */
		{ 0xFFFFFFFF, false, -EINVAL, -EINVAL, "not an instruction that is known" },
		{ 0xE12FFF21, false, -EOPNOTSUPP, -EOPNOTSUPP, "in which state" },	/* bxj */
		{ 0xE1910F9F, false, -EOPNOTSUPP, -EOPNOTSUPP, "that it makes" },	/* ldrex */
		{ 0xE1812F90, false, -EOPNOTSUPP, -EOPNOTSUPP, "that it needs" },	/* strex */
		{ 0xE8FD8010, false, -EOPNOTSUPP, -EOPNOTSUPP, "leaves the context" },	/* ldm ^ */
		{ 0xE1B0F00E, false, -EOPNOTSUPP, -EOPNOTSUPP, "returns from an exception" },	/* movs pc, lr */
		{ 0xEF000000, false, 0, -EOPNOTSUPP, "system call" },	/* svc */
		{ 0xDF00, true, 0, -EOPNOTSUPP, "system call" },
		{ 0xE7F001F0, false, -EINVAL, -EINVAL, "somebody else's" },
		{ 0xE1200070, false, -EINVAL, -EINVAL, "somebody else's" },	/* bkpt */
		{ 0xE7F000F0, false, -EILSEQ, -EILSEQ, "itself a trap" },	/* udf #0 */
		{ 0xBE00, true, -EINVAL, -EINVAL, "somebody else's" },
		{ 0xDE01, true, -EINVAL, -EINVAL, "somebody else's" },
		{ 0xF7F0A000, true, -EINVAL, -EINVAL, "somebody else's" },
		{ 0xDEFF, true, -EILSEQ, -EILSEQ, "itself a trap" },
		{ 0xE1400070, false, -EOPNOTSUPP, -EOPNOTSUPP, "hypervisor" },	/* hvc */
		{ 0xE1600070, false, -EOPNOTSUPP, -EOPNOTSUPP, "hypervisor" },	/* smc */
		{ 0xF7E08000, true, -EOPNOTSUPP, -EOPNOTSUPP, "hypervisor" },
		{ 0xE10F0000, false, 0, -EOPNOTSUPP, "state" },		/* mrs */
		{ 0xE328F000, false, 0, -EOPNOTSUPP, "state" },		/* msr cpsr_f, #0 */
		{ 0xE14F0000, false, -EOPNOTSUPP, -EOPNOTSUPP, "state" },	/* mrs r0, spsr */
		{ 0xE169F000, false, -EOPNOTSUPP, -EOPNOTSUPP, "state" },	/* msr spsr_fc, r0 */
		{ 0xE368F000, false, -EOPNOTSUPP, -EOPNOTSUPP, "state" },	/* msr spsr_f, #0 */
		{ 0xF3EF8000, true, 0, -EOPNOTSUPP, "state" },
		{ 0xF1010200, false, -EOPNOTSUPP, -EOPNOTSUPP, "state" },	/* setend be */
		{ 0xB650, true, -EOPNOTSUPP, -EOPNOTSUPP, "state" },
		{ 0xF10C0080, false, -EOPNOTSUPP, -EOPNOTSUPP, "state" },	/* cpsid i */
		{ 0xE320F003, false, 0, -EOPNOTSUPP, "waits for" },	/* wfi */
		{ 0xBF20, true, 0, -EOPNOTSUPP, "waits for" },		/* wfe */
		{ 0xED9F0B02, false, -EOPNOTSUPP, -EOPNOTSUPP, "does not save" },	/* vldr */
		{ 0xED9F0B02, true, -EOPNOTSUPP, -EOPNOTSUPP, "does not save" },
		{ 0xE58DF000, false, -EOPNOTSUPP, -EOPNOTSUPP, "do not agree" },	/* str pc, [sp] */
		{ 0xE92D8010, false, -EOPNOTSUPP, -EOPNOTSUPP, "do not agree" },	/* push {r4, pc} */
		{ 0xBF08, true, 0, 0, NULL },				/* it eq */
	};
	const char *reason;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		decode(words[i].word, words[i].thumb);
		reason = "";
		if (kp_arm_refuse(&insn, true, &reason) != words[i].user)
			print_error("%08x\n", words[i].word);
		assert_int_equal(kp_arm_refuse(&insn, true, &reason), words[i].user);
		assert_int_equal(kp_arm_refuse(&insn, false, &reason), words[i].kernel);
		if (words[i].reason)
			assert_non_null(strstr(reason, words[i].reason));
	}
}

/* What is emulated a native run shows; here is what is not. */
static void test_not_emulated(void **state)
{
	static const struct example words[] = {
		{ 0xE0810002, 0, false },	/* add */
		{ 0xE1B0F00E, 0, false },	/* movs pc, lr */
		{ 0xE58DF000, 0, false },	/* str pc, [sp] */
		{ 0xED9F0B02, 0, false },	/* vldr d0, [pc, #8] */
		{ 0xEF000000, 0, false },
		{ 0xBE00, 0, true },
		{ 0xE8510F00, 0, true },
	};
	struct kp_arm_regs regs, before;
	size_t i;

	(void)state;
	memset(&regs, 0x55, sizeof(regs));
	before = regs;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		decode(words[i].word, words[i].pc);
		assert_int_equal(kp_arm_emulate(&insn, ADDR, &regs, NULL), -EOPNOTSUPP);
		assert_memory_equal(&before, &regs, sizeof(regs));
	}
}

static uint32_t nothing_there;

static int no_read(uintptr_t addr, void *dst, size_t len)
{
	(void)dst;
	(void)len;
	nothing_there = (uint32_t)addr;
	return -EFAULT;
}

static int no_write(uintptr_t addr, const void *src, size_t len)
{
	(void)src;
	return no_read(addr, NULL, len);
}

/* Memory that cannot be had leaves the registers alone. */
static void test_faults(void **state)
{
	static const struct {
		uint32_t word;
		bool thumb;
		uint32_t at;
	} words[] = {
		{ 0xE59F0008, false, 0x8010 },	/* ldr r0, [pc, #8] */
		{ 0xE49DF004, false, 0x1000 },	/* pop {pc} */
		{ 0xE8BD8010, false, 0x1000 },	/* pop {r4, pc} */
		{ 0xE91D8010, false, 0xFF8 },	/* ldmdb sp, {r4, pc} */
		{ 0xE58F0008, false, 0x8010 },	/* str r0, [pc, #8] */
		{ 0x4801, true, 0x8008 },
		{ 0xBD10, true, 0x1000 },
		{ 0xE8DFF000, true, 0x8006 },	/* tbb [pc, r0] */
	};
	static const struct kp_arch_mem none = { no_read, no_write };
	struct kp_arm_regs regs = { .r = { [0] = 2, [13] = 0x1000 } }, before = regs;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		decode(words[i].word, words[i].thumb);
		assert_int_equal(kp_arm_emulate(&insn, 0x8000, &regs, &none), -EFAULT);
		assert_int_equal(nothing_there, words[i].at);
		assert_memory_equal(&before, &regs, sizeof(regs));
	}
}

/* What a kernel is told in the way that it is told of breakpoints. */
static void test_traps(void **state)
{
	static const struct {
		uint32_t word;
		bool thumb, traps;
	} words[] = {
		{ 0xE7F001F0, false, true },	/* ours */
		{ 0xE7F001F2, false, true },	/* BUG */
		{ 0xE7F000F0, false, true },	/* udf #0 */
		{ 0xE1200070, false, true },	/* bkpt */
		{ 0xE5BF0008, false, true },	/* none */
		{ 0xEF000000, false, false },	/* svc */
		{ 0xE1400070, false, false },	/* hvc */
		{ 0xE1A00000, false, false },
		{ 0xBE00, true, true },
		{ 0xDE00, true, true },
		{ 0xF7F0A000, true, true },
		{ 0xDF00, true, false },
		{ 0xBF00, true, false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		decode(words[i].word, words[i].thumb);
		assert_int_equal(kp_arm_is_trap(&insn), words[i].traps);
	}
}

#define A_NOP 0xE1A00000
#define A_LOAD 0xE1910F9F	/* ldrex r0, [r1] */
#define A_STORE 0xE1812F90	/* strex r2, r0, [r1] */
#define A_RET 0xE12FFF1E	/* bx lr */
#define A_RETNE 0x112FFF1E
#define T_NOP 0xBF00
#define T_LOAD 0xE8510F00
#define T_STORE 0xE8410200
#define T_RET 0x4770

/* b, bne at off bytes from here; of T32 of 16 bits. */
static uint32_t a_b(uint32_t cond, int off)
{
	return cond << 28 | 0x0A000000 | ((uint32_t)(off - 8) >> 2 & 0xFFFFFF);
}

static uint32_t t_bne(int off)
{
	return 0xD100 | ((uint32_t)(off - 4) >> 1 & 0xFF);
}

static uint8_t text[256];
static size_t text_len;
#define TEXT 0x9000u	/* where it is */

#define BEFORE 0x2000u	/* as much before it is zeroes, where something is */
static bool has_before;

static int read_text(uint8_t *dst, uintptr_t addr, size_t len)
{
	while (has_before && len && addr < TEXT && addr >= TEXT - BEFORE) {
		*dst++ = 0;
		addr++;
		len--;
	}
	if (len && (addr < TEXT || addr + len > TEXT + text_len))
		return -EFAULT;
	memcpy(dst, text + (addr - TEXT), len);
	return 0;
}

typedef bool asked(uintptr_t start, size_t len, uintptr_t addr, bool thumb,
		   int (*read)(uint8_t *dst, uintptr_t addr, size_t len));

/* It is so of exactly the instructions that @expected has an x for. */
static void expect_of(asked *is, const uint32_t *words, const char *expected, bool thumb)
{
	size_t i, off, lens[16];

	text_len = 0;
	for (i = 0; expected[i]; i++) {
		uint32_t word = thumb && words[i] >> 16 ? words[i] << 16 | words[i] >> 16 : words[i];

		lens[i] = thumb && !(words[i] >> 16) ? 2 : 4;
		memcpy(text + text_len, &word, lens[i]);
		text_len += lens[i];
	}
	for (i = off = 0; expected[i]; off += lens[i++])
		assert_int_equal(is(TEXT, text_len, TEXT + off, thumb, read_text),
				 expected[i] == 'x');
}

static void test_literal(void **state)
{
	/* ldr r0, [pc, #4]; ldrd r0, [pc]; vldr d0, [pc]; ldr r0, [pc, #-12] */
	const uint32_t a_word[] = { 0xE59F0004, A_NOP, A_RET, 0, A_NOP };
	const uint32_t a_two[] = { 0xE1CF00D0, A_RET, 0, 0, A_NOP };
	const uint32_t a_double[] = { 0xED9F0B00, A_RET, 0, 0, A_NOP };
	const uint32_t a_before[] = { 0, 0xE51F000C, A_RET };
	/* ldrls pc, [pc, r0, lsl #2]; without it the same words are instructions */
	const uint32_t a_table[] = { 0x979FF100, A_RET, TEXT + 16, TEXT + 20, A_NOP, A_RET };
	const uint32_t a_none[] = { A_NOP, A_RET, TEXT + 16, TEXT + 20, A_NOP, A_RET };
	/* ldr r0, [pc]; ldr.w r0, [pc, #4] */
	const uint32_t t_word[] = { 0x4800, T_RET, 0, 0, T_NOP };
	const uint32_t t_wide[] = { 0xF8DF0004, T_NOP, T_RET, 0, 0, T_NOP };
	/* push.w {fp, lr}, whose second half would be the first of these */
	const uint32_t t_push[] = { 0xE92D4800, T_NOP, T_NOP, T_RET };

	(void)state;
	expect_of(kp_arm_is_literal, a_word, "...x.", false);
	expect_of(kp_arm_is_literal, a_two, "..xx.", false);
	expect_of(kp_arm_is_literal, a_double, "..xx.", false);
	expect_of(kp_arm_is_literal, a_before, "x..", false);
	expect_of(kp_arm_is_literal, a_table, "..xx..", false);
	expect_of(kp_arm_is_literal, a_none, "......", false);
	expect_of(kp_arm_is_literal, t_word, "..xx.", true);
	expect_of(kp_arm_is_literal, t_wide, "...xx.", true);
	expect_of(kp_arm_is_literal, t_push, "....", true);
}

/* A word that has a name, and is loaded by what stands before it. */
static void test_named_literal(void **state)
{
	const uint32_t words[] = { 0xE59F0004, A_NOP, A_RET, 0, A_RET };
	const uintptr_t named = TEXT + 12;

	(void)state;
	expect_of(kp_arm_is_literal, words, "...x.", false);
	has_before = true;
	assert_true(kp_arm_is_literal(named, 4, named, false, read_text));
	assert_true(kp_arm_is_literal(named, 8, named, false, read_text));
	assert_false(kp_arm_is_literal(named + 4, 4, named + 4, false, read_text));
	/* Where nothing can be read before it, nothing can be told. */
	has_before = false;
	assert_false(kp_arm_is_literal(named, 4, named, false, read_text));
}

static void expect_reserved(const uint32_t *words, const char *expected, bool thumb)
{
	expect_of(kp_arm_is_reserved, words, expected, thumb);
}

static void test_reserved(void **state)
{
	const uint32_t a_loop[] = { A_NOP, A_LOAD, A_NOP, A_STORE, a_b(1, -12), A_NOP, A_RET };
	/* What differs leaves with the reservation, and nothing wants it. */
	const uint32_t a_exchange[] = { A_LOAD, a_b(1, 12), A_STORE, a_b(1, -12), A_NOP, A_RET };
	/* A return ends a way; one with a condition goes on. */
	const uint32_t a_returns[] = { A_NOP, A_RET, A_STORE, A_RET };
	const uint32_t a_may_return[] = { A_NOP, A_RETNE, A_STORE, A_RET };
	const uint32_t a_none[] = { A_NOP, A_LOAD, A_NOP, A_RET };
	const uint32_t t_loop[] = { T_NOP, T_LOAD, T_NOP, T_STORE, t_bne(-10), T_NOP, T_RET };
	const uint32_t t_exchange[] = { T_NOP, T_LOAD, t_bne(8), T_STORE, t_bne(-10), T_NOP, T_RET };

	const uint32_t t_returns[] = { T_NOP, T_RET, T_STORE, T_RET };
	/* it ne; bxne lr */
	const uint32_t t_may_return[] = { 0xBF18, T_RET, T_STORE, T_RET, T_NOP };
	/* ittt ne; nop.w; addne; bxne lr */
	const uint32_t t_block[] = { T_NOP, 0xBF1E, 0xF3AF8000, 0x1840, T_RET, T_STORE, T_RET };
	/* it ne; movne; bx lr: which is behind it */
	const uint32_t t_left_block[] = { T_NOP, 0xBF18, 0x4608, T_RET, T_STORE, T_RET };

	(void)state;
	expect_reserved(a_loop, ".xxx...", false);
	expect_reserved(a_exchange, "xxx...", false);
	expect_reserved(a_returns, "..x.", false);
	expect_reserved(a_may_return, "xxx.", false);
	expect_reserved(a_none, ".x..", false);
	expect_reserved(t_loop, ".xxx...", true);
	expect_reserved(t_exchange, ".xxx...", true);
	expect_reserved(t_returns, "..x.", true);
	expect_reserved(t_may_return, "xxx..", true);
	expect_reserved(t_block, "xxxxxx.", true);
	expect_reserved(t_left_block, "....x.", true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a32),
		cmocka_unit_test(test_t32),
		cmocka_unit_test(test_operands),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_traps),
		cmocka_unit_test(test_not_emulated),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_literal),
		cmocka_unit_test(test_named_literal),
		cmocka_unit_test(test_reserved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
