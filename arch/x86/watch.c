/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * watch.c - what a debug register can hold, and what has been done to it.
 *
 * Owns: the lengths.  DR7 supports 1, 2 and 4 bytes, in 64-bit mode also 8, and ignores the
 * address bits below that.  And what atomic instructions leave behind: a trap comes after the
 * instruction, of which only the end is known.  So those are looked for that have the prefix
 * lock, end there, and write to the word; of several the shortest one that is as long as the
 * word, since whatever stands before it may look like a prefix.
 */
#include "probe.h"
#include "insn.h"
#include "watch.h"
#include "written.h"

unsigned int kp_arch_watch_len(uintptr_t addr, size_t len)
{
	unsigned int word = KP_X86_WORD;

	while (word > len || (addr & (word - 1)))
		word /= 2;
	return word;
}

KP_TRAP_PATH static unsigned long cut(uint64_t value, unsigned int len)
{
	return (unsigned long)(len < 8 ? value & ((1ull << 8 * len) - 1) : value);
}

/* By the fields modrm.reg: the second byte of a register has no number. */
KP_TRAP_PATH static bool reg_get(const struct kp_insn *insn, struct pt_regs *regs,
				 unsigned int len, unsigned long *value)
{
	unsigned int reg = (insn->modrm >> 3 & 7) + 8u * insn->r;
	bool is_high = len == 1 && !insn->rex && reg >= 4;

	*value = cut(*kp_x86_reg(regs, is_high ? reg - 4 : reg) >> (is_high ? 8 : 0), len);
	return true;
}

KP_TRAP_PATH static void added(struct kp_arch_change *out, uint64_t by, unsigned int len)
{
	out->by = cut(by, len);
	out->kind = out->by ? KP_ARCH_CHANGED_ADDED : KP_ARCH_CHANGED_NOT;
}

KP_TRAP_PATH static void flipped(struct kp_arch_change *out, uint64_t by, unsigned int len)
{
	out->by = cut(by, len);
	out->kind = out->by ? KP_ARCH_CHANGED_FLIPPED : KP_ARCH_CHANGED_NOT;
}

/* add, or ... xor, as the opcode's bits have them. */
KP_TRAP_PATH static void arithmetic(struct kp_arch_change *out, unsigned int op, uint64_t by,
				    unsigned int len)
{
	if (op == 0)
		added(out, by, len);
	else if (op == 5)
		added(out, -by, len);
	else if (op == 6)
		flipped(out, by, len);
}

/* Are these the flags that come of the sum? */
KP_TRAP_PATH static bool comes_of(unsigned long old, unsigned long by, unsigned long flags,
				  unsigned int len)
{
	unsigned long sum = cut(old + by, len), top = 1ul << (8 * len - 1);
	unsigned long wanted = 0, looked_at = KP_X86_FLAG_CF | KP_X86_FLAG_PF | KP_X86_FLAG_ZF |
					      KP_X86_FLAG_SF | KP_X86_FLAG_OF;

	wanted |= sum < old ? KP_X86_FLAG_CF : 0;
	wanted |= __builtin_parity((unsigned int)(sum & 0xff)) ? 0 : KP_X86_FLAG_PF;
	wanted |= sum ? 0 : KP_X86_FLAG_ZF;
	wanted |= sum & top ? KP_X86_FLAG_SF : 0;
	wanted |= ~(old ^ by) & (old ^ sum) & top ? KP_X86_FLAG_OF : 0;
	return (flags & looked_at) == wanted;
}

/* What may have been added, if it was not 0: mostly it is one of these. */
KP_TRAP_PATH static unsigned long guessed(unsigned long old, unsigned long flags,
					  unsigned int len)
{
	if (comes_of(old, 0, flags, len))
		return 0;
	return comes_of(old, cut(~0ull, len), flags, len) ? cut(~0ull, len) : 1;
}

/* CF is what the bit was. */
KP_TRAP_PATH static void bit(struct kp_arch_change *out, unsigned int op, uint64_t which,
			     const struct pt_regs *regs, unsigned int len)
{
	bool was = regs->flags & KP_X86_FLAG_CF;
	uint64_t mask = 1ull << (which & (8 * len - 1));

	if (op == 5 && !was)			/* bts */
		added(out, mask, len);
	else if (op == 6 && was)		/* btr */
		added(out, -mask, len);
	else if (op == 7)			/* btc */
		flipped(out, mask, len);
	else
		out->kind = KP_ARCH_CHANGED_NOT;
}

