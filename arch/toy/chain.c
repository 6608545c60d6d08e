/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * chain.c - copies of several instructions that follow one another.
 *
 * Owns: a chain's layout: the instructions' forms (slot.c), each at once behind the
 * other, then a jump behind the last original.  Who goes to an instruction that has a
 * copy goes to that, for at its own address stands a trap; but to the probed one he
 * goes at its own address, where it is a hit.
 */
#include "probe.h"
#include "jump.h"

KP_TRAP_PATH uintptr_t kp_arch_chain_entry(const struct kp_arch_probe *insns,
					   unsigned int nr, uintptr_t at,
					   unsigned int i)
{
	unsigned int n;

	(void)nr;
	for (n = 0; n < i; n++)
		at += kp_toy_form_len(&insns[n]);
	return at;
}

static uintptr_t copy_of(const struct kp_arch_probe *insns, unsigned int nr,
			 uintptr_t at, uintptr_t addr)
{
	unsigned int i;

	for (i = 1; i < nr; i++)
		if (insns[i].addr == addr)
			return kp_arch_chain_entry(insns, nr, at, i);
	return addr;
}

int kp_arch_emit_chain(const struct kp_arch_probe *insns, unsigned int nr,
		       uintptr_t at, uint8_t *image, size_t max, size_t *len,
		       const char **reason)
{
	uintptr_t end = kp_arch_chain_entry(insns, nr, at, nr);
	uintptr_t behind = nr ? kp_toy_next(&insns[nr - 1]) : 0;
	bool reached = kp_toy_reaches(end, behind);
	unsigned int i;

	*len = end - at + TOY_JUMP_LEN;
	if (*len > max || !reached) {
		*reason = "the copies do not fit, or jumps from there do not reach";
		return -ENOSPC;
	}
	for (i = 0; i < nr; i++) {
		const struct kp_arch_probe *ap = &insns[i];
		uintptr_t copy = kp_arch_chain_entry(insns, nr, at, i);

		if (ap->flags & KP_ARCH_HAS_FIXUP || ap->insn[0] == TOY_CALL) {
			*reason = "an instruction must stay where it is";
			return -EOPNOTSUPP;
		}
		reached &= kp_toy_put_form(ap, image + (copy - at), copy,
					   copy_of(insns, nr, at, kp_toy_next(ap)),
					   copy_of(insns, nr, at, ap->target));
	}
	kp_toy_put_jump(image + (end - at), TOY_JUMP, end, behind);
	if (reached)
		return 0;
	*reason = "a jump from where there is executable memory does not reach";
	return -ENOSPC;
}

KP_TRAP_PATH void kp_arch_chain_abort(const struct kp_arch_probe *insns,
				      unsigned int nr, struct pt_regs *regs,
				      uintptr_t at,
				      const struct kp_arch_mem *mem)
{
	unsigned int i = nr;

	(void)mem;
	while (--i && regs->pc < kp_arch_chain_entry(insns, nr, at, i))
		;
	at = kp_arch_chain_entry(insns, nr, at, i);
	kp_toy_leave_form(&insns[i], regs, (unsigned int)(regs->pc - at));
}
