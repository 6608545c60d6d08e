// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * unwind.c - the stack of a hit.
 *
 * Owns: the walk by tables (unwind.h) from the registers of a hit outward.  Where no
 * table knows a place, a frame pointer may lead on; where neither does, the trace
 * ends.  Return addresses that stand for a watched call are the real ones.
 *
 * Locks: none; the tables do not change while probes are set.
 */
#include "arrivals.h"
#include "kt_host.h"
#include "unwind.h"
#include "kt_regs.h"

#include <linux/kprobes.h>

#define PLT_LEN 16u
#define PLT_PUSHED 11u			/* byte behind its push */

struct walk {
	u64 ip, sp, bp;
	u64 link;			/* a return address that is not saved; 0: none */
	bool exact;			/* ip is a place, not a return address */
	struct llist_node *cursor;	/* of watched calls */
};

static const struct kt_object *objects;
static const struct kt_row *rows;
static u32 objects_nr;

void kt_process_tables(const void *tables, u64 len)
{
	const struct kt_unwind *head = tables;
	u64 objects_len, rows_nr;
	u32 i, nr;

	objects_nr = 0;
	if (len < sizeof(*head))
		return;
	nr = head->objects_nr;
	rows_nr = head->rows_nr;
	objects_len = (u64)nr * sizeof(*objects);
	if (objects_len > len - sizeof(*head) ||
	    rows_nr * sizeof(*rows) > len - sizeof(*head) - objects_len)
		return;
	objects = head->objects;
	rows = (const void *)(objects + nr);
	for (i = 0; i < nr; i++)
		if ((u64)objects[i].first + objects[i].nr > rows_nr)
			return;
	objects_nr = nr;
}

static const struct kt_object *object_at(u64 ip)
{
	u32 low = 0, high = objects_nr, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (objects[mid].end <= ip)
			low = mid + 1;
		else
			high = mid;
	}
	return low < objects_nr && objects[low].start <= ip ? &objects[low]
							    : NULL;
}

/* The last row that begins at pc or before it. */
static const struct kt_row *row_at(u64 ip)
{
	const struct kt_object *object = object_at(ip);
	const struct kt_row *row;
	u32 pc, nr, half;

	if (!object || !object->nr)
		return NULL;
	pc = (u32)(ip - object->start);
	row = rows + object->first;
	for (nr = object->nr; nr > 1; nr -= half) {
		half = nr / 2;
		row = row[half].pc <= pc ? row + half : row;
	}
	return row->pc <= pc ? row : NULL;
}

static bool word_at(u64 addr, u64 *word)
{
	*word = 0;
	return addr % KT_WORD == 0 && !kt_host_read(word, addr, KT_WORD, true);
}

static bool step_signal(struct walk *w)
{
	u64 sp = w->sp;

	w->exact = true;
	return word_at(sp + KT_SIGNAL_IP, &w->ip) &&
	       word_at(sp + KT_SIGNAL_LINK, &w->link) &&
	       word_at(sp + KT_SIGNAL_BP, &w->bp) &&
	       word_at(sp + KT_SIGNAL_SP, &w->sp);
}

static bool cfa_of(const struct walk *w, const struct kt_row *row, u64 *cfa)
{
	switch (row->cfa) {
	case KT_CFA_SP:
		*cfa = w->sp + (u64)(s64)row->offset;
		return true;
	case KT_CFA_BP:
		*cfa = w->bp + (u64)(s64)row->offset;
		return true;
	case KT_CFA_BP_AT:
		return word_at(w->bp + (u64)(s64)row->offset, cfa);
	case KT_CFA_PLT:
		*cfa = w->sp + KT_WORD + (w->ip % PLT_LEN >= PLT_PUSHED ? KT_WORD : 0);
		return true;
	}
	return false;
}

/* Without a table: as code with frame pointers has it. */
static bool step_by_frame(struct walk *w)
{
	u64 bp = w->bp, up;

	if (bp < w->sp || !word_at(bp, &up) || !word_at(bp + KT_WORD, &w->ip))
		return false;
	w->ip = kt_return_address(w->ip);
	w->link = 0;
	w->sp = bp + 2 * KT_WORD;
	w->bp = up;
	return true;
}

/* Of who called the function whose frame begins at cfa. */
static bool return_address(struct walk *w, const struct kt_row *row, u64 cfa)
{
	u64 at = cfa + (u64)(s64)row->bp * KT_WORD;

	switch (row->ra) {
	case KT_RA_BELOW:
		return word_at(cfa - KT_WORD, &w->ip);
	case KT_RA_LINK:
		w->ip = w->link;
		return w->ip;
	case KT_RA_BESIDE:
		return word_at(at + KT_WORD, &w->ip);
	default:
		return word_at(at, &w->ip);
	}
}

static bool step_by_table(struct walk *w, const struct kt_row *row)
{
	u64 cfa, bp = w->bp;

	if (row->cfa == KT_CFA_SIGNAL)
		return step_signal(w);
	if (!cfa_of(w, row, &cfa) || cfa < w->sp ||
	    (cfa == w->sp && row->ra != KT_RA_LINK) || !return_address(w, row, cfa))
		return false;
	w->ip = kt_return_address(w->ip);
	w->link = 0;
	if (row->bp && row->ra != KT_RA_ALONE && !word_at(cfa + (u64)(s64)row->bp * KT_WORD, &bp))
		return false;
	w->sp = cfa;
	w->bp = bp;
	return true;
}

/* One frame outward. */
static bool step(struct walk *w)
{
	const struct kt_row *row = row_at(kt_later_home(w->ip - !w->exact));
	bool good;

	w->exact = false;
	good = row && row->cfa != KT_CFA_UNTOLD ? step_by_table(w, row)
						: step_by_frame(w);
	if (good && is_kretprobe_trampoline(w->ip))
		w->ip = kretprobe_find_ret_addr(current, (void *)(unsigned long)(w->sp - (KT_RETURN_SAVED ? KT_WORD : 0)),
						&w->cursor);
	return good && w->ip;
}

u32 kt_process_stack(const struct kt_hit *hit, u64 *frames, u32 room)
{
	struct walk w = {
		.ip = hit->returns ? kt_regs_ip(hit->regs) : hit->addr,
		.sp = user_stack_pointer(hit->regs), .bp = kt_regs_bp(hit->regs),
		.link = hit->returns ? 0 : kt_return_address(kt_regs_link(hit->regs)),
		.exact = true,
	};
	u32 nr = 0;

	if (!room)
		return 0;
	do
		frames[nr++] = kt_later_home(w.ip - !w.exact) + !w.exact;
	while (nr < room && step(&w));
	return nr;
}
