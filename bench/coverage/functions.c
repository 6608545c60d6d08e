// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * functions.c - reads an ELF file's functions, stripped or not.
 *
 * Owns: the union of what .symtab, .dynsym and .eh_frame say; where two of them
 * overlap, the one that starts first is cut at the start of the second.
 */
#include "functions.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(struct object *object, uintptr_t addr, size_t len)
{
	size_t nr = object->functions_nr;

	if (!len)
		return;
	if (!(nr & (nr - 1)))
		object->functions = realloc(object->functions,
					    (nr ? nr * 2 : 1) *
						    sizeof(struct function));
	object->functions[nr] = (struct function){ addr, len, len };
	object->functions_nr++;
}

static void read_symbols(struct object *object, Elf_Scn *section,
			 const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t i, nr = header->sh_size / header->sh_entsize;
	GElf_Sym symbol;

	for (i = 0; i < nr; i++)
		if (gelf_getsym(data, (int)i, &symbol) &&
		    GELF_ST_TYPE(symbol.st_info) == STT_FUNC &&
		    symbol.st_shndx != SHN_UNDEF)
			add(object, symbol.st_value, symbol.st_size);
}

/* Each FDE is a function, or a part of one. */
static void read_unwind(struct object *object, Elf *elf, Elf_Scn *section,
			const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	unsigned char *ident = (unsigned char *)elf_getident(elf, NULL);
	Dwarf_Off at = 0, next;
	Dwarf_CFI_Entry entry;

	while (!dwarf_next_cfi(ident, data, true, at, &next, &entry)) {
		uintptr_t where = header->sh_addr + at;

		/* pc-relative, signed 32 bits: what compilers emit. */
		if (!dwarf_cfi_cie_p(&entry)) {
			const uint8_t *p = entry.fde.start;
			int32_t start;
			uint32_t len;

			where += (uintptr_t)(p - (uint8_t *)data->d_buf) - at;
			memcpy(&start, p, 4);
			memcpy(&len, p + 4, 4);
			add(object, where + (uintptr_t)(intptr_t)start, len);
		}
		at = next;
	}
}

static void read_section(struct object *object, Elf *elf, Elf_Scn *section)
{
	const char *name = NULL;
	size_t names;
	GElf_Shdr header;

	gelf_getshdr(section, &header);
	if (!elf_getshdrstrndx(elf, &names))
		name = elf_strptr(elf, names, header.sh_name);
	if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)
		read_symbols(object, section, &header);
	else if (name && !strcmp(name, ".eh_frame"))
		read_unwind(object, elf, section, &header);
	if (header.sh_flags & SHF_EXECINSTR && header.sh_type == SHT_PROGBITS &&
	    object->texts_nr < 64 && !(name && !strncmp(name, ".plt", 4)) &&
	    !(object->kernel && name && strcmp(name, ".text")))
		object->texts[object->texts_nr++] = (struct text){
			header.sh_addr, header.sh_size,
			elf_getdata(section, NULL)->d_buf,
		};
}

static int by_addr(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->len < y->len ? 1 : x->len > y->len ? -1 : 0;
}

/* Sort; of those that start together the longest; cut what overlaps. */
static void settle(struct object *object)
{
	struct function *f = object->functions;
	size_t i, nr = 0, room;

	qsort(f, object->functions_nr, sizeof(*f), by_addr);
	for (i = 0; i < object->functions_nr; i++) {
		if (!object_bytes(object, f[i].addr, &room) ||
		    (nr && f[nr - 1].addr == f[i].addr))
			continue;
		f[i].room = room;
		if (f[i].len > room)
			f[i].len = room;
		if (nr && f[nr - 1].addr + f[nr - 1].room > f[i].addr)
			f[nr - 1].room = f[i].addr - f[nr - 1].addr;
		if (nr && f[nr - 1].len > f[nr - 1].room)
			f[nr - 1].len = f[nr - 1].room;
		f[nr++] = f[i];
	}
	object->functions_nr = nr;
}

const uint8_t *object_bytes(const struct object *object, uintptr_t addr,
			    size_t *len)
{
	int i;

	for (i = 0; i < object->texts_nr; i++) {
		const struct text *text = &object->texts[i];

		if (addr - text->addr >= text->len)
			continue;
		*len = text->len - (addr - text->addr);
		return text->bytes + (addr - text->addr);
	}
	return NULL;
}

int object_open(struct object *object, const char *path)
{
	Elf_Scn *section = NULL;
	GElf_Ehdr header;
	GElf_Phdr segment;
	size_t i, nr = 0;
	Elf *elf;
	int fd = open(path, O_RDONLY);

	*object = (struct object){ .path = path, .start = ~0ul };
	elf_version(EV_CURRENT);
	elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || !gelf_getehdr(elf, &header)) {
		fprintf(stderr, "coverage: %s: %s\n", path,
			fd < 0 ? "cannot be opened" : elf_errmsg(-1));
		return -1;
	}
	object->fixed = header.e_type == ET_EXEC;
	elf_getphdrnum(elf, &nr);
	for (i = 0; i < nr; i++) {
		gelf_getphdr(elf, (int)i, &segment);
		if (segment.p_type != PT_LOAD)
			continue;
		object->kernel |= segment.p_vaddr >> 63;
		if (object->kernel && !(segment.p_vaddr >> 63))
			continue;		/* per CPU */
		if (segment.p_vaddr < object->start)
			object->start = segment.p_vaddr;
		if (segment.p_vaddr + segment.p_memsz > object->end)
			object->end = segment.p_vaddr + segment.p_memsz;
	}
	while ((section = elf_nextscn(elf, section)))
		read_section(object, elf, section);
	settle(object);
	return 0;
}
