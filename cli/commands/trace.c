// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace.c - running a script in bpftrace's language.
 *
 * Owns: the subcommand trace, and where the text of the script comes from.
 */
#include "tracing.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_MAX (1u << 20)

static int take_file(struct tracing *t, const char *name)
{
	FILE *file = strcmp(name, "-") ? fopen(name, "re") : stdin;
	size_t got = 0;

	t->name = name;
	t->text = malloc(TEXT_MAX);
	if (file && t->text)
		got = fread(t->text, 1, TEXT_MAX, file);
	if (!file || !t->text || ferror(file)) {
		cli_error("%s: %s", name, strerror(errno));
		return cli_status_of(errno);
	}
	if (file != stdin)
		fclose(file);
	if (got == TEXT_MAX) {
		cli_error("%s: a script of more than %u bytes", name, TEXT_MAX);
		return CLI_USAGE;
	}
	t->text[got] = 0;
	t->len = got;
	return CLI_OK;
}

static bool is_there(const char *word)
{
	return !strcmp(word, "-") || !access(word, F_OK);
}

bool tracing_is_script(const char *word)
{
	return is_there(word) || strchr(word, '{');
}

/* A file's name, or the script itself: that has a brace or a blank. */
static bool is_file(const char *word)
{
	return is_there(word) || !strpbrk(word, "{ \n");
}

/* Where nothing says which kind: "*:vfs_*", or no pattern at all. */
static char *pattern_of_all(const struct cli_args *args, const char *pattern)
{
	static const struct {
		const char *kind, *rest;
		bool process, kernel;
	} all[] = {
		{ "uprobe", "*", true, false }, { "usdt", "*", true, false },
		{ "syscall", "*", true, false }, { "kprobe", "*", false, true },
		{ "tracepoint", "*:*", false, true },
	};
	const char *colon = strchrnul(pattern, ':');
	char *kind = strndup(pattern, (size_t)(colon - pattern)), *text = strdup("");
	bool process = args->pid || args->command || args->binary;
	size_t i;

	for (i = 0; kind && text && i < sizeof(all) / sizeof(all[0]); i++) {
		char *more = text;

		if (fnmatch(kind, all[i].kind, 0) || (process ? !all[i].process : !all[i].kernel))
			continue;
		if (asprintf(&text, "%s%s%s:%s%s", more, *more ? "," : "", all[i].kind,
			     colon[0] && colon[1] && !strchr(colon + 1, ':') &&
			     *all[i].kind == 't' ? "*:" : "",
			     colon[0] && colon[1] ? colon + 1 : all[i].rest) < 0)
			text = NULL;
		free(more);
	}
	free(kind);
	return text;
}

/* "uprobe:./file" and "usdt:./file" mean all that is in the file. */
static bool is_whole_file(const char *pattern)
{
	const char *colon = strchr(pattern, ':');

	return colon && !strchr(colon + 1, ':') && strchr(colon + 1, '/') && !strpbrk(pattern, " ,{") &&
	       (*pattern == 'u' || *pattern == 'U');
}

/* What is listed are the probes of a script that does nothing at them. */
static int take_pattern(struct tracing *t, const char *pattern)
{
	const char *colon = strchr(pattern, ':');
	char *own = NULL;
	int len;

	t->lists = true;
	if (strchr(pattern, '{')) {
		t->text = strdup(pattern);
		t->len = t->text ? strlen(t->text) : 0;
		return t->text ? CLI_OK : CLI_FAILED;
	}
	if (!*pattern || memchr(pattern, '*', colon ? (size_t)(colon - pattern) : strlen(pattern)))
		pattern = own = pattern_of_all(t->args, *pattern ? pattern : "*");
	t->lists_all = own;
	if (own && !*own) {
		cli_error("no kind of probe has such a name here");
		free(own);
		return CLI_USAGE;
	}
	len = asprintf(&t->text, "%s%s { }", pattern, is_whole_file(pattern) ? ":*" : "");
	free(own);
	if (len < 0)
		return CLI_FAILED;
	t->len = (size_t)len;
	return CLI_OK;
}

static bool is_in(const char *folder, const char *name, char *path)
{
	char pattern[PATH_MAX + 64];
	glob_t found;
	bool any;

	snprintf(pattern, sizeof(pattern), "%s/%s{.so.[0-9]*,.so,}", folder, name);
	any = !glob(pattern, GLOB_BRACE | GLOB_NOSORT, NULL, &found) && found.gl_pathc;
	if (any)
		snprintf(path, PATH_MAX, "%s", found.gl_pathv[0]);
	globfree(&found);
	return any;
}

