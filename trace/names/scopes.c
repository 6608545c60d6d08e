// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * scopes.c - parameters and variables that are visible at an address.
 *
 * Owns: which of them are shown, and where they are.  Unoptimized code has one location for a
 * whole function, which is valid only after its first instructions have stored the values there.
 * At the entry of the function they are where its caller put them.
 */
#include "dwarf.h"

#include "dies.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define ARGS_MAX 256
#define CLASSES_MAX 8			/* within one another */

/* ---- what surrounds an address ------------------------------------------------------- */

struct chain {
	struct scopes *scopes;
	unsigned int depth;		/* of the innermost */
};

static bool enter(void *arg, Dwarf_Die *die, unsigned int depth)
{
	struct chain *chain = arg;
	struct scopes *s = chain->scopes;

	switch (dwarf_tag(die)) {
	case DW_TAG_namespace:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		return !s->nr;
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
		break;
	default:
		return false;
	}
	if (s->nr == SCOPES_MAX || (s->nr && depth <= chain->depth) ||
	    dwarf_haspc(die, s->pc) <= 0)
		return false;
	if (dwarf_tag(die) == DW_TAG_subprogram)
		s->function = s->nr;
	else if (!s->nr)
		return false;
	chain->depth = depth;
	s->chain[s->nr++] = *die;
	return true;
}

/* Not all compilers say by address which unit it is in. */
static bool unit_of(struct scopes *s, uint64_t addr)
{
	Dwarf_Die *unit = dwfl_module_addrdie(s->module, addr, &s->bias);

	while (!unit || dwarf_haspc(unit, addr - s->bias) <= 0) {
		unit = dwfl_module_nextcu(s->module, unit, &s->bias);
		if (!unit)
			return false;
	}
	entry_whole_unit(unit, &s->unit);
	return true;
}

bool scopes_at(struct dwarf *d, uint64_t addr, struct scopes *scopes)
{
	struct chain chain = { .scopes = scopes };

	memset(scopes, 0, sizeof(*scopes));
	scopes->module = dwfl_addrmodule(d->dwfl, addr);
	if (!scopes->module || !unit_of(scopes, addr))
		return false;
	scopes->pc = addr - scopes->bias;
	dies_walk(&scopes->unit, enter, &chain);
	return scopes->nr;
}

/* ---- as the function begins -------------------------------------------------------------- */

enum convention { OF_C, OF_RUST, OF_NOBODY };

struct entry {
	struct names *names;
	struct abi abi;
	enum convention convention;
};

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;
	Dwarf_Die named;

	if (!dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attr), &named) ||
	    dwarf_peel_type(&named, type))
		return false;
	entry_follow(type);
	return true;
}

/* Is this, in a class, what keeps its objects from being copied byte by byte? */
static bool is_own_way(Dwarf_Die *member)
{
	const char *name = dwarf_diename(member);

	return dwarf_tag(member) == DW_TAG_subprogram &&
	       (dwarf_hasattr(member, DW_AT_virtuality) ||
		(name && name[0] == '~' &&
		 !dwarf_hasattr(member, DW_AT_artificial) &&
		 !dwarf_hasattr(member, DW_AT_defaulted)));
}

