/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * purity.c - what does a function leave alone?
 *
 * Owns: the walk over all code that a function can reach by direct branches
 * and calls, which asks for registers, and for what the second argument points
 * to.  Invariant: whatever cannot be followed, decoded or counted ends
 * the walk with "not pure", so a better answer is a proof, as long as the code
 * does not change and its returns return.
 *
 * A function uses vector registers or it does not: there is no cheaper part of them.
 */
#include "code.h"
#include "operands.h"
#include "probe.h"

#define BLOCKS_MAX 64	/* branch targets and functions, all told */
#define INSNS_MAX 4096
#define SECOND 1	/* x1 */
#define PLT_SCRATCH 16
#define PLT_TARGET 17

struct walk {
	int (*read)(uint8_t *dst, uintptr_t addr, size_t len);
	bool (*known)(uintptr_t addr);
	bool (*constant)(uintptr_t addr, uintptr_t *word);
	bool (*patched)(uintptr_t addr, size_t len);
	/*
	 * x1 is to be used for nothing but loads until it holds something else; who
	 * branches is not asked which of both it is.
	 */
	bool second;
	uintptr_t block[BLOCKS_MAX];
	unsigned int nr, done;
	unsigned int insns_nr;
};

static bool has_block(const struct walk *w, uintptr_t addr)
{
	unsigned int i;

	for (i = 0; i < w->nr; i++)
		if (w->block[i] == addr)
			return true;
	return false;
}

/* False: too many. */
static bool add_block(struct walk *w, uintptr_t addr)
{
	if (has_block(w, addr))
		return true;
	if (w->nr == BLOCKS_MAX)
		return false;
	w->block[w->nr++] = addr;
	return true;
}

/* Those of the system's that are no vector unit's. */
static bool is_general_system(const struct kp_a64_insn *insn)
{
	switch (insn->class) {
	case KP_A64_HINT:
	case KP_A64_WAIT:
	case KP_A64_BARRIER:
	case KP_A64_CLREX:
	case KP_A64_READ_SYSREG:
	case KP_A64_SYS:
		return true;
	case KP_A64_WRITE_SYSREG:	/* nzcv; not fpcr, fpsr and what nobody writes */
		return insn->sysreg == 0xda10;
	case KP_A64_B:
	case KP_A64_BL:
	case KP_A64_BCOND:
	case KP_A64_CBZ:
	case KP_A64_TBZ:
	case KP_A64_BR:
	case KP_A64_BLR:
	case KP_A64_RET:
		return true;
	}
	/* svc: a system call clears what long vector registers have more than others. */
	return false;
}

/* General registers only. */
static bool is_general(const struct kp_a64_insn *insn)
{
	uint32_t word = insn->word;

	if (insn->class == KP_A64_UNALLOCATED)
		return false;
	if (kp_a64_is_branch_or_system(word))
		return is_general_system(insn);
	if (kp_a64_is_load_store(word))
		return !(word & 1u << 26);
	return kp_a64_is_immediate(word) || kp_a64_is_register(word);
}

/* It computes the link register: a return that follows may be none. */
static bool replaces_return(const struct kp_a64_insn *insn)
{
	uint32_t word = insn->word;

	if (!kp_a64_is_immediate(word) && !kp_a64_is_register(word))
		return false;
	return KP_A64_RD(word) == KP_A64_LR && !kp_a64_signs(word);
}

static bool names(uint32_t word, unsigned int reg)
{
	if (kp_a64_is_immediate(word))
		return KP_A64_RD(word) == reg ||
		       (!kp_a64_has_wide_immediate(word) && KP_A64_RN(word) == reg) ||
		       /* extr has a second operand */
		       ((word & 0x1f800000) == 0x13800000 && KP_A64_RM(word) == reg);
	if (kp_a64_is_plain_access(word))
		return KP_A64_RD(word) == reg || KP_A64_RN(word) == reg;
	if (kp_a64_is_branch_or_system(word))
		return (word & 0x7c000000) != 0x14000000 &&	/* b, bl */
		       (KP_A64_RD(word) == reg || KP_A64_RN(word) == reg);
	return KP_A64_RD(word) == reg || KP_A64_RN(word) == reg ||
	       KP_A64_RA(word) == reg || KP_A64_RM(word) == reg;
}

/* ... of a general register, and no prefetch; [Rn, #imm] or [Rn, Rm]. */
static bool is_load_of(uint32_t word, unsigned int reg)
{
	bool indexed = (word & 0x3f200c00) == 0x38200800;

	return (indexed || kp_a64_is_plain_access(word)) && kp_a64_plain_loads(word) &&
	       (word & 0xffc00000) != 0xf9800000 && (word & 0xffe00000) != 0xf8800000 &&
	       (word & 0xffe00000) != 0xf8a00000 &&
	       KP_A64_RD(word) == reg && KP_A64_RN(word) != reg &&
	       !(indexed && KP_A64_RM(word) == reg);
}

/* Its result is in Rd, of which it reads nothing. */
static bool only_writes_rd(uint32_t word)
{
	if (kp_a64_has_wide_immediate(word))		/* but movk */
		return (word & 0x7f800000) != 0x72800000;
	if (kp_a64_is_immediate(word))			/* but bfm */
		return (word & 0x7f800000) != 0x33000000;
	if (!kp_a64_is_register(word) || kp_a64_signs(word))
		return false;
	switch (word & 0x1f000000) {
	case 0x0a000000:				/* and, orr, ... */
	case 0x0b000000:				/* add, sub */
	case 0x1b000000:				/* madd, ... */
		return true;
	}
	/* csel, ...; what has one or two operands */
	return (word & 0x1fe00000) == 0x1a800000 || (word & 0x1fe00000) == 0x1ac00000;
}

