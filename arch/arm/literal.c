// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * literal.c - data among the code of a function.
 *
 * Owns: kp_arm_is_literal.  Compilers put constants behind the code that loads them, and where
 * no symbol says so (a kernel's table of names has no $d) that code is what tells: data is
 *
 *	what an instruction of the function loads, relative to the PC; of A32, also one before
 *	it: assembly may give such a word a name, and then it is a function of its own
 *	of A32, an address in the function, where a load of the PC has a table behind it
 *
 * A breakpoint there would never be hit, and change what is loaded.  What looks like such a
 * load counts, also where it is data itself; of T32 not what is the second half of another
 * instruction, as it is read from the first one on: push.w {fp, lr} has there what would be
 * ldr r0, [pc].  Behind data that may be wrong, and a host of T32 knows more (sets.c).
 *
 * Invariant: no load reaches farther than REACH.
 */
#include "insn/insn.h"
#include "literal.h"

#define REACH	4112		/* 4095, what the PC is ahead, and the data's length */
#define CHUNK	256		/* bytes that are read together */

struct search {
	uintptr_t start, end, addr;
	bool thumb;
	uint32_t value;		/* at addr, if it may be of a table */
};

/* For most words this is all: may it be a load that has the PC for its base? */
static bool may_load(uint32_t word, bool thumb)
{
	if (thumb)
		return (word & 0xf800) == 0x4800 || (word & 0xfe1f) == 0xf81f ||
		       (word & 0xfe1f) == 0xe81f || (word & 0xfe1f) == 0xec1f;
	return (word & 0x0c1f0000) == 0x041f0000 || (word & 0x0e1f0090) == 0x001f0090 ||
	       (word & 0x0e5f0090) == 0x004f0090 || (word & 0x0e1f0000) == 0x0c1f0000;
}

/* ldrd, and what coprocessors load. */
static unsigned int loaded(const struct kp_arm_insn *insn)
{
	if (insn->class == KP_ARM_COPRO)
		return 8;
	if (insn->thumb)
		return insn->len == 4 && insn->word >> 25 == 0x74 ? 8 : 4;
	return !(insn->word & 0x0e000000) && (insn->word & 0xf0) == 0xd0 &&
	       !(insn->word & 0x00100000) ? 8 : 4;
}

/* ldr pc, [pc, r0, lsl #2] and the like, with a table behind what follows it. */
static bool has_table(uint32_t word)
{
	return (word & 0x0ffffff0) == 0x079ff100;
}

/* The instruction that may stand at at. */
static bool tells(const struct search *s, uint32_t word, uintptr_t at)
{
	struct kp_arm_insn insn;
	uint32_t data;

	if (!may_load(word, s->thumb))
		return false;
	if (!s->thumb && has_table(word) && at >= s->start && at < s->addr)
		return !(s->value & 3) && s->value - s->start < s->end - s->start;
	kp_arm_decode(&insn, word, s->thumb);
	if (!insn.relative || (insn.class != KP_ARM_LOAD && insn.class != KP_ARM_LITERAL &&
			       insn.class != KP_ARM_COPRO))
		return false;
	data = kp_arm_operand(&insn, (uint32_t)at);
	return (uint32_t)s->addr - data < loaded(&insn) ||
	       data - (uint32_t)s->addr < (s->thumb ? 2u : 4u);
}

bool kp_arm_is_literal(uintptr_t start, size_t len, uintptr_t addr, bool thumb,
		       int (*read)(uint8_t *dst, uintptr_t addr, size_t len))
{
	struct search s = { .start = start, .end = start + len, .addr = addr, .thumb = thumb };
	uintptr_t at = thumb && addr - start <= REACH ? start : addr - REACH;
	uintptr_t end = s.end - addr > REACH ? addr + REACH : s.end;
	const unsigned int unit = thumb ? 2 : 4;
	uint8_t chunk[CHUNK];
	bool second = false;	/* the half of another instruction */

	if (!thumb && read((uint8_t *)&s.value, addr, sizeof(s.value)))
		return false;
	while (at + sizeof(uint32_t) <= end) {
		size_t have = end - at < CHUNK ? end - at : CHUNK, off;
		uint32_t word;

		if (read(chunk, at, have)) {
			if (at >= start)
				return false;
			/* Before the function there need be nothing. */
			at = start;
			continue;
		}
		for (off = 0; off + sizeof(word) <= have; off += unit) {
			memcpy(&word, chunk + off, sizeof(word));
			if (!second && tells(&s, word, at + off))
				return true;
			second = thumb && !second && kp_arm_is_wide((uint16_t)word);
		}
		at += off;
	}
	return false;
}