KP_TRAP_PATH static void of_0f(struct kp_arch_change *out, const struct kp_insn *insn,
			       struct pt_regs *regs, unsigned int len)
{
	unsigned int ext = insn->modrm >> 3 & 7;
	unsigned long reg;

	reg_get(insn, regs, len, &reg);
	switch (insn->opcode) {
	case 0xb0: case 0xb1:			/* cmpxchg */
		out->kind = KP_ARCH_CHANGED_NOT;
		if (!(regs->flags & KP_X86_FLAG_ZF))
			break;
		out->kind = KP_ARCH_CHANGED_FROM_TO;
		out->before = cut(regs->ax, len);
		out->after = reg;
		break;
	case 0xc0: case 0xc1:			/* xadd: what was added is gone */
		out->kind = KP_ARCH_CHANGED_FROM;
		out->before = reg;
		out->by = guessed(reg, regs->flags, len);
		break;
	case 0xab: case 0xb3: case 0xbb:
		/* The register may name a bit of another word. */
		if (reg < 8 * len)
			bit(out, insn->opcode == 0xab ? 5 : insn->opcode == 0xb3 ? 6 : 7, reg,
			    regs, len);
		break;
	case 0xba:
		if (ext > 4)
			bit(out, ext, (uint64_t)insn->imm.value, regs, len);
		break;
	}
}

KP_TRAP_PATH static void of_one_byte(struct kp_arch_change *out, const struct kp_insn *insn,
				     struct pt_regs *regs, unsigned int len)
{
	unsigned int ext = insn->modrm >> 3 & 7;
	unsigned long reg;

	reg_get(insn, regs, len, &reg);
	if (insn->opcode < 0x38 && (insn->opcode & 7) < 2)
		arithmetic(out, insn->opcode >> 3, reg, len);
	else if (insn->opcode == 0x80 || insn->opcode == 0x81 || insn->opcode == 0x83)
		arithmetic(out, ext, (uint64_t)insn->imm.value, len);
	else if ((insn->opcode & 0xfe) == 0xfe && ext < 2)
		added(out, ext ? ~0ull : 1, len);
	else if ((insn->opcode & 0xfe) == 0xf6 && ext == 2)
		flipped(out, ~0ull, len);
	else if ((insn->opcode & 0xfe) == 0x86) {	/* xchg */
		out->kind = KP_ARCH_CHANGED_FROM;
		out->before = reg;
	}
}

/* Of an instruction that begins there, ends at the instruction pointer, and writes the word. */
KP_TRAP_PATH static bool is_meant(struct kp_insn *insn, const uint8_t *code, unsigned int len,
				  struct pt_regs *regs, const struct kp_watch_word *word)
{
	struct kp_arch_write write;
	uintptr_t addr, start = regs->ip - len;
	size_t bytes;

	if (kp_insn_decode(insn, code, len, KP_X86_MODE) || insn->length != len ||
	    insn->encoding != KP_INSN_LEGACY ||
	    !(insn->prefixes & KP_INSN_PFX_LOCK || (insn->map == KP_INSN_MAP_1BYTE &&
						    (insn->opcode & 0xfe) == 0x86)) ||
	    !(insn->flags & KP_INSN_HAS_MEM) || insn->segment == 0x64 || insn->segment == 0x65)
		return false;
	kp_x86_write_place(&write, insn, start, insn->operand_size);
	bytes = kp_arch_write_at(&write, regs, &addr);
	return addr >= word->addr && addr + bytes <= word->addr + word->len;
}

KP_TRAP_PATH void kp_arch_change_of(struct kp_arch_change *out, const uint8_t *code,
				    struct pt_regs *regs, const struct kp_watch_word *word)
{
	struct kp_insn insn, found;
	unsigned int len;
	bool any = false;

	*out = (struct kp_arch_change){ .kind = KP_ARCH_CHANGED_UNKNOWN };
	for (len = 2; len <= KP_ARCH_INSN_BEFORE; len++) {
		if (!is_meant(&insn, code + KP_ARCH_INSN_BEFORE - len, len, regs, word))
			continue;
		if (any && insn.operand_size != word->len)
			continue;
		any = true;
		found = insn;
		if (insn.operand_size == word->len)
			break;
	}
	/* A part of the word: by how much all of it changes is not computed. */
	if (!any || found.operand_size != word->len)
		return;
	if (found.map == KP_INSN_MAP_1BYTE)
		of_one_byte(out, &found, regs, word->len);
	else if (found.map == KP_INSN_MAP_0F)
		of_0f(out, &found, regs, word->len);
}
