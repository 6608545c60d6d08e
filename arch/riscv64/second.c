/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * second.c - what does a function do to what its second argument points to, and what may it
 * leave behind?
 *
 * Owns: the walk over all code that a function can reach by direct branches and calls, and
 * what the instructions that compilers use for such functions do to registers.  Invariant:
 * whatever cannot be followed, decoded or counted ends the walk with "anything", so a better
 * answer is a proof, as long as the code does not change and its returns return.
 *
 * Compressed instructions are looked at as those that they are short for.  In modules a call is
 * two instructions, an auipc and a jalr behind it; these are followed together.
 */
#include "second.h"
#include "probe.h"

#define SECOND REG(11)	/* a1 */
#define STACK REG(KP_RV_SP)
#define RETURN REG(KP_RV_RA)
#define KERNELS (REG(3) | REG(KP_RV_TP))	/* gp; who is executing */
#define NUMBERS REG(KP_RV_ZERO)

#define RD(word) REG(field(word, 7, 5))
#define RS1(word) REG(field(word, 15, 5))
#define RS2(word) REG(field(word, 20, 5))

/* ---- what an instruction does to registers -------------------------------------------------- */

static bool use_load(struct uses *u, uint32_t word)
{
	u->base = RS1(word);
	u->loads = true;
	use_place(u, 0, (int32_t)word >> 20);
	u->writes = RD(word);
	return true;
}

static bool use_store(struct uses *u, uint32_t word)
{
	u->base = RS1(word);
	u->stores = true;
	use_place(u, 0, ((int32_t)word >> 25) * 32 + (int32_t)field(word, 7, 5));
	u->reads = RS1(word) | RS2(word);
	return true;
}

/* lr sc amoadd ...: rd is what was there, or whether it did. */
static bool use_atomic(struct uses *u, uint32_t word, bool loads, bool stores)
{
	u->base = RS1(word);
	u->loads = loads;
	u->stores = stores;
	use_place(u, 0, 0);
	if (stores)
		u->reads = RS1(word) | RS2(word);
	u->writes = RD(word);
	return true;
}

/* Of 4 bytes. */
static bool use_plain(struct uses *u, uint32_t word)
{
	switch (field(word, 0, 7)) {
	case 0x03:					/* lb lh lw ld lbu lhu lwu */
		return use_load(u, word);
	case 0x0f:					/* fence pause */
		return true;
	case 0x13: case 0x1b:				/* addi slti ... addiw ... */
		return computes(u, RD(word), RS1(word));
	case 0x23:					/* sb sh sw sd */
		return use_store(u, word);
	case 0x2f:					/* amoadd amoswap ... */
		return use_atomic(u, word, true, true);
	case 0x33: case 0x3b:				/* add sub ... mul ... addw ... */
		return computes(u, RD(word), RS1(word) | RS2(word));
	case 0x37:					/* lui */
		return computes(u, RD(word), 0);
	}
	return false;
}

/* False: what it does to registers is not known. */
static bool find_uses(struct uses *u, const struct kp_rv_insn *insn, uint32_t word)
{
	bool known;

	*u = (struct uses) { .near = false };
	switch (insn->class) {
	case KP_RV_PLAIN:
		known = use_plain(u, word);
		break;
	case KP_RV_AUIPC:
		known = computes(u, RD(word), 0);
		break;
	case KP_RV_LOAD_RESERVED:
		known = use_atomic(u, word, true, false);
		break;
	case KP_RV_STORE_CONDITIONAL:
		known = use_atomic(u, word, false, true);
		break;
	default:
		return false;
	}
	/* It forgets. */
	u->writes &= ~REG(KP_RV_ZERO);
	return known;
}

/* ---- the walk ------------------------------------------------------------------------------- */

/* Before an instruction. */
struct place {
	struct known known;
	bool pushed;		/* the one before stored on the stack, and not ra */
};

static bool decode_at(struct walk *w, uintptr_t addr, struct kp_rv_insn *insn)
{
	uint32_t word = 0;
	unsigned int len;

	if (w->insns_nr++ == INSNS_MAX || w->read((uint8_t *)&word, addr, 2))
		return false;
	len = kp_rv_length((uint16_t)word);
	if ((len != 2 && len != 4) || (w->patched && w->patched(addr, len)) ||
	    w->read((uint8_t *)&word, addr, len))
		return false;
	kp_rv_decode(insn, word);
	return insn->class != KP_RV_UNALLOCATED;
}

/* addi sp, sp, number */
static bool moves_stack(uint32_t word)
{
	return (word & 0xfffff) == 0x10113;
}

