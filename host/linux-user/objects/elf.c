/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * elf.c - the symbols of one object.
 *
 * Owns: an object's symbol index, by address, and by name once a name is asked
 * for.  .dynsym is read where it is loaded; .symtab from the file, when the file
 * still is the one that was loaded; Go's own table where there is no .symtab.  And what an object exports, looked up as the
 * linker does, for who wants no index.
 *
 * Locks: the registry lock.
 */
#include "objects/elf.h"
#include "host.h"
#include "machine.h"
#include "marks.h"
#include "freestanding/copy.h"
#include "process/writer.h"
#include "objects/engine.h"
#include "objects/gopcln.h"
#include "objects/objects.h"
#include "objects/runtime_marks.h"

#include <elf.h>
#include <link.h>

struct table {
	const ElfW(Sym) *syms;
	size_t nr;
	const char *strings;
	size_t strings_len;
	const uint16_t *versions;
	const uint32_t *gnu, *old;	/* of .dynsym: hash tables, or NULL */
};

/* Where Go's table is loaded; not alone: somewhere in there. */
struct go_section {
	const uint8_t *bytes;
	size_t len;
	bool alone;
};

static uint32_t hash_gnu(const char *name)
{
	uint32_t value = 5381;

	while (*name)
		value = value * 33 + (unsigned char)*name++;
	return value;
}

/* The words of its filter are addresses' length, all others of 32 bits. */
#define FILTER_WORD (sizeof(ElfW(Addr)) / sizeof(uint32_t))

/* Symbols that the GNU hash table knows of: the highest index, plus one. */
static size_t count_gnu(const uint32_t *hash)
{
	uint32_t nbuckets = hash[0], first = hash[1], bloom = hash[2];
	const uint32_t *buckets = hash + 4 + bloom * FILTER_WORD;
	const uint32_t *chains = buckets + nbuckets;
	uint32_t i, last = 0;

	for (i = 0; i < nbuckets; i++)
		if (buckets[i] > last)
			last = buckets[i];
	if (last < first)
		return first;
	while (!(chains[last - first] & 1))
		last++;
	return last + 1;
}

/* All but how many there are. */
static bool dynamic_table(const struct kp_object *object, struct table *out)
{
	const ElfW(Dyn) *dyn = (const void *)object->dynamic;

	memset(out, 0, sizeof(*out));
	for (; dyn && dyn->d_tag != DT_NULL; dyn++) {
		const void *at = kp_user_elf_dynamic(object, dyn->d_un.d_ptr);

		switch (dyn->d_tag) {
		case DT_SYMTAB:
			out->syms = at;
			break;
		case DT_STRTAB:
			out->strings = at;
			break;
		case DT_STRSZ:
			out->strings_len = dyn->d_un.d_val;
			break;
		case DT_VERSYM:
			out->versions = at;
			break;
		case DT_HASH:
			out->old = at;
			break;
		case DT_GNU_HASH:
			out->gnu = at;
			break;
		}
	}
	return out->syms && out->strings && (out->gnu || out->old);
}

/* ---- what an object exports ---------------------------------------------- */

static bool is_function(const struct table *table, uint32_t i, const char *name)
{
	const ElfW(Sym) *sym = &table->syms[i];

	return sym->st_shndx != SHN_UNDEF && sym->st_value &&
	       ELF64_ST_TYPE(sym->st_info) == STT_FUNC &&
	       !strcmp(table->strings + sym->st_name, name);
}

/* The header: buckets, first symbol, words of the filter, its shift. */
static uint32_t find_gnu(const struct table *table, const char *name)
{
	const uint32_t *gnu = table->gnu, *buckets = gnu + 4 + FILTER_WORD * gnu[2];
	const uint32_t *chains = buckets + gnu[0];
	uint32_t hash = hash_gnu(name), i;

	i = gnu[0] ? buckets[hash % gnu[0]] : 0;
	if (i < gnu[1])
		return 0;
	/* A chain's last has its lowest bit set. */
	for (;; i++) {
		uint32_t other = chains[i - gnu[1]];

		if ((other | 1) == (hash | 1) && is_function(table, i, name))
			return i;
		if (other & 1)
			return 0;
	}
}

/* The header: buckets, symbols. */
static uint32_t find_old(const struct table *table, const char *name)
{
	uint32_t i;

	for (i = 1; i < table->old[1]; i++)
		if (is_function(table, i, name))
			return i;
	return 0;
}

