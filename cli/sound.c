/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sound.c - can the dynamic linker be given this shared object?
 *
 * Owns: the bounds of all that the linker, the C library and the engine read,
 * write or call because a file says so.  The linker trusts a file: an offset
 * too far and it is the process that faults, or an assertion that ends it.
 *
 * Invariant: all that is refused here would be read or written outside of the
 * object, or is asserted by a linker; what a program that loads it may define
 * (symbols) or not (versions) is none of our business.
 */
#include "sound.h"
#include "object.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define PAGE 4096u
#define SEGMENTS_MAX 256
#define IMAGE_MAX (1ull << 32)
#define TLS_MAX (1ull << 24)
#define GNU_HASH_HEAD 16u

enum table {				/* of the dynamic section, by our index */
	STRTAB, STRSZ, SYMTAB, SYMENT, RELA, RELASZ, RELAENT, RELACOUNT, JMPREL,
	PLTRELSZ, PLTREL, PLTGOT, RELR, RELRSZ, RELRENT, HASH, GNU_HASH, INIT,
	FINI, INIT_ARRAY, INIT_ARRAYSZ, FINI_ARRAY, FINI_ARRAYSZ, VERSYM,
	VERNEED, VERNEEDNUM, VERDEF, VERDEFNUM, REL, TEXTREL, FLAGS, TABLES,
};

static const int64_t tags[TABLES] = {
	[STRTAB] = DT_STRTAB, [STRSZ] = DT_STRSZ, [SYMTAB] = DT_SYMTAB,
	[SYMENT] = DT_SYMENT, [RELA] = DT_RELA, [RELASZ] = DT_RELASZ,
	[RELAENT] = DT_RELAENT, [RELACOUNT] = DT_RELACOUNT,
	[JMPREL] = DT_JMPREL, [PLTRELSZ] = DT_PLTRELSZ, [PLTREL] = DT_PLTREL,
	[PLTGOT] = DT_PLTGOT, [RELR] = 36, [RELRSZ] = 35, [RELRENT] = 37,
	[HASH] = DT_HASH, [GNU_HASH] = DT_GNU_HASH, [INIT] = DT_INIT,
	[FINI] = DT_FINI, [INIT_ARRAY] = DT_INIT_ARRAY,
	[INIT_ARRAYSZ] = DT_INIT_ARRAYSZ, [FINI_ARRAY] = DT_FINI_ARRAY,
	[FINI_ARRAYSZ] = DT_FINI_ARRAYSZ, [VERSYM] = DT_VERSYM,
	[VERNEED] = DT_VERNEED, [VERNEEDNUM] = DT_VERNEEDNUM,
	[VERDEF] = DT_VERDEF, [VERDEFNUM] = DT_VERDEFNUM, [REL] = DT_REL,
	[TEXTREL] = DT_TEXTREL, [FLAGS] = DT_FLAGS,
};

struct object {
	const uint8_t *bytes;
	size_t size;
	const Elf64_Ehdr *eh;
	const Elf64_Phdr *ph;
	uint64_t value[TABLES];
	bool has[TABLES];
	const Elf64_Phdr *tls;
	uint32_t versions;		/* the highest number that is defined */
};

/* ---- the image ------------------------------------------------------------------ */

/* The segment that holds all of it. */
static const Elf64_Phdr *segment(const struct object *o, uint64_t addr,
				 uint64_t len)
{
	int i;

	for (i = 0; i < o->eh->e_phnum; i++) {
		const Elf64_Phdr *ph = &o->ph[i];

		if (ph->p_type == PT_LOAD && addr >= ph->p_vaddr &&
		    len <= ph->p_memsz &&
		    addr - ph->p_vaddr <= ph->p_memsz - len)
			return ph;
	}
	return NULL;
}

static bool mapped(const struct object *o, uint64_t addr, uint64_t len,
		   uint32_t flags)
{
	const Elf64_Phdr *ph = segment(o, addr, len);

	return ph && (ph->p_flags & flags) == flags;
}

