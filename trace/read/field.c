// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * field.c - the parts of a value.
 *
 * Owns: reading words and numbers out of bytes that an arena holds. What lies behind the
 * end of these is 0.
 */
#include "read.h"

#include <string.h>

u64 read_word(const u8 *bytes, u32 len, u32 at)
{
	u64 word = 0;

	if (at < len)
		memcpy(&word, bytes + at, len - at < 8 ? len - at : 8);
	return word;
}

struct read_value read_field(const struct trace_field *field,
			     const struct kt_vm *vm, const u8 *bytes, u32 len)
{
	u32 at = field->offset < len ? field->offset : len, left = len - at;

	return (struct read_value){
		.type = &field->type, .vm = vm, .bytes = bytes + at,
		.len = field->type.size < left ? field->type.size : left,
	};
}

static u64 word_of(const struct read_value *value, u32 at)
{
	return read_word(value->bytes, value->len, at);
}

s64 read_number(const struct read_value *value)
{
	u64 word = word_of(value, 0);
	bool sign = value->type->sign && (value->type->kind == TRACE_INT ||
					  value->type->kind == TRACE_ENUM);

	switch (value->type->size) {
	case 1:
		return sign ? (s8)word : (u8)word;
	case 2:
		return sign ? (s16)word : (u16)word;
	case 4:
		return sign ? (s32)word : (s64)(u32)word;
	default:
		return (s64)word;
	}
}

bool read_holds_stack(const struct trace_type *type)
{
	u32 i;

	if (type->kind == TRACE_KSTACK || type->kind == TRACE_USTACK)
		return true;
	for (i = 0; type->kind == TRACE_TUPLE && i < type->fields_nr; i++)
		if (read_holds_stack(&type->fields[i].type))
			return true;
	return false;
}
