// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * btf.c - types in the BPF Type Format, as kernels carry them.
 *
 * Owns: the tables of one kernel: vmlinux's, and those of its modules, whose ids and strings
 * continue those of vmlinux.  Format: Documentation/bpf/btf.rst.  A key is the table's number in
 * the upper half, and the id in the lower.
 *
 * Invariant: when a table is accepted, each of its records lies completely in it.  Ids and
 * offsets of strings are checked when they are used.
 */
#include "btf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC 0xeb9f
#define TABLES_MAX 4096

enum btf_kind {
	KIND_VOID, KIND_INT, KIND_PTR, KIND_ARRAY, KIND_STRUCT, KIND_UNION,
	KIND_ENUM, KIND_FWD, KIND_TYPEDEF, KIND_VOLATILE, KIND_CONST,
	KIND_RESTRICT, KIND_FUNC, KIND_FUNC_PROTO, KIND_VAR, KIND_DATASEC,
	KIND_FLOAT, KIND_DECL_TAG, KIND_TYPE_TAG, KIND_ENUM64,
};

struct header {
	uint16_t magic;
	uint8_t version, flags;
	uint32_t len, types, types_len, strings, strings_len;
};

struct record {
	uint32_t name, info;
	uint32_t size;			/* or the type that it is made of */
	uint32_t rest[];
};

struct table {
	const char *types, *strings;
	uint32_t strings_len, strings_first;
	uint32_t first, nr;		/* ids */
	uint32_t *offsets;		/* of the records, by id - first */
	uint32_t *buckets, *next;	/* by name: id - first + 1; 0: the end */
	uint32_t buckets_nr;
	void *file;			/* to be freed */
};

struct btf {
	struct table *tables;
	uint32_t tables_nr;
};

static uint32_t kind_of(const struct record *r)
{
	return r->info >> 24 & 0x1f;
}

static uint32_t members_of(const struct record *r)
{
	return r->info & 0xffff;
}

static bool flag_of(const struct record *r)
{
	return r->info >> 31;
}

/* All its bytes; 0: the kind is not known. */
static uint64_t record_len(const struct record *r)
{
	static const uint8_t fixed[] = {
		[KIND_INT] = 4, [KIND_ARRAY] = 12, [KIND_VAR] = 4,
		[KIND_DECL_TAG] = 4, [KIND_ENUM64] = 0,
	};
	static const uint8_t each[] = {
		[KIND_STRUCT] = 12, [KIND_UNION] = 12, [KIND_ENUM] = 8,
		[KIND_FUNC_PROTO] = 8, [KIND_DATASEC] = 12, [KIND_ENUM64] = 12,
	};
	uint32_t kind = kind_of(r);

	if (!kind || kind > KIND_ENUM64)
		return 0;
	return sizeof(*r) + fixed[kind] + (uint64_t)each[kind] * members_of(r);
}

/* ---- looking ------------------------------------------------------------------------- */

static const struct record *record_in(const struct table *t, uint32_t id)
{
	return (const struct record *)(t->types + t->offsets[id - t->first]);
}

static const struct record *record_of(const struct btf *btf, uint64_t key,
				      const struct table **table)
{
	uint32_t id = (uint32_t)key, number = (uint32_t)(key >> 32);

	if (number >= btf->tables_nr || !id)
		return NULL;
	if (id < btf->tables[number].first)
		number = 0;
	*table = &btf->tables[number];
	if (id - (*table)->first >= (*table)->nr)
		return NULL;
	return record_in(*table, id);
}

static const char *string_of(const struct btf *btf, const struct table *t,
			     uint32_t at)
{
	if (at < t->strings_first)
		t = &btf->tables[0];
	at -= t->strings_first;
	return at < t->strings_len ? t->strings + at : "";
}

/* An id that stands in the table of near, as a key: one key for each type. */
static uint64_t key_of(const struct btf *btf, uint64_t near, uint32_t id)
{
	if (id < btf->tables[near >> 32].first)
		return id;
	return (near & ~0xffffffffull) | id;
}

static uint64_t find_in(const struct btf *btf, uint32_t number,
			const char *name, uint32_t kinds)
{
	const struct table *t = &btf->tables[number];
	uint32_t i = t->buckets[names_hash(0, name) & (t->buckets_nr - 1)];

	for (; i; i = t->next[i - 1]) {
		const struct record *r = record_in(t, t->first + i - 1);

		if (kinds >> kind_of(r) & 1 &&
		    !strcmp(string_of(btf, t, r->name), name))
			return (uint64_t)number << 32 | (t->first + i - 1);
	}
	return 0;
}

