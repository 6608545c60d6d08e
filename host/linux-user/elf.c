/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * elf.c - the symbols of one object.
 *
 * Owns: an object's symbol index, by address and by name.  .dynsym is read
 * where it is loaded; .symtab from the file, when the file still is the one
 * that was loaded.
 *
 * Locks: the registry lock.
 */
#include "user.h"

#include <elf.h>

struct table {
	const Elf64_Sym *syms;
	size_t nr;
	const char *strings;
	size_t strings_len;
	const uint16_t *versions;
};

static uintptr_t at_bias(const struct kp_object *object, uintptr_t addr)
{
	/* Some loaders relocate d_ptr, some (vdso) do not. */
	return addr < object->start ? addr + object->bias : addr;
}

/* Symbols that the GNU hash table knows of: the highest index, plus one. */
static size_t count_gnu(const uint32_t *hash)
{
	uint32_t nbuckets = hash[0], first = hash[1], bloom = hash[2];
	const uint32_t *buckets = hash + 4 + bloom * 2;
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

static bool dynamic_table(const struct kp_object *object, struct table *out)
{
	const Elf64_Dyn *dyn = (const void *)object->dynamic;

	memset(out, 0, sizeof(*out));
	for (; dyn && dyn->d_tag != DT_NULL; dyn++) {
		uintptr_t ptr = at_bias(object, dyn->d_un.d_ptr);

		switch (dyn->d_tag) {
		case DT_SYMTAB:
			out->syms = (const void *)ptr;
			break;
		case DT_STRTAB:
			out->strings = (const void *)ptr;
			break;
		case DT_STRSZ:
			out->strings_len = dyn->d_un.d_val;
			break;
		case DT_VERSYM:
			out->versions = (const void *)ptr;
			break;
		case DT_HASH:
			out->nr = ((const uint32_t *)ptr)[1];
			break;
		case DT_GNU_HASH:
			if (!out->nr)
				out->nr = count_gnu((const void *)ptr);
			break;
		}
	}
	return out->syms && out->strings && out->nr;
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

static void *load(long fd, const Elf64_Shdr *sh)
{
	void *mem = sh->sh_size < (1ul << 32) ? kp_host_alloc(sh->sh_size + 1)
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

/* What is loaded; a section's name says who made it. */
static void tell_sections(struct kp_object *object, long fd,
			  const Elf64_Ehdr *eh, const Elf64_Shdr *sections)
{
	const Elf64_Shdr *names;
	char *text;
	size_t i;

	if (eh->e_shstrndx >= eh->e_shnum)
		return;
	names = &sections[eh->e_shstrndx];
	text = load(fd, names);
	for (i = 0; text && i < eh->e_shnum; i++)
		if (sections[i].sh_flags & SHF_ALLOC &&
		    sections[i].sh_name < names->sh_size)
			kp_user_runtime_section(object,
						text + sections[i].sh_name);
	kp_host_free(text);
}

static bool file_table(struct kp_object *object, long fd, struct table *out)
{
	Elf64_Shdr *sections = NULL, whole;
	Elf64_Ehdr eh;
	bool found = false;
	size_t i;

	memset(out, 0, sizeof(*out));
	if (!read_at(fd, &eh, sizeof(eh), 0) || !eh.e_shnum ||
	    eh.e_shentsize != sizeof(Elf64_Shdr))
		return false;
	memset(&whole, 0, sizeof(whole));
	whole.sh_offset = eh.e_shoff;
	whole.sh_size = (size_t)eh.e_shnum * sizeof(*sections);
	sections = load(fd, &whole);
	if (sections)
		tell_sections(object, fd, &eh, sections);
	for (i = 0; sections && i < eh.e_shnum; i++) {
		const Elf64_Shdr *sh = &sections[i];

		if (sh->sh_type != SHT_SYMTAB || sh->sh_link >= eh.e_shnum)
			continue;
		out->syms = load(fd, sh);
		out->nr = sh->sh_size / sizeof(Elf64_Sym);
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

static bool wanted(const Elf64_Sym *sym, const struct table *table)
{
	int type = ELF64_ST_TYPE(sym->st_info);

	return sym->st_shndx != SHN_UNDEF && sym->st_shndx != SHN_ABS &&
	       sym->st_value && sym->st_name < table->strings_len &&
	       table->strings[sym->st_name] &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC ||
		type == STT_OBJECT || type == STT_NOTYPE);
}

/* Global before weak before local; a default version before an old one. */
static uint8_t rank_of(const Elf64_Sym *sym, const struct table *table,
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

static size_t put_symbols(struct kp_object *object, const struct table *table,
			  size_t at)
{
	size_t i;

	for (i = 0; i < table->nr; i++) {
		const Elf64_Sym *sym = &table->syms[i];
		struct kp_symbol *out = &object->symbols[at];

		if (!wanted(sym, table))
			continue;
		out->addr = object->bias + sym->st_value;
		if (!kp_user_segment_at(object, out->addr))
			continue;
		/* Our own strlen must not hide the program's. */
		if (ELF64_ST_BIND(sym->st_info) == STB_LOCAL &&
		    kp_user_in_engine(object, out->addr))
			continue;
		out->len = sym->st_size;
		out->name = table->strings + sym->st_name;
		out->type = ELF64_ST_TYPE(sym->st_info);
		out->rank = rank_of(sym, table, i);
		at++;
	}
	return at;
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

static int by_name(const void *a, const void *b)
{
	const struct kp_symbol *x = *(struct kp_symbol *const *)a;
	const struct kp_symbol *y = *(struct kp_symbol *const *)b;
	int order = strcmp(x->name, y->name);

	return order ? order : x->rank - y->rank;
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
			if (object->symbols[j].addr <= sym->addr)
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

static void index_names(struct kp_object *object)
{
	size_t i;

	object->by_name = kp_host_alloc(object->symbols_nr *
					sizeof(*object->by_name));
	if (!object->by_name) {
		object->symbols_nr = 0;
		return;
	}
	for (i = 0; i < object->symbols_nr; i++)
		object->by_name[i] = &object->symbols[i];
	sort(object->by_name, object->symbols_nr, sizeof(*object->by_name),
	     by_name);
}

static int index_object(void *arg)
{
	struct table dynamic, file = { 0 };
	bool have_dynamic, have_file = false;
	struct kp_object *object = arg;
	long fd;

	have_dynamic = dynamic_table(object, &dynamic);
	fd = object->vdso ? -1 : sys_open(object->path, O_RDONLY);
	if (fd >= 0) {
		have_file = kp_user_elf_same_file(object, fd) &&
			    file_table(object, fd, &file);
		sys_close(fd);
	}
	object->symbols = kp_host_alloc((dynamic.nr + file.nr) *
					sizeof(*object->symbols));
	if (object->symbols && have_dynamic)
		object->symbols_nr = put_symbols(object, &dynamic, 0);
	if (object->symbols && have_file)
		object->symbols_nr = put_symbols(object, &file,
						 object->symbols_nr);
	if (have_file)
		kp_host_free((void *)(uintptr_t)file.syms);
	sort(object->symbols, object->symbols_nr, sizeof(*object->symbols),
	     by_address);
	give_sizes(object);
	index_names(object);
	return 0;
}

void kp_user_elf_index(struct kp_object *object)
{
	if (object->indexed)
		return;
	object->indexed = true;
	kp_user_write_call(index_object, object);
}

void kp_user_elf_drop(struct kp_object *object)
{
	kp_host_free(object->symbols);
	kp_host_free(object->by_name);
	kp_host_free(object->strings);
	object->symbols = NULL;
	object->by_name = NULL;
	object->strings = NULL;
	object->symbols_nr = 0;
}

struct kp_symbol *kp_user_elf_named(struct kp_object *object, const char *name)
{
	size_t low = 0, high;

	kp_user_elf_index(object);
	high = object->symbols_nr;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (strcmp(object->by_name[mid]->name, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < object->symbols_nr &&
	    !strcmp(object->by_name[low]->name, name))
		return object->by_name[low];
	return NULL;
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

/*
 * The symbol that contains addr: the one that starts last; among equals a
 * function, then the best name.
 */
struct kp_symbol *kp_user_elf_at(struct kp_object *object, uintptr_t addr)
{
	struct kp_symbol *best = NULL;
	size_t low, tries;

	kp_user_elf_index(object);
	low = behind(object, addr);
	/* Containers that nest are close by. */
	for (tries = 0; low-- > 0 && tries < 64; tries++) {
		struct kp_symbol *sym = &object->symbols[low];

		if (best && sym->addr != best->addr && kind(best) < 2)
			break;
		if (addr - sym->addr >= sym->len)
			continue;
		if (!best || kind(sym) < kind(best) ||
		    (sym->addr == best->addr && kind(sym) == kind(best) &&
		     sym->rank < best->rank))
			best = sym;
	}
	return best;
}
