/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lookup.c - places by name, and the code that stands there.
 *
 * Owns: what a place that a user writes means, and how one is written.
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

static bool begins(const char *label, const char *owner, size_t len)
{
	return label && !strncmp(label, owner, len) &&
	       (!label[len] || label[len] == '.' ||
		(label[len] == '-' && label[len + 1] >= '0' &&
		 label[len + 1] <= '9'));
}

static bool module_owned(const struct symbol_module *m, const char *owner, size_t len)
{
	return begins(m->owner[0] ? m->owner : m->label, owner, len) ||
	       begins(m->also, owner, len);
}

bool symbols_owned(const struct symbols *s, const struct symbol *sym,
		   const char *owner, size_t len)
{
	return module_owned(&s->modules[sym->module], owner, len);
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
	if (a->old != b->old)
		return b->old;
	if (a->module != b->module)
		return a->module < b->module && !s->modules[a->module].vdso;
	return a->rank < b->rank;
}

/* A place as it is written: OWNER:NAME@VERSION+OFFSET, or a part of that. */
struct wanted {
	const char *owner;		/* NULL: any object's */
	size_t owner_len;
	char name[1024];
	const char *version;		/* NULL: the one that the linker chooses */
	uint64_t offset;
};

static bool exact(const struct symbol *sym, const struct wanted *w)
{
	return !strcmp(sym->name, w->name);
}

/* By the source's name: "fun(char const*)" is no pattern here. */
static bool is_called(const struct symbol *sym, const struct wanted *w)
{
	if (exact(sym, w))
		return true;
	if (sym->name[0] != '_')
		return false;
	return strpbrk(w->name, "*?[") ? demangle_is(sym->name, w->name) :
					 demangle_matches(sym->name, w->name);
}

/* Is it one that a name may mean? */
static bool is_meant(const struct symbols *s, const struct symbol *sym,
		     const struct wanted *w)
{
	if (!is_called(sym, w))
		return false;
	if (w->owner)
		return symbols_owned(s, sym, w->owner, w->owner_len);
	return !s->modules[sym->module].later && !symbols_is_engine(s, sym);
}

/* The linker's name is meant before one that is so called in the source. */
static const struct symbol *named(const struct symbols *s, const struct wanted *w)
{
	const struct symbol *best = NULL;
	bool best_exact = false;
	size_t i;

	for (i = 0; i < s->nr; i++) {
		const struct symbol *sym = &s->all[i];

		if (!is_meant(s, sym, w) || (best_exact && !exact(sym, w)))
			continue;
		if ((!best_exact && exact(sym, w)) || better(s, sym, best))
			best = sym;
		best_exact |= exact(sym, w);
	}
	return best;
}

static bool number(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	return text[0] >= '0' && text[0] <= '9' && !*end && !errno;
}

/*
 * OBJECT+0xOFFSET, as symbols_place says it, and OBJECT:0xADDRESS: as the object's file
 * counts, which is how tools show its code.
 */
static bool in_object(const struct symbols *s, const char *object, size_t len,
		      uint64_t offset, uint64_t *addr)
{
	Dwarf_Addr start, end;
	unsigned int i;

	for (i = 0; i < s->modules_nr; i++) {
		const struct symbol_module *m = &s->modules[i];

		if (!m->dwfl || !module_owned(m, object, len) ||
		    !dwfl_module_info(m->dwfl, NULL, &start, &end, NULL, NULL, NULL, NULL))
			continue;
		*addr = m->bias + offset;
		return *addr >= start && *addr < end;
	}
	return false;
}

const char *symbols_similar(const struct symbols *s, const char *name)
{
	struct cli_similar similar = { NULL, 0 };
	size_t i;

	for (i = 0; i < s->nr; i++)
		if (!s->all[i].unnamed && !symbols_is_engine(s, &s->all[i]))
			cli_similar(&similar, name, s->all[i].name);
	return similar.word;
}

