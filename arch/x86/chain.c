/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * chain.c - copies of several consecutive instructions.
 *
 * Owns: a chain's layout: the instructions' forms (outofline.c, fallback.c) without their tails,
 * one behind the other, then a jump to behind the last original.
 *
 *   entry[0]  form of the probed instruction
 *   entry[1]  form of the next
 *             ...
 *             jmp behind the last
 *
 * Two instructions overlap if code may jump to behind a lock prefix.  The one with the prefix
 * comes first and jumps over the one without.
 *
 * A branch to another displaced instruction goes to its copy, since there is a trap at its
 * original address.  A branch to the probed instruction goes to the original, where it is a hit.
 * Invariant: as for a slot, the layout follows from the probes and the chain's address alone.
 */
#include "emit.h"
#include "jump.h"

/* All that may be emitted: the last 8 bytes of the block are the core's. */
#define CHAIN_MAX (KP_ARCH_SLOT_LEN - 8)
#define INSNS_MAX (1 + KP_ARCH_INNER_MAX)

/* The copy that a relative branch goes to, or 0. */
KP_TRAP_PATH static uintptr_t copy_at_target(const struct kp_arch_probe *insns,
					     unsigned int nr, unsigned int from,
					     const uintptr_t *entry)
{
	unsigned int i;

	switch (insns[from].op) {
	case KP_X86_JMP:
	case KP_X86_JCC:
	case KP_X86_LOOP:
	case KP_X86_CALL:
		for (i = 1; i < nr; i++)
			if (insns[i].addr == insns[from].value)
				return entry[i];
	}
	return 0;
}

/* Is insns[i] followed by itself without its first prefix? */
KP_TRAP_PATH static bool overlaps(const struct kp_arch_probe *insns,
				  unsigned int nr, unsigned int i)
{
	return i + 1 < nr && insns[i + 1].addr < kp_x86_next(&insns[i]);
}

/*
 * entry, nr + 1 of them: in, where the copies and the end are thought to be;
 * out, where they are.  Sizes do not depend on it as long as every guess is in
 * reach, so with the chain's own address for all of them the first pass finds
 * the final layout.
 */
KP_TRAP_PATH static void emit(struct kp_x86_out *out,
			      const struct kp_arch_probe *insns,
			      unsigned int nr, uintptr_t *entry)
{
	uintptr_t behind = kp_x86_next(&insns[nr - 1]);
	unsigned int i;

	for (i = 0; i < nr; i++) {
		uintptr_t at = out->addr + out->len;

		out->to = copy_at_target(insns, nr, i, entry);
		kp_x86_form(out, &insns[i], kp_x86_is_far(&insns[i], at));
		entry[i] = at;
		kp_x86_mark(out, kp_x86_next(&insns[i]), 0, KP_X86_NO_REG);
		if (overlaps(insns, nr, i))
			kp_x86_jmp(out, entry[i + 2]);
	}
	entry[nr] = out->addr + out->len;
	kp_x86_jmp(out, behind);			/* jmp next */
}

KP_TRAP_PATH static void lay_out(struct kp_x86_out *out,
				 const struct kp_arch_probe *insns,
				 unsigned int nr, uintptr_t *entry)
{
	unsigned int i;

	for (i = 0; i <= nr; i++)
		entry[i] = out->addr;
	emit(out, insns, nr, entry);
}

static int check_insn(const struct kp_arch_probe *ap, uintptr_t at,
		      const char **reason)
{
	if (ap->flags & KP_X86_FIXUP) {
		*reason = "an instruction under the jump has an exception "
			  "fixup";
		return -EOPNOTSUPP;
	}
	return kp_x86_is_far(ap, at) ? kp_x86_far_form_exists(ap, reason) : 0;
}

int kp_arch_emit_chain(const struct kp_arch_probe *insns, unsigned int nr,
		       uintptr_t at, uint8_t *image, size_t max, size_t *len,
		       const char **reason)
{
	struct kp_x86_out out = {
		.image = image, .addr = at, .tail = KP_X86_TAIL_NONE,
		.max = (unsigned int)(max < CHAIN_MAX ? max : CHAIN_MAX),
	};
	uintptr_t entry[INSNS_MAX + 1];
	unsigned int i;
	int err;

	if (!nr || nr > INSNS_MAX) {
		*reason = "too many instructions under the jump";
		return -EOPNOTSUPP;
	}
	lay_out(&out, insns, nr, entry);
	for (i = 0; i < nr; i++) {
		err = check_insn(&insns[i], entry[i], reason);
		if (err)
			return err;
	}
	if (out.len > out.max) {
		*reason = "the copies of the instructions under the jump do "
			  "not fit";
		return -ENOSPC;
	}
	out.len = 0;
	emit(&out, insns, nr, entry);
	*len = out.len;
	return 0;
}

KP_TRAP_PATH uintptr_t kp_arch_chain_entry(const struct kp_arch_probe *insns,
					   unsigned int nr, uintptr_t at,
					   unsigned int i)
{
	struct kp_x86_out out = { .addr = at, .tail = KP_X86_TAIL_NONE };
	uintptr_t entry[INSNS_MAX + 1];

	lay_out(&out, insns, nr, entry);
	return entry[i];
}

KP_TRAP_PATH void kp_arch_chain_abort(const struct kp_arch_probe *insns,
				      unsigned int nr, struct pt_regs *regs,
				      uintptr_t at,
				      const struct kp_arch_mem *mem)
{
	struct kp_x86_out out = {
		.addr = at, .tail = KP_X86_TAIL_NONE,
		.ip_off = (unsigned int)(regs->ip - at),
	};
	uintptr_t entry[INSNS_MAX + 1];

	lay_out(&out, insns, nr, entry);
	kp_x86_leave(&out.at, regs, mem);
}
