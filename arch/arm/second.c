/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * second.c - what does a function do to what its second argument points to, and what may it
 * leave behind?
 *
 * Owns: the walk over all code that a function can reach by direct branches and calls, and
 * what the instructions that compilers use for such functions do to registers, of either set.
 * Invariant: whatever cannot be followed, decoded or counted ends the walk with "anything", so
 * a better answer is a proof, as long as the code does not change and its returns return.
 */
#include "second.h"
#include "insn.h"

#define bits kp_arm_bits

#define SECOND REG(1)	/* r1 */
#define STACK REG(KP_ARM_SP)
#define FRAME_REG 11

/* ---- what an instruction does to registers -------------------------------------------------- */

/* Of a load or store: base and index; whether it changes the base. */
static void use_address(struct uses *u, unsigned int n, uint32_t index, bool back)
{
	u->base = REG(n);
	if (u->stores || back)
		u->reads |= REG(n) | index;
	if (back)
		u->writes |= REG(n);
}

static void use_value(struct uses *u, uint32_t regs)
{
	if (!u->loads) {
		u->reads |= regs;
		return;
	}
	u->writes |= regs;
	u->stack_loaded = u->stack_loaded || regs & REG(KP_ARM_SP);
}

/* Words and bytes, or with pair halves, which is two registers. */
static bool use_a32_access(struct uses *u, const struct kp_arm_insn *insn)
{
	uint32_t word = insn->word, index = 0, offset;
	unsigned int d = bits(word, 12, 4);
	bool words = bits(word, 26, 2) == 1, before = bits(word, 24, 1), back = bits(word, 21, 1);
	bool up = bits(word, 23, 1);

	if (insn->class == KP_ARM_STORE)
		u->stores = true;
	else
		u->loads = true;
	if (words ? bits(word, 25, 1) : !bits(word, 22, 1))
		index = REG(bits(word, 0, 4));
	offset = words ? bits(word, 0, 12) : bits(word, 8, 4) << 4 | bits(word, 0, 4);
	use_address(u, bits(word, 16, 4), index, back || !before);
	use_value(u, REG(d));
	if (insn->flags & KP_ARM_PAIR)
		use_value(u, REG(d + 1));
	/* One that was moved before is at its base then. */
	use_place(u, index, !before || back ? 0 : up ? (int64_t)offset : -(int64_t)offset);
	return true;
}

static bool use_list(struct uses *u, unsigned int n, uint32_t list, bool load, bool back)
{
	u->loads = load;
	u->stores = !load;
	use_place(u, 0, 0);
	use_address(u, n, 0, back);
	use_value(u, list);
	return true;
}

/* op, as all data processing has it. */
enum { OP_TST = 8, OP_CMN = 11, OP_MOV = 13, OP_MVN = 15 };

static bool use_a32_data(struct uses *u, uint32_t word)
{
	unsigned int op = bits(word, 21, 4);
	uint32_t sources = 0;

	if (op != OP_MOV && op != OP_MVN)
		sources |= REG(bits(word, 16, 4));
	if (!bits(word, 25, 1)) {
		sources |= REG(bits(word, 0, 4));
		if (bits(word, 4, 1))
			sources |= REG(bits(word, 8, 4));
	}
	if (op >= OP_TST && op <= OP_CMN)
		return true;
	u->reads = sources;
	u->writes = REG(bits(word, 12, 4));
	u->constant = true;
	return true;
}

/* All four fields may be registers, but the PC, or be none. */
static bool use_any(struct uses *u, uint32_t word)
{
	u->reads = REG(bits(word, 16, 4)) | REG(bits(word, 12, 4)) | REG(bits(word, 8, 4)) |
		   REG(bits(word, 0, 4));
	u->reads &= ~REG(KP_ARM_PC);
	u->writes = u->reads;
	return true;
}

/* mrc; of system registers only. */
static bool use_mrc(struct uses *u, uint32_t word)
{
	if (bits(word, 8, 4) != 15 || bits(word, 12, 4) == KP_ARM_PC)
		return false;
	u->writes = REG(bits(word, 12, 4));
	return true;
}

