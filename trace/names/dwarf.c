// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * dwarf.c - types of a program and its objects, as DWARF describes them.
 *
 * Owns: the source of types.  Every unit that uses a structure describes it: equal descriptions
 * are one type.  Different structures with one name are distinguished: the first has the name,
 * and the others are complete from the beginning.
 */
#include "dwarf.h"

#include "dies.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

static uint64_t size_of(Dwarf_Die *die)
{
	uint64_t size;

	return entry_number(die, DW_AT_byte_size, &size) ? size : 0;
}

/* ---- the source ------------------------------------------------------------------------ */

static void read_base(Dwarf_Die *die, struct raw_type *raw)
{
	uint64_t encoding = 0;

	entry_number(die, DW_AT_encoding, &encoding);
	raw->complex = encoding == DW_ATE_complex_float;
	raw->sign = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	raw->kind = encoding == DW_ATE_float || encoding == DW_ATE_complex_float ||
		    encoding == DW_ATE_imaginary_float ||
		    encoding == DW_ATE_decimal_float ? RAW_FLOAT : RAW_INT;
}

static void read_array(Dwarf_Die *die, struct raw_type *raw)
{
	Dwarf_Die child;
	uint64_t nr;
	bool more;

	raw->kind = RAW_ARRAY;
	raw->vector = entry_flag(die, DW_AT_GNU_vector);
	for (more = dies_first(die, &child); more; more = dies_next(&child)) {
		if (dwarf_tag(&child) != DW_TAG_subrange_type ||
		    raw->dimensions == RAW_DIMENSIONS)
			continue;
		if (!entry_number(&child, DW_AT_count, &nr))
			nr = entry_number(&child, DW_AT_upper_bound, &nr) ?
			     nr + 1 : 0;
		raw->nr[raw->dimensions++] = nr;
	}
	if (!raw->dimensions)
		raw->dimensions = 1;
}

static uint32_t children_of(Dwarf_Die *die, bool *aligned)
{
	Dwarf_Die child;
	uint32_t nr = 0;
	bool more;

	for (more = dies_first(die, &child); more; more = dies_next(&child)) {
		*aligned |= dwarf_hasattr(&child, DW_AT_alignment) != 0;
		nr++;
	}
	return nr;
}

/* The same source text made both. */
static bool is_same(Dwarf_Die *a, Dwarf_Die *b)
{
	uint64_t line_a = 0, line_b = 0;

	entry_number(a, DW_AT_decl_line, &line_a);
	entry_number(b, DW_AT_decl_line, &line_b);
	return line_a == line_b && size_of(a) == size_of(b);
}

static void read_struct(struct dwarf *d, Dwarf_Die *die, enum index_kind kind,
			struct raw_type *raw)
{
	struct index_entry entry = { .kind = kind, .name = raw->name,
				     .die = *die };
	const struct index_entry *first;
	Dwarf_Die known;

	raw->kind = RAW_STRUCT;
	raw->tag = kind == INDEX_UNION ? "union" : "struct";
	raw->declared = entry_flag(die, DW_AT_declaration);
	if (*raw->name) {
		first = index_find(d->index, kind, raw->name);
		known = first ? first->die : *die;
		if (!first && !raw->declared)
			index_add(d->index, &entry);
		if (known.addr != die->addr &&
		    (raw->declared || is_same(&known, die))) {
			*raw = (struct raw_type){
				.kind = RAW_ALIAS, .tag = "", .name = "",
				.to = entry_key(d, &known),
			};
			return;
		}
		raw->homonym = known.addr != die->addr;
	}
	if (!raw->declared)
		raw->members = children_of(die, &raw->aligned);
	raw->aligned |= dwarf_hasattr(die, DW_AT_alignment) != 0;
}

