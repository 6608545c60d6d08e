/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * points.c - what the engine would say of an instruction.
 *
 * Owns: the walk over a function with the engine's decoder, and its verdicts.
 */
#include "points.h"
#include "symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch.h"

/* Bytes behind a function that may be looked at, as the engine does. */
#define BEHIND 32

static void judge(struct point *point, const uint8_t *bytes, size_t avail,
		  size_t extent, bool kernel, const struct symbol_module *m)
{
	struct kp_arch_probe ap;

	point->why_slow = "it cannot be probed";
	if (m->vdso) {
		point->why_not = "the vdso belongs to the kernel";
		return;
	}
	if (kp_arch_prepare(&ap, point->addr, bytes, avail,
			    kernel ? 0 : KP_ARCH_USER, &point->why_not))
		return;
	point->why_not = NULL;
	point->why_slow = "this engine has no jumps";
	(void)extent;
}

int points_of(struct points *out, const struct symbols *s,
	      const struct symbol *fn)
{
	size_t avail, at = 0, room = 0;
	uint8_t *bytes;
	int err = -ENOMEM;

	*out = (struct points){ NULL };
	if (fn->size > 64 << 20)
		return -EFBIG;
	bytes = malloc(fn->size + BEHIND);
	if (!bytes)
		return -ENOMEM;
	avail = symbols_read(s, fn, fn->addr, bytes, fn->size + BEHIND);
	if (!avail) {
		err = -EIO;
		goto free_bytes;
	}
	while (at < fn->size && at < avail) {
		struct kp_arch_decoded insn;
		struct point *point;

		if (kp_arch_decode(&insn, bytes + at, avail - at)) {
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
		*point = (struct point){ .addr = fn->addr + at,
					 .len = insn.len };
		memcpy(point->bytes, bytes + at, insn.len);
		judge(point, bytes + at, avail - at, fn->size - at,
		      s->kernel_code, &s->modules[fn->module]);
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

void points_free(struct points *points)
{
	free(points->all);
	*points = (struct points){ NULL };
}

const struct point *points_at(const struct points *points, uint64_t addr)
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
	return points_at(points, addr);
}
