// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_places.c - what the names in a script mean, in a target.
 *
 * Owns: struct trace_env's functions: the places of an attach point, as addresses
 * of functions that the target has now.
 */
#include "tracing.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void (*emit_fn)(void *to, const struct trace_place *place);

struct search {
	struct symbols *s;
	const struct trace_attach *attach;
	const char *owner;		/* an object's name; "": any */
	emit_fn emit;
	void *to;
	unsigned int nr;
};

static bool is_pattern(const char *text)
{
	return strpbrk(text, "*?[") != NULL;
}

/* "/usr/lib/libc.so.6", "libc", "/proc/1/root/bin/ls": by the last part. */
static const char *owner_of(const char *target)
{
	const char *slash = strrchr(target, '/');

	return slash ? slash + 1 : target;
}

static bool owned(const struct search *search, const struct symbol *sym)
{
	const char *owner = search->owner;
	const struct symbol_module *m = &search->s->modules[sym->module];

	if (!*owner)
		return true;
	if (is_pattern(owner))
		return !fnmatch(owner, m->label, 0);
	return symbols_owned(search->s, sym, owner, strlen(owner));
}

static void found(struct search *search, const struct symbol *sym,
		  uint64_t addr)
{
	const struct trace_attach *attach = search->attach;
	struct trace_place place = {
		.addr = addr, .function = sym ? sym->name : "",
		.kernel = search->s->kind == SYMBOLS_KERNEL,
	};
	char name[1024];
	int len;

	len = snprintf(name, sizeof(name), "%s:%s%s%s", attach->provider,
		       attach->target, attach->target[0] ? ":" : "",
		       sym ? sym->name : attach->function);
	if (sym && addr != sym->addr && len < (int)sizeof(name))
		snprintf(name + len, sizeof(name) - (size_t)len, "+%llu",
			 (unsigned long long)(addr - sym->addr));
	place.name = name;
	search->emit(search->to, &place);
	search->nr++;
}

/* Each address once: by the best of its names that match. */
static int find_pattern(struct search *search)
{
	const struct symbols *s = search->s;
	uint64_t last = 0;
	size_t i;

	for (i = 0; i < s->nr; i++) {
		const struct symbol *sym = &s->all[i];

		if (sym->addr == last || sym->indirect || sym->unnamed ||
		    s->modules[sym->module].vdso ||
		    fnmatch(search->attach->function, sym->name, 0) ||
		    !owned(search, sym))
			continue;
		last = sym->addr;
		found(search, sym, sym->addr + search->attach->offset);
	}
	return search->nr ? 0 : -ENOENT;
}

static int find_one(struct search *search)
{
	const struct trace_attach *attach = search->attach;
	const struct symbol *sym;
	char where[1024];
	uint64_t addr;
	int err;

	snprintf(where, sizeof(where), "%s%s%s", search->owner,
		 search->owner[0] ? ":" : "", attach->function);
	err = symbols_find(search->s, where, &addr, &sym);
	if (!err)
		found(search, sym, addr + attach->offset);
	return err;
}

static int places(void *arg, const struct trace_attach *attach, emit_fn emit,
		  void *to, const char **why)
{
	struct symbols *s = arg;
	struct search search = {
		.s = s, .attach = attach, .owner = owner_of(attach->target),
		.emit = emit, .to = to,
	};
	int err;

	if (is_pattern(attach->function) || is_pattern(search.owner)) {
		err = find_pattern(&search);
		*why = "no function has such a name; 'kprobes funcs' with a pattern lists them";
	} else {
		err = find_one(&search);
		*why = s->error;
	}
	return err;
}

static bool address(void *arg, const char *name, bool user, uint64_t *addr)
{
	const struct symbol *sym;
	struct symbols *s = arg;

	return user == (s->kind != SYMBOLS_KERNEL) &&
	       !symbols_find(s, name, addr, &sym);
}

/* ---- the environment ---------------------------------------------------------- */

static uint32_t number_of(const char *name, uint32_t value, uint32_t most)
{
	const char *text = getenv(name);
	char *end;
	unsigned long given = text ? strtoul(text, &end, 10) : 0;

	return text && *text && !*end && given && given <= most
		       ? (uint32_t)given : value;
}

static uint32_t shards(void)
{
	long processors = sysconf(_SC_NPROCESSORS_CONF);
	uint32_t nr = 1;

	while (nr < processors && nr < KT_SHARDS_MAX)
		nr *= 2;
	return nr;
}

void tracing_env(struct trace_env *env, struct tracing *t, struct symbols *s)
{
	*env = (struct trace_env){
		.arg = s, .params = t->params, .params_nr = t->params_nr,
		.strlen_max = number_of("BPFTRACE_STRLEN", 64, 200),
		.keys_max = number_of("BPFTRACE_MAP_KEYS_MAX", 4096,
				      KT_KEYS_MAX),
		.shards = shards(), .user = t->pid != 0,
		.places = places, .address = address,
	};
}
