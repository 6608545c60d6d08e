/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * symbols.c - functions and code of files and processes, with libdwfl.
 *
 * Owns: opening them: each module, and in which order the files that read names fill the table
 * (symbol_table.c).  The kernel's are opened by kallsyms.c.  It runs in the jail and requests the
 * files that it opens (elves.c).
 */
#include "cli.h"
#include "elves.h"
#include "section.h"
#include "symbols.h"
#include "marks.h"
#include "object.h"

#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- one module ---------------------------------------------------------- */

static bool in_code(Elf *elf, GElf_Word shndx)
{
	GElf_Shdr sh;

	return gelf_getshdr(elf_getscn(elf, shndx), &sh) &&
	       sh.sh_flags & SHF_EXECINSTR;
}

static uint8_t rank_of(const GElf_Sym *sym)
{
	int bind = GELF_ST_BIND(sym->st_info);
	uint8_t rank = bind == STB_GLOBAL ? 0 : bind == STB_WEAK ? 1 : 2;

	return GELF_ST_TYPE(sym->st_info) == STT_NOTYPE ? rank + 8 : rank;
}

/* "read@@GLIBC_2.2.5" is read. */
static void add_function(struct symbols *s, unsigned int module,
			 const char *name, const GElf_Sym *sym, uint64_t addr)
{
	const bool second = OBJECT_TWO_SETS && addr & 1 &&
			    GELF_ST_TYPE(sym->st_info) != STT_NOTYPE;
	char plain[512];
	const char *at = strchr(name, '@');

	if (at && (size_t)(at - name) < sizeof(plain)) {
		memcpy(plain, name, at - name);
		plain[at - name] = 0;
		name = plain;
	}
	if (!*name ||
	    symbols_add(s, name, second ? addr - 1 : addr, sym->st_size, module, rank_of(sym)))
		return;
	s->all[s->nr - 1].indirect = GELF_ST_TYPE(sym->st_info) == STT_GNU_IFUNC;
	s->all[s->nr - 1].second = second;
	s->all[s->nr - 1].old = at && at[1] != '@';
}

static void add_symbols(struct symbols *s, unsigned int module)
{
	Dwfl_Module *dwfl = s->modules[module].dwfl;
	int nr = dwfl_module_getsymtab(dwfl), i;

	for (i = 1; i < nr; i++) {
		GElf_Word shndx;
		GElf_Addr addr;
		GElf_Sym sym;
		Elf *elf;
		const char *name = dwfl_module_getsym_info(dwfl, i, &sym, &addr,
							   &shndx, &elf, NULL);
		int type;

		if (!name || shndx == SHN_UNDEF || shndx >= SHN_LORESERVE ||
		    !elf)
			continue;
		type = GELF_ST_TYPE(sym.st_info);
		if (OBJECT_TWO_SETS && type == STT_NOTYPE && symbols_add_mark(s, name, addr))
			continue;
		if (type == STT_FUNC || type == STT_GNU_IFUNC ||
		    (type == STT_NOTYPE && in_code(elf, shndx)))
			add_function(s, module, name, &sym, addr);
	}
}

static bool among(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (name[0] == (*names)[0] && !strcmp(name, *names))
			return true;
	return false;
}

static bool has_section(Elf *elf, const char *const *wanted)
{
	GElf_Shdr sh;

	for (; *wanted; wanted++)
		if (section_named(elf, NULL, *wanted, &sh))
			return true;
	return false;
}

static bool is_kernel_code(Elf *elf)
{
	static const char *const sections[] = { ".modinfo", "__ksymtab", NULL };

	return has_section(elf, sections);
}

/* As the engine would find it, host/linux-user/objects/runtime.c. */
static bool has_small_stacks(const struct symbols *s, Elf *elf)
{
	static const char *const sections[] = { KP_MARKS_GO_SECTIONS, NULL };
	static const char *const symbols[] = { KP_MARKS_GO_SYMBOLS, KP_MARKS_SPLIT_SYMBOLS, NULL };
	size_t i;

	if (has_section(elf, sections))
		return true;
	for (i = s->first; i < s->nr; i++)
		if (among(s->all[i].name, symbols))
			return true;
	return false;
}