/* The function of that name, without an index; or 0. */
uintptr_t kp_user_elf_exported(const struct kp_object *object, const char *name)
{
	struct table table;
	uint32_t i;

	if (!dynamic_table(object, &table))
		return 0;
	i = table.gnu ? find_gnu(&table, name) : find_old(&table, name);
	return i ? object->bias + kp_arch_code_at(table.syms[i].st_value) : 0;
}

/* ---- .symtab ------------------------------------------------------------- */

static bool read_at(long fd, void *dst, size_t len, uint64_t off)
{
	char *bytes = dst;

	while (len) {
		long n = sys4(SYS_pread64, fd, bytes, len, off);

		if (n <= 0)
			return false;
		bytes += n;
		off += (uint64_t)n;
		len -= (size_t)n;
	}
	return true;
}

static void *load(long fd, const ElfW(Shdr) *sh)
{
	void *mem = sh->sh_size < (size_t)1 << 31 ? kp_host_alloc(sh->sh_size + 1)
					       : NULL;

	if (mem && !read_at(fd, mem, sh->sh_size, sh->sh_offset)) {
		kp_host_free(mem);
		return NULL;
	}
	return mem;
}

/* The file may have been replaced since: its head must be what is loaded. */
bool kp_user_elf_same_file(const struct kp_object *object, long fd)
{
	char file[1024], memory[1024];

	return read_at(fd, file, sizeof(file), 0) &&
	       !kp_user_copy(memory, (const void *)object->start,
			     sizeof(memory)) &&
	       !memcmp(file, memory, sizeof(file));
}

static bool is_loaded(const struct kp_object *object, const ElfW(Shdr) *sh)
{
	uintptr_t start = object->bias + sh->sh_addr;
	const struct kp_segment *segment = kp_user_segment_at(object, start);

	return segment && sh->sh_type != SHT_NOBITS &&
	       sh->sh_size <= segment->end - start;
}

/* Go's table, by the best of its sections' names. */
static void note_go(struct kp_object *object, const ElfW(Shdr) *sh,
		    const char *name, struct go_section *go)
{
	static const char *const names[] = { KP_MARKS_GO_TABLES };
	size_t nr = sizeof(names) / sizeof(names[0]), i;

	for (i = 0; i < nr; i++) {
		if (strcmp(name, names[i]) || !is_loaded(object, sh))
			continue;
		go->bytes = (const void *)(object->bias + sh->sh_addr);
		go->len = sh->sh_size;
		go->alone = i + 1 < nr;
	}
}

/* What is loaded; a section's name says who made it. */
static void tell_sections(struct kp_object *object, long fd,
			  const ElfW(Ehdr) *eh, const ElfW(Shdr) *sections,
			  struct go_section *go)
{
	const ElfW(Shdr) *names;
	char *text;
	size_t i;

	if (eh->e_shstrndx >= eh->e_shnum)
		return;
	names = &sections[eh->e_shstrndx];
	text = load(fd, names);
	for (i = 0; text && i < eh->e_shnum; i++) {
		const char *name = text + sections[i].sh_name;

		if (!(sections[i].sh_flags & SHF_ALLOC) ||
		    sections[i].sh_name >= names->sh_size)
			continue;
		kp_user_runtime_section(object, name);
		if (!strcmp(name, ".eh_frame") && is_loaded(object, &sections[i])) {
			object->eh_frame = object->bias + sections[i].sh_addr;
			object->eh_frame_end = object->eh_frame + sections[i].sh_size;
		}
		if (!go->bytes || !go->alone)
			note_go(object, &sections[i], name, go);
	}
	kp_host_free(text);
}

static bool file_table(struct kp_object *object, long fd, struct table *out,
		       struct go_section *go)
{
	ElfW(Shdr) *sections = NULL, whole;
	ElfW(Ehdr) eh;
	bool found = false;
	size_t i;