static bool use_a32_plain(struct uses *u, const struct kp_arm_insn *insn)
{
	uint32_t word = insn->word;

	if (word >> 28 == 15)				/* dsb dmb isb */
		return (word & 0xfffffff0) == 0xf57ff040 || (word & 0xfffffff0) == 0xf57ff050 ||
		       (word & 0xfffffff0) == 0xf57ff060;
	if ((word & 0x0fffff00) == 0x0320f000)		/* nop ... */
		return true;
	if ((word & 0x0fb00000) == 0x03000000) {	/* movw movt */
		u->writes = REG(bits(word, 12, 4));
		u->reads = bits(word, 22, 1) ? u->writes : 0;
		u->constant = true;
		return true;
	}
	if ((word & 0x0e000090) == 0x00000010 &&	/* by a register: no tst ..., those are others, too */
	    (bits(word, 23, 2) != 2 || bits(word, 20, 1)))
		return use_a32_data(u, word);
	if ((word & 0x0f0000f0) == 0x00000090 || (word & 0x0e000010) == 0x06000010 ||
	    (word & 0x0fff0ff0) == 0x016f0f10)		/* mul ...; media; clz */
		return use_any(u, word);
	if ((word & 0x0f100010) == 0x0e100010)
		return use_mrc(u, word);
	return false;
}

/* ldrex ... and strex ..., or of the same fields in T32: n, t, and where whether it did is. */
static bool use_exclusive(struct uses *u, const struct kp_arm_insn *insn)
{
	uint32_t word = insn->word;
	bool load = insn->class == KP_ARM_LOAD_EXCLUSIVE, wide;

	u->loads = load;
	u->stores = !load;
	use_place(u, 0, 0);
	use_address(u, bits(word, 16, 4), 0, false);
	if (!insn->thumb) {
		wide = bits(word, 21, 2) == 1;
		use_value(u, REG(bits(word, load ? 12 : 0, 4)));
		if (wide)
			use_value(u, REG(bits(word, load ? 12 : 0, 4) + 1));
		if (!load)
			u->writes |= REG(bits(word, 12, 4));
		return true;
	}
	/* Of words only. */
	if (bits(word, 24, 8) != 0xe8 || bits(word, 21, 3) != 2)
		return false;
	use_value(u, REG(bits(word, 12, 4)));
	if (!load)
		u->writes |= REG(bits(word, 8, 4));
	return true;
}

/* ---- T32 of 16 bits */

static bool use_narrow_data(struct uses *u, uint32_t word)
{
	unsigned int op = bits(word, 6, 4), d = bits(word, 0, 3), m = bits(word, 3, 3);

	if (op == 8 || op == 10 || op == 11)		/* tst cmp cmn */
		return true;
	u->writes = REG(d);
	u->reads = REG(m) | (op == 9 || op == 15 ? 0 : REG(d));	/* rsb mvn */
	u->constant = true;
	return true;
}

static bool use_narrow_access(struct uses *u, unsigned int t, unsigned int n, uint32_t index,
			      uint32_t offset, bool load)
{
	u->loads = load;
	u->stores = !load;
	use_address(u, n, index, false);
	use_value(u, REG(t));
	use_place(u, index, offset);
	return true;
}

static bool use_narrow_plain(struct uses *u, uint32_t word)
{
	unsigned int low = bits(word, 0, 3), middle = bits(word, 3, 3), high = bits(word, 8, 3);
	bool load = bits(word, 11, 1);

	switch (word >> 12) {
	case 0:
	case 1:						/* shifts; add, sub of three */
		u->writes = REG(low);
		u->reads = REG(middle);
		if (bits(word, 11, 2) == 3 && !bits(word, 10, 1))
			u->reads |= REG(bits(word, 6, 3));
		u->constant = true;
		return true;
	case 2:
	case 3:						/* mov cmp add sub */
		if (bits(word, 11, 2) == 1)
			return true;
		u->writes = REG(high);
		u->reads = bits(word, 11, 2) ? REG(high) : 0;
		u->constant = true;
		return true;
	case 4:
		return bits(word, 10, 2) == 0 && use_narrow_data(u, word);
	case 5:
		return use_narrow_access(u, low, middle, REG(bits(word, 6, 3)), 0, bits(word, 9, 3) >= 3);
	case 6:
	case 7:
	case 8:
		return use_narrow_access(u, low, middle, 0, 0, load);
	case 9:
		return use_narrow_access(u, high, KP_ARM_SP, 0, bits(word, 0, 8) << 2, load);
	case 10:					/* add to the stack pointer */
		u->writes = REG(high);
		u->reads = REG(KP_ARM_SP);
		return true;
	case 12:
		return use_list(u, high, bits(word, 0, 8), load, true);
	}
	if (bits(word, 8, 4) == 0) {			/* add, sub sp */
		u->reads = u->writes = REG(KP_ARM_SP);
		return true;
	}
	if (bits(word, 8, 4) == 2 || bits(word, 8, 4) == 10) {	/* sxth ...; rev ... */
		u->writes = REG(low);
		u->reads = REG(middle);
		return true;
	}
	if (bits(word, 9, 3) == 2)			/* push */
		return use_list(u, KP_ARM_SP, bits(word, 0, 8) | bits(word, 8, 1) << KP_ARM_LR, false,
				true);
	if (bits(word, 9, 3) == 6)			/* pop */
		return use_list(u, KP_ARM_SP, bits(word, 0, 8), true, true);
	return (word & 0xff0f) == 0xbf00;		/* nop ... */
}