/* What was upgraded meanwhile is "libx.so.1 (deleted)" in the map: its name is still libx.so.1. */
static const char *file_name(const char *path, char *room, size_t len)
{
	static const char deleted[] = " (deleted)";
	const char *name = basename(path);
	size_t name_len = strlen(name), mark_len = sizeof(deleted) - 1;

	if (name_len <= mark_len || name_len >= len ||
	    strcmp(name + name_len - mark_len, deleted))
		return name;
	memcpy(room, name, name_len - mark_len);
	room[name_len - mark_len] = 0;
	return room;
}

/* A shared library's own name, as programs ask for it; NULL: it has none. */
static const char *soname_of(Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Dyn dyn;
	Elf_Data *data;
	int i;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_DYNAMIC)
			break;
	data = scn ? elf_getdata(scn, NULL) : NULL;
	for (i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++)
		if (dyn.d_tag == DT_SONAME)
			return elf_strptr(elf, sh.sh_link, dyn.d_un.d_val);
	return NULL;
}

/* In a program it is a section; the library and the runner of scripts are all ours. */
static void find_engine(struct symbols *s, unsigned int module, Elf *elf, GElf_Addr bias)
{
	static const char *const runner[] = { "kt_text", NULL };
	static const char *const library[] = { "kp_control_switch", NULL };
	struct symbol_module *m = &s->modules[module];
	bool whole = has_section(elf, runner);
	Dwarf_Addr start, end;
	GElf_Shdr sh;
	size_t i;

	if (section_named(elf, NULL, "kp_text", &sh)) {
		m->engine = bias + sh.sh_addr;
		m->engine_end = m->engine + sh.sh_size;
		return;
	}
	for (i = s->first; i < s->nr && !whole; i++)
		whole = among(s->all[i].name, library);
	if (!whole || !dwfl_module_info(m->dwfl, NULL, &start, &end, NULL, NULL, NULL, NULL))
		return;
	m->engine = start;
	m->engine_end = end;
}

/*
 * Is it a library, with the code that its file has?  Probes are set before it is relocated.
 */
static bool may_be_opened(Elf *elf, const char *label)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Dyn dyn;
	Elf_Data *data;
	bool text = false, program = false;
	int i;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_DYNAMIC)
			break;
	data = scn ? elf_getdata(scn, NULL) : NULL;
	for (i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
		text |= dyn.d_tag == DT_TEXTREL ||
			(dyn.d_tag == DT_FLAGS && dyn.d_un.d_val & DF_TEXTREL);
		program |= dyn.d_tag == DT_FLAGS_1 && dyn.d_un.d_val & DF_1_PIE;
	}
	if (text)
		cli_error("%s is not position-independent: it is not probed if it is opened later",
			  label);
	return data && !text && !program;
}

static int take_module(Dwfl_Module *dwfl, void **unused, const char *path,
		       Dwarf_Addr start, void *arg)
{
	struct symbols *s = arg;
	char room[512];
	const char *label = file_name(path, room, sizeof(room));
	bool vdso = !strncmp(path, "[vdso", 5);
	GElf_Addr bias = 0;
	Elf *elf = dwfl_module_getelf(dwfl, &bias);
	const char *also;
	bool program = s->kind == SYMBOLS_PROCESS ?
		!strcmp(path, s->view->program) : !s->modules_nr;
	size_t nr;
	int index;

	(void)unused;
	if (!elf || (elves_is_later(start) && !may_be_opened(elf, label)))
		return DWARF_CB_OK;	/* no ELF file, but mapped like one */
	index = symbols_add_module(s, dwfl, program ? "" : label, label);
	if (index < 0)
		return DWARF_CB_ABORT;
	also = program && s->kind == SYMBOLS_PROCESS ? s->view->executed : soname_of(elf);
	if (also && *also)
		s->modules[index].also = cli_escaped(also);
	s->modules[index].bias = bias;
	s->modules[index].vdso = vdso;
	s->modules[index].later = elves_is_later(start);
	if (s->kind == SYMBOLS_FILE)
		s->kernel_code = is_kernel_code(elf);
	symbols_begin_frames(dwfl);
	s->first = s->nr;
	add_symbols(s, index);
	if (!s->kernel_code)
		symbols_add_plt(s, (unsigned int)index);
	s->modules[index].small_stacks = has_small_stacks(s, elf);
	if (s->kind == SYMBOLS_PROCESS)
		find_engine(s, (unsigned int)index, elf, bias);
	symbols_finish(s);
	symbols_mark_old(s, (unsigned int)index);
	nr = s->nr;
	symbols_add_go(s, index);
	if (s->nr != nr)
		symbols_finish(s);
	nr = s->nr;
	symbols_add_frames(s, index);
	if (s->nr != nr)
		symbols_finish(s);
	s->first = 0;
	symbols_sort_marks(s);
	return DWARF_CB_OK;
}

