// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * meant.c - which functions a name means.
 *
 * Owns: the one meaning of what people write for a place, in scripts, on the command line and in
 * parameters: OWNER:FILE.c:NAME@VERSION+OFFSET, each but the name optional.
 *
 *   OWNER     an object, by its file's name, its SONAME, a link's name, a path, or a pattern
 *   FILE.c    the file of the source that the function is from
 *   NAME      the linker's, the source's, or a pattern; copies that compilers make of a function
 *             have its name (copies.c)
 *   or an address: 0x1234 in the process, OWNER:0x1234 and OWNER+0x1234 as the file counts
 *
 * A name means all functions that the best object has by it, a pattern those of all objects.
 */
#include "cli.h"
#include "copies.h"
#include "links.h"
#include "symbols.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- whose ---------------------------------------------------------------------- */

static bool begins(const char *label, const char *owner, size_t len)
{
	return label && !strncmp(label, owner, len) &&
	       (!label[len] || label[len] == '.' ||
		(label[len] == '-' && label[len + 1] >= '0' &&
		 label[len + 1] <= '9'));
}

static bool is_pattern(const char *text)
{
	return strpbrk(text, "*?[") != NULL;
}

bool symbols_file_is(const char *file, const char *owner)
{
	const char *last = links_last_part(owner), *name = links_last_part(file);

	return is_pattern(last) ? !fnmatch(last, name, 0) : begins(name, last, strlen(last));
}

bool symbols_module_owned(const struct symbol_module *m, const char *owner)
{
	const char *last = links_last_part(owner);
	size_t len = strlen(last);

	if (is_pattern(last))
		return !fnmatch(last, m->label, 0);
	return begins(m->owner[0] ? m->owner : m->label, last, len) ||
	       begins(m->also, last, len);
}

/* Libraries that are parts of the C library since its version 2.34. */
static const char *in_libc(const char *owner)
{
	static const char *const parts[] = {
		"libpthread", "libdl", "librt", "libutil", "libanl",
	};
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (begins(links_last_part(owner), parts[i], strlen(parts[i])))
			return "libc";
	return NULL;
}

/* A file of the source, where an object's name could be. */
bool symbols_is_source(const char *name, size_t len)
{
	static const char *const ends[] = {
		".c", ".cc", ".cpp", ".cxx", ".C", ".h", ".hh", ".hpp", ".rs",
		".go", ".S", ".s", ".f90", ".d", ".zig",
	};
	size_t i, end;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		end = strlen(ends[i]);
		if (len > end && !memcmp(name + len - end, ends[i], end))
			return true;
	}
	return false;
}

/* ---- a place as it is written ------------------------------------------------------- */

struct wanted {
	char *text;			/* what the others stand in */
	const char *owner;		/* NULL: any object's */
	const char *source;		/* NULL: of any file */
	char *name;
	const char *version;		/* NULL: the one that the linker chooses */
	uint64_t offset;
	bool pattern;
	bool listed;			/* also what cannot be probed, and has no name */
};

static int cut(struct symbols *s, const char *where, struct wanted *w)
{
	const char *end;

	*w = (struct wanted){ .text = strdup(where) };
	if (!w->text)
		return symbols_fail(s, -ENOMEM, "out of memory");
	w->name = w->text;
	while ((end = demangle_owner_end(w->name)) && !w->source) {
		size_t len = (size_t)(end - w->name);

		if (symbols_is_source(w->name, len))
			w->source = w->name;
		else if (!w->owner)
			w->owner = w->name;
		else
			break;
		w->name[len] = 0;
		w->name += len + 1;
	}
	return 0;
}

