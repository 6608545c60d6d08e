/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * outofline.c - images of slots and chains, and where the PC stands in them.
 *
 * Owns: their layout.  A slot is immutable once published and holds the copy of an instruction
 * in up to three forms, all of the instruction's own set:
 *
 *   boosted, at 0:	what does its work		stepped, at the middle:
 *			(T32: up to a word: nop)			the instruction
 *			ldr pc, [pc, #..]				tail
 *			next, with bit 0 for T32
 *
 *   in an IT block, at 16 (T32):
 *			the instruction
 *			bkpt
 *
 * The work is the instruction; or of one that is emulated, for bodies of jumps, what does the
 * same with the words that follow it in its pool: put_work().  A load of the PC reaches
 * everything, and needs no register.  But in an IT block it would
 * have the condition of the program's next instruction, and use it up: so there a breakpoint
 * follows, which has none (kp_arch_step_begin).  That way the block's state is as behind the
 * original, too.
 *
 * The tail is a breakpoint, or a call of the post entry (detour.c's), the address of which
 * follows.
 *
 * What is emulated has a stepped copy, too, where it does not read the PC: an access that cannot
 * be emulated faults there for real.  What reads it has a breakpoint alone: literals are as
 * readable as the code that they stand in.
 *
 * A chain has the work of two instructions, of T32, and the way back behind the second.
 *
 * Invariant: the layout follows from the probes alone, so any PC inside can be translated back
 * without a memory of how it got there.
 */
#include "frame_asm.h"
#include "probe.h"
#include "jump.h"

#define OWNER_LEN 8		/* at the end of each half, the core's at the last one's */
#define OUT_MAX KP_ARCH_SLOT_LEN
#define POOL_MAX 8
#define T32_NOP 0xbf00u
#define bits kp_arm_bits

struct out {
	uint8_t bytes[OUT_MAX];
	unsigned int len;
	bool thumb;
	/* Loads of words that are yet to come. */
	struct {
		uint8_t at;		/* the load */
		uint32_t value;
	} pool[POOL_MAX];
	unsigned int pool_nr;
};

KP_TRAP_PATH static void put(struct out *out, uint32_t value, unsigned int len)
{
	memcpy(out->bytes + out->len, &value, len);
	out->len += len;
}

/* A word of A32; or of T32 one of 4 bytes, as the manual writes it. */
KP_TRAP_PATH static void put_word(struct out *out, uint32_t word)
{
	put(out, out->thumb ? word << 16 | word >> 16 : word, 4);
}

KP_TRAP_PATH static void put_insn(struct out *out, uint32_t word, unsigned int len)
{
	if (len == 2)
		put(out, word, 2);
	else
		put_word(out, word);
}

KP_TRAP_PATH static void put_copy(struct out *out, const struct kp_arm_insn *insn)
{
	put_insn(out, insn->word, insn->len);
}

KP_TRAP_PATH static void align(struct out *out)
{
	if (out->len % 4)
		put(out, T32_NOP, 2);
}

static void put_bp(struct out *out, bool block)
{
	put(out, !out->thumb ? KP_ARM_A32_BP : block ? KP_ARM_BLOCK_BP : KP_ARM_T32_BP,
	    out->thumb ? 2 : 4);
}

/* ldr reg, =value */
KP_TRAP_PATH static void put_load(struct out *out, unsigned int reg, uint32_t value)
{
	out->pool[out->pool_nr].at = (uint8_t)out->len;
	out->pool[out->pool_nr++].value = value;
	put_word(out, (out->thumb ? 0xf8df0000u : 0xe59f0000u) | reg << 12);
}

/* The pool, to which the loads lead now. */
static void end(struct out *out)
{
	unsigned int i;

	align(out);
	for (i = 0; i < out->pool_nr; i++) {
		unsigned int at = out->pool[i].at;
		unsigned int pc = out->thumb ? (at + 4) & ~3u : at + 8;
		uint32_t word;

		memcpy(&word, out->bytes + at, sizeof(word));
		if (out->len >= pc)
			word |= (out->len - pc) << (out->thumb ? 16 : 0);
		else	/* A32's PC is farther on than what follows: subtracted. */
			word = (word & ~0x00800000u) | (pc - out->len);
		memcpy(out->bytes + at, &word, sizeof(word));
		put(out, out->pool[i].value, 4);
	}
}

static uint32_t next_of(const struct kp_arch_probe *ap)
{
	return (uint32_t)kp_arch_pointer_to(ap, kp_arm_next(ap));
}

/* ---- an instruction's work --------------------------------------------------------------- */

/*
 * len bytes are executed only if the condition of a branch, or of anything of A32, holds: by a
 * branch over them if it does not.
 */
KP_TRAP_PATH static void put_unless(struct out *out, const struct kp_arm_insn *insn, unsigned int len)
{
	uint32_t cond = insn->cond ^ 1u;

	if (insn->class == KP_ARM_CBZ) {
		/* The other one of cbz and cbnz. */
		put(out, ((insn->word ^ 0x0800u) & 0xfd07u) | len << 2, 2);
		put(out, T32_NOP, 2);
	} else if (insn->cond == KP_ARM_ALWAYS) {
		return;
	} else if (out->thumb) {
		put(out, 0xd000u | cond << 8 | len / 2, 2);
		put(out, T32_NOP, 2);
	} else {
		put(out, cond << 28 | 0x0a000000u | ((len - 4) / 4 & 0xffffffu), 4);
	}
}

/* A register that may be anything for a moment: signals come onto the stack, and the PC is none. */
KP_TRAP_PATH static bool is_free(unsigned int reg)
{
	return reg != KP_ARM_SP && reg != KP_ARM_PC;
}

/* The register that a load by the PC loads first; the load from where that register points to. */
KP_TRAP_PATH static unsigned int literal_reg(const struct kp_arm_insn *insn)
{
	return insn->class == KP_ARM_LITERAL ? bits(insn->word, 8, 3) : bits(insn->word, 12, 4);
}

KP_TRAP_PATH static void put_literal(struct out *out, const struct kp_arm_insn *insn)
{
	uint32_t word = insn->word, reg = literal_reg(insn);

	if (insn->class == KP_ARM_LITERAL)
		put(out, 0x6800u | reg << 3 | reg, 2);
	else if (out->thumb && bits(word, 25, 7) == 0x74)	/* ldrd */
		put_word(out, 0xe9d00000u | reg << 16 | (word & 0xff00u));
	else if (out->thumb)
		put_word(out, (word & 0xff70f000u) | 0x00800000u | reg << 16);
	else if (bits(word, 25, 3) == 2)
		put_word(out, (word & 0xf0400000u) | 0x05900000u | reg << 16 | reg << 12);
	else
		put_word(out, (word & 0xf01000f0u) | 0x01c00000u | reg << 16 | reg << 12);
}

/* What of a literal's load is done here: of words, halves and bytes at a number's distance. */
KP_TRAP_PATH static bool is_literal(const struct kp_arm_insn *insn)
{
	return insn->relative && (insn->class == KP_ARM_LITERAL ||
				  (insn->class == KP_ARM_LOAD && insn->pc == KP_ARM_N)) &&
	       is_free(literal_reg(insn));
}

/* add or sub of a number to the PC, without flags, to a register; or mov of the PC.  A32. */
KP_TRAP_PATH static bool is_a32_address(const struct kp_arm_insn *insn, uint32_t addr, uint32_t *value)
{
	uint32_t word = insn->word, number = bits(word, 0, 8), turn = 2 * bits(word, 8, 4);
	bool adds = (word & 0x0ff00000u) == 0x02800000u;

	if (insn->thumb || insn->class != KP_ARM_DATA || !is_free(bits(word, 12, 4)))
		return false;
	number = turn ? number >> turn | number << (32 - turn) : number;
	*value = kp_arm_pc(insn, addr) + (adds ? number : -number);
	if (insn->pc == KP_ARM_N && (adds || (word & 0x0ff00000u) == 0x02400000u))
		return true;
	*value = kp_arm_pc(insn, addr);
	return insn->pc == KP_ARM_M && (word & 0x0ff00ff0u) == 0x01a00000u;
}

/* The register that only an address is put into, and which. */
KP_TRAP_PATH static bool is_address(const struct kp_arm_insn *insn, uint32_t addr,
				    unsigned int *reg, uint32_t *value)
{
	*reg = bits(insn->word, 12, 4);
	if (is_a32_address(insn, addr, value))
		return true;
	*value = insn->relative ? kp_arm_operand(insn, addr) : kp_arm_pc(insn, addr);
	if (insn->class == KP_ARM_SHORT_ADR)
		*reg = bits(insn->word, 8, 3);
	else if (insn->class == KP_ARM_ADR)
		*reg = bits(insn->word, 8, 4);
	else if (insn->class == KP_ARM_HIGH && insn->pc == KP_ARM_M && bits(insn->word, 8, 2) == 2)
		*reg = bits(insn->word, 7, 1) << 3 | bits(insn->word, 0, 3);
	else
		return false;
	return is_free(*reg);
}

/* blx: the register. */
KP_TRAP_PATH static unsigned int called_reg(const struct kp_arm_insn *insn)
{
	return insn->thumb ? bits(insn->word, 3, 4) : bits(insn->word, 0, 4);
}

/* Does it find the PC elsewhere, other than to write it? */
KP_TRAP_PATH static bool reads_pc(const struct kp_arm_insn *insn)
{
	switch (insn->class) {
	case KP_ARM_LOAD:
		return insn->pc & (KP_ARM_N | KP_ARM_M);
	case KP_ARM_DATA:
	case KP_ARM_HIGH:
		return insn->pc != KP_ARM_D || (insn->class == KP_ARM_HIGH && bits(insn->word, 8, 2) != 2);
	case KP_ARM_BX:
		return insn->pc;
	case KP_ARM_LOAD_LIST:
		return false;
	default:
		return true;
	}
}

/* Falls through behind it, if the instruction goes on behind itself.  False: there is none. */
KP_TRAP_PATH static bool put_work(struct out *out, const struct kp_arch_probe *ap)
{
	const struct kp_arm_insn *insn = &ap->insn;
	uint32_t addr = (uint32_t)ap->addr, value, over = insn->class == KP_ARM_B ||
			insn->class == KP_ARM_CBZ ? 4 : 8;
	unsigned int reg;

	out->thumb = insn->thumb;
	if (ap->class == KP_ARCH_COPY || !reads_pc(insn)) {
		put_copy(out, insn);
		return true;
	}
	align(out);
	switch (insn->class) {
	case KP_ARM_B:
	case KP_ARM_CBZ:
		put_unless(out, insn, over);
		put_load(out, KP_ARM_PC, (uint32_t)kp_arch_pointer_to(ap, kp_arm_operand(insn, addr)));
		return true;
	case KP_ARM_BL:
	case KP_ARM_BLX:
		put_unless(out, insn, over);
		put_load(out, KP_ARM_LR, next_of(ap));
		put_load(out, KP_ARM_PC, kp_arm_operand(insn, addr) |
			 (insn->thumb == (insn->class == KP_ARM_BL)));
		return true;
	case KP_ARM_BLX_REG:
		reg = called_reg(insn);
		if (reg == KP_ARM_LR || reg == KP_ARM_PC)
			return false;
		put_unless(out, insn, over);
		put_load(out, KP_ARM_LR, next_of(ap));
		/* bx reg */
		put(out, out->thumb ? 0x4700u | reg << 3 : 0xe12fff10u | reg, out->thumb ? 2 : 4);
		return true;
	case KP_ARM_PRELOAD:
		return true;
	}
	if (is_literal(insn)) {
		put_unless(out, insn, over);
		put_load(out, literal_reg(insn), kp_arm_operand(insn, addr));
		put_literal(out, insn);
		return true;
	}
	if (!is_address(insn, addr, &reg, &value))
		return false;
	put_unless(out, insn, 4);
	put_load(out, reg, value);
	return true;
}

bool kp_arm_has_work(const struct kp_arch_probe *ap)
{
	struct out out = { .len = 0 };

	return put_work(&out, ap);
}

/* How long it is, from at on. */
KP_TRAP_PATH static unsigned int work_len(const struct kp_arch_probe *ap, unsigned int at)
{
	struct out out = { .len = at };

	put_work(&out, ap);
	return out.len;
}

/* Behind the work. */
static void put_back(struct out *out, const struct kp_arch_probe *ap)
{
	align(out);
	put_load(out, KP_ARM_PC, next_of(ap));
	end(out);
}

/* ---- slots ------------------------------------------------------------------------------- */

static void boosted(struct out *out, const struct kp_arch_probe *ap)
{
	if (put_work(out, ap))
		put_back(out, ap);
}

void kp_arm_put_call(bool thumb, uint8_t *image)
{
	struct out out = { .thumb = thumb };

	put_word(&out, (thumb ? 0xf1ad0d00u : 0xe24dd000u) | DETOUR_LEN);	/* sub sp, sp, # */
	put_word(&out, (thumb ? 0xf8cde000u : 0xe58de000u) | FRAME_LR);		/* str lr, [sp, #] */
	put_word(&out, thumb ? 0xf20f0e05u : 0xe28fe000u);			/* add lr, pc, # */
	put_word(&out, thumb ? 0xf8dff000u : 0xe51ff004u);			/* ldr pc, [pc, #] */
	memcpy(image, out.bytes, KP_ARM_CALL_LEN);
}

/* Where the call would need a stack that may not be there: a breakpoint. */
static void stepped(struct out *out, const struct kp_arch_probe *ap, uintptr_t post, unsigned int max)
{
	put_copy(out, &ap->insn);
	if (!post || ap->flags & KP_ARCH_TRAP_ONLY || ap->class != KP_ARCH_COPY ||
	    ((out->len + 3) & ~3u) + KP_ARM_CALL_LEN + 4 > max) {
		put_bp(out, ap->block);
		return;
	}
	align(out);
	kp_arm_put_call(out->thumb, out->bytes + out->len);
	out->len += KP_ARM_CALL_LEN;
	put(out, (uint32_t)post, 4);
}

int kp_arch_emit_slot_post(const struct kp_arch_probe *ap, uintptr_t slot,
			   uintptr_t post, uint8_t *image, const char **reason)
{
	struct out all = { .thumb = ap->insn.thumb }, first = all, block = all, second = all;
	unsigned int max = ap->stepped - OWNER_LEN;

	(void)slot;
	/* Whoever strays into the rest traps. */
	while (all.len < 2u * ap->stepped)
		put_bp(&all, false);
	memcpy(image, all.bytes, all.len);
	if (ap->class == KP_ARCH_EMULATE && reads_pc(&ap->insn) && ap->block)
		return 0;
	boosted(&first, ap);
	if (ap->class == KP_ARCH_COPY || !reads_pc(&ap->insn)) {
		stepped(&second, ap, ap->block ? 0 : post, max);
		put_copy(&block, &ap->insn);
		put_bp(&block, true);
	}
	if (first.len > max) {
		*reason = "the copied instruction does not fit its slot";
		return -ENOSPC;
	}
	memcpy(image + KP_ARM_BLOCK, block.bytes, block.len);
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
	ap->stepped = on ? KP_ARM_STEPPED / 2 : KP_ARM_STEPPED;
}

_Static_assert(KP_ARM_BLOCK + 8 <= KP_ARM_STEPPED / 2 - OWNER_LEN, "a short slot has room for all");

void kp_arch_slot_copies(const struct kp_arch_probe *ap, unsigned int off[2])
{
	off[0] = 0;
	off[1] = ap->stepped;
}

/* Behind a copy that a breakpoint follows. */
KP_TRAP_PATH bool kp_arch_step_finish(const struct kp_arch_probe *ap,
				      struct pt_regs *regs, uintptr_t slot)
{
	uintptr_t off = kp_arch_trap_addr(regs) - slot;

	if (ap->class != KP_ARCH_COPY ||
	    (off != KP_ARM_BLOCK + (uintptr_t)ap->len && off != (uintptr_t)ap->stepped + ap->len))
		return false;
	regs->ARM_pc = kp_arm_next(ap);
	return true;
}

/* ---- away from them ---------------------------------------------------------------------- */

/*
 * off bytes into the work, which is len long, or behind it.  What has written a register alone
 * is done again: none that it writes first does it read.
 */
KP_TRAP_PATH static void leave_work(const struct kp_arch_probe *ap, struct pt_regs *regs,
				    uintptr_t off, unsigned int len)
{
	regs->ARM_pc = off < len ? ap->addr : kp_arm_next(ap);
}

KP_TRAP_PATH void kp_arch_step_abort(const struct kp_arch_probe *ap,
				     struct pt_regs *regs, uintptr_t slot,
				     const struct kp_arch_mem *mem)
{
	uintptr_t off = regs->ARM_pc - slot, tail;

	if (off >= ap->stepped) {
		off -= ap->stepped;
		tail = (ap->len + 3u) & ~3u;
		if (off > tail)
			kp_arm_leave_call(regs, off - tail, mem);
		regs->ARM_pc = off ? kp_arm_next(ap) : ap->addr;
		return;
	}
	/* The one in an IT block is behind all that a copy has. */
	if (off >= KP_ARM_BLOCK && (ap->class == KP_ARCH_COPY || !reads_pc(&ap->insn)))
		off -= KP_ARM_BLOCK;
	leave_work(ap, regs, off, work_len(ap, 0));
}

/* ---- chains ------------------------------------------------------------------------------ */

/* The second's work; that of the first is at the chain's address. */
KP_TRAP_PATH static unsigned int second_at(const struct kp_arch_probe *insns)
{
	return (work_len(&insns[0], 0) + 3) & ~3u;
}

int kp_arch_emit_chain(const struct kp_arch_probe *insns, unsigned int nr,
		       uintptr_t at, uint8_t *image, size_t max, size_t *len,
		       const char **reason)
{
	struct out out = { .thumb = true };

	(void)at;
	if (nr != 2 || insns[1].insn.class == KP_ARM_IT) {
		*reason = "an IT block under the jump must stay where it is";
		return -EOPNOTSUPP;
	}
	if (!put_work(&out, &insns[0])) {
		*reason = "an instruction under the jump must stay where it is";
		return -EOPNOTSUPP;
	}
	align(&out);
	if (!put_work(&out, &insns[1])) {
		*reason = "an instruction under the jump must stay where it is";
		return -EOPNOTSUPP;
	}
	put_back(&out, &insns[1]);
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
	(void)nr;
	return i ? at + second_at(insns) : at;
}

KP_TRAP_PATH void kp_arch_chain_abort(const struct kp_arch_probe *insns,
				      unsigned int nr, struct pt_regs *regs,
				      uintptr_t at,
				      const struct kp_arch_mem *mem)
{
	uintptr_t off = regs->ARM_pc - at;
	unsigned int second = second_at(insns);

	(void)nr;
	(void)mem;
	if (off >= second)
		leave_work(&insns[1], regs, off - second, work_len(&insns[1], 0));
	else
		leave_work(&insns[0], regs, off, work_len(&insns[0], 0));
}
