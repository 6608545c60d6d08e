// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_compose.c - scripts made of the names of probes.
 *
 * Owns: the meaning of a bare name: "malloc" or "libc:open*" is a function of the process, if one
 * is traced, else of the kernel; and the matching return probe.  If processes are traced, kernel
 * probes count only what they do: $1 is the number of a process that is started.
 */
#include "tracing.h"

#include <stdlib.h>
#include <string.h>

static const struct provider {
	const char *name;
	const char *back;		/* where it returns; NULL: nowhere */
	bool kernel;
} providers[] = {
	{ "kprobe:", "kretprobe:", true },
	{ "k:", "kretprobe:", true },
	{ "uprobe:", "uretprobe:", false },
	{ "u:", "uretprobe:", false },
	{ "tracepoint:syscalls:sys_enter_", "tracepoint:syscalls:sys_exit_", true },
	{ "t:syscalls:sys_enter_", "tracepoint:syscalls:sys_exit_", true },
	{ "syscall:", "sysret:", false },
	{ "sc:", "sysret:", false },
	{ "kretprobe:", NULL, true },
	{ "kr:", NULL, true },
	{ "uretprobe:", NULL, false },
	{ "ur:", NULL, false },
	{ "watchpoint:", NULL, false },
	{ "w:", NULL, false },
	{ "kwatchpoint:", NULL, true },
	{ "kw:", NULL, true },
	{ "usdt:", NULL, false },
	{ "U:", NULL, false },
	{ "sysret:", NULL, false },
	{ "sr:", NULL, false },
	{ "tracepoint:", NULL, true },
	{ "t:", NULL, true },
};

/* What is before the colon of the name; len: how much of it that is. */
static const struct provider *provider_of(const struct cli_args *args,
					  const char *name, size_t *len)
{
	size_t i;

	for (i = 0; i < sizeof(providers) / sizeof(providers[0]); i++) {
		*len = strlen(providers[i].name);
		if (!strncmp(name, providers[i].name, *len) && name[*len] != ':')
			return &providers[i];
	}
	*len = 0;
	return &providers[args->pid || args->command ? 2 : 0];
}

/* An instruction within a function returns nowhere. */
static bool returns(const struct provider *provider, const char *name, size_t len)
{
	const char *colon = memrchr(name, ':', len);
	size_t at = colon ? (size_t)(colon + 1 - name) : 0;

	return provider->back && !memchr(name, '+', len) &&
	       strspn(name + at, "0123456789") != len - at;
}

static void put_clause(FILE *to, const char *provider, const char *name, size_t len,
		       const char *only, const char *when, const char *body)
{
	fprintf(to, "%s%.*s", provider, (int)len, name);
	if (*only || *when)
		fprintf(to, " /%s%s%s/", only, *only && *when ? " && " : "", when);
	fprintf(to, " { %s }\n", body);
}

/* Part of a predicate, to be freed: the processes that are meant. */
static char *processes(const struct cli_args *args)
{
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);
	int i;

	if (!to)
		return NULL;
	for (i = 0; i < args->pids_nr; i++)
		fprintf(to, "%spid == %d", i ? " || " : "(", (int)args->pids[i]);
	fputs(i ? ")" : args->command ? "pid == $1" : "", to);
	if (!fclose(to))
		return text;
	free(text);
	return NULL;
}

static void put_name(struct tracing *t, FILE *to, const char *name, size_t len,
		     const char *whose, const struct tracing_clauses *clauses)
{
	size_t skip;
	const struct provider *provider = provider_of(t->args, name, &skip);
	const char *only = provider->kernel ? whose : "";

	name += skip;
	len -= skip;
	put_clause(to, provider->name, name, len, only, "", provider->kernel &&
		   clauses->entry_of_kernel ? clauses->entry_of_kernel : clauses->entry);
	/* Its instruction and the next one are two functions to func. */
	if (clauses->by_function && provider->back && !strcmp(provider->back, "sysret:"))
		return;
	if (clauses->back && returns(provider, name, len))
		put_clause(to, provider->back, name, len, only,
			   clauses->back_if ? clauses->back_if : "", clauses->back);
}

/* "a,b": several; not within quotes. */
static size_t len_of(const char *names)
{
	bool quoted = false;
	size_t len;

	for (len = 0; names[len] && (quoted || names[len] != ','); len++)
		quoted ^= names[len] == '"';
	return len;
}

static int compose(struct tracing *t, FILE *to, const char *whose,
		   const struct tracing_clauses *clauses)
{
	char **word;
	const char *name;
	size_t len;

	for (word = t->args->words; *word; word++)
		for (name = *word; *name; name += len + (name[len] == ',')) {
			len = len_of(name);
			if (len)
				put_name(t, to, name, len, whose, clauses);
		}
	return fclose(to) ? CLI_FAILED : CLI_OK;
}

int tracing_compose(struct tracing *t, const struct tracing_clauses *clauses)
{
	char *whose = processes(t->args);
	FILE *to = whose ? open_memstream(&t->text, &t->len) : NULL;
	int status = to ? compose(t, to, whose, clauses) : CLI_FAILED;

	free(whose);
	t->name = "probes";
	/* Written when it is started. */
	strcpy(t->pid_text, "0");
	t->own_params[0] = t->pid_text;
	t->params = t->own_params;
	t->params_nr = 1;
	return status;
}