/* ld ra, number(sp); sd ra, number(sp) */
static bool loads_return(uint32_t word)
{
	return (word & 0xfffff) == 0x13083;
}

static bool stores_return(uint32_t word)
{
	return (word & 0x1fff07f) == 0x113023;
}

/* Is there nothing to undo of it?  The stack pointer is moved by numbers. */
static bool leaves_nothing(const struct place *at, uint32_t word, const struct uses *u)
{
	if (u->writes & KERNELS || (u->writes & STACK && !moves_stack(word)))
		return false;
	return !u->stores || stores_own(u, &at->known, STACK);
}

/* One that goes nowhere else; calls: an auipc whose jalr calls with what it has written. */
static bool step(const struct walk *w, struct place *at, const struct kp_rv_insn *insn, bool calls)
{
	uint32_t word = kp_rv_long(insn);
	struct uses u;

	if (!find_uses(&u, insn, word) || (at->known.second && u.reads & SECOND) ||
	    (w->bare && !leaves_nothing(at, word, &u)))
		return false;
	/* A return that follows may be none, but by what the stack had before. */
	if (u.writes & RETURN && !calls && !(loads_return(word) && u.near && !at->pushed))
		return false;
	pass(&at->known, &u, SECOND, true, NUMBERS);
	at->pushed = u.stores && u.base == STACK && !stores_return(word);
	return true;
}

/* Whoever is called may leave other numbers in registers; link: where it is told whence. */
static bool go_to(struct walk *w, struct place *at, uintptr_t target, unsigned int link,
		  bool *falls_through)
{
	*falls_through = link != KP_RV_ZERO;
	if ((*falls_through && (w->bare || link != KP_RV_RA)) || at->pushed ||
	    !add_block(w, target, at->known))
		return false;
	if (*falls_through)
		at->known.constant = 0;
	return true;
}

/* To where addr's instruction, a branch, leads.  *falls_through: does the walk go on behind it? */
static bool follow(struct walk *w, struct place *at, const struct kp_rv_insn *insn, uintptr_t addr,
		   bool *falls_through)
{
	uintptr_t target = (uintptr_t)kp_rv_operand(insn, addr);

	switch (insn->class) {
	case KP_RV_JAL:
		return go_to(w, at, target, insn->rd, falls_through);
	case KP_RV_BRANCH:
		*falls_through = insn->cond != KP_RV_EQ || insn->rs1 != insn->rs2;
		return !at->pushed && add_block(w, target, at->known);
	default:				/* ret */
		*falls_through = false;
		return insn->rd == KP_RV_ZERO && insn->rs1 == KP_RV_RA && !insn->offset;
	}
}

static bool is_branch(const struct kp_rv_insn *insn)
{
	return insn->class == KP_RV_JAL || insn->class == KP_RV_JALR || insn->class == KP_RV_BRANCH;
}

/*
 * An auipc at addr, and what is behind it, if that goes where the auipc says: *len is of
 * both then.
 */
static bool step_far(struct walk *w, struct place *at, const struct kp_rv_insn *insn, uintptr_t addr,
		     size_t *len, bool *falls_through)
{
	struct kp_rv_insn behind;
	uintptr_t target;

	if (!decode_at(w, addr + insn->len, &behind))
		return false;
	if (behind.class != KP_RV_JALR || behind.rs1 != insn->rd || insn->rd == KP_RV_ZERO)
		return step(w, at, insn, false);
	if (!step(w, at, insn, insn->rd == behind.rd))
		return false;
	*len += behind.len;
	target = ((uintptr_t)kp_rv_operand(insn, addr) + (uintptr_t)behind.offset) & ~(uintptr_t)1;
	return go_to(w, at, target, behind.rd, falls_through);
}

bool kp_words_walk_block(struct walk *w, const struct block *block)
{
	struct place at = { .known = block->known };
	uintptr_t addr = block->addr;

	for (;;) {
		bool falls_through = true, known;
		struct kp_rv_insn insn;
		struct block *next;
		size_t len;

		if (!decode_at(w, addr, &insn))
			return false;
		len = insn.len;
		if (is_branch(&insn))
			known = follow(w, &at, &insn, addr, &falls_through);
		else if (insn.class == KP_RV_AUIPC)
			known = step_far(w, &at, &insn, addr, &len, &falls_through);
		else
			known = step(w, &at, &insn, false);
		if (!known)
			return false;
		if (!falls_through)
			return true;
		addr += len;
		next = find_block(w, addr);
		/* That one is walked by itself; not where what stands before matters. */
		if (next && !at.pushed) {
			come_to(next, at.known);
			return true;
		}
	}
}
