/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * outofline.c - images of slots and chains, and where the PC stands in them.
 *
 * Owns: their layout.  A slot is immutable once published and holds two forms: the boosted
 * one at 0 and the stepped one at its middle.
 *
 *   boosted:  what does the instruction's work     stepped:  c.ldsp ra, 8(sp)
 *             jal x0, next                                   c.addi16sp sp, 320
 *                                                            the instruction
 *                                                            tail
 *
 * The work is what probe.h says of each form.  An entry that leads a hit from its frame to
 * the step comes by way of the first two, a trap does not.  The tail is a c.ebreak, or a
 * call of the post entry:
 *
 *             c.addi16sp sp, -320
 *             c.sdsp ra, 8(sp)
 *             jal ra, post
 *             c.ldsp ra, 8(sp)
 *             c.addi16sp sp, 320
 *             jal x0, next
 *
 * No register is free for a jump to anywhere, and jal reaches 1 MB: where the slot is
 * farther away, the boosted form ends as the stepped one does, with a second trap, and the
 * post entry is not called.  What is emulated has no stepped form, and a boosted one only
 * where all of it is in reach; who has a jump in its place asks (kp_rv_body_reaches).
 *
 * A chain has the work of two instructions, and what leaves a frame before the second, for
 * an entry after whose hit the first is done:
 *
 *             the first's
 *             c.j . + 6
 *             c.ldsp ra, 8(sp)
 *             c.addi16sp sp, 320
 *             the second's
 *             jal x0, next of the second
 *
 * Invariant: the layout follows from the probes and the address alone, so any PC inside
 * can be translated back without a memory of how it got there.
 */
#include "probe.h"
#include "jump.h"

#define OUT_MAX (KP_ARCH_SLOT_LEN / 2)
#define OWNER_LEN 8		/* at the end of each half, the core's at the last one's */

struct out {
	uintptr_t addr;			/* of bytes[0] */
	uint8_t bytes[2 * OUT_MAX];
	unsigned int len;
	bool unreachable;		/* by a jal, or auipc */
};

KP_TRAP_PATH static void put(struct out *out, uint32_t word, unsigned int len)
{
	memcpy(out->bytes + out->len, &word, len);
	out->len += len;
}

/* jal x0, to */
KP_TRAP_PATH static void put_jump(struct out *out, uintptr_t to)
{
	uintptr_t from = out->addr + out->len;

	out->unreachable |= !kp_rv_reaches(from, to);
	put(out, kp_rv_jump(from, to), KP_RV_JAL_LEN);
}

/* auipc reg, hi; addi reg, reg, lo */
KP_TRAP_PATH static void put_address(struct out *out, unsigned int reg, uintptr_t value)
{
	uintptr_t off = value - (out->addr + out->len);

	out->unreachable |= off + (1ul << 31) >= (1ul << 32) - 0x800;
	put(out, kp_rv_auipc(reg, (uint32_t)off), 4);
	put(out, 0x00000013u | (uint32_t)off << 20 | reg << 15 | reg << 7, 4);
}

/* jalr x0, offset(rs1) */
KP_TRAP_PATH static void put_away(struct out *out, const struct kp_rv_insn *insn)
{
	put(out, 0x00000067u | (uint32_t)insn->offset << 20 | (uint32_t)insn->rs1 << 15, 4);
}

/* b.. rs1, rs2, . + 8 */
KP_TRAP_PATH static void put_condition(struct out *out, const struct kp_rv_insn *insn)
{
	put(out, 0x00000463u | (uint32_t)insn->rs2 << 20 | (uint32_t)insn->rs1 << 15 |
	    (uint32_t)insn->cond << 12, 4);
}

