/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * classify.c - how one instruction will be executed.
 *
 * Owns: decoding for the core, kp_arch_prepare, where an entry is and what around an
 * instruction forbids a probe.  What reads or writes the PC is emulated; but for branches
 * that have anything in their delay slot, or a condition of a coprocessor's: they are
 * copied with their slot (outofline.c), as all else is.
 */
#include "linked.h"
#include "probe.h"
#include "refuse.h"

#define WORD 4u

static uint32_t word_of(const uint8_t *bytes)
{
	uint32_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

int kp_arch_decode(struct kp_arch_decoded *out, const uint8_t *bytes,
		   size_t avail, unsigned int text_flags)
{
	struct kp_mips_insn insn;

	(void)text_flags;
	if (avail < WORD)
		return -ENODATA;
	kp_mips_decode(&insn, word_of(bytes), KP_MIPS_HERE);
	out->len = WORD;
	out->breakpoint = kp_mips_is_breakpoint(insn.word);
	out->delayed = kp_mips_has_slot(&insn) ? WORD : 0;
	return 0;
}

/* Nothing is stepped over: there are no landing pads. */
uintptr_t kp_arch_adjust_addr(const uint8_t *entry, size_t avail,
			      uintptr_t start, uintptr_t offset,
			      bool *on_entry)
{
	(void)entry;
	(void)avail;
	*on_entry = !offset;
	return start + offset;
}

/* Everything of it follows from the general registers. */
static bool is_computed(const struct kp_arch_probe *ap)
{
	switch (ap->insn.class) {
	case KP_MIPS_JUMP:
	case KP_MIPS_JUMP_REG:
	case KP_MIPS_BRANCH:
		return !ap->delayed;		/* nop */
	case KP_MIPS_COMPACT:
	case KP_MIPS_COMPACT_REG:
	case KP_MIPS_ADDRESS:
	case KP_MIPS_LOAD_RELATIVE:
		return true;
	default:
		return false;
	}
}

int kp_arch_prepare(struct kp_arch_probe *ap, uintptr_t addr,
		    const uint8_t *insn, size_t avail, unsigned int text_flags,
		    const char **reason)
{
	int err;

	if (addr % WORD || avail < WORD) {
		*reason = "it is not an instruction that is known";
		return -EILSEQ;
	}
	*ap = (struct kp_arch_probe) {
		.addr = addr, .class = KP_ARCH_COPY, .len = WORD,
		.flags = (uint8_t)text_flags, .stepped = KP_MIPS_STEPPED,
	};
	kp_mips_decode(&ap->insn, word_of(insn), KP_MIPS_HERE);
	err = kp_mips_refuse(&ap->insn, text_flags & KP_ARCH_USER, reason);
	if (err)
		return err;
	if (kp_mips_has_slot(&ap->insn)) {
		if (avail < 2 * WORD) {
			*reason = "its delay slot cannot be read";
			return -EILSEQ;
		}
		ap->delayed = word_of(insn + WORD);
		err = kp_mips_refuse_delayed(&ap->insn, ap->delayed, KP_MIPS_HERE, reason);
		if (err)
			return err;
	}
	if (is_computed(ap))
		ap->class = KP_ARCH_EMULATE;
	return 0;
}

/* A word before it that looks like a branch counts as one. */
static int refuse_in_slot(uintptr_t start, uintptr_t addr,
			  int (*read)(uint8_t *dst, uintptr_t addr, size_t len),
			  const char **reason)
{
	struct kp_mips_insn before;
	uint8_t bytes[WORD];

	if (addr < start + WORD)
		return 0;
	if (!read(bytes, addr - WORD, WORD)) {
		kp_mips_decode(&before, word_of(bytes), KP_MIPS_HERE);
		if (!kp_mips_has_slot(&before))
			return 0;
	}
	*reason = "it is in the delay slot of a branch, where a trap loses where that leads";
	return -EOPNOTSUPP;
}

int kp_arch_refuse_around(uintptr_t start, size_t len, uintptr_t addr,
			  unsigned int text_flags,
			  int (*read)(uint8_t *dst, uintptr_t addr, size_t len),
			  const char **reason)
{
	int err = refuse_in_slot(start, addr, read, reason);

	(void)text_flags;
	if (err || !kp_mips_is_linked(start, len, addr, read))
		return err;
	*reason = "it may be between a load-linked and its store-conditional, whose loop a trap would make endless";
	return -EOPNOTSUPP;
}
