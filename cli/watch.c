// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * watch.c - who touches this memory?
 *
 * Owns: the subcommand.  It is a script of watchpoints (trace/front/watch.c), one for
 * each word, that prints each access: what it was, by whom, and from where.
 */
#include "tracing.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Nothing in it that a text in a script would not take as it is. */
static bool is_plain(const char *word)
{
	for (; *word; word++)
		if (!isalnum((unsigned char)*word) && !strchr("_.$@+:", *word))
			return false;
	return true;
}

/* Does its last part say which accesses?  What changes is meant where none does. */
static bool has_mode(const char *word)
{
	const char *colon = strrchr(word, ':');

	return colon && !isdigit((unsigned char)colon[1]);
}

static void put_clause(FILE *to, const char *word, const char *thread)
{
	fprintf(to, "watchpoint:%s%s ", word, has_mode(word) ? "" : ":c");
	if (thread)
		fprintf(to, "/tid == %s/ ", thread);
	fprintf(to, "{ printf(\"%.*s", (int)strcspn(word, ":"), word);
	fputs(" 0x%lx: %lu -> %lu (0x%lx -> 0x%lx), %s %d/%d%s\\n\", args.addr,"
	      " args.before, args.after, args.before, args.after, comm, pid, tid,"
	      " ustack(16)); }\n", to);
}

static int compose(struct tracing *t)
{
	FILE *to = open_memstream(&t->text, &t->len);
	char **word;

	if (!to)
		return CLI_FAILED;
	for (word = t->args->words; *word; word++)
		put_clause(to, *word, t->args->thread);
	t->name = "watch";
	return fclose(to) ? CLI_FAILED : CLI_OK;
}

static int run(const struct cli_args *args)
{
	struct tracing t;
	const char *thread = args->thread;
	char **word;

	if (thread && (!*thread || thread[strspn(thread, "0123456789")])) {
		cli_error("--thread takes a thread's number, not \"%s\"", thread);
		return CLI_USAGE;
	}
	for (word = args->words; *word; word++)
		if (!is_plain(*word)) {
			cli_error("%s: what is watched is a variable or an address, as in total, total+8:4 or 0x601040:8:w",
				  *word);
			return CLI_USAGE;
		}
	tracing_begin(&t, args);
	return tracing_go(&t, compose(&t));
}

const struct cli_command cli_watch = {
	.name = "watch",
	.synopsis = "PLACE[:BYTES][:w|rw|c]... [--thread TID] [-p PID | -- COMMAND...]",
	.summary = "who touches this memory, from where, and what was there",
	.takes = CLI_TAKES_PID | CLI_TAKES_PIDS | CLI_TAKES_COMMAND |
		 CLI_TAKES_WATCH | CLI_TAKES_VERBOSE,
	.least = 1, .most = -1, .run = run,
	.help =
		"PLACE is a variable, or an address with its BYTES, either with +OFFSET.  c, which\n"
		"is meant where nothing else is said: what changes the value; w: every write; rw:\n"
		"every read, too.\n"
		"  kprobes watch total -p PID\n"
		"  kprobes watch config+16:8:w -- ./server\n"
		"  kprobes watch total -p PID --thread TID\n"
		"  kprobes watch 0x7f3a5c001040:4:rw -p PID\n",
};
