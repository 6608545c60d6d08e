/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * region.c - is a store that wants a reservation to be reached from here?
 *
 * Owns: kp_region_is_reserved.  Such a store (store-exclusive, store-conditional) wants the
 * load that reserves before it on every path.  So what leads to a store without another
 * such load stands between two of them, however far apart they are; and what does not lead
 * to one does not.  All paths are followed, within the function; what each instruction
 * does to a path says the processor's kp_region_text.decode.
 */
#include "region.h"

#define CHUNK 256		/* bytes that are read together */
#define NR (2 * KP_REGION_AROUND)

struct walk {
	const struct kp_region_text *text;
	size_t first, nr;		/* the part that is looked at, in units */
	uint8_t seen[NR / 8];
	uint8_t chunk[CHUNK];
	size_t chunk_at, chunk_len;	/* in bytes */
	bool lost;			/* a way leads where nobody looks */
};

static size_t units(const struct kp_region_text *text)
{
	return text->len / text->unit;
}

/* Some bytes of the text. */
static bool read_bytes(struct walk *w, void *to, size_t at, size_t want)
{
	size_t left = w->text->len - at;

	if (at < w->chunk_at || at + want > w->chunk_at + w->chunk_len) {
		size_t len = left < CHUNK ? left : CHUNK;

		w->chunk_len = 0;
		if (w->text->read(w->chunk, w->text->start + at, len))
			return false;
		w->chunk_at = at;
		w->chunk_len = len;
	}
	memcpy(to, w->chunk + (at - w->chunk_at), want);
	return true;
}

/* The word at unit @i; behind the text's end it is zero. */
static bool read_word(struct walk *w, size_t i, uint32_t *word)
{
	size_t at = i * w->text->unit, left = w->text->len - at;

	*word = 0;
	return read_bytes(w, word, at, left < sizeof(*word) ? left : sizeof(*word));
}

/* The instruction at unit @i; false: it cannot be read. */
static bool read_insn(struct walk *w, size_t i, struct kp_region_insn *insn)
{
	uint8_t all[KP_REGION_BEFORE + sizeof(uint32_t)] = { 0 };
	size_t at = i * w->text->unit, end = at + sizeof(uint32_t);
	size_t from = at < KP_REGION_BEFORE ? 0 : at - KP_REGION_BEFORE;
	uint32_t word;

	if (!w->text->decode_behind) {
		if (!read_word(w, i, &word))
			return false;
		w->text->decode(insn, word, w->text->start + at);
		return true;
	}
	if (end > w->text->len)
		end = w->text->len;
	if (!read_bytes(w, all + KP_REGION_BEFORE - (at - from), from, end - from))
		return false;
	memcpy(&word, all + KP_REGION_BEFORE, sizeof(word));
	w->text->decode_behind(insn, word, all);
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

	if (i >= units(w->text))
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

/* Or a word that cannot be read, or one that looks like a store and begins within another. */
static bool has_store(struct walk *w)
{
	struct kp_region_insn insn;
	uint32_t word;
	size_t i;

	for (i = 0; i < units(w->text); i++) {
		if (!read_word(w, i, &word))
			return true;
		/* For most words this is all. */
		if ((word & w->text->store_mask) != w->text->store_value)
			continue;
		if (!read_insn(w, i, &insn) || insn.step == KP_REGION_STORE)
			return true;
	}
	return false;
}

/* See what follows the instruction at unit @i.  True: that is anything new. */
static bool follow(struct walk *w, const struct kp_region_insn *insn, size_t i)
{
	long unit = (long)w->text->unit;
	/* A branch reaches no farther than a word can say. */
	uint64_t target = (uint64_t)i + (uint64_t)(int64_t)((long)insn->offset / unit);
	uint64_t behind = i + insn->len / w->text->unit;
	bool more;

	switch (insn->step) {
	case KP_REGION_ON:
		return see(w, behind);
	case KP_REGION_AWAY:
		return see(w, target);
	case KP_REGION_EITHER:
		more = see(w, target);
		return see(w, behind) || more;
	default:
		return false;
	}
}

/* One look at all that was seen.  *more: it has led to something new. */
static bool reaches_store(struct walk *w, bool *more)
{
	struct kp_region_insn insn;
	size_t i;

	for (i = w->first; i < w->first + w->nr; i++) {
		if (!is_seen(w, i))
			continue;
		if (!read_insn(w, i, &insn))
			return true;
		if (insn.step == KP_REGION_STORE || insn.step == KP_REGION_UNKNOWN)
			return true;
		/* What is seen further on, this look comes to. */
		*more |= follow(w, &insn, i);
	}
	return w->lost;
}

bool kp_region_is_reserved(const struct kp_region_text *text, size_t off)
{
	struct walk w = { .text = text };
	size_t at = off / text->unit;
	struct kp_region_insn insn;
	bool more = true;

	/* On the load itself, a trap comes behind it in its slot. */
	if (!read_insn(&w, at, &insn))
		return true;
	if (insn.step == KP_REGION_LOAD)
		return true;
	if (!has_store(&w))
		return false;
	if (at > KP_REGION_AROUND)
		w.first = at - KP_REGION_AROUND;
	w.nr = units(text) - w.first < NR ? units(text) - w.first : NR;
	see(&w, at);
	while (more) {
		more = false;
		if (reaches_store(&w, &more))
			return true;
	}
	return false;
}