/* ---- T32 of 32 bits */

/* With numbers: of 12 bits that are spread, or plain ones. */
static bool use_wide_number(struct uses *u, uint32_t word)
{
	unsigned int op = bits(word, 21, 4), n = bits(word, 16, 4), d = bits(word, 8, 4);

	u->constant = true;
	if (bits(word, 25, 1)) {
		if (op == 2 || op == 6) {		/* movw movt */
			u->writes = REG(d);
			u->reads = op == 6 ? REG(d) : 0;
			return true;
		}
		/* addw, subw; what is of fields reads what it writes, or may */
		u->writes = REG(d);
		u->reads = op == 0 || op == 5 ? REG(n) : REG(n) | REG(d);
		return true;
	}
	if (d == KP_ARM_PC)				/* tst ... */
		return true;
	u->writes = REG(d);
	u->reads = (op == 2 || op == 3) && n == KP_ARM_PC ? 0 : REG(n);
	return true;
}

static bool use_wide_shifted(struct uses *u, uint32_t word)
{
	unsigned int op = bits(word, 21, 4), n = bits(word, 16, 4), d = bits(word, 8, 4);
	uint32_t sources = REG(bits(word, 0, 4));

	if (n != KP_ARM_PC || (op != 2 && op != 3))
		sources |= REG(n);
	if (d == KP_ARM_PC)
		return true;
	u->reads = sources;
	u->writes = REG(d);
	u->constant = true;
	return true;
}

static bool use_wide_access(struct uses *u, const struct kp_arm_insn *insn)
{
	uint32_t word = insn->word, index = 0, offset = 0;
	unsigned int n = bits(word, 16, 4);
	bool number = bits(word, 23, 1), back = false, up = true;

	u->loads = bits(word, 20, 1);
	u->stores = !u->loads;
	if (n == KP_ARM_PC || number) {
		offset = bits(word, 0, 12);
	} else if (bits(word, 11, 1)) {
		offset = bits(word, 10, 1) ? bits(word, 0, 8) : 0;
		back = bits(word, 8, 1) || !bits(word, 10, 1);
		up = bits(word, 9, 1);
	} else {
		index = REG(bits(word, 0, 4));
	}
	use_address(u, n, index, back);
	use_value(u, REG(bits(word, 12, 4)));
	use_place(u, index, back ? 0 : up ? (int64_t)offset : -(int64_t)offset);
	return true;
}

static bool use_wide_pair(struct uses *u, uint32_t word)
{
	bool before = bits(word, 24, 1), back = bits(word, 21, 1);

	u->loads = bits(word, 20, 1);
	u->stores = !u->loads;
	use_address(u, bits(word, 16, 4), 0, back || !before);
	use_value(u, REG(bits(word, 12, 4)) | REG(bits(word, 8, 4)));
	use_place(u, 0, !before || back ? 0 : (bits(word, 23, 1) ? 4 : -4) * (int64_t)bits(word, 0, 8));
	return true;
}

static bool use_wide_plain(struct uses *u, const struct kp_arm_insn *insn)
{
	uint32_t word = insn->word;

	if ((word & 0xffffff00) == 0xf3af8000 ||	/* nop ...; dsb dmb isb */
	    (word & 0xffffffc0) == 0xf3bf8f40)
		return true;
	if ((word & 0xf8008000) == 0xf0000000)
		return use_wide_number(u, word);
	if ((word & 0xfe000000) == 0xea000000)
		return use_wide_shifted(u, word);
	if ((word & 0xfe000000) == 0xfa000000)		/* of registers; mul ... */
		return use_any(u, word);
	if ((word & 0xfe000000) == 0xf8000000)
		return (!bits(word, 24, 1) || bits(word, 20, 1)) && use_wide_access(u, insn);
	if ((word & 0xffd00000) == 0xe8800000 || (word & 0xffd00000) == 0xe9000000)
		return use_list(u, bits(word, 16, 4), bits(word, 0, 16), false, bits(word, 21, 1));
	if ((word & 0xfe500000) == 0xe8400000 && (bits(word, 24, 1) || bits(word, 21, 1)))
		return use_wide_pair(u, word);
	if ((word & 0xff100010) == 0xee100010)
		return use_mrc(u, word);
	return false;
}

