// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * files.c - which tables of lines name a file of the source.
 *
 * Owns: struct files, the offsets in .debug_line of an object's tables that have a file of that
 * last name.  libdw decodes all lines of a unit before it says which files they are of; here the
 * heads of the tables alone are read, so that it decodes those few units that can be meant.  What
 * is not understood may have the file: that costs time, and changes no answer.
 */
#include "dwarf.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

/* ---- bytes, in the order of the machine, whose object it is --------------------------- */

struct bytes {
	const uint8_t *at, *end;
	bool wide;			/* 64-bit DWARF */
	bool broken;			/* it ended too early, or is unknown */
};

static const uint8_t *skip(struct bytes *b, uint64_t len)
{
	const uint8_t *was = b->at;

	if (b->broken || len > (size_t)(b->end - b->at)) {
		b->broken = true;
		return NULL;
	}
	b->at += len;
	return was;
}

static uint8_t take8(struct bytes *b)
{
	const uint8_t *at = skip(b, 1);

	return at ? *at : 0;
}

static uint16_t take16(struct bytes *b)
{
	const uint8_t *at = skip(b, 2);
	uint16_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return value;
}

static uint32_t take32(struct bytes *b)
{
	const uint8_t *at = skip(b, 4);
	uint32_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return value;
}

static uint64_t take_offset(struct bytes *b)
{
	const uint8_t *at;
	uint64_t value = 0;

	if (!b->wide)
		return take32(b);
	at = skip(b, 8);
	if (at)
		memcpy(&value, at, sizeof(value));
	return value;
}

static uint64_t take_leb(struct bytes *b)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		byte = take8(b);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !b->broken);
	return value;
}

/* "" where it does not end. */
static const char *take_text(struct bytes *b)
{
	const uint8_t *end = b->broken ? NULL : memchr(b->at, 0, (size_t)(b->end - b->at));
	const char *text = (const char *)b->at;

	if (!end) {
		b->broken = true;
		return "";
	}
	b->at = end + 1;
	return text;
}

/* ---- the head of a table -------------------------------------------------------------- */

struct tables {
	const Elf_Data *lines, *line_texts, *texts;
	const char *wanted;		/* the last part of the file's name */
};

static const char *text_at(const Elf_Data *data, uint64_t offset, struct bytes *b)
{
	if (!data || !data->d_buf || offset >= data->d_size ||
	    !memchr((char *)data->d_buf + offset, 0, data->d_size - offset)) {
		b->broken = true;
		return "";
	}
	return (char *)data->d_buf + offset;
}

static bool is_wanted(const struct tables *t, const char *path)
{
	const char *slash = strrchr(path, '/');

	return !strcmp(slash ? slash + 1 : path, t->wanted);
}

/* Until version 4: directories, then files, each list ends with an empty name. */
static bool has_old(const struct tables *t, struct bytes *b)
{
	const char *name;

	while (*take_text(b) && !b->broken)
		;
	while (*(name = take_text(b)) && !b->broken) {
		if (is_wanted(t, name))
			return true;
		take_leb(b);		/* directory */
		take_leb(b);		/* time */
		take_leb(b);		/* length */
	}
	return false;
}

/* A value of a form; its text, if it is one, else NULL. */
static const char *take_form(const struct tables *t, struct bytes *b, uint64_t form)
{
	switch (form) {
	case DW_FORM_string:
		return take_text(b);
	case DW_FORM_line_strp:
		return text_at(t->line_texts, take_offset(b), b);
	case DW_FORM_strp:
		return text_at(t->texts, take_offset(b), b);
	case DW_FORM_udata:
		take_leb(b);
		return NULL;
	case DW_FORM_data1:
		skip(b, 1);
		return NULL;
	case DW_FORM_data2:
		skip(b, 2);
		return NULL;
	case DW_FORM_data4:
		skip(b, 4);
		return NULL;
	case DW_FORM_data8:
		skip(b, 8);
		return NULL;
	case DW_FORM_data16:
		skip(b, 16);
		return NULL;
	case DW_FORM_block:
		skip(b, take_leb(b));
		return NULL;
	}
	b->broken = true;
	return NULL;
}

#define FORMATS_MAX 16

/* Version 5: lists that say themselves what is in them.  Is it there in this one? */
static bool has_new(const struct tables *t, struct bytes *b)
{
	struct {
		uint64_t content, form;
	} formats[FORMATS_MAX];
	unsigned int formats_nr = take8(b), i;
	uint64_t nr;
	bool has = false;

	b->broken |= formats_nr > FORMATS_MAX;
	for (i = 0; i < formats_nr && !b->broken; i++) {
		formats[i].content = take_leb(b);
		formats[i].form = take_leb(b);
	}
	for (nr = take_leb(b); nr && formats_nr && !has && !b->broken; nr--) {
		for (i = 0; i < formats_nr; i++) {
			const char *text = take_form(t, b, formats[i].form);

			has |= text && formats[i].content == DW_LNCT_path && is_wanted(t, text);
		}
	}
	return has;
}