/* What is read there, from the file; NULL: not all of it is in the file. */
static const void *at(const struct object *o, uint64_t addr, uint64_t len)
{
	const Elf64_Phdr *ph = segment(o, addr, len);

	if (!ph || !(ph->p_flags & PF_R) || len > ph->p_filesz ||
	    addr - ph->p_vaddr > ph->p_filesz - len)
		return NULL;
	return o->bytes + ph->p_offset + (addr - ph->p_vaddr);
}

/* Tables of numbers are read as they lie: misaligned ones, nobody makes. */
static const void *table_at(const struct object *o, uint64_t addr, uint64_t len,
			    unsigned int align)
{
	return addr % align ? NULL : at(o, addr, len);
}

static const char *check_loads(const struct object *o)
{
	uint64_t end = 0;
	int i, nr = 0;

	for (i = 0; i < o->eh->e_phnum; i++) {
		const Elf64_Phdr *ph = &o->ph[i];

		if (ph->p_type != PT_LOAD)
			continue;
		if (ph->p_filesz > ph->p_memsz || ph->p_filesz > o->size ||
		    ph->p_offset > o->size - ph->p_filesz)
			return "a segment is not in the file as a whole";
		if (ph->p_align < PAGE || ph->p_align & (ph->p_align - 1) ||
		    (ph->p_vaddr - ph->p_offset) & (ph->p_align - 1))
			return "a segment's alignment makes no sense";
		if (ph->p_memsz > IMAGE_MAX || ph->p_vaddr > IMAGE_MAX ||
		    (nr && (ph->p_vaddr & ~(uint64_t)(PAGE - 1)) < end))
			return "its segments overlap, or are out of order or too large";
		end = (ph->p_vaddr + ph->p_memsz + PAGE - 1) &
		      ~(uint64_t)(PAGE - 1);
		nr++;
	}
	return nr ? NULL : "it has no segment to load";
}

static bool notes_fit(const struct object *o, const Elf64_Phdr *ph)
{
	uint64_t align = ph->p_align == 8 ? 8 : 4, pos = 0;
	const uint8_t *notes = at(o, ph->p_vaddr, ph->p_memsz);
	Elf64_Nhdr note;

	if (!notes)
		return false;
	while (ph->p_memsz - pos >= sizeof(note)) {
		memcpy(&note, notes + pos, sizeof(note));
		pos += (sizeof(note) + note.n_namesz + align - 1) &
		       ~(align - 1);
		if (pos > ph->p_memsz || note.n_descsz > ph->p_memsz - pos)
			return false;
		pos += (note.n_descsz + align - 1) & ~(align - 1);
		if (pos >= ph->p_memsz)
			break;
	}
	return true;
}

/* What an unwinder reads: the search table, if it is of the usual form. */
static bool unwinding_fits(const struct object *o, const Elf64_Phdr *ph)
{
	static const uint8_t usual[4] = { 1, 0x1b, 0x03, 0x3b };
	const uint8_t *head = at(o, ph->p_vaddr, ph->p_memsz);
	int32_t frames, fde;
	uint32_t nr, i;

	if (!head || ph->p_memsz < 8)
		return false;
	if (memcmp(head, usual, sizeof(usual)))
		return head[0] == 1;
	memcpy(&frames, head + 4, 4);
	if (!at(o, ph->p_vaddr + 4 + (uint64_t)(int64_t)frames, 4) ||
	    ph->p_memsz < 12)
		return false;
	memcpy(&nr, head + 8, 4);
	if (nr > (ph->p_memsz - 12) / 8)
		return false;
	for (i = 0; i < nr; i++) {
		memcpy(&fde, head + 12 + 8ull * i + 4, 4);
		if (!at(o, ph->p_vaddr + (uint64_t)(int64_t)fde, 8))
			return false;
	}
	return true;
}

