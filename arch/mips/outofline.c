/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * outofline.c - images of slots, and where the PC stands in them.
 *
 * Owns: their layout.  A slot is immutable once published and holds two forms: the boosted
 * one at 0 and the stepped one at its middle.  Both have
 *
 *   what is copied             a branch, "likely" or not      j, jal
 *
 *       the instruction            li   rd, behind               li   ra, behind
 *       end: behind                branch taken                  the word in its slot
 *                                  the word in its slot          end: the target
 *                                  end: behind
 *                           taken: end: the target
 *
 * li stands only where the branch writes a link, which the word in its slot may read; the
 * branch is the one that does not.  An end is a break in the stepped form; in the boosted
 * one "j there; nop" where that is in the same 256 MB as the end, else a break as well.
 * jr and jalr go where a register says, which the word in their slot leaves alone:
 *
 *   boosted: li rd, behind     stepped: li rd, behind
 *            jr rs                      the word in its slot
 *            the word in its slot       break
 *
 * Loads by the PC and what is emulated besides have no stepped form; a boosted one only for
 * a load that faults:  li rd, address; load rd, 0(rd).
 *
 * Who faults or is interrupted in a delay slot stands at its branch.  So a PC in a form says
 * whether the instruction, with its slot, is done.  Invariant: the layout follows from the
 * probe and the address alone, so any PC inside can be translated back without a memory of
 * how it got there.
 */
#include "probe.h"

#define FORM_MAX (KP_ARCH_SLOT_LEN / 2)
#define OWNER_LEN 8			/* at the end of each form, the core's at the last one's */
#define WORDS (FORM_MAX / 4)

#define JUMP 0x08000000u		/* j */
#define JUMP_REG 0x00000009u		/* jalr zero: jr, in all releases */
#define HAZARD 0x00000400u		/* jr.hb, jalr.hb */
#define LINKING 0x00100000u		/* bgezal is bgez, and so on */
#define NOWHERE 0xff

struct out {
	uintptr_t addr;			/* of words[0] */
	uint32_t words[WORDS + 8];
	unsigned int nr;
	unsigned int behind, taken;	/* the ends, or NOWHERE */
	bool boosted;
};

KP_TRAP_PATH static void put(struct out *out, uint32_t word)
{
	out->words[out->nr++] = word;
}

static uint32_t breakpoint(void)
{
	uint32_t word;

	memcpy(&word, kp_arch_bp, sizeof(word));
	return word;
}

KP_TRAP_PATH static void put_end(struct out *out, uintptr_t to)
{
	uintptr_t slot = out->addr + 4 * out->nr + 4;	/* the jump's delay slot */

	/* An instruction set's mark, and an address that is none, traps where it leads. */
	if (!out->boosted || (slot ^ to) & ~(uintptr_t)0x0fffffff || to % 4) {
		put(out, breakpoint());
		return;
	}
	put(out, JUMP | ((uint32_t)to & 0x0fffffff) >> 2);
	put(out, 0);
}

/* lui reg; ori reg; and of 64 bits the rest by shifts. */
KP_TRAP_PATH static void put_address(struct out *out, unsigned int reg, uintptr_t value)
{
	uint64_t whole = value;
	unsigned int shift = sizeof(long) == 8 ? 48 : 16;

	put(out, 0x3c000000u | reg << 16 | (uint32_t)(whole >> shift & 0xffff));
	while (shift) {
		shift -= 16;
		/* ori reg, reg */
		put(out, 0x34000000u | reg << 21 | reg << 16 | (uint32_t)(whole >> shift & 0xffff));
		if (shift)
			put(out, 0x00000038u | reg << 16 | reg << 11 | 16 << 6);	/* dsll reg, reg, 16 */
	}
}

KP_TRAP_PATH static void put_link(struct out *out, const struct kp_arch_probe *ap)
{
	if (ap->insn.flags & KP_MIPS_LINK && ap->insn.rd != KP_MIPS_ZERO)
		put_address(out, ap->insn.rd, kp_mips_next(ap));
}

KP_TRAP_PATH static void put_branch(struct out *out, const struct kp_arch_probe *ap)
{
	uint32_t word = ap->insn.word & 0xffff0000;
	unsigned int at;

	put_link(out, ap);
	if (ap->insn.flags & KP_MIPS_LINK)
		word &= ~LINKING;
	at = out->nr;
	put(out, word);
	put(out, ap->delayed);
	out->behind = out->nr;
	put_end(out, kp_mips_next(ap));
	out->taken = out->nr;
	out->words[at] |= out->taken - at - 1;
	put_end(out, kp_mips_target(ap));
}

KP_TRAP_PATH static void put_jump_reg(struct out *out, const struct kp_arch_probe *ap)
{
	put_link(out, ap);
	if (out->boosted)
		put(out, JUMP_REG | (uint32_t)ap->insn.a << 21 | (ap->insn.word & HAZARD));
	put(out, ap->delayed);
	if (out->boosted)
		return;
	out->taken = out->nr;
	put(out, breakpoint());
}

