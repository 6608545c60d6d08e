// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * go.c - functions that are known only by Go's own table.
 *
 * Owns: finding the table in an object.  In a relocatable program the loader fills in some
 * addresses, so they are filled into a copy first.
 */
#include "go.h"
#include "marks.h"
#include "section.h"
#include "object.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_MAX (1u << 30)

/* ---- the table of an object ------------------------------------------------------ */

/* What the loader adds the object's place to, and writes into the table. */
static void relocate_section(Elf_Scn *scn, const GElf_Shdr *sh,
			     uint8_t *table, uint64_t addr, size_t len)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t nr = data && sh->sh_entsize ? data->d_size / sh->sh_entsize : 0, i;
	GElf_Rela rela;

	for (i = 0; i < nr && i < INT32_MAX; i++) {
		if (!gelf_getrela(data, (int)i, &rela))
			break;
		if (NATIVE_GELF_R_TYPE(rela.r_info) != OBJECT_RELATIVE ||
		    len < sizeof(rela.r_addend) || rela.r_offset < addr ||
		    rela.r_offset - addr > len - sizeof(rela.r_addend))
			continue;
		memcpy(table + (rela.r_offset - addr), &rela.r_addend,
		       sizeof(rela.r_addend));
	}
}

static uint8_t *relocated(Elf *elf, const Elf_Data *data, uint64_t addr)
{
	uint8_t *copy = malloc(data->d_size);
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	if (!copy)
		return NULL;
	memcpy(copy, data->d_buf, data->d_size);
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_RELA &&
		    sh.sh_flags & SHF_ALLOC)
			relocate_section(scn, &sh, copy, addr, data->d_size);
	return copy;
}

/* A linker that makes all relocated data one section leaves no section of its own. */
static bool is_table(Elf *elf, const char *name, bool *alone)
{
	GElf_Shdr sh;

	*alone = strcmp(name, ".data.rel.ro");
	return *alone || section_named(elf, NULL, ".go.buildinfo", &sh);
}

static bool open_section(struct go *go, Elf *elf, const char *name)
{
	GElf_Shdr sh;
	Elf_Scn *scn = section_named(elf, NULL, name, &sh);
	Elf_Data *data = scn && sh.sh_type != SHT_NOBITS ?
			 elf_getdata(scn, NULL) : NULL;
	const uint8_t *bytes;
	GElf_Ehdr eh;
	bool alone;

	if (!data || !data->d_buf || !data->d_size || data->d_size > TABLE_MAX ||
	    !is_table(elf, name, &alone) || !gelf_getehdr(elf, &eh))
		return false;
	if (eh.e_type == ET_DYN) {
		go->copy = relocated(elf, data, sh.sh_addr);
		if (!go->copy)
			return false;
	}
	bytes = go->copy ? go->copy : data->d_buf;
	if (alone ? kp_gopcln_open(&go->table, bytes, data->d_size)
		  : kp_gopcln_search(&go->table, bytes, data->d_size))
		return true;
	go_close(go);
	return false;
}

bool go_open(struct go *go, const struct symbol_module *module)
{
	static const char *const names[] = { KP_MARKS_GO_TABLES };
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(module->dwfl, &bias);
	size_t i;

	memset(go, 0, sizeof(*go));
	go->bias = module->bias;
	for (i = 0; elf && i < sizeof(names) / sizeof(names[0]); i++)
		if (open_section(go, elf, names[i]))
			return true;
	return false;
}

void go_close(struct go *go)
{
	free(go->copy);
	go->copy = NULL;
}

/* ---- functions ------------------------------------------------------------------- */

void symbols_add_go(struct symbols *s, unsigned int module)
{
	size_t nr = s->nr;
	struct kp_gopcln_function fn;
	struct go go;
	uint64_t end;
	uint32_t i;

	if (!go_open(&go, &s->modules[module]))
		return;
	for (i = 0; i < go.table.nr; i++) {
		if (!kp_gopcln_function(&go.table, i, &fn) ||
		    symbols_knows(s, nr, fn.start + go.bias))
			continue;
		end = kp_gopcln_depths(&go.table, &fn, NULL, NULL);
		symbols_add(s, fn.name, fn.start + go.bias, end - fn.start,
			    module, 2);
	}
	go_close(&go);
}
