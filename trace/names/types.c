// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * types.c - C types, made when they are asked for.
 *
 * Owns: struct names' memory, and one struct ctype for each key of the source.  What
 * a structure holds is made with it; what it points to remains incomplete until its
 * name is asked for.  Sources may lie: nesting is bounded, and a structure that
 * contains itself stays incomplete there.
 */
#include "own.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64
#define CHUNK (64u << 10)

struct chunk {
	struct chunk *next;
	size_t used, room;
	char bytes[] __attribute__((aligned(16)));
};

struct own_type {
	struct ctype c;
	uint64_t key;
	bool busy;			/* its fields are made now */
	bool unknown;			/* the source does not have its fields */
};

static const struct ctype none = { .kind = CTYPE_VOID, .name = "void" };

/* ---- memory ------------------------------------------------------------------------ */

struct names *names_new(const struct source *source, void *own)
{
	struct names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->source = source;
	names->own = own;
	return names;
}

void names_free(struct names *names)
{
	if (!names)
		return;
	if (names->source->free)
		names->source->free(names);
	while (names->chunks) {
		struct chunk *chunk = names->chunks;

		names->chunks = chunk->next;
		free(chunk);
	}
	free(names->types);
	free(names);
}

void *names_alloc(struct names *names, size_t len)
{
	struct chunk *chunk = names->chunks;
	size_t room = len > CHUNK ? len : CHUNK;
	void *bytes;

	if (len > SIZE_MAX / 2)
		return NULL;
	len = (len + 15) & ~(size_t)15;
	if (!chunk || chunk->room - chunk->used < len) {
		room = (room + 15) & ~(size_t)15;
		chunk = calloc(1, sizeof(*chunk) + room);
		if (!chunk)
			return NULL;
		chunk->room = room;
		chunk->next = names->chunks;
		names->chunks = chunk;
	}
	bytes = chunk->bytes + chunk->used;
	chunk->used += len;
	return bytes;
}

const char *names_text(struct names *names, const char *text)
{
	size_t len = strlen(text) + 1;
	char *copy = len > 1 ? names_alloc(names, len) : NULL;

	return copy ? memcpy(copy, text, len) : "";
}

const char *names_fail(struct names *names, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(names->why, sizeof(names->why), fmt, args);
	va_end(args);
	return names->why;
}

/* Names of a subject that has no debugging information. */
static uint64_t find_nothing(struct names *names, const char *tag,
			     const char *name)
{
	(void)names;
	(void)tag;
	(void)name;
	return 0;
}

static bool no_constant(struct names *names, const char *name, int64_t *value)
{
	(void)names;
	(void)name;
	(void)value;
	return false;
}

static const struct trace_arg *no_args(struct names *names,
				       const struct names_place *place,
				       uint32_t *nr, const char **why)
{
	(void)nr;
	*why = names_fail(names, "there is no debugging information that knows %s's arguments: use arg0, arg1 ...",
			  place->function);
	return NULL;
}

static const struct source nothing = {
	.find = find_nothing, .constant = no_constant, .args = no_args,
};

struct names *names_of_nothing(void)
{
	return names_new(&nothing, NULL);
}

/* ---- one type for a key --------------------------------------------------------------- */

/* Its place in the table: it, or NULL where it belongs. */
static struct own_type **slot_of(struct own_type **types, size_t room,
				 uint64_t key)
{
	size_t at = (size_t)(key * 0x9E3779B97F4A7C15ull >> 20) & (room - 1);

	while (types[at] && types[at]->key != key)
		at = (at + 1) & (room - 1);
	return &types[at];
}

static int grow(struct names *names)
{
	size_t room = names->types_room ? names->types_room * 2 : 1024, i;
	struct own_type **types = calloc(room, sizeof(*types));

	if (!types)
		return -ENOMEM;
	for (i = 0; i < names->types_room; i++)
		if (names->types[i])
			*slot_of(types, room, names->types[i]->key) =
				names->types[i];
	free(names->types);
	names->types = types;
	names->types_room = room;
	return 0;
}

/* NULL: no memory.  A new one is void. */
static struct own_type *take(struct names *names, uint64_t key)
{
	struct own_type **slot, *type;

	if (names->types_nr * 2 >= names->types_room && grow(names))
		return NULL;
	slot = slot_of(names->types, names->types_room, key);
	if (*slot)
		return *slot;
	type = names_alloc(names, sizeof(*type));
	if (!type)
		return NULL;
	type->c = none;
	type->key = key;
	names->types_nr++;
	return *slot = type;
}

