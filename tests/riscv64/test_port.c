/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_port.c - the pure part of arch/riscv64 against its contract, by examples.
 *
 * Owns: each refusal with its reason; lengths, breakpoints and classes as the core sees
 * them; registers of a hit; what is written; return stubs; jumps and what they lead to.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "watch.h"
#include "arch.h"
#include "jump.h"
#include "monitor.h"
#include "regs.h"
#include "resume.h"
#include "return.h"

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

		assert_int_equal(kp_arch_decode(&out, bytes, 4, 0), words[i].err);
		if (words[i].err)
			continue;
		assert_int_equal(out.len, words[i].len);
		assert_int_equal(out.breakpoint, words[i].breakpoint);
		assert_int_equal(kp_arch_decode(&out, bytes, words[i].len - 1u, 0), -ENODATA);
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

static struct kp_arch_write write;
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

static enum kp_arch_writes written(uint32_t insn, size_t avail)
{
	return kp_arch_write_of(&write, ADDR, (const uint8_t *)&insn, avail, 0);
}

/* What insn would write, with each register's number times 1024 in it. */
static void writes(uint32_t insn, uintptr_t to, size_t len)
{
	struct pt_regs regs = { 0 };
	uintptr_t addr;
	unsigned int i;

	for (i = 0; i < 31; i++)
		kp_rv_regs(&regs)->x1[i] = (i + 1) * 1024;
	assert_int_equal(written(insn, 4), KP_ARCH_WRITES_AT);
	assert_int_equal(kp_arch_write_at(&write, &regs, &addr), len);
	assert_int_equal(addr, to);
}

static void test_written(void **state)
{
	(void)state;
	writes(0x00b50023, 10 * 1024, 1);		/* sb a1, 0(a0) */
	writes(0xfeb51fa3, 10 * 1024 - 1, 2);		/* sh a1, -1(a0) */
	writes(0x7eb52fa3, 10 * 1024 + 2047, 4);	/* sw a1, 2047(a0) */
	writes(0x80b53023, 10 * 1024 - 2048, 8);	/* sd a1, -2048(a0) */
	writes(0x00003423, 8, 8);			/* sd zero, 8(zero) */
	writes(0x00f52627, 10 * 1024 + 12, 4);		/* fsw fa5, 12(a0) */
	writes(0x00f53427, 10 * 1024 + 8, 8);		/* fsd fa5, 8(a0) */
	writes(0x00c5a52f, 11 * 1024, 4);		/* amoadd.w a0, a2, (a1) */
	writes(0x08c5b52f, 11 * 1024, 8);		/* amoswap.d a0, a2, (a1) */
	writes(0xdd6c, 10 * 1024 + 124, 4);		/* c.sw a1, 124(a0) */
	writes(0xfd6c, 10 * 1024 + 248, 8);		/* c.sd a1, 248(a0) */
	writes(0xbd6c, 10 * 1024 + 248, 8);		/* c.fsd fa1, 248(a0) */
	writes(0xdfae, 2 * 1024 + 252, 4);		/* c.swsp a1, 252(sp) */
	writes(0xffae, 2 * 1024 + 504, 8);		/* c.sdsp a1, 504(sp) */
	writes(0xbfae, 2 * 1024 + 504, 8);		/* c.fsdsp fa1, 504(sp) */
	assert_int_equal(written(0x1005b52f, 4), KP_ARCH_WRITES_NOT);	/* lr.d */
	assert_int_equal(written(0x18c5b52f, 4), KP_ARCH_WRITES_SOMEWHERE);	/* sc.d */
	assert_int_equal(written(0x00053503, 4), KP_ARCH_WRITES_NOT);	/* ld */
	assert_int_equal(written(0x610c, 2), KP_ARCH_WRITES_NOT);	/* c.ld */
	assert_int_equal(written(0x8082, 2), KP_ARCH_WRITES_NOT);	/* ret */
	assert_int_equal(written(0x02050027, 4), KP_ARCH_WRITES_SOMEWHERE);	/* vse8.v */
	assert_int_equal(written(0x00b53023, 2), KP_ARCH_WRITES_SOMEWHERE);
}

