/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * classify.c - how one instruction will be executed.
 *
 * Owns: kp_arch_prepare, where an entry is and what around an instruction forbids a probe.
 * What reads or writes the PC is emulated, all else is copied.
 *
 * A condition that fails is no reason not to be there: the breakpoint has none, and handlers
 * run whenever execution comes to the probe.
 */
#include "literal.h"
#include "probe.h"
#include "refuse.h"
#include "reserved.h"

/* The instruction in bytes[0..avail), without what follows it.  0 or -errno. */
static int read_insn(struct kp_arm_insn *insn, const uint8_t *bytes, size_t avail, bool thumb)
{
	uint32_t word = 0;
	uint16_t half;

	if (avail < sizeof(half))
		return -ENODATA;
	memcpy(&half, bytes, sizeof(half));
	if (avail < (!thumb || kp_arm_is_wide(half) ? 4 : 2))
		return -ENODATA;
	memcpy(&word, bytes, !thumb || kp_arm_is_wide(half) ? 4 : 2);
	kp_arm_decode(insn, word, thumb);
	return 0;
}

int kp_arch_decode(struct kp_arch_decoded *out, const uint8_t *bytes,
		   size_t avail, unsigned int text_flags)
{
	struct kp_arm_insn insn;
	int err = read_insn(&insn, bytes, avail, text_flags & KP_ARCH_SECOND_SET);

	if (err)
		return err;
	/* What is not known is as long as it says. */
	out->len = insn.len;
	out->breakpoint = kp_arm_is_breakpoint(&insn);
	return 0;
}

/* Nothing is stepped over: there are no landing pads in these profiles. */
uintptr_t kp_arch_adjust_addr(const uint8_t *entry, size_t avail,
			      uintptr_t start, uintptr_t offset,
			      bool *on_entry)
{
	(void)entry;
	(void)avail;
	*on_entry = !offset;
	return start + offset;
}

int kp_arch_prepare(struct kp_arch_probe *ap, uintptr_t addr,
		    const uint8_t *insn, size_t avail, unsigned int text_flags,
		    const char **reason)
{
	bool thumb = text_flags & KP_ARCH_SECOND_SET;
	int err;

	*ap = (struct kp_arch_probe) {
		.addr = addr, .class = KP_ARCH_COPY, .flags = (uint8_t)text_flags,
		.stepped = KP_ARM_STEPPED,
		.block = thumb && !(text_flags & KP_ARCH_NO_BLOCK),
	};
	if (addr % (thumb ? 2 : 4) || read_insn(&ap->insn, insn, avail, thumb)) {
		*reason = "no instruction begins there";
		return -EILSEQ;
	}
	ap->len = ap->insn.len;
	err = kp_arm_refuse(&ap->insn, text_flags & KP_ARCH_USER, reason);
	if (!err && kp_arm_is_emulated(&ap->insn))
		ap->class = KP_ARCH_EMULATE;
	return err;
}

int kp_arch_refuse_around(uintptr_t start, size_t len, uintptr_t addr,
			  unsigned int text_flags,
			  int (*read)(uint8_t *dst, uintptr_t addr, size_t len),
			  const char **reason)
{
	bool thumb = text_flags & KP_ARCH_SECOND_SET;

	if (kp_arm_is_literal(start, len, addr, thumb, read)) {
		*reason = "data among the code, which an instruction of the function loads";
		return -EILSEQ;
	}
	if (!kp_arm_is_reserved(start, len, addr, thumb, read))
		return 0;
	*reason = "it may be between a load-exclusive and its store-exclusive, whose loop a trap would make endless";
	return -EOPNOTSUPP;
}