/* The others, of which the linker and the unwinder keep or use the address. */
static const char *check_segments(struct object *o)
{
	uint64_t len = (uint64_t)o->eh->e_phnum * sizeof(*o->ph);
	int i;

	for (i = 0; i < o->eh->e_phnum; i++) {
		const Elf64_Phdr *ph = &o->ph[i];

		switch (ph->p_type) {
		case PT_PHDR:
			if (at(o, ph->p_vaddr, len) != o->ph)
				return "its program headers are not where they say";
			break;
		case PT_TLS:
			if (ph->p_filesz > ph->p_memsz || ph->p_memsz > TLS_MAX ||
			    ph->p_align & (ph->p_align - 1) ||
			    ph->p_align > PAGE ||
			    (ph->p_filesz &&
			     !at(o, ph->p_vaddr, ph->p_filesz)))
				return "its thread-local data makes no sense";
			o->tls = ph;
			break;
		case PT_GNU_RELRO:
			if (ph->p_memsz &&
			    !mapped(o, ph->p_vaddr, 1, PF_R | PF_W))
				return "what becomes read-only is not in it";
			if (ph->p_memsz > IMAGE_MAX ||
			    (ph->p_memsz > PAGE &&
			     !segment(o, ph->p_vaddr, ph->p_memsz - PAGE)))
				return "what becomes read-only is not in it";
			break;
		case PT_NOTE:
		case PT_GNU_PROPERTY:
			if (ph->p_memsz && !notes_fit(o, ph))
				return "its notes are damaged";
			break;
		case PT_GNU_EH_FRAME:
			if (ph->p_memsz && !unwinding_fits(o, ph))
				return "its unwind table is damaged";
			break;
		}
	}
	return NULL;
}

static const char *check_header(struct object *o)
{
	const Elf64_Ehdr *eh = (const void *)o->bytes;
	uint64_t len;

	if (o->size < sizeof(*eh) || memcmp(eh->e_ident, ELFMAG, SELFMAG))
		return "it is no ELF file";
	if (eh->e_ident[EI_CLASS] != ELFCLASS64 ||
	    eh->e_ident[EI_DATA] != ELFDATA2LSB || eh->e_machine != OBJECT_MACHINE)
		return "it is not for " OBJECT_PROGRAMS;
	if (eh->e_type != ET_DYN)
		return "it is no shared object";
	len = (uint64_t)eh->e_phnum * sizeof(*o->ph);
	if (eh->e_phentsize != sizeof(*o->ph) || eh->e_phnum > SEGMENTS_MAX ||
	    eh->e_phoff % 8 || len > o->size || eh->e_phoff > o->size - len)
		return "its program headers are damaged";
	o->eh = eh;
	o->ph = (const void *)(o->bytes + eh->e_phoff);
	return NULL;
}

/* ---- the dynamic section -------------------------------------------------------- */

static bool names_string(int64_t tag)
{
	return tag == DT_NEEDED || tag == DT_SONAME || tag == DT_RPATH ||
	       tag == DT_RUNPATH || tag == DT_AUXILIARY || tag == DT_FILTER;
}

static const char *take_tags(struct object *o, const Elf64_Dyn *dyn, size_t nr)
{
	size_t i;
	int t;

	for (i = 0; i < nr && dyn[i].d_tag != DT_NULL; i++)
		for (t = 0; t < TABLES; t++)
			if (dyn[i].d_tag == tags[t]) {
				o->has[t] = true;
				o->value[t] = dyn[i].d_un.d_val;
			}
	if (i == nr)
		return "its dynamic section has no end";
	if (!o->has[STRTAB] || !o->has[SYMTAB] || !o->has[STRSZ] ||
	    (!o->has[HASH] && !o->has[GNU_HASH]))
		return "its dynamic section is incomplete";
	for (i = 0; dyn[i].d_tag != DT_NULL; i++)
		if (names_string(dyn[i].d_tag) &&
		    dyn[i].d_un.d_val >= o->value[STRSZ])
			return "a name in its dynamic section is not there";
	return NULL;
}

static const char *read_dynamic(struct object *o)
{
	const Elf64_Phdr *ph = NULL;
	const Elf64_Dyn *dyn;
	int i;

	/* The linker takes the last. */
	for (i = 0; i < o->eh->e_phnum; i++)
		if (o->ph[i].p_type == PT_DYNAMIC)
			ph = &o->ph[i];
	/* It adds the base to addresses in it, so it must be writable. */
	dyn = ph && ph->p_filesz && mapped(o, ph->p_vaddr, ph->p_filesz, PF_W)
		      ? table_at(o, ph->p_vaddr, ph->p_filesz, 8) : NULL;
	if (!dyn)
		return "it has no dynamic section, or a damaged one";
	return take_tags(o, dyn, ph->p_filesz / sizeof(*dyn));
}

