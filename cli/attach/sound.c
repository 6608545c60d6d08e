/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sound.c - whether the dynamic linker can be given this shared object.
 *
 * Owns: the bounds of everything that the linker, the C library and the engine read, write or
 * call because a file says so.  The linker trusts a file: one wrong offset makes the process
 * fault, or an assertion end it.
 *
 * Invariant: everything that is refused here would be read or written outside of the object, or
 * is asserted by a linker.  What a program that loads it may define (symbols) or not (versions)
 * is not checked.
 */
#include "sound.h"
#include "object.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define PAGE 4096u
#define SEGMENTS_MAX 256
#define IMAGE_MAX (1ull << (NATIVE_WORD == 8 ? 32 : 31))
#define TLS_MAX (1ull << 24)
#define GNU_HASH_HEAD 16u

enum table {				/* of the dynamic section, by our index */
	STRTAB, STRSZ, SYMTAB, SYMENT, RELOC, RELOCSZ, RELOCENT, RELOCCOUNT, JMPREL,
	PLTRELSZ, PLTREL, PLTGOT, RELR, RELRSZ, RELRENT, HASH, GNU_HASH, INIT,
	FINI, INIT_ARRAY, INIT_ARRAYSZ, FINI_ARRAY, FINI_ARRAYSZ, VERSYM,
	VERNEED, VERNEEDNUM, VERDEF, VERDEFNUM, OTHERS, TEXTREL, FLAGS, TABLES,
};

static const int64_t tags[TABLES] = {
	[STRTAB] = DT_STRTAB, [STRSZ] = DT_STRSZ, [SYMTAB] = DT_SYMTAB,
	[SYMENT] = DT_SYMENT, [RELOC] = OBJECT_ADDENDS ? DT_RELA : DT_REL,
	[RELOCSZ] = OBJECT_ADDENDS ? DT_RELASZ : DT_RELSZ,
	[RELOCENT] = OBJECT_ADDENDS ? DT_RELAENT : DT_RELENT,
	[RELOCCOUNT] = OBJECT_ADDENDS ? DT_RELACOUNT : DT_RELCOUNT,
	[JMPREL] = DT_JMPREL, [PLTRELSZ] = DT_PLTRELSZ, [PLTREL] = DT_PLTREL,
	[PLTGOT] = DT_PLTGOT, [RELR] = 36, [RELRSZ] = 35, [RELRENT] = 37,
	[HASH] = DT_HASH, [GNU_HASH] = DT_GNU_HASH, [INIT] = DT_INIT,
	[FINI] = DT_FINI, [INIT_ARRAY] = DT_INIT_ARRAY,
	[INIT_ARRAYSZ] = DT_INIT_ARRAYSZ, [FINI_ARRAY] = DT_FINI_ARRAY,
	[FINI_ARRAYSZ] = DT_FINI_ARRAYSZ, [VERSYM] = DT_VERSYM,
	[VERNEED] = DT_VERNEED, [VERNEEDNUM] = DT_VERNEEDNUM,
	[VERDEF] = DT_VERDEF, [VERDEFNUM] = DT_VERDEFNUM, [OTHERS] = OBJECT_ADDENDS ? DT_REL : DT_RELA,
	[TEXTREL] = DT_TEXTREL, [FLAGS] = DT_FLAGS,
};

struct object {
	const uint8_t *bytes;
	size_t size;
	const ElfW(Ehdr) *eh;
	const ElfW(Phdr) *ph;
	uint64_t value[TABLES];
	bool has[TABLES];
	const ElfW(Phdr) *tls;
	uint32_t versions;		/* the highest number that is defined */
};

/* ---- the image ------------------------------------------------------------------ */

/* The segment that holds all of it. */
static const ElfW(Phdr) *segment(const struct object *o, uint64_t addr,
				 uint64_t len)
{
	int i;

	for (i = 0; i < o->eh->e_phnum; i++) {
		const ElfW(Phdr) *ph = &o->ph[i];

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
	const ElfW(Phdr) *ph = segment(o, addr, len);

	return ph && (ph->p_flags & flags) == flags;
}

/* What is read there, from the file; NULL: not all of it is in the file. */
static const void *at(const struct object *o, uint64_t addr, uint64_t len)
{
	const ElfW(Phdr) *ph = segment(o, addr, len);

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
		const ElfW(Phdr) *ph = &o->ph[i];

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
		end = ((uint64_t)ph->p_vaddr + ph->p_memsz + PAGE - 1) &
		      ~(uint64_t)(PAGE - 1);
		nr++;
	}
	return nr ? NULL : "it has no segment to load";
}

