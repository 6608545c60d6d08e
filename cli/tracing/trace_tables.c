// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_tables.c - tables for walking the stacks of a process.
 *
 * Owns: making unwind.h's tables from the unwind entries of the process's objects, or their
 * debugging information, which elfutils reads, and from Go's own table.  Code whose entry has
 * none of the forms that compilers use becomes a place where the walk ends.
 */
#include "go.h"
#include "tracing.h"
#include "unwind.h"
#include "kt_regs.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#define BP KT_DWARF_BP
#define SP KT_DWARF_SP
#define IP KT_DWARF_IP
#define ROWS_MAX (8u << 20)

struct tables {
	struct symbols *s;
	struct kt_object *objects;
	struct kt_row *rows;
	size_t objects_nr, rows_nr, rows_room;
	Dwarf_CFI *cfi;			/* of the object at work */
	uint64_t bias;			/* of its addresses */
	uint64_t base;			/* where its rows count from */
};

static bool add_row(struct tables *t, const struct kt_row *row)
{
	size_t room = t->rows_room ? 2 * t->rows_room : 65536;
	void *more;

	if (t->rows_nr == t->rows_room) {
		more = room > ROWS_MAX ? NULL :
		       realloc(t->rows, room * sizeof(*row));
		if (!more)
			return false;
		t->rows = more;
		t->rows_room = room;
	}
	t->rows[t->rows_nr++] = *row;
	return true;
}

/* ---- rules --------------------------------------------------------------------- */

/* "breg N offset" alone. */
static bool is_register(const Dwarf_Op *ops, size_t nr, int *reg, int64_t *offset)
{
	if (nr < 1)
		return false;
	if (ops[0].atom == DW_OP_bregx) {
		*reg = (int)ops[0].number;
		*offset = (int64_t)ops[0].number2;
	} else if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31) {
		*reg = ops[0].atom - DW_OP_breg0;
		*offset = (int64_t)ops[0].number;
	} else {
		return false;
	}
	return nr == 1;
}

static void set_cfa(struct kt_row *row, Dwarf_Frame *frame, bool signal)
{
	Dwarf_Op *ops;
	size_t nr;
	int reg = -1;
	int64_t offset = 0;

	row->cfa = KT_CFA_NONE;
	if (dwarf_frame_cfa(frame, &ops, &nr))
		return;
	if (signal) {
		row->cfa = KT_CFA_SIGNAL;
		return;
	}
	if (is_register(ops, nr, &reg, &offset) && (reg == SP || reg == BP))
		row->cfa = reg == SP ? KT_CFA_SP : KT_CFA_BP;
	else if (nr == 2 && reg == BP && ops[1].atom == DW_OP_deref)
		row->cfa = KT_CFA_BP_AT;
	else if (nr > 4 && reg == SP && offset == 8)
		row->cfa = KT_CFA_PLT;
	row->offset = (int32_t)offset;
	if (row->offset != offset)
		row->cfa = KT_CFA_NONE;
}

/* The word at CFA + *offset; false: not saved, or in another way. */
static bool is_saved(Dwarf_Frame *frame, int reg, int64_t *offset, bool *other)
{
	Dwarf_Op memory[3], *ops = NULL;
	size_t nr = 0;

	*other = false;
	if (dwarf_frame_register(frame, reg, memory, &ops, &nr)) {
		*other = true;
		return false;
	}
	if (!nr)
		return false;
	*other = true;
	if (ops[0].atom != DW_OP_call_frame_cfa)
		return false;
	*offset = 0;
	if (nr == 2 && ops[1].atom == DW_OP_plus_uconst)
		*offset = (int64_t)ops[1].number;
	else if (nr != 1)
		return false;
	*other = false;
	return true;
}

static bool in_words(int64_t offset)
{
	return offset < 0 && offset % KT_WORD == 0 && offset / KT_WORD >= INT16_MIN;
}