/* auipc ra; jalr ra: where they lead from a stub. */
static uintptr_t stub_leads_to(uintptr_t stub, uintptr_t entry)
{
	uint8_t image[KP_ARCH_STUB_LEN];
	uint32_t words[KP_ARCH_STUB_LEN / 4];
	struct kp_rv_insn auipc, jalr;

	kp_arch_emit_stub(stub, entry, image);
	memcpy(words, image, sizeof(words));
	kp_rv_decode(&auipc, words[1]);
	kp_rv_decode(&jalr, words[2]);
	assert_int_equal(auipc.class, KP_RV_AUIPC);
	assert_int_equal(auipc.rd, KP_RV_RA);
	assert_int_equal(jalr.class, KP_RV_JALR);
	assert_int_equal(jalr.rd, KP_RV_RA);
	assert_int_equal(jalr.rs1, KP_RV_RA);
	assert_int_equal(words[0], 0);
	assert_int_equal(words[3], 0);
	return kp_rv_operand(&auipc, stub + KP_ARCH_STUB_RETURN) + (uintptr_t)jalr.offset;
}

static void test_stub(void **state)
{
	static const intptr_t away[] = {
		16, -16, 0x7fe, 0x800, 0x802, 0xffe, 0x1000, -0x7fe, -0x800, -0x802, 0x12345678,
		-0x12345678, 0x7ffff000, -0x7ffff000,
	};
	const uintptr_t stub = 0x3f80001230ull;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(away) / sizeof(away[0]); i++)
		assert_int_equal(stub_leads_to(stub, stub + (uintptr_t)away[i]),
				 stub + (uintptr_t)away[i]);
	assert_true(kp_arch_stack_left(ADDR, ADDR + 16));
	assert_false(kp_arch_stack_left(ADDR, ADDR));
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
	assert_int_equal(kp_arch_refuse_around(ADDR, sizeof(text), ADDR + 8, 0, read_text, &reason), 0);
	assert_null(reason);
	assert_int_equal(kp_arch_refuse_around(ADDR, sizeof(text), ADDR, 0, read_text, &reason),
			 -EOPNOTSUPP);
	assert_string_equal(reason, "it may be between a load-reserved and its store-conditional, whose loop a trap would make endless");
}

/* ---- stores ------------------------------------------------------------------------------ */

static uint64_t memory[4];
static uint64_t floats[32];

static int update(void *arg, uintptr_t addr, unsigned int len,
		  void (*change)(void *op, const uint8_t *old, uint8_t *new), void *op)
{
	uint8_t old[8], new[8];

	(void)arg;
	if (addr - (uintptr_t)memory > sizeof(memory) - len)
		return -EFAULT;
	memcpy(old, (const void *)addr, len);
	change(op, old, new);
	memcpy((void *)addr, new, len);
	return 0;
}

/* With a0 and sp at memory, a1 what is stored; what memory is then, and a2. */
static void stores(uint32_t insn, uint64_t value, uint64_t before, uint64_t after,
		   uint64_t loaded)
{
	static const struct kp_arch_memory how = { .update = update };
	const struct kp_arch_vectors image = { .image = floats };
	struct pt_regs regs = {
		.epc = ADDR, .a0 = (uintptr_t)memory, .sp = (uintptr_t)memory,
		.a1 = value, .a2 = 77,
	};
	uint8_t bytes[4];

	memcpy(bytes, &insn, sizeof(bytes));
	memory[0] = before;
	floats[11] = value;
	assert_int_equal(kp_arch_store(&regs, &image, bytes, 4, (uintptr_t)memory, &how), 0);
	assert_int_equal(memory[0], after);
	assert_int_equal(regs.a2, loaded);
	assert_int_equal(regs.epc, ADDR + kp_rv_length((uint16_t)insn));
}