/* How long the work is. */
KP_TRAP_PATH static unsigned int work_len(const struct kp_arch_probe *ap)
{
	switch (ap->form) {
	case KP_RV_DO_NOTHING:
		return 2;
	case KP_RV_DO_ADDRESS:
		return 8;
	case KP_RV_DO_JUMP:
	case KP_RV_DO_AWAY:
		return 4;
	case KP_RV_DO_CALL:
	case KP_RV_DO_CONDITION:
	case KP_RV_DO_CALL_REG:
		return 12;
	case KP_RV_DO_NO_BODY:
		return 0;
	default:
		return ap->len;
	}
}

/* next: where execution goes on behind it. */
KP_TRAP_PATH static void put_work(struct out *out, const struct kp_arch_probe *ap,
				  uintptr_t next)
{
	const struct kp_rv_insn *insn = &ap->insn;
	uintptr_t operand = kp_rv_operand(insn, ap->addr);

	switch (ap->form) {
	case KP_RV_DO_NOTHING:
		put(out, 0x0001, 2);
		break;
	case KP_RV_DO_ADDRESS:
		put_address(out, insn->rd, operand);
		break;
	case KP_RV_DO_JUMP:
		put_jump(out, operand);
		break;
	case KP_RV_DO_CALL:
		put_address(out, insn->rd, kp_rv_next(ap));
		put_jump(out, operand);
		break;
	case KP_RV_DO_CONDITION:
		put_condition(out, insn);
		put_jump(out, next);
		put_jump(out, operand);
		break;
	case KP_RV_DO_AWAY:
		put_away(out, insn);
		break;
	case KP_RV_DO_CALL_REG:
		put_address(out, insn->rd, kp_rv_next(ap));
		put_away(out, insn);
		break;
	case KP_RV_DO_NO_BODY:
		out->unreachable = true;
		break;
	default:
		put(out, insn->word, ap->len);
	}
}

/* Does the work end behind its last instruction? */
static bool falls_through(const struct kp_arch_probe *ap)
{
	return ap->form == KP_RV_DO_COPY || ap->form == KP_RV_DO_NOTHING ||
	       ap->form == KP_RV_DO_ADDRESS;
}

/* The work, and on. */
static void put_body(struct out *out, const struct kp_arch_probe *ap)
{
	put_work(out, ap, kp_rv_next(ap));
	if (falls_through(ap))
		put_jump(out, kp_rv_next(ap));
}

bool kp_rv_body_reaches(const struct kp_arch_probe *ap, uintptr_t body)
{
	struct out out = { .addr = body };

	put_body(&out, ap);
	return !out.unreachable;
}

/* ---- slots ----------------------------------------------------------------------------- */

static void put_bp(struct out *out)
{
	put(out, kp_arch_bp[0] | (uint32_t)kp_arch_bp[1] << 8, KP_ARCH_BP_LEN);
}

static void boosted(struct out *out, const struct kp_arch_probe *ap)
{
	put_body(out, ap);
	if (!out->unreachable)
		return;
	out->len = 0;
	if (ap->class == KP_ARCH_COPY)
		put(out, ap->insn.word, ap->len);
	put_bp(out);
}

static void put_call(struct out *out, const struct kp_arch_probe *ap, uintptr_t post)
{
	uintptr_t from;

	put(out, KP_RV_PUSH_FRAME, KP_RV_FRAME_CODE_LEN);
	from = out->addr + out->len;
	out->unreachable |= !post || !kp_rv_reaches(from, post);
	/* jal ra */
	put(out, kp_rv_jump(from, post) | KP_RV_RA << 7, KP_RV_JAL_LEN);
	put(out, KP_RV_POP_FRAME, KP_RV_FRAME_CODE_LEN);
	put_jump(out, kp_rv_next(ap));
}

/* Where the call does not reach, or would need a stack that may not be there: a c.ebreak. */
static void stepped(struct out *out, const struct kp_arch_probe *ap, uintptr_t post)
{
	unsigned int done;

	if (ap->class != KP_ARCH_COPY)
		return;
	put(out, KP_RV_POP_FRAME, KP_RV_FRAME_CODE_LEN);
	put(out, ap->insn.word, ap->len);
	done = out->len;
	put_call(out, ap, ap->flags & KP_ARCH_TRAP_ONLY ? 0 : post);
	if (!out->unreachable)
		return;
	out->len = done;
	put_bp(out);
}

