/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * second.c - what does a function do to what its second argument points to, and what may it
 * leave behind?
 *
 * Owns: the walk over all code that a function can reach by direct branches and calls, and
 * what the instructions that compilers use for such functions do to registers.  Invariant:
 * whatever cannot be followed, decoded or counted ends the walk with "anything", so a better
 * answer is a proof, as long as the code does not change and its returns return.
 */
#include "second.h"
#include "probe.h"

#define SECOND REG(5)	/* a1 */
#define STACK REG(KP_MIPS_SP)
#define RETURN REG(KP_MIPS_RA)
#define KERNELS REG(28)	/* gp: who is executing */
#define NUMBERS REG(KP_MIPS_ZERO)

#define RS(word) REG(field(word, 21, 5))
#define RT(word) REG(field(word, 16, 5))
#define RD(word) REG(field(word, 11, 5))

/* ---- what an instruction does to registers -------------------------------------------------- */

static bool use_special(struct uses *u, uint32_t word)
{
	switch (field(word, 0, 6)) {
	case 0x00: case 0x02: case 0x03:		/* sll srl sra */
	case 0x38: case 0x3a: case 0x3b:		/* dsll ... */
	case 0x3c: case 0x3e: case 0x3f:		/* dsll32 ... */
		return computes(u, RD(word), RT(word));
	case 0x04: case 0x06: case 0x07:		/* sllv ... */
	case 0x14: case 0x16: case 0x17:
	case 0x20: case 0x21: case 0x22: case 0x23:	/* add addu sub subu */
	case 0x24: case 0x25: case 0x26: case 0x27:	/* and or xor nor */
	case 0x2a: case 0x2b:				/* slt sltu */
	case 0x2c: case 0x2d: case 0x2e: case 0x2f:	/* dadd ... */
		return computes(u, RD(word), RS(word) | RT(word));
	case 0x0a: case 0x0b:				/* movz movn */
		return computes(u, RD(word), RS(word) | RT(word) | RD(word));
	case 0x0f:					/* sync */
		return true;
	case 0x10: case 0x12:				/* mfhi mflo; clz dclz */
		u->writes = RD(word);
		u->reads = RS(word);
		return true;
	case 0x18: case 0x19: case 0x1a: case 0x1b:	/* mult ...; mul ... */
	case 0x1c: case 0x1d: case 0x1e: case 0x1f:
		u->writes = RD(word);
		u->reads = RS(word) | RT(word);
		return true;
	}
	return false;
}

static bool use_special3(struct uses *u, uint32_t word)
{
	switch (field(word, 0, 6)) {
	case 0x00: case 0x01: case 0x02: case 0x03:	/* ext ... */
		return computes(u, RT(word), RS(word));
	case 0x04: case 0x05: case 0x06: case 0x07:	/* ins ... */
		return computes(u, RT(word), RS(word) | RT(word));
	case 0x20: case 0x24:				/* seb seh wsbh ...; release 6 has more of them */
		u->writes = RD(word);
		u->reads = RT(word) | RS(word);
		return true;
	}
	return false;
}

static bool use_memory(struct uses *u, uint32_t word, bool store)
{
	u->base = RS(word);
	u->loads = !store;
	u->stores = store;
	use_place(u, 0, (int16_t)word);
	if (store) {
		u->reads = RS(word) | RT(word);
		return true;
	}
	u->writes = RT(word);
	u->stack_loaded = RT(word) & STACK;
	return true;
}

static bool use_plain(struct uses *u, uint32_t word)
{
	switch (word >> 26) {
	case 0x00:
		return use_special(u, word);
	case 0x09: case 0x19:				/* addiu daddiu */
	case 0x0a: case 0x0b:				/* slti sltiu */
	case 0x0c: case 0x0d: case 0x0e:		/* andi ori xori */
	case 0x0f:					/* lui, aui */
		return computes(u, RT(word), RS(word));
	case 0x20: case 0x21: case 0x23: case 0x24: case 0x25: case 0x27: case 0x37:
		return use_memory(u, word, false);	/* lb lh lw lbu lhu lwu ld */
	case 0x28: case 0x29: case 0x2b: case 0x3f:	/* sb sh sw sd */
		return use_memory(u, word, true);
	case 0x33:					/* pref */
		return true;
	case 0x1c:					/* mul clz clo dclz dclo; no madd */
		if (field(word, 0, 6) != 0x02 && !(word & 0x20))
			return false;
		u->writes = RD(word);
		u->reads = RS(word) | RT(word);
		return true;
	case 0x1f:
		return use_special3(u, word);
	}
	return false;
}

