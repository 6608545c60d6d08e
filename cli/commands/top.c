// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * top.c - what is hit most, live.
 *
 * Owns: the subcommand top.  It runs a script like any other: made of the names of probes
 * (trace_compose.c), or the user's own.  Only the way its maps are shown is different.
 */
#include "tracing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct kind {
	const char *word;
	const char *key;		/* of a map */
	const char *timed;		/* the same at entry and return */
	const char *title;
} kinds[] = {
	{ "probe", "probe", "func", "PROBE" },
	{ "thread", "tid, comm", "tid, comm", "THREAD" },
	{ "process", "pid, comm", "pid, comm", "PROCESS" },
};

static int take_by(struct tracing *t, struct kind *kind)
{
	const struct cli_args *args = t->args;
	const char *by = args->by ? args->by : "probe";
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].word, by)) {
			*kind = kinds[i];
			return CLI_OK;
		}
	*kind = (struct kind){ by, by, NULL, by };
	if (!args->latency)
		return CLI_OK;
	cli_error("--latency goes with --by probe, thread and process: what \"%s\" was is not known any more when a function returns",
		  by);
	return CLI_USAGE;
}

static int compose(struct tracing *t)
{
	struct tracing_clauses clauses = { 0 };
	char *entry = NULL, *back = NULL;
	struct kind kind;
	int status = take_by(t, &kind);

	if (status)
		return status;
	if (t->args->latency) {
		if (asprintf(&entry, "@[%s] = count(); @start[tid, func] = nsecs;",
			     kind.timed) < 0 ||
		    asprintf(&back, "@ns[%s] = avg(nsecs - @start[tid, func]); delete(@start[tid, func]);",
			     kind.timed) < 0)
			return CLI_FAILED;
		clauses.back_if = "@start[tid, func]";
		clauses.by_function = true;
	} else if (asprintf(&entry, "@[%s] = count();", kind.key) < 0) {
		return CLI_FAILED;
	}
	clauses.entry = entry;
	clauses.back = back;
	t->top.title = kind.title;
	t->top.mean = t->args->latency;
	status = tracing_compose(t, &clauses);
	free(entry);
	free(back);
	return status;
}

static int take_times(struct tracing *t)
{
	const struct cli_args *args = t->args;
	char *end;
	double delay = args->delay ? strtod(args->delay, &end) : 1;
	unsigned long rounds;

	if (args->delay && (end == args->delay || *end || !(delay >= 0.01 && delay <= 86400))) {
		cli_error("-d takes seconds, from 0.01 on, not \"%s\"", args->delay);
		return CLI_USAGE;
	}
	t->top.nsecs = (uint64_t)(delay * 1e9);
	if (!args->rounds)
		return CLI_OK;
	errno = 0;
	rounds = strtoul(args->rounds, &end, 10);
	if (errno || end == args->rounds || *end || !rounds || rounds > UINT32_MAX) {
		cli_error("-n takes the number of tables, not \"%s\"", args->rounds);
		return CLI_USAGE;
	}
	t->top.rounds = (uint32_t)rounds;
	return CLI_OK;
}

/* Probes' names have no blank before a brace. */
static bool is_script(const struct cli_args *args)
{
	return args->script || tracing_is_script(args->words[0]);
}

static int run(const struct cli_args *args)
{
	struct tracing t;
	int status;

	tracing_begin(&t, args);
	t.live = true;
	t.top.home = cli_screen(CLI_HOME);
	t.top.line_end = cli_screen(CLI_REST);
	t.top.end = cli_screen(CLI_BELOW);
	status = take_times(&t);
	if (!status && !args->script && !args->words[0]) {
		cli_error("what is to be counted?  \"kprobes help top\" has examples");
		status = CLI_USAGE;
	}
	if (!status && is_script(args) && (args->by || args->latency)) {
		cli_error("--by and --latency are for probes; a script has keys of its own");
		status = CLI_USAGE;
	}
	if (!status)
		status = is_script(args) ? tracing_take_script(&t) : compose(&t);
	return tracing_go(&t, status);
}

const struct cli_command cli_top = {
	.name = "top",
	.synopsis = "PROBE...|SCRIPT|FILE [-p PID | -- COMMAND...]",
	.summary = "show live what is hit most",
	.takes = CLI_TAKES_PID | CLI_TAKES_PIDS | CLI_TAKES_COMMAND |
		 CLI_TAKES_SCRIPT | CLI_TAKES_VERBOSE | CLI_TAKES_TOP,
	.least = 0, .most = -1, .run = run,
	.help =
		"  kprobes top 'redis-server:*Command' -p PID\n"
		"  kprobes top --latency 'redis-server:*Command' 'kprobe:vfs_*' -p PID\n"
		"  kprobes top --by process 'vfs_*'\n"
		"  kprobes top --by 'str(arg1)' libc:openat -p PID\n"
		"  kprobes top 'uprobe:malloc { @bytes[ustack(3)] = sum(arg0); }' -p PID\n",
};