int kp_arch_emit_slot_post(const struct kp_arch_probe *ap, uintptr_t slot,
			   uintptr_t post, uint8_t *image, const char **reason)
{
	struct out first = { .addr = slot };
	struct out second = { .addr = slot + ap->stepped };
	unsigned int i, max = ap->stepped - OWNER_LEN;

	/* Whoever strays into the rest traps. */
	for (i = 0; i < 2u * ap->stepped; i += KP_ARCH_BP_LEN)
		memcpy(image + i, kp_arch_bp, KP_ARCH_BP_LEN);
	boosted(&first, ap);
	stepped(&second, ap, post);
	if (first.len > max || second.len > max) {
		*reason = "the copied instruction does not fit its slot";
		return -ENOSPC;
	}
	memcpy(image, first.bytes, first.len);
	memcpy(image + ap->stepped, second.bytes, second.len);
	return 0;
}

int kp_arch_emit_slot(const struct kp_arch_probe *ap, uintptr_t slot,
		      uint8_t *image, const char **reason)
{
	return kp_arch_emit_slot_post(ap, slot, 0, image, reason);
}

void kp_arch_slot_shorten(struct kp_arch_probe *ap, bool on)
{
	ap->stepped = on ? KP_RV_STEPPED / 2 : KP_RV_STEPPED;
}

void kp_arch_slot_copies(const struct kp_arch_probe *ap, unsigned int off[2])
{
	off[0] = 0;
	off[1] = ap->stepped + KP_RV_STEP_OFF;
}

/* Behind a copy; in the boosted form there is a breakpoint if its jump does not reach. */
KP_TRAP_PATH bool kp_arch_step_finish(const struct kp_arch_probe *ap,
				      struct pt_regs *regs, uintptr_t slot)
{
	uintptr_t off = kp_arch_trap_addr(regs) - slot;

	if (ap->class != KP_ARCH_COPY ||
	    (off != ap->len && off != (uintptr_t)ap->stepped + KP_RV_STEP_OFF + ap->len))
		return false;
	regs->epc = kp_rv_next(ap);
	return true;
}

/* ---- away from them ---------------------------------------------------------------------- */

KP_TRAP_PATH void kp_rv_drop_frame(struct pt_regs *regs, const struct kp_arch_mem *mem)
{
	uint64_t ra;

	if (!mem->read(regs->sp + KP_RV_FRAME_RA, &ra, sizeof(ra)))
		regs->ra = ra;
	regs->sp += KP_RV_FRAME;
}

/*
 * off bytes into the work, or behind it.  What has written rd alone is done again, which
 * reads it nowhere.
 */
KP_TRAP_PATH static void leave_work(const struct kp_arch_probe *ap,
				    struct pt_regs *regs, uintptr_t off)
{
	uintptr_t operand = kp_rv_operand(&ap->insn, ap->addr);

	regs->epc = ap->addr;
	switch (ap->form) {
	case KP_RV_DO_COPY:
	case KP_RV_DO_NOTHING:
		if (off)
			regs->epc = kp_rv_next(ap);
		break;
	case KP_RV_DO_ADDRESS:
		if (off == 8)
			regs->epc = kp_rv_next(ap);
		break;
	case KP_RV_DO_CALL:
		if (off == 8)
			regs->epc = operand;
		break;
	case KP_RV_DO_CONDITION:
		if (off)
			regs->epc = off == 8 ? operand : kp_rv_next(ap);
		break;
	}
}

/* off bytes behind the stepped instruction, where a frame may be. */
KP_TRAP_PATH static void leave_tail(const struct kp_arch_probe *ap,
				    struct pt_regs *regs, uintptr_t off,
				    const struct kp_arch_mem *mem)
{
	if (off == 8)				/* behind the call */
		kp_rv_drop_frame(regs, mem);
	else if (off && off < 12)
		regs->sp += KP_RV_FRAME;
	regs->epc = kp_rv_next(ap);
}