/* It may be in its register still.  False: there is none, or it is elsewhere. */
static bool set_return(struct kt_row *row, Dwarf_Frame *frame)
{
	int64_t offset, bp;
	bool other;

	if (!is_saved(frame, IP, &offset, &other)) {
		row->ra = KT_RA_LINK;
		return !KT_RETURN_SAVED && !other;
	}
	if (KT_RETURN_SAVED)
		return offset == -KT_WORD;
	if (is_saved(frame, BP, &bp, &other)) {
		row->ra = offset == -KT_WORD ? KT_RA_BELOW : KT_RA_BESIDE;
		return row->ra == KT_RA_BELOW || offset == bp + KT_WORD;
	}
	row->ra = KT_RA_ALONE;
	row->bp = (int16_t)(offset / KT_WORD);
	return in_words(offset);
}

static void make_row(struct kt_row *row, Dwarf_Frame *frame, bool signal)
{
	int64_t offset;
	bool other;

	set_cfa(row, frame, signal);
	if (row->cfa == KT_CFA_SIGNAL || row->cfa == KT_CFA_NONE)
		return;
	/* Undefined: the outermost frame. */
	if (!set_return(row, frame)) {
		row->cfa = KT_CFA_NONE;
		return;
	}
	if (is_saved(frame, BP, &offset, &other) && in_words(offset))
		row->bp = (int16_t)(offset / KT_WORD);
	else if (other && row->cfa == KT_CFA_BP)
		row->cfa = KT_CFA_NONE;
}

/* ---- objects -------------------------------------------------------------------- */

static void end_of_entry(struct tables *t, uint64_t end)
{
	struct kt_row row = {
		.pc = (uint32_t)(end - t->base), .cfa = KT_CFA_UNTOLD,
	};

	add_row(t, &row);
}

static void take_entry(void *arg, uint64_t start, uint64_t len)
{
	struct tables *t = arg;
	uint64_t at = start, end = start + len;

	if (start < t->base || end < start || end - t->base > UINT32_MAX)
		return;
	while (at < end) {
		struct kt_row row = { .pc = (uint32_t)(at - t->base) };
		Dwarf_Addr from, to;
		Dwarf_Frame *frame;
		bool signal;

		if (dwarf_cfi_addrframe(t->cfi, at - t->bias, &frame))
			break;
		if (dwarf_frame_info(frame, &from, &to, &signal) < 0) {
			free(frame);
			break;
		}
		make_row(&row, frame, signal);
		free(frame);
		if (!add_row(t, &row) || to + t->bias <= at)
			break;
		at = to + t->bias;
	}
	end_of_entry(t, end);
}

/* ---- Go's functions ------------------------------------------------------------- */

