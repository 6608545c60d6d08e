/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * caller.c - does a function look at its return address?
 *
 * Owns: the walk over the function's own code that knows, for each instruction,
 * whether the link register still has the return address, and how far above the stack
 * and frame pointers it was saved:
 *
 *   live  x30 is the return address
 *   at    it was saved at at(sp); bp: at bp(x29)
 *
 * Saving it by the stack pointer, loading it back, signing and returning is what every
 * function does.  To strip it, to compute with it, to store it elsewhere or to load it
 * into another register is to look at it; but to move it aside into a register that
 * nobody passes is what outlined prologues do.
 *
 * Invariant: what is not known is not said to be seen.  So "yes" is certain, as
 * long as compilers keep nothing else in that word; "no" is not: behind
 * indirect jumps, in the callees and through other registers nobody looked.
 */
#include "code.h"
#include "operands.h"
#include "probe.h"

#define BLOCKS_MAX 96
#define INSNS_MAX 8192
#define NOWHERE INT64_MIN
#define WINDOW 128
#define FP 29
#define SP 31
#define XPACLRI 7		/* the hint's number */

struct state {
	uintptr_t addr;
	bool live;
	int64_t at, bp;
};

/* A state at a block's beginning, as it is kept: a kernel's stack is small. */
struct block {
	uint32_t off;			/* from the function's start */
	bool live;
	int32_t at, bp;			/* NOWHERE is INT32_MIN */
};

struct walk {
	const struct kp_arch_caller *how;
	uintptr_t start, end;
	struct block block[BLOCKS_MAX];
	unsigned int blocks_nr;
	uint8_t window[WINDOW];		/* of the text, at window_addr */
	uintptr_t window_addr;
	size_t window_len;
};

static bool decode(struct walk *w, uintptr_t addr, struct kp_a64_insn *insn)
{
	size_t off = addr - w->window_addr;
	uint32_t word;

	if (off + KP_A64_LEN > w->window_len || addr < w->window_addr) {
		w->window_len = w->end - addr < WINDOW ? w->end - addr : WINDOW;
		w->window_addr = addr;
		off = 0;
		if (w->window_len < KP_A64_LEN ||
		    w->how->read(w->window, addr, w->window_len)) {
			w->window_len = 0;
			return false;
		}
	}
	memcpy(&word, w->window + off, sizeof(word));
	kp_a64_decode(insn, word);
	return true;
}

static bool is_block(const struct walk *w, uintptr_t addr)
{
	unsigned int i;

	for (i = 0; i < w->blocks_nr; i++)
		if (w->start + w->block[i].off == addr)
			return true;
	return false;
}

/* Far away is nowhere. */
static int32_t keep(int64_t at)
{
	return at > INT32_MIN && at <= INT32_MAX ? (int32_t)at : INT32_MIN;
}

static void add_block(struct walk *w, uintptr_t addr, const struct state *s)
{
	if (addr < w->start || addr >= w->end || is_block(w, addr) ||
	    w->blocks_nr == BLOCKS_MAX)
		return;
	w->block[w->blocks_nr++] = (struct block){
		.off = (uint32_t)(addr - w->start), .live = s->live,
		.at = keep(s->at), .bp = keep(s->bp),
	};
}

static struct state state_of(const struct walk *w, const struct block *block)
{
	return (struct state){
		.addr = w->start + block->off, .live = block->live,
		.at = block->at == INT32_MIN ? NOWHERE : block->at,
		.bp = block->bp == INT32_MIN ? NOWHERE : block->bp,
	};
}

/* Where an access by that register leads, from the stack pointer on; NOWHERE. */
static int64_t place(const struct state *s, unsigned int base, int64_t off)
{
	int64_t at = base == SP ? s->at : base == FP ? s->bp : NOWHERE;

	return at == NOWHERE ? NOWHERE : off - at;
}

/* Is it the saved word's, of 8 bytes, at off from the base register? */
static bool hits(const struct state *s, uint32_t word, int64_t off)
{
	return place(s, KP_A64_RN(word), off) == 0;
}

static bool is_x(uint32_t word)		/* of a plain or moving access */
{
	return word >> 30 == 3;
}

/* and, orr, eor, add, sub ... of shifted or extended registers, csel. */
static bool computes_with(uint32_t word, unsigned int reg)
{
	if ((word & 0x1e000000) != 0x0a000000 && (word & 0x1fe00000) != 0x1a800000)
		return false;
	if (KP_A64_RN(word) == reg)
		return true;
	if (KP_A64_RM(word) != reg)
		return false;
	/* mov x9, x30 ... x17 */
	return (word & 0xffe0ffe0) != 0xaa0003e0 ||
	       KP_A64_RD(word) < 9 || KP_A64_RD(word) > 17;
}