/* ---- opening ------------------------------------------------------------- */

static int start(struct symbols *s, enum symbols_kind kind,
		 const struct view *view)
{
	memset(s, 0, sizeof(*s));
	s->kind = kind;
	s->view = view;
	s->pid = view->pid;
	s->memory = s->check = s->original = s->now = -1;
	s->dwfl = elves_begin(view);
	return s->dwfl ? 0 : symbols_fail(s, -ENOMEM, "out of memory");
}

int symbols_open_file(struct symbols *s, const struct view *view)
{
	int err = start(s, SYMBOLS_FILE, view);
	const char *path = view->file;
	Dwfl_Module *mod;
	Elf *elf;
	GElf_Ehdr eh;
	GElf_Addr bias;

	if (err)
		return err;
	/* As linked; a relocatable file gets addresses. */
	mod = dwfl_report_elf(s->dwfl, path, path, view->fd, 0, true);
	if (!mod)
		mod = dwfl_report_offline(s->dwfl, path, path, view->fd);
	if (!mod)
		return symbols_fail(s, -ENOEXEC, "%s: not an ELF file (%s)",
				    path, dwfl_errmsg(-1));
	dwfl_report_end(s->dwfl, NULL, NULL);
	elf = dwfl_module_getelf(mod, &bias);
	if (!elf || !gelf_getehdr(elf, &eh))
		return symbols_fail(s, -ENOEXEC, "%s: %s", path,
				    dwfl_errmsg(-1));
	if (eh.e_machine != OBJECT_MACHINE)
		return symbols_fail(s, -ENOEXEC, "%s: not for " OBJECT_NAME "; only that can be probed",
				    path);
	dwfl_getmodules(s->dwfl, take_module, s, 0);
	symbols_finish(s);
	s->placed = eh.e_type == ET_EXEC && !s->kernel_code;
	if (!s->nr)
		return symbols_fail(s, -ENODATA, "%s: no functions: it has neither symbols nor unwind entries",
				    path);
	return 0;
}

int symbols_open_process(struct symbols *s, const struct view *view)
{
	int err = start(s, SYMBOLS_PROCESS, view);

	if (err)
		return err;
	s->placed = true;
	elves_report(s->dwfl, view);
	dwfl_getmodules(s->dwfl, take_module, s, 0);
	symbols_finish(s);
	s->memory = view->fd;
	if (!s->nr)
		return symbols_fail(s, -ENODATA, "process %d: none of its files could be read",
				    (int)s->pid);
	return 0;
}

void symbols_close(struct symbols *s)
{
	size_t i;

	for (i = 0; i < s->nr; i++)
		free(s->all[i].name);
	for (i = 0; i < s->modules_nr; i++) {
		free(s->modules[i].owner);
		free(s->modules[i].label);
		free(s->modules[i].also);
	}
	free(s->all);
	free(s->marks);
	free(s->modules);
	if (s->core)
		elf_end(s->core);
	if (s->memory >= 0 && !s->view)
		close(s->memory);
	if (s->check >= 0)
		close(s->check);
	if (s->original >= 0)
		close(s->original);
	if (s->now >= 0)
		close(s->now);
	if (s->dwfl)
		dwfl_end(s->dwfl);
	memset(s, 0, sizeof(*s));
	s->memory = s->check = s->original = s->now = -1;
}