	memset(out, 0, sizeof(*out));
	if (!read_at(fd, &eh, sizeof(eh), 0) || !eh.e_shnum ||
	    eh.e_shentsize != sizeof(ElfW(Shdr)))
		return false;
	memset(&whole, 0, sizeof(whole));
	whole.sh_offset = eh.e_shoff;
	whole.sh_size = (size_t)eh.e_shnum * sizeof(*sections);
	sections = load(fd, &whole);
	if (sections)
		tell_sections(object, fd, &eh, sections, go);
	for (i = 0; sections && i < eh.e_shnum; i++) {
		const ElfW(Shdr) *sh = &sections[i];

		if (sh->sh_type != SHT_SYMTAB || sh->sh_link >= eh.e_shnum)
			continue;
		out->syms = load(fd, sh);
		out->nr = sh->sh_size / sizeof(ElfW(Sym));
		object->strings = load(fd, &sections[sh->sh_link]);
		out->strings = object->strings;
		out->strings_len = sections[sh->sh_link].sh_size;
		found = out->syms && out->strings;
		break;
	}
	kp_host_free(sections);
	if (!found)
		kp_host_free((void *)(uintptr_t)out->syms);
	return found;
}

/* ---- the index ----------------------------------------------------------- */

static bool wanted(const ElfW(Sym) *sym, const struct table *table)
{
	int type = ELF64_ST_TYPE(sym->st_info);

	return sym->st_shndx != SHN_UNDEF && sym->st_shndx != SHN_ABS &&
	       sym->st_value && sym->st_name < table->strings_len &&
	       table->strings[sym->st_name] &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC ||
		type == STT_OBJECT || type == STT_NOTYPE);
}

/* Global before weak before local; a default version before an old one. */
static uint8_t rank_of(const ElfW(Sym) *sym, const struct table *table,
		       size_t i)
{
	int bind = ELF64_ST_BIND(sym->st_info);
	uint8_t rank = bind == STB_GLOBAL ? 0 : bind == STB_WEAK ? 1 : 2;

	if (table->versions && (table->versions[i] & 0x8000))
		rank += 4;
	if (ELF64_ST_TYPE(sym->st_info) == STT_NOTYPE)
		rank += 8;
	return rank;
}

/* A symbol's value may say more than its address: of code. */
static bool is_code(const ElfW(Sym) *sym)
{
	int type = ELF64_ST_TYPE(sym->st_info);

	return type == STT_FUNC || type == STT_GNU_IFUNC;
}

static uintptr_t address_of(const struct kp_object *object, const ElfW(Sym) *sym)
{
	return object->bias + (is_code(sym) ? kp_arch_code_at(sym->st_value) : sym->st_value);
}

/* A symbol before it has an entry: where, and which one of all tables'. */
struct place {
	uint32_t off;			/* from the object's first byte */
	uint32_t from;
};

/* Is it one of the object's, and not our own, which must not hide them? */
static bool is_there(struct kp_object *object, const ElfW(Sym) *sym)
{
	uintptr_t addr = address_of(object, sym);

	return kp_user_segment_at(object, addr) &&
	       !(ELF64_ST_BIND(sym->st_info) == STB_LOCAL &&
		 kp_user_in_engine(object, addr));
}

static size_t put_places(struct kp_object *object, const struct table *table,
			 size_t first, struct place *places)
{
	size_t nr = 0, i;

	for (i = 0; i < table->nr; i++) {
		const ElfW(Sym) *sym = &table->syms[i];

		if (!wanted(sym, table) || !is_there(object, sym))
			continue;
		places[nr].off = (uint32_t)(address_of(object, sym) - object->start);
		places[nr++].from = (uint32_t)(first + i);
	}
	return nr;
}

/* By offset, 11 bits at a time; a and b are two arrays: the one it ends in. */
static struct place *sort_places(struct place *a, struct place *b, size_t nr,
				 size_t span)
{
	uint32_t ends[2048];
	unsigned int shift;
	struct place *from = a, *to = b, *swap;
	size_t i, sum, n;

	for (shift = 0; shift < 32 && span >> shift; shift += 11) {
		memset(ends, 0, sizeof(ends));
		for (i = 0; i < nr; i++)
			ends[from[i].off >> shift & 2047]++;
		for (i = sum = 0; i < 2048; i++) {
			n = ends[i];
			ends[i] = (uint32_t)sum;
			sum += n;
		}
		for (i = 0; i < nr; i++)
			to[ends[from[i].off >> shift & 2047]++] = from[i];
		swap = from;
		from = to;
		to = swap;
	}
	return from;
}

static void put_symbol(struct kp_object *object, const struct table *table,
		       size_t i, struct kp_symbol *out)
{
	const ElfW(Sym) *sym = &table->syms[i];

	out->addr = address_of(object, sym);
	out->second = out->addr != object->bias + sym->st_value;
	out->len = sym->st_size;
	out->name = table->strings + sym->st_name;
	out->type = ELF64_ST_TYPE(sym->st_info);
	out->rank = rank_of(sym, table, i);
}