static void test_stores(void **state)
{
	const uint64_t ones = ~0ull, value = 0x1122334455667788;

	(void)state;
	stores(0x00b50023, value, ones, 0xffffffffffffff88, 77);	/* sb a1, 0(a0) */
	stores(0x00b51023, value, ones, 0xffffffffffff7788, 77);	/* sh */
	stores(0x00b52023, value, ones, 0xffffffff55667788, 77);	/* sw */
	stores(0x00b53023, value, ones, value, 77);			/* sd */
	stores(0x00b53027, value, ones, value, 77);			/* fsd fa1 */
	stores(0x00b52027, value, ones, 0xffffffff55667788, 77);	/* fsw fa1 */
	stores(0xc10c, value, ones, 0xffffffff55667788, 77);		/* c.sw */
	stores(0xe10c, value, ones, value, 77);				/* c.sd */
	stores(0xa10c, value, ones, value, 77);				/* c.fsd */
	stores(0xc02e, value, ones, 0xffffffff55667788, 77);		/* c.swsp */
	stores(0xe02e, value, ones, value, 77);				/* c.sdsp */
	stores(0xa02e, value, ones, value, 77);				/* c.fsdsp */
	stores(0x00b5362f, 5, 7, 12, 7);				/* amoadd.d a2, a1, (a0) */
	stores(0x00b5262f, 5, 0xf0fffffffe, 0xf000000003, -2ull);	/* amoadd.w */
	stores(0x08b5362f, 5, 7, 5, 7);					/* amoswap.d */
	stores(0x20b5362f, 5, 7, 2, 7);					/* amoxor.d */
	stores(0x40b5362f, 5, 8, 13, 8);				/* amoor.d */
	stores(0x60b5362f, 5, 7, 5, 7);					/* amoand.d */
	stores(0x80b5262f, 1, 0xffffffff, 0xffffffff, ones);		/* amomin.w */
	stores(0xa0b5262f, 1, 0xffffffff, 1, ones);			/* amomax.w */
	stores(0xc0b5262f, 1, 0xffffffff, 1, ones);			/* amominu.w */
	stores(0xe0b5262f, 1, 0xffffffff, 0xffffffff, ones);		/* amomaxu.w */
}

static void test_no_stores(void **state)
{
	static const struct kp_arch_memory how = { .update = update };
	static const uint32_t words[] = {
		0x18b5362f,			/* sc.d a2, a1, (a0) */
		0x1005362f,			/* lr.d */
		0x00053603,			/* ld a2, 0(a0) */
	};
	struct pt_regs regs = { .epc = ADDR, .a0 = (uintptr_t)memory };
	uint32_t amo = 0x00b5362f, store = 0x00b53027;
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++)
		assert_int_equal(kp_arch_store(&regs, NULL, (const uint8_t *)&words[i], 4,
					       (uintptr_t)memory, &how), -EOPNOTSUPP);
	/* Elsewhere; a register that is not there; off its boundary. */
	assert_int_equal(kp_arch_store(&regs, NULL, (const uint8_t *)&amo, 4,
				       (uintptr_t)(memory + 1), &how), -EOPNOTSUPP);
	assert_int_equal(kp_arch_store(&regs, NULL, (const uint8_t *)&store, 4,
				       (uintptr_t)memory, &how), -EOPNOTSUPP);
	regs.a0 += 4;
	assert_int_equal(kp_arch_store(&regs, NULL, (const uint8_t *)&amo, 4, regs.a0, &how),
			 -EOPNOTSUPP);
	assert_int_equal(regs.epc, ADDR);
}

static int read_memory(uintptr_t addr, void *dst, size_t len)
{
	memcpy(dst, (const void *)addr, len);
	return 0;
}

static bool swap_if(uintptr_t addr, unsigned int len, const uint64_t *old, const uint64_t *new)
{
	if (memcmp((const void *)addr, old, len))
		return false;
	memcpy((void *)addr, new, len);
	return true;
}

