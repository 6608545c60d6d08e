/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * classify.c - how one instruction will be executed.
 *
 * Owns: decoding for the core, kp_arch_prepare, where an entry is and what around an
 * instruction forbids a probe.  What reads or writes the PC is emulated, all else is copied.
 */
#include "probe.h"
#include "refuse.h"
#include "reserved.h"

/* The instruction in bytes[0..avail), without what follows it.  0, -EILSEQ, -ENODATA. */
static int read_insn(uint32_t *word, const uint8_t *bytes, size_t avail)
{
	uint16_t half;
	unsigned int len;

	if (avail < sizeof(half))
		return -ENODATA;
	memcpy(&half, bytes, sizeof(half));
	len = kp_rv_length(half);
	if (!len || len > KP_ARCH_INSN_MAX)
		return -EILSEQ;
	if (len > avail)
		return -ENODATA;
	*word = 0;
	memcpy(word, bytes, len);
	return 0;
}

/*
 * What is no instruction, or is not known here, is as long as it says: processors have
 * more than is known here.
 */
int kp_arch_decode(struct kp_arch_decoded *out, const uint8_t *bytes,
		   size_t avail, unsigned int text_flags)
{
	uint32_t word;
	int err = read_insn(&word, bytes, avail);

	(void)text_flags;
	if (err)
		return err;
	out->len = (uint8_t)kp_rv_length((uint16_t)word);
	out->breakpoint = kp_rv_is_breakpoint(word);
	return 0;
}

/* Nothing is stepped over: there are no landing pads in RV64GC. */
uintptr_t kp_arch_adjust_addr(const uint8_t *entry, size_t avail,
			      uintptr_t start, uintptr_t offset,
			      bool *on_entry)
{
	(void)entry;
	(void)avail;
	*on_entry = !offset;
	return start + offset;
}

/*
 * May it be anything for a moment?  A signal's handler runs on the stack pointer, and with
 * the thread's and the program's pointers.
 */
static bool is_pointer(unsigned int reg)
{
	return reg >= KP_RV_SP && reg <= KP_RV_TP;
}

/* Where rd is rs1, no register is left for where it goes. */
static enum kp_rv_form form_of(const struct kp_rv_insn *insn)
{
	bool links = insn->rd != KP_RV_ZERO;

	switch (insn->class) {
	case KP_RV_AUIPC:
		return !links ? KP_RV_DO_NOTHING : is_pointer(insn->rd) ? KP_RV_DO_NO_BODY : KP_RV_DO_ADDRESS;
	case KP_RV_JAL:
		return !links ? KP_RV_DO_JUMP : is_pointer(insn->rd) ? KP_RV_DO_NO_BODY : KP_RV_DO_CALL;
	case KP_RV_JALR:
		return !links ? KP_RV_DO_AWAY :
		       is_pointer(insn->rd) || insn->rd == insn->rs1 ? KP_RV_DO_NO_BODY : KP_RV_DO_CALL_REG;
	case KP_RV_BRANCH:
		return KP_RV_DO_CONDITION;
	default:
		return KP_RV_DO_COPY;
	}
}

int kp_arch_prepare(struct kp_arch_probe *ap, uintptr_t addr,
		    const uint8_t *insn, size_t avail, unsigned int text_flags,
		    const char **reason)
{
	uint32_t word;
	int err;

	if (addr % 2 || read_insn(&word, insn, avail)) {
		*reason = "it is not an instruction that is known";
		return -EILSEQ;
	}
	*ap = (struct kp_arch_probe) {
		.addr = addr, .class = KP_ARCH_COPY, .flags = (uint8_t)text_flags,
		.stepped = KP_RV_STEPPED,
	};
	kp_rv_decode(&ap->insn, word);
	ap->len = ap->insn.len;
	err = kp_rv_refuse(&ap->insn, text_flags & KP_ARCH_USER, reason);
	if (err)
		return err;
	if (kp_rv_is_relative(&ap->insn) || ap->insn.class == KP_RV_JALR)
		ap->class = KP_ARCH_EMULATE;
	ap->form = form_of(&ap->insn);
	return 0;
}

int kp_arch_refuse_around(uintptr_t start, size_t len, uintptr_t addr,
			  unsigned int text_flags,
			  int (*read)(uint8_t *dst, uintptr_t addr, size_t len),
			  const char **reason)
{
	(void)text_flags;
	if (!kp_rv_is_reserved(start, len, addr, read))
		return 0;
	*reason = "it may be between a load-reserved and its store-conditional, whose loop a trap would make endless";
	return -EOPNOTSUPP;
}
