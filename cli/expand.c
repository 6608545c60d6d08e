/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * expand.c - places in the parameters of a probe module.
 *
 * Owns: "@PLACE" and "@inlined:FUNCTION[#N]" in the comma-separated values of
 * parameters.  They are looked up here, with debugging information, and
 * replaced by places that the engine finds without it.
 */
#include "expand.h"
#include "source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INLINED "inlined:"

struct expansion {
	const struct cli_args *args;
	struct symbols s;		/* opened when the first place is met */
	bool open;
	FILE *out;
	unsigned int wanted;		/* the N of "#N"; 0: all */
	unsigned int nr;
};

/* Where the shell would find a command. */
static int find_program(const char *name, char *path, size_t len)
{
	const char *at = getenv("PATH"), *end;

	if (strchr(name, '/')) {
		snprintf(path, len, "%s", name);
		return CLI_OK;
	}
	for (; at && *at; at = *end ? end + 1 : end) {
		end = strchrnul(at, ':');
		snprintf(path, len, "%.*s/%s", (int)(end - at), at, name);
		if (!access(path, X_OK))
			return CLI_OK;
	}
	cli_error("%s: no such program", name);
	return CLI_ABSENT;
}

static int open_source(struct expansion *e, bool inlined)
{
	struct cli_args args = { .pid = e->args->pid, .inlined = inlined };
	char path[4096];
	int status = CLI_OK;

	if (e->open)
		return CLI_OK;
	if (e->args->command) {
		status = find_program(e->args->command[0], path, sizeof(path));
		args.binary = path;
	}
	if (!status)
		status = cli_source_open(&e->s, &args);
	e->open = !status;
	return status;
}

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
	int err, status = open_source(e, inlined);
	const struct symbol *fn;
	uint64_t addr;

	if (status)
		return status;
	e->nr = e->wanted = 0;
	if (inlined)
		return expand_inlined(e, word + strlen(INLINED));
	err = symbols_find(&e->s, word, &addr, &fn);
	if (err) {
		cli_error("%s", e->s.error);
		return cli_status_of(err);
	}
	put(e, addr);
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

static int expand_param(struct expansion *e, char **param)
{
	char *value = strchr(*param, '='), *copy, *text;
	size_t len;
	int status;

	if (!value || (value[1] != '@' && !strstr(value, ",@")))
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

int cli_expand_params(const struct cli_args *args)
{
	struct expansion e = { .args = args };
	int i, status = CLI_OK;

	for (i = 1; i < args->nr && !status; i++)
		status = expand_param(&e, &args->words[i]);
	if (e.open)
		symbols_close(&e.s);
	return status;
}