static int by_address(const void *a, const void *b)
{
	const struct kp_symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->len != y->len)
		return x->len > y->len ? -1 : 1;
	return x->rank - y->rank;
}

/* $a, $d, $t.2: what stands there, of the processor's binary interface. */
static bool is_mark(const struct kp_symbol *sym)
{
	return sym->type == STT_NOTYPE && sym->name[0] == '$' && sym->name[1] &&
	       (!sym->name[2] || sym->name[2] == '.');
}

/* A symbol without a size reaches to the next one, inside its segment. */
static void give_sizes(struct kp_object *object)
{
	size_t i, j;

	for (i = 0; i < object->symbols_nr; i++) {
		struct kp_symbol *sym = &object->symbols[i];
		uintptr_t end = kp_user_segment_at(object, sym->addr)->end;

		if (sym->len)
			continue;
		for (j = i + 1; j < object->symbols_nr; j++) {
			if (object->symbols[j].addr <= sym->addr ||
			    is_mark(&object->symbols[j]))
				continue;
			end = object->symbols[j].addr < end
				      ? object->symbols[j].addr : end;
			break;
		}
		sym->len = end - sym->addr;
	}
}

/* Heap sort with the interface of qsort; elements are whole words. */
static void swap(void *left, void *right, size_t size)
{
	uintptr_t *a = left, *b = right;

	for (size /= sizeof(*a); size--;) {
		uintptr_t t = *a;

		*a++ = *b;
		*b++ = t;
	}
}

static void sift(char *base, size_t root, size_t nr, size_t size,
		 int (*order)(const void *, const void *))
{
	for (;;) {
		size_t kid = root * 2 + 1;

		if (kid >= nr)
			return;
		if (kid + 1 < nr &&
		    order(base + kid * size, base + (kid + 1) * size) < 0)
			kid++;
		if (order(base + root * size, base + kid * size) >= 0)
			return;
		swap(base + root * size, base + kid * size, size);
		root = kid;
	}
}

static void sort(void *array, size_t nr, size_t size,
		 int (*order)(const void *, const void *))
{
	char *base = array;
	size_t i;

	for (i = nr / 2; i-- > 0;)
		sift(base, i, nr, size, order);
	for (i = nr; i-- > 1;) {
		swap(base, base + i * size, size);
		sift(base, 0, i, size, order);
	}
}

/* Those at one address, the largest first. */
static void sort_equals(struct kp_object *object)
{
	struct kp_symbol *symbols = object->symbols;
	size_t first, end;

	for (first = 0; first < object->symbols_nr; first = end) {
		for (end = first + 1; end < object->symbols_nr; end++)
			if (symbols[end].addr != symbols[first].addr)
				break;
		if (end - first > 1)
			sort(symbols + first, end - first, sizeof(*symbols),
			     by_address);
	}
}

static size_t put_go_places(struct kp_object *object, const struct kp_gopcln *go,
			    size_t first, struct place *places)
{
	struct kp_gopcln_function fn;
	size_t nr = 0;
	uint32_t i;

	for (i = 0; i < go->nr; i++) {
		if (!kp_gopcln_function(go, i, &fn) ||
		    !kp_user_segment_at(object, fn.start))
			continue;
		places[nr].off = (uint32_t)(fn.start - object->start);
		places[nr++].from = (uint32_t)(first + i);
	}
	return nr;
}

static void put_go_symbol(struct kp_gopcln *go, size_t i, struct kp_symbol *out)
{
	struct kp_gopcln_function fn;

	kp_gopcln_function(go, (uint32_t)i, &fn);
	out->addr = fn.start;
	out->len = kp_gopcln_depths(go, &fn, NULL, NULL) - fn.start;
	out->name = fn.name;
	out->type = STT_FUNC;
	out->rank = 2;
}

