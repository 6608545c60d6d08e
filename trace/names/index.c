// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * index.c - DWARF entries by name.
 *
 * Owns: struct index.  Entries that were visited are in it by name.  Before a name is reported as
 * unknown, every unit is visited, once.  Names inside namespaces and classes are stored with "::"
 * and, if nothing else has that name, without.
 */
#include "dwarf.h"

#include "dies.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NESTED_MAX 32

struct index {
	struct index_entry *entries;
	uint32_t nr, room;
	uint32_t *buckets;		/* entry's number + 1; 0: the end */
	uint32_t buckets_nr;
};

struct index *index_new(void)
{
	struct index *index = calloc(1, sizeof(*index));

	if (!index)
		return NULL;
	index->buckets_nr = 1024;
	index->buckets = calloc(index->buckets_nr, sizeof(*index->buckets));
	if (!index->buckets) {
		free(index);
		return NULL;
	}
	return index;
}

void index_free(struct index *index)
{
	if (!index)
		return;
	free(index->entries);
	free(index->buckets);
	free(index);
}

const struct index_entry *index_find(const struct index *index,
				     enum index_kind kind, const char *name)
{
	uint32_t hash = names_hash(kind, name);
	uint32_t i = index->buckets[hash & (index->buckets_nr - 1)];

	for (; i; i = index->entries[i - 1].next) {
		const struct index_entry *entry = &index->entries[i - 1];

		if (entry->hash == hash && entry->kind == kind &&
		    !strcmp(entry->name, name))
			return entry;
	}
	return NULL;
}

static bool grow(struct index *index)
{
	uint32_t room = index->room ? index->room * 2 : 1024, i;
	struct index_entry *entries;
	uint32_t *buckets;

	entries = realloc(index->entries, (size_t)room * sizeof(*entries));
	if (!entries)
		return false;
	index->entries = entries;
	buckets = calloc(room, sizeof(*buckets));
	if (!buckets)
		return false;
	for (i = 0; i < index->nr; i++) {
		uint32_t *bucket = &buckets[entries[i].hash & (room - 1)];

		entries[i].next = *bucket;
		*bucket = i + 1;
	}
	free(index->buckets);
	index->buckets = buckets;
	index->buckets_nr = room;
	index->room = room;
	return true;
}

void index_add(struct index *index, const struct index_entry *entry)
{
	struct index_entry *own;
	uint32_t *bucket;

	if (index_find(index, entry->kind, entry->name) ||
	    (index->nr == index->room && !grow(index)))
		return;
	own = &index->entries[index->nr++];
	*own = *entry;
	own->hash = names_hash(own->kind, own->name);
	bucket = &index->buckets[own->hash & (index->buckets_nr - 1)];
	own->next = *bucket;
	*bucket = index->nr;
}

/* ---- looking at a unit ------------------------------------------------------------------ */

struct look {
	struct names *names;
	struct index *index;
	Dwfl_Module *module;
	const char *within[NESTED_MAX];	/* names of what surrounds, by depth */
};

bool index_enumerator(Dwarf_Die *die, int64_t *value)
{
	Dwarf_Attribute attr;
	Dwarf_Sword number;
	Dwarf_Word word;
	unsigned int form;

	if (dwarf_tag(die) != DW_TAG_enumerator ||
	    !dwarf_attr(die, DW_AT_const_value, &attr))
		return false;
	form = dwarf_whatform(&attr);
	if (form == DW_FORM_sdata || form == DW_FORM_implicit_const) {
		if (dwarf_formsdata(&attr, &number))
			return false;
		*value = number;
		return true;
	}
	if (dwarf_formudata(&attr, &word))
		return false;
	*value = (int64_t)word;
	return true;
}

/* "outer::inner::name", in the names' memory; NULL: nothing surrounds it. */
static const char *qualified(struct look *look, unsigned int depth,
			     const char *name)
{
	char text[1024];
	size_t len = 0, part;
	unsigned int i;

	for (i = 0; i <= depth; i++) {
		const char *word = i < depth ? look->within[i] : name;

		part = strlen(word);
		if (len + part + 3 > sizeof(text))
			return NULL;
		memcpy(text + len, word, part);
		len += part;
		if (i < depth && part) {
			memcpy(text + len, "::", 2);
			len += 2;
		}
	}
	text[len] = 0;
	return len > part ? names_text(look->names, text) : NULL;
}