/* C++: an object that is not copied byte by byte is passed by its address. */
static bool by_reference(Dwarf_Die *type, unsigned int depth)
{
	Dwarf_Die child, inner;
	uint64_t how;
	bool more;
	int tag = dwarf_tag(type);

	if (!depth || (tag != DW_TAG_structure_type && tag != DW_TAG_class_type))
		return false;
	if (entry_number(type, DW_AT_calling_convention, &how))
		return how == DW_CC_pass_by_reference;
	for (more = dies_first(type, &child); more; more = dies_next(&child)) {
		tag = dwarf_tag(&child);
		if (is_own_way(&child) ||
		    ((tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
		     !entry_flag(&child, DW_AT_external) &&
		     type_of(&child, &inner) && by_reference(&inner, depth - 1)))
			return true;
	}
	return false;
}

/* A copy that the compiler made for some callers takes what it likes. */
static bool is_special(const struct scopes *s)
{
	const char *name = dwfl_module_addrname(s->module, s->pc + s->bias);

	return name && strchr(name, '.');
}

static void begin(struct names *names, struct scopes *s, struct entry *entry)
{
	Dwarf_Die *function = &s->chain[s->function], type;
	const struct ctype *returned = entry_type_of(names, function);
	uint64_t how;

	*entry = (struct entry){ .names = names, .abi.kernel = names->kernel };
	switch (dwarf_srclang(&s->unit)) {
	case DW_LANG_Rust:
		entry->convention = OF_RUST;
		break;
	case DW_LANG_Go:
		entry->convention = OF_NOBODY;
		break;
	}
	/* How a class is returned that is only declared, nobody knows. */
	if (is_special(s) ||
	    (entry_number(function, DW_AT_calling_convention, &how) && how > DW_CC_program) ||
	    (returned->kind == CTYPE_STRUCT && returned->incomplete))
		entry->convention = OF_NOBODY;
	names_abi_returns(&entry->abi, returned, type_of(function, &type) &&
			  by_reference(&type, CLASSES_MAX));
}

/* Pairs of words are passed as two words, what is larger by its address. */
static bool is_address_in_rust(struct entry *entry, const struct ctype *type)
{
	if (type->kind == CTYPE_INT && type->size > KT_WORD)
		entry->convention = OF_NOBODY;
	if (type->kind != CTYPE_STRUCT || type->size <= KT_WORD)
		return false;
	if (type->size <= 16 &&
	    (type->fields_nr != 2 || type->fields[0].type->size != KT_WORD ||
	     type->fields[1].type->size != KT_WORD))
		entry->convention = OF_NOBODY;
	return type->size > 16;
}

/* "typedef struct x y __attribute__((aligned(32)))" */
static bool has_own_alignment(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die type = *die;
	unsigned int steps;

	for (steps = 0; steps < CLASSES_MAX; steps++) {
		if (!dwarf_formref_die(dwarf_attr_integrate(&type, DW_AT_type, &attr), &type))
			return false;
		if (dwarf_tag(&type) != DW_TAG_typedef && dwarf_tag(&type) != DW_TAG_const_type &&
		    dwarf_tag(&type) != DW_TAG_volatile_type)
			return false;
		if (dwarf_hasattr(&type, DW_AT_alignment))
			return true;
	}
	return true;
}

/* The caller put it there; TRACE_ARG_NOWHERE when nobody knows. */
static void next_parameter(struct entry *entry, Dwarf_Die *die,
			   struct trace_arg *arg)
{
	const struct ctype *type = arg->type;
	Dwarf_Die is;
	bool address;

	if (type->kind == CTYPE_STRUCT && type->incomplete)
		entry->convention = OF_NOBODY;
	address = entry->convention == OF_RUST ?
		  is_address_in_rust(entry, type) :
		  type_of(die, &is) && by_reference(&is, CLASSES_MAX);
	if (entry->convention == OF_NOBODY) {
		names_refuse(arg, "how this function is called is not known: probe a line later");
		return;
	}
	if (address)
		arg->type = names_pointer(entry->names, type);
	entry->abi.aligned = !address && has_own_alignment(die);
	names_abi_next(&entry->abi, arg);
	if (!address || arg->kind != TRACE_ARG_NUMBER)
		return;
	arg->type = type;
	arg->value = names_abi_reg((unsigned int)arg->value);
	arg->kind = TRACE_ARG_REGISTER;
	arg->deref = true;
}

/* ---- all that has a name ----------------------------------------------------------------------- */

struct taken {
	struct names *names;
	struct scopes *scopes;
	struct trace_arg args[ARGS_MAX];
	uint32_t nr;
	Dwarf_Addr stored;		/* from here on all is in its place */
	bool is_entry;
};

static bool is_taken(const struct taken *t, const char *name)
{
	uint32_t i;

	for (i = 0; i < t->nr; i++)
		if (!strcmp(t->args[i].name, name))
			return true;
	return false;
}

/* As the function begins: in what the caller left above where it returns to? */
static bool is_callers(const struct location *at, const struct trace_arg *arg)
{
	return at->from_cfa && arg->value == REG_SP &&
	       arg->offset >= KT_ARG_STACK;
}

/*
 * Where the debugging information says, unless that holds later only.  callers: where
 * the caller put it, as a function begins; else NULL.
 */
static void take(struct taken *t, Dwarf_Die *die, const char *name,
		 const struct trace_arg *callers)
{
	struct location at = {
		.names = t->names, .module = t->scopes->module,
		.pc = t->scopes->pc, .bias = t->scopes->bias,
		.function = &t->scopes->chain[t->scopes->function],
	};
	struct trace_arg *arg = &t->args[t->nr];
	bool in_frame;

	*arg = (struct trace_arg){ .type = entry_type_of(t->names, die) };
	location_find(&at, die, arg);
	in_frame = at.whole && arg->kind == TRACE_ARG_REGISTER && arg->deref &&
		   !(callers && is_callers(&at, arg));
	if (callers && (in_frame || arg->kind == TRACE_ARG_NOWHERE) &&
	    !(arg->kind == TRACE_ARG_NOWHERE &&
	      callers->kind == TRACE_ARG_NOWHERE)) {
		*arg = *callers;
	} else if (in_frame && t->scopes->pc < t->stored) {
		names_refuse(arg, "it is stored only after the function's first instructions: probe where it begins, or a line later");
	}
	arg->name = names_text(t->names, name);
	t->nr++;
}

static void take_scope(struct taken *t, Dwarf_Die *scope, struct entry *entry)
{
	struct trace_arg callers;
	Dwarf_Die child;
	bool more;

	for (more = dies_first(scope, &child); more; more = dies_next(&child)) {
		const char *name = dwarf_diename(&child);
		int tag = dwarf_tag(&child);

		if (tag != DW_TAG_formal_parameter &&
		    (tag != DW_TAG_variable || entry))
			continue;
		if (entry) {
			callers = (struct trace_arg){
				.type = entry_type_of(t->names, &child),
			};
			next_parameter(entry, &child, &callers);
		}
		if (name && t->nr < ARGS_MAX && !is_taken(t, name))
			take(t, &child, name, entry ? &callers : NULL);
	}
}

static Dwarf_Addr stored_at(Dwarf_Die *function)
{
	Dwarf_Addr *places, first = 0;

	if (dwarf_entry_breakpoints(function, &places) > 0) {
		first = places[0];
		free(places);
	}
	return first;
}

/*
 * As a function begins its parameters are first, elsewhere what is innermost: it
 * hides others of its name.
 */
static void take_all(struct taken *t)
{
	struct scopes *s = t->scopes;
	struct entry entry;
	uint32_t i;

	if (t->is_entry) {
		begin(t->names, s, &entry);
		take_scope(t, &s->chain[s->function], &entry);
	} else {
		t->stored = stored_at(&s->chain[s->function]);
	}
	for (i = s->nr; i-- > s->function;)
		if (i != s->function || !t->is_entry)
			take_scope(t, &s->chain[i], NULL);
}

/* ---- asked ------------------------------------------------------------------------------------- */

static bool address_of(struct names *names, const struct names_place *place,
		       uint64_t *addr)
{
	const struct index_entry *entry;
	Dwarf_Addr bias, pc;
	Dwarf_Die die;

	*addr = place->addr;
	if (*addr)
		return true;
	entry = index_search(names, INDEX_FUNCTION, place->function);
	if (!entry || !dwfl_module_getdwarf(entry->module, &bias))
		return false;
	die = entry->die;
	if (dwarf_entrypc(&die, &pc))
		return false;
	*addr = pc + bias + place->offset;
	return true;
}

/* Assembly says nothing of what it returns. */
static const struct ctype *type_returned(struct names *names, struct scopes *s)
{
	int language = dwarf_srclang(&s->unit);

	return language == DW_LANG_Mips_Assembler ? NULL :
	       entry_type_of(names, &s->chain[s->function]);
}

/* NULL: nobody knows. */
static const struct trace_arg *returned(struct names *names, uint64_t addr,
					const char *function, uint32_t *nr)
{
	static struct scopes s;
	struct dwarf *d = names->own;
	const struct ctype *type = NULL;
	const char *file = NULL;
	Dwfl_Module *module;

	if (scopes_at(d, addr, &s))
		type = type_returned(names, &s);
	module = type ? NULL : dwfl_addrmodule(d->dwfl, addr);
	if (module)
		dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &file, NULL);
	if (module && !file)
		file = dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
	if (file)
		type = names_prototype(file, function);
	return type ? names_returned(names, type, nr) : NULL;
}

