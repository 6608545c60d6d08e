/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * written.c - where does an instruction write?
 *
 * Owns: kp_arch_write_of and kp_arch_write_at: which instructions have memory as a
 * destination, how many bytes that is, and at which address, as far as it follows
 * from general registers alone.  Invariant: what is said to write nothing does not;
 * in doubt it writes somewhere.
 *
 * One whose condition fails writes nothing then.  A store below the stack pointer, to where
 * that is then, is a push.
 */
#include "probe.h"
#include "store.h"
#include "watch.h"

#define bits kp_arm_bits

/* ---- which they are ------------------------------------------------------------------------ */

KP_TRAP_PATH bool kp_arm_swaps(const struct kp_arm_insn *insn)
{
	return !insn->thumb && insn->class == KP_ARM_PLAIN && (insn->word & 0x0fb000f0) == 0x01000090;
}

/* vst1 ...; the sets differ in the highest byte. */
KP_TRAP_PATH static enum kp_arm_stored of_structures(uint32_t word)
{
	struct kp_arm_structure structure;

	if (bits(word, 21, 1))
		return KP_ARM_STORES_NONE;
	kp_arm_structure(&structure, word);
	return structure.times ? KP_ARM_STORES_STRUCTURES : KP_ARM_STORES_UNCERTAIN;
}

/* stl, swp. */
KP_TRAP_PATH static enum kp_arm_stored of_plain_a32(const struct kp_arm_insn *insn)
{
	uint32_t word = insn->word;

	if ((word & 0xff100000) == 0xf4000000)
		return of_structures(word);
	if (word >> 28 != 15 && (kp_arm_swaps(insn) || (word & 0x0f9003f0) == 0x01800090))
		return KP_ARM_STORES_ONE;
	return KP_ARM_STORES_NONE;
}

KP_TRAP_PATH static enum kp_arm_stored of_narrow(uint32_t word)
{
	switch (word >> 12) {
	case 5:		/* str strh strb, by a register */
		return bits(word, 9, 3) < 3 ? KP_ARM_STORES_ONE : KP_ARM_STORES_NONE;
	case 6:
	case 7:
	case 8:
	case 9:
		return bits(word, 11, 1) ? KP_ARM_STORES_NONE : KP_ARM_STORES_ONE;
	case 11:	/* push */
		return bits(word, 9, 3) == 2 ? KP_ARM_STORES_LIST : KP_ARM_STORES_NONE;
	case 12:
		return bits(word, 11, 1) ? KP_ARM_STORES_NONE : KP_ARM_STORES_LIST;
	default:
		return KP_ARM_STORES_NONE;
	}
}

/* strd: what has neither an offset nor writes back is another one. */
KP_TRAP_PATH static bool is_strd(uint32_t word)
{
	return (word & 0xfe500000) == 0xe8400000 && (bits(word, 24, 1) || bits(word, 21, 1));
}

KP_TRAP_PATH static enum kp_arm_stored of_wide(uint32_t word)
{
	if ((word & 0xff100000) == 0xf9000000)
		return of_structures(word);
	if ((word & 0xffd00000) == 0xe8800000 || (word & 0xffd00000) == 0xe9000000)
		return KP_ARM_STORES_LIST;
	if (is_strd(word) || (word & 0xfff000c0) == 0xe8c00080 || (word & 0xff100000) == 0xf8000000)
		return KP_ARM_STORES_ONE;
	return KP_ARM_STORES_NONE;
}

/* Of other coprocessors than those for floating point it is not known how much. */
KP_TRAP_PATH static enum kp_arm_stored of_coprocessor(const struct kp_arm_insn *insn)
{
	uint32_t word = insn->word, nr = bits(word, 0, 8), size = bits(word, 8, 2);
	bool one = bits(word, 24, 1) && !bits(word, 21, 1);
	unsigned int registers, first = size == 3 ? bits(word, 22, 1) << 4 | bits(word, 12, 4) :
						    bits(word, 12, 4) << 1 | bits(word, 22, 1);

	if (bits(word, 20, 1))
		return KP_ARM_STORES_NONE;
	if (insn->pc || bits(word, 10, 2) != 2 || !size || (!insn->thumb && word >> 28 == 15) ||
	    (insn->thumb && word >> 28 != 14))
		return KP_ARM_STORES_UNCERTAIN;
	if (one)
		return KP_ARM_STORES_FLOATS;
	registers = size == 3 ? nr / 2 : nr;
	return size == 1 || !registers || (size == 3 && registers > 16) || first + registers > 32 ?
		       KP_ARM_STORES_UNCERTAIN : KP_ARM_STORES_FLOATS;
}