static void put_symbols(struct kp_object *object, const struct table *dynamic,
			const struct table *file, struct kp_gopcln *go)
{
	size_t most = dynamic->nr + file->nr + go->nr;
	size_t span = object->end - object->start;
	struct place *places, *sorted;
	size_t nr, i;

	if (most > 0xffffffff || span > 0xffffffff)
		return;
	places = kp_host_alloc(2 * most * sizeof(*places));
	if (!places)
		return;
	nr = put_places(object, dynamic, 0, places);
	nr += put_places(object, file, dynamic->nr, places + nr);
	nr += put_go_places(object, go, dynamic->nr + file->nr, places + nr);
	sorted = sort_places(places, places + most, nr, span);
	object->symbols = kp_host_alloc(nr * sizeof(*object->symbols));
	for (i = 0; object->symbols && i < nr; i++) {
		size_t from = sorted[i].from;

		if (from < dynamic->nr)
			put_symbol(object, dynamic, from, &object->symbols[i]);
		else if (from - dynamic->nr < file->nr)
			put_symbol(object, file, from - dynamic->nr,
				   &object->symbols[i]);
		else
			put_go_symbol(go, from - dynamic->nr - file->nr,
				      &object->symbols[i]);
	}
	object->symbols_nr = object->symbols ? nr : 0;
	kp_host_free(places);
	sort_equals(object);
}

/* A search is for who is Go's by another mark. */
static void open_go(const struct kp_object *object, const struct go_section *section,
		    struct kp_gopcln *go)
{
	bool found;

	if (section->alone)
		found = kp_gopcln_open(go, section->bytes, section->len);
	else
		found = section->bytes && object->runtime == KP_RUNTIME_GO &&
			kp_gopcln_search(go, section->bytes, section->len);
	if (!found)
		go->nr = 0;
}

static int index_object(void *arg)
{
	struct go_section section = { 0 };
	struct kp_gopcln go = { 0 };
	struct table dynamic, file = { 0 };
	struct kp_object *object = arg;
	bool have_file = false;
	long fd;

	if (dynamic_table(object, &dynamic))
		dynamic.nr = dynamic.old ? dynamic.old[1]
					 : count_gnu(dynamic.gnu);
	fd = object->vdso ? -1 : sys_open(object->path, O_RDONLY);
	if (fd >= 0) {
		have_file = kp_user_elf_same_file(object, fd) &&
			    file_table(object, fd, &file, &section);
		sys_close(fd);
	}
	if (!have_file) {
		file.nr = 0;
		open_go(object, &section, &go);
	}
	put_symbols(object, &dynamic, &file, &go);
	if (have_file)
		kp_host_free((void *)(uintptr_t)file.syms);
	give_sizes(object);
	return 0;
}

void kp_user_elf_index(struct kp_object *object)
{
	if (object->indexed)
		return;
	object->indexed = true;
	kp_user_write_call(index_object, object);
}

/* Of the last look: the answer for [from, to) in that object's index. */
static struct {
	const struct kp_symbol *symbols;
	uintptr_t from, to;
	struct kp_symbol *best;
} last;

void kp_user_elf_drop(struct kp_object *object)
{
	last.symbols = NULL;
	kp_host_free(object->symbols);
	kp_host_free(object->names);
	kp_host_free(object->strings);
	object->symbols = NULL;
	object->names = NULL;
	object->strings = NULL;
	object->symbols_nr = 0;
}

/* ---- names --------------------------------------------------------------- */

static uint32_t hash(const char *name)
{
	uint32_t value = hash_gnu(name);

	return value ^ value >> 15;
}

/* names: how many buckets less one, the buckets, then a next for each symbol. */
static bool know_names(struct kp_object *object)
{
	size_t buckets = 64, nr = object->symbols_nr, i;
	uint32_t *first, *next;

	if (object->names)
		return true;
	while (buckets < nr)
		buckets *= 2;
	object->names = kp_host_alloc((1 + buckets + nr) * sizeof(uint32_t));
	if (!object->names)
		return false;
	object->names[0] = (uint32_t)(buckets - 1);
	first = object->names + 1;
	next = first + buckets;
	for (i = 0; i < nr; i++) {
		uint32_t *bucket = &first[hash(object->symbols[i].name) &
					  (buckets - 1)];

		next[i] = *bucket;
		*bucket = (uint32_t)i + 1;
	}
	return true;
}

/* The one of that name with the best rank. */
struct kp_symbol *kp_user_elf_named(struct kp_object *object, const char *name)
{
	struct kp_symbol *best = NULL, *sym;
	const uint32_t *first, *next;
	uint32_t i;