static bool notes_fit(const struct object *o, const ElfW(Phdr) *ph)
{
	uint64_t align = ph->p_align == 8 ? 8 : 4, pos = 0;
	const uint8_t *notes = at(o, ph->p_vaddr, ph->p_memsz);
	ElfW(Nhdr) note;

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
static bool unwinding_fits(const struct object *o, const ElfW(Phdr) *ph)
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
		const ElfW(Phdr) *ph = &o->ph[i];

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
	const ElfW(Ehdr) *eh = (const void *)o->bytes;
	uint64_t len;

	if (o->size < sizeof(*eh) || memcmp(eh->e_ident, ELFMAG, SELFMAG))
		return "it is no ELF file";
	if (eh->e_ident[EI_CLASS] != NATIVE_CLASS ||
	    eh->e_ident[EI_DATA] != ELFDATA2LSB || eh->e_machine != OBJECT_MACHINE)
		return "it is not for " OBJECT_PROGRAMS;
	if (eh->e_type != ET_DYN)
		return "it is no shared object";
	len = (uint64_t)eh->e_phnum * sizeof(*o->ph);
	if (eh->e_phentsize != sizeof(*o->ph) || eh->e_phnum > SEGMENTS_MAX ||
	    eh->e_phoff % NATIVE_WORD || len > o->size || eh->e_phoff > o->size - len)
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

static const char *take_tags(struct object *o, const ElfW(Dyn) *dyn, size_t nr)
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
	const ElfW(Phdr) *ph = NULL;
	const ElfW(Dyn) *dyn;
	int i;

	/* The linker takes the last. */
	for (i = 0; i < o->eh->e_phnum; i++)
		if (o->ph[i].p_type == PT_DYNAMIC)
			ph = &o->ph[i];
	/* Where it adds the base to addresses in it, it must be writable. */
	dyn = ph && ph->p_filesz &&
	      mapped(o, ph->p_vaddr, ph->p_filesz, OBJECT_DYNAMIC_STAYS ? PF_R : PF_W)
		      ? table_at(o, ph->p_vaddr, ph->p_filesz, NATIVE_WORD) : NULL;
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
	const ElfW(Sym) *sym = index < 1u << 28
		? table_at(o, o->value[SYMTAB] + index * sizeof(*sym),
			   sizeof(*sym), NATIVE_WORD) : NULL;
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
	    head[3] >= 8 * NATIVE_WORD)
		return "its hash table is damaged";
	buckets_at = o->value[GNU_HASH] + GNU_HASH_HEAD + (uint64_t)NATIVE_WORD * head[2];
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
	const ElfW(Verneed) *need;
	const ElfW(Vernaux) *one;

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
	const ElfW(Verdef) *def;
	const ElfW(Verdaux) *one;

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

static uint64_t addend_of(const struct object *o, const object_reloc *reloc)
{
	const void *bytes = at(o, reloc->r_offset, NATIVE_WORD);
	ElfW(Addr) word = 0;

	if (bytes)
		memcpy(&word, bytes, sizeof(word));
	return object_addend(reloc, word);
}

static const char *check_reloc(const struct object *o, const object_reloc *reloc)
{
	uint64_t addend = addend_of(o, reloc);
	uint32_t flags = o->has[TEXTREL] || o->value[FLAGS] & DF_TEXTREL ?
		PF_R : PF_R | PF_W;
	unsigned int len = NATIVE_WORD;

	switch (NATIVE_R_TYPE(reloc->r_info)) {
	case OBJECT_NONE:
		return NULL;
	case OBJECT_RELATIVE:
		if (OBJECT_RELATIVE_NAMES && NATIVE_R_SYM(reloc->r_info))
			break;
		if (!segment(o, addend, 0) ||
		    (in_array(o, reloc->r_offset) &&
		     !mapped(o, addend, 1, PF_R | PF_X)))
			return "a relocation leads out of it";
		break;
	case OBJECT_IRELATIVE:
		if (!mapped(o, addend, 1, PF_R | PF_X))
			return "a relocation leads out of it";
		break;
	case OBJECT_TLSDESC:
		len = 2 * NATIVE_WORD;
		break;
	case OBJECT_LINKED:
		break;
	default:
		return "it has relocations of a kind that no shared object has";
	}
	if (!mapped(o, reloc->r_offset, len, flags))
		return "a relocation is not in it";
	return NATIVE_R_SYM(reloc->r_info)
		       ? check_symbol(o, NATIVE_R_SYM(reloc->r_info)) : NULL;
}