static void read_enum(Dwarf_Die *die, struct raw_type *raw)
{
	Dwarf_Attribute attr;
	Dwarf_Die type, peeled, child;
	int64_t value;
	bool more;

	raw->kind = RAW_ENUM;
	raw->tag = "enum";
	if (dwarf_formref_die(dwarf_attr(die, DW_AT_type, &attr), &type)) {
		struct raw_type base = { .size = size_of(&type) };

		/* std::int16_t is another name for one. */
		if (!dwarf_peel_type(&type, &peeled))
			type = peeled;
		read_base(&type, &base);
		raw->sign = base.sign;
	}
	for (more = dies_first(die, &child); more; more = dies_next(&child)) {
		raw->members++;
		if (index_enumerator(&child, &value) && value < 0)
			raw->sign = true;
	}
}

static bool points_to_function(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die type;

	return dwarf_formref_die(dwarf_attr(die, DW_AT_type, &attr), &type) &&
	       dwarf_tag(&type) == DW_TAG_subroutine_type;
}

static void read_die(struct dwarf *d, Dwarf_Die *die, struct raw_type *raw)
{
	struct index_entry entry = { .kind = INDEX_TYPE, .die = *die };

	raw->name = entry_name(die);
	raw->size = size_of(die);
	switch (dwarf_tag(die)) {
	case DW_TAG_base_type:
		read_base(die, raw);
		break;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		raw->name = "";
		raw->kind = RAW_POINTER;
		raw->size = KT_WORD;
		raw->to = entry_type_key(d, die);
		break;
	/* To a function: where it is, and what is added to "this". */
	case DW_TAG_ptr_to_member_type:
		raw->kind = RAW_INT;
		raw->name = "";
		raw->size = points_to_function(die) ? 2 * KT_WORD : KT_WORD;
		break;
	case DW_TAG_unspecified_type:
		if (strstr(raw->name, "nullptr")) {
			raw->kind = RAW_POINTER;
			raw->size = KT_WORD;
		}
		break;
	case DW_TAG_array_type:
		raw->to = entry_type_key(d, die);
		read_array(die, raw);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
		read_struct(d, die, INDEX_STRUCT, raw);
		break;
	case DW_TAG_union_type:
		read_struct(d, die, INDEX_UNION, raw);
		break;
	case DW_TAG_enumeration_type:
		read_enum(die, raw);
		break;
	case DW_TAG_subroutine_type:
		raw->kind = RAW_FUNCTION;
		break;
	case DW_TAG_typedef:
		entry.name = raw->name;
		if (*raw->name)
			index_add(d->index, &entry);
		/* fall through */
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
	case DW_TAG_subrange_type:
		raw->kind = RAW_ALIAS;
		raw->to = entry_type_key(d, die);
		break;
	}
}

static void read_type(struct names *names, uint64_t key, struct raw_type *raw)
{
	Dwarf_Die die;

	if (entry_of_key(names->own, key, &die))
		read_die(names->own, &die, raw);
}

/* ---- members ----------------------------------------------------------------------------- */

/* Bits before DWARF 4 are counted from the upper end of a storage unit. */
static bool place_bits(struct dwarf *d, Dwarf_Die *die, uint64_t byte,
		       struct raw_member *member)
{
	uint64_t bits, at, storage;
	Dwarf_Die type;

	if (!entry_number(die, DW_AT_bit_size, &bits) || !bits || bits > 64)
		return false;
	member->bits = (uint32_t)bits;
	if (entry_number(die, DW_AT_data_bit_offset, &at)) {
		member->bit = byte * 8 + at;
		return true;
	}
	if (!entry_number(die, DW_AT_bit_offset, &at))
		at = 0;
	if (!entry_number(die, DW_AT_byte_size, &storage) &&
	    (!entry_of_key(d, member->type, &type) ||
	     !entry_number(&type, DW_AT_byte_size, &storage)))
		return false;
	if (storage > 8 || at + bits > storage * 8)
		return false;
	member->bit = byte * 8 + storage * 8 - at - bits;
	return true;
}

