/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * code.c - what code does.
 *
 * Owns: where an instruction writes, what it is said to have changed, how long a watched word may be, and whether a
 * function reads its return address.  Of handlers, which are code of the machine that runs
 * the tests, nothing is known: arch/none/code.c.
 */
#include "probe.h"
#include "code.h"
#include "watch.h"

/* From the first to the last byte: a load from where the stack pointer was at first. */
bool kp_arch_sees_caller(uintptr_t addr, size_t len,
			 const struct kp_arch_caller *how)
{
	uint8_t insn[TOY_LEN_MAX];
	struct kp_arch_decoded decoded;
	uintptr_t end = addr + len;
	int pushed = 0;

	for (; addr < end; addr += decoded.len) {
		size_t avail = end - addr < sizeof(insn) ? end - addr : sizeof(insn);

		if (how->read(insn, addr, avail) ||
		    kp_arch_decode(&decoded, insn, avail, 0))
			return false;
		pushed += insn[0] == TOY_PUSH;
		pushed -= insn[0] == TOY_POP;
		if (how->reads && insn[0] == TOY_LOAD &&
		    (insn[1] & 15) == TOY_SP &&
		    kp_toy_number(insn) == pushed * (int)sizeof(uintptr_t))
			return true;
	}
	return false;
}

enum kp_arch_writes kp_arch_write_of(struct kp_arch_write *out, uintptr_t addr,
				     const uint8_t *insn, size_t avail,
				     unsigned int text_flags)
{
	struct kp_arch_decoded decoded;

	(void)addr;
	if (kp_arch_decode(&decoded, insn, avail, text_flags) || insn[0] == TOY_SCATTER)
		return KP_ARCH_WRITES_SOMEWHERE;
	if (insn[0] != TOY_STORE)
		return KP_ARCH_WRITES_NOT;
	out->reg = insn[1] & 15;
	out->off = kp_toy_number(insn);
	return KP_ARCH_WRITES_AT;
}

KP_TRAP_PATH size_t kp_arch_write_at(const struct kp_arch_write *write,
				     struct pt_regs *regs, uintptr_t *addr)
{
	uintptr_t base = write->reg == TOY_SP ? regs->sp : regs->r[write->reg];

	*addr = base + (uintptr_t)write->off;
	return sizeof(uintptr_t);
}

/* As a test has it. */
struct kp_arch_change kp_toy_change;

KP_TRAP_PATH void kp_arch_change_of(struct kp_arch_change *out, const uint8_t *code,
				    struct pt_regs *regs, const struct kp_watch_word *word)
{
	(void)code;
	(void)regs;
	(void)word;
	*out = kp_toy_change;
}

unsigned int kp_arch_watch_len(uintptr_t addr, size_t len)
{
	unsigned int word = 8;

	while (word > len || (addr & (word - 1)))
		word /= 2;
	return word;
}
