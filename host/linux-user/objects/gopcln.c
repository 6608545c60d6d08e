// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * gopcln.c - the table in which Go's runtime finds its functions.
 *
 * Owns: its four formats, each known by its first word.  All begin with
 *
 *   0  the word; two zeros; the size of the shortest instruction, 1; of a pointer, 8
 *   8  how many functions there are
 *
 * and then, each word being of 8 bytes:
 *
 *   1.2         the index; names, depths and functions count from the table's begin
 *   1.16        files, where names are, units, files, depths, functions (56)
 *   1.18, 1.20  the same behind the text's begin (24), which is new
 *
 * The index stands where functions begin: a place and an offset for each, and the
 * last one's end; words of 8 bytes, since 1.18 of 4.  A function has its place, its
 * name's offset, two or three numbers, and where its depths are.
 *
 * Invariant: nothing is read that is not below len.  Functions may share their depths,
 * but a table has more bytes than all functions together have stretches of them; one
 * that says otherwise is cut there, so its length bounds the time.
 */
#include "objects/gopcln.h"

#include <string.h>

#define GO_1_2	0xfffffffbu
#define GO_1_16 0xfffffffau
#define GO_1_18 0xfffffff0u
#define GO_1_20 0xfffffff1u

#define HEAD_LEN 16u
#define NAME_MAX_LEN 4096u

static bool number_at(const struct kp_gopcln *t, size_t at, size_t len,
		      uint64_t *value)
{
	*value = 0;
	if (at > t->len || len > t->len - at)
		return false;
	memcpy(value, t->bytes + at, len);
	return true;
}

/* A part of the table begins where the word says. */
static bool part_at(const struct kp_gopcln *t, size_t at, size_t *part)
{
	uint64_t value;

	if (!number_at(t, at, 8, &value) || value >= t->len)
		return false;
	*part = (size_t)value;
	return true;
}

static bool open_parts(struct kp_gopcln *t, size_t at)
{
	bool good = part_at(t, at, &t->names) &&
		    part_at(t, at + 24, &t->depths) &&
		    part_at(t, at + 32, &t->functions);

	t->index = t->functions;
	return good;
}

static bool open_version(struct kp_gopcln *t, uint32_t version)
{
	switch (version) {
	case GO_1_2:
		t->index = 16;
		return true;
	case GO_1_16:
		return open_parts(t, 24);
	case GO_1_18:
	case GO_1_20:
		t->by_offset = true;
		return number_at(t, 24, 8, &t->text) && t->text &&
		       open_parts(t, 32);
	}
	return false;
}

/* Bytes of a word in the index. */
static size_t word_len(const struct kp_gopcln *t)
{
	return t->by_offset ? 4 : 8;
}

static bool is_head(const uint8_t *bytes)
{
	return !bytes[4] && !bytes[5] && bytes[6] == 1 && bytes[7] == 8;
}

bool kp_gopcln_open(struct kp_gopcln *t, const uint8_t *bytes, size_t len)
{
	uint64_t version, nr;

	*t = (struct kp_gopcln){ .bytes = bytes, .len = len, .steps = len };
	if (!number_at(t, 0, 4, &version) || !number_at(t, 8, 8, &nr) ||
	    !is_head(bytes) || !open_version(t, (uint32_t)version))
		return false;
	/* Two words each, and one behind the last. */
	if (t->index >= len || nr >= (len - t->index) / word_len(t) / 2 ||
	    nr > UINT32_MAX)
		return false;
	t->nr = (uint32_t)nr;
	return true;
}

static bool place_of(const struct kp_gopcln *t, uint32_t number, uint64_t *place)
{
	if (!number_at(t, t->index + (size_t)number * 2 * word_len(t), word_len(t),
		       place))
		return false;
	*place += t->text;
	return true;
}

static const char *name_at(const struct kp_gopcln *t, uint64_t offset)
{
	size_t at = t->names + (size_t)offset, len;

	if (offset >= t->len - t->names)
		return NULL;
	for (len = 0; len < NAME_MAX_LEN && at + len < t->len; len++)
		if (!t->bytes[at + len])
			return len ? (const char *)t->bytes + at : NULL;
	return NULL;
}

bool kp_gopcln_function(const struct kp_gopcln *t, uint32_t number,
		     struct kp_gopcln_function *fn)
{
	size_t word = word_len(t), own;
	uint64_t offset, name, depths;

	if (number >= t->nr || !place_of(t, number, &fn->start) ||
	    !place_of(t, number + 1, &fn->end) || fn->end <= fn->start ||
	    !number_at(t, t->index + ((size_t)number * 2 + 1) * word, word,
		       &offset) ||
	    offset >= t->len - t->functions)
		return false;
	own = t->functions + (size_t)offset + word;
	if (!number_at(t, own, 4, &name) || !number_at(t, own + 12, 4, &depths))
		return false;
	fn->name = name_at(t, name);
	fn->depths = t->depths + (size_t)depths;
	return fn->name;
}

bool kp_gopcln_search(struct kp_gopcln *t, const uint8_t *bytes, size_t len)
{
	struct kp_gopcln_function fn;
	size_t at;

	for (at = 0; at + HEAD_LEN < len; at += 8)
		if (is_head(bytes + at) &&
		    kp_gopcln_open(t, bytes + at, len - at) &&
		    kp_gopcln_function(t, 0, &fn))
			return true;
	return false;
}

/* Seven bits a byte, the lowest first. */
static bool take_number(const struct kp_gopcln *t, size_t *at, uint32_t *value)
{
	unsigned int shift;

	*value = 0;
	for (shift = 0; shift < 35 && *at < t->len; shift += 7) {
		uint8_t byte = t->bytes[(*at)++];

		*value |= (uint32_t)((uint64_t)(byte & 0x7f) << shift);
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

uint64_t kp_gopcln_depths(struct kp_gopcln *t,
			  const struct kp_gopcln_function *fn,
			  void (*take)(void *arg, uint64_t start, uint64_t end,
				       int64_t depth),
			  void *arg)
{
	uint64_t start = fn->start, end;
	size_t at = fn->depths;
	uint32_t change, len;
	int64_t depth = -1;
	bool first;

	for (first = true; start < fn->end && t->steps; first = false) {
		t->steps--;
		if (!take_number(t, &at, &change) || (!change && !first) ||
		    !take_number(t, &at, &len) || !len)
			break;
		/* Its lowest bit is the sign. */
		depth += change & 1 ? -(int64_t)(change >> 1) - 1
				    : (int64_t)(change >> 1);
		end = start + len < fn->end ? start + len : fn->end;
		if (take)
			take(arg, start, end, depth);
		start = end;
	}
	return start;
}