static bool takes_live(const struct kp_a64_insn *insn, const struct state *s)
{
	uint32_t word = insn->word;
	bool moved = kp_a64_is_moving_access(word);

	if (!s->live)
		return false;
	if (insn->class == KP_A64_HINT)
		return insn->number == XPACLRI;
	/* xpaci x30 */
	if (word == (0xdac143e0 | KP_A64_LR))
		return true;
	if (computes_with(word, KP_A64_LR))
		return true;
	if ((kp_a64_is_plain_access(word) || moved) && !kp_a64_plain_loads(word))
		return KP_A64_RD(word) == KP_A64_LR && KP_A64_RN(word) != SP &&
		       KP_A64_RN(word) != FP;
	return kp_a64_is_pair(word) && !kp_a64_pair_loads(word) &&
	       (KP_A64_RD(word) == KP_A64_LR || KP_A64_RA(word) == KP_A64_LR) &&
	       KP_A64_RN(word) != SP && KP_A64_RN(word) != FP;
}

/* Loads it into another register, or stores another in its place. */
static bool takes_saved(const struct kp_a64_insn *insn, const struct state *s)
{
	uint32_t word = insn->word;
	int64_t off;

	if (s->at == NOWHERE && s->bp == NOWHERE)
		return false;
	if (kp_a64_is_plain_access(word) && is_x(word))
		return hits(s, word, kp_a64_plain_offset(word)) &&
		       KP_A64_RD(word) != KP_A64_LR &&
		       (word >> 22 & 3) < 2;		/* no prfm */
	if (!kp_a64_is_pair(word) || !(word >> 31))
		return false;
	off = kp_a64_pair_moves_after(word) ? 0 : kp_a64_pair_offset(word);
	return (hits(s, word, off) && KP_A64_RD(word) != KP_A64_LR) ||
	       (hits(s, word, off + 8) && KP_A64_RA(word) != KP_A64_LR);
}

static bool takes(const struct walk *w, const struct kp_a64_insn *insn,
		  const struct state *s)
{
	return w->how->reads && (takes_live(insn, s) || takes_saved(insn, s));
}

static void shift(int64_t *at, int64_t by)
{
	if (*at != NOWHERE)
		*at -= by;
}

static void move_base(struct state *s, unsigned int base, int64_t by)
{
	if (base == SP)
		shift(&s->at, by);
	else if (base == FP)
		shift(&s->bp, by);
}

/* The word at off from the base, which has moved already, is now x30's; or is not. */
static void saved(struct state *s, unsigned int base, int64_t off)
{
	if (base == SP && s->live)
		s->at = off;
	else if (base == FP && s->live)
		s->bp = off;
}

static void access(const struct kp_a64_insn *insn, struct state *s)
{
	uint32_t word = insn->word;
	unsigned int base = KP_A64_RN(word);

	if (kp_a64_is_pair(word)) {
		int64_t off = kp_a64_pair_offset(word);
		bool after = kp_a64_pair_moves_after(word);
		int64_t at = kp_a64_pair_moves(word) ? 0 : off;

		if (kp_a64_pair_moves(word) && !after)
			move_base(s, base, off);
		if (kp_a64_pair_loads(word)) {
			if (KP_A64_RD(word) == KP_A64_LR)
				s->live = place(s, base, at) == 0;
			if (KP_A64_RA(word) == KP_A64_LR)
				s->live = place(s, base, at + 8) == 0;
			if (KP_A64_RD(word) == FP || KP_A64_RA(word) == FP)
				s->bp = NOWHERE;
		} else if (KP_A64_RD(word) == KP_A64_LR) {
			saved(s, base, at);
		} else if (KP_A64_RA(word) == KP_A64_LR) {
			saved(s, base, at + 8);
		}
		if (after)
			move_base(s, base, off);
		return;
	}
	if (kp_a64_is_moving_access(word) || kp_a64_is_plain_access(word)) {
		bool moves = kp_a64_is_moving_access(word);
		bool after = moves && kp_a64_moving_after(word);
		int64_t off = kp_a64_plain_offset(word), at = moves ? 0 : off;

		if (moves && !after)
			move_base(s, base, off);
		if (kp_a64_plain_loads(word)) {
			if (KP_A64_RD(word) == KP_A64_LR)
				s->live = is_x(word) && place(s, base, at) == 0;
			if (KP_A64_RD(word) == FP)
				s->bp = NOWHERE;
		} else if (KP_A64_RD(word) == KP_A64_LR && is_x(word)) {
			saved(s, base, at);
		}
		if (after)
			move_base(s, base, off);
	}
}

/* add, sub: of a number, 64 bits, without flags. */
static bool is_add(uint32_t word)
{
	return (word & 0xbf800000) == 0x91000000;
}

