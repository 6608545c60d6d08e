/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * classify.c - how one instruction will be executed.
 *
 * Owns: decoding for the core, kp_arch_prepare and where an entry is.  What reads or
 * writes the PC is emulated, but loads of vectors and of nothing, whose address is
 * put into a register; all else is copied.
 */
#include "classify.h"

/*
 * Each word counts as an instruction here: what is none begins and ends on the same
 * boundaries, as literals among a function's code do.
 */
int kp_arch_decode(struct kp_arch_decoded *out, const uint8_t *bytes,
		   size_t avail, unsigned int text_flags)
{
	uint32_t word;

	(void)text_flags;
	if (avail < KP_A64_LEN)
		return -ENODATA;
	memcpy(&word, bytes, sizeof(word));
	out->len = KP_A64_LEN;
	out->breakpoint = kp_a64_is_breakpoint(word);
	return 0;
}

/*
 * Nothing is stepped over, as on Linux: a breakpoint may stand on a landing pad, and
 * pads that sign the return address are the function's first work.
 */
uintptr_t kp_arch_adjust_addr(const uint8_t *entry, size_t avail,
			      uintptr_t start, uintptr_t offset,
			      bool *on_entry)
{
	(void)entry;
	(void)avail;
	*on_entry = !offset;
	return start + offset;
}

/* The form of one that reads or writes the PC; COPY: of one that does neither. */
static enum kp_a64_form form_of(const struct kp_a64_insn *insn,
				const struct kp_a64_moved *moved, int moved_err)
{
	switch (insn->class) {
	case KP_A64_B:
		return KP_A64_JUMP;
	case KP_A64_BL:
		return KP_A64_CALL;
	case KP_A64_BCOND:
	case KP_A64_CBZ:
	case KP_A64_TBZ:
		return KP_A64_BRANCH;
	case KP_A64_BR:
	case KP_A64_RET:
		return KP_A64_AWAY;
	case KP_A64_BLR:
		return moved_err ? KP_A64_NO_BODY : KP_A64_CALL_REG;
	case KP_A64_ADR:
	case KP_A64_ADRP:
		return insn->rt == KP_A64_SP_OR_ZR ? KP_A64_NOTHING : KP_A64_ADDRESS;
	case KP_A64_LITERAL:
		if (insn->flags & KP_A64_PREFETCH)
			return KP_A64_NOTHING;
		return moved->restore ? KP_A64_LOAD_SAVED : KP_A64_LOAD;
	default:
		return KP_A64_COPY;
	}
}

/* b.cond, cbz, tbz: the same to 8 bytes behind it. */
static uint32_t shortened(const struct kp_a64_insn *insn)
{
	uint32_t field = insn->class == KP_A64_TBZ ? 0x7ffe0 : 0xffffe0;

	return (insn->word & ~field) | 8 / KP_A64_LEN << 5;
}

static int refuse_saved(const struct kp_arch_probe *ap, const char **reason)
{
	if (ap->flags & KP_ARCH_TRAP_ONLY) {
		*reason = "a register is needed for its operand's address, and there may be no room on the stack";
		return -ENOSPC;
	}
	if (ap->flags & KP_ARCH_HAS_FIXUP) {
		*reason = "a register is needed for its operand's address, and an exception fixup would see a shifted stack";
		return -ENOSPC;
	}
	return 0;
}

int kp_arch_prepare(struct kp_arch_probe *ap, uintptr_t addr,
		    const uint8_t *insn, size_t avail, unsigned int text_flags,
		    const char **reason)
{
	struct kp_a64_moved moved;
	const char *ignored;
	uint32_t word;
	int err;

	if (avail < KP_A64_LEN || addr % KP_A64_LEN) {
		*reason = "it is not an instruction that is known";
		return -EILSEQ;
	}
	memcpy(&word, insn, sizeof(word));
	*ap = (struct kp_arch_probe) {
		.addr = addr, .len = KP_A64_LEN, .class = KP_ARCH_EMULATE,
		.flags = (uint8_t)text_flags, .stepped = KP_A64_STEPPED,
	};
	kp_a64_decode(&ap->insn, word);
	err = kp_a64_refuse(&ap->insn, text_flags & KP_ARCH_USER, reason);
	if (err)
		return err;
	err = kp_a64_move(&ap->insn, addr, &moved, &ignored);
	ap->form = (uint8_t)form_of(&ap->insn, &moved, err);
	ap->word = moved.word;
	ap->reg = moved.reg;
	ap->value = moved.value;
	switch (ap->form) {
	case KP_A64_COPY:
		ap->class = KP_ARCH_COPY;
		return 0;
	case KP_A64_LOAD_SAVED:
		ap->class = KP_ARCH_COPY;
		return refuse_saved(ap, reason);
	case KP_A64_BRANCH:
		ap->word = shortened(&ap->insn);
		break;
	case KP_A64_ADDRESS:
		ap->reg = ap->insn.rt;
		break;
	}
	if (kp_a64_is_relative(&ap->insn))
		ap->value = kp_a64_operand(&ap->insn, addr);
	return 0;
}
