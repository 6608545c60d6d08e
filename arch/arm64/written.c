/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * written.c - where does an instruction write?
 *
 * Owns: kp_arch_write_of and kp_arch_write_at: which instructions have memory as a
 * destination, how many bytes that is, and at which address, as far as it follows
 * from general registers alone.  Invariant: what is said to write nothing does not;
 * in doubt it writes somewhere.
 *
 * A store below the stack pointer, to where that is then, is a push.  A compare and swap
 * counts as a store of what was there when it fails.
 */
#include "operands.h"
#include "probe.h"
#include "watch.h"
#include "written.h"

#define NO_REG 0xff
#define SP 31
#define UNSIGNED_32 2	/* how an index is made longer: uxtw; sxtw: sign */
#define SIGNED_32 6

/* Not a length: it is not known, or not that all of it is written. */
#define SOMEWHERE (-1)

KP_TRAP_PATH static bool is_vector(uint32_t word)
{
	return word & 1u << 26;
}

KP_TRAP_PATH unsigned int kp_a64_size_of(uint32_t word)
{
	/* str q */
	if (is_vector(word) && word & 1u << 23)
		return 4;
	return word >> 30;
}

/* ---- how many bytes; 0: none ----------------------------------------------------- */

/* Of one register, in the groups with a size in the two highest bits. */
KP_TRAP_PATH static int of_single(uint32_t word)
{
	bool store = is_vector(word) ? !(word & 1u << 22) : !(word & 3u << 22);

	return store ? 1 << kp_a64_size_of(word) : 0;
}

/* ld<op>, swp; ldapr, and 64 bytes at once. */
KP_TRAP_PATH static int of_atomic(uint32_t word)
{
	unsigned int op = word >> 12 & 15;

	if (is_vector(word))
		return SOMEWHERE;
	if (op <= 8)
		return 1 << (word >> 30);
	return op == 12 || op == 13 ? 0 : SOMEWHERE;
}

/* stxr, stlr, cas and their like. */
KP_TRAP_PATH static int of_ordered(uint32_t word)
{
	bool o2 = word & 1u << 23, load = word & 1u << 22, o1 = word & 1u << 21;
	int len = 1 << (word >> 30);

	if (o2)
		return o1 || !load ? len : 0;	/* cas; stlr, ldar */
	if (o1 && !(word >> 31))
		return word >> 30 ? 16 : 8;	/* casp */
	return load ? 0 : SOMEWHERE;		/* stxr may do nothing */
}

KP_TRAP_PATH static int of_pair(uint32_t word)
{
	unsigned int opc = word >> 30;

	if (word & 1u << 22)
		return 0;
	if (is_vector(word))
		return 8 << opc;
	return opc ? 16 : 8;			/* stgp, stp x; stp w */
}

KP_TRAP_PATH unsigned int kp_a64_structure_registers(uint32_t word)
{
	static const uint8_t registers[16] = {
		[0] = 4, [2] = 4, [4] = 3, [6] = 3, [7] = 1, [8] = 2, [10] = 2,
	};

	return registers[word >> 12 & 15];
}

KP_TRAP_PATH unsigned int kp_a64_lane_size(uint32_t word)
{
	unsigned int size = word >> 14 & 3;

	return size == 2 && word & 1u << 10 ? 3 : size;
}

/* st1 to st4. */
KP_TRAP_PATH static int of_structures(uint32_t word)
{
	if (word & 1u << 22)
		return 0;
	if (!(word & 1u << 24))
		return (int)kp_a64_structure_registers(word) * (word & 1u << 30 ? 16 : 8);
	return ((int)((word >> 12 & 2) | (word >> 21 & 1)) + 1) << kp_a64_lane_size(word);
}

/* Tags, and with them memory that is cleared; what loads a tag. */
KP_TRAP_PATH static int of_tags(uint32_t word)
{
	return (word & 0x00c00c00) == 0x00400000 ? 0 : SOMEWHERE;
}

KP_TRAP_PATH static int of_memory(uint32_t word)
{
	if ((word & 0x3f000000) == 0x08000000)
		return of_ordered(word);
	if ((word & 0x3a000000) == 0x28000000)
		return of_pair(word);
	if ((word & 0xbe000000) == 0x0c000000)
		return of_structures(word);
	if ((word & 0xff200000) == 0xd9200000)
		return of_tags(word);
	if ((word & 0x3b200c00) == 0x38200000)
		return of_atomic(word);
	if ((word & 0x3b200400) == 0x38200400)
		return 0;			/* ldraa, ldrab */
	if ((word & 0x3b000000) == 0x38000000 || (word & 0x3b000000) == 0x39000000)
		return of_single(word);
	if ((word & 0x3f200c00) == 0x19000000)	/* stlur, ldapur */
		return word & 3u << 22 ? 0 : 1 << (word >> 30);
	return SOMEWHERE;
}