/* False: what it does to registers is not known.  Of branches: what they do besides. */
static bool find_uses(struct uses *u, const struct kp_mips_insn *insn)
{
	uint32_t word = insn->word;
	bool known = true;

	*u = (struct uses) { .near = false };
	switch (insn->class) {
	case KP_MIPS_PLAIN:
		known = use_plain(u, word);
		break;
	case KP_MIPS_LOAD_LINKED:			/* not release 6's */
		known = word >> 26 != 0x1f && use_memory(u, word, false);
		break;
	case KP_MIPS_STORE_CONDITIONAL:
		known = word >> 26 != 0x1f && use_memory(u, word, true);
		u->writes = RT(word);
		break;
	case KP_MIPS_JUMP:
	case KP_MIPS_JUMP_REG:
	case KP_MIPS_BRANCH:
		break;
	default:
		return false;
	}
	/* It forgets. */
	u->writes &= ~REG(KP_MIPS_ZERO);
	return known;
}

/* ---- the walk ------------------------------------------------------------------------------- */

/* Before an instruction. */
struct place {
	struct known known;
	bool pushed;		/* the one before stored on the stack, and not ra */
};

static bool decode_at(struct walk *w, uintptr_t addr, struct kp_mips_insn *insn)
{
	uint32_t word;

	if (w->insns_nr++ == INSNS_MAX || w->read((uint8_t *)&word, addr, sizeof(word)))
		return false;
	kp_mips_decode(insn, word, KP_MIPS_HERE);
	return insn->class != KP_MIPS_UNALLOCATED;
}

/* Is there nothing to undo of it?  The stack pointer is moved by numbers. */
static bool leaves_nothing(const struct place *at, const struct kp_mips_insn *insn, const struct uses *u)
{
	unsigned int op = insn->word >> 26;

	if (u->stack_loaded || u->writes & KERNELS ||
	    (u->writes & STACK && (u->reads != STACK || (op != 0x09 && op != 0x19))))
		return false;
	return !u->stores || stores_own(u, &at->known, STACK);
}

/* One that goes nowhere else. */
static bool step(const struct walk *w, struct place *at, const struct kp_mips_insn *insn)
{
	struct uses u;

	if (!find_uses(&u, insn) || (at->known.second && u.reads & SECOND) ||
	    (w->bare && !leaves_nothing(at, insn, &u)))
		return false;
	/* A return that follows may be none, but by what the stack had before. */
	if (u.writes & RETURN && !(u.loads && u.base == STACK && u.near && !at->pushed))
		return false;
	pass(&at->known, &u, SECOND, true, NUMBERS);
	at->pushed = u.stores && u.base == STACK && !(insn->class == KP_MIPS_PLAIN && RT(insn->word) == RETURN);
	return true;
}

/*
 * The word behind it, which is executed before it goes.  Nobody makes another instruction of that
 * alone: it is reserved because the one before is, as a tracer's branch over its call, or with it.
 */
static bool step_slot(struct walk *w, struct place *at, uintptr_t addr)
{
	struct kp_mips_insn slot;

	return decode_at(w, addr, &slot) && !kp_mips_has_slot(&slot) && step(w, at, &slot);
}

/* To where addr's instruction, a branch, leads.  *falls_through: does the walk go on behind it? */
static bool follow(struct walk *w, struct place *at, const struct kp_mips_insn *insn, uintptr_t addr,
		   bool *falls_through)
{
	uintptr_t target = (uintptr_t)kp_mips_operand(insn, addr);
	bool link = insn->flags & KP_MIPS_LINK;

	if (insn->flags & (KP_MIPS_LIKELY | KP_MIPS_EXCHANGE) ||
	    (link && (w->bare || insn->class != KP_MIPS_JUMP)))
		return false;
	if (!step_slot(w, at, addr + 4) || at->pushed)
		return false;
	*falls_through = link;
	if (insn->class == KP_MIPS_JUMP_REG)
		return insn->a == KP_MIPS_RA;
	if (insn->class == KP_MIPS_BRANCH)
		*falls_through = insn->cond != KP_MIPS_ALWAYS &&
				 !(insn->cond == KP_MIPS_EQ && insn->a == insn->b);
	if (!add_block(w, target, at->known))
		return false;
	if (link)
		at->known.constant = 0;
	return true;
}

bool kp_words_walk_block(struct walk *w, const struct block *block)
{
	struct place at = { .known = block->known };
	uintptr_t addr = block->addr;
	bool falls_through = true;
	struct kp_mips_insn insn;
	struct block *next;

	for (;;) {
		if (!decode_at(w, addr, &insn) || (w->patched && w->patched(addr, sizeof(insn.word))))
			return false;
		if (kp_mips_has_slot(&insn)) {
			if (insn.class == KP_MIPS_BRANCH_COP ||
			    !follow(w, &at, &insn, addr, &falls_through))
				return false;
			addr += 4;
		} else if (!step(w, &at, &insn)) {
			return false;
		}
		addr += 4;
		if (!falls_through)
			return true;
		next = find_block(w, addr);
		/* That one is walked by itself; not where what stands before matters. */
		if (next && !at.pushed) {
			come_to(next, at.known);
			return true;
		}
	}
}