KP_TRAP_PATH enum kp_arm_stored kp_arm_stored(const struct kp_arm_insn *insn)
{
	switch (insn->class) {
	case KP_ARM_UNALLOCATED:
	case KP_ARM_STORE_EXCLUSIVE:		/* it may do nothing */
		return KP_ARM_STORES_UNCERTAIN;
	case KP_ARM_STORE:
		return KP_ARM_STORES_ONE;
	case KP_ARM_STORE_LIST:
		return KP_ARM_STORES_LIST;
	case KP_ARM_COPRO:
		return of_coprocessor(insn);
	case KP_ARM_STATE:			/* srs, and a program's registers */
		if (insn->thumb ? insn->len == 4 && insn->word >> 25 == 0x74 : bits(insn->word, 25, 3) == 4)
			return KP_ARM_STORES_UNCERTAIN;
		return KP_ARM_STORES_NONE;
	case KP_ARM_PLAIN:
		return !insn->thumb ? of_plain_a32(insn) : insn->len == 4 ? of_wide(insn->word) : of_narrow(insn->word);
	default:
		return KP_ARM_STORES_NONE;
	}
}

/* ---- where ---------------------------------------------------------------------------------- */

KP_TRAP_PATH void kp_arm_store_place(struct kp_arm_access *out, const struct kp_arm_insn *insn, uint32_t addr,
				     const struct kp_arm_regs *regs)
{
	switch (kp_arm_stored(insn)) {
	case KP_ARM_STORES_LIST:
		kp_arm_access_list(out, insn, regs);
		break;
	case KP_ARM_STORES_FLOATS:
		kp_arm_access_floats(out, insn, regs);
		break;
	case KP_ARM_STORES_STRUCTURES:
		kp_arm_access_structures(out, insn, regs);
		break;
	default:
		kp_arm_access_one(out, insn, addr, regs);
	}
}

/* Seen from a stack pointer of 0: it goes down, and all is stored between. */
KP_TRAP_PATH static bool is_push(const struct kp_arm_insn *insn)
{
	static const struct kp_arm_regs regs;
	struct kp_arm_access access;

	kp_arm_store_place(&access, insn, 0, &regs);
	return access.n == KP_ARM_SP && access.writes_back && (int32_t)access.written_back < 0 &&
	       (int32_t)access.addr < 0;
}

KP_TRAP_PATH enum kp_arch_writes kp_arch_write_of(struct kp_arch_write *out, uintptr_t addr,
						  const uint8_t *bytes, size_t avail,
						  unsigned int text_flags)
{
	const bool thumb = text_flags & KP_ARCH_SECOND_SET;
	uint32_t word = 0;

	memcpy(&word, bytes, avail < sizeof(word) ? avail : sizeof(word));
	kp_arm_decode(&out->insn, word, thumb);
	out->addr = addr;
	if (avail < out->insn.len)
		return KP_ARCH_WRITES_SOMEWHERE;
	switch (kp_arm_stored(&out->insn)) {
	case KP_ARM_STORES_NONE:
		return KP_ARCH_WRITES_NOT;
	case KP_ARM_STORES_UNCERTAIN:
		return KP_ARCH_WRITES_SOMEWHERE;
	default:
		return is_push(&out->insn) ? KP_ARCH_WRITES_NOT : KP_ARCH_WRITES_AT;
	}
}

KP_TRAP_PATH size_t kp_arch_write_at(const struct kp_arch_write *write, struct pt_regs *regs,
				     uintptr_t *addr)
{
	const struct kp_arm_regs *seen = kp_arm_regs(regs);
	struct kp_arm_access access;

	if (!kp_arm_goes(&write->insn, seen->cpsr))
		return 0;
	kp_arm_store_place(&access, &write->insn, (uint32_t)write->addr, seen);
	*addr = access.addr;
	return access.len;
}
