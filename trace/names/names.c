// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * names.c - the names of a target, as a script spells them.
 *
 * Owns: C's own types, and what is known of a target without
 * debugging information.
 */
#include "own.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A fraction in it, which a register for such holds, if it is small enough for registers. */
static bool has_fraction(const struct ctype *type, unsigned int depth)
{
	uint32_t i;

	if (type->kind == CTYPE_VOID)
		return type->size;
	if (!depth || type->kind == CTYPE_POINTER)
		return false;
	if (type->kind == CTYPE_ARRAY)
		return type->vector || (type->to && has_fraction(type->to, depth - 1));
	for (i = 0; type->kind == CTYPE_STRUCT && i < type->fields_nr; i++)
		if (has_fraction(type->fields[i].type, depth - 1))
			return true;
	return false;
}

const struct trace_arg *names_returned(struct names *names,
				       const struct ctype *type, uint32_t *nr)
{
	struct trace_arg *arg = names_alloc(names, sizeof(*arg));

	if (!arg)
		return NULL;
	arg->name = "retval";
	arg->type = type;
	arg->kind = TRACE_ARG_RETURN;
	if (type->kind == CTYPE_VOID && type->size)
		names_refuse(arg, "a floating-point number is returned in a register that probes do not read");
	else if (type->kind == CTYPE_INT && type->size > KT_WORD)
		names_refuse(arg, "a number of this size is returned in two registers: use reg()");
	else if (type->kind == CTYPE_ARRAY && type->vector)
		names_refuse(arg, "a vector is returned in a register that probes do not read");
	else if (type->kind == CTYPE_STRUCT && type->size <= 4 * KT_WORD &&
		 has_fraction(type, 8))
		names_refuse(arg, "a structure with floating-point members is returned in registers that probes do not read");
	/* Or one of C++ that has an address; the type does not tell. */
	else if (type->kind == CTYPE_STRUCT && KT_WORD == 8 && type->size <= 2 * KT_WORD)
		names_refuse(arg, "a structure of this size is returned in registers, or a register has its address: use reg()");
	*nr = 1;
	return arg;
}

/* ---- names as a script spells them ----------------------------------------------------------- */

#define INT(spelt, bytes, is_signed) { .kind = CTYPE_INT, .name = spelt, \
				       .size = bytes, .sign = is_signed }

static const struct ctype builtins[] = {
	INT("char", 1, true), INT("signed char", 1, true),
	INT("unsigned char", 1, false), INT("short", 2, true),
	INT("unsigned short", 2, false), INT("int", 4, true),
	INT("unsigned int", 4, false), INT("long", KT_WORD, true),
	INT("unsigned long", KT_WORD, false), INT("_Bool", 1, false),
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
		return names_type_of(names, key);
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

/* ---- asking the source ------------------------------------------------------------ */

bool names_constant(struct names *names, const char *name, int64_t *value,
		    const struct ctype **type)
{
	uint64_t key = 0;
	bool found = names->source->constant(names, name, value, &key);

	*type = found && key ? names_type_of(names, key) : NULL;
	if (*type && ((*type)->kind != CTYPE_ENUM || !(*type)->values))
		*type = NULL;
	return found;
}

const struct trace_arg *names_args(struct names *names,
				   const struct names_place *place,
				   uint32_t *nr, const char **why)
{
	*nr = 0;
	return names->source->args(names, place, nr, why);
}

int names_lines(struct names *names, const char *file, int line,
		void (*take)(void *arg, const struct names_line *line),
		void *arg, const char **why)
{
	if (names->source->lines)
		return names->source->lines(names, file, line, take, arg, why);
	*why = "no debugging information is there that knows lines";
	return 0;
}

int names_users(struct names *names, const char *type,
		void (*take)(void *arg, const struct names_line *line),
		void *arg, const char **why)
{
	if (names->source->users)
		return names->source->users(names, type, take, arg, why);
	*why = "no debugging information is there that knows types and functions";
	return 0;
}

int names_frames(struct names *names, uint64_t addr,
		 void (*take)(void *arg, const struct names_frame *frame),
		 void *arg)
{
	if (!names->source->frames)
		return 0;
	return names->source->frames(names, addr, take, arg);
}

int names_usdts(struct names *names,
		void (*take)(void *arg, const struct names_usdt *usdt),
		void *arg)
{
	return names->source->usdts ? names->source->usdts(names, take, arg) : 0;
}

/* ---- no debugging information ----------------------------------------------------- */

static uint64_t find_nothing(struct names *names, const char *tag,
			     const char *name)
{
	(void)names;
	(void)tag;
	(void)name;
	return 0;
}

static bool no_constant(struct names *names, const char *name, int64_t *value, uint64_t *key)
{
	(void)names;
	(void)name;
	(void)value;
	(void)key;
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