/*
 * Behind other names: the type that is meant.  *alias is the last name for one that
 * has none of its own.
 */
static uint64_t meant(struct names *names, uint64_t key, struct raw_type *raw,
		      const char **alias)
{
	unsigned int steps;

	*alias = "";
	for (steps = 0; key && steps < DEPTH_MAX; steps++) {
		*raw = (struct raw_type){ .kind = RAW_VOID, .tag = "",
					  .name = "" };
		names->source->read(names, key, raw);
		if (raw->kind != RAW_ALIAS)
			return key;
		if (*raw->name)
			*alias = raw->name;
		key = raw->to;
	}
	*raw = (struct raw_type){ .kind = RAW_VOID, .tag = "", .name = "" };
	return 0;
}

static const char *full_name(struct names *names, const struct raw_type *raw,
			     const char *alias)
{
	char text[512];

	if (!*raw->name)
		return names_text(names, alias);
	if (!*raw->tag)
		return names_text(names, raw->name);
	snprintf(text, sizeof(text), "%s %s", raw->tag, raw->name);
	return names_text(names, text);
}

/* ---- fields ------------------------------------------------------------------------------ */

static uint32_t int_size(uint32_t bits)
{
	return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

/*
 * A bit-field lies in a unit of its type, unless the structure is packed: then in the
 * smallest integer that holds it.
 */
static bool place_bits(struct names *names, const struct raw_member *raw,
		       uint64_t struct_size, struct cfield *field)
{
	uint64_t unit = field->type->size * 8, start;
	struct ctype *narrow;

	field->bits = raw->bits;
	start = unit ? raw->bit / unit * unit : 0;
	if (unit && unit <= 64 && raw->bit - start + raw->bits <= unit &&
	    (start + unit) / 8 <= struct_size) {
		field->offset = (uint32_t)(start / 8);
		field->bit = (uint32_t)(raw->bit - start);
		return true;
	}
	field->offset = (uint32_t)(raw->bit / 8);
	field->bit = raw->bit % 8;
	narrow = names_alloc(names, sizeof(*narrow));
	if (!narrow || raw->bits > 64 || field->bit + raw->bits > 64)
		return false;
	*narrow = (struct ctype){ .kind = CTYPE_INT, .name = field->type->name,
				  .size = int_size(field->bit + raw->bits),
				  .sign = field->type->sign };
	field->type = narrow;
	return true;
}

static const struct ctype *make(struct names *names, uint64_t key, bool whole);

static bool take_field(struct names *names, const struct raw_member *raw,
		       uint64_t struct_size, struct cfield *field)
{
	if (raw->bit / 8 > UINT32_MAX)
		return false;
	*field = (struct cfield){ .name = names_text(names, raw->name),
				  .type = make(names, raw->type, true),
				  .offset = (uint32_t)(raw->bit / 8) };
	if (raw->bits)
		return place_bits(names, raw, struct_size, field);
	return raw->bit % 8 == 0;
}

static void complete_struct(struct names *names, struct own_type *type,
			    const struct raw_type *raw)
{
	struct raw_member member;
	struct cfield *fields;
	uint32_t i, nr = 0;

	if (raw->declared) {
		type->unknown = true;
		return;
	}
	fields = names_alloc(names, (size_t)raw->members * sizeof(*fields));
	if (!fields && raw->members)
		return;
	type->busy = true;
	for (i = 0; i < raw->members; i++) {
		if (!names->source->member(names, type->key, i, &member))
			continue;
		nr += take_field(names, &member, raw->size, &fields[nr]);
	}
	type->busy = false;
	type->c.fields = fields;
	type->c.fields_nr = nr;
	type->c.incomplete = false;
}

static void complete_enum(struct names *names, struct own_type *type,
			  const struct raw_type *raw)
{
	struct raw_member member;
	struct cfield *fields;
	int64_t *values;
	uint32_t i, nr = 0;

	fields = names_alloc(names, (size_t)raw->members * sizeof(*fields));
	values = names_alloc(names, (size_t)raw->members * sizeof(*values));
	if (!fields || !values)
		return;
	for (i = 0; i < raw->members; i++) {
		if (!names->source->member(names, type->key, i, &member))
			continue;
		fields[nr].name = names_text(names, member.name);
		fields[nr].type = &type->c;
		values[nr++] = member.value;
	}
	type->c.fields = fields;
	type->c.values = values;
	type->c.fields_nr = nr;
}

/* ---- making ------------------------------------------------------------------------------- */

const struct ctype *names_pointer(struct names *names, const struct ctype *to)
{
	struct ctype *type = names_alloc(names, sizeof(*type));

	if (!type)
		return &none;
	*type = (struct ctype){ .kind = CTYPE_POINTER, .name = "", .size = 8,
				.to = to };
	return type;
}

static void make_array(struct names *names, struct ctype *type,
		       const struct raw_type *raw)
{
	const struct ctype *of = make(names, raw->to, true);
	uint32_t i;

	for (i = raw->dimensions; i > 0; i--) {
		struct ctype *array = i == 1 ? type :
				      names_alloc(names, sizeof(*array));

		if (!array)
			return;
		*array = (struct ctype){ .kind = CTYPE_ARRAY, .name = "",
					 .to = of, .nr = raw->nr[i - 1] };
		if (__builtin_mul_overflow(of->size, array->nr, &array->size))
			array->size = array->nr = 0;
		of = array;
	}
}

static void fill(struct names *names, struct own_type *type,
		 const struct raw_type *raw, const char *alias)
{
	struct ctype *c = &type->c;

	c->name = full_name(names, raw, alias);
	c->size = raw->size;
	c->sign = raw->sign;
	switch (raw->kind) {
	case RAW_INT:
		c->kind = CTYPE_INT;
		break;
	case RAW_POINTER:
		c->kind = CTYPE_POINTER;
		c->to = make(names, raw->to, false);
		break;
	case RAW_ARRAY:
		make_array(names, c, raw);
		break;
	case RAW_STRUCT:
		c->kind = CTYPE_STRUCT;
		c->incomplete = true;
		break;
	case RAW_ENUM:
		c->kind = CTYPE_ENUM;
		complete_enum(names, type, raw);
		break;
	case RAW_FUNCTION:
		c->kind = CTYPE_FUNCTION;
		break;
	default:			/* void, and what no integer can hold */
		break;
	}
}

/* A structure whose name leads nowhere else is made whole at once. */
static const struct ctype *make(struct names *names, uint64_t key, bool whole)
{
	struct own_type *type;
	struct raw_type raw;
	const char *alias;
	bool new;

	key = meant(names, key, &raw, &alias);
	if (!key || names->depth >= DEPTH_MAX)
		return &none;
	type = take(names, key);
	if (!type)
		return &none;
	new = type->c.name == none.name;
	names->depth++;
	if (new)
		fill(names, type, &raw, alias);
	if (type->c.incomplete && !type->busy && !type->unknown &&
	    (whole || raw.homonym || !*type->c.name))
		complete_struct(names, type, &raw);
	names->depth--;
	return &type->c;
}

const struct ctype *names_type_of(struct names *names, uint64_t key)
{
	return make(names, key, true);
}

/* ---- names as a script spells them ----------------------------------------------------------- */

#define INT(spelt, bytes, is_signed) { .kind = CTYPE_INT, .name = spelt, \
				       .size = bytes, .sign = is_signed }