/* vmlinux's first. */
static uint64_t find(const struct btf *btf, const char *name, uint32_t kinds)
{
	uint64_t key = 0;
	uint32_t i;

	for (i = 0; i < btf->tables_nr && !key; i++)
		key = find_in(btf, i, name, kinds);
	return key;
}

static uint32_t kinds_of(const char *tag)
{
	if (!strcmp(tag, "struct"))
		return 1u << KIND_STRUCT;
	if (!strcmp(tag, "union"))
		return 1u << KIND_UNION;
	if (!strcmp(tag, "enum"))
		return 1u << KIND_ENUM | 1u << KIND_ENUM64;
	return *tag ? 0 : 1u << KIND_TYPEDEF | 1u << KIND_INT | 1u << KIND_FLOAT;
}

/* ---- the source of types ------------------------------------------------------------------ */

static void read_int(const struct record *r, struct raw_type *raw)
{
	raw->kind = RAW_INT;
	raw->size = r->size;
	raw->sign = r->rest[0] >> 24 & 1;
}

static void read_named(const struct btf *btf, const struct table *t,
		       const struct record *r, struct raw_type *raw)
{
	raw->name = string_of(btf, t, r->name);
	raw->size = r->size;
	raw->members = members_of(r);
}

/*
 * Who wrote the table before there was a flag for signs meant all values signed; who
 * knows the flag means unsigned without it.  Small negative ones tell the first.
 */
static int64_t enum_value(const struct record *r, uint32_t value)
{
	if (flag_of(r) || value >= -4096u)
		return (int32_t)value;
	return value;
}

static bool has_negative(const struct record *r)
{
	uint32_t i;

	for (i = 0; kind_of(r) == KIND_ENUM && i < members_of(r); i++)
		if (enum_value(r, r->rest[i * 2 + 1]) < 0)
			return true;
	return false;
}

static void read_type(struct names *names, uint64_t key, struct raw_type *raw)
{
	const struct btf *btf = names->own;
	const struct table *t;
	const struct record *r = record_of(btf, key, &t);

	if (!r)
		return;
	switch (kind_of(r)) {
	case KIND_INT:
		raw->name = string_of(btf, t, r->name);
		read_int(r, raw);
		break;
	case KIND_FLOAT:
		read_named(btf, t, r, raw);
		raw->kind = RAW_FLOAT;
		break;
	case KIND_PTR:
		raw->kind = RAW_POINTER;
		raw->size = KT_WORD;
		raw->to = key_of(btf, key, r->size);
		break;
	case KIND_ARRAY:
		raw->kind = RAW_ARRAY;
		raw->to = key_of(btf, key, r->rest[0]);
		raw->nr[0] = r->rest[2];
		raw->dimensions = 1;
		break;
	case KIND_STRUCT:
	case KIND_UNION:
		read_named(btf, t, r, raw);
		raw->kind = RAW_STRUCT;
		raw->tag = kind_of(r) == KIND_STRUCT ? "struct" : "union";
		raw->homonym = *raw->name && key !=
			       find(names->own, raw->name, 1u << kind_of(r));
		break;
	case KIND_FWD:
		raw->name = string_of(btf, t, r->name);
		raw->kind = RAW_STRUCT;
		raw->tag = flag_of(r) ? "union" : "struct";
		raw->declared = true;
		break;
	case KIND_ENUM:
	case KIND_ENUM64:
		read_named(btf, t, r, raw);
		raw->kind = RAW_ENUM;
		raw->tag = "enum";
		raw->sign = flag_of(r) || has_negative(r);
		break;
	case KIND_TYPEDEF:
		raw->name = string_of(btf, t, r->name);
		/* fall through */
	case KIND_VOLATILE:
	case KIND_CONST:
	case KIND_RESTRICT:
	case KIND_TYPE_TAG:
		raw->kind = RAW_ALIAS;
		raw->to = key_of(btf, key, r->size);
		break;
	case KIND_FUNC_PROTO:
		raw->kind = RAW_FUNCTION;
		break;
	}
}

static void enumerator(const struct btf *btf, const struct table *t,
		       const struct record *r, uint32_t i,
		       struct raw_member *member)
{
	const uint32_t *e;

