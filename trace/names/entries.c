// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * entries.c - entries of DWARF: by key, one unit after the other, and their attributes.
 *
 * Owns: the table of the entries that have a key. An attribute that is not there, or that cannot
 * be read, is 0, false or "".
 */
#include "dwarf.h"

#include <dwarf.h>
#include <stdlib.h>

static Dwarf_Die *slot_of(Dwarf_Die *dies, size_t room, const void *addr)
{
	size_t at = (size_t)((uintptr_t)addr * 0x9E3779B97F4A7C15ull >> 20) &
		    (room - 1);

	while (dies[at].addr && dies[at].addr != addr)
		at = (at + 1) & (room - 1);
	return &dies[at];
}

static bool grow(struct dwarf *d)
{
	size_t room = d->dies_room ? d->dies_room * 2 : 1024, i;
	Dwarf_Die *dies = calloc(room, sizeof(*dies));

	if (!dies)
		return false;
	for (i = 0; i < d->dies_room; i++)
		if (d->dies[i].addr)
			*slot_of(dies, room, d->dies[i].addr) = d->dies[i];
	free(d->dies);
	d->dies = dies;
	d->dies_room = room;
	return true;
}

uint64_t entry_key(struct dwarf *d, const Dwarf_Die *die)
{
	Dwarf_Die *slot;

	if (!die->addr || (d->dies_nr * 2 >= d->dies_room && !grow(d)))
		return 0;
	slot = slot_of(d->dies, d->dies_room, die->addr);
	d->dies_nr += !slot->addr;
	*slot = *die;
	return (uintptr_t)die->addr;
}

bool entry_of_key(const struct dwarf *d, uint64_t key, Dwarf_Die *die)
{
	if (!key || !d->dies_room)
		return false;
	*die = *slot_of(d->dies, d->dies_room, (const void *)(uintptr_t)key);
	return die->addr;
}

bool entry_number(Dwarf_Die *die, unsigned int name, uint64_t *value)
{
	Dwarf_Attribute attr;
	Dwarf_Word word;

	if (dwarf_formudata(dwarf_attr(die, name, &attr), &word))
		return false;
	*value = word;
	return true;
}

bool entry_flag(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	bool flag;

	return !dwarf_formflag(dwarf_attr_integrate(die, name, &attr), &flag) &&
	       flag;
}

void entry_follow(Dwarf_Die *type)
{
	Dwarf_Attribute attr;
	Dwarf_Die there;

	if (dwarf_attr(type, DW_AT_signature, &attr) && dwarf_formref_die(&attr, &there))
		*type = there;
}

uint64_t entry_type_key(struct dwarf *d, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die type;

	if (!dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attr),
			       &type))
		return 0;
	entry_follow(&type);
	return entry_key(d, &type);
}

const struct ctype *entry_type_of(struct names *names, Dwarf_Die *die)
{
	return names_type_of(names, entry_type_key(names->own, die));
}

const char *entry_name(Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	return name ? name : "";
}

const char *entry_function_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name;

	name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name,
						     &attr));
	return name ? name : entry_name(die);
}

void entry_whole_unit(const Dwarf_Die *unit, Dwarf_Die *whole)
{
	Dwarf_Die split = { 0 };
	uint8_t type = 0;

	*whole = *unit;
	if (!dwarf_cu_info(unit->cu, NULL, &type, NULL, &split, NULL, NULL, NULL) &&
	    type == DW_UT_skeleton && split.addr)
		*whole = split;
}

/* In DWARF 5 units of types stand among the others, with the same table of lines. */
static bool is_of_type(const Dwarf_Die *unit)
{
	uint8_t type = 0;

	return !dwarf_cu_info(unit->cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) &&
	       type == DW_UT_type;
}

Dwarf_Die *entry_unit_after(const struct dwarf *d, Dwarf_Die *unit, Dwarf_Addr *bias)
{
	do
		unit = dwfl_nextcu(d->dwfl, unit, bias);
	while (unit && (is_of_type(unit) ||
			(d->out_nr && dwarf_is_out(d, dwfl_cumodule(unit)))));
	return unit;
}

Dwarf_Die *entry_unit_in(Dwfl_Module *module, Dwarf_Die *unit, Dwarf_Addr *bias)
{
	do
		unit = dwfl_module_nextcu(module, unit, bias);
	while (unit && is_of_type(unit));
	return unit;
}