/* ---- both */

/* Stores come with loads, but for some that are plain. */
static bool use_memory(struct uses *u, const struct kp_arm_insn *insn)
{
	uint32_t word = insn->word;

	if (!insn->thumb)
		return use_a32_access(u, insn);
	if ((word & 0xfe500000) == 0xe8500000)
		return use_wide_pair(u, word);
	return (word & 0xfe000000) == 0xf8000000 && use_wide_access(u, insn);
}

static bool use_high(struct uses *u, uint32_t word)
{
	uint32_t d = REG(bits(word, 7, 1) << 3 | bits(word, 0, 3)), m = REG(bits(word, 3, 4));

	switch (bits(word, 8, 2)) {
	case 0:
		u->reads = d | m;
		u->writes = d;
		break;
	case 1:
		break;
	default:
		u->reads = m;
		u->writes = d;
	}
	u->constant = true;
	return true;
}

/* False: what it does to registers is not known. */
static bool find_uses(struct uses *u, const struct kp_arm_insn *insn)
{
	uint32_t word = insn->word;

	*u = (struct uses) { .near = false };
	switch (insn->class) {
	case KP_ARM_PLAIN:
		return !insn->thumb ? use_a32_plain(u, insn) :
		       insn->len == 4 ? use_wide_plain(u, insn) : use_narrow_plain(u, word);
	case KP_ARM_DATA:
		return use_a32_data(u, word);
	case KP_ARM_HIGH:
		return use_high(u, word);
	case KP_ARM_LOAD:
	case KP_ARM_STORE:
		return use_memory(u, insn);
	case KP_ARM_LOAD_LIST:
		if (insn->len == 2)			/* pop {..., pc} */
			return use_list(u, KP_ARM_SP, bits(word, 0, 8) | REG(KP_ARM_PC), true, true);
		return use_list(u, bits(word, 16, 4), bits(word, 0, 16), true, bits(word, 21, 1));
	case KP_ARM_STORE_LIST:
		return use_list(u, bits(word, 16, 4), bits(word, 0, 16), false, bits(word, 21, 1));
	case KP_ARM_LOAD_EXCLUSIVE:
	case KP_ARM_STORE_EXCLUSIVE:
		return use_exclusive(u, insn);
	case KP_ARM_LITERAL:
	case KP_ARM_SHORT_ADR:
		u->writes = REG(bits(word, 8, 3));
		u->constant = true;
		return true;
	case KP_ARM_ADR:
		u->writes = REG(bits(word, 8, 4));
		u->constant = true;
		return true;
	case KP_ARM_CBZ:
	case KP_ARM_B:
	case KP_ARM_BX:
	case KP_ARM_CLREX:
	case KP_ARM_PRELOAD:
	case KP_ARM_IT:
	case KP_ARM_BL:
	case KP_ARM_BLX:
		return true;
	}
	return false;
}

/* ---- the walk ------------------------------------------------------------------------------- */

static bool decode_at(const struct walk *w, uintptr_t addr, bool thumb, struct kp_arm_insn *insn)
{
	uint32_t word = 0;

	if (w->read((uint8_t *)&word, addr, thumb ? 2 : 4))
		return false;
	if (thumb && kp_arm_is_wide((uint16_t)word) && w->read((uint8_t *)&word, addr, 4))
		return false;
	kp_arm_decode(insn, word, thumb);
	return insn->class != KP_ARM_UNALLOCATED;
}

/* Before an instruction. */
struct place {
	struct known known;
	bool pushed;		/* the instruction before stored on the stack, and not lr alone */
	unsigned int in_it;	/* that many more have IT's conditions */
};

/* A return by a value from the stack, where nothing but the caller's is. */
static bool is_return(const struct place *at, const struct kp_arm_insn *insn, const struct uses *u)
{
	return u->loads && u->near && !at->pushed &&
	       (u->base == STACK ||
		(u->base == REG(FRAME_REG) && insn->class == KP_ARM_LOAD_LIST));
}

/* mov pc, lr */
static bool moves_return(const struct kp_arm_insn *insn)
{
	return !insn->thumb ? (insn->word & 0x0fffffff) == 0x01a0f00e : insn->word == 0x46f7;
}