/* The file that a pattern names, where no process has it: a path, a command, or a library. */
static bool file_of(const char *pattern, char *path)
{
	static const char *const folders[] = {
		"/lib/*-linux-gnu*", "/usr/lib/*-linux-gnu*", "/lib64", "/usr/lib64", "/lib", "/usr/lib",
	};
	const char *begin = strchr(pattern, ':'), *end;
	char name[PATH_MAX];
	size_t i;

	if (strncmp(pattern, "uprobe:", 7) && strncmp(pattern, "uretprobe:", 10) &&
	    strncmp(pattern, "usdt:", 5) && strncmp(pattern, "u:", 2) &&
	    strncmp(pattern, "ur:", 3) && strncmp(pattern, "U:", 2))
		return false;
	end = strchrnul(++begin, ':');
	if (*begin == '"')
		end = strchrnul(++begin, '"');
	snprintf(name, sizeof(name), "%.*s", (int)(end - begin), begin);
	if (!*name || strpbrk(name, "*?[{"))
		return false;
	if (strchr(name, '/')) {
		snprintf(path, PATH_MAX, "%s", name);
		return !access(name, F_OK);
	}
	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (is_in(folders[i], name, path))
			return true;
	return !access(name, F_OK) ? (snprintf(path, PATH_MAX, "%s", name), true) :
	       !cli_find_program(name, path, PATH_MAX);
}

int tracing_take_script(struct tracing *t)
{
	const struct cli_args *args = t->args;
	char **words = args->words;

	if (!args->script && !words[0] && !args->search) {
		cli_error("what is to be traced?  \"kprobes help trace\" has examples");
		return CLI_USAGE;
	}
	t->name = "stdin";
	t->params = words + (!args->script && words[0]);
	while (t->params[t->params_nr])
		t->params_nr++;
	if (args->search && (args->script || !words[0] || strchr(words[0], ':') ||
			     !is_there(words[0])))
		return take_pattern(t, args->script ? args->script : words[0] ? words[0] : "");
	t->lists = args->search;
	if (!args->script && is_file(words[0]))
		return take_file(t, words[0]);
	t->text = strdup(args->script ? args->script : words[0]);
	t->len = t->text ? strlen(t->text) : 0;
	return t->text ? CLI_OK : CLI_FAILED;
}

static int take_format(struct tracing *t, const char *format)
{
	t->json = format && !strcmp(format, "json");
	if (!format || t->json || !strcmp(format, "text"))
		return CLI_OK;
	cli_error("--format takes text or json, not \"%s\"", format);
	return CLI_USAGE;
}

void tracing_begin(struct tracing *t, const struct cli_args *args)
{
	*t = (struct tracing){
		.args = args, .kernel_file = -1, .file = -1, .out = -1,
	};
}

static void take_processes(struct tracing *t)
{
	int i;

	for (i = 0; i < t->args->pids_nr && t->process; i++)
		t->processes[t->processes_nr++].pid = t->args->pids[i];
	if (t->args->command)
		t->processes_nr = 1;
}

static int take_subjects(struct tracing *t)
{
	tracing_subjects(t);
	take_processes(t);
	if (!t->process || t->args->pid || t->args->command)
		return CLI_OK;
	if (t->lists && file_of(t->text, t->listed)) {
		t->processes_nr = 1;
		return CLI_OK;
	}
	cli_error("probes in a process need one: -p PID, --cgroup, --container, or a command after --");
	return CLI_USAGE;
}

/* Where nothing but a picture, or a timeline, is wanted: kprobes trace alone can. */
static int take_file_of(struct tracing *t)
{
	const struct cli_args *args = t->args;

	if ((t->json || args->search) && (args->flame || args->pprof || args->folded || args->calls || args->perfetto)) {
		cli_error("--folded, --calls, --flame, --pprof and --perfetto have output formats of their own; leave out -l and -f json");
		return CLI_USAGE;
	}
	if (args->perfetto && (args->flame || args->pprof || args->folded || args->calls)) {
		cli_error("--perfetto shows events, --folded, --calls, --flame and --pprof show counts: run the command twice");
		return CLI_USAGE;
	}
	if (args->calls && args->folded) {
		cli_error("--calls and --folded are two forms of the same: give one");
		return CLI_USAGE;
	}
	if (args->flame && args->pprof) {
		cli_error("--flame and --pprof are two forms of the same: give one");
		return CLI_USAGE;
	}
	if (args->flame || args->pprof || args->perfetto)
		return tracing_stream_open(t, args->flame ? args->flame :
					   args->pprof ? args->pprof : args->perfetto);
	return CLI_OK;
}

