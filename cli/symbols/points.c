/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * points.c - the engine's verdict on an instruction.
 *
 * Owns: the walk over a function with the engine's decoder, and the verdicts.
 */
#include "points.h"
#include "object.h"
#include "symbols.h"
#include "jump.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch.h"

/* Bytes behind a function that may be looked at, as the engine does. */
#define BEHIND 32

/* What a program can map. */
#define LOWEST 0x10000ull
#define HIGHEST ((1ull << OBJECT_ADDRESS_BITS) - 1)

/* Can any address that the jump may lead to be mapped? */
static bool within_reach(const struct kp_arch_jump *jump)
{
	uint32_t sign = 1u << 31, free_bits = ~jump->mask;
	int64_t low = (int32_t)(jump->value | (free_bits & sign));
	int64_t high = (int32_t)(jump->value | (free_bits & ~sign));
	uint64_t base = jump->base;

	if (low < -(int64_t)jump->reach_down)
		low = -(int64_t)jump->reach_down;
	if (high > (int64_t)jump->reach_up)
		high = (int64_t)jump->reach_up;
	return (int64_t)base + high >= (int64_t)LOWEST &&
	       (int64_t)base + low <= (int64_t)HIGHEST;
}

/* The best way whose detour can have an address, as the engine tries them. */
static void judge_jump(struct point *point, const struct kp_arch_probe *ap,
		       const uint8_t *bytes, size_t avail, size_t extent,
		       bool placed)
{
	struct kp_arch_jump jump;
	uint8_t known[8], zero[8], one[8];
	unsigned int n, i;

	for (n = 0; !kp_arch_jump_way(&jump, ap, bytes, avail, extent, n,
				      &point->why_slow); n++) {
		if (placed && !within_reach(&jump)) {
			point->why_slow = "no address for a detour is near enough";
			continue;
		}
		point->why_slow = NULL;
		point->jump_len = jump.len;
		kp_arch_emit_jump(&jump, jump.base + jump.value, point->jump);
		/* The displacement's known bits, in the jump's bytes. */
		kp_arch_emit_jump(&jump, jump.base, zero);
		kp_arch_emit_jump(&jump, jump.base + jump.mask, one);
		for (i = 0; i < jump.len; i++)
			known[i] = i + 4 < jump.len ? 0xff : zero[i] ^ one[i];
		memcpy(point->jump_known, known, jump.len);
		return;
	}
}

static void judge(struct point *point, const uint8_t *bytes, size_t avail,
		  size_t extent, const struct symbols *s,
		  const struct symbol *fn)
{
	const struct symbol_module *m = &s->modules[fn->module];
	const size_t at = point->addr - fn->addr;
	unsigned int flags = (s->kernel_code ? 0u : KP_ARCH_USER) |
			     (point->second ? object_second_flags(bytes - at, at) : 0);
	struct kp_arch_probe ap;
	const char *way = NULL;

	if (m->small_stacks)
		flags |= KP_ARCH_TRAP_ONLY;
	point->why_slow = "it cannot be probed";
	if (m->vdso) {
		point->why_not = "the vdso belongs to the kernel";
		return;
	}
	/* As core/examine.c says it. */
	if (fn->unknown) {
		point->why_not = "the address belongs to no known symbol";
		return;
	}
	if (kp_arch_prepare(&ap, point->addr, bytes, avail, flags,
			    &point->why_not))
		return;
	point->bp_len = (uint8_t)kp_arch_bp_len_of(&ap);
	memcpy(point->bp, kp_arch_bp_of(&ap), point->bp_len);
	point->why_not = s->kind == SYMBOLS_KERNEL ?
			 symbols_kernel_refuses(s, point->addr, &way) : NULL;
	if (point->why_not)
		return;
	point->traced = way;
	point->why_slow = way;
	if (!way)
		judge_jump(point, &ap, bytes, avail, extent, s->placed);
}

/* Padding behind the function that belongs to no symbol: a jump may span it. */
static size_t padding_behind(const struct symbols *s, const struct symbol *fn,
			     const uint8_t *bytes, size_t avail)
{
	size_t nr = 0, i;

	if (avail > fn->size)
		nr = kp_arch_padding(bytes + fn->size, avail - fn->size);
	for (i = 0; i < nr; i++)
		if (symbols_at(s, fn->addr + fn->size + i))
			break;
	return i;
}

int points_of(struct points *out, const struct symbols *s,
	      const struct symbol *fn)
{
	size_t avail, padding, at = 0, room = 0;
	uint64_t until;
	uint8_t *bytes;
	char mark;
	int err = -ENOMEM;

	*out = (struct points){ NULL };
	if (fn->size > 64 << 20)
		return -EFBIG;
	bytes = malloc(fn->size + BEHIND);
	if (!bytes)
		return -ENOMEM;
	/* V8 has its code mapped elsewhere, once more, and unmaps the file's. */
	if (s->kind == SYMBOLS_PROCESS && s->memory >= 0 &&
	    symbols_read_now(s, fn->addr, bytes, 1) != 1) {
		out->broken = "nothing is mapped there";
		free(bytes);
		return 0;
	}
	avail = symbols_read(s, fn, fn->addr, bytes, fn->size + BEHIND);
	if (!avail) {
		err = -EIO;
		goto free_bytes;
	}
	padding = padding_behind(s, fn, bytes, avail);
	while (at < fn->size && at < avail) {
		struct kp_arch_decoded insn;
		struct point *point;

		mark = symbols_mark_at(s, fn, fn->addr + at, &until);
		if (mark == 'd' && until - fn->addr < fn->size) {
			at = until - fn->addr;
			continue;
		}
		if (mark == 'd')
			break;
		if (kp_arch_decode(&insn, bytes + at, avail - at,
				   mark == 't' ? KP_ARCH_SECOND_SET : 0)) {
			out->broken = "not a valid instruction";
			break;
		}
		if (out->nr == room) {
			size_t more = room ? room * 2 : 64;

			point = realloc(out->all, more * sizeof(*point));
			if (!point)
				goto free_points;
			out->all = point;
			room = more;
		}
		point = &out->all[out->nr++];
		*point = (struct point){ .addr = fn->addr + at, .len = insn.len,
					 .second = mark == 't' };
		memcpy(point->bytes, bytes + at, insn.len);
		judge(point, bytes + at, avail - at,
		      fn->size - at + padding,
		      s, fn);
		at += insn.len;
	}
	free(bytes);
	return 0;

free_points:
	points_free(out);
free_bytes:
	free(bytes);
	return err;
}

const char *points_way(const struct point *point)
{
	if (!point || point->why_not)
		return "no";
	if (point->traced)
		return "ftrace";
	return point->why_slow ? "breakpoint" : "jump";
}

void points_free(struct points *points)
{
	free(points->all);
	*points = (struct points){ NULL };
}

/* The point at addr, or NULL: not at an instruction boundary. */
static const struct point *point_at(const struct points *points,
				    uint64_t addr)
{
	size_t i;

	for (i = 0; i < points->nr; i++)
		if (points->all[i].addr == addr)
			return &points->all[i];
	return NULL;
}

const struct point *points_entry(const struct points *points)
{
	const struct point *first = points->all;
	bool on_entry;
	uint64_t addr;

	if (!points->nr)
		return NULL;
	addr = kp_arch_adjust_addr(first->bytes, first->len, first->addr, 0,
				   &on_entry);
	return point_at(points, addr);
}
