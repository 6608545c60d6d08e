// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace.c - running a script in bpftrace's language.
 *
 * Owns: the subcommand trace, and where the text of the script comes from.
 */
#include "tracing.h"

#include <errno.h>
#include <fcntl.h>
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

/* What is listed are the probes of a script that does nothing at them. */
static int take_pattern(struct tracing *t, const char *pattern)
{
	int len = asprintf(&t->text, "%s { }", pattern);

	if (len < 0)
		return CLI_FAILED;
	t->len = (size_t)len;
	t->lists = true;
	return CLI_OK;
}

int tracing_take_script(struct tracing *t)
{
	const struct cli_args *args = t->args;
	char **words = args->words;

	if (!args->script && !words[0]) {
		cli_error("what is to be traced?  \"kprobes help trace\" has examples");
		return CLI_USAGE;
	}
	t->name = "stdin";
	t->params = words + !args->script;
	while (t->params[t->params_nr])
		t->params_nr++;
	if (args->search)
		return take_pattern(t, args->script ? args->script : words[0]);
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
	cli_error("probes in a process need one: -p PID, --cgroup, --container, or a command after --");
	return CLI_USAGE;
}

/* Where nothing but a picture, or a timeline, is wanted: kprobes trace alone can. */
static int take_file_of(struct tracing *t)
{
	const struct cli_args *args = t->args;

	if ((t->json || args->search) && (args->flame || args->folded || args->perfetto)) {
		cli_error("--folded, --flame and --perfetto have output formats of their own; leave out -l and -f json");
		return CLI_USAGE;
	}
	if (args->perfetto && (args->flame || args->folded)) {
		cli_error("--perfetto shows events, --folded and --flame show counts: run the command twice");
		return CLI_USAGE;
	}
	if (args->flame || args->perfetto)
		return tracing_stream_open(t, args->flame ? args->flame : args->perfetto);
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
	free(t->text);
	return status;
}

/* For a timeline names of probes are enough: the hits themselves are shown. */
static int take_probes_or_script(struct tracing *t)
{
	static const struct tracing_clauses clauses = { .entry = "", .back = "" };
	const struct cli_args *args = t->args;

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
