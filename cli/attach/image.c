// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * image.c - a shared object as it will lie in a process's memory.
 *
 * Owns: laying its segments out, and its relocations, as a dynamic linker would do both.  So
 * nothing of the process is needed for that: it only maps the result.
 *
 * Invariant: everything that is read or written here lies within the image: sound.c has
 * checked the file, and each table is checked once more against what was laid out.
 */
#include "image.h"
#include "object.h"
#include "sound.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096ull
#define LEN_MAX (64ull << 20)

static uint64_t page_down(uint64_t at)
{
	return at & ~(PAGE - 1);
}

static uint64_t page_up(uint64_t at)
{
	return page_down(at + PAGE - 1);
}

static const ElfW(Ehdr) *header(const struct image *image)
{
	return (const ElfW(Ehdr) *)image->bytes;
}

/* ---- laying out ------------------------------------------------------------------ */

static int prot_of(uint32_t flags)
{
	return (flags & PF_R ? PROT_READ : 0) | (flags & PF_W ? PROT_WRITE : 0) |
	       (flags & PF_X ? PROT_EXEC : 0);
}

static const char *add_part(struct image *image, const ElfW(Phdr) *ph)
{
	struct image_part *part = &image->parts[image->parts_nr];
	uint64_t end = page_up(ph->p_vaddr + ph->p_memsz);

	if (image->parts_nr == IMAGE_PARTS)
		return "it has too many segments";
	*part = (struct image_part){
		.from = page_down(ph->p_vaddr), .prot = prot_of(ph->p_flags),
	};
	part->len = end - part->from;
	if (part->prot & PROT_WRITE && part->prot & PROT_EXEC)
		return "it has a segment that can be written and executed";
	if (part->from < image->len)
		return "its segments share pages";
	image->len = end;
	image->parts_nr++;
	return NULL;
}

static const char *lay_out(struct image *image, const uint8_t *file, size_t size)
{
	const ElfW(Ehdr) *eh = (const ElfW(Ehdr) *)file;
	const ElfW(Phdr) *ph = (const ElfW(Phdr) *)(file + eh->e_phoff);
	const char *wrong = NULL;
	int i;

	for (i = 0; i < eh->e_phnum && !wrong; i++) {
		if (ph[i].p_type == PT_TLS)
			wrong = "it has thread-local variables, for which only a dynamic linker makes room";
		else if (ph[i].p_type == PT_LOAD && ph[i].p_memsz)
			wrong = add_part(image, &ph[i]);
		if (image->len > LEN_MAX)
			wrong = "it is too large";
	}
	if (wrong)
		return wrong;
	if (!image->parts_nr || image->parts[0].from)
		return "its first segment does not begin at 0";
	image->bytes = calloc(1, image->len);
	if (!image->bytes)
		return "there is no memory for it";
	for (i = 0; i < eh->e_phnum; i++)
		if (ph[i].p_type == PT_LOAD && ph[i].p_filesz <= size &&
		    ph[i].p_offset <= size - ph[i].p_filesz &&
		    ph[i].p_vaddr + ph[i].p_filesz <= image->len)
			memcpy(image->bytes + ph[i].p_vaddr, file + ph[i].p_offset,
			       ph[i].p_filesz);
	image->entry = eh->e_entry;
	return NULL;
}

const char *image_read(struct image *image, const void *file, size_t size)
{
	const ElfW(Ehdr) *eh;
	const char *wrong = cli_sound(file, size);

	*image = (struct image){ 0 };
	if (wrong)
		return wrong;
	wrong = lay_out(image, file, size);
	if (!wrong) {
		/* What is asked of it later is asked of what lies there. */
		eh = header(image);
		if (eh->e_phoff > image->parts[0].len ||
		    eh->e_phnum * sizeof(ElfW(Phdr)) > image->parts[0].len - eh->e_phoff)
			wrong = "its program headers are not in its first segment";
	}
	if (wrong)
		image_end(image);
	return wrong;
}

bool image_copy(struct image *image, const struct image *from)
{
	*image = *from;
	image->bytes = malloc(from->len);
	if (image->bytes)
		memcpy(image->bytes, from->bytes, from->len);
	return image->bytes;
}

