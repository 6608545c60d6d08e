/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * code.c - allocation of instructions, constants, registers and scratch memory.
 *
 * Owns: the instructions of a variant, the constants, and the allocation of registers and scratch
 * memory.
 */
#include "check.h"

#include <string.h>

uint32_t code_put(struct gen *g, int op, int a, int b, int c, int32_t imm)
{
	struct insns *code = &g->f->code;

	if (code->nr == KT_INSNS_MAX)
		front_fail(g->f, g->pos, "the script is too large: a program has at most %u "
			   "instructions", KT_INSNS_MAX);
	code->all = front_room(g->f, code->all, code->nr, &code->room,
			       sizeof(*code->all));
	code->all[code->nr] = (struct kt_insn){ (u8)op, (u8)a, (u8)b, (u8)c, imm };
	return code->nr++;
}

int32_t code_halves(uint32_t lo, uint32_t hi)
{
	return (int32_t)(lo | hi << 16);
}

void code_jump(struct gen *g, struct jumps **list, int op, int a)
{
	struct jumps *j = front_alloc(g->f, sizeof(*j));

	j->insn = code_put(g, op, a, 0, 0, 0);
	j->next = *list;
	*list = j;
}

void code_jumps_here(struct gen *g, struct jumps *list)
{
	for (; list; list = list->next)
		g->f->code.all[list->insn].imm =
			(int32_t)(g->f->code.nr - list->insn - 1);
}

void code_jump_back(struct gen *g, int op, int a, uint32_t to)
{
	code_put(g, op, a, 0, 0, (int32_t)to - (int32_t)g->f->code.nr - 1);
}

int code_temp(struct gen *g)
{
	if (g->temps == KT_REGS)
		front_fail(g->f, g->pos, "this needs too many values at once: use variables "
			   "for its parts");
	return g->temps++;
}

int code_dest(struct gen *g, int want)
{
	return want >= 0 ? want : code_temp(g);
}

uint32_t code_room(struct gen *g, uint32_t len)
{
	uint32_t at = g->scratch;

	len = ROUND8(len);
	if (len > KT_SCRATCH_MAX - at)
		front_fail(g->f, g->pos, "the strings and keys here need more than %u bytes "
			   "at once: print fewer of them, or shorter ones, as in str(x, 16)",
			   KT_SCRATCH_MAX);
	g->scratch += len;
	if (g->scratch > g->f->scratch)
		g->f->scratch = g->scratch;
	return at;
}

/* So far back it is looked for a constant that is there already. */
#define RECENT 4096u

/* Where bytes are among the constants, at a multiple of 8. */
static uint32_t constant(struct gen *g, const void *bytes, size_t len)
{
	struct front *f = g->f;
	uint32_t at, size = ROUND8((uint32_t)len);

	for (at = f->data_len > RECENT ? f->data_len - RECENT : 0; at + size <= f->data_len; at += 8)
		if (!memcmp(f->data + at, bytes, len))
			return at;
	if (f->data_len + size > KT_DATA_MAX)
		front_fail(f, g->pos, "the script's constants are too large");
	while (f->data_len + size > f->data_room) {
		uint32_t more = f->data_room ? f->data_room * 2 : 256;
		char *data = front_alloc(f, more);

		if (f->data_len)
			memcpy(data, f->data, f->data_len);
		f->data = data;
		f->data_room = more;
	}
	at = f->data_len;
	memcpy(f->data + at, bytes, len);
	f->data_len += size;
	return at;
}

void code_put_number(struct gen *g, int reg, int64_t value)
{
	if (value == (int32_t)value)
		code_put(g, KT_MOVI, reg, 0, 0, (int32_t)value);
	else
		code_put(g, KT_CONST, reg, 0, 0,
			 (int32_t)constant(g, &value, sizeof(value)));
}

void code_put_zero(struct gen *g, uint32_t at, uint32_t len)
{
	if (len)
		code_put(g, KT_ZERO, 0, 0, 0, code_halves(at, len));
}

/* The string of len characters, and zeros up to size. */
void code_put_bytes(struct gen *g, uint32_t at, uint32_t size, const void *bytes,
		    size_t len)
{
	uint32_t whole, data;
	char *padded;

	if (len >= size)
		len = size - 1;
	whole = ROUND8((uint32_t)len + 1);
	if (whole > size)
		whole = size;
	padded = front_alloc(g->f, whole);
	memcpy(padded, bytes, len);
	if (len) {
		data = constant(g, padded, whole);
		code_put(g, KT_DATA, data & 255, data >> 8 & 255, (int)(data >> 16),
			 code_halves(at, whole));
	} else {
		whole = 0;
	}
	code_put_zero(g, at + whole, size - whole);
}

int code_size(uint32_t size)
{
	return size == 1 ? KT_SIZE_1 : size == 2 ? KT_SIZE_2 :
	       size == 4 ? KT_SIZE_4 : KT_SIZE_8;
}

void code_put_store(struct gen *g, int reg, uint32_t at, uint32_t size)
{
	code_put(g, KT_STS, reg, 0, code_size(size), (int32_t)at);
}

void code_put_copy(struct gen *g, uint32_t to, uint32_t from, uint32_t len)
{
	if (len && to != from)
		code_put(g, KT_COPY, from & 255, (int)(from >> 8), 0, code_halves(to, len));
}

uint32_t code_put_event(struct gen *g, const struct trace_event *event)
{
	struct trace_script *s = g->f->script;

	if (s->events_nr == UINT16_MAX)
		front_fail(g->f, g->pos, "the script prints at too many places");
	s->events = front_room(g->f, s->events, s->events_nr, &g->f->events_room,
			       sizeof(*s->events));
	s->events[s->events_nr] = *event;
	return s->events_nr++;
}

bool code_constant(struct expr *e, int64_t *value)
{
	return type_is_number(&e->type) && check_constant(NULL, e, value);
}

int code_known(struct gen *g, struct expr *e, int want)
{
	want = code_dest(g, want);
	code_put_number(g, want, e->value);
	return want;
}