static const struct ctype builtins[] = {
	INT("char", 1, true), INT("signed char", 1, true),
	INT("unsigned char", 1, false), INT("short", 2, true),
	INT("unsigned short", 2, false), INT("int", 4, true),
	INT("unsigned int", 4, false), INT("long", 8, true),
	INT("unsigned long", 8, false), INT("_Bool", 1, false),
	{ .kind = CTYPE_VOID, .name = "void" },
};

/* Known where no debugging information is. */
static const char *const aliases[][2] = {
	{ "size_t", "unsigned long" }, { "ssize_t", "long" },
	{ "off_t", "long" }, { "loff_t", "long" },
	{ "umode_t", "unsigned short" }, { "mode_t", "unsigned int" },
	{ "pid_t", "int" }, { "uid_t", "unsigned int" },
	{ "gid_t", "unsigned int" }, { "key_t", "int" },
	{ "qid_t", "unsigned int" }, { "clockid_t", "int" },
	{ "timer_t", "int" }, { "mqd_t", "int" }, { "key_serial_t", "int" },
	{ "rwf_t", "int" }, { "aio_context_t", "unsigned long" },
	{ "uintptr_t", "unsigned long" }, { "intptr_t", "long" },
	{ "u8", "unsigned char" }, { "u16", "unsigned short" },
	{ "u32", "unsigned int" }, { "u64", "unsigned long" },
	{ "s8", "signed char" }, { "s16", "short" },
	{ "s32", "int" }, { "s64", "long" },
	{ "uint8_t", "unsigned char" }, { "uint16_t", "unsigned short" },
	{ "uint32_t", "unsigned int" }, { "uint64_t", "unsigned long" },
	{ "int8_t", "signed char" }, { "int16_t", "short" },
	{ "int32_t", "int" }, { "int64_t", "long" },
	{ "__u32", "unsigned int" }, { "__u64", "unsigned long" },
	{ "__s32", "int" }, { "__s64", "long" },
};

