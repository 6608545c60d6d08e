// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * arenas.c - whose an arena is.
 *
 * Owns: the way from an arena to its script and its process. What an arena says of its
 * process counts only where that is the kernel.
 */
#include "read.h"

const struct trace_script *read_script(const struct trace_reader *reader,
				       const struct kt_vm *vm)
{
	return vm ? reader->arenas[vm - reader->vms].script : reader->script;
}

u32 read_pid(const struct trace_reader *reader, const struct kt_vm *vm, u32 said)
{
	u32 pid = vm ? reader->pids[vm - reader->vms] : 0;

	return pid ? pid : said;
}

u32 read_whose(const struct trace_reader *reader, const struct kt_vm *vm, u32 said)
{
	u32 arena = vm ? (u32)(vm - reader->vms) : 0;

	return vm && reader->pids[arena] ? TRACE_ARENA | arena : said;
}
