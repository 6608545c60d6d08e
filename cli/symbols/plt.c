// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * plt.c - the linker's stubs for functions of other objects.
 *
 * Owns: their names, FUNCTION@plt.  No symbol table contains them.  A stub jumps through a word,
 * and a relocation says whose address is stored there.  If a linker gives them no unwind entry
 * (LLVM's does not), the library knows of them only by _init or _fini, which are before them and
 * have no length; in a stripped file it does not know of them at all.
 */
#include "object.h"
#include "symbols.h"

#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 1000000u

struct word {
	uint64_t addr;
	const char *name;
};

struct words {
	struct word *all;
	size_t nr, room;
};

static void add(struct words *words, uint64_t addr, const char *name)
{
	struct word *more;
	size_t room;

	if (words->nr == words->room) {
		room = words->room ? words->room * 2 : 256;
		more = room > WORDS_MAX ? NULL
			: realloc(words->all, room * sizeof(*more));
		if (!more)
			return;
		words->all = more;
		words->room = room;
	}
	words->all[words->nr++] = (struct word){ addr, name };
}

static bool get_reloc(Elf_Data *data, int i, GElf_Word type, GElf_Rela *rela)
{
	GElf_Rel rel;

	if (type == SHT_RELA)
		return gelf_getrela(data, i, rela);
	if (!gelf_getrel(data, i, &rel))
		return false;
	*rela = (GElf_Rela){ rel.r_offset, rel.r_info, 0 };
	return true;
}

/* The words of one section of relocations. */
static void read_section(struct words *words, Elf *elf, Elf_Scn *scn,
			 const GElf_Shdr *sh)
{
	Elf_Scn *symbols = elf_getscn(elf, sh->sh_link);
	Elf_Data *data = elf_getdata(scn, NULL);
	Elf_Data *table = symbols ? elf_getdata(symbols, NULL) : NULL;
	size_t nr = sh->sh_entsize ? sh->sh_size / sh->sh_entsize : 0, i;
	GElf_Shdr link;
	GElf_Rela rela;
	GElf_Sym sym;

	if (!data || !table || !gelf_getshdr(symbols, &link))
		return;
	for (i = 0; i < nr && i < WORDS_MAX; i++) {
		const char *name;

		if (!get_reloc(data, (int)i, sh->sh_type, &rela))
			break;
		if (NATIVE_GELF_R_TYPE(rela.r_info) != OBJECT_JUMP_SLOT &&
		    NATIVE_GELF_R_TYPE(rela.r_info) != OBJECT_GLOB_DAT)
			continue;
		if (!gelf_getsym(table, (int)NATIVE_GELF_R_SYM(rela.r_info), &sym))
			continue;
		name = elf_strptr(elf, link.sh_link, sym.st_name);
		if (name && *name)
			add(words, rela.r_offset, name);
	}
}

static int by_address(const void *left, const void *right)
{
	const struct word *a = left, *b = right;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

struct entry {
	uint64_t addr;
	bool found;
};

static void look_at_entry(void *arg, uint64_t start, uint64_t len)
{
	struct entry *entry = arg;

	entry->found |= entry->addr - start < len;
}

/* One entry covers a whole section of them. */
static bool has_entry(struct symbols *s, unsigned int module, uint64_t stubs)
{
	struct entry entry = { .addr = stubs };

	symbols_frames(s, module, look_at_entry, &entry);
	return entry.found;
}

static bool is_stripped(Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_SYMTAB)
			return false;
	return true;
}

static void name_stubs(struct symbols *s, unsigned int module, Elf *elf,
		       const struct words *words, Elf_Scn *scn,
		       const GElf_Shdr *sh, uint64_t got)
{
	size_t len = sh->sh_entsize == 8 ? 8 : OBJECT_STUB_LEN, at;
	uint64_t stubs = s->modules[module].bias + sh->sh_addr;
	bool known = !is_stripped(elf) || has_entry(s, module, stubs);
	Elf_Data *data = elf_getdata(scn, NULL);
	char name[512];

	for (at = 0; data && at + len <= data->d_size; at += len) {
		struct word wanted = { .addr = object_stub_word(
			(const uint8_t *)data->d_buf + at, len,
			sh->sh_addr + at, got) }, *word;

		word = bsearch(&wanted, words->all, words->nr, sizeof(wanted),
			       by_address);
		if (!word)
			continue;
		snprintf(name, sizeof(name), "%s@plt", word->name);
		if (!symbols_add(s, name, stubs + at, len, module, 2))
			s->all[s->nr - 1].unknown = !known;
	}
}

static bool is_stubs(Elf *elf, size_t names, const GElf_Shdr *sh)
{
	const char *name = elf_strptr(elf, names, sh->sh_name);

	return name && sh->sh_type == SHT_PROGBITS && !strncmp(name, ".plt", 4) &&
	       (!name[4] || name[4] == '.');
}

/* What position-independent code finds the words from: where .got.plt begins, or .got. */
static uint64_t got_of(Elf *elf, size_t names)
{
	Elf_Scn *scn = NULL;
	uint64_t got = 0;
	const char *name;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn))) {
		name = gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;
		if (name && !strcmp(name, ".got.plt"))
			return sh.sh_addr;
		if (name && !strcmp(name, ".got"))
			got = sh.sh_addr;
	}
	return got;
}

void symbols_add_plt(struct symbols *s, unsigned int module)
{
	struct words words = { NULL, 0, 0 };
	Elf_Scn *scn = NULL;
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(s->modules[module].dwfl, &bias);
	GElf_Shdr sh;
	size_t names;
	uint64_t got;

	if (!elf || elf_getshdrstrndx(elf, &names))
		return;
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && (sh.sh_type == SHT_RELA || sh.sh_type == SHT_REL) &&
		    sh.sh_flags & SHF_ALLOC)
			read_section(&words, elf, scn, &sh);
	if (words.nr)
		qsort(words.all, words.nr, sizeof(*words.all), by_address);
	got = got_of(elf, names);
	while (words.nr && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && is_stubs(elf, names, &sh))
			name_stubs(s, module, elf, &words, scn, &sh, got);
	free(words.all);
}
