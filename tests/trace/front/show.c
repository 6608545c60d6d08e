/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * show.c - scripts of a file, each behind a line "=== NAME", and what becomes of
 * them: the program, or what is wrong; with -r what they print.  One that is called
 * "marked" tells of each hit.
 *
 * Then BEGIN's blocks run, each probe is hit three times, intervals, and END's.  The
 * first argument is the address of a struct task_struct, as env.c defines it; in a
 * process at 0x10000, in the kernel at 0x10800.
 */
#include "build.h"
#include "dump.h"
#include "env.h"

#include "read/reader.h"

#include <stdlib.h>
#include <string.h>

#define USER_AT		FAKE_AT
#define KERNEL_AT	(FAKE_AT + FAKE_LEN / 2)

static void put(u64 task, u32 offset, u64 value, u32 len)
{
	memcpy(fake_memory + (task - FAKE_AT) + offset, &value, len);
}

static void make_task(u64 at)
{
	put(at, 0, 4242, 4);
	put(at, 4, 0xfffffff0, 4);
	put(at, 8, at + 144, 8);			/* real_parent */
	put(at, 144, 77, 4);
	memcpy(fake_memory + (at - FAKE_AT) + 16, "worker", 7);
	memcpy(fake_memory + (at - FAKE_AT) + 160, "a-parent-of-16..", 16);
	put(at, 32, 0x5000, 2);				/* port 80 */
	put(at, 40, 0xb80d0120, 4);			/* 2001:db8::1 */
	put(at, 55, 1, 1);
	put(at, 56, 5 << 2 | 0xf << 5, 2);		/* bits3 5, sbits -1 */
	put(at, 64, 1000000007, 8);
	put(at, 72, at + 320, 8);			/* name */
	memcpy(fake_memory + (at - FAKE_AT) + 320, "a name in memory", 17);
	put(at, 80, 12, 8);
	put(at, 88, 34, 8);
	put(at, 96, 1, 4);
	put(at, 100, (u64)-2, 4);
	put(at, 104, 3, 4);
	put(at, 108, 1, 4);				/* color GREEN */
	put(at, 112, 9, 4);
	put(at, 116, 8, 2);
	put(at, 336 + 8, at + 320, 8);			/* texts: two, then none */
	put(at, 344 + 8, at + 16, 8);
	put(at, 352 + 8, 0, 8);
}

static bool symbol(void *arg, bool kernel, uint32_t pid, uint64_t addr,
		   unsigned int how, char *text, size_t room)
{
	(void)arg;
	(void)how;
	snprintf(text, room, "%c%u_%llx", kernel ? 'k' : 'u', pid,
		 (unsigned long long)addr);
	return true;
}

static void hit(const struct kt_vm *vm, const struct trace_script *s, u32 probe)
{
	struct kt_hit hit = { .probe = probe, .addr = 0x401000 + 16 * probe };
	u64 task = s->probes[probe].kernel ? KERNEL_AT : USER_AT;
	struct pt_regs regs = { .r = { task, 10, (u64)-3, 0x10001 } };
	u32 i;

	regs.r[10] = (u64)-2;				/* retval, ax */
	regs.r[13] = 4294967295;
	regs.r[4] = task + 112;				/* a frame: local is at -16 */
	regs.r[16] = 0x401000;
	regs.r[19] = task + 320;
	hit.regs = &regs;
	hit.returns = vm->probes[probe].kind == KT_PROBE_RETURN;
	for (i = 0; i < 3; i++) {
		fake_nsecs += 1000;
		fake_cpu = i & 1;
		kt_run(vm, vm->probes[probe].first, &hit);
		regs.r[1] += 10;
		if (hit.overridden)
			printf("(overridden: %lld)\n", (long long)hit.value);
	}
	fake_cpu = 0;
}

static void run(const struct trace_script *s, struct kt_vm *vm)
{
	struct trace_symbols symbols = { .symbol = symbol };
	struct trace_reader *reader;
	u32 i;

	fake_nsecs = 1000000;
	kt_arena_begin(vm, calloc(1, vm->layout.size), 1000000);
	reader = trace_reader_new(s, vm, &(uint32_t){ 0 }, 1, &symbols, TRACE_TEXT, stdout);
	trace_reader_blocks(reader, TRACE_BEGIN);
	for (i = 0; i < s->probes_nr; i++)
		hit(vm, s, i);
	fake_nsecs += 2000000000;
	trace_reader_blocks(reader, TRACE_INTERVAL);
	trace_reader_drain(reader, true);
	trace_reader_blocks(reader, TRACE_END);
	trace_reader_drain(reader, true);
	trace_reader_maps(reader);
	fflush(stdout);
	trace_reader_losses(reader, stdout);
	trace_reader_free(reader);
	free(vm->arena);
}

static void show(const char *text, size_t len, bool runs, bool marks)
{
	struct trace_env env = test_env;
	const struct kt_program *program;
	struct trace_script *script;
	struct trace_error error;
	struct kt_vm *vm = calloc(1, sizeof(*vm));
	const char *wrong;
	char *shown;
	u32 i;

	env.marks = marks;
	script = trace_compile(text, len, &env, &error);
	if (!script) {
		shown = trace_error_show(&error, "script", text, len);
		fputs(shown, stdout);
		free(shown);
	} else {
		for (i = 0; i < script->warnings_nr; i++) {
			shown = trace_error_show(&script->warnings[i], "script", text,
						 len);
			fputs(shown, stdout);
			free(shown);
		}
		program = script->program;
		wrong = kt_check(program, program->size, vm);
		if (!runs)
			dump_script(stdout, script);
		if (wrong)
			printf("kt_check: %s\n", wrong);
		else if (runs)
			run(script, vm);
	}
	trace_script_free(script);
	free(vm);
}

int main(int argc, char **argv)
{
	bool runs = argc > 2 && !strcmp(argv[1], "-r"), marks = false;
	const char *name = argc > 1 ? argv[argc - 1] : "/dev/stdin";
	FILE *in = fopen(name, "r");
	char *line = NULL, *text;
	size_t room = 0, len;
	FILE *script = NULL;
	ssize_t got;

	if (!in) {
		perror(name);
		return 1;
	}
	make_task(USER_AT);
	make_task(KERNEL_AT);
	do {
		got = getline(&line, &room, in);
		if (script && (got < 0 || !strncmp(line, "=== ", 4))) {
			fclose(script);
			show(text, len, runs, marks);
			free(text);
			script = NULL;
		}
		if (got > 0 && !strncmp(line, "=== ", 4)) {
			fputs(line, stdout);
			marks = strstr(line, "marked");
			script = open_memstream(&text, &len);
		} else if (got > 0 && script) {
			fputs(line, script);
		}
		if (got > 0 && !strncmp(line, "=== ", 4))
			continue;
	} while (got > 0);
	free(line);
	return 0;
}
