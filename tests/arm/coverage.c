/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * coverage.c - what becomes of each instruction of real code.
 *
 * Owns: a look at all code of an ELF object that its mapping symbols ($a, $t, $d) tell from
 * data: each instruction must be known; how many are copied, emulated or refused, and why.
 *
 * usage: coverage OBJECT
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulate.h"
#include "refuse.h"
#include "reserved.h"

#define REASONS 16

static uint8_t *file;
static const Elf32_Shdr *sections;
static size_t section_nr;

struct mark {
	uint32_t section, at;
	char kind;		/* a, t, d; f: a function, to at + len */
	uint32_t len;
	bool thumb;
};
static struct mark *marks;
static size_t mark_nr;

static size_t total, copied, emulated, refused, unknown;
static struct {
	const char *reason;
	size_t nr;
} reasons[REASONS];

static const uint8_t *text;		/* of the section that is looked at */

static int read_text(uint8_t *dst, uintptr_t addr, size_t len)
{
	memcpy(dst, text + addr, len);
	return 0;
}

static void refuse(const char *reason)
{
	size_t i = 0;

	refused++;
	while (i < REASONS - 1 && reasons[i].reason && strcmp(reasons[i].reason, reason))
		i++;
	reasons[i].reason = reason;
	reasons[i].nr++;
}

static void look_at(const struct kp_arm_insn *insn, const struct mark *function, uint32_t at)
{
	const char *reason;

	total++;
	if (insn->class == KP_ARM_UNALLOCATED) {
		unknown++;
		printf("# %#x: %08x is not known\n", at, insn->word);
	}
	if (kp_arm_refuse(insn, true, &reason))
		refuse(reason);
	else if (function && kp_arm_is_reserved(function->at, function->len, at, insn->thumb, read_text))
		refuse("it may be between a load-exclusive and its store-exclusive");
	else if (kp_arm_is_emulated(insn))
		emulated++;
	else
		copied++;
}

/* The function of that set around an offset, or NULL. */
static const struct mark *function_at(uint32_t section, uint32_t at, bool thumb)
{
	static const struct mark *last;
	size_t i;

	if (last && last->section == section && at - last->at < last->len && last->thumb == thumb)
		return last;
	for (i = 0; i < mark_nr; i++) {
		last = &marks[i];
		if (last->kind == 'f' && last->section == section && at - last->at < last->len &&
		    last->thumb == thumb)
			return last;
	}
	return last = NULL;
}

static void look_through(uint32_t section, uint32_t from, uint32_t to, bool thumb)
{
	struct kp_arm_insn insn;
	uint32_t word;

	text = file + sections[section].sh_offset;
	for (; from + (thumb ? 2 : 4) <= to; from += insn.len) {
		word = 0;
		memcpy(&word, text + from, to - from < 4 ? to - from : 4);
		kp_arm_decode(&insn, word, thumb);
		look_at(&insn, function_at(section, from, thumb), from);
	}
}

static int by_place(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static void add_mark(const Elf32_Sym *sym, const char *name)
{
	struct mark mark = { .section = sym->st_shndx, .at = sym->st_value & ~1u, .len = sym->st_size };

	if (sym->st_shndx >= section_nr || !(sections[sym->st_shndx].sh_flags & SHF_EXECINSTR))
		return;
	if (name[0] == '$' && name[1] && strchr("atd", name[1]))
		mark.kind = name[1];
	else if (ELF32_ST_TYPE(sym->st_info) == STT_FUNC && sym->st_size)
		mark.kind = 'f';
	else
		return;
	mark.thumb = sym->st_value & 1;
	marks = realloc(marks, (mark_nr + 1) * sizeof(*marks));
	marks[mark_nr++] = mark;
}

static void read_symbols(const Elf32_Shdr *table)
{
	const Elf32_Sym *syms = (const void *)(file + table->sh_offset);
	const char *names = (const char *)file + sections[table->sh_link].sh_offset;
	size_t i;

	for (i = 0; i < table->sh_size / sizeof(*syms); i++)
		add_mark(&syms[i], names + syms[i].st_name);
	qsort(marks, mark_nr, sizeof(*marks), by_place);
}

static bool read_file(const char *path)
{
	FILE *from = fopen(path, "rb");
	const Elf32_Ehdr *head;
	long len;

	if (!from || fseek(from, 0, SEEK_END) || (len = ftell(from)) < (long)sizeof(*head))
		return false;
	rewind(from);
	file = calloc(1, (size_t)len + 4);
	if (!file || fread(file, 1, (size_t)len, from) != (size_t)len)
		return false;
	fclose(from);
	head = (const void *)file;
	sections = (const void *)(file + head->e_shoff);
	section_nr = head->e_shnum;
	return head->e_machine == EM_ARM && head->e_ident[EI_CLASS] == ELFCLASS32;
}

int main(int argc, char **argv)
{
	size_t i, j;

	if (argc < 2 || !read_file(argv[1])) {
		fprintf(stderr, "usage: coverage OBJECT\n");
		return 2;
	}
	for (i = 0; i < section_nr; i++)
		if (sections[i].sh_type == SHT_SYMTAB)
			read_symbols(&sections[i]);
	for (i = 0; i < mark_nr; i = j) {
		bool is_last;

		for (j = i + 1; j < mark_nr && marks[j].kind == 'f'; j++)
			;
		if (marks[i].kind == 'f' || marks[i].kind == 'd')
			continue;
		is_last = j == mark_nr || marks[j].section != marks[i].section;
		look_through(marks[i].section, marks[i].at,
			     is_last ? sections[marks[i].section].sh_size : marks[j].at, marks[i].kind == 't');
	}
	for (i = 0; i < REASONS && reasons[i].reason; i++)
		printf("# %zu refused: %s\n", reasons[i].nr, reasons[i].reason);
	printf("%sok arm-coverage %zu instructions, %zu copied, %zu emulated, %zu refused, %zu not known\n",
	       unknown || !total ? "not " : "", total, copied, emulated, refused, unknown);
	return unknown || !total;
}
