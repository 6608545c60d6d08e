// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * lookup.c - how a place is written, and the code that stands there.
 *
 * Owns: symbols_place, symbols_matches, symbols_read.  Which functions a name means: meant.c.
 */
#include "cli.h"
#include "copies.h"
#include "symbols.h"

#include <fnmatch.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool symbols_matches(const struct symbol *sym, const char *pattern)
{
	bool part;

	if (!strcmp(pattern, sym->name) || !fnmatch(pattern, sym->name, 0))
		return true;
	/* What is seldom executed of a function is no function. */
	copies_base(sym->name, &part);
	return !part && demangle_matches(sym->name, pattern);
}

void symbols_place(const struct symbols *s, uint64_t addr, char *dst,
		   size_t len)
{
	const struct symbol *fn = symbols_at(s, addr);
	const struct symbol_module *m = fn ? &s->modules[fn->module] : NULL;

	if (!fn)
		snprintf(dst, len, "0x%" PRIx64, addr);
	else if (s->kernel_code)
		snprintf(dst, len, "%s+0x%" PRIx64, fn->name, addr - fn->addr);
	else
		snprintf(dst, len, "%s+0x%" PRIx64, m->label, addr - m->bias);
}

/* ---- code ---------------------------------------------------------------- */

/* Through the section: relocatable files, too. */
static size_t read_section(Dwfl_Module *mod, uint64_t addr, void *dst,
			   size_t len)
{
	GElf_Addr bias, at = addr;
	Elf_Scn *scn = dwfl_module_address_section(mod, &at, &bias);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;

	if (!data || !data->d_buf || at >= data->d_size)
		return 0;
	if (len > data->d_size - at)
		len = data->d_size - at;
	memcpy(dst, (char *)data->d_buf + at, len);
	return len;
}

/* Through the program headers: files without section headers. */
static size_t read_segment(Elf *elf, uint64_t addr, void *dst, size_t len)
{
	size_t nr, i, size;
	const char *raw = elf_rawfile(elf, &size);

	if (!raw || elf_getphdrnum(elf, &nr))
		return 0;
	for (i = 0; i < nr; i++) {
		GElf_Phdr ph;
		uint64_t at;

		if (!gelf_getphdr(elf, i, &ph) || ph.p_type != PT_LOAD ||
		    addr - ph.p_vaddr >= ph.p_filesz)
			continue;
		at = addr - ph.p_vaddr;
		if (len > ph.p_filesz - at)
			len = ph.p_filesz - at;
		if (ph.p_offset > size || at >= size - ph.p_offset ||
		    len > size - ph.p_offset - at)
			return 0;
		memcpy(dst, raw + ph.p_offset + at, len);
		return len;
	}
	return 0;
}

size_t symbols_read(const struct symbols *s, const struct symbol *near,
		    uint64_t addr, void *dst, size_t len)
{
	Dwfl_Module *mod = near ? s->modules[near->module].dwfl : NULL;
	GElf_Addr bias;
	size_t got;
	Elf *elf;

	if (!mod)
		mod = s->dwfl ? dwfl_addrmodule(s->dwfl, addr) : NULL;
	if (!mod && s->kind == SYMBOLS_KERNEL)
		return symbols_kernel_read(s, addr, dst, len, true);
	if (!mod)
		return symbols_read_now(s, addr, dst, len);
	elf = dwfl_module_getelf(mod, &bias);
	got = elf ? read_segment(elf, addr - bias, dst, len) : 0;
	return got ? got : read_section(mod, addr, dst, len);
}

size_t symbols_read_now(const struct symbols *s, uint64_t addr, void *dst,
			size_t len)
{
	ssize_t got;

	if (s->kind == SYMBOLS_KERNEL)
		return symbols_kernel_read(s, addr, dst, len, false);
	if (s->memory < 0)
		return 0;
	got = pread(s->memory, dst, len, (off_t)addr);
	return got > 0 ? (size_t)got : 0;
}
