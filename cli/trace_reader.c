// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_reader.c - a script at work: the side that knows what it means.
 *
 * Owns: the steps of the reader: compile, begin, read what comes, end.  For a
 * process all of it is done in the jail: its symbols and types are its own work, and
 * so is every byte of the arena.
 */
#include "jail.h"
#include "reader.h"
#include "source.h"
#include "tracing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOOK_NS 10000000ull		/* between looks into the rings */
#define STEP_NS 1000000ull		/* between looks at the other side */

struct reading {
	struct tracing *t;
	struct symbols s;
	struct trace_script *script;
	struct trace_reader *reader;
	struct kt_vm vm;
	int status;
};

static void pause_ns(uint64_t ns)
{
	struct timespec ts = { (time_t)(ns / 1000000000),
			       (long)(ns % 1000000000) };

	nanosleep(&ts, NULL);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* ---- compiling -------------------------------------------------------------- */

static int compile(struct reading *r)
{
	struct tracing *t = r->t;
	struct trace_error error = { 0 };
	struct trace_env env;
	char *shown;

	tracing_env(&env, t, &r->s);
	r->script = trace_compile(t->text, t->len, &env, &error);
	if (r->script)
		return CLI_OK;
	shown = trace_error_show(&error, t->name, t->text, t->len);
	fprintf(stderr, "%s", shown ? shown : error.text);
	free(shown);
	return CLI_USAGE;
}

/* The program as the module will get it: proved here already. */
static int hand_over(struct reading *r)
{
	struct tracing *t = r->t;
	const struct kt_program *program = r->script->program;
	const char *why;

	if (program->size > TRACING_PROGRAM_MAX) {
		cli_error("the script has too many probes");
		return CLI_REFUSED;
	}
	memcpy(t->mail->bytes, program, program->size);
	why = kt_check(t->mail->bytes, program->size, &r->vm);
	if (why) {
		cli_error("%s: compiled to what is not a program: %s", t->name,
			  why);
		return CLI_FAILED;
	}
	t->mail->program_len = program->size;
	if (program->stacks)
		tracing_tables(t, &r->s);
	t->mail->arena_len = r->vm.layout.size;
	tracing_say(t, TRACING_COMPILED);
	return CLI_OK;
}

/* ---- symbols -------------------------------------------------------------------- */

static bool symbol(void *arg, bool kernel, uint32_t pid, uint64_t addr,
		   bool offset, char *text, size_t room)
{
	const struct reading *r = arg;
	const struct symbol *sym;

	(void)pid;
	if (kernel != (r->s.kind == SYMBOLS_KERNEL))
		return false;
	sym = symbols_at(&r->s, addr);
	if (!sym)
		return false;
	if (offset && addr != sym->addr)
		snprintf(text, room, "%s+%llu", sym->name,
			 (unsigned long long)(addr - sym->addr));
	else
		snprintf(text, room, "%s", sym->name);
	return true;
}

/* ---- reading -------------------------------------------------------------------- */

static bool wait_for(struct reading *r, enum tracing_state state)
{
	uint32_t now;

	while ((now = tracing_state(r->t)) < state)
		pause_ns(STEP_NS);
	return now == state;
}

/* Why places have no probe; false: one that was named by itself has none. */
static bool show_refusals(struct reading *r)
{
	const struct kt_share *share = r->t->share;
	uint32_t i, nr = share->refusals_nr, left = 0;
	bool good = true;

	if (nr > KT_REFUSALS_MAX)
		nr = KT_REFUSALS_MAX;
	for (i = 0; i < nr; i++) {
		struct kt_refusal one = share->refusals[i];
		int err = one.error > 0 && one.error < 4096 ? one.error : EINVAL;

		one.reason[sizeof(one.reason) - 1] = 0;
		if (one.probe >= r->script->probes_nr)
			continue;
		if (!r->script->probes[one.probe].needed && left++ >= 3)
			continue;
		cli_error("%s: %s", r->script->probes[one.probe].name,
			  one.reason[0] ? one.reason : strerror(err));
		good &= !r->script->probes[one.probe].needed;
	}
	if (share->refused > left && left)
		cli_error("%u places have no probe; these are the first",
			  share->refused);
	return good;
}

static void ask_for_end(struct reading *r)
{
	__atomic_store_n(&r->t->mail->wants_end, 1, __ATOMIC_RELEASE);
}

static void read_all(struct reading *r)
{
	bool ended = false;
	uint64_t due;

	while (tracing_state(r->t) < TRACING_OVER) {
		due = trace_reader_next(r->reader);
		pause_ns(due < LOOK_NS ? due : LOOK_NS);
		if (ended)
			continue;
		trace_reader_blocks(r->reader, TRACE_INTERVAL);
		ended = trace_reader_drain(r->reader, false);
		fflush(stdout);
		if (ended)
			ask_for_end(r);
	}
	if (!ended)
		trace_reader_drain(r->reader, true);
}

static void end(struct reading *r)
{
	trace_reader_blocks(r->reader, TRACE_END);
	trace_reader_drain(r->reader, true);
	trace_reader_maps(r->reader);
	trace_reader_losses(r->reader, stderr);
	fflush(stdout);
}

static int work(struct reading *r)
{
	struct tracing *t = r->t;
	struct trace_symbols symbols = { .arg = r, .symbol = symbol };

	if (!wait_for(r, TRACING_READY))
		return CLI_FAILED;
	kt_arena_begin(&r->vm, (uint8_t *)t->share + t->share->arena, now_ns());
	r->reader = trace_reader_new(r->script, &r->vm, 1, &symbols,
				     t->json ? TRACE_JSON : TRACE_TEXT, stdout);
	if (!r->reader)
		return CLI_FAILED;
	trace_reader_attached(r->reader, r->script->probes_nr);
	trace_reader_blocks(r->reader, TRACE_BEGIN);
	if (trace_reader_drain(r->reader, true))
		ask_for_end(r);
	fflush(stdout);
	tracing_say(t, TRACING_BEGUN);
	if (wait_for(r, TRACING_LOADED) && !show_refusals(r)) {
		ask_for_end(r);
		while (tracing_state(t) < TRACING_OVER)
			pause_ns(STEP_NS);
		return CLI_REFUSED;
	}
	read_all(r);
	end(r);
	return CLI_OK;
}

int tracing_read(struct tracing *t, const struct view *view)
{
	struct reading r = { .t = t };
	int status = cli_source_read(&r.s, view, true);

	if (status)
		return status;
	status = compile(&r);
	if (!status)
		status = hand_over(&r);
	if (!status)
		status = work(&r);
	trace_reader_free(r.reader);
	trace_script_free(r.script);
	symbols_close(&r.s);
	return status;
}
