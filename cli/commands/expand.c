/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * expand.c - places in the parameters of a probe module.
 *
 * Owns: "@PLACE" and "@inlined:FUNCTION[#N]" in the comma-separated values of parameters.  They
 * are looked up here, with debugging information, and replaced by places that the engine finds
 * without it.  A name that means several functions is refused: a parameter takes one.  This happens in the jail, which prints each resulting parameter, ended by a 0.
 */
#include "expand.h"

#include "jail.h"
#include "links.h"
#include "source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INLINED "inlined:"

struct expansion {
	struct symbols s;
	FILE *out;
	unsigned int wanted;		/* the N of "#N"; 0: all */
	unsigned int nr;
};

static void put(struct expansion *e, uint64_t addr)
{
	char place[700];

	e->nr++;
	if (e->wanted && e->nr != e->wanted)
		return;
	symbols_place(&e->s, addr, place, sizeof(place));
	fprintf(e->out, "%s%s", e->nr > 1 && !e->wanted ? "," : "", place);
}

static void put_copy(void *arg, const struct symbol_inlined *copy)
{
	put(arg, copy->entry);
}

/* "FUNCTION" or "FUNCTION#N" */
static int expand_inlined(struct expansion *e, char *name)
{
	char *hash = strchr(name, '#');

	if (hash) {
		*hash = 0;
		e->wanted = (unsigned int)strtoul(hash + 1, NULL, 10);
	}
	cli_progress_begin("reading debugging information");
	if (symbols_inlined(&e->s, name, put_copy, e) < 0) {
		cli_error("%s", e->s.error);
		return CLI_FAILED;
	}
	cli_progress_end();
	if (e->nr && (!hash || (e->wanted && e->wanted <= e->nr)))
		return CLI_OK;
	cli_error("@" INLINED "%s: there are %u inlined copies of it", name,
		  e->nr);
	return CLI_ABSENT;
}

/* word is what follows the '@'. */
static int expand_word(struct expansion *e, char *word)
{
	bool inlined = !strncmp(word, INLINED, strlen(INLINED));
	struct symbols_choice choice;
	const struct symbol *fn;
	uint64_t addr;
	int err;

	e->nr = e->wanted = 0;
	if (inlined)
		return expand_inlined(e, word + strlen(INLINED));
	err = symbols_choose(&e->s, word, &addr, &fn, &choice);
	if (err) {
		cli_error("%s", e->s.error);
		return cli_status_of(err);
	}
	if (choice.nr > 1) {
		cli_error("@%s: several functions have this name; name one by its place: %s",
			  word, choice.places);
		return CLI_REFUSED;
	}
	put(e, addr);
	/* What it selects, and not the code that selects. */
	if (fn && fn->indirect && addr == fn->addr && e->s.kind == SYMBOLS_PROCESS)
		fputs("()", e->out);
	return CLI_OK;
}

static int expand_value(struct expansion *e, char *value)
{
	char *rest = value, *word;
	int status = CLI_OK;

	while (!status && (word = strsep(&rest, ","))) {
		if (word != value)
			fputc(',', e->out);
		if (*word == '@')
			status = expand_word(e, word + 1);
		else
			fputs(word, e->out);
	}
	return status;
}

static bool has_places(const char *param)
{
	const char *value = strchr(param, '=');

	return value && (value[1] == '@' || strstr(value, ",@"));
}

/* *param is replaced. */
static int expand_param(struct expansion *e, char **param)
{
	char *value = strchr(*param, '='), *copy, *text;
	size_t len;
	int status;

	if (!has_places(*param))
		return CLI_OK;
	copy = strdup(value + 1);
	e->out = open_memstream(&text, &len);
	if (!copy || !e->out) {
		cli_error("out of memory");
		free(copy);
		return CLI_FAILED;
	}
	fprintf(e->out, "%.*s=", (int)(value - *param), *param);
	status = expand_value(e, copy);
	fclose(e->out);
	free(copy);
	if (status)
		free(text);
	else
		*param = text;		/* until the command ends */
	return status;
}

static int expand_all(const struct cli_args *args, const struct view *view)
{
	struct expansion e = { 0 };
	int i, status = cli_source_read(&e.s, view);

	if (status)
		return status;
	for (i = 1; i < args->nr && !status; i++)
		status = expand_param(&e, &args->words[i]);
	symbols_close(&e.s);
	return status;
}

/* ---- the jail's answer ---------------------------------------------------------- */

static void print_params(const struct cli_args *args)
{
	int i;

	for (i = 1; i < args->nr; i++)
		fwrite(args->words[i], 1, strlen(args->words[i]) + 1, stdout);
}

/* Each begins with its name, and nothing is one that had no places. */
static bool take_params(const struct cli_args *args, struct cli_lines *lines)
{
	char *at = lines->text, *end = at + lines->len;
	int i;

	for (i = 1; i < args->nr; i++) {
		char *word = args->words[i];
		size_t name = strcspn(word, "=") + 1;

		if (!at || at >= end || !memchr(at, 0, (size_t)(end - at)))
			return false;
		if (has_places(word) && !strncmp(at, word, name))
			args->words[i] = at;	/* until the command ends */
		else if (strcmp(at, word))
			return false;
		at += strlen(at) + 1;
	}
	return at == end;
}

static int expand_in_jail(const struct cli_args *args, struct view *view)
{
	struct cli_lines lines = { NULL, 0 };
	int status;

	if (jail_begin(view, &lines, &status)) {
		status = expand_all(args, view);
		if (!status)
			print_params(args);
		exit(status);
	}
	if (status || take_params(args, &lines))
		return status;
	cli_error("the places in the parameters could not be looked up");
	return CLI_FAILED;
}

/* Whose places they are. */
static int view_source(struct view *view, const struct cli_args *args)
{
	struct cli_args source = { .pid = args->pid };
	char path[4096];
	int i, status = CLI_OK;

	for (i = 1; i < args->nr; i++)
		source.inlined |= strstr(args->words[i], "@" INLINED) != NULL;
	if (args->command) {
		status = cli_find_program(args->command[0], path, sizeof(path));
		if (!status)
			source.binary = strdup(path);
	}
	return status ? status : cli_source_view(view, &source);
}

/* Files that places name by links are looked up before the jail closes. */
static void note_links(const char *param)
{
	char *copy = strdup(param), *rest = copy ? strchr(copy, '=') : NULL, *word;

	while (rest && (word = strsep(&rest, ",=")))
		if (*word == '@')
			links_note_place(word + 1);
	free(copy);
}

int cli_expand_params(const struct cli_args *args)
{
	struct view view = { .fd = -1, .remote.mem = -1 };
	int i, status, nr = 0;

	for (i = 1; i < args->nr; i++) {
		nr += has_places(args->words[i]);
		note_links(args->words[i]);
	}
	if (!nr)
		return CLI_OK;
	status = view_source(&view, args);
	if (!status && cli_source_is_kernel(&view))
		status = expand_all(args, &view);
	else if (!status)
		status = expand_in_jail(args, &view);
	view_close(&view);
	return status;
}