static bool number(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	return text[0] >= '0' && text[0] <= '9' && !*end && !errno;
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

/* "read@V1", "read@@V2"; but FUNCTION@plt is a name. */
static bool cut_version(const struct symbols *s, struct wanted *w)
{
	char *at = strchr(w->name, '@');

	if (s->kind == SYMBOLS_KERNEL || !at || at == w->name || !strcmp(at, "@plt"))
		return false;
	*at = 0;
	w->version = at[1] == '@' ? at + 2 : at + 1;
	return true;
}

/* ---- which functions are called so ----------------------------------------------------- */

/* From the best on: of several only those are meant that are as good as the best. */
enum called {
	BY_LINKER,			/* its name, or a whole copy's */
	BY_SOURCE,
	PART_BY_LINKER, PART_BY_SOURCE,	/* what is left of it, in code of its own */
	NOT_CALLED,
};

static bool exact(const struct symbol *sym, const struct wanted *w)
{
	return !strcmp(sym->name, w->name);
}

static enum called called_by(const struct symbol *sym, const struct wanted *w)
{
	size_t len = strlen(w->name);
	bool part = false;

	if (!strncmp(sym->name, w->name, len) && copies_is_ending(sym->name + len, &part))
		return part ? PART_BY_LINKER : BY_LINKER;
	if (w->pattern)
		return symbols_matches(sym, w->name) ? BY_LINKER : NOT_CALLED;
	if (sym->name[0] != '_')
		return NOT_CALLED;
	copies_base(sym->name, &part);
	/* "fun(char const*)" is no pattern here. */
	if (!(is_pattern(w->name) ? demangle_is(sym->name, w->name) :
				    demangle_matches(sym->name, w->name)))
		return NOT_CALLED;
	return part ? PART_BY_SOURCE : BY_SOURCE;
}

/* A name of Go's may have a star or brackets in it, one of C++'s parameters, too. */
static bool is_called_so(const struct symbols *s, const char *name)
{
	size_t i;

	for (i = 0; i < s->nr; i++)
		if (!strcmp(s->all[i].name, name) ||
		    (strchr(name, '(') && demangle_is(s->all[i].name, name)))
			return true;
	return false;
}

/* FUNCTION@plt is meant by who writes the @. */
static bool is_stub(const struct symbol *sym, const struct wanted *w)
{
	return strchr(sym->name, '@') && !strchr(w->name, '@');
}

/* How the function is called that the name may mean; NOT_CALLED: it is none. */
static enum called meant_by(const struct symbols *s, const struct symbol *sym,
			    const struct wanted *w)
{
	const struct symbol_module *m = &s->modules[sym->module];
	enum called by;

	if (w->owner ? !symbols_module_owned(m, w->owner) : m->later)
		return NOT_CALLED;
	if (w->pattern && !w->listed && (sym->unnamed || m->vdso || is_stub(sym, w)))
		return NOT_CALLED;
	by = called_by(sym, w);
	if (by == NOT_CALLED || symbols_is_engine(s, sym) ||
	    (w->source && !symbols_from(m, sym->name, sym->addr, w->source)))
		return NOT_CALLED;
	return by;
}

/* An object whose functions other objects may replace: a linker finds theirs first. */
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

/* The linker's name is meant before one that is so called in the source. */
static const struct symbol *named(const struct symbols *s, const struct wanted *w)
{
	enum called best_by = NOT_CALLED, by;
	const struct symbol *best = NULL;
	size_t i;

	for (i = 0; i < s->nr; i++) {
		by = meant_by(s, &s->all[i], w);
		if (by == NOT_CALLED || by > best_by)
			continue;
		if (by < best_by || better(s, &s->all[i], best))
			best = &s->all[i];
		best_by = by;
	}
	return best;
}

/* ---- places by address --------------------------------------------------------------- */

/*
 * Takes the place in each object that has the name: OBJECT+0xOFFSET, as symbols_place says it,
 * and OBJECT:0xADDRESS, which counts as the object's file does and as tools show its code.
 */
static unsigned int in_objects(const struct symbols *s, const char *object, uint64_t offset,
			       symbols_found_fn take, void *arg)
{
	Dwarf_Addr start, end;
	unsigned int i, nr = 0;
	uint64_t addr;

	for (i = 0; i < s->modules_nr; i++) {
		const struct symbol_module *m = &s->modules[i];

		addr = m->bias + offset;
		if (!m->dwfl || m->vdso || !symbols_module_owned(m, object) ||
		    !dwfl_module_info(m->dwfl, NULL, &start, &end, NULL, NULL, NULL, NULL) ||
		    addr < start || addr >= end)
			continue;
		take(arg, symbols_at(s, addr), addr);
		nr++;
	}
	return nr;
}

/* ---- what is said where nothing is found -------------------------------------------------- */

const char *symbols_similar(const struct symbols *s, const char *name)
{
	struct cli_similar similar = { NULL, 0 };
	size_t i;

	for (i = 0; i < s->nr; i++)
		if (!s->all[i].unnamed && !symbols_is_engine(s, &s->all[i]))
			cli_similar(&similar, name, s->all[i].name);
	return similar.word;
}

static int is_nowhere(struct symbols *s, const char *where, const struct wanted *w)
{
	const char *similar;
	unsigned int i;

	for (i = 0; w->owner && i < s->modules_nr; i++)
		if (symbols_module_owned(&s->modules[i], w->owner))
			break;
	if (w->owner && i == s->modules_nr)
		return symbols_fail(s, -ENOENT, "%s: no object that is loaded is called %s",
				    where, links_last_part(w->owner));
	if (w->source)
		return symbols_fail(s, -ENOENT, "no function of that name is from that file of the source; compile it with -g, or do not strip it");
	if (w->version)
		return symbols_fail(s, -ENOENT, "%s: no function %s has the version %s",
				    where, w->name, w->version);
	if (w->pattern)
		return symbols_fail(s, -ENOENT, "no function has such a name; 'kprobes funcs' with a pattern lists them");
	similar = strlen(w->name) < 128 ? symbols_similar(s, w->name) : NULL;
	if (similar && strcmp(similar, w->name))
		return symbols_fail(s, -ENOENT, "%s: no such function; did you mean %s?",
				    where, similar);
	return symbols_fail(s, -ENOENT, "%s: no such function; 'kprobes funcs' with a pattern such as '*%s*' finds names",
			    where, w->name);
}

/* ---- finding -------------------------------------------------------------------------- */

/* Two mappings of one library are one library. */
static bool same_object(const struct symbols *s, unsigned int a, unsigned int b)
{
	const struct symbol_module *m = &s->modules[a], *n = &s->modules[b];

	return a == b || (s->kind == SYMBOLS_PROCESS && !m->vdso && !n->vdso &&
			  *m->owner && !strcmp(m->label, n->label));
}

static bool is_version(const struct symbols *s, const struct symbol *sym, const struct wanted *w)
{
	return symbols_version(s, sym->module, w->name, strlen(w->name), w->version) == sym->addr;
}

/* Is it meant as well as the best one?  Of a pattern each is. */
static bool fits(const struct symbols *s, const struct symbol *sym,
		 const struct wanted *w, const struct symbol *best)
{
	enum called by = meant_by(s, sym, w);

	if (by == NOT_CALLED)
		return false;
	if (w->pattern)
		return true;
	if (!same_object(s, sym->module, best->module))
		return false;
	if (w->version)
		return is_version(s, sym, w);
	return sym->old == best->old && by == called_by(best, w);
}

struct finding {
	struct symbols *s;
	const char *where;
	struct wanted w;
	symbols_found_fn take;
	void *arg;
	const char *elsewhere;
};

/* All that fit.  How many; *small: one in which the offset is not. */
static size_t take_fitting(struct finding *f, const struct symbol *best,
			   const struct symbol **small)
{
	const struct symbols *s = f->s;
	const struct wanted *w = &f->w;
	uint64_t last = 0;
	size_t i, nr = 0;

	for (i = 0; i < s->nr; i++) {
		const struct symbol *sym = &s->all[i];

		if (!w->pattern && !same_object(s, sym->module, best->module) && exact(sym, w) &&
		    !is_last(&s->modules[sym->module]) && !sym->old &&
		    meant_by(s, sym, w) != NOT_CALLED)
			f->elsewhere = s->modules[sym->module].label;
		if ((nr && sym->addr == last) || !fits(s, sym, w, best))
			continue;
		if (w->offset && sym->size && w->offset >= sym->size) {
			*small = sym;
			continue;
		}
		last = sym->addr;
		f->take(f->arg, sym, sym->addr + w->offset);
		nr++;
	}
	return nr;
}

/* Looks for the name that is left of the place.  0: all were taken. */
static int find_named(struct finding *f)
{
	const struct symbol *small = NULL, *best;
	struct wanted *w = &f->w;
	int err;

	w->pattern = is_pattern(w->name) && !is_called_so(f->s, w->name);
	best = named(f->s, w);
	if (!best) {
		err = cut_offset(f->s, f->where, w);
		if (err == -EINVAL)
			return err;
		best = err ? NULL : named(f->s, w);
		if (!best && !err && !w->owner && !w->source &&
		    in_objects(f->s, w->name, w->offset, f->take, f->arg))
			return 0;
	}
	if (!best && cut_version(f->s, w))
		best = named(f->s, w);
	/* "OWNER:*" has a pattern, too: any object's. */
	w->pattern |= w->owner && is_pattern(w->owner);
	if (best && take_fitting(f, best, &small))
		return 0;
	if (small && !w->pattern)
		return symbols_fail(f->s, -ENOENT, "%s: %s has only 0x%lx bytes", f->where,
				    small->name, (unsigned long)small->size);
	return is_nowhere(f->s, f->where, w);
}

static int find(struct finding *f, const char *owner)
{
	struct symbols *s = f->s;
	struct wanted *w = &f->w;
	uint64_t addr;
	int err = cut(s, f->where, w);

	if (err)
		return err;
	w->owner = owner ? owner : w->owner;
	if (number(w->name, &addr) && !w->source) {
		if (!w->owner)
			f->take(f->arg, symbols_at(s, addr), addr);
		else if (!in_objects(s, w->owner, addr, f->take, f->arg))
			err = symbols_fail(s, -ENOENT, "%s: no file of that name has an address %s: addresses are counted as in its file",
					   f->where, w->name);
		return err;
	}
	return find_named(f);
}

/* Follows the owner's name as a link if no object has that name. */
static int find_by_links(struct finding *f)
{
	int err = find(f, NULL);
	char *text = f->w.text, *said;
	const char *owner = f->w.owner, *other;

	other = err == -ENOENT && owner ? links_file(owner) : NULL;
	if (err == -ENOENT && owner && !other)
		other = in_libc(owner);
	if (!other)
		return err;
	said = strdup(f->s->error);
	err = find(f, other);
	if (err && said)
		symbols_fail(f->s, err, "%s", said);
	free(said);
	free(text);
	return err;
}

int symbols_find_all(struct symbols *s, const char *where, symbols_found_fn take,
		     void *arg, const char **elsewhere)
{
	struct finding f = { .s = s, .where = where, .take = take, .arg = arg };
	int err = find_by_links(&f);

	*elsewhere = f.elsewhere;
	free(f.w.text);
	return err;
}

/* ---- one of them ------------------------------------------------------------------------- */

struct first {
	const struct symbol *fn;
	uint64_t addr;
	bool found;
};

static void take_first(void *arg, const struct symbol *fn, uint64_t addr)
{
	struct first *first = arg;

	/* The linker's order decides among several names. */
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
	struct first first;
	struct symbols_choice *choice;
	size_t len;
};

/* Two mappings of one object have the same place: then the address says which is meant. */
static void take_choice(void *arg, const struct symbol *fn, uint64_t addr)
{
	struct choosing *c = arg;
	size_t room = sizeof(c->choice->places) - c->len;
	char place[256], address[32];
	int len;

	take_first(&c->first, fn, addr);
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
	const char *elsewhere;
	int err;

	*choice = (struct symbols_choice){ 0 };
	err = symbols_find_all(s, where, take_choice, &c, &elsewhere);
	*addr = c.first.addr;
	*fn = c.first.fn;
	return err;
}

/* ---- all that are called so ---------------------------------------------------------------- */

/* Each of its names, in each object; its version, if one is asked for. */
static unsigned int list(struct finding *f)
{
	const struct symbols *s = f->s;
	const struct wanted *w = &f->w;
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < s->nr; i++) {
		const struct symbol *sym = &s->all[i];

		if (meant_by(s, sym, w) == NOT_CALLED || (w->version && !is_version(s, sym, w)))
			continue;
		f->take(f->arg, sym, sym->addr);
		nr++;
	}
	return nr;
}

static unsigned int list_owned(struct finding *f, const char *owner)
{
	unsigned int nr;

	if (cut(f->s, f->where, &f->w))
		return 0;
	f->w.listed = true;
	f->w.owner = owner ? owner : f->w.owner;
	f->w.pattern = is_pattern(f->w.name) && !is_called_so(f->s, f->w.name);
	nr = list(f);
	return !nr && cut_version(f->s, &f->w) ? list(f) : nr;
}

unsigned int symbols_list(struct symbols *s, const char *where, symbols_found_fn take, void *arg)
{
	struct finding f = { .s = s, .where = where, .take = take, .arg = arg };
	unsigned int nr = list_owned(&f, NULL);
	const char *owner = f.w.owner, *other = NULL, *elsewhere;
	char *text = f.w.text;
	struct first first = { NULL, 0, false };

	if (!nr && owner)
		other = links_file(owner) ? links_file(owner) : in_libc(owner);
	if (other) {
		nr = list_owned(&f, other);
		free(f.w.text);
	}
	free(text);
	/* An address means the function that it is in. */
	if (!nr && !symbols_find_all(s, where, take_first, &first, &elsewhere) && first.fn) {
		take(arg, first.fn, first.addr);
		nr = 1;
	}
	return nr;
}