void image_end(struct image *image)
{
	free(image->bytes);
	*image = (struct image){ 0 };
}

/* ---- its dynamic section ------------------------------------------------------------ */

struct table {
	const void *at;
	uint64_t nr;
};

static const void *inside(const struct image *image, uint64_t at, uint64_t len)
{
	return at <= image->len && len <= image->len - at ? image->bytes + at : NULL;
}

/* The dynamic section, as far as it lies in it. */
static const ElfW(Dyn) *entries(const struct image *image, uint64_t *nr)
{
	const ElfW(Ehdr) *eh = header(image);
	const ElfW(Phdr) *ph = (const ElfW(Phdr) *)(image->bytes + eh->e_phoff);
	const ElfW(Dyn) *dyn;
	int k;

	*nr = 0;
	for (k = 0; k < eh->e_phnum; k++) {
		if (ph[k].p_type != PT_DYNAMIC)
			continue;
		dyn = inside(image, ph[k].p_vaddr, ph[k].p_memsz);
		while (dyn && *nr < ph[k].p_memsz / sizeof(*dyn) && dyn[*nr].d_tag != DT_NULL)
			++*nr;
		return dyn;
	}
	return NULL;
}

uint64_t image_dynamic(const struct image *image, int64_t tag)
{
	uint64_t i, nr;
	const ElfW(Dyn) *dyn = entries(image, &nr);

	for (i = 0; i < nr; i++)
		if ((int64_t)dyn[i].d_tag == tag)
			return dyn[i].d_un.d_val;
	return 0;
}

static struct table table(const struct image *image, int64_t where, int64_t len, size_t each)
{
	struct table t = { .nr = image_dynamic(image, len) / each };

	t.at = t.nr ? inside(image, image_dynamic(image, where), t.nr * each) : NULL;
	if (!t.at)
		t.nr = 0;
	return t;
}

static const char *name_at(const struct image *image, uint64_t offset)
{
	uint64_t len = image_dynamic(image, DT_STRSZ);
	const char *strings = inside(image, image_dynamic(image, DT_STRTAB), len);

	return strings && offset < len && memchr(strings + offset, 0, len - offset)
		       ? strings + offset : NULL;
}

const char *image_needs(const struct image *image, unsigned int i)
{
	uint64_t k, nr;
	const ElfW(Dyn) *dyn = entries(image, &nr);

	for (k = 0; k < nr; k++)
		if (dyn[k].d_tag == DT_NEEDED && !i--)
			return name_at(image, dyn[k].d_un.d_val);
	return NULL;
}

static const ElfW(Sym) *symbol_at(const struct image *image, uint64_t index)
{
	return inside(image, image_dynamic(image, DT_SYMTAB) + index * sizeof(ElfW(Sym)),
		      sizeof(ElfW(Sym)));
}

/* How many: with the older hash table that is said, else the strings follow them. */
static uint64_t symbols_nr(const struct image *image)
{
	uint64_t hash = image_dynamic(image, DT_HASH), from = image_dynamic(image, DT_SYMTAB);
	const uint32_t *head = hash ? inside(image, hash, 8) : NULL;
	uint64_t to = image_dynamic(image, DT_STRTAB);

	if (head)
		return head[1];
	return to > from ? (to - from) / sizeof(ElfW(Sym)) : 0;
}

bool image_symbol(const struct image *image, const char *name, uint64_t *at)
{
	uint64_t i, nr = symbols_nr(image);
	const ElfW(Sym) *sym;
	const char *found;

	for (i = 1; i < nr; i++) {
		sym = symbol_at(image, i);
		found = sym && sym->st_shndx != SHN_UNDEF ? name_at(image, sym->st_name) : NULL;
		if (found && !strcmp(found, name)) {
			*at = sym->st_value;
			return *at < image->len;
		}
	}
	return false;
}

/* ---- relocations ----------------------------------------------------------------------- */

struct relocating {
	struct image *image;
	uint64_t base;
	bool (*find)(void *arg, const char *name, uint64_t *addr);
	void *arg;
};