/* From there on the second argument's register holds something else. */
static bool loses_second(uint32_t word)
{
	if (is_load_of(word, SECOND))
		return true;
	if (!only_writes_rd(word) || KP_A64_RD(word) != SECOND)
		return false;
	return kp_a64_has_wide_immediate(word) ||
	       !names((word & ~31u) | KP_A64_LR, SECOND);
}

/* What the second argument points to is read at most. */
static bool keeps_second(uint32_t word)
{
	if (!names(word, SECOND))
		return true;
	if (KP_A64_RN(word) != SECOND)
		return false;
	if (kp_a64_is_plain_access(word))
		return kp_a64_plain_loads(word);
	return kp_a64_is_pair(word) && kp_a64_pair_loads(word) &&
	       !kp_a64_pair_moves(word);
}

static bool read_word(const struct walk *w, uintptr_t addr, uint32_t *word)
{
	return !w->read((uint8_t *)word, addr, sizeof(*word));
}

/*
 * An entry of the procedure linkage table: adrp x16, page; ldr x17, [x16, #off];
 * add x16, x16, #off; br x17, the last of them at addr.
 */
static bool leads_on(struct walk *w, uintptr_t addr)
{
	struct kp_a64_insn page;
	uint32_t adrp, ldr;
	uintptr_t to;

	if (!w->constant || !read_word(w, addr - 12, &adrp) || !read_word(w, addr - 8, &ldr))
		return false;
	kp_a64_decode(&page, adrp);
	if (page.class != KP_A64_ADRP || page.rt != PLT_SCRATCH ||
	    (ldr & 0xffc003ff) != (0xf9400000 | PLT_SCRATCH << 5 | PLT_TARGET) ||
	    !w->constant(kp_a64_operand(&page, addr - 12) + (uintptr_t)kp_a64_plain_offset(ldr),
			 &to))
		return false;
	return (w->known && w->known(to)) || add_block(w, to);
}

/*
 * Take note of where the instruction leads to.  false: nobody knows.
 * *falls_through: does the walk go on behind it?
 */
static bool follow(struct walk *w, const struct kp_a64_insn *insn, uintptr_t addr,
		   bool *falls_through)
{
	uintptr_t target = kp_a64_operand(insn, addr);

	*falls_through = true;
	switch (insn->class) {
	case KP_A64_B:
		*falls_through = false;
		__attribute__((__fallthrough__));
	case KP_A64_BL:
	case KP_A64_BCOND:
	case KP_A64_CBZ:
	case KP_A64_TBZ:
		return (w->known && w->known(target)) || add_block(w, target);
	case KP_A64_BR:
		*falls_through = false;
		return insn->rn == PLT_TARGET && !(insn->flags & KP_A64_PAC) &&
		       leads_on(w, addr);
	case KP_A64_RET:
		*falls_through = false;
		return insn->rn == KP_A64_LR;
	case KP_A64_BLR:
		return false;
	}
	return true;
}

/* A kernel's jump labels, static calls and traced entries. */
static bool may_switch(const struct walk *w, const struct kp_a64_insn *insn,
		       uintptr_t addr)
{
	return w->patched &&
	       (insn->word == KP_A64_NOP || insn->class == KP_A64_B ||
		insn->class == KP_A64_BL) && w->patched(addr, KP_A64_LEN);
}

static bool walk_block(struct walk *w, uintptr_t addr)
{
	bool falls_through = true, second = w->second;
	struct kp_a64_insn insn;
	uint32_t word;

	for (; falls_through; addr += KP_A64_LEN) {
		if (w->insns_nr++ == INSNS_MAX || !read_word(w, addr, &word))
			return false;
		kp_a64_decode(&insn, word);
		if (!is_general(&insn) || replaces_return(&insn) ||
		    may_switch(w, &insn, addr) ||
		    (second && !keeps_second(word) && !loses_second(word)) ||
		    !follow(w, &insn, addr, &falls_through))
			return false;
		second = second && !loses_second(word);
		/* Walked already, or will be. */
		if (has_block(w, addr + KP_A64_LEN))
			break;
	}
	return true;
}

static bool walk(struct walk *w, uintptr_t addr)
{
	add_block(w, addr);
	while (w->done < w->nr)
		if (!walk_block(w, w->block[w->done++]))
			return false;
	return true;
}

enum kp_arch_purity
kp_arch_purity(uintptr_t addr,
	       int (*read)(uint8_t *dst, uintptr_t addr, size_t len),
	       bool (*known)(uintptr_t addr),
	       bool (*constant)(uintptr_t addr, uintptr_t *word))
{
	struct walk w = { .read = read, .known = known, .constant = constant };

	return walk(&w, addr) ? KP_ARCH_PURE_GPR : KP_ARCH_PURE_NOT;
}

bool kp_arch_general_only(uintptr_t begin, uintptr_t end,
			  int (*read)(uint8_t *dst, uintptr_t addr, size_t len))
{
	struct kp_a64_insn insn;
	uint32_t word;

	for (; begin < end; begin += KP_A64_LEN) {
		if (read((uint8_t *)&word, begin, sizeof(word)))
			return false;
		kp_a64_decode(&insn, word);
		if (!is_general(&insn))
			return false;
	}
	return true;
}

bool kp_arch_spares_second(uintptr_t addr,
			   int (*read)(uint8_t *dst, uintptr_t addr,
				       size_t len),
			   bool (*patched)(uintptr_t addr, size_t len))
{
	struct walk w = { .read = read, .patched = patched, .second = true };

	return walk(&w, addr);
}
