/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * classify.c - what may carry a probe, and emulation.
 *
 * Owns: decoding, the one refusal, and what is computed instead of copied: whatever
 * goes elsewhere.
 */
#include "probe.h"

static bool is_register(unsigned int number)
{
	return number <= TOY_SP;
}

int kp_arch_decode(struct kp_arch_decoded *out, const uint8_t *bytes,
		   size_t avail, unsigned int text_flags)
{
	unsigned int len = avail ? kp_toy_len(bytes[0]) : 1;

	(void)text_flags;
	if (!len)
		return -EILSEQ;
	if (len > avail)
		return -ENODATA;
	if (kp_toy_has_registers(bytes[0]) &&
	    (!is_register(bytes[1] >> 4) || !is_register(bytes[1] & 15)))
		return -EILSEQ;
	out->len = (uint8_t)len;
	out->breakpoint = bytes[0] == TOY_BREAK;
	return 0;
}

uintptr_t kp_arch_adjust_addr(const uint8_t *entry, size_t avail,
			      uintptr_t start, uintptr_t offset, bool *on_entry)
{
	size_t pad = avail && entry[0] == TOY_PAD ? kp_toy_len(TOY_PAD) : 0;

	if (!offset)
		offset = pad;
	*on_entry = offset == pad;
	return start + offset;
}

static uintptr_t target_of(const uint8_t *insn, uintptr_t addr)
{
	uint64_t to = 0;

	switch (insn[0]) {
	case TOY_SKIP:
	case TOY_BRANCH:
		return addr + (uintptr_t)(int8_t)insn[1];
	case TOY_CALL:
	case TOY_JUMP:
		return addr + (uintptr_t)kp_toy_distance(insn);
	case TOY_GO:
		memcpy(&to, insn + 1, sizeof(to));
		break;
	}
	return (uintptr_t)to;
}

static bool goes_elsewhere(uint8_t op)
{
	return op == TOY_SKIP || op == TOY_BRANCH || op == TOY_CALL ||
	       op == TOY_JUMP || op == TOY_GO || op == TOY_RETURN;
}

int kp_arch_prepare(struct kp_arch_probe *ap, uintptr_t addr,
		    const uint8_t *insn, size_t avail, unsigned int text_flags,
		    const char **reason)
{
	struct kp_arch_decoded decoded;

	*reason = "no valid instruction is there";
	if (kp_arch_decode(&decoded, insn, avail, text_flags))
		return -EINVAL;
	if (decoded.breakpoint) {
		*reason = "a breakpoint is there already";
		return -EINVAL;
	}
	if (insn[0] == TOY_HALT) {
		*reason = "it would stop the machine, from wherever it is executed";
		return -EOPNOTSUPP;
	}
	*reason = NULL;
	memset(ap, 0, sizeof(*ap));
	ap->addr = addr;
	ap->len = decoded.len;
	ap->flags = (uint8_t)text_flags;
	ap->class = goes_elsewhere(insn[0]) ? KP_ARCH_EMULATE : KP_ARCH_COPY;
	ap->target = target_of(insn, addr);
	memcpy(ap->insn, insn, decoded.len);
	kp_arch_slot_shorten(ap, false);
	return 0;
}

KP_TRAP_PATH bool kp_arch_breakpoint_stands(const struct pt_regs *regs, bool starts,
					    int (*read)(void *dst, uintptr_t addr, size_t len))
{
	uint8_t byte;

	(void)starts;
	return read(&byte, kp_arch_trap_addr(regs), 1) || byte == TOY_BREAK;
}

KP_TRAP_PATH void kp_arch_retry(struct pt_regs *regs)
{
	regs->pc -= KP_ARCH_BP_LEN;
}

KP_TRAP_PATH int kp_arch_emulate(const struct kp_arch_probe *ap,
				 struct pt_regs *regs,
				 const struct kp_arch_mem *mem)
{
	uintptr_t word = kp_toy_next(ap);

	switch (ap->insn[0]) {
	case TOY_RETURN:
		if (mem->read(regs->sp, &word, sizeof(word)))
			return -EFAULT;
		regs->sp += sizeof(word);
		regs->pc = word;
		return 0;
	case TOY_CALL:
		if (mem->write(regs->sp - sizeof(word), &word, sizeof(word)))
			return -EFAULT;
		regs->sp -= sizeof(word);
		break;
	case TOY_BRANCH:
		if (regs->r[0]) {
			regs->pc = word;
			return 0;
		}
	}
	regs->pc = ap->target;
	return 0;
}