/* "read@V1", "read@@V2"; but FUNCTION@plt is a name. */
static void cut_version(const struct symbols *s, struct wanted *w)
{
	char *at = strchr(w->name, '@');

	if (s->kind == SYMBOLS_KERNEL || !at || at == w->name || !strcmp(at, "@plt"))
		return;
	*at = 0;
	w->version = at[1] == '@' ? at + 2 : at + 1;
}

static int cut_offset(struct symbols *s, const char *where, struct wanted *w)
{
	char *plus = strrchr(w->name, '+');

	if (!plus)
		return -ENOENT;
	if (!number(plus + 1, &w->offset))
		return symbols_fail(s, -EINVAL, "%s: what follows '+' is not a number",
				    where);
	*plus = 0;
	return 0;
}

static int is_nowhere(struct symbols *s, const char *where, const struct wanted *w)
{
	const char *similar = strlen(w->name) < 128 ? symbols_similar(s, w->name) : NULL;
	unsigned int i;

	for (i = 0; w->owner && i < s->modules_nr; i++)
		if (module_owned(&s->modules[i], w->owner, w->owner_len))
			break;
	if (w->owner && i == s->modules_nr)
		return symbols_fail(s, -ENOENT, "%s: no object that is loaded is called %.*s",
				    where, (int)w->owner_len, w->owner);
	if (w->version)
		return symbols_fail(s, -ENOENT, "%s: no function %s has the version %s",
				    where, w->name, w->version);
	if (similar && strcmp(similar, w->name))
		return symbols_fail(s, -ENOENT, "%s: no such function; did you mean %s?",
				    where, similar);
	return symbols_fail(s, -ENOENT, "%s: no such function; 'kprobes funcs' with a pattern such as '*%s*' finds names",
			    where, w->name);
}

/* The function that a place is in; NULL with 0: an address that is in none. */
static int find(struct symbols *s, const char *where, struct wanted *w,
		uint64_t *addr, const struct symbol **fn)
{
	const char *colon = demangle_owner_end(where), *name = colon ? colon + 1 : where;
	uint64_t offset;
	int err;

	*w = (struct wanted){ .owner = colon ? where : NULL,
			      .owner_len = colon ? (size_t)(colon - where) : 0 };
	*fn = NULL;
	if (number(where, addr)) {
		*fn = symbols_at(s, *addr);
		return 0;
	}
	if (strlen(name) >= sizeof(w->name))
		return symbols_fail(s, -EINVAL, "this name is too long");
	strcpy(w->name, name);
	if (colon && number(name, &offset)) {
		if (!in_object(s, where, w->owner_len, offset, addr))
			return symbols_fail(s, -ENOENT, "%s: %.*s has nothing there: addresses are counted as in its file",
					    where, (int)w->owner_len, w->owner);
		*fn = symbols_at(s, *addr);
		return 0;
	}
	*fn = named(s, w);
	if (!*fn) {
		err = cut_offset(s, where, w);
		if (err == -EINVAL)
			return err;
		*fn = err ? NULL : named(s, w);
		if (!*fn && !err && !colon &&
		    in_object(s, where, strlen(w->name), w->offset, addr)) {
			*fn = symbols_at(s, *addr);
			return 0;
		}
	}
	if (!*fn) {
		cut_version(s, w);
		*fn = w->version ? named(s, w) : NULL;
	}
	if (!*fn)
		return is_nowhere(s, where, w);
	*addr = (*fn)->addr + w->offset;
	return 0;
}

/* Two mappings of one library are one library. */
static bool same_object(const struct symbols *s, unsigned int a, unsigned int b)
{
	const struct symbol_module *m = &s->modules[a], *n = &s->modules[b];

	return a == b || (s->kind == SYMBOLS_PROCESS && !m->vdso && !n->vdso &&
			  *m->owner && !strcmp(m->label, n->label));
}