static const struct ctype *builtin_named(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++)
		if (!strcmp(builtins[i].name, name))
			return &builtins[i];
	return NULL;
}

static bool word_is(const char *word, size_t len, const char *what)
{
	return strlen(what) == len && !memcmp(word, what, len);
}

static const struct ctype *aliased(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (!strcmp(aliases[i][0], name))
			return builtin_named(aliases[i][1]);
	return NULL;
}

/* "long unsigned int" and "unsigned long" are the same. */
const struct ctype *names_builtin(const char *name, size_t len)
{
	const char *end = name + len, *base = NULL, *sign = "";
	unsigned int longs = 0;
	char text[32];

	while (name < end) {
		size_t word = strcspn(name, " \t\n");

		if (word > (size_t)(end - name))
			word = (size_t)(end - name);
		if (word_is(name, word, "unsigned"))
			sign = "unsigned ";
		else if (word_is(name, word, "signed"))
			sign = "signed ";
		else if (word_is(name, word, "long"))
			longs++;
		else if (word_is(name, word, "short"))
			base = "short";
		else if (word_is(name, word, "char"))
			base = "char";
		else if (word_is(name, word, "void"))
			base = "void";
		else if (word_is(name, word, "bool") ||
			 word_is(name, word, "_Bool"))
			base = "_Bool";
		else if (word && !word_is(name, word, "int"))
			return NULL;
		name += word;
		name += strspn(name, " \t\n");
	}
	if (!base)
		base = longs ? "long" : "int";
	/* Only of char is the sign its own. */
	if (*sign == 's' && strcmp(base, "char"))
		sign = "";
	snprintf(text, sizeof(text), "%s%s", sign, base);
	return builtin_named(text);
}

static const char *skip_words(const char *name)
{
	static const char *const skipped[] = { "const", "volatile" };
	size_t i = 0, len;

	while (i < 2) {
		name += strspn(name, " \t\n");
		len = strlen(skipped[i]);
		if (!strncmp(name, skipped[i], len) && name[len] == ' ') {
			name += len;
			i = 0;
		} else {
			i++;
		}
	}
	return name;
}

static const struct ctype *named(struct names *names, const char *name,
				 size_t len)
{
	static const char *const tags[] = { "struct", "union", "enum", "class" };
	const char *tag = "";
	char text[512];
	uint64_t key;
	size_t i;

	if (!len || len >= sizeof(text))
		return NULL;
	for (i = 0; i < 4; i++) {
		size_t tag_len = strlen(tags[i]);

		if (len > tag_len && !strncmp(name, tags[i], tag_len) &&
		    name[tag_len] == ' ') {
			tag = tags[i];
			tag_len += strspn(name + tag_len, " ");
			name += tag_len;
			len -= tag_len;
			break;
		}
	}
	memcpy(text, name, len);
	text[len] = 0;
	if (!*tag && names_builtin(name, len))
		return names_builtin(name, len);
	key = names->source->find(names, tag, text);
	if (key)
		return make(names, key, true);
	return *tag ? NULL : aliased(text);
}

const struct ctype *names_type(struct names *names, const char *name)
{
	const struct ctype *type;
	unsigned int stars = 0;
	size_t len;

	name = skip_words(name);
	len = strlen(name);
	while (len && strchr("* \t\n", name[len - 1])) {
		stars += name[len - 1] == '*';
		len--;
	}
	if (stars > 8)
		return NULL;
	type = named(names, name, len);
	while (type && stars--)
		type = names_pointer(names, type);
	return type;
}

bool names_constant(struct names *names, const char *name, int64_t *value)
{
	return names->source->constant(names, name, value);
}

const struct trace_arg *names_args(struct names *names,
				   const struct names_place *place,
				   uint32_t *nr, const char **why)
{
	*nr = 0;
	return names->source->args(names, place, nr, why);
}