	kp_user_elf_index(object);
	if (!object->symbols_nr || !know_names(object))
		return NULL;
	first = object->names + 1;
	next = first + object->names[0] + 1;
	for (i = first[hash(name) & object->names[0]]; i; i = next[i - 1]) {
		sym = &object->symbols[i - 1];
		if ((!best || sym->rank <= best->rank) &&
		    !strcmp(sym->name, name))
			best = sym;
	}
	return best;
}

unsigned int kp_user_elf_alike(struct kp_object *object, const struct kp_symbol *of)
{
	const uint32_t *first = object->names + 1;
	const uint32_t *next = first + object->names[0] + 1;
	const struct kp_symbol *sym;
	unsigned int nr = 1;
	uint32_t i;

	for (i = first[hash(of->name) & object->names[0]]; i; i = next[i - 1]) {
		sym = &object->symbols[i - 1];
		nr += sym->addr != of->addr && sym->rank == of->rank && sym->type == of->type &&
		      !strcmp(sym->name, of->name);
	}
	return nr;
}

/* Functions before objects before untyped labels. */
static int kind(const struct kp_symbol *sym)
{
	return sym->type == STT_NOTYPE ? 2 : sym->type == STT_OBJECT;
}

/* The first symbol behind addr. */
static size_t behind(const struct kp_object *object, uintptr_t addr)
{
	size_t low = 0, high = object->symbols_nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (object->symbols[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Has one of the symbols that start at addr that name? */
bool kp_user_elf_called(struct kp_object *object, uintptr_t addr,
			const char *name)
{
	size_t i;

	kp_user_elf_index(object);
	for (i = behind(object, addr);
	     i-- > 0 && object->symbols[i].addr == addr;)
		if (!strcmp(object->symbols[i].name, name))
			return true;
	return false;
}

/* The indirect function that begins at addr, by its resolver; NULL: there is none. */
struct kp_symbol *kp_user_elf_indirect(struct kp_object *object, uintptr_t addr)
{
	size_t i;

	kp_user_elf_index(object);
	for (i = behind(object, addr);
	     i-- > 0 && object->symbols[i].addr == addr;)
		if (object->symbols[i].type == STT_GNU_IFUNC)
			return &object->symbols[i];
	return NULL;
}

/* As long as no other symbol starts and this one has not ended. */
static void remember(const struct kp_object *object, uintptr_t addr,
		     size_t next, struct kp_symbol *best)
{
	uintptr_t to = next < object->symbols_nr ? object->symbols[next].addr
						 : object->end;

	last.symbols = object->symbols;
	last.from = addr;
	last.to = best && best->addr + best->len < to ? best->addr + best->len
						       : to;
	last.best = best;
}

/*
 * The symbol that contains addr: the one that starts last; among equals a
 * function, then the best name.
 */
struct kp_symbol *kp_user_elf_at(struct kp_object *object, uintptr_t addr)
{
	struct kp_symbol *best = NULL;
	size_t low, tries, next;

	kp_user_elf_index(object);
	if (object->symbols && last.symbols == object->symbols &&
	    addr >= last.from && addr < last.to)
		return last.best;
	next = low = behind(object, addr);
	/* Containers that nest are close by. */
	for (tries = 0; low-- > 0 && tries < 64;) {
		struct kp_symbol *sym = &object->symbols[low];

		if (is_mark(sym))
			continue;
		tries++;
		if (best && sym->addr != best->addr && kind(best) < 2)
			break;
		if (addr - sym->addr >= sym->len)
			continue;
		if (!best || kind(sym) < kind(best) ||
		    (sym->addr == best->addr && kind(sym) == kind(best) &&
		     sym->rank < best->rank))
			best = sym;
	}
	remember(object, addr, next, best);
	return best;
}

const char *kp_user_elf_mark(struct kp_object *object, uintptr_t from, uintptr_t addr)
{
	size_t at;

	kp_user_elf_index(object);
	at = behind(object, addr);

	while (at-- > 0 && object->symbols[at].addr >= from)
		if (is_mark(&object->symbols[at]))
			return object->symbols[at].name;
	return NULL;
}

/* The program may have it without exporting it: that one's symbols are all read. */
uintptr_t kp_user_elf_function(struct kp_object *object, const char *name)
{
	const struct kp_symbol *sym;

	if (object->vdso)
		return 0;
	if (!object->main)
		return kp_user_elf_exported(object, name);
	sym = kp_user_elf_named(object, name);
	return sym && sym->type == STT_FUNC ? sym->addr : 0;
}