/*
 * A jump's head leads here when its rest was not executed, and so does the way back from
 * the post entry.
 */
KP_TRAP_PATH void kp_arch_step_abort(const struct kp_arch_probe *ap,
				     struct pt_regs *regs, uintptr_t slot,
				     const struct kp_arch_mem *mem)
{
	uintptr_t off = regs->epc - slot;

	if (off < ap->stepped) {
		leave_work(ap, regs, off);
		return;
	}
	off -= ap->stepped;
	if (off > KP_RV_STEP_OFF) {
		leave_tail(ap, regs, off - KP_RV_STEP_OFF - ap->len, mem);
		return;
	}
	if (!off)
		kp_rv_drop_frame(regs, mem);
	else if (off < KP_RV_STEP_OFF)
		regs->sp += KP_RV_FRAME;
	regs->epc = ap->addr;
}

/* ---- chains ------------------------------------------------------------------------------ */

#define OVER_POP 0xa019u		/* c.j . + 6 */

/* The second's work; that of the first is at the chain's address. */
KP_TRAP_PATH static uintptr_t put_chain(struct out *out, const struct kp_arch_probe *insns)
{
	uintptr_t second;

	put_work(out, &insns[0], out->addr + work_len(&insns[0]));
	put(out, OVER_POP, 2);
	put(out, KP_RV_POP_FRAME, KP_RV_FRAME_CODE_LEN);
	second = out->addr + out->len;
	put_body(out, &insns[1]);
	return second;
}

/* A reservation that is made there would be used here. */
static bool makes_reservation(const struct kp_arch_probe *ap)
{
	return ap->insn.class == KP_RV_LOAD_RESERVED;
}

int kp_arch_emit_chain(const struct kp_arch_probe *insns, unsigned int nr,
		       uintptr_t at, uint8_t *image, size_t max, size_t *len,
		       const char **reason)
{
	struct out out = { .addr = at };

	if (nr != 2) {
		*reason = "too many instructions under the jump";
		return -EOPNOTSUPP;
	}
	if (insns[1].form == KP_RV_DO_NO_BODY || makes_reservation(&insns[1])) {
		*reason = "an instruction under the jump must stay where it is";
		return -EOPNOTSUPP;
	}
	put_chain(&out, insns);
	if (out.unreachable) {
		*reason = "a branch from where there is executable memory does not reach";
		return -EOPNOTSUPP;
	}
	if (out.len > max) {
		*reason = "the copies of the instructions under the jump do not fit";
		return -ENOSPC;
	}
	memcpy(image, out.bytes, out.len);
	*len = out.len;
	return 0;
}

KP_TRAP_PATH uintptr_t kp_arch_chain_entry(const struct kp_arch_probe *insns,
					   unsigned int nr, uintptr_t at,
					   unsigned int i)
{
	struct out out = { .addr = at };

	(void)nr;
	return i ? put_chain(&out, insns) : at;
}

KP_TRAP_PATH void kp_arch_chain_abort(const struct kp_arch_probe *insns,
				      unsigned int nr, struct pt_regs *regs,
				      uintptr_t at,
				      const struct kp_arch_mem *mem)
{
	struct out out = { .addr = at };
	uintptr_t second = put_chain(&out, insns), pop = second - KP_RV_FRAME_CODE_LEN;

	(void)nr;
	if (regs->epc >= second) {
		leave_work(&insns[1], regs, regs->epc - second);
		return;
	}
	if (regs->epc < pop) {
		leave_work(&insns[0], regs, regs->epc - at);
		return;
	}
	if (regs->epc == pop)
		kp_rv_drop_frame(regs, mem);
	else
		regs->sp += KP_RV_FRAME;
	regs->epc = insns[1].addr;
}