/* lw lwu ld, as lwpc lwupc ldpc have them in these bits */
KP_TRAP_PATH static void put_load(struct out *out, const struct kp_arch_probe *ap)
{
	static const uint32_t loads[] = { 0x8c000000, 0x8c000000, 0x9c000000, 0xdc000000 };
	unsigned int reg = ap->insn.rd;

	put_address(out, reg, kp_mips_target(ap));
	put(out, loads[ap->insn.word >> 19 & 3] | reg << 21 | reg << 16);
	out->behind = out->nr;
	put_end(out, kp_mips_next(ap));
}

/* What is emulated has no stepped form but where memory has to be read. */
KP_TRAP_PATH static void put_form(struct out *out, const struct kp_arch_probe *ap)
{
	out->behind = out->taken = NOWHERE;
	switch (ap->insn.class) {
	case KP_MIPS_BRANCH:
	case KP_MIPS_BRANCH_COP:
		put_branch(out, ap);
		break;
	case KP_MIPS_JUMP:
		put_link(out, ap);
		put(out, ap->delayed);
		out->taken = out->nr;
		put_end(out, kp_mips_target(ap));
		break;
	case KP_MIPS_JUMP_REG:
		put_jump_reg(out, ap);
		break;
	case KP_MIPS_LOAD_RELATIVE:
		put_load(out, ap);
		break;
	case KP_MIPS_COMPACT:
	case KP_MIPS_COMPACT_REG:
	case KP_MIPS_ADDRESS:
		break;
	default:
		put(out, ap->insn.word);
		out->behind = out->nr;
		put_end(out, kp_mips_next(ap));
	}
}

int kp_arch_emit_slot(const struct kp_arch_probe *ap, uintptr_t slot,
		      uint8_t *image, const char **reason)
{
	struct out boosted = { .addr = slot, .boosted = true };
	struct out stepped = { .addr = slot + ap->stepped };
	unsigned int i, max = (ap->stepped - OWNER_LEN) / 4u;

	/* Whoever strays into the rest traps. */
	for (i = 0; i < 2u * ap->stepped; i += KP_ARCH_BP_LEN)
		memcpy(image + i, kp_arch_bp, KP_ARCH_BP_LEN);
	put_form(&boosted, ap);
	put_form(&stepped, ap);
	if (boosted.nr > max || stepped.nr > max) {
		*reason = "the copied instruction does not fit its slot";
		return -ENOSPC;
	}
	memcpy(image, boosted.words, 4 * boosted.nr);
	memcpy(image + ap->stepped, stepped.words, 4 * stepped.nr);
	return 0;
}

void kp_arch_slot_shorten(struct kp_arch_probe *ap, bool on)
{
	ap->stepped = on ? KP_MIPS_STEPPED / 2 : KP_MIPS_STEPPED;
}

void kp_arch_slot_copies(const struct kp_arch_probe *ap, unsigned int off[2])
{
	off[0] = 0;
	off[1] = ap->stepped;
}

/* The form that off is in, built again; *word: which of it off is. */
KP_TRAP_PATH static void form_at(struct out *out, const struct kp_arch_probe *ap,
				 uintptr_t slot, uintptr_t off, uintptr_t *word)
{
	bool boosted = off < ap->stepped;

	*out = (struct out){ .addr = boosted ? slot : slot + ap->stepped, .boosted = boosted };
	put_form(out, ap);
	*word = (boosted ? off : off - ap->stepped) / 4;
}

/* Where the end leads that is at word; false: none is. */
KP_TRAP_PATH static bool end_of(const struct out *out, const struct kp_arch_probe *ap,
				const struct pt_regs *regs, uintptr_t word, uintptr_t *to)
{
	/* The taken one is the last. */
	if (word >= out->taken)
		*to = ap->insn.class == KP_MIPS_JUMP_REG ? regs->regs[ap->insn.a] : kp_mips_target(ap);
	else if (word >= out->behind)
		*to = kp_mips_next(ap);
	else
		return false;
	return true;
}

KP_TRAP_PATH bool kp_arch_step_finish(const struct kp_arch_probe *ap,
				      struct pt_regs *regs, uintptr_t slot)
{
	uintptr_t off = kp_arch_trap_addr(regs) - slot, word, to;
	struct out out;

	if (off >= 2u * ap->stepped || off % 4)
		return false;
	form_at(&out, ap, slot, off, &word);
	if ((word != out.behind && word != out.taken) || out.words[word] != breakpoint() ||
	    !end_of(&out, ap, regs, word, &to))
		return false;
	regs->cp0_epc = to;
	return true;
}

KP_TRAP_PATH void kp_arch_step_abort(const struct kp_arch_probe *ap,
				     struct pt_regs *regs, uintptr_t slot,
				     const struct kp_arch_mem *mem)
{
	uintptr_t word, to = ap->addr;
	struct out out;

	(void)mem;
	form_at(&out, ap, slot, regs->cp0_epc - slot, &word);
	end_of(&out, ap, regs, word, &to);
	regs->cp0_epc = to;
}