static void add_named(struct look *look, struct index_entry *entry,
		      unsigned int depth, const char *name)
{
	const char *longer;

	if (!name || !*name)
		return;
	longer = depth ? qualified(look, depth, name) : NULL;
	if (longer) {
		entry->name = longer;
		index_add(look->index, entry);
	}
	entry->name = name;
	index_add(look->index, entry);
}

/* Those of a C++ enum class are within its name. */
static void add_enumerators(struct look *look, Dwarf_Die *die,
			    unsigned int depth)
{
	struct index_entry entry = { .kind = INDEX_CONSTANT };
	const char *name = dwarf_diename(die);
	Dwarf_Die child;
	bool more;

	if (name && depth < NESTED_MAX && entry_flag(die, DW_AT_enum_class))
		look->within[depth++] = name;

	for (more = dies_first(die, &child); more; more = dies_next(&child)) {
		/* The entry is the enumeration's: that is what a name leads to. */
		entry.die = *die;
		if (index_enumerator(&child, &entry.value))
			add_named(look, &entry, depth, dwarf_diename(&child));
	}
}

static void add_function(struct look *look, Dwarf_Die *die)
{
	struct index_entry entry = { .kind = INDEX_FUNCTION, .die = *die,
				     .module = look->module };
	Dwarf_Attribute attr;
	Dwarf_Addr pc;

	if (dwarf_entrypc(die, &pc))
		return;
	add_named(look, &entry, 0, dwarf_diename(die));
	add_named(look, &entry, 0,
		  dwarf_formstring(dwarf_attr_integrate(die,
						DW_AT_linkage_name, &attr)));
}

static bool add_type(struct look *look, Dwarf_Die *die, enum index_kind kind,
		     unsigned int depth)
{
	struct index_entry entry = { .kind = kind, .die = *die };

	/* Another unit has it, which is looked at, too. */
	if (dwarf_hasattr(die, DW_AT_declaration) || dwarf_hasattr(die, DW_AT_signature))
		return false;
	add_named(look, &entry, depth, dwarf_diename(die));
	return kind == INDEX_STRUCT;
}

static bool enter(void *arg, Dwarf_Die *die, unsigned int depth)
{
	struct look *look = arg;
	const char *name;
	bool within = false;

	if (depth >= NESTED_MAX)
		return false;
	switch (dwarf_tag(die)) {
	case DW_TAG_namespace:
		within = true;
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		within = add_type(look, die, INDEX_STRUCT, depth);
		break;
	case DW_TAG_union_type:
		add_type(look, die, INDEX_UNION, depth);
		break;
	case DW_TAG_enumeration_type:
		add_type(look, die, INDEX_ENUM, depth);
		add_enumerators(look, die, depth);
		break;
	case DW_TAG_typedef:
	case DW_TAG_base_type:
		add_type(look, die, INDEX_TYPE, depth);
		break;
	case DW_TAG_subprogram:
		add_function(look, die);
		break;
	}
	if (within) {
		name = dwarf_diename(die);
		look->within[depth] = name ? name : "";
	}
	return within;
}

/* Units of types have no address, and are none of a module's for dwfl_nextcu(). */
static void look_at_types(struct look *look, Dwarf *dwarf)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	uint8_t type;

	while (dwarf && !dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, NULL))
		if (type == DW_UT_type || type == DW_UT_split_type)
			dies_walk(&die, enter, look);
}

static void look_at_all(struct names *names)
{
	Dwarf *dwarf, *last = NULL;
	struct dwarf *d = names->own;
	struct look look = { .names = names, .index = d->index };
	Dwarf_Die *unit = NULL, whole;
	Dwarf_Addr bias;

	d->indexed = true;
	while ((unit = entry_unit_after(d, unit, &bias))) {
		look.module = dwfl_cumodule(unit);
		entry_whole_unit(unit, &whole);
		dies_walk(&whole, enter, &look);
		dwarf = dwarf_cu_getdwarf(whole.cu);
		if (dwarf != last)
			look_at_types(&look, dwarf);
		last = dwarf;
	}
}

const struct index_entry *index_search(struct names *names,
				       enum index_kind kind, const char *name)
{
	struct dwarf *d = names->own;
	const struct index_entry *entry = index_find(d->index, kind, name);

	if (!entry && !d->indexed) {
		look_at_all(names);
		entry = index_find(d->index, kind, name);
	}
	return entry;
}