static const char *check_strings(const struct object *o)
{
	const char *strings;

	strings = o->value[STRSZ] ? at(o, o->value[STRTAB], o->value[STRSZ])
				  : NULL;
	if (!strings || strings[o->value[STRSZ] - 1])
		return "its table of names is damaged";
	return NULL;
}

/* ---- symbols -------------------------------------------------------------------- */

static const char *check_symbol(const struct object *o, uint64_t index)
{
	const Elf64_Sym *sym = index < 1u << 28
		? table_at(o, o->value[SYMTAB] + index * sizeof(*sym),
			   sizeof(*sym), 8) : NULL;
	const uint16_t *version;
	int type;

	if (!sym || sym->st_name >= o->value[STRSZ])
		return "a symbol is damaged";
	if (o->has[VERSYM]) {
		version = table_at(o, o->value[VERSYM] + 2 * index, 2, 2);
		if (!version || (*version & 0x7fff) > o->versions)
			return "a symbol's version is not there";
	}
	type = ELF64_ST_TYPE(sym->st_info);
	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS)
		return NULL;
	if (type == STT_TLS)
		return o->tls && sym->st_value <= o->tls->p_memsz
			       ? NULL : "a thread-local symbol is not in it";
	if (!segment(o, sym->st_value, 0) ||
	    ((type == STT_FUNC || type == STT_GNU_IFUNC) &&
	     !mapped(o, sym->st_value, 1, PF_R | PF_X)))
		return "a symbol's address is not in it";
	return NULL;
}

static const char *check_gnu_hash(const struct object *o)
{
	const uint32_t *head = table_at(o, o->value[GNU_HASH], GNU_HASH_HEAD, 4);
	uint64_t buckets_at, chains_at;
	const uint32_t *buckets, *chain;
	const char *wrong;
	uint32_t i, index;

	/* The linker asserts that the filter's length is a power of two. */
	if (!head || !head[0] || !head[2] || head[2] & (head[2] - 1) ||
	    head[3] > 63)
		return "its hash table is damaged";
	buckets_at = o->value[GNU_HASH] + GNU_HASH_HEAD + 8ull * head[2];
	chains_at = buckets_at + 4ull * head[0];
	buckets = table_at(o, buckets_at, 4ull * head[0], 4);
	if (!buckets)
		return "its hash table is damaged";
	for (i = 0; i < head[0]; i++) {
		for (index = buckets[i]; index; index++) {
			chain = index < head[1] ? NULL :
				table_at(o, chains_at + 4ull * (index - head[1]),
					 4, 4);
			if (!chain)
				return "its hash table is damaged";
			wrong = check_symbol(o, index);
			if (wrong)
				return wrong;
			if (*chain & 1)
				break;
		}
	}
	return NULL;
}

static const char *check_hash(const struct object *o)
{
	const uint32_t *head = table_at(o, o->value[HASH], 8, 4), *words;
	const char *wrong = NULL;
	uint64_t i, steps;
	uint32_t index;

	if (!head || !head[0])
		return "its hash table is damaged";
	words = table_at(o, o->value[HASH], 8 + 4ull * head[0] + 4ull * head[1],
			 4);
	if (!words)
		return "its hash table is damaged";
	for (i = 0, steps = 0; i < head[0]; i++)
		for (index = words[2 + i]; index; index = words[2 + head[0] + index])
			if (index >= head[1] || steps++ > head[1])
				return "its hash table is damaged";
	for (i = 1; i < head[1] && !wrong; i++)
		wrong = check_symbol(o, i);
	return wrong;
}

/* ---- versions ------------------------------------------------------------------- */

