/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lookup.c - places by name and by address, and the code that stands there.
 *
 * Owns: the queries of symbols.h.
 */
#include "cli.h"
#include "symbols.h"

#include <errno.h>
#include <fnmatch.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Functions that nest or share bytes are few and close by. */
#define NEAR 64

static bool contains(const struct symbol *sym, uint64_t addr)
{
	return addr - sym->addr < sym->size || addr == sym->addr;
}

/* How many of the first nr begin at addr or before it. */
static size_t up_to(const struct symbols *s, size_t nr, uint64_t addr)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->all[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct symbol *symbols_at(const struct symbols *s, uint64_t addr)
{
	const struct symbol *best = NULL;
	size_t low = up_to(s, s->nr, addr), tries;

	for (tries = 0; low-- > 0 && tries < NEAR; tries++) {
		const struct symbol *sym = &s->all[low];

		/* A label is worth less than the function around it. */
		if (best && sym->addr != best->addr && best->rank < 8)
			break;
		if (contains(sym, addr) && (!best || sym->rank < best->rank ||
					    (sym->addr == best->addr &&
					     sym->rank == best->rank)))
			best = sym;
	}
	return best;
}

bool symbols_knows(const struct symbols *s, size_t nr, uint64_t addr)
{
	size_t low = up_to(s, nr, addr), tries;

	for (tries = 0; low-- > 0 && tries < 16; tries++)
		if (addr - s->all[low].addr < s->all[low].size &&
		    s->all[low].rank < 8)
			return true;
	return false;
}

bool symbols_owned(const struct symbols *s, const struct symbol *sym,
		   const char *owner, size_t len)
{
	const struct symbol_module *m = &s->modules[sym->module];
	const char *label = m->owner[0] ? m->owner : m->label;

	return !strncmp(label, owner, len) &&
	       (!label[len] || label[len] == '.' ||
		(label[len] == '-' && label[len + 1] >= '0' &&
		 label[len + 1] <= '9'));
}

bool symbols_matches(const struct symbol *sym, const char *pattern)
{
	return !strcmp(pattern, sym->name) || !fnmatch(pattern, sym->name, 0) ||
	       demangle_matches(sym->name, pattern);
}

/* Whose functions others replace: a linker finds theirs first. */
static bool is_last(const struct symbol_module *m)
{
	return m->vdso || !strncmp(m->label, "libc.so", 7) ||
	       !strncmp(m->label, "ld-linux", 8) || !strncmp(m->label, "ld.so", 5);
}

/*
 * Among functions of a name the program's come first, those of the C library, which
 * is loaded last as a rule, after all others; then the best.
 */
static bool better(const struct symbols *s, const struct symbol *a,
		   const struct symbol *b)
{
	bool a_last = is_last(&s->modules[a->module]), b_last;

	if (!b)
		return true;
	b_last = is_last(&s->modules[b->module]);
	if (a_last != b_last)
		return b_last;
	if (a->module != b->module)
		return a->module < b->module && !s->modules[a->module].vdso;
	return a->rank < b->rank;
}

/* As the linker calls it; by_source: "space::name", "fun(int)", as it is in the source. */
static bool is_called(const char *symbol, const char *name, size_t len, bool by_source)
{
	char copy[1024];

	if (!by_source)
		return !strncmp(symbol, name, len) && !symbol[len];
	if (symbol[0] != '_' || len >= sizeof(copy))
		return false;
	memcpy(copy, name, len);
	copy[len] = 0;
	return strpbrk(copy, "*?[") ? demangle_is(symbol, copy) :
				      demangle_matches(symbol, copy);
}

static const struct symbol *named_by(const struct symbols *s, const char *owner,
				     size_t owner_len, const char *name,
				     size_t name_len, bool by_source)
{
	const struct symbol *best = NULL;
	size_t i;

	for (i = 0; i < s->nr; i++) {
		const struct symbol *sym = &s->all[i];

		if (!is_called(sym->name, name, name_len, by_source))
			continue;
		if (owner && !symbols_owned(s, sym, owner, owner_len))
			continue;
		if (better(s, sym, best))
			best = sym;
	}
	return best;
}

/* To demangle all names takes time, so the linker's are asked first. */
static const struct symbol *named(const struct symbols *s, const char *owner,
				  size_t owner_len, const char *name, size_t name_len)
{
	const struct symbol *sym = named_by(s, owner, owner_len, name, name_len, false);

	return sym ? sym : named_by(s, owner, owner_len, name, name_len, true);
}

static bool number(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	return text[0] >= '0' && text[0] <= '9' && !*end && !errno;
}

/* OBJECT+0xOFFSET, as symbols_place says it. */
static bool in_object(const struct symbols *s, const char *object, size_t len,
		      uint64_t offset, uint64_t *addr)
{
	unsigned int i;

	for (i = 0; i < s->modules_nr; i++) {
		if (strncmp(s->modules[i].label, object, len) ||
		    s->modules[i].label[len])
			continue;
		*addr = s->modules[i].bias + offset;
		return true;
	}
	return false;
}

const char *symbols_similar(const struct symbols *s, const char *name)
{
	struct cli_similar similar = { NULL, 0 };
	size_t i;

	for (i = 0; i < s->nr; i++)
		if (!s->all[i].unnamed)
			cli_similar(&similar, name, s->all[i].name);
	return similar.word;
}

static bool near_name(const struct symbols *s, const char *name,
		      const char *plus, const char **similar)
{
	char copy[128];
	size_t len = plus ? (size_t)(plus - name) : strlen(name);

	if (len >= sizeof(copy))
		return false;
	memcpy(copy, name, len);
	copy[len] = 0;
	*similar = symbols_similar(s, copy);
	return *similar;
}

int symbols_find(struct symbols *s, const char *where, uint64_t *addr,
		 const struct symbol **fn)
{
	const char *colon = demangle_owner_end(where), *plus, *similar;
	const char *name = colon ? colon + 1 : where;
	size_t owner_len = colon ? (size_t)(colon - where) : 0;
	uint64_t offset = 0;

	if (number(where, addr)) {
		*fn = symbols_at(s, *addr);
		return 0;
	}
	*fn = named(s, colon ? where : NULL, owner_len, name, strlen(name));
	plus = strrchr(name, '+');
	if (!*fn && plus) {
		if (!number(plus + 1, &offset))
			return symbols_fail(s, -EINVAL, "%s: what follows '+' is not a number",
					    where);
		*fn = named(s, colon ? where : NULL, owner_len, name,
			    plus - name);
	}
	if (!*fn && plus && !colon &&
	    in_object(s, where, plus - where, offset, addr)) {
		*fn = symbols_at(s, *addr);
		return 0;
	}
	if (!*fn && near_name(s, name, plus, &similar))
		return symbols_fail(s, -ENOENT, "%s: no such function; did you mean %s?",
				    where, similar);
	if (!*fn)
		return symbols_fail(s, -ENOENT, "%s: no such function; 'kprobes funcs' with a pattern such as '*%.*s*' finds names",
				    where, plus ? (int)(plus - name) :
				    (int)strlen(name), name);
	if (offset && offset >= (*fn)->size)
		return symbols_fail(s, -ENOENT, "%s: %s has only 0x%lx bytes",
				    where, (*fn)->name,
				    (unsigned long)(*fn)->size);
	*addr = (*fn)->addr + offset;
	return 0;
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
