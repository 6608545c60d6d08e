/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * exclusive.c - is a store-exclusive to be reached from here?
 *
 * Owns: kp_a64_is_exclusive, kp_arch_refuse_around.  A store-exclusive wants a load-exclusive before it on
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
#include "arch.h"
#include "exclusive.h"

#define CHUNK 64		/* instructions that are read together */
#define NR (2 * KP_A64_AROUND)

struct walk {
	const struct kp_a64_text *text;
	size_t first, nr;		/* the part that is looked at */
	uint8_t seen[NR / 8];
	uint32_t chunk[CHUNK];
	size_t chunk_at, chunk_nr;
	bool lost;			/* a way leads where nobody looks */
};

static bool read_word(struct walk *w, size_t i, uint32_t *word)
{
	size_t nr = w->text->nr - i;

	if (i - w->chunk_at >= w->chunk_nr) {
		nr = nr < CHUNK ? nr : CHUNK;
		w->chunk_nr = 0;
		if (w->text->read((uint8_t *)w->chunk, w->text->start + i * KP_A64_LEN,
				  nr * KP_A64_LEN))
			return false;
		w->chunk_at = i;
		w->chunk_nr = nr;
	}
	*word = w->chunk[i - w->chunk_at];
	return true;
}

static bool is_seen(const struct walk *w, size_t i)
{
	i -= w->first;
	return w->seen[i / 8] >> i % 8 & 1;
}

/* True: it was not seen before. */
static bool see(struct walk *w, uint64_t i)
{
	uint64_t off = i - w->first;

	if (i >= w->text->nr)
		return false;
	if (off >= w->nr) {
		w->lost = true;
		return false;
	}
	if (is_seen(w, i))
		return false;
	w->seen[off / 8] |= (uint8_t)(1u << off % 8);
	return true;
}

static bool is_store(uint32_t word)
{
	struct kp_a64_insn insn;

	/* What all of them have in common, for most words. */
	if ((word & 0x3fc00000) != 0x08000000)
		return false;
	kp_a64_decode(&insn, word);
	return insn.class == KP_A64_STORE_EXCLUSIVE;
}

/* Or a word that cannot be read. */
static bool has_store(struct walk *w)
{
	uint32_t word;
	size_t i;

	for (i = 0; i < w->text->nr; i++)
		if (!read_word(w, i, &word) || is_store(word))
			return true;
	return false;
}

/* See what follows instruction @i.  True: that is anything new. */
static bool follow(struct walk *w, const struct kp_a64_insn *insn, size_t i)
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
		return see(w, target);
	case KP_A64_BL:
	case KP_A64_BCOND:
	case KP_A64_CBZ:
	case KP_A64_TBZ:
		more = see(w, target);
		return see(w, i + 1) || more;
	default:
		return see(w, i + 1);
	}
}

/* One look at all that was seen.  *more: it has led to something new. */
static bool reaches_store(struct walk *w, bool *more)
{
	struct kp_a64_insn insn;
	uint32_t word;
	size_t i;

	for (i = w->first; i < w->first + w->nr; i++) {
		if (!is_seen(w, i))
			continue;
		if (!read_word(w, i, &word))
			return true;
		kp_a64_decode(&insn, word);
		if (insn.class == KP_A64_STORE_EXCLUSIVE)
			return true;
		/* What is seen further on, this look comes to. */
		*more |= follow(w, &insn, i);
	}
	return w->lost;
}

bool kp_a64_is_exclusive(const struct kp_a64_text *text, size_t at)
{
	struct walk w = { .text = text, .nr = text->nr };
	struct kp_a64_insn insn;
	uint32_t word;
	bool more = true;

	/* On the load itself, a trap comes behind it in its slot. */
	if (!read_word(&w, at, &word))
		return true;
	kp_a64_decode(&insn, word);
	if (insn.class == KP_A64_LOAD_EXCLUSIVE)
		return true;
	if (!has_store(&w))
		return false;
	if (at > KP_A64_AROUND)
		w.first = at - KP_A64_AROUND;
	w.nr = text->nr - w.first < NR ? text->nr - w.first : NR;
	see(&w, at);
	while (more) {
		more = false;
		if (reaches_store(&w, &more))
			return true;
	}
	return false;
}

int kp_arch_refuse_around(uintptr_t start, size_t len, uintptr_t addr,
			  int (*read)(uint8_t *dst, uintptr_t addr, size_t len),
			  const char **reason)
{
	const struct kp_a64_text text = {
		.start = start, .nr = len / KP_A64_LEN, .read = read,
	};
	size_t at = (addr - start) / KP_A64_LEN;

	if (at >= text.nr || !kp_a64_is_exclusive(&text, at))
		return 0;
	*reason = "it may be between a load-exclusive and its store-exclusive, whose loop a trap would make endless";
	return -EOPNOTSUPP;
}
