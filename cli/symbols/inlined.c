/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * inlined.c - where the compiler has inlined a function.
 *
 * Owns: what counts as a copy.  It may be in another compilation unit than the function
 * (link-time optimization), so every unit is walked completely.  The input may be malicious:
 * dies.c bounds depth and direction, and the jail bounds time and memory.
 */
#include "cli.h"
#include "dies.h"
#include "symbols.h"

#include <dwarf.h>
#include <errno.h>
#include <string.h>
#include <elfutils/libdw.h>

struct walk {
	struct symbols *s;
	const char *name;
	void (*fn)(void *arg, const struct symbol_inlined *copy);
	void *arg;
	Dwarf_Addr bias;
	Dwarf_Die *unit;
	int nr;
};

/* What the copy is a copy of: its name, also as the linker knows it. */
static bool is_wanted(const struct walk *w, Dwarf_Die *die, const char **name)
{
	Dwarf_Attribute attr;
	const char *linkage;

	*name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attr));
	if (*name && !strcmp(*name, w->name))
		return true;
	linkage = dwarf_formstring(dwarf_attr_integrate(die,
					DW_AT_linkage_name, &attr));
	return linkage && !strcmp(linkage, w->name);
}

/* A die without code, such as that of a copy that was optimized away: none. */
static bool code_of(const struct walk *w, Dwarf_Die *die,
		    struct symbol_inlined *copy)
{
	Dwarf_Addr base, start, end, entry;
	uint64_t lowest = 0;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		if (start == end)
			continue;
		if (copy->ranges_nr < 8) {
			copy->ranges[copy->ranges_nr].start = start + w->bias;
			copy->ranges[copy->ranges_nr].end = end + w->bias;
		}
		if (!copy->ranges_nr++ || start < lowest)
			lowest = start;
	}
	if (!copy->ranges_nr)
		return false;
	/* What is executed for the caller may count as the entry: not here. */
	if (dwarf_entrypc(die, &entry) || dwarf_haspc(die, entry) <= 0)
		entry = lowest;
	copy->entry = entry + w->bias;
	return true;
}

static void take_copy(struct walk *w, Dwarf_Die *die)
{
	struct symbol_inlined copy = { 0 };

	if (!is_wanted(w, die, &copy.name) || !code_of(w, die, &copy))
		return;
	dies_call_place(w->unit, die, &copy.file, &copy.line);
	w->fn(w->arg, &copy);
	w->nr++;
}

/* May there be copies below it? */
static bool contains(void *arg, Dwarf_Die *die, unsigned int depth)
{
	struct walk *w = arg;

	(void)depth;
	switch (dwarf_tag(die)) {
	case DW_TAG_inlined_subroutine:
		take_copy(w, die);
		return true;
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
	case DW_TAG_namespace:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
		return true;
	}
	return false;
}

int symbols_inlined(struct symbols *s, const char *name,
		    void (*fn)(void *arg, const struct symbol_inlined *copy),
		    void *arg)
{
	struct walk w = { .s = s, .name = name, .fn = fn, .arg = arg };
	size_t units = 0;
	unsigned int i;
	int known = 0;

	for (i = 0; i < s->modules_nr; i++) {
		Dwarf_Die *unit = NULL;
		size_t cut = 0;

		if (!s->modules[i].dwfl)
			continue;
		while ((unit = dwfl_module_nextcu(s->modules[i].dwfl, unit,
						  &w.bias))) {
			known++;
			cli_progress(++units, 0);
			w.unit = unit;
			cut += !dies_walk(unit, contains, &w);
		}
		if (cut)
			cli_error("debugging information of %s is damaged, or nests too deep: %zu of its units were left out in part",
				  s->modules[i].label, cut);
	}
	if (!known && s->kind == SYMBOLS_KERNEL)
		return symbols_fail(s, -ENODATA, "the kernel's debugging information is not installed: install linux-image-...-dbg, or give -b with a vmlinux");
	if (!known)
		return symbols_fail(s, -ENODATA, "no debugging information: install the -dbgsym package, compile with -g, or name a directory of debug files in KPROBES_DEBUG_DIR");
	return w.nr;
}
