// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * own.c - what a traced process says about itself.
 *
 * Owns: the rule for "pid" in events, keys and values: a process cannot speak as another traced
 * one. A child by fork has its parent's arena and a number of its own, so a number that no other
 * traced process has is believed.
 */
#include "read.h"

#include <string.h>

static bool is_others(const struct trace_reader *reader, u32 own, u64 said)
{
	u32 i;

	for (i = 0; i < reader->nr && said != own; i++)
		if (reader->pids[i] && reader->pids[i] == said)
			return true;
	return false;
}

static void correct(const struct trace_reader *reader, u32 own,
		    const struct trace_field *field, u8 *bytes, u32 len)
{
	u64 word;
	u32 i;

	if (field->offset > len)
		return;
	bytes += field->offset;
	len -= field->offset;
	for (i = 0; field->type.kind == TRACE_TUPLE && i < field->type.fields_nr; i++)
		correct(reader, own, &field->type.fields[i], bytes, len);
	if (!field->type.own || field->type.size != sizeof(word) || len < sizeof(word))
		return;
	memcpy(&word, bytes, sizeof(word));
	if (!is_others(reader, own, word))
		return;
	word = own;
	memcpy(bytes, &word, sizeof(word));
}

void read_own(const struct trace_reader *reader, const struct kt_vm *vm,
	      const struct trace_field *fields, u32 nr, u8 *bytes, u32 len)
{
	u32 own = reader->pids[vm - reader->vms], i;

	for (i = 0; i < nr && own; i++)
		correct(reader, own, &fields[i], bytes, len);
}

static bool holds_own(const struct trace_type *type)
{
	u32 i;

	for (i = 0; type->kind == TRACE_TUPLE && i < type->fields_nr; i++)
		if (holds_own(&type->fields[i].type))
			return true;
	return type->own;
}

bool read_has_own_keys(const struct trace_map *map)
{
	u32 i;

	for (i = 0; i < map->keys_nr; i++)
		if (holds_own(&map->keys[i].type))
			return true;
	return false;
}