/* Where a goroutine begins, and what goes on on another stack. */
static bool is_outermost(const char *name)
{
	static const char *const names[] = {
		"runtime.goexit", "runtime.mstart", "runtime.rt0_go",
		"runtime.mcall", "runtime.systemstack", "runtime.morestack",
		"runtime.asmcgocall", "runtime.cgocallback", "runtime.gogo",
		"runtime.sigtramp", "runtime.sigreturn", "runtime.clone",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

static void take_depth(void *arg, uint64_t start, uint64_t end, int64_t depth)
{
	struct tables *t = arg;
	struct kt_row row = {
		.pc = (uint32_t)(start + t->bias - t->base), .cfa = KT_CFA_SP,
		.offset = (int32_t)depth + 8,
	};

	(void)end;
	/* Where a return address is not below the frame, Go has it at the other end. */
	if (depth < 0 || depth > INT32_MAX / 2 || !KT_RETURN_SAVED)
		row.cfa = KT_CFA_NONE;
	add_row(t, &row);
}

static void take_go(struct tables *t, struct go *go)
{
	struct kp_gopcln_function fn;
	uint64_t from, end;
	uint32_t i;

	t->bias = go->bias;
	from = t->base - t->bias;
	for (i = 0; i < go->table.nr; i++) {
		if (!kp_gopcln_function(&go->table, i, &fn) || fn.start < from ||
		    fn.end - from > UINT32_MAX)
			continue;
		if (is_outermost(fn.name)) {
			end = fn.end;
			take_depth(t, fn.start, end, -1);
		} else {
			end = kp_gopcln_depths(&go->table, &fn, take_depth, t);
		}
		end_of_entry(t, end + go->bias);
	}
}

/* ---- all of an object's ---------------------------------------------------------- */

/* At the same place the end of one entry comes before the begin of the next. */
static int by_pc(const void *left, const void *right)
{
	const struct kt_row *a = left, *b = right;

	if (a->pc != b->pc)
		return a->pc < b->pc ? -1 : 1;
	return (a->cfa != KT_CFA_UNTOLD) - (b->cfa != KT_CFA_UNTOLD);
}

/* Of rows for one place the last counts; one that says the same says nothing. */
static size_t thin_out(struct kt_row *rows, size_t nr)
{
	size_t i, kept = 0;

	for (i = 0; i < nr; i++) {
		if (kept && rows[kept - 1].pc == rows[i].pc)
			kept--;
		if (kept && rows[kept - 1].cfa == rows[i].cfa &&
		    rows[kept - 1].offset == rows[i].offset &&
		    rows[kept - 1].ra == rows[i].ra &&
		    rows[kept - 1].bp == rows[i].bp)
			continue;
		rows[kept++] = rows[i];
	}
	return kept;
}

/*
 * An object that has no unwind entry for C, as of EABI's tables, may have what debuggers read:
 * that is asked of function after function.
 */
static void take_functions(struct tables *t, unsigned int module)
{
	Dwarf_Addr bias = 0;
	size_t i;

	t->cfi = dwfl_module_dwarf_cfi(t->s->modules[module].dwfl, &bias);
	t->bias = bias;
	for (i = 0; t->cfi && i < t->s->nr; i++)
		if (t->s->all[i].module == module && t->s->all[i].size)
			take_entry(t, t->s->all[i].addr, t->s->all[i].size);
}

static void take_object(struct tables *t, unsigned int module)
{
	struct symbol_module *m = &t->s->modules[module];
	struct kt_object *object = &t->objects[t->objects_nr];
	Dwarf_Addr start, end, bias = 0;
	struct go go;
	size_t nr;

	if (!dwfl_module_info(m->dwfl, NULL, &start, &end, NULL, NULL, NULL,
			      NULL))
		return;
	object->start = t->base = start;
	object->end = end;
	object->first = (uint32_t)t->rows_nr;
	t->cfi = dwfl_module_eh_cfi(m->dwfl, &bias);
	t->bias = bias;
	if (t->cfi)
		symbols_frames(t->s, module, take_entry, t);
	if (t->rows_nr == object->first)
		take_functions(t, module);
	if (go_open(&go, m)) {
		take_go(t, &go);
		go_close(&go);
	}
	nr = t->rows_nr - object->first;
	qsort(t->rows + object->first, nr, sizeof(*t->rows), by_pc);
	object->nr = (uint32_t)thin_out(t->rows + object->first, nr);
	t->rows_nr = object->first + object->nr;
	if (object->nr)
		t->objects_nr++;
}

static int by_start(const void *left, const void *right)
{
	const struct kt_object *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

void tracing_tables(struct tracing *t, struct symbols *s, unsigned int piece)
{
	struct tables tables = { .s = s };
	struct kt_unwind *head;
	size_t objects_len, rows_len;
	unsigned int i;

	tables.objects = calloc(s->modules_nr + 1, sizeof(*tables.objects));
	for (i = 0; i < s->modules_nr && tables.objects; i++)
		if (s->modules[i].dwfl)
			take_object(&tables, i);
	objects_len = tables.objects_nr * sizeof(*tables.objects);
	rows_len = tables.rows_nr * sizeof(*tables.rows);
	head = (void *)tracing_piece(t, piece);
	if (tables.objects_nr && rows_len < TRACING_PROGRAM_MAX / 2) {
		qsort(tables.objects, tables.objects_nr, sizeof(*tables.objects),
		      by_start);
		head->objects_nr = (uint32_t)tables.objects_nr;
		head->rows_nr = (uint32_t)tables.rows_nr;
		memcpy(head->objects, tables.objects, objects_len);
		memcpy((char *)head->objects + objects_len, tables.rows, rows_len);
		t->mail->len[piece] = sizeof(*head) + objects_len + rows_len;
	}
	free(tables.objects);
	free(tables.rows);
}
