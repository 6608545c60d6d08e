/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * exclusive.c - is a store-exclusive to be reached from here?
 *
 * Owns: kp_a64_is_exclusive.  A store-exclusive wants a load-exclusive before it on
 * every path.  So what leads to a store-exclusive without another load-exclusive
 * stands between two of them, however far apart they are; and what does not lead to
 * one does not.  All paths are followed, within the function:
 *
 *	load-exclusive, clrex	end a path: what comes later has its own
 *	br blr ret eret svc ...	end one: the manual rules indirect branches and
 *				exceptions out between the two, for loops that are to
 *				come to their end
 *	b, b.cond, cbz, tbz	go on at the target, and behind unless always taken
 *	bl			goes on behind, and at a target in the function
 */
#include "exclusive.h"

static bool is_seen(const uint8_t *seen, size_t i)
{
	return seen[i / 8] >> i % 8 & 1;
}

/* True: it was not seen before. */
static bool see(uint8_t *seen, size_t nr, uint64_t i)
{
	if (i >= nr || is_seen(seen, i))
		return false;
	seen[i / 8] |= (uint8_t)(1u << i % 8);
	return true;
}

static bool has_store(const uint32_t *text, size_t nr)
{
	struct kp_a64_insn insn;
	size_t i;

	for (i = 0; i < nr; i++) {
		kp_a64_decode(&insn, text[i]);
		if (insn.class == KP_A64_STORE_EXCLUSIVE)
			return true;
	}
	return false;
}

/* See what follows instruction @i.  True: that is anything new. */
static bool follow(const struct kp_a64_insn *insn, uint8_t *seen, size_t nr, size_t i)
{
	uint64_t target = (uint64_t)i + (uint64_t)(insn->offset / KP_A64_LEN);
	bool more;

	switch (insn->class) {
	case KP_A64_UNALLOCATED:
	case KP_A64_LOAD_EXCLUSIVE:
	case KP_A64_CLREX:
	case KP_A64_BR:
	case KP_A64_BLR:
	case KP_A64_RET:
	case KP_A64_ERET:
	case KP_A64_EXCEPTION:
		return false;
	case KP_A64_B:
		return see(seen, nr, target);
	case KP_A64_BL:
	case KP_A64_BCOND:
	case KP_A64_CBZ:
	case KP_A64_TBZ:
		more = see(seen, nr, target);
		return see(seen, nr, i + 1) || more;
	default:
		return see(seen, nr, i + 1);
	}
}

bool kp_a64_is_exclusive(const uint32_t *text, size_t nr, size_t at, uint8_t *seen)
{
	struct kp_a64_insn insn;
	bool more;
	size_t i;

	/* On the load itself, a trap comes behind it in its slot. */
	kp_a64_decode(&insn, text[at]);
	if (insn.class == KP_A64_LOAD_EXCLUSIVE)
		return true;
	if (!has_store(text, nr))
		return false;
	memset(seen, 0, KP_A64_SEEN_LEN(nr));
	see(seen, nr, at);
	do {
		more = false;
		for (i = 0; i < nr; i++) {
			if (!is_seen(seen, i))
				continue;
			kp_a64_decode(&insn, text[i]);
			if (insn.class == KP_A64_STORE_EXCLUSIVE)
				return true;
			/* What is seen further on, this pass comes to. */
			more |= follow(&insn, seen, nr, i);
		}
	} while (more);
	return false;
}
