/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * blocks.h - the code that can be reached from a function's entry.
 *
 * Owns: the set of blocks that a walk has found, and reading an instruction of code that may end
 * soon.  The walks, purity.c and lean.c, decide what is followed and what is looked for.
 */
#ifndef KP_X86_BLOCKS_H
#define KP_X86_BLOCKS_H

#include "probe.h"
#include "insn/insn.h"

#define KP_X86_BLOCKS_MAX 64	/* branch targets and functions, all told */

struct kp_x86_blocks {
	int (*read)(uint8_t *dst, uintptr_t addr, size_t len);
	/* May somebody make another instruction of it?  NULL: nobody. */
	bool (*patched)(uintptr_t addr, size_t len);
	uintptr_t block[KP_X86_BLOCKS_MAX];
	unsigned int nr, done;
	unsigned int insns_nr;
};

static inline bool kp_x86_blocks_has(const struct kp_x86_blocks *blocks,
				    uintptr_t addr)
{
	unsigned int i;

	for (i = 0; i < blocks->nr; i++)
		if (blocks->block[i] == addr)
			return true;
	return false;
}

/* False: too many. */
static inline bool kp_x86_blocks_add(struct kp_x86_blocks *blocks, uintptr_t addr)
{
	if (kp_x86_blocks_has(blocks, addr))
		return true;
	if (blocks->nr == KP_X86_BLOCKS_MAX)
		return false;
	blocks->block[blocks->nr++] = addr;
	return true;
}

/* As a kernel's jump labels and static calls are, whose place may be taken. */
static inline bool kp_x86_may_switch(const struct kp_insn *insn)
{
	return insn->length == 5 || insn->length == 2;
}

static inline bool kp_x86_blocks_decode(const struct kp_x86_blocks *blocks,
				       uintptr_t addr, struct kp_insn *insn)
{
	uint8_t bytes[KP_INSN_MAX];
	size_t len = sizeof(bytes);

	/* The code may end before the longest instruction does. */
	while (len && blocks->read(bytes, addr, len))
		len--;
	return len && !kp_insn_decode(insn, bytes, len, KP_X86_MODE) &&
	       !(blocks->patched && kp_x86_may_switch(insn) &&
		 blocks->patched(addr, insn->length));
}

#endif