static bool fits(const struct symbols *s, const struct symbol *sym,
		 const struct wanted *w, const struct symbol *best)
{
	size_t len = strlen(w->name);

	if (!is_meant(s, sym, w) || !same_object(s, sym->module, best->module))
		return false;
	if (w->version)
		return symbols_version(s, sym->module, w->name, len, w->version) == sym->addr;
	return sym->old == best->old && (!exact(best, w) || exact(sym, w));
}

int symbols_find_all(struct symbols *s, const char *where, symbols_found_fn take,
		     void *arg, const char **elsewhere)
{
	const struct symbol *best, *sym, *small = NULL;
	uint64_t addr, last = 0;
	struct wanted w;
	int err = find(s, where, &w, &addr, &best);
	size_t i, nr = 0;

	*elsewhere = NULL;
	if (err)
		return err;
	/* An address, or a place in an object, is one. */
	if (!best || !is_meant(s, best, &w)) {
		take(arg, best, addr);
		return 0;
	}
	for (i = 0; i < s->nr; i++) {
		sym = &s->all[i];
		if (is_meant(s, sym, &w) && !same_object(s, sym->module, best->module) &&
		    !is_last(&s->modules[sym->module]) && !sym->old && exact(sym, &w))
			*elsewhere = s->modules[sym->module].label;
		if (!fits(s, sym, &w, best) || (nr && sym->addr == last))
			continue;
		last = sym->addr;
		if (w.offset && sym->size && w.offset >= sym->size) {
			small = sym;
			continue;
		}
		take(arg, sym, sym->addr + w.offset);
		nr++;
	}
	if (!nr && small)
		return symbols_fail(s, -ENOENT, "%s: %s has only 0x%lx bytes", where,
				    small->name, (unsigned long)small->size);
	return nr ? 0 : is_nowhere(s, where, &w);
}

struct first {
	const struct symbol *fn;
	uint64_t addr;
	bool found;
};

static void take_first(void *arg, const struct symbol *fn, uint64_t addr)
{
	struct first *first = arg;

	/* Of several the best of their names, as the linker has it. */
	if (first->found && (!fn || !first->fn || fn->rank >= first->fn->rank))
		return;
	*first = (struct first){ fn, addr, true };
}

int symbols_find(struct symbols *s, const char *where, uint64_t *addr,
		 const struct symbol **fn)
{
	struct first first = { NULL, 0, false };
	const char *elsewhere;
	int err = symbols_find_all(s, where, take_first, &first, &elsewhere);

	*addr = first.addr;
	*fn = first.fn;
	return err;
}

struct choosing {
	const struct symbols *s;
	struct symbols_choice *choice;
	size_t len;
};

/* Of two mappings of one object the place is the same: then the address says which. */
static void take_choice(void *arg, const struct symbol *fn, uint64_t addr)
{
	struct choosing *c = arg;
	size_t room = sizeof(c->choice->places) - c->len;
	char place[256], address[32];
	int len;

	c->choice->nr++;
	snprintf(address, sizeof(address), "0x%" PRIx64, addr);
	symbols_place(c->s, addr, place, sizeof(place));
	if (!fn || c->s->kind == SYMBOLS_KERNEL || strstr(c->choice->places, place))
		strcpy(place, address);
	len = snprintf(c->choice->places + c->len, room, "%s%s", c->len ? ", " : "", place);
	if ((size_t)len < room)
		c->len += (size_t)len;
	else
		c->choice->places[c->len] = 0;
}

int symbols_choose(struct symbols *s, const char *where, uint64_t *addr,
		   const struct symbol **fn, struct symbols_choice *choice)
{
	struct choosing c = { .s = s, .choice = choice };
	int err = symbols_find(s, where, addr, fn);
	const char *elsewhere;

	*choice = (struct symbols_choice){ 0 };
	return err ? err : symbols_find_all(s, where, take_choice, &c, &elsewhere);
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