/*
 * Take note of where the instruction leads to.  false: nobody knows.
 * *falls_through: does the walk go on behind it?
 */
static bool follow(struct walk *w, const struct place *at, const struct kp_arm_insn *insn,
		   const struct uses *u, uintptr_t addr, bool *falls_through)
{
	bool always = insn->cond == KP_ARM_ALWAYS && !at->in_it;
	uintptr_t target = kp_arm_operand(insn, (uint32_t)addr);

	*falls_through = true;
	switch (insn->class) {
	case KP_ARM_B:
		*falls_through = !always;
		return !at->pushed && add_block(w, target | insn->thumb, at->known);
	case KP_ARM_CBZ:
		return !at->pushed && add_block(w, target | insn->thumb, at->known);
	case KP_ARM_BL:
		return !w->bare && add_block(w, target | insn->thumb, at->known);
	case KP_ARM_BLX:
		return !w->bare && add_block(w, target | !insn->thumb, at->known);
	case KP_ARM_BX:
		*falls_through = !always;
		return (insn->thumb ? bits(insn->word, 3, 4) : bits(insn->word, 0, 4)) == KP_ARM_LR;
	}
	if (u->writes & REG(KP_ARM_PC)) {
		*falls_through = !always;
		return moves_return(insn) || is_return(at, insn, u);
	}
	/* A return that follows may be none. */
	return !(u->writes & REG(KP_ARM_LR)) || is_return(at, insn, u);
}

/* add or sub of a number. */
static bool is_sum(const struct kp_arm_insn *insn)
{
	uint32_t word = insn->word;
	unsigned int op = bits(word, 21, 4);

	if (!insn->thumb)
		return insn->class == KP_ARM_DATA && bits(word, 25, 1) && (op == 2 || op == 4);
	if (insn->len == 2)
		return (word & 0xff00) == 0xb000;
	if ((word & 0xf8008000) != 0xf0000000)
		return false;
	return bits(word, 25, 1) ? op == 0 || op == 5 : op == 8 || op == 13;
}

/* Is there nothing to undo of it?  The stack pointer is moved by a number, or by its accesses. */
static bool leaves_nothing(const struct place *at, const struct kp_arm_insn *insn, const struct uses *u)
{
	if (u->stack_loaded ||
	    (u->writes & STACK && !(u->base == STACK ? u->fixed : u->reads == STACK && is_sum(insn))))
		return false;
	return !u->stores || stores_own(u, &at->known, STACK);
}

static bool step(struct walk *w, struct place *at, const struct kp_arm_insn *insn, uintptr_t addr,
		 bool *falls_through)
{
	bool always = insn->cond == KP_ARM_ALWAYS && !at->in_it;
	struct uses u;

	if (w->patched && w->patched(addr, insn->len))
		return false;
	if (!find_uses(&u, insn) || (at->known.second && u.reads & SECOND) ||
	    (w->bare && !leaves_nothing(at, insn, &u)) ||
	    !follow(w, at, insn, &u, addr, falls_through))
		return false;
	/* A literal is a number. */
	if (u.loads && u.base == REG(KP_ARM_PC) && insn->relative)
		u.constant = true;
	pass(&at->known, &u, SECOND, always, REG(KP_ARM_PC));
	at->pushed = u.stores && u.base == STACK && u.reads != (STACK | REG(KP_ARM_LR));
	if (insn->class == KP_ARM_BL || insn->class == KP_ARM_BLX)
		at->known.constant = 0;
	if (insn->class == KP_ARM_IT)
		/* The lowest bit that is set ends it. */
		at->in_it = 4u - (unsigned int)__builtin_ctz(bits(insn->word, 0, 4));
	else if (at->in_it)
		at->in_it--;
	return true;
}

bool kp_words_walk_block(struct walk *w, const struct block *block)
{
	bool thumb = block->addr & 1, falls_through = true;
	struct place at = { .known = block->known };
	uintptr_t addr = block->addr & ~(uintptr_t)1;
	struct kp_arm_insn insn;

	for (; falls_through; addr += insn.len) {
		struct block *next;

		if (w->insns_nr++ == INSNS_MAX || !decode_at(w, addr, thumb, &insn) ||
		    !step(w, &at, &insn, addr, &falls_through))
			return false;
		next = find_block(w, (addr + insn.len) | thumb);
		/* That one is walked by itself; not where what stands before matters. */
		if (falls_through && next && !at.in_it && !at.pushed) {
			come_to(next, at.known);
			break;
		}
	}
	return true;
}