/* A base class is a structure without a name. */
static bool take_member(struct dwarf *d, Dwarf_Die *die, bool in_union,
			struct raw_member *member)
{
	uint64_t byte = 0, bits;
	int tag = dwarf_tag(die);
	bool placed;

	if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
		return false;
	member->name = tag == DW_TAG_member ? entry_name(die) : "";
	member->type = entry_type_key(d, die);
	placed = entry_number(die, DW_AT_data_member_location, &byte);
	if (byte > UINT32_MAX)
		return false;
	if (entry_number(die, DW_AT_bit_size, &bits))
		return place_bits(d, die, byte, member);
	member->bit = byte * 8;
	/* A static member, or a virtual base, has no place that is known here. */
	return placed || in_union;
}

static bool read_member(struct names *names, uint64_t key, uint32_t i,
			struct raw_member *member)
{
	struct dwarf *d = names->own;
	Dwarf_Die die, *at = &d->member;

	*member = (struct raw_member){ .name = "" };
	if (!entry_of_key(d, key, &die))
		return false;
	if (d->member_of != key || d->member_nr > i) {
		d->member_of = 0;
		if (!dies_first(&die, at))
			return false;
		d->member_of = key;
		d->member_nr = 0;
	}
	for (; d->member_nr < i; d->member_nr++) {
		if (!dies_next(at)) {
			d->member_of = 0;
			return false;
		}
	}
	if (dwarf_tag(&die) == DW_TAG_enumeration_type) {
		member->name = entry_name(at);
		return index_enumerator(at, &member->value);
	}
	return take_member(d, at, dwarf_tag(&die) == DW_TAG_union_type, member);
}

/* ---- by name -------------------------------------------------------------------------------- */

static uint64_t find_type(struct names *names, const char *tag, const char *name)
{
	static const struct {
		const char *tag;
		enum index_kind kind;
	} kinds[] = {
		{ "", INDEX_TYPE }, { "struct", INDEX_STRUCT },
		{ "class", INDEX_STRUCT }, { "union", INDEX_UNION },
		{ "enum", INDEX_ENUM },
	};
	const struct index_entry *entry = NULL;
	size_t i;

	/* C++ and Rust need no tag. */
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && !entry; i++)
		if (!*tag || !strcmp(kinds[i].tag, tag))
			entry = index_search(names, kinds[i].kind, name);
	return entry ? entry_key(names->own, &entry->die) : 0;
}

static bool constant(struct names *names, const char *name, int64_t *value, uint64_t *key)
{
	const struct index_entry *entry;

	entry = index_search(names, INDEX_CONSTANT, name);
	if (!entry)
		return false;
	*value = entry->value;
	*key = entry_key(names->own, &entry->die);
	return true;
}

static void free_dwarf(struct names *names)
{
	struct dwarf *d = names->own;

	index_free(d->index);
	if (d->owned)
		dwfl_end(d->dwfl);
	free(d->dies);
	free(d);
}

void names_own_dwarf(struct names *names)
{
	struct dwarf *d = names->own;

	d->owned = true;
}

void names_leave_out(struct names *names, Dwfl_Module *module)
{
	struct dwarf *d = names->own;

	if (d->out_nr < DWARF_OUT_MAX)
		d->out[d->out_nr++] = module;
}

static const struct source source = {
	.read = read_type, .member = read_member, .find = find_type,
	.constant = constant, .args = scopes_args, .lines = lines_find,
	.users = users_find,
	.frames = frames_find, .usdts = usdt_find, .free = free_dwarf,
};

struct names *names_of_dwfl(Dwfl *dwfl)
{
	struct dwarf *d = calloc(1, sizeof(*d));
	struct names *names = d ? names_new(&source, d) : NULL;

	if (!names) {
		free(d);
		return NULL;
	}
	d->dwfl = dwfl;
	d->index = index_new();
	if (!d->index) {
		names_free(names);
		return NULL;
	}
	return names;
}
