// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * origin.c - which file of the source a function is from.
 *
 * Owns: the answer, by debugging information, or by the files that a symbol table names in
 * front of their local symbols.
 */
#include "symbols.h"

#include <dwarf.h>
#include <gelf.h>
#include <string.h>

/* "expr.c" and "gcc/expr.c" are /build/gcc/expr.c. */
static bool ends_with(const char *path, const char *end)
{
	size_t path_len = strlen(path), len = strlen(end);

	while (!strncmp(end, "./", 2)) {
		end += 2;
		len -= 2;
	}
	return path_len >= len && !strcmp(path + path_len - len, end) &&
	       (path_len == len || path[path_len - len - 1] == '/' || end[0] == '/');
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The unit that was compiled, and the file that the function's first line is in. */
static bool is_from_unit(Dwfl_Module *module, uint64_t addr, const char *file)
{
	Dwarf_Addr bias;
	Dwarf_Die *unit = dwfl_module_addrdie(module, addr, &bias);
	const char *name = unit ? dwarf_diename(unit) : NULL;
	Dwfl_Line *line = dwfl_module_getsrc(module, addr);
	const char *path = line ? dwfl_lineinfo(line, NULL, NULL, NULL, NULL, NULL) : NULL;

	return (name && ends_with(name, file)) || (path && ends_with(path, file));
}

/* Local symbols follow the file's that they are from. */
static bool is_behind_file(Dwfl_Module *module, const char *symbol, uint64_t addr, const char *file)
{
	int nr = dwfl_module_getsymtab(module), i;
	bool inside = false;
	GElf_Word shndx;
	GElf_Addr at;
	GElf_Sym sym;

	for (i = 1; i < nr; i++) {
		const char *name = dwfl_module_getsym_info(module, i, &sym, &at, &shndx, NULL, NULL);

		if (!name)
			continue;
		if (GELF_ST_TYPE(sym.st_info) == STT_FILE)
			inside = !strcmp(name, last_part(file));
		else if (inside && GELF_ST_BIND(sym.st_info) == STB_LOCAL && at == addr &&
			 !strcmp(name, symbol))
			return true;
	}
	return false;
}

bool symbols_from(const struct symbol_module *m, const char *name, uint64_t addr, const char *file)
{
	return m->dwfl && (is_from_unit(m->dwfl, addr, file) ||
			   is_behind_file(m->dwfl, name, addr, file));
}