int tracing_go(struct tracing *t, int status)
{
	if (!status)
		status = take_subjects(t);
	if (!status)
		status = take_file_of(t);
	if (!status)
		status = tracing_run(t);
	if (status)
		tracing_stream_give_up(t);
	free(t->text);
	return status;
}

/* For a timeline, or a tree of calls, names of probes are enough. */
static int take_probes_or_script(struct tracing *t)
{
	static const struct tracing_clauses clauses = { .entry = "", .back = "" };
	static const struct tracing_clauses stacks = {
		.entry = "@[ustack] = count();", .entry_of_kernel = "@k[kstack] = count();",
	};
	const struct cli_args *args = t->args;

	if (args->calls && !args->script && args->words[0] && !tracing_is_script(args->words[0]))
		return tracing_compose(t, &stacks);
	if (args->perfetto && !args->script && args->words[0] &&
	    !tracing_is_script(args->words[0]))
		return tracing_compose(t, &clauses);
	return tracing_take_script(t);
}

/* The words of -c: blanks between them, quotes and backslashes as in a shell. */
static char **split(const char *text)
{
	size_t len = strlen(text), nr = 0;
	char **words = calloc(len / 2 + 2, sizeof(char *)), *to = malloc(len + 1);
	char quote = 0;

	while (words && to && *(text += strspn(text, " \t\n"))) {
		words[nr++] = to;
		for (; *text && (quote || !strchr(" \t\n", *text)); text++) {
			if (!quote && strchr("\"'", *text))
				quote = *text;
			else if (*text == quote)
				quote = 0;
			else
				*to++ = *text == '\\' && quote != '\'' && text[1] ?
					*++text : *text;
		}
		*to++ = 0;
	}
	return to ? words : NULL;
}

/* What bpftrace's command line has besides. */
static int take_options(struct tracing *t, struct cli_args *args)
{
	if (args->started && (args->command || args->pid)) {
		cli_error("give one of -c COMMAND, -- COMMAND and -p PID");
		return CLI_USAGE;
	}
	if (args->started) {
		args->command = split(args->started);
		if (!args->command || !args->command[0]) {
			cli_error("-c takes a command");
			return CLI_USAGE;
		}
	}
	if (args->buffering && strcmp(args->buffering, "none") &&
	    strcmp(args->buffering, "line") && strcmp(args->buffering, "full")) {
		cli_error("-B takes none, line or full, not \"%s\"", args->buffering);
		return CLI_USAGE;
	}
	if (args->output) {
		t->out = open(args->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (t->out < 0) {
			cli_error("%s: %s", args->output, strerror(errno));
			return CLI_FAILED;
		}
	}
	return CLI_OK;
}

static int run(const struct cli_args *given)
{
	struct cli_args args = *given;
	struct tracing t;
	int status;

	tracing_begin(&t, &args);
	status = take_options(&t, &args);
	if (!status)
		status = take_format(&t, args.format);
	if (!status)
		status = take_probes_or_script(&t);
	return tracing_go(&t, status);
}

const struct cli_command cli_trace = {
	.name = "trace",
	.synopsis = "SCRIPT|FILE [PARAM...] [-p PID,NAME... | -- COMMAND...]",
	.summary = "run a script in bpftrace's language",
	.takes = CLI_TAKES_PID | CLI_TAKES_PIDS | CLI_TAKES_COMMAND |
		 CLI_TAKES_SCRIPT |
		 CLI_TAKES_FORMAT | CLI_TAKES_SEARCH | CLI_TAKES_FLAME |
		 CLI_TAKES_VERBOSE | CLI_TAKES_BPFTRACE,
	.least = 0, .most = -1, .run = run,
	.help =
		"  kprobes trace 'uprobe:malloc { @bytes = hist(arg0); }' -p PID\n"
		"  kprobes trace 'syscall:openat { printf(\"%s\\n\", str(args.filename)); }' -- ls\n"
		"  kprobes trace 'sysret:* /retval < 0/ { @[probe, strerror(retval)] = count(); }' -p PID\n"
		"  kprobes trace 'uretprobe:read /retval > 0/ { @[tid] = sum(retval); }' -p PID\n"
		"  kprobes trace 'uprobe:malloc { @[ustack] = count(); }' --flame malloc.svg -p PID\n"
		"  kprobes trace 'uprobe:libc:openat { @[pid, str(arg1)] = count(); }' --container shop\n"
		"  kprobes trace -f 'uprobe:libc:openat { @[comm] = count(); }' -- make\n"
		"  kprobes trace --perfetto x.pftrace 'redis-server:*Command' 'kprobe:vfs_*' -p PID\n",
};