static const char *check_relocs(const struct object *o, uint64_t addr,
			       uint64_t len, uint64_t relative)
{
	const object_reloc *reloc = table_at(o, addr, len, NATIVE_WORD);
	uint64_t i, nr = len / sizeof(*reloc);
	const char *wrong = NULL;

	if (!reloc || len % sizeof(*reloc) || relative > nr)
		return "its relocations are damaged";
	for (i = 0; i < nr && !wrong; i++) {
		/* The linker asserts it. */
		if (i < relative &&
		    NATIVE_R_TYPE(reloc[i].r_info) != OBJECT_RELATIVE)
			return "its relocations are damaged";
		wrong = check_reloc(o, &reloc[i]);
	}
	return wrong;
}

/* Addresses, and a bit for each of the words that follow, but one less than a word has. */
static const char *check_relr(const struct object *o)
{
	const ElfW(Addr) *words = table_at(o, o->value[RELR], o->value[RELRSZ], NATIVE_WORD);
	uint64_t i, base = 0;
	unsigned int bit;

	if (!words || o->value[RELRSZ] % NATIVE_WORD ||
	    o->value[RELRENT] != NATIVE_WORD)
		return "its relocations are damaged";
	for (i = 0; i < o->value[RELRSZ] / NATIVE_WORD; i++) {
		if (!(words[i] & 1)) {
			if (!mapped(o, words[i], NATIVE_WORD, PF_R | PF_W))
				return "a relocation is not in it";
			base = (uint64_t)words[i] + NATIVE_WORD;
			continue;
		}
		for (bit = 0; bit < 8 * NATIVE_WORD - 1; bit++)
			if (words[i] >> (bit + 1) & 1 &&
			    !mapped(o, base + (uint64_t)NATIVE_WORD * bit, NATIVE_WORD,
				    PF_R | PF_W))
				return "a relocation is not in it";
		base += (8 * NATIVE_WORD - 1) * NATIVE_WORD;
	}
	return NULL;
}

static const char *check_relocations(const struct object *o)
{
	const char *wrong = NULL;

	if (o->has[OTHERS] ||
	    (o->has[PLTREL] && o->value[PLTREL] != (uint64_t)tags[RELOC]) ||
	    (o->has[RELOCENT] && o->value[RELOCENT] != sizeof(object_reloc)) ||
	    (o->has[RELOC] && (!o->has[RELOCSZ] || !o->has[RELOCENT])) ||
	    (o->has[JMPREL] && (!o->has[PLTRELSZ] || !o->has[PLTREL])) ||
	    (o->has[PLTREL] && !o->has[JMPREL]) ||
	    (o->has[RELOCCOUNT] && !o->has[RELOC]))
		return "its relocations are damaged";
	if (o->has[RELOC])
		wrong = check_relocs(o, o->value[RELOC], o->value[RELOCSZ],
				    o->value[RELOCCOUNT]);
	if (!wrong && o->has[JMPREL])
		wrong = check_relocs(o, o->value[JMPREL], o->value[PLTRELSZ], 0);
	if (!wrong && o->has[RELR])
		wrong = check_relr(o);
	/* The linker writes the second and the third word. */
	if (!wrong && o->has[PLTGOT] &&
	    !mapped(o, o->value[PLTGOT], 3 * NATIVE_WORD, PF_R | PF_W))
		wrong = "its table of addresses is not in it";
	return wrong;
}

/* ---- functions that are called -------------------------------------------------- */

static bool array_fits(const struct object *o, enum table array, enum table len)
{
	return o->has[array] == o->has[len] &&
	       (!o->has[array] || (o->value[len] % NATIVE_WORD == 0 &&
				   o->value[array] % NATIVE_WORD == 0 &&
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
	if (!wrong && o.has[SYMENT] && o.value[SYMENT] != sizeof(ElfW(Sym)))
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
