// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * usdt.c - USDT probes: notes in ELF files.
 *
 * Owns: the notes' format: three addresses (the place, .stapsdt.base when the note was written,
 * the semaphore), then provider, name and arguments as text.  An argument is SIZE@OPERAND, an
 * assembler operand; a negative size is signed.
 */
#include "dwarf.h"
#include "own.h"
#include "section.h"

#include <elf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#define OWNER "stapsdt"
#define TYPE 3
#define ARGS_MAX 12

/* ---- arguments ----------------------------------------------------------------------- */

/* "SIZE@OPERAND", up to the next blank that is not in brackets. */
static size_t word_len(const char *text)
{
	size_t len = strcspn(text, " ["), in;

	if (text[len] != '[')
		return len;
	in = strcspn(text + len, "]");
	return len + in + (text[len + in] == ']');
}

/* "-4@%edi" */
static void argument(Dwfl_Module *module, const char *text,
		     struct trace_arg *arg)
{
	static const char *const names[2][9] = {
		{ [1] = "unsigned char", [2] = "unsigned short",
		  [4] = "unsigned int", [8] = "unsigned long" },
		{ [1] = "signed char", [2] = "short", [4] = "int",
		  [8] = "long" },
	};
	const char *name = "long";
	bool sign = *text == '-', known = true;
	size_t digit = 1 + sign;

	if (strchr(text, '@')) {
		known = text[sign] >= '1' && text[sign] <= '8' &&
			names[sign][text[sign] - '0'] && text[digit] == '@';
		if (known)
			name = names[sign][text[sign] - '0'];
		text = strchr(text, '@') + 1;
	}
	arg->type = names_builtin(name, strlen(name));
	if (!known)
		names_refuse(arg, "it is not an integer");
	else if (!usdt_operand(module, text, arg))
		names_refuse(arg, "the note's text is not understood");
}

static void arguments(struct names *names, Dwfl_Module *module,
		      const char *text, struct names_usdt *usdt)
{
	static const char *const called[ARGS_MAX] = {
		"arg0", "arg1", "arg2", "arg3", "arg4", "arg5", "arg6", "arg7",
		"arg8", "arg9", "arg10", "arg11",
	};
	struct trace_arg *args = names_alloc(names, ARGS_MAX * sizeof(*args));
	char word[256];

	usdt->args = args;
	while (args && usdt->args_nr < ARGS_MAX) {
		size_t len;

		text += strspn(text, " ");
		len = word_len(text);
		if (!len)
			break;
		args[usdt->args_nr].name = called[usdt->args_nr];
		if (len < sizeof(word)) {
			memcpy(word, text, len);
			word[len] = 0;
			argument(module, word, &args[usdt->args_nr]);
		} else {
			args[usdt->args_nr].type = names_builtin("long", 4);
			names_refuse(&args[usdt->args_nr], "the note's text is too long");
		}
		usdt->args_nr++;
		text += len;
	}
}

/* ---- notes ------------------------------------------------------------------------------- */

struct reader {
	struct names *names;
	void (*take)(void *arg, const struct names_usdt *usdt);
	void *arg;
	int nr;
};

/* A text that ends before the note does; NULL: it does not. */
static const char *text_at(const char **at, const char *end)
{
	const char *text = *at, *nul = memchr(text, 0, (size_t)(end - text));

	*at = nul ? nul + 1 : end;
	return nul ? text : NULL;
}

static void take_note(struct reader *r, Dwfl_Module *module, uint64_t bias,
		      uint64_t base, const char *desc, size_t len)
{
	struct names_usdt usdt = { 0 };
	const char *end = desc + len, *args;
	uint64_t addrs[3];

	if (len < sizeof(addrs))
		return;
	memcpy(addrs, desc, sizeof(addrs));
	desc += sizeof(addrs);
	usdt.provider = text_at(&desc, end);
	usdt.name = text_at(&desc, end);
	args = text_at(&desc, end);
	if (!usdt.provider || !usdt.name || !args)
		return;
	if (base)
		bias += base - addrs[1];
	usdt.addr = addrs[0] + bias;
	usdt.semaphore = addrs[2] ? addrs[2] + bias : 0;
	usdt.provider = names_text(r->names, usdt.provider);
	usdt.name = names_text(r->names, usdt.name);
	usdt.object = names_text(r->names, dwfl_module_info(module, NULL, NULL,
							    NULL, NULL, NULL,
							    NULL, NULL));
	arguments(r->names, module, args, &usdt);
	r->take(r->arg, &usdt);
	r->nr++;
}

static void take_notes(struct reader *r, Dwfl_Module *module, uint64_t bias,
		       uint64_t base, Elf_Data *data)
{
	size_t at = 0, name, desc;
	GElf_Nhdr note;

	while (data && data->d_buf &&
	       (at = gelf_getnote(data, at, &note, &name, &desc)))
		if (note.n_type == TYPE && note.n_namesz == sizeof(OWNER) &&
		    !memcmp((char *)data->d_buf + name, OWNER, sizeof(OWNER)))
			take_note(r, module, bias, base,
				  (char *)data->d_buf + desc, note.n_descsz);
}

static int take_module(Dwfl_Module *module, void **user, const char *name,
		       Dwarf_Addr start, void *arg)
{
	struct reader *r = arg;
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(module, &bias);
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	uint64_t base;

	(void)user;
	(void)name;
	(void)start;
	if (!elf || gelf_getclass(elf) != ELFCLASS64 || dwarf_is_out(r->names->own, module))
		return DWARF_CB_OK;
	base = section_named(elf, NULL, ".stapsdt.base", &sh) ? sh.sh_addr : 0;
	while ((scn = section_named(elf, scn, ".note.stapsdt", &sh)))
		if (sh.sh_type == SHT_NOTE)
			take_notes(r, module, bias, base, elf_getdata(scn, NULL));
	return DWARF_CB_OK;
}

int usdt_find(struct names *names,
	      void (*take)(void *arg, const struct names_usdt *usdt), void *arg)
{
	struct dwarf *d = names->own;
	struct reader r = { .names = names, .take = take, .arg = arg };

	dwfl_getmodules(d->dwfl, take_module, &r, 0);
	return r.nr;
}
