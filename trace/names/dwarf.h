/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dwarf.h - what the readers of DWARF share.
 *
 * Owns: struct dwarf, all that is known of one Dwfl.  A type's key is where its
 * entry stands in our memory.
 */
#ifndef KT_NAMES_DWARF_H
#define KT_NAMES_DWARF_H

#include "own.h"

#include <elfutils/libdwfl.h>

struct index;

#define DWARF_OUT_MAX 4

struct dwarf {
	Dwfl *dwfl;
	Dwfl_Module *out[DWARF_OUT_MAX];	/* whose names nobody means */
	unsigned int out_nr;
	bool owned;			/* it ends with this */
	Dwarf_Die *dies;		/* all that have a key, by it */
	size_t dies_nr, dies_room;
	struct index *index;
	bool indexed;			/* every unit was looked at */
	/* The member that was read last: they are asked for in order. */
	uint64_t member_of;
	uint32_t member_nr;
	Dwarf_Die member;
};

/* ---- dwarf.c ------------------------------------------------------------------------- */

/* The Dwfl ends with its names. */
void names_own_dwarf(struct names *names);
/* Does nobody mean names of that module? */
static inline bool dwarf_is_out(const struct dwarf *d, Dwfl_Module *module)
{
	unsigned int i;

	for (i = 0; i < d->out_nr; i++)
		if (d->out[i] == module)
			return true;
	return false;
}

/* ---- entries.c ----------------------------------------------------------------------- */

/* As dwfl_nextcu, without the units of modules that are left out. */
Dwarf_Die *entry_unit_after(const struct dwarf *d, Dwarf_Die *unit, Dwarf_Addr *bias);
/* The same of a module's alone. */
Dwarf_Die *entry_unit_in(Dwfl_Module *module, Dwarf_Die *unit, Dwarf_Addr *bias);
/* A type that is described in a unit of its own (-fdebug-types-section): what is there. */
void entry_follow(Dwarf_Die *type);
/* What a unit that only refers to a file (-gsplit-dwarf) has there; else the unit itself. */
void entry_whole_unit(const Dwarf_Die *unit, Dwarf_Die *whole);
/* 0: no memory. */
uint64_t entry_key(struct dwarf *d, const Dwarf_Die *die);
/* The entry of a key; false: it is none. */
bool entry_of_key(const struct dwarf *d, uint64_t key, Dwarf_Die *die);
/* The type that die's attribute DW_AT_type tells. */
const struct ctype *entry_type_of(struct names *names, Dwarf_Die *die);
/* Its key; 0: there is none. */
uint64_t entry_type_key(struct dwarf *d, Dwarf_Die *die);
bool entry_flag(Dwarf_Die *die, unsigned int name);
bool entry_number(Dwarf_Die *die, unsigned int name, uint64_t *value);

const char *entry_name(Dwarf_Die *die);
/* As the symbol table has it; "": it has none. */
const char *entry_function_name(Dwarf_Die *die);

/* ---- index.c: entries by name ------------------------------------------------------------ */

enum index_kind {
	INDEX_STRUCT, INDEX_UNION, INDEX_ENUM, INDEX_TYPE, INDEX_FUNCTION,
	INDEX_CONSTANT,
};

struct index_entry {
	enum index_kind kind;
	const char *name;
	Dwarf_Die die;
	Dwfl_Module *module;		/* of FUNCTION */
	int64_t value;			/* of CONSTANT */
	uint32_t hash, next;
};

struct index *index_new(void);
void index_free(struct index *index);
/* NULL: there is none yet. */
const struct index_entry *index_find(const struct index *index,
				     enum index_kind kind, const char *name);
/* The first of a name stays.  entry->name stays as long as the index. */
void index_add(struct index *index, const struct index_entry *entry);
/* As index_find, and every unit is looked at before the answer is NULL. */
const struct index_entry *index_search(struct names *names,
				       enum index_kind kind, const char *name);
/* The value of an enumerator's entry; false: it is none. */
bool index_enumerator(Dwarf_Die *die, int64_t *value);

/* ---- location.c: where a variable is ---------------------------------------------------------- */

struct location {
	struct names *names;
	Dwfl_Module *module;
	Dwarf_Addr pc, bias;		/* pc: as in the file */
	Dwarf_Die *function;		/* its frame base is meant */
	/* Out: */
	bool whole;			/* one place for the whole scope */
	bool from_cfa;			/* counted from the caller's frame */
};

/* Fills in all but name and type; TRACE_ARG_NOWHERE and why if need be. */
void location_find(struct location *at, Dwarf_Die *variable,
		   struct trace_arg *arg);

/* ---- scopes.c: what surrounds an address --------------------------------------------------------- */

#define SCOPES_MAX 64

struct scopes {
	Dwfl_Module *module;
	Dwarf_Addr bias, pc;		/* pc: as in the file */
	Dwarf_Die unit;
	Dwarf_Die chain[SCOPES_MAX];	/* from the outermost on */
	uint32_t nr;
	uint32_t function;		/* the innermost that is not inlined */
};

/* False: no function with debugging information is there. */
bool scopes_at(struct dwarf *d, uint64_t addr, struct scopes *scopes);
const struct trace_arg *scopes_args(struct names *names,
				    const struct names_place *place,
				    uint32_t *nr, const char **why);

/* ---- files.c: which units have a file of the source --------------------------------------- */

struct files {
	uint64_t *offsets;		/* of tables of lines, in ascending order */
	size_t nr;
	bool any;			/* it is not known which: each may have it */
};

/* Reads which units of the module have the file; free it in any case. */
void files_find(struct files *files, Dwfl_Module *module, const char *file);
bool files_has_unit(const struct files *files, Dwarf_Die *unit);
/* Has no unit of the module that file? */
static inline bool files_is_none(const struct files *files)
{
	return !files->any && !files->nr;
}
void files_free(struct files *files);

/* ---- lines.c, users.c, frames.c, usdt.c: as names_lines and so on ------------------------------------------- */

int lines_find(struct names *names, const char *file, int line,
	       void (*take)(void *arg, const struct names_line *line),
	       void *arg, const char **why);
int users_find(struct names *names, const char *type,
	       void (*take)(void *arg, const struct names_line *line), void *arg,
	       const char **why);
int frames_find(struct names *names, uint64_t addr,
		void (*take)(void *arg, const struct names_frame *frame),
		void *arg);
int usdt_find(struct names *names,
	      void (*take)(void *arg, const struct names_usdt *usdt), void *arg);

#endif