	if (kind_of(r) == KIND_ENUM64) {
		e = &r->rest[i * 3];
		member->value = (int64_t)((uint64_t)e[2] << 32 | e[1]);
	} else {
		e = &r->rest[i * 2];
		member->value = enum_value(r, e[1]);
	}
	member->name = string_of(btf, t, e[0]);
}

static bool read_member(struct names *names, uint64_t key, uint32_t i,
			struct raw_member *member)
{
	const struct btf *btf = names->own;
	const struct table *t;
	const struct record *r = record_of(btf, key, &t);
	const uint32_t *m;

	*member = (struct raw_member){ .name = "" };
	if (!r || i >= members_of(r))
		return false;
	if (kind_of(r) == KIND_ENUM || kind_of(r) == KIND_ENUM64) {
		enumerator(btf, t, r, i, member);
		return true;
	}
	if (kind_of(r) != KIND_STRUCT && kind_of(r) != KIND_UNION)
		return false;
	m = &r->rest[i * 3];
	member->name = string_of(btf, t, m[0]);
	member->type = key_of(btf, key, m[1]);
	member->bit = flag_of(r) ? m[2] & 0xffffff : m[2];
	member->bits = flag_of(r) ? m[2] >> 24 : 0;
	return true;
}

static uint64_t find_type(struct names *names, const char *tag, const char *name)
{
	return *name ? find(names->own, name, kinds_of(tag)) : 0;
}

static bool constant(struct names *names, const char *name, int64_t *value, uint64_t *key)
{
	const struct btf *btf = names->own;
	struct raw_member member;
	uint32_t i, id, k;

	for (i = 0; i < btf->tables_nr; i++) {
		const struct table *t = &btf->tables[i];

		for (id = t->first; id - t->first < t->nr; id++) {
			const struct record *r = record_in(t, id);

			if (kind_of(r) != KIND_ENUM &&
			    kind_of(r) != KIND_ENUM64)
				continue;
			for (k = 0; k < members_of(r); k++) {
				enumerator(btf, t, r, k, &member);
				*value = member.value;
				*key = (uint64_t)i << 32 | id;
				if (!strcmp(member.name, name))
					return true;
			}
		}
	}
	return false;
}

/* ---- functions --------------------------------------------------------------------------------- */

static const struct trace_arg *parameters(struct names *names, uint64_t key,
					  const struct table *t,
					  const struct record *proto,
					  uint32_t *nr)
{
	const struct btf *btf = names->own;
	uint32_t i, params = members_of(proto);
	struct trace_arg *args;
	struct abi abi = { .kernel = true };

	names_abi_returns(&abi, names_type_of(names, key_of(btf, key,
							    proto->size)),
			  false);
	args = names_alloc(names, (params + 1) * sizeof(*args));
	if (!args)
		return NULL;
	for (i = 0; i < params; i++) {
		const uint32_t *p = &proto->rest[i * 2];

		if (!p[1])
			break;		/* "..." */
		args[i].name = names_text(names,
					  string_of(btf, t, p[0]));
		args[i].type = names_type_of(names, key_of(btf, key, p[1]));
		names_abi_next(&abi, &args[i]);
	}
	*nr = i;
	return args;
}

static const struct trace_arg *args_of(struct names *names,
				       const struct names_place *place,
				       uint32_t *nr, const char **why)
{
	const struct btf *btf = names->own;
	const struct table *t;
	const struct record *r;
	uint64_t key = find(btf, place->function, 1u << KIND_FUNC);

	if (!key) {
		*why = names_fail(names, "the kernel's types do not know %s's arguments: use arg0, arg1 ...",
				  place->function);
		return NULL;
	}
	if (place->offset && !place->returns) {
		*why = names_fail(names, "within a function the kernel's types know no variables: probe where it begins, or use reg()");
		return NULL;
	}
	r = record_of(btf, key, &t);
	key = key_of(btf, key, r->size);
	r = record_of(btf, key, &t);
	if (!r || kind_of(r) != KIND_FUNC_PROTO) {
		*why = "the kernel's types are damaged";
		return NULL;
	}
	if (place->returns)
		return names_returned(names, names_type_of(names,
					key_of(btf, key, r->size)), nr);
	return parameters(names, key, t, r, nr);
}

/* ---- taking a table ------------------------------------------------------------------------------ */

