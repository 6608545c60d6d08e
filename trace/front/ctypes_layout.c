/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ctypes_layout.c - where the fields of a structure are.
 *
 * Owns: the layout of structures that a script defines: that of x86-64's psABI.
 */
#include "ctypes.h"

#define CTYPE_FIELDS 4096

static uint32_t align_of(struct front *f, const struct ctype *c, int depth)
{
	uint32_t align = 1, a, i;

	c = ctype_whole(f, c);
	while (c->kind == CTYPE_ARRAY && c->to)
		c = ctype_whole(f, c->to);
	if (c->kind != CTYPE_STRUCT)
		return c->size == 2 || c->size == 4 || c->size == 8 ?
		       (uint32_t)c->size : 1;
	if (c->align)
		return c->align;
	for (i = 0; i < c->fields_nr && depth < CTYPE_DEPTH; i++) {
		a = align_of(f, c->fields[i].type, depth + 1);
		if (a > align)
			align = a;
	}
	return align;
}

static void place_bits(struct ctype_layout *l, struct cfield *field, uint32_t size)
{
	uint64_t at = l->is_union ? 0 : l->bits, unit = size * 8ull;

	if (!field->bits || (at % unit) + field->bits > unit)
		at = (at + unit - 1) / unit * unit;
	field->offset = (uint32_t)(at / unit * size);
	field->bit = (uint32_t)(at % unit);
	l->bits = at + field->bits;
	if ((l->bits + 7) / 8 > l->size)
		l->size = (l->bits + 7) / 8;
}

void ctype_place_field(struct lex *lex, struct ctype_layout *l, struct cfield field,
		       bool is_bits, uint32_t least, struct pos pos)
{
	uint32_t align = l->packed ? 1 : align_of(lex->f, field.type, 0);
	uint64_t at = l->is_union ? 0 : (l->bits + 7) / 8;
	const struct ctype *c = ctype_whole(lex->f, field.type);

	if (c->incomplete || c->kind == CTYPE_VOID || c->kind == CTYPE_FUNCTION)
		front_fail(lex->f, pos, "what %s is made of is not known: define it above",
			   field.name);
	if (align < least)
		align = least;
	if (align > l->align)
		l->align = align;
	if (is_bits) {
		place_bits(l, &field, (uint32_t)c->size);
	} else {
		at = (at + align - 1) / align * align;
		field.offset = (uint32_t)at;
		l->bits = (at + c->size) * 8;
		if (at + c->size > l->size)
			l->size = at + c->size;
	}
	if (l->size > CTYPE_SIZE || l->nr == CTYPE_FIELDS)
		front_fail(lex->f, pos, "this structure is too large");
	if (is_bits && (!field.name[0] || !field.bits))
		return;
	l->fields = front_room(lex->f, l->fields, l->nr, &l->room, sizeof(field));
	l->fields[l->nr++] = field;
}