/* What a symbol stands for.  What is missing; NULL: nothing. */
static const char *resolve(const struct relocating *r, uint64_t index, uint64_t *value)
{
	static char text[192];
	const ElfW(Sym) *sym = symbol_at(r->image, index);
	const char *name = sym ? name_at(r->image, sym->st_name) : NULL;

	*value = 0;
	if (!name)
		return "its symbols are damaged";
	if (sym->st_shndx == SHN_ABS)
		*value = sym->st_value;
	else if (sym->st_shndx != SHN_UNDEF)
		*value = r->base + sym->st_value;
	else if (!(r->find && r->find(r->arg, name, value)) &&
		 ELF32_ST_BIND(sym->st_info) != STB_WEAK) {
		snprintf(text, sizeof(text), "it needs %s, which is not there", name);
		return text;
	}
	return NULL;
}

static const char *relocate_one(const struct relocating *r, const object_reloc *reloc)
{
	uint64_t at = reloc->r_offset, index = NATIVE_R_SYM(reloc->r_info), value;
	unsigned int type = NATIVE_R_TYPE(reloc->r_info);
	ElfW(Addr) word = 0;
	const char *missing;

	if (type == OBJECT_NONE)
		return NULL;
	if (!inside(r->image, at, sizeof(word)))
		return "a relocation is not in it";
	memcpy(&word, r->image->bytes + at, sizeof(word));
	value = object_addend(reloc, word);
	if (type == OBJECT_RELATIVE && !index) {
		word = (ElfW(Addr))(r->base + value);
	} else if (type == OBJECT_WORD || type == OBJECT_GLOB_DAT || type == OBJECT_JUMP_SLOT) {
		uint64_t addend = type == OBJECT_WORD || OBJECT_ADDENDS ? value : 0;

		missing = resolve(r, index, &value);
		if (missing)
			return missing;
		word = (ElfW(Addr))(value + addend);
	} else if (type == OBJECT_IRELATIVE) {
		return "it has functions that are chosen while it is loaded (IFUNC), which takes a dynamic linker";
	} else {
		return "it has relocations that only a dynamic linker can do, as for thread-local variables";
	}
	memcpy(r->image->bytes + at, &word, sizeof(word));
	return NULL;
}

/* Addresses, and a bit for each of the words that follow, but one less than a word has. */
static void relocate_packed(const struct relocating *r, const struct table *t)
{
	const ElfW(Addr) *words = t->at;
	const unsigned int bits = 8 * sizeof(*words) - 1;
	ElfW(Addr) *word;
	uint64_t i, next = 0;
	unsigned int bit;

	for (i = 0; i < t->nr; i++) {
		uint64_t map = words[i] & 1 ? words[i] >> 1 : 1;

		if (!(words[i] & 1))
			next = words[i];
		for (bit = 0; bit < bits && map >> bit; bit++) {
			word = (ElfW(Addr) *)inside(r->image, next + bit * sizeof(*word),
						    sizeof(*word));
			if (word && map >> bit & 1)
				*word += (ElfW(Addr))r->base;
		}
		next += (words[i] & 1 ? bits : 1) * sizeof(*words);
	}
}

const char *image_relocate(struct image *image, uint64_t base,
			   bool (*find)(void *arg, const char *name, uint64_t *addr), void *arg)
{
	const struct relocating r = { image, base, find, arg };
	const struct table tables[] = {
		table(image, OBJECT_ADDENDS ? DT_RELA : DT_REL,
		      OBJECT_ADDENDS ? DT_RELASZ : DT_RELSZ, sizeof(object_reloc)),
		table(image, DT_JMPREL, DT_PLTRELSZ, sizeof(object_reloc)),
	};
	const struct table packed = table(image, 36 /* DT_RELR */, 35 /* its length */,
					  sizeof(ElfW(Addr)));
	const char *missing = NULL;
	uint64_t i;
	size_t t;

	for (t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
		for (i = 0; i < tables[t].nr && !missing; i++)
			missing = relocate_one(&r, (const object_reloc *)tables[t].at + i);
	if (!missing)
		relocate_packed(&r, &packed);
	return missing;
}