/* The table at b, which ends there. */
static bool may_have(const struct tables *t, struct bytes *b)
{
	unsigned int version = take16(b), opcodes;
	bool has;

	if (version >= 5)
		skip(b, 2);		/* sizes of an address and of a selector */
	take_offset(b);			/* the head's length */
	skip(b, version >= 4 ? 5 : 4);	/* how its program counts */
	opcodes = take8(b);
	skip(b, opcodes ? opcodes - 1 : 0);
	if (version >= 2 && version <= 4) {
		has = has_old(t, b);
	} else if (version == 5) {
		has_new(t, b);		/* directories */
		has = has_new(t, b);
	} else {
		return true;
	}
	return has || b->broken;
}

/* ---- all of an object ----------------------------------------------------------------- */

/* As libdw has it, which does the same with a compressed one. */
static const Elf_Data *section_of(Elf *elf, const char *name, bool *odd)
{
	Elf_Scn *scn = NULL;
	size_t names;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *found = gelf_getshdr(scn, &sh) ?
				    elf_strptr(elf, names, sh.sh_name) : NULL;

		if (!found || sh.sh_type == SHT_NOBITS)
			continue;
		*odd |= !strncmp(found, ".zdebug_", 8);
		if (strcmp(found, name))
			continue;
		if (sh.sh_flags & SHF_COMPRESSED && elf_compress(scn, 0, 0) < 0)
			return NULL;
		return elf_getdata(scn, NULL);
	}
	return NULL;
}

/* The file that has the tables, as far as it is open already; NULL: that is not known. */
static Elf *elf_of(Dwfl_Module *module, bool *odd)
{
	GElf_Addr bias, addr;
	GElf_Word shndx;
	GElf_Sym sym;
	Elf *elf = dwfl_module_getelf(module, &bias), *other = NULL;
	int nr = dwfl_module_getsymtab(module);
	GElf_Ehdr eh;

	if (!elf || !gelf_getehdr(elf, &eh) || eh.e_type == ET_REL)
		return NULL;
	if (section_of(elf, ".debug_line", odd))
		return elf;
	while (nr-- > 1 && !other)
		if (!dwfl_module_getsym_info(module, nr, &sym, &addr, &shndx, &other, NULL) ||
		    other == elf)
			other = NULL;
	return other && section_of(other, ".debug_line", odd) ? other : NULL;
}

static bool add(struct files *files, uint64_t offset)
{
	uint64_t *more;

	if (!(files->nr & (files->nr - 1))) {
		more = realloc(files->offsets, (files->nr ? files->nr * 2 : 1) * sizeof(*more));
		if (!more)
			return false;
		files->offsets = more;
	}
	files->offsets[files->nr++] = offset;
	return true;
}

void files_find(struct files *files, Dwfl_Module *module, const char *file)
{
	const char *slash = strrchr(file, '/');
	struct tables t = { .wanted = slash ? slash + 1 : file };
	struct bytes b, one;
	bool odd = false;
	Elf *elf = elf_of(module, &odd);
	uint64_t offset, len;

	*files = (struct files){ .any = true };
	t.lines = elf ? section_of(elf, ".debug_line", &odd) : NULL;
	if (!t.lines || !t.lines->d_buf || odd)
		return;
	t.line_texts = section_of(elf, ".debug_line_str", &odd);
	t.texts = section_of(elf, ".debug_str", &odd);
	b = (struct bytes){ .at = t.lines->d_buf,
			    .end = (uint8_t *)t.lines->d_buf + t.lines->d_size };
	while (b.at < b.end) {
		offset = (uint64_t)(b.at - (uint8_t *)t.lines->d_buf);
		b.wide = false;
		len = take32(&b);
		b.wide = len == 0xffffffff;
		len = b.wide ? take_offset(&b) : len;
		one = b;
		if (!skip(&b, len))
			return;
		one.end = b.at;
		if (may_have(&t, &one) && !add(files, offset))
			return;
	}
	files->any = false;
}

bool files_has_unit(const struct files *files, Dwarf_Die *unit)
{
	Dwarf_Attribute attr;
	Dwarf_Word offset;
	size_t i;

	if (files->any || dwarf_formudata(dwarf_attr(unit, DW_AT_stmt_list, &attr), &offset))
		return files->any;
	for (i = 0; i < files->nr; i++)
		if (files->offsets[i] == offset)
			return true;
	return false;
}

void files_free(struct files *files)
{
	free(files->offsets);
	files->offsets = NULL;
}