/* dc zva, gva and gzva. */
KP_TRAP_PATH static bool clears_memory(const struct kp_a64_insn *insn)
{
	return insn->class == KP_A64_SYS && (insn->sysreg & 0x3ff8) == (3 << 11 | 7 << 7 | 4 << 3);
}

KP_TRAP_PATH int kp_a64_written(const struct kp_a64_insn *insn)
{
	uint32_t word = insn->word;

	if (insn->class == KP_A64_UNALLOCATED || insn->class == KP_A64_MOPS ||
	    clears_memory(insn))
		return SOMEWHERE;
	if (insn->class == KP_A64_LITERAL)
		return 0;
	if (kp_a64_is_load_store(word))
		return of_memory(word);
	/* Scalable vectors, and arrays of them: their stores, and a few others. */
	if ((word >> 25 & 15) == 2 || (word >> 25 & 15) == 0)
		return word >> 29 == 7 ? SOMEWHERE : 0;
	return 0;
}

/* ---- where --------------------------------------------------------------------------- */

KP_TRAP_PATH static int64_t signed_9(uint32_t word)
{
	return (int64_t)((word >> 12 & 0x1ff) ^ 0x100) - 0x100;
}

/* 0: not before, to where the base is then; else by how much it moves. */
static int64_t moves_before(uint32_t word, int len)
{
	if ((word & 0x3b800000) == 0x29800000)
		return ((int64_t)((word >> 15 & 0x7f) ^ 0x40) - 0x40) * (len / 2);
	if ((word & 0x3b200c00) == 0x38000c00)
		return signed_9(word);
	return 0;
}

KP_TRAP_PATH static int64_t displacement(uint32_t word, int len)
{
	int64_t imm7 = (int64_t)((word >> 15 & 0x7f) ^ 0x40) - 0x40;

	if ((word & 0x3a000000) == 0x28000000) {
		if ((word & 0x01800000) == 0x00800000)		/* after */
			return 0;
		return imm7 * ((word & 0xfe400000) == 0x68000000 ? 16 : len / 2);
	}
	if ((word & 0x3b000000) == 0x39000000)
		return (int64_t)(word >> 10 & 0xfff) << kp_a64_size_of(word);
	if ((word & 0x3b200c00) == 0x38000400)			/* after */
		return 0;
	if ((word & 0x3b200000) == 0x38000000 || (word & 0x3f200c00) == 0x19000000)
		return signed_9(word);
	return 0;
}

KP_TRAP_PATH void kp_a64_write_place(struct kp_arch_write *out, uint32_t word, int len)
{
	*out = (struct kp_arch_write){
		.disp = displacement(word, len), .len = (uint16_t)len,
		.base = (uint8_t)KP_A64_RN(word), .index = NO_REG,
	};
	if ((word & 0x3b200c00) == 0x38200800) {
		out->index = (uint8_t)KP_A64_RM(word);
		out->extend = word >> 13 & 7;
		out->shift = word & 1u << 12 ? (uint8_t)kp_a64_size_of(word) : 0;
	}
}

enum kp_arch_writes kp_arch_write_of(struct kp_arch_write *out, uintptr_t addr,
				     const uint8_t *bytes, size_t avail,
				     unsigned int text_flags)
{
	struct kp_a64_insn insn;
	uint32_t word;
	int len;

	(void)addr;
	(void)text_flags;
	if (avail < KP_A64_LEN)
		return KP_ARCH_WRITES_SOMEWHERE;
	memcpy(&word, bytes, sizeof(word));
	kp_a64_decode(&insn, word);
	len = kp_a64_written(&insn);
	if (!len || (KP_A64_RN(word) == SP && moves_before(word, len) < 0))
		return KP_ARCH_WRITES_NOT;
	if (len == SOMEWHERE)
		return KP_ARCH_WRITES_SOMEWHERE;
	kp_a64_write_place(out, word, len);
	return KP_ARCH_WRITES_AT;
}

KP_TRAP_PATH static uint64_t index_of(const struct kp_arch_write *write,
				      const struct pt_regs *regs)
{
	uint64_t value = write->index == SP ? 0 : regs->regs[write->index];

	if (write->extend == UNSIGNED_32)
		value = (uint32_t)value;
	else if (write->extend == SIGNED_32)
		value = (uint64_t)(int64_t)(int32_t)value;
	return value << write->shift;
}

/* The highest byte of an address is a program's own: what counts is the rest. */
KP_TRAP_PATH size_t kp_arch_write_at(const struct kp_arch_write *write,
				     struct pt_regs *regs, uintptr_t *addr)
{
	uint64_t at = (write->base == SP ? regs->sp : regs->regs[write->base]) +
		      (uint64_t)write->disp;

	if (write->index != NO_REG)
		at += index_of(write, regs);
	*addr = (uintptr_t)((int64_t)(at << 8) >> 8);
	return write->len;
}