static void test_reservation(void **state)
{
	static const struct kp_monitor_memory how = { read_memory, swap_if };
	const uint32_t load = 0x1005262f, store = 0x18b5262f;	/* lr.w a2; sc.w a2, a1 */
	struct kp_monitor monitor = { .len = 0 };
	struct pt_regs regs = { .epc = ADDR, .a0 = (uintptr_t)memory, .a1 = 9 };

	(void)state;
	memory[0] = 0x180000000;
	assert_int_equal(kp_monitor_do(&monitor, store, &regs, &how), KP_MONITOR_FAILED);
	assert_int_equal(regs.a2, 1);
	assert_int_equal(kp_monitor_do(&monitor, load, &regs, &how), KP_MONITOR_LOADED);
	assert_int_equal(regs.a2, 0xffffffff80000000);
	assert_int_equal(kp_monitor_do(&monitor, store, &regs, &how), KP_MONITOR_STORED);
	assert_int_equal(regs.a2, 0);
	assert_int_equal(memory[0], 0x100000009);
	assert_int_equal(regs.epc, ADDR + 12);
	/* Somebody was faster; and another length. */
	kp_monitor_do(&monitor, load, &regs, &how);
	memory[0]++;
	assert_int_equal(kp_monitor_do(&monitor, store, &regs, &how), KP_MONITOR_FAILED);
	kp_monitor_do(&monitor, load, &regs, &how);
	assert_int_equal(kp_monitor_do(&monitor, store | 1u << 12, &regs, &how),
			 KP_MONITOR_FAILED);
	assert_int_equal(kp_monitor_do(&monitor, 0x00b53023, &regs, &how),
			 KP_MONITOR_NONE);
}

/* ---- jumps ------------------------------------------------------------------------------- */

static struct kp_arch_jump jump;

static int way(uint32_t word, size_t extent, unsigned int flags, unsigned int n)
{
	assert_int_equal(prepare_at(ADDR, word, 4, flags), 0);
	return kp_arch_jump_way(&jump, &probe, NULL, extent, extent, n, &reason);
}

static void no_way(uint32_t word, size_t extent, unsigned int flags, const char *why)
{
	assert_int_equal(way(word, extent, flags, 0), -ENOENT);
	assert_string_equal(reason, why);
}

/* What a core that fetches those 4 bytes makes of them. */
static uint64_t leads_to(const uint8_t *bytes, uintptr_t addr)
{
	struct kp_rv_insn insn;
	uint32_t word;

	memcpy(&word, bytes, sizeof(word));
	kp_rv_decode(&insn, word);
	assert_int_equal(insn.class, KP_RV_JAL);
	return kp_rv_operand(&insn, addr);
}

static void test_ways(void **state)
{
	uint8_t bytes[4];

	(void)state;
	assert_int_equal(way(0x00150513, 4, KP_ARCH_USER, 0), 0);	/* addi */
	assert_int_equal(jump.len, 4);
	assert_int_equal(jump.inner_nr, 0);
	kp_arch_emit_jump(&jump, ADDR - 0x100000, bytes);
	assert_int_equal(leads_to(bytes, ADDR), ADDR - 0x100000);
	kp_arch_emit_jump(&jump, ADDR + 0xffffe, bytes);
	assert_int_equal(leads_to(bytes, ADDR), ADDR + 0xffffe);
	assert_int_equal(way(0x00150513, 4, KP_ARCH_USER, 1), -ENOENT);
	no_way(0x00150513, 3, KP_ARCH_USER, "the instruction is not known to be code");
	no_way(0x00150513, 4, KP_ARCH_TRAP_ONLY,
	       "there may be no room on the stack for what a jump calls (Go's stacks are small)");
	no_way(0x000080e7, 4, KP_ARCH_USER,		/* jalr ra, 0(ra) */
	       "a call by its own link register cannot be made from elsewhere");
	no_way(0x8082, 2, KP_ARCH_USER, "a jump would not end with the function");
}

/* Every address that a way allows has its trap behind the first half. */
static void check_traps(unsigned int flags, unsigned int ways)
{
	uint16_t reserved[16], half;
	size_t nr = kp_rv_reserved(reserved, 16), i;
	unsigned int n, k, found;
	uint8_t bytes[4];

	for (n = 0; !way(0x8082, 8, flags, n); n++) {
		assert_int_equal(jump.inner_nr, 1);
		assert_int_equal(jump.inner[0], 2);
		for (k = found = 0; k < 1u << 20; k++) {
			uintptr_t to = ADDR - (1u << 20) + 2 * k;

			if ((((uint32_t)(to - ADDR)) & jump.mask) != jump.value || to == ADDR)
				continue;
			found++;
			kp_arch_emit_jump(&jump, to, bytes);
			assert_int_equal(leads_to(bytes, ADDR), to);
			memcpy(&half, bytes + 2, sizeof(half));
			for (i = 0; i < nr && half != reserved[i]; i++)
				;
			assert_true(half == 0x9002 || half == 0 || (i < nr && flags));
		}
		assert_in_range(found, 15, 16);
	}
	assert_int_equal(n, ways);
}

