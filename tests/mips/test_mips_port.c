/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_mips_port.c - the pure part of arch/mips against its contract, by examples.
 *
 * Owns: each refusal with its reason; where nothing may trap; breakpoints; what of release 6
 * is computed, which no run shows here; what is written, and written by the port.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "emulate.h"
#include "jump.h"
#include "watch.h"

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

/* read_text, as a trap has it. */
static int read_now(void *dst, uintptr_t addr, size_t len)
{
	return read_text(dst, addr, len);
}

/* The program's own may stand in a delay slot; its trap is told by the branch's address. */
static void test_stands(void **state)
{
	static const uint32_t words[] = { 0x24420001, 0x0000000D, 0x10000010, 0x0000000D, 0x10000010, 0 };
	static const bool stands[] = { false, true, true, true, false, false };
	struct pt_regs regs = { 0 };
	size_t i;

	(void)state;
	text = words;
	text_len = sizeof(words);
	for (i = 0; i < sizeof(stands) / sizeof(stands[0]); i++) {
		regs.cp0_epc = ADDR + 4 * i;
		assert_int_equal(kp_arch_breakpoint_stands(&regs, false, read_now), stands[i]);
	}
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

/* ---- what instructions write ------------------------------------------------------- */

static struct kp_arch_write write;

static enum kp_arch_writes written(uint32_t word, uint32_t behind, size_t avail)
{
	uint32_t words[2] = { word, behind };

	return kp_arch_write_of(&write, ADDR, (const uint8_t *)words, avail, 0);
}

/* Each register has its number times 1024. */
static void fill(struct pt_regs *regs)
{
	unsigned int i;

	for (i = 0; i < 32; i++)
		regs->regs[i] = 1024 * i;
	regs->cp0_epc = ADDR;
}

/* What they would write, with that in the registers, and @more in those that address. */
static void writes(uint32_t word, uint32_t behind, uintptr_t more, uintptr_t to, size_t len)
{
	struct pt_regs regs = { 0 };
	uintptr_t addr;

	fill(&regs);
	regs.regs[5] += more;
	assert_int_equal(written(word, behind, 8), KP_ARCH_WRITES_AT);
	assert_int_equal(kp_arch_write_at(&write, &regs, &addr), len);
	assert_int_equal(len ? addr : to, to);
}

#define A1 (5 * 1024)

static void test_writes(void **state)
{
	(void)state;
	writes(0xA0A6FFFF, 0, 0, A1 - 1, 1);		/* sb a2, -1(a1) */
	writes(0xA4A67FFE, 0, 0, A1 + 32766, 2);	/* sh a2, 32766(a1) */
	writes(0xACA08000, 0, 0, A1 - 32768, 4);	/* sw zero, -32768(a1) */
	writes(0xFCA60008, 0, 0, A1 + 8, 8);		/* sd a2, 8(a1) */
	writes(0xAC060010, 0, 0, 16, 4);		/* sw a2, 16(zero) */
	writes(0xE4A60004, 0, 0, A1 + 4, 4);		/* swc1 f6, 4(a1) */
	writes(0xF4A60008, 0, 0, A1 + 8, 8);		/* sdc1 f6, 8(a1) */
	writes(0x4CA63008, 0, 0, 11 * 1024, 4);		/* swxc1 f6, a2(a1) */
	writes(0x4CA63009, 0, 0, 11 * 1024, 8);		/* sdxc1 f6, a2(a1) */
	/* As much as lies on their side; the lowest byte first here. */
	writes(0xA8A60000, 0, 0, A1, 1);		/* swl a2, 0(a1) */
	writes(0xA8A60000, 0, 3, A1, 4);
	writes(0xB8A60000, 0, 0, A1, 4);		/* swr a2, 0(a1) */
	writes(0xB8A60000, 0, 3, A1 + 3, 1);
	writes(0xB0A60000, 0, 5, A1, 6);		/* sdl a2, 0(a1) */
	writes(0xB4A60000, 0, 5, A1 + 5, 3);		/* sdr a2, 0(a1) */
	/* In the slot of a branch; one that is not taken, and skips it. */
	writes(0x03E00008, 0xACA60004, 0, A1 + 4, 4);	/* jr ra */
	writes(0x04110010, 0xFFBF0000, 0, 29 * 1024, 8);	/* bal; sd ra, 0(sp) */
	writes(0x10A60010, 0xACA60004, 0, A1 + 4, 4);	/* beq a1, a2 */
	writes(0x50A60010, 0xACA60004, 0, 0, 0);	/* beql a1, a2 */
	writes(0x54A60010, 0xACA60004, 0, A1 + 4, 4);	/* bnel a1, a2 */
	assert_int_equal(written(0x24420001, 0xACA60004, 8), KP_ARCH_WRITES_NOT);	/* addiu */
	assert_int_equal(written(0x8CA60004, 0, 8), KP_ARCH_WRITES_NOT);		/* lw */
	assert_int_equal(written(0x03E00008, 0x24420001, 8), KP_ARCH_WRITES_NOT);
	assert_int_equal(written(0xC0A60000, 0, 8), KP_ARCH_WRITES_NOT);		/* ll */
	assert_int_equal(written(0x0000000C, 0, 8), KP_ARCH_WRITES_NOT);		/* syscall */
	assert_int_equal(written(0xCCA50000, 0, 8), KP_ARCH_WRITES_NOT);		/* pref 5 */
	/* Where, or whether, does not follow from registers. */
	assert_int_equal(written(0xE0A60000, 0, 8), KP_ARCH_WRITES_SOMEWHERE);	/* sc */
	assert_int_equal(written(0xF0A60000, 0, 8), KP_ARCH_WRITES_SOMEWHERE);	/* scd */
	assert_int_equal(written(0x04040404, 0, 8), KP_ARCH_WRITES_SOMEWHERE);
	assert_int_equal(written(0xCCBE0000, 0, 8), KP_ARCH_WRITES_SOMEWHERE);	/* pref 30 */
	assert_int_equal(written(0xE8A60000, 0, 8), KP_ARCH_WRITES_SOMEWHERE);	/* swc2 */
	assert_int_equal(written(0x78002827, 0, 8), KP_ARCH_WRITES_SOMEWHERE);	/* st.d */
	assert_int_equal(written(0x4CA6300D, 0, 8), KP_ARCH_WRITES_SOMEWHERE);	/* suxc1 */
	assert_int_equal(written(0x45020010, 0xACA60004, 8), KP_ARCH_WRITES_SOMEWHERE);	/* bc1fl */
	assert_int_equal(written(0x04110010, 0xAFFF0000, 8), KP_ARCH_WRITES_SOMEWHERE);	/* bal; sw ra, 0(ra) */
	assert_int_equal(written(0x03E00008, 0xACA60004, 4), KP_ARCH_WRITES_SOMEWHERE);
	assert_int_equal(written(0xACA60004, 0, 3), KP_ARCH_WRITES_SOMEWHERE);
}

/* A slot's store is its branch's, wherever code is looked through. */
static void test_delayed(void **state)
{
	uint32_t words[2] = { 0x03E00008, 0xACA60004 };		/* jr ra; sw */
	struct kp_arch_decoded insn = { 0 };

	(void)state;
	assert_int_equal(kp_arch_decode(&insn, (const uint8_t *)words, 8, 0), 0);
	assert_int_equal(insn.len, 4);
	assert_int_equal(insn.delayed, 4);
	assert_int_equal(kp_arch_decode(&insn, (const uint8_t *)&words[1], 4, 0), 0);
	assert_int_equal(insn.delayed, 0);
}

/* ---- and done by the port ---------------------------------------------------------- */

static uint8_t stored[64];		/* from a1 on */
static int updates;

static int update(void *arg, uintptr_t addr, unsigned int len,
		  void (*change)(void *op, const uint8_t *old, uint8_t *new), void *op)
{
	(void)arg;
	updates++;
	assert_true(addr - A1 < sizeof(stored) - len);
	change(op, stored + (addr - A1), stored + (addr - A1));
	return 0;
}

/* -errno, or what the 8 bytes there are then; where it goes on. */
static int store(uint32_t word, uint32_t behind, uintptr_t fault,
		 const struct kp_arch_vectors *vectors, uint64_t *value, struct pt_regs *regs)
{
	const struct kp_arch_memory memory = { .update = update };
	uint32_t words[2] = { word, behind };
	int err;

	updates = 0;
	memset(stored, 0, sizeof(stored));
	fill(regs);
	regs->regs[6] = 0x1122334455667788ull;
	err = kp_arch_store(regs, vectors, (const uint8_t *)words, 8, fault, &memory);
	memcpy(value, stored, 8);
	assert_int_equal(updates, err ? 0 : 1);
	return err;
}

static void test_stores(void **state)
{
	uint64_t image[32] = { [6] = 0xAABBCCDDEEFF0011ull };
	uint32_t fcsr = 1u << 23;
	const struct kp_arch_vectors vectors = { .image = image, .fcsr = &fcsr };
	struct pt_regs regs = { 0 };
	uint64_t value;

	(void)state;
	assert_int_equal(store(0xACA60000, 0, A1, NULL, &value, &regs), 0);		/* sw */
	assert_int_equal(value, 0x55667788);
	assert_int_equal(regs.cp0_epc, ADDR + 4);
	assert_int_equal(store(0xACA60000, 0, A1 + 3, NULL, &value, &regs), 0);
	/* Somewhere else: not what faulted. */
	assert_int_equal(store(0xACA60000, 0, A1 + 4, NULL, &value, &regs), -EOPNOTSUPP);
	assert_int_equal(regs.cp0_epc, ADDR);
	assert_int_equal(store(0xA8A60002, 0, A1, NULL, &value, &regs), 0);		/* swl 2 */
	assert_int_equal(value, 0x556677);
	assert_int_equal(store(0xB8A60002, 0, A1 + 2, NULL, &value, &regs), 0);		/* swr 2 */
	assert_int_equal(value, 0x77880000);
	assert_int_equal(store(0xF4A60000, 0, A1, &vectors, &value, &regs), 0);		/* sdc1 */
	assert_int_equal(value, image[6]);
	assert_int_equal(store(0xF4A60000, 0, A1, NULL, &value, &regs), -EOPNOTSUPP);
	/* With its branch; a link is what is stored. */
	assert_int_equal(store(0x03E00008, 0xACA60000, A1, NULL, &value, &regs), 0);
	assert_int_equal(regs.cp0_epc, 31 * 1024);
	assert_int_equal(value, 0x55667788);
	assert_int_equal(store(0x04110010, 0xFCBF0000, A1, NULL, &value, &regs), 0);
	assert_int_equal(regs.cp0_epc, ADDR + 4 + 64);
	assert_int_equal(value, ADDR + 8);
	assert_int_equal(regs.regs[31], ADDR + 8);
	assert_int_equal(store(0x45010010, 0xACA60000, A1, &vectors, &value, &regs), 0);	/* bc1t */
	assert_int_equal(regs.cp0_epc, ADDR + 4 + 64);
	assert_int_equal(store(0x45000010, 0xACA60000, A1, &vectors, &value, &regs), 0);	/* bc1f */
	assert_int_equal(regs.cp0_epc, ADDR + 8);
	assert_int_equal(store(0x45010010, 0xACA60000, A1, NULL, &value, &regs), -EOPNOTSUPP);
	assert_int_equal(store(0x49010010, 0xACA60000, A1, &vectors, &value, &regs), -EOPNOTSUPP);	/* bc2t */
	assert_int_equal(store(0xE0A60000, 0, A1, NULL, &value, &regs), -EOPNOTSUPP);	/* sc */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_breakpoints),
		cmocka_unit_test(test_stands),
		cmocka_unit_test(test_around),
		cmocka_unit_test(test_compact),
		cmocka_unit_test(test_relative),
		cmocka_unit_test(test_jumps),
		cmocka_unit_test(test_writes),
		cmocka_unit_test(test_delayed),
		cmocka_unit_test(test_stores),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