static bool take_needs(struct object *o)
{
	uint64_t entry = o->value[VERNEED], aux, i, k;
	const Elf64_Verneed *need;
	const Elf64_Vernaux *one;

	for (i = 0; i < 65536; i++, entry += need->vn_next) {
		need = table_at(o, entry, sizeof(*need), 4);
		if (!need || need->vn_version != 1 ||
		    need->vn_file >= o->value[STRSZ])
			return false;
		aux = entry + need->vn_aux;
		for (k = 0; k < 65536; k++, aux += one->vna_next) {
			one = table_at(o, aux, sizeof(*one), 4);
			if (!one || one->vna_name >= o->value[STRSZ])
				return false;
			if ((one->vna_other & 0x7fffu) > o->versions)
				o->versions = one->vna_other & 0x7fff;
			if (!one->vna_next)
				break;
		}
		if (!need->vn_next)
			return true;
	}
	return false;
}

static bool take_definitions(struct object *o)
{
	uint64_t entry = o->value[VERDEF], i;
	const Elf64_Verdef *def;
	const Elf64_Verdaux *one;

	for (i = 0; i < 65536; i++, entry += def->vd_next) {
		def = table_at(o, entry, sizeof(*def), 4);
		one = def ? table_at(o, entry + def->vd_aux, sizeof(*one), 4)
			  : NULL;
		if (!one || def->vd_version != 1 ||
		    one->vda_name >= o->value[STRSZ])
			return false;
		if ((def->vd_ndx & 0x7fffu) > o->versions)
			o->versions = def->vd_ndx & 0x7fff;
		if (!def->vd_next)
			return true;
	}
	return false;
}

static const char *check_versions(struct object *o)
{
	o->versions = 1;
	if ((o->has[VERNEED] && !take_needs(o)) ||
	    (o->has[VERDEF] && !take_definitions(o)) ||
	    (o->has[VERSYM] && !o->has[VERNEED] && !o->has[VERDEF]))
		return "its versions of symbols are damaged";
	return NULL;
}

/* ---- relocations ---------------------------------------------------------------- */

static bool in_array(const struct object *o, uint64_t addr)
{
	return addr - o->value[INIT_ARRAY] < o->value[INIT_ARRAYSZ] ||
	       addr - o->value[FINI_ARRAY] < o->value[FINI_ARRAYSZ];
}

static const char *check_rela(const struct object *o, const Elf64_Rela *rela)
{
	uint64_t addend = (uint64_t)rela->r_addend;
	uint32_t flags = o->has[TEXTREL] || o->value[FLAGS] & DF_TEXTREL ?
		PF_R : PF_R | PF_W;
	unsigned int len = 8;

	switch (ELF64_R_TYPE(rela->r_info)) {
	case OBJECT_NONE:
		return NULL;
	case OBJECT_RELATIVE:
		if (!segment(o, addend, 0) ||
		    (in_array(o, rela->r_offset) &&
		     !mapped(o, addend, 1, PF_R | PF_X)))
			return "a relocation leads out of it";
		break;
	case OBJECT_IRELATIVE:
		if (!mapped(o, addend, 1, PF_R | PF_X))
			return "a relocation leads out of it";
		break;
	case OBJECT_TLSDESC:
		len = 16;
		break;
	case OBJECT_LINKED:
		break;
	default:
		return "it has relocations of a kind that no shared object has";
	}
	if (!mapped(o, rela->r_offset, len, flags))
		return "a relocation is not in it";
	return ELF64_R_SYM(rela->r_info)
		       ? check_symbol(o, ELF64_R_SYM(rela->r_info)) : NULL;
}

static const char *check_relas(const struct object *o, uint64_t addr,
			       uint64_t len, uint64_t relative)
{
	const Elf64_Rela *rela = table_at(o, addr, len, 8);
	uint64_t i, nr = len / sizeof(*rela);
	const char *wrong = NULL;

	if (!rela || len % sizeof(*rela) || relative > nr)
		return "its relocations are damaged";
	for (i = 0; i < nr && !wrong; i++) {
		/* The linker asserts it. */
		if (i < relative &&
		    ELF64_R_TYPE(rela[i].r_info) != OBJECT_RELATIVE)
			return "its relocations are damaged";
		wrong = check_rela(o, &rela[i]);
	}
	return wrong;
}

