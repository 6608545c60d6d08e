/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * show.c - scripts of a file, each behind a line "=== NAME", and what becomes of
 * them: the program, which must pass kt_check(), or what is wrong.
 */
#include "dump.h"
#include "env.h"

#include "vm/vm.h"

#include <stdlib.h>
#include <string.h>

static void show(const char *text, size_t len)
{
	const struct kt_program *program;
	struct trace_script *script;
	struct trace_error error;
	struct kt_vm *vm = calloc(1, sizeof(*vm));
	const char *wrong;
	char *shown;

	script = trace_compile(text, len, &test_env, &error);
	if (!script) {
		shown = trace_error_show(&error, "script", text, len);
		fputs(shown, stdout);
		free(shown);
	} else {
		dump_script(stdout, script);
		program = script->program;
		wrong = kt_check(program, program->size, vm);
		if (wrong)
			printf("kt_check: %s\n", wrong);
	}
	trace_script_free(script);
	free(vm);
}

int main(int argc, char **argv)
{
	FILE *in = argc > 1 ? fopen(argv[1], "r") : stdin;
	char *line = NULL, *text;
	size_t room = 0, len;
	FILE *script = NULL;
	ssize_t got;

	if (!in) {
		perror(argv[1]);
		return 1;
	}
	do {
		got = getline(&line, &room, in);
		if (script && (got < 0 || !strncmp(line, "=== ", 4))) {
			fclose(script);
			show(text, len);
			free(text);
			script = NULL;
		}
		if (got > 0 && !strncmp(line, "=== ", 4)) {
			fputs(line, stdout);
			script = open_memstream(&text, &len);
		} else if (got > 0 && script) {
			fputs(line, script);
			fputs(line, stdout);
		}
		if (got > 0 && !strncmp(line, "=== ", 4))
			continue;
	} while (got > 0);
	free(line);
	return 0;
}
