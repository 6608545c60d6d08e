// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * events.c - the fields of the kernel's tracepoints, by name.
 *
 * Owns: parsing the lines in which the kernel describes the fields of a tracepoint's record:
 *
 * 	char prev_comm[16];	offset:8;	size:16;	signed:0;
 * 	__data_loc char[] name;	offset:8;	size:4;	signed:0;
 */
#include "own.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define FIELDS_MAX 64
#define LINE_MAX 512

/* It is somewhere behind the others; the field says where. */
#define LOCATED "__data_loc "

/* "const char *name[16]": the name, and what is before it ends there. */
static char *cut_name(char *text)
{
	char *end = text + strcspn(text, "["), *name;

	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	*end = 0;
	name = end;
	while (name > text && (isalnum((unsigned char)name[-1]) || name[-1] == '_'))
		name--;
	return name;
}

static const struct ctype *plain(uint64_t size, bool sign)
{
	switch (size) {
	case 1: return sign ? names_builtin("signed char", 11) :
			      names_builtin("unsigned char", 13);
	case 2: return sign ? names_builtin("short", 5) :
			      names_builtin("unsigned short", 14);
	case 4: return sign ? names_builtin("int", 3) :
			      names_builtin("unsigned int", 12);
	case 8: return sign ? names_builtin("long", 4) :
			      names_builtin("unsigned long", 13);
	default: return NULL;
	}
}

/* By its name where debugging information has it, else by its size. */
static const struct ctype *type_of(struct names *names, const char *spelt,
				   uint64_t size, bool sign)
{
	const struct ctype *type = names_type(names, spelt);

	if (type && type->size == size)
		return type;
	return size == KT_WORD && strchr(spelt, '*') ? names_type(names, "void *")
					       : plain(size, sign);
}

static const struct ctype *array_of(struct names *names, const char *spelt,
				    uint64_t size, bool sign)
{
	const struct ctype *of = names_type(names, spelt);
	struct ctype *array = names_alloc(names, sizeof(*array));

	if (!of || !of->size || of->size > size)
		of = plain(1, sign);
	if (!array)
		return NULL;
	*array = (struct ctype){
		.kind = CTYPE_ARRAY, .name = "", .size = size, .to = of,
		.nr = size / of->size,
	};
	return array;
}

/* False: it is none to be shown. */
static bool read_field(struct names *names, struct trace_arg *arg, char *line)
{
	char *behind = strchr(line, ';'), *name;
	unsigned int offset, size, sign;
	bool is_array;

	if (!behind || sscanf(behind + 1, " offset:%u; size:%u; signed:%u",
			      &offset, &size, &sign) != 3 || offset > INT32_MAX)
		return false;
	*behind = 0;
	*arg = (struct trace_arg){ .kind = TRACE_ARG_CONTEXT, .offset = offset };
	is_array = strchr(line, '[');
	if (!strncmp(line, LOCATED, strlen(LOCATED))) {
		arg->kind = TRACE_ARG_LOCATED;
		name = strrchr(line, ' ') + 1;
		arg->type = names_type(names, "char *");
	} else {
		name = cut_name(line);
	}
	/* Its type is before it. */
	arg->name = names_text(names, name);
	*name = 0;
	if (!arg->type)
		arg->type = is_array ? array_of(names, line, size, sign)
				     : type_of(names, line, size, sign);
	/* Those that all have tell what builtins do. */
	return arg->name && *arg->name && arg->type &&
	       strncmp(arg->name, "common_", 7) != 0;
}

const struct trace_arg *names_event_args(struct names *names, const char *fields,
					 size_t len, uint32_t *nr)
{
	struct trace_arg *args = names_alloc(names, FIELDS_MAX * sizeof(*args));
	char line[LINE_MAX];
	size_t at;

	*nr = 0;
	for (at = 0; args && at < len && *nr < FIELDS_MAX;
	     at += strlen(fields + at) + 1) {
		snprintf(line, sizeof(line), "%s", fields + at);
		*nr += read_field(names, &args[*nr], line);
	}
	return args;
}