/* Results in the two pointers that are not known: and, and add of a register. */
static bool is_other_sp(uint32_t word)
{
	return (word & 0xff800000) == 0x92000000 || (word & 0xbfe00000) == 0x8b200000;
}

static void compute(uint32_t word, struct state *s)
{
	unsigned int rd = KP_A64_RD(word), rn = KP_A64_RN(word);
	int64_t imm = (int64_t)(word >> 10 & 0xfff) << (word & 1u << 22 ? 12 : 0);
	int64_t from = rn == SP ? s->at : rn == FP ? s->bp : NOWHERE;

	if (rd == KP_A64_LR && !kp_a64_signs(word))
		s->live = false;
	shift(&from, word & 1u << 30 ? -imm : imm);
	if (rd == FP)
		s->bp = is_add(word) ? from : NOWHERE;
	else if (rd == SP && is_add(word))
		s->at = from;
	else if (rd == SP && is_other_sp(word))
		s->at = NOWHERE;
}

/* Behind the instruction. */
static void step(const struct kp_a64_insn *insn, struct state *s)
{
	uint32_t word = insn->word;

	if (insn->class == KP_A64_BL || insn->class == KP_A64_BLR) {
		s->live = false;
	} else if (insn->class == KP_A64_EXCEPTION) {
		/* clone: behind it may be a child, on another stack. */
		s->at = s->bp = NOWHERE;
	} else if (kp_a64_is_load_store(word)) {
		access(insn, s);
	} else if (kp_a64_is_immediate(word) || kp_a64_is_register(word)) {
		compute(word, s);
	}
	/* Given back; whoever is there next has the word for something else. */
	if (s->at < 0)
		s->at = NOWHERE;
}

/* adrp x16, page; ldr x17, [x16, #off]; with a landing pad in front, or not. */
static bool through_table(const struct walk *w, uintptr_t entry, uintptr_t *word)
{
	struct kp_a64_insn insn;
	uint32_t words[3];
	unsigned int i;

	if (w->how->read((uint8_t *)words, entry, sizeof(words)))
		return false;
	kp_a64_decode(&insn, words[0]);
	i = insn.flags & KP_A64_PAD ? 1 : 0;
	kp_a64_decode(&insn, words[i]);
	if (insn.class != KP_A64_ADRP || insn.rt != 16 ||
	    (words[i + 1] & 0xffc003ff) != 0xf9400211)
		return false;
	*word = kp_a64_operand(&insn, entry + i * KP_A64_LEN) +
		(uintptr_t)kp_a64_plain_offset(words[i + 1]);
	return true;
}

/*
 * Does the jump lead out of the function, with its caller's address in x30, to
 * somebody who minds?  An entry of the procedure linkage table is looked through.
 */
static bool leaves_for(const struct walk *w, const struct kp_a64_insn *insn,
		       const struct state *s)
{
	uintptr_t to = kp_a64_operand(insn, s->addr), word, next;

	if (!w->how->follows || !s->live || insn->class != KP_A64_B ||
	    (to >= w->start && to < w->end))
		return false;
	if (w->how->follows(to, 0))
		return true;
	return through_table(w, to, &word) &&
	       !w->how->read((uint8_t *)&next, word, sizeof(next)) &&
	       w->how->follows(next, word);
}

static bool falls_through(const struct kp_a64_insn *insn)
{
	switch (insn->class) {
	case KP_A64_UNALLOCATED:
	case KP_A64_B:
	case KP_A64_BR:
	case KP_A64_RET:
	case KP_A64_ERET:
		return false;
	}
	return true;
}

static bool walk_block(struct walk *w, struct state s, unsigned int *insns)
{
	struct kp_a64_insn insn;

	for (; s.addr < w->end && (*insns)++ < INSNS_MAX; s.addr += KP_A64_LEN) {
		if (!decode(w, s.addr, &insn))
			return false;
		if (takes(w, &insn, &s) || leaves_for(w, &insn, &s))
			return true;
		step(&insn, &s);
		switch (insn.class) {
		case KP_A64_B:
		case KP_A64_BCOND:
		case KP_A64_CBZ:
		case KP_A64_TBZ:
			add_block(w, kp_a64_operand(&insn, s.addr), &s);
		}
		if (!falls_through(&insn) || is_block(w, s.addr + KP_A64_LEN))
			return false;
	}
	return false;
}

bool kp_arch_sees_caller(uintptr_t addr, size_t len,
			 const struct kp_arch_caller *how)
{
	struct walk w = { .how = how, .start = addr, .end = addr + len };
	unsigned int done, insns = 0;

	add_block(&w, addr, &(struct state){ .live = true, .at = NOWHERE,
					     .bp = NOWHERE });
	for (done = 0; done < w.blocks_nr; done++)
		if (walk_block(&w, state_of(&w, &w.block[done]), &insns))
			return true;
	return false;
}
