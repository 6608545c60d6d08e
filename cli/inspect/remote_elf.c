// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * remote_elf.c - dynamic symbols of another process's objects.
 *
 * Owns: finding a name through an object's own hash table, of either form, in its memory.  All
 * that is read may be wrong: sizes are bounded, loops too, and so is what all
 * objects together may cost.
 */
#include "native_elf.h"
#include "object.h"
#include "remote.h"

#include <string.h>

#define READS_MAX 1000000

struct object {
	const struct remote *remote;
	unsigned int *left;		/* how often it may still be read */
	uint64_t bias, symtab, strtab, gnu_hash, hash;
	uint64_t rela[2], rela_len[2];	/* and of the procedure linkage table */
};

static int get(const struct object *o, uint64_t at, void *dst, size_t len)
{
	if (!*o->left)
		return -1;
	--*o->left;
	return remote_read(o->remote, at, dst, len);
}

static void take_dynamic(struct object *o, const ElfW(Dyn) *dyn)
{
	uint64_t at = dyn->d_un.d_ptr;

	if (dyn->d_tag == DT_RELASZ)
		o->rela_len[0] = at;
	else if (dyn->d_tag == DT_PLTRELSZ)
		o->rela_len[1] = at;
	/* The linker has added the bias, or has not. */
	if (at < o->bias)
		at += o->bias;
	if (dyn->d_tag == DT_SYMTAB)
		o->symtab = at;
	else if (dyn->d_tag == DT_STRTAB)
		o->strtab = at;
	else if (dyn->d_tag == DT_GNU_HASH)
		o->gnu_hash = at;
	else if (dyn->d_tag == DT_HASH)
		o->hash = at;
	else if (dyn->d_tag == DT_RELA)
		o->rela[0] = at;
	else if (dyn->d_tag == DT_JMPREL)
		o->rela[1] = at;
}

#define AT_ONCE 16
#define DYNAMIC_MAX 256
#define HEADERS_MAX 128

/* Many at once, unless the memory ends before. */
static bool read_dynamic(struct object *o, uint64_t at)
{
	ElfW(Dyn) dyn[AT_ONCE];
	size_t i, k, nr = AT_ONCE;

	for (i = 0; i < DYNAMIC_MAX; i += nr, at += nr * sizeof(dyn[0])) {
		if (nr > 1 && get(o, at, dyn, sizeof(dyn)))
			nr = 1;
		if (nr == 1 && get(o, at, dyn, sizeof(dyn[0])))
			break;
		for (k = 0; k < nr && dyn[k].d_tag != DT_NULL; k++)
			take_dynamic(o, &dyn[k]);
		if (k < nr)
			break;
	}
	return o->symtab && o->strtab && (o->gnu_hash || o->hash);
}

static bool read_object(struct object *o, uint64_t base)
{
	uint64_t dynamic = 0, first = ~0ull;
	ElfW(Phdr) ph[HEADERS_MAX];
	ElfW(Ehdr) eh;
	int i;

	if (get(o, base, &eh, sizeof(eh)) ||
	    memcmp(eh.e_ident, ELFMAG, SELFMAG) ||
	    eh.e_ident[EI_CLASS] != NATIVE_CLASS ||
	    eh.e_phentsize != sizeof(ph[0]) || eh.e_phnum > HEADERS_MAX ||
	    get(o, base + eh.e_phoff, ph, eh.e_phnum * sizeof(ph[0])))
		return false;
	for (i = 0; i < eh.e_phnum; i++) {
		if (ph[i].p_type == PT_LOAD && ph[i].p_vaddr < first)
			first = ph[i].p_vaddr;
		if (ph[i].p_type == PT_DYNAMIC)
			dynamic = ph[i].p_vaddr;
	}
	if (!dynamic || first == ~0ull)
		return false;
	o->bias = base - (first & ~4095ull);
	return read_dynamic(o, o->bias + dynamic);
}

static uint32_t gnu_hash_of(const char *name)
{
	uint32_t h = 5381;

	for (; *name; name++)
		h = h * 33 + (unsigned char)*name;
	return h;
}

static bool named(const struct object *o, const ElfW(Sym) *sym,
		  const char *name)
{
	char found[64];
	size_t len = strlen(name) + 1;

	return len <= sizeof(found) && sym->st_shndx != SHN_UNDEF &&
	       !get(o, o->strtab + sym->st_name, found, len) &&
	       !memcmp(found, name, len);
}

/*
 * The function that was chosen when the object was loaded (IFUNC): where the object calls it
 * itself, the linker has noted that.  0: it is not known.
 */
