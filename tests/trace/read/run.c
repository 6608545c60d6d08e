// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * run.c - run a script that has no probes but BEGIN, END and intervals.
 *
 * Usage: run text|json SCRIPT.  All of it works: the front, the machine and the
 * reader; only a target is missing.
 */
#include "env.h"
#include "read/reader.h"

#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

static bool user(void *arg, uint64_t uid, char *text, size_t room)
{
	(void)arg;
	(void)uid;
	snprintf(text, room, "root");
	return true;
}

static char *all_of(FILE *file, size_t *len)
{
	char *text = NULL;
	FILE *to = open_memstream(&text, len);
	int c;

	while ((c = getc(file)) != EOF)
		putc(c, to);
	fclose(to);
	return text;
}

static char *act(void *arg, bool cat, const char *format, const char *what, size_t *len)
{
	FILE *file = cat ? fopen(what, "r") : popen(what, "r");
	char *text;

	(void)arg;
	(void)format;
	if (!file)
		return NULL;
	text = all_of(file, len);
	if (cat)
		fclose(file);
	else
		pclose(file);
	return text;
}

static void run(struct trace_reader *reader)
{
	trace_reader_attached(reader, 0);
	trace_reader_blocks(reader, TRACE_BEGIN);
	while (!trace_reader_drain(reader, false)) {
		uint64_t left = trace_reader_next(reader);
		struct timespec ts = { 0, left < 5000000 ? (long)left : 5000000 };

		nanosleep(&ts, NULL);
		trace_reader_blocks(reader, TRACE_INTERVAL);
	}
	trace_reader_blocks(reader, TRACE_END);
	trace_reader_drain(reader, true);
	trace_reader_maps(reader);
	trace_reader_losses(reader, stderr);
}

int main(int argc, char **argv)
{
	static const struct trace_symbols symbols = { .user = user, .act = act };
	FILE *file = argc > 2 ? fopen(argv[2], "r") : NULL;
	enum trace_format format;
	struct trace_script *script;
	struct trace_error error;
	struct kt_vm vm;
	const char *wrong;
	char *text;
	size_t len;

	if (!file) {
		fprintf(stderr, "usage: run text|json SCRIPT\n");
		return 2;
	}
	format = argv[1][0] == 'j' ? TRACE_JSON : TRACE_TEXT;
	text = all_of(file, &len);
	prctl(PR_SET_NAME, "bpftrace");
	script = trace_compile(text, len, &test_env, &error);
	if (!script) {
		fputs(trace_error_show(&error, argv[2], text, len), stderr);
		return 1;
	}
	wrong = kt_check(script->program, ((struct kt_program *)script->program)->size,
			 &vm);
	if (wrong) {
		fprintf(stderr, "%s\n", wrong);
		return 1;
	}
	kt_arena_begin(&vm, calloc(1, vm.layout.size), 1);
	run(trace_reader_new(script, &vm, &(uint32_t){ 0 }, 1, &symbols, format, stdout));
	return 0;
}