/* How many records; false: one does not lie in it whole. */
static bool count(const char *types, uint32_t len, uint32_t *nr)
{
	uint64_t at = 0, size;

	for (*nr = 0; at < len; (*nr)++) {
		if (len - at < sizeof(struct record))
			return false;
		size = record_len((const struct record *)(types + at));
		if (!size || size > len - at)
			return false;
		at += size;
	}
	return true;
}

static bool index_records(const struct btf *btf, struct table *t)
{
	uint32_t i, at = 0, bucket;

	t->buckets_nr = 16;
	while (t->buckets_nr < t->nr && t->buckets_nr < 1u << 30)
		t->buckets_nr *= 2;
	t->offsets = calloc(t->nr + 1, sizeof(*t->offsets));
	t->next = calloc(t->nr + 1, sizeof(*t->next));
	t->buckets = calloc(t->buckets_nr, sizeof(*t->buckets));
	if (!t->offsets || !t->next || !t->buckets)
		return false;
	for (i = 0; i < t->nr; i++) {
		t->offsets[i] = at;
		at += (uint32_t)record_len(record_in(t, t->first + i));
	}
	/* Backwards: of several with a name the first is found. */
	while (i-- > 0) {
		const struct record *r = record_in(t, t->first + i);
		const char *name = string_of(btf, t, r->name);

		if (!*name)
			continue;
		bucket = names_hash(0, name) & (t->buckets_nr - 1);
		t->next[i] = t->buckets[bucket];
		t->buckets[bucket] = i + 1;
	}
	return true;
}

static void free_table(struct table *t)
{
	free(t->offsets);
	free(t->next);
	free(t->buckets);
	free(t->file);
}

/* The parts that the header tells of; records are words. */
static bool parts(const char *bytes, size_t len, struct table *t,
		  uint32_t *types_len)
{
	struct header h;

	if (len < sizeof(h))
		return false;
	memcpy(&h, bytes, sizeof(h));
	if (h.magic != MAGIC || h.version != 1 || h.len < sizeof(h) ||
	    h.len > len)
		return false;
	bytes += h.len;
	len -= h.len;
	if (h.types > len || h.types_len > len - h.types ||
	    h.strings > len || h.strings_len > len - h.strings)
		return false;
	t->types = bytes + h.types;
	t->strings = bytes + h.strings;
	t->strings_len = h.strings_len;
	*types_len = h.types_len;
	return ((uintptr_t)t->types & 3) == 0 &&
	       h.strings_len && !t->strings[h.strings_len - 1];
}

static bool follow(struct table *t, const struct table *base)
{
	t->first = base ? base->first + base->nr : 1;
	t->strings_first = base ? base->strings_len : 0;
	return t->nr < UINT32_MAX - t->first &&
	       t->strings_len < UINT32_MAX - t->strings_first;
}

static int add_table(struct btf *btf, const void *bytes, size_t len, void *file)
{
	struct table t = { .file = file };
	struct table *tables;
	uint32_t types_len;

	if (btf->tables_nr == TABLES_MAX || !parts(bytes, len, &t, &types_len) ||
	    !count(t.types, types_len, &t.nr) ||
	    !follow(&t, btf->tables_nr ? btf->tables : NULL)) {
		free(file);
		return -EINVAL;
	}
	tables = realloc(btf->tables, (btf->tables_nr + 1) * sizeof(t));
	if (tables)
		btf->tables = tables;
	if (!tables || !index_records(btf, &t)) {
		free_table(&t);
		return -ENOMEM;
	}
	tables[btf->tables_nr++] = t;
	return 0;
}

static void free_btf(struct names *names)
{
	struct btf *btf = names->own;
	uint32_t i;

	for (i = 0; i < btf->tables_nr; i++)
		free_table(&btf->tables[i]);
	free(btf->tables);
	free(btf);
}

static const struct source source = {
	.read = read_type, .member = read_member, .find = find_type,
	.constant = constant, .args = args_of, .free = free_btf,
};

struct names *btf_names(const void *bytes, size_t len, void *file)
{
	struct btf *btf = calloc(1, sizeof(*btf));
	struct names *names = btf ? names_new(&source, btf) : NULL;

	if (!names) {
		free(btf);
		free(file);
		return NULL;
	}
	if (add_table(btf, bytes, len, file)) {
		names_free(names);
		return NULL;
	}
	return names;
}

int btf_add(struct names *names, const void *bytes, size_t len, void *file)
{
	return add_table(names->own, bytes, len, file);
}

struct names *names_of_btf(const void *bytes, size_t len)
{
	return btf_names(bytes, len, NULL);
}