static uint64_t chosen(const struct object *o, uint64_t chooser)
{
	object_reloc reloc[AT_ONCE];
	uint64_t at, end;
	size_t t, i, nr;
	remote_word word;

	for (t = 0; t < 2 && OBJECT_ADDENDS; t++) {
		end = o->rela[t] + o->rela_len[t];
		for (at = o->rela[t]; o->rela[t] && at + sizeof(reloc[0]) <= end; at += nr * sizeof(reloc[0])) {
			nr = (size_t)(end - at) / sizeof(reloc[0]);
			nr = nr > AT_ONCE ? AT_ONCE : nr;
			if (get(o, at, reloc, nr * sizeof(reloc[0])))
				break;
			for (i = 0; i < nr; i++)
				if (NATIVE_R_TYPE(reloc[i].r_info) == OBJECT_IRELATIVE &&
				    o->bias + object_addend(&reloc[i], 0) == chooser &&
				    !get(o, o->bias + reloc[i].r_offset, &word, sizeof(word)) &&
				    word != chooser)
					return word;
		}
	}
	return 0;
}

static uint64_t value_of(const struct object *o, const ElfW(Sym) *sym)
{
	uint64_t value = o->bias + sym->st_value;

	return ELF32_ST_TYPE(sym->st_info) == STT_GNU_IFUNC ? chosen(o, value) : value;
}

static uint64_t lookup_gnu(const struct object *o, const char *name)
{
	uint32_t head[4], index, entry, hash = gnu_hash_of(name), i;
	uint64_t buckets, chains;
	ElfW(Sym) sym;

	if (get(o, o->gnu_hash, head, sizeof(head)) || !head[0])
		return 0;
	buckets = o->gnu_hash + sizeof(head) + (uint64_t)NATIVE_WORD * head[2];
	chains = buckets + 4ull * head[0];
	if (get(o, buckets + 4ull * (hash % head[0]), &index,
			sizeof(index)) || index < head[1])
		return 0;
	for (i = 0; i < 65536; i++, index++) {
		if (get(o, chains + 4ull * (index - head[1]),
				&entry, sizeof(entry)))
			return 0;
		if ((entry | 1) == (hash | 1) &&
		    !remote_read(o->remote,
				 o->symtab + (uint64_t)index * sizeof(sym),
				 &sym, sizeof(sym)) &&
		    named(o, &sym, name))
			return value_of(o, &sym);
		if (entry & 1)
			break;
	}
	return 0;
}

static uint32_t hash_of(const char *name)
{
	uint32_t h = 0;

	for (; *name; name++) {
		h = (h << 4) + (unsigned char)*name;
		h = (h ^ (h >> 24 & 0xf0)) & 0x0fffffff;
	}
	return h;
}

/* The older form, of objects that have no other: as on MIPS. */
static uint64_t lookup(const struct object *o, const char *name)
{
	uint32_t head[2], index, i;
	ElfW(Sym) sym;

	if (get(o, o->hash, head, sizeof(head)) || !head[0] ||
	    get(o, o->hash + sizeof(head) + 4ull * (hash_of(name) % head[0]), &index,
		sizeof(index)))
		return 0;
	for (i = 0; i < 65536 && index && index < head[1]; i++) {
		if (!get(o, o->symtab + (uint64_t)index * sizeof(sym), &sym, sizeof(sym)) &&
		    named(o, &sym, name))
			return value_of(o, &sym);
		if (get(o, o->hash + sizeof(head) + 4ull * (head[0] + (uint64_t)index), &index,
			sizeof(index)))
			return 0;
	}
	return 0;
}

static uint64_t symbol(const struct remote *remote,
		       const struct remote_map *map, const char *name,
		       unsigned int *left)
{
	struct object o = { .remote = remote, .left = left };

	if (map->offset || !map->read || !read_object(&o, map->start))
		return 0;
	return o.gnu_hash ? lookup_gnu(&o, name) : lookup(&o, name);
}

uint64_t remote_symbol(const struct remote *remote,
		       const struct remote_map *map, const char *name)
{
	unsigned int left = READS_MAX;

	return symbol(remote, map, name, &left);
}

uint64_t remote_find(const struct remote *remote, const char *part,
		     const char *name)
{
	unsigned int left = READS_MAX;
	uint64_t found;
	size_t i;

	for (i = 0; i < remote->maps_nr; i++) {
		const struct remote_map *map = &remote->maps[i];

		if (!map->path[0] || map->path[0] == '[' ||
		    !strstr(map->path, part))
			continue;
		found = symbol(remote, map, name, &left);
		if (found)
			return found;
	}
	return 0;
}