static void test_traps(void **state)
{
	(void)state;
	check_traps(0, 2);
	check_traps(KP_ARCH_RESERVED_TRAPS, 10);
}

static void test_heads(void **state)
{
	uintptr_t head = ADDR + 0x4000, entry = head + 0x8000, body = head - 0x8000;
	uint8_t image[KP_ARCH_HEAD_LEN];
	uint64_t frame[40] = { 0, 0x1234 }, tag;
	struct pt_regs regs = { .epc = head + 8, .sp = (uintptr_t)frame };

	(void)state;
	assert_int_equal(prepare_at(ADDR, 0x00150513, 4, 0), 0);
	assert_int_equal(kp_arch_emit_head(&probe, head, entry, body, &probe, image), 0);
	assert_int_equal(leads_to(image + 4, head + 4), entry);
	assert_int_equal(leads_to(image + 12, head + 12), body);
	/* At its boundary, and so in the piece. */
	memcpy(&tag, image + (((head + 16 + 7) & ~7ull) - head), sizeof(tag));
	assert_int_equal(tag, (uintptr_t)&probe);
	assert_int_equal(kp_arch_emit_head(&probe, head, head + 0x200000, body, &probe, image),
			 -ERANGE);
	assert_int_equal(kp_arch_emit_head(&probe, head, entry, head - 0x200000, &probe, image),
			 -ERANGE);
	/* A frame is there behind the call, and before it. */
	kp_arch_head_abort(&probe, &regs, head, body);
	assert_int_equal(regs.epc, body);
	assert_int_equal(regs.ra, 0x1234);
	assert_int_equal(regs.sp, (uintptr_t)(frame + 40));
	regs = (struct pt_regs){ .epc = head + 4, .sp = (uintptr_t)frame, .ra = 7 };
	kp_arch_head_abort(&probe, &regs, head, body);
	assert_int_equal(regs.epc, ADDR);
	assert_int_equal(regs.ra, 7);
	assert_int_equal(regs.sp, (uintptr_t)(frame + 40));
	regs = (struct pt_regs){ .epc = head + 12, .sp = 16 };
	kp_arch_head_abort(&probe, &regs, head, body);
	assert_int_equal(regs.epc, body);
	assert_int_equal(regs.sp, 16);
}

static void test_hub(void **state)
{
	uintptr_t hub = ADDR + 0x100;
	uint8_t image[KP_ARCH_HUB_LEN];
	uint64_t to;

	(void)state;
	kp_arch_emit_hub(hub, ADDR + 0x40000000ull, image);
	memcpy(&to, image + (((hub + 12 + 7) & ~7ull) - hub), sizeof(to));
	assert_int_equal(to, ADDR + 0x40000000ull + 2);
}

static void test_padding(void **state)
{
	static const uint8_t bytes[] = { 0x01, 0x00, 0x00, 0x00, 0x82, 0x80 };

	(void)state;
	assert_int_equal(kp_arch_padding(bytes, sizeof(bytes)), 4);
	assert_int_equal(kp_arch_padding(bytes, 3), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_decoded),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_written),
		cmocka_unit_test(test_stub),
		cmocka_unit_test(test_hit),
		cmocka_unit_test(test_around),
		cmocka_unit_test(test_stores),
		cmocka_unit_test(test_no_stores),
		cmocka_unit_test(test_reservation),
		cmocka_unit_test(test_ways),
		cmocka_unit_test(test_traps),
		cmocka_unit_test(test_heads),
		cmocka_unit_test(test_hub),
		cmocka_unit_test(test_padding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