/* The file that has what the unit at addr only refers to (-gsplit-dwarf); NULL: it is whole. */
static const char *split_file(struct dwarf *d, uint64_t addr)
{
	struct scopes s = { .module = dwfl_addrmodule(d->dwfl, addr) };
	Dwarf_Attribute attr;
	const char *name;

	if (!s.module || !unit_of(&s, addr))
		return NULL;
	name = dwarf_formstring(dwarf_attr(&s.unit, DW_AT_dwo_name, &attr));
	return name ? name : dwarf_formstring(dwarf_attr(&s.unit, DW_AT_GNU_dwo_name, &attr));
}

static const char *unknown(struct names *names, const char *function, uint64_t addr)
{
	const char *file = addr ? split_file(names->own, addr) : NULL;

	if (file)
		return names_fail(names, "%s's arguments are in a file of its own (-gsplit-dwarf), %s, which is not to be had: it is looked for where it was compiled, beside the object, and in KPROBES_DEBUG_DIR (.dwp files are not read); or use arg0, arg1 ...",
				  function, file);
	return names_fail(names, "no debugging information knows %s's arguments: install the -dbgsym package, compile with -g, or use arg0, arg1 ...",
			  function);
}

const struct trace_arg *scopes_args(struct names *names,
				    const struct names_place *place,
				    uint32_t *nr, const char **why)
{
	static struct scopes s;
	static struct taken taken;
	const struct trace_arg *known;
	struct trace_arg *args;
	Dwarf_Addr first;
	uint64_t addr;
	bool found = address_of(names, place, &addr);

	known = found && place->returns ? returned(names, addr, place->function, nr) : NULL;
	if (known)
		return known;
	if (!found || place->returns || !scopes_at(names->own, addr, &s)) {
		*why = unknown(names, place->function, found ? addr : 0);
		return NULL;
	}
	taken = (struct taken){ .names = names, .scopes = &s };
	taken.is_entry = !dwarf_entrypc(&s.chain[s.function], &first) &&
			 first == s.pc;
	take_all(&taken);
	args = names_alloc(names, taken.nr * sizeof(*args));
	if (!args) {
		*why = "out of memory";
		return NULL;
	}
	*nr = taken.nr;
	return memcpy(args, taken.args, taken.nr * sizeof(*args));
}