/* Addresses, and bits for the 63 words that follow. */
static const char *check_relr(const struct object *o)
{
	const uint64_t *words = table_at(o, o->value[RELR], o->value[RELRSZ], 8);
	uint64_t i, base = 0;
	int bit;

	if (!words || o->value[RELRSZ] % 8 || o->value[RELRENT] != 8)
		return "its relocations are damaged";
	for (i = 0; i < o->value[RELRSZ] / 8; i++) {
		if (!(words[i] & 1)) {
			if (!mapped(o, words[i], 8, PF_R | PF_W))
				return "a relocation is not in it";
			base = words[i] + 8;
			continue;
		}
		for (bit = 0; bit < 63; bit++)
			if (words[i] >> (bit + 1) & 1 &&
			    !mapped(o, base + 8ull * bit, 8, PF_R | PF_W))
				return "a relocation is not in it";
		base += 63 * 8;
	}
	return NULL;
}

static const char *check_relocations(const struct object *o)
{
	const char *wrong = NULL;

	if (o->has[REL] || (o->has[PLTREL] && o->value[PLTREL] != DT_RELA) ||
	    (o->has[RELAENT] && o->value[RELAENT] != sizeof(Elf64_Rela)) ||
	    (o->has[RELA] && (!o->has[RELASZ] || !o->has[RELAENT])) ||
	    (o->has[JMPREL] && (!o->has[PLTRELSZ] || !o->has[PLTREL])) ||
	    (o->has[PLTREL] && !o->has[JMPREL]) ||
	    (o->has[RELACOUNT] && !o->has[RELA]))
		return "its relocations are damaged";
	if (o->has[RELA])
		wrong = check_relas(o, o->value[RELA], o->value[RELASZ],
				    o->value[RELACOUNT]);
	if (!wrong && o->has[JMPREL])
		wrong = check_relas(o, o->value[JMPREL], o->value[PLTRELSZ], 0);
	if (!wrong && o->has[RELR])
		wrong = check_relr(o);
	/* The linker writes the second and the third word. */
	if (!wrong && o->has[PLTGOT] &&
	    !mapped(o, o->value[PLTGOT], 24, PF_R | PF_W))
		wrong = "its table of addresses is not in it";
	return wrong;
}

/* ---- functions that are called -------------------------------------------------- */

static bool array_fits(const struct object *o, enum table array, enum table len)
{
	return o->has[array] == o->has[len] &&
	       (!o->has[array] || (o->value[len] % 8 == 0 &&
				   o->value[array] % 8 == 0 &&
				   mapped(o, o->value[array], o->value[len],
					  PF_R)));
}

static const char *check_functions(const struct object *o)
{
	if ((o->has[INIT] && !mapped(o, o->value[INIT], 1, PF_R | PF_X)) ||
	    (o->has[FINI] && !mapped(o, o->value[FINI], 1, PF_R | PF_X)) ||
	    !array_fits(o, INIT_ARRAY, INIT_ARRAYSZ) ||
	    !array_fits(o, FINI_ARRAY, FINI_ARRAYSZ))
		return "its constructors or destructors are not in it";
	return NULL;
}

const char *cli_sound(const void *bytes, size_t size)
{
	struct object o = { .bytes = bytes, .size = size };
	const char *wrong = check_header(&o);

	if (!wrong)
		wrong = check_loads(&o);
	if (!wrong)
		wrong = check_segments(&o);
	if (!wrong)
		wrong = read_dynamic(&o);
	if (!wrong)
		wrong = check_strings(&o);
	if (!wrong && o.has[SYMENT] && o.value[SYMENT] != sizeof(Elf64_Sym))
		wrong = "its symbols are damaged";
	if (!wrong)
		wrong = check_versions(&o);
	if (!wrong && o.has[GNU_HASH])
		wrong = check_gnu_hash(&o);
	if (!wrong && o.has[HASH])
		wrong = check_hash(&o);
	if (!wrong)
		wrong = check_relocations(&o);
	return wrong ? wrong : check_functions(&o);
}
