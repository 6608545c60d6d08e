/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * second.h - walks over a function's code, for processors whose instructions are words.
 *
 * Owns: what is asked of each instruction, and the blocks that a walk has found, with what is
 * known of registers where they begin.  A port's second.c includes it, and knows the
 * instructions; second.c here asks it.  Registers are bits of a word.
 */
#ifndef KP_WORDS_SECOND_H
#define KP_WORDS_SECOND_H

#include "code.h"

#define REG(reg) (1u << (reg))

#define BLOCKS_MAX 64	/* branch targets and functions, all told */
#define INSNS_MAX 4096
#define FRAME_MAX 256	/* no further from the stack pointer is a function's own frame */

/* What an instruction does to registers and with memory. */
struct uses {
	uint32_t reads;		/* their value goes on somewhere, or says where it writes */
	uint32_t writes;	/* all of them; what is read of them before is in reads, too */
	bool constant;		/* what it writes is made of numbers in the code and of reads */
	bool loads, stores;
	bool stack_loaded;	/* the stack pointer is among what it loads */
	uint32_t base;		/* the register of its address */
	bool fixed;		/* ... which a number is added to, and nothing else */
	bool near;		/* that number is one of a frame */
};

/* What is known of registers. */
struct known {
	bool second;		/* the second argument's may be that still */
	uint32_t constant;	/* the code alone says their values */
};

struct block {
	uintptr_t addr;
	struct known known;	/* of all the ways to it that were found */
	bool done;
};

struct walk {
	int (*read)(uint8_t *dst, uintptr_t addr, size_t len);
	bool (*patched)(uintptr_t addr, size_t len);
	bool bare;		/* nothing is to be left behind */
	struct block block[BLOCKS_MAX];
	unsigned int nr;
	unsigned int insns_nr;
};

/* nr bits of an instruction, from low on; nr is less than 32. */
static inline uint32_t field(uint32_t word, unsigned int low, unsigned int nr)
{
	return word >> low & ((1u << nr) - 1);
}

/* What is written is made of numbers in the code and of what is read. */
static inline bool computes(struct uses *u, uint32_t to, uint32_t of)
{
	u->writes = to;
	u->reads = of;
	u->constant = true;
	return true;
}

/* offset is added to a register for an address; what has an index may be anywhere. */
static inline void use_place(struct uses *u, uint32_t index, int64_t offset)
{
	u->fixed = !index;
	u->near = u->fixed && offset >= 0 && offset < FRAME_MAX;
}

/* May it write what it stores to: static data, or the frame? */
static inline bool stores_own(const struct uses *u, const struct known *known, uint32_t stack)
{
	return u->base == stack ? u->near : u->fixed && u->base & known->constant;
}

static inline struct block *find_block(struct walk *w, uintptr_t addr)
{
	unsigned int i;

	for (i = 0; i < w->nr; i++)
		if (w->block[i].addr == addr)
			return &w->block[i];
	return NULL;
}

/* Another way to it: if less is known by that, it is walked again. */
static inline void come_to(struct block *block, struct known known)
{
	known.second = known.second || block->known.second;
	known.constant &= block->known.constant;
	if (known.second == block->known.second && known.constant == block->known.constant)
		return;
	block->known = known;
	block->done = false;
}

/* False: too many. */
static inline bool add_block(struct walk *w, uintptr_t addr, struct known known)
{
	struct block *block = find_block(w, addr);

	if (block) {
		come_to(block, known);
		return true;
	}
	if (w->nr == BLOCKS_MAX)
		return false;
	w->block[w->nr++] = (struct block) { .addr = addr, .known = known };
	return true;
}

/* Of an instruction that was, always or only sometimes, executed; numbers: those that are constant anyway. */
static inline void pass(struct known *known, const struct uses *u, uint32_t second, bool always,
			uint32_t numbers)
{
	if (u->writes & second && always)
		known->second = false;
	if (always && u->constant && !(u->reads & ~(known->constant | numbers)))
		known->constant |= u->writes;
	else
		known->constant &= ~u->writes;
}

/* The port's: from the block's beginning to its end; false: nothing is proved. */
bool kp_words_walk_block(struct walk *w, const struct block *block);

#endif
