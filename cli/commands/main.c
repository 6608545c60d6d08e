// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * main.c - the kprobes command.
 *
 * Owns: the table of subcommands, the common options, and help.
 */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef KP_VERSION
#define KP_VERSION "0"
#endif

static const struct cli_command *const commands[] = {
	&cli_trace, &cli_top, &cli_watch, &cli_load, &cli_unload, &cli_list,
	&cli_enable, &cli_disable, &cli_enabled, &cli_optimization, &cli_blacklist, &cli_funcs, &cli_dis,
	&cli_log,
};
#define COMMANDS_NR (sizeof(commands) / sizeof(commands[0]))

static void usage_of(FILE *to, const struct cli_command *command)
{
	fprintf(to, "usage: kprobes %s %s\n  %s\n", command->name,
		command->synopsis, command->summary);
}

static const struct {
	unsigned int takes;
	const char *option, *meaning;
} options[] = {
	{ CLI_TAKES_PID, "-p, --pid PID", "a process, by its number, a thread's number, or its name" },
	{ CLI_TAKES_PIDS, "  PID,NAME...", "... or several; a name means all that have it, or run that file" },
	{ CLI_TAKES_PIDS, "--cgroup PATH", "all processes of a control group" },
	{ CLI_TAKES_PIDS, "--container NAME", "... of a container, by its name or ID" },
	{ CLI_TAKES_BINARY, "-b, --binary FILE", "a program or library on disk" },
	{ CLI_TAKES_COMMAND, "-- COMMAND...", "a new process, probed from its start" },
	{ CLI_TAKES_ALL, "-a, --all", "all probe modules" },
	{ CLI_TAKES_LONG, "-l, --long", "also show the module, missed hits, and why it is a breakpoint" },
	{ CLI_TAKES_INLINED, "--inlined", "show inlined copies (needs debugging information)" },
	{ CLI_TAKES_PLAN, "--plan", "show the bytes that a probe would write" },
	{ CLI_TAKES_FOLLOW, "-f", "follow: also print new messages" },
	{ CLI_TAKES_SCRIPT, "-e TEXT", "the text of the script, even if a file has that name" },
	{ CLI_TAKES_SEARCH, "-l PATTERN", "list probes with their arguments, and end" },
	{ CLI_TAKES_VERBOSE, "-v, --verbose", "say when the probes are set" },
	{ CLI_TAKES_PIDS, "-f, --follow", "also trace their children, and the programs that they execute" },
	{ CLI_TAKES_FORMAT, "-f text|json", "output format, as in bpftrace" },
	{ CLI_TAKES_BPFTRACE, "-c COMMAND", "the same as -- COMMAND, in one word, as in bpftrace" },
	{ CLI_TAKES_BPFTRACE, "-- --NAME[=VALUE]...", "options of the script, for getopt(); -- COMMAND may follow" },
	{ CLI_TAKES_BPFTRACE, "-o FILE", "write what the script prints to that file" },
	{ CLI_TAKES_BPFTRACE, "-q, --quiet", "print only what the script prints" },
	{ CLI_TAKES_BPFTRACE, "--no-warnings", "print no warnings about the script" },
	{ CLI_TAKES_BPFTRACE, "--dry-run", "set the probes, then end" },
	{ CLI_TAKES_BPFTRACE, "--unsafe, -k, -B MODE", "accepted, as bpftrace has them; they change nothing here" },
	{ CLI_TAKES_FLAME, "--folded", "print folded stacks at the end, in place of maps" },
	{ CLI_TAKES_FLAME, "--calls", "print a tree at the end: who called whom how often" },
	{ CLI_TAKES_FLAME, "--flame FILE", "write a flame graph (SVG) to that file" },
	{ CLI_TAKES_FLAME, "--pprof FILE", "write a profile for pprof to that file" },
	{ CLI_TAKES_FLAME, "--perfetto FILE", "write a timeline for Perfetto to that file" },
	{ CLI_TAKES_TOP, "-d, --delay N", "seconds between tables; default 1" },
	{ CLI_TAKES_TOP, "-n, --rounds N", "end after N tables" },
	{ CLI_TAKES_TOP, "--by WHAT", "group by probe, thread, process, or a key as in @[key]" },
	{ CLI_TAKES_TOP, "--latency", "also show how long functions take on average" },
	{ CLI_TAKES_WATCH, "-k, --kernel", "watch memory of the kernel, even with -p" },
	{ CLI_TAKES_WATCH, "--thread TID", "report only what this thread does" },
	{ CLI_TAKES_WATCH, "--code NAME,...", "report only what these functions write, by probes on them" },
	{ CLI_TAKES_WATCH, "--on-return NAME", "watch what this function returns, until it is freed" },
	{ CLI_TAKES_WATCH, "--until NAME,...", "... functions that free it, by their first argument" },
	{ CLI_TAKES_WATCH, "--where TEXT", "... only for calls whose arguments meet this condition" },
	{ CLI_TAKES_JSON, "--json", "print JSON" },
};

static void help_of(const struct cli_command *command)
{
	size_t i;

	usage_of(stdout, command);
	if (command->takes)
		putchar('\n');
	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (command->takes & options[i].takes)
			printf("  %-18s %s\n", options[i].option,
			       options[i].meaning);
	if (command->help)
		printf("\n%s", command->help);
	printf("\n\"man kprobes\" tells more.\n");
}

static void help(FILE *to)
{
	size_t i;

	fprintf(to, "usage: kprobes COMMAND ...\n"
		"Probes in a process (-p PID) or in the kernel.\n\n");
	for (i = 0; i < COMMANDS_NR; i++)
		fprintf(to, "  %-13s %s\n  %-13s   %s\n", commands[i]->name,
			commands[i]->synopsis, "", commands[i]->summary);
	fprintf(to, "\nExit status: 0 done, 1 failed, 2 wrong usage, "
		"3 not there, 4 not permitted, 5 cannot be probed.\n");
}

static const struct cli_command *find(const char *name)
{
	size_t i;

	for (i = 0; i < COMMANDS_NR; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static int no_command(const char *name)
{
	struct cli_similar similar = { NULL, 0 };
	size_t i;

	for (i = 0; i < COMMANDS_NR; i++)
		cli_similar(&similar, name, commands[i]->name);
	cli_similar(&similar, name, "help");
	if (similar.word)
		cli_error("there is no command %s; did you mean %s?  \"kprobes help\" lists them",
			  name, similar.word);
	else
		cli_error("there is no command %s; \"kprobes help\" lists them",
			  name);
	return CLI_USAGE;
}

static int wrong(const struct cli_command *command, const char *what,
		 const char *word)
{
	cli_error("%s%s", what, word);
	usage_of(stderr, command);
	return CLI_USAGE;
}

/*
 * The value of the option that word is, if it is the one with these names:
 * "-p 1", "-p1", "--pid 1" or "--pid=1".  brief: 0: it has no short name.
 */
static bool has_value(char ***at, char brief, const char *name,
		      const char **value)
{
	char *word = **at;
	size_t len = strlen(name);

	if (brief && word[1] == brief) {
		*value = word[2] ? word + 2 : *++*at;
		return true;
	}
	if (word[1] != '-' || strncmp(word + 2, name, len) ||
	    (word[2 + len] && word[2 + len] != '='))
		return false;
	*value = word[2 + len] ? word + 3 + len : *++*at;
	return true;
}

static bool is_format(const char *word)
{
	return word && (!strcmp(word, "text") || !strcmp(word, "json"));
}

/* "-f": what follows is no format. */
static bool follows(char *const *at)
{
	return !strcmp(at[0], "--follow") || (!strcmp(at[0], "-f") && !is_format(at[1]));
}

/*
 * A word behind "-f" may be a format that is misspelt.  It is none if it is an option, a
 * script, the name of a probe with a target or a pattern, or a file.
 */
static bool may_be_format(const struct cli_command *command, char *const *at)
{
	const char *word = at[1];

	return (command->takes & CLI_TAKES_FORMAT) && !strcmp(at[0], "-f") && word &&
	       word[0] != '-' && !is_format(word) && !strpbrk(word, "{:*/?[") &&
	       access(word, F_OK);
}

/* What is kept as it is. */
static const struct setting {
	unsigned int takes;
	char brief;			/* 0: it has no short name */
	const char *name;
	size_t at;			/* in struct cli_args: a text, or a bool */
	const char *wants;		/* without a text; NULL: a bool */
} settings[] = {
	{ CLI_TAKES_BINARY, 'b', "binary", offsetof(struct cli_args, binary), "-b takes a file" },
	{ CLI_TAKES_SCRIPT, 'e', "execute", offsetof(struct cli_args, script), "-e takes a script" },
	{ CLI_TAKES_FORMAT, 'f', "format", offsetof(struct cli_args, format), "--format takes a format" },
	{ CLI_TAKES_FLAME, 0, "flame", offsetof(struct cli_args, flame), "--flame takes a file" },
	{ CLI_TAKES_FLAME, 0, "pprof", offsetof(struct cli_args, pprof), "--pprof takes a file" },
	{ CLI_TAKES_FLAME, 0, "perfetto", offsetof(struct cli_args, perfetto), "--perfetto takes a file" },
	{ CLI_TAKES_BPFTRACE, 'o', "output", offsetof(struct cli_args, output), "-o takes a file" },
	{ CLI_TAKES_BPFTRACE, 'c', "cmd", offsetof(struct cli_args, started), "-c takes a command" },
	{ CLI_TAKES_BPFTRACE, 'B', "buffering", offsetof(struct cli_args, buffering), "-B takes none, line or full" },
	{ CLI_TAKES_BPFTRACE, 'q', "quiet", offsetof(struct cli_args, quiet), NULL },
	{ CLI_TAKES_BPFTRACE, 0, "no-warnings", offsetof(struct cli_args, no_warnings), NULL },
	{ CLI_TAKES_BPFTRACE, 0, "dry-run", offsetof(struct cli_args, dry_run), NULL },
	{ CLI_TAKES_BPFTRACE, 0, "unsafe", offsetof(struct cli_args, unused), NULL },
	{ CLI_TAKES_BPFTRACE, 'k', "kernel-errors", offsetof(struct cli_args, unused), NULL },
	{ CLI_TAKES_TOP, 'd', "delay", offsetof(struct cli_args, delay), "-d takes seconds" },
	{ CLI_TAKES_TOP, 'n', "rounds", offsetof(struct cli_args, rounds), "-n takes a number" },
	{ CLI_TAKES_TOP, 0, "by", offsetof(struct cli_args, by), "--by takes a key" },
	{ CLI_TAKES_WATCH, 0, "thread", offsetof(struct cli_args, thread), "--thread takes a thread's number" },
	{ CLI_TAKES_WATCH, 0, "code", offsetof(struct cli_args, code), "--code takes functions" },
	{ CLI_TAKES_WATCH, 0, "on-return", offsetof(struct cli_args, on_return), "--on-return takes a function" },
	{ CLI_TAKES_WATCH, 0, "until", offsetof(struct cli_args, until), "--until takes functions" },
	{ CLI_TAKES_WATCH, 0, "where", offsetof(struct cli_args, where), "--where takes a condition" },
	{ CLI_TAKES_TOP, 0, "latency", offsetof(struct cli_args, latency), NULL },
	{ CLI_TAKES_FLAME, 0, "folded", offsetof(struct cli_args, folded), NULL },
	{ CLI_TAKES_FLAME, 0, "calls", offsetof(struct cli_args, calls), NULL },
	{ CLI_TAKES_SEARCH, 'l', "list", offsetof(struct cli_args, search), NULL },
	{ CLI_TAKES_VERBOSE, 'v', "verbose", offsetof(struct cli_args, verbose), NULL },
	{ CLI_TAKES_JSON, 0, "json", offsetof(struct cli_args, json), NULL },
	{ CLI_TAKES_INLINED, 0, "inlined", offsetof(struct cli_args, inlined), NULL },
	{ CLI_TAKES_PLAN, 0, "plan", offsetof(struct cli_args, plan), NULL },
	{ CLI_TAKES_WATCH, 'k', "kernel", offsetof(struct cli_args, kernel), NULL },
	{ CLI_TAKES_FOLLOW, 'f', "follow", offsetof(struct cli_args, follow), NULL },
	{ CLI_TAKES_ALL, 'a', "all", offsetof(struct cli_args, all), NULL },
	{ CLI_TAKES_LONG, 'l', "long", offsetof(struct cli_args, more), NULL },
};

static bool is_flag(const char *word, const struct setting *s)
{
	return (s->brief && word[1] == s->brief && !word[2]) ||
	       (word[1] == '-' && !strcmp(word + 2, s->name));
}

static int option(const struct cli_command *command, struct cli_args *args,
		  char ***at)
{
	const char *word = **at, *value;
	size_t i;

	if ((command->takes & CLI_TAKES_PID) &&
	    has_value(at, 'p', "pid", &value))
		return command->takes & CLI_TAKES_PIDS ?
		       cli_pick(args, value) : cli_pick_one(args, value);
	if ((command->takes & CLI_TAKES_PIDS) &&
	    has_value(at, 0, "cgroup", &value))
		return cli_pick_cgroup(args, value);
	if ((command->takes & CLI_TAKES_PIDS) &&
	    has_value(at, 0, "container", &value))
		return cli_pick_container(args, value);
	if ((command->takes & CLI_TAKES_PIDS) && may_be_format(command, *at))
		return wrong(command, "-f takes text or json; to follow children, write --follow before ",
			     (*at)[1]);
	if ((command->takes & CLI_TAKES_PIDS) && follows(*at)) {
		args->follow = true;
		return CLI_OK;
	}
	for (i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		const struct setting *s = &settings[i];

		if (!(command->takes & s->takes))
			continue;
		if (!s->wants && is_flag(word, s)) {
			*(bool *)((char *)args + s->at) = true;
			return CLI_OK;
		}
		if (s->wants && has_value(at, s->brief, s->name, &value)) {
			*(const char **)((char *)args + s->at) = value;
			return value ? CLI_OK : wrong(command, s->wants, "");
		}
	}
	return wrong(command, "there is no option ", word);
}

/*
 * Behind "--" of a script: first its options, then, behind another "--", a command.  Where
 * a process is given otherwise, its parameters may follow.
 */
static void take_rest(struct cli_args *args, char **at)
{
	bool subject = args->pid || args->started;

	args->options = at;
	for (; *at; at++) {
		if (!strncmp(*at, "--", 2) && (*at)[2])
			args->options[args->options_nr++] = *at + 2;
		else if (subject && args->options_nr)
			args->words[args->nr++] = *at;
		else
			break;
	}
	at += args->options_nr && *at && !strcmp(*at, "--");
	args->command = *at || !args->options_nr ? at : NULL;
	/* A parameter of the script, where there is a command already. */
	while (args->started && args->command && *at && strcmp(*at, "--"))
		args->words[args->nr++] = *at++;
	if (args->started && args->command && !*at)
		args->command = NULL;
}

/* -1: go on; otherwise the exit status. */
static int parse(const struct cli_command *command, struct cli_args *args,
		 char **at)
{
	int status;

	for (; *at; at++) {
		if (!strcmp(*at, "--") && (command->takes & CLI_TAKES_COMMAND)) {
			args->command = at + 1;
			if (command->takes & CLI_TAKES_BPFTRACE)
				take_rest(args, at + 1);
			break;
		}
		if (!strcmp(*at, "-h") || !strcmp(*at, "--help")) {
			help_of(command);
			return CLI_OK;
		}
		if (**at != '-' || !(*at)[1]) {
			args->words[args->nr++] = *at;
			continue;
		}
		status = option(command, args, &at);
		if (status)
			return status;
	}
	args->words[args->nr] = NULL;
	if (args->command && !args->command[0])
		return wrong(command, "no command follows --", "");
	if (args->command && args->pid)
		return wrong(command, "give either -p PID or -- COMMAND", "");
	if (args->nr < command->least)
		return wrong(command, "something is missing", "");
	if (command->most >= 0 && args->nr > command->most)
		return wrong(command, "one word too many: ",
			     args->words[command->most]);
	return -1;
}

/* The last thing: was it all written? */
static int finish(int status)
{
	if (fflush(stdout) && !status) {
		cli_error("standard output: %s", strerror(errno));
		return CLI_FAILED;
	}
	return status;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
	struct cli_args args = { 0 };
	int status;

	args.words = calloc((size_t)argc + 1, sizeof(char *));
	if (!args.words) {
		cli_error("out of memory");
		return CLI_FAILED;
	}
	status = parse(command, &args, argv + 2);
	if (status < 0) {
		cli_companion(&args, argv);
		status = command->run(&args);
	}
	free(args.words);
	return finish(status);
}

int main(int argc, char **argv)
{
	const struct cli_command *command;

	cli_output_begin();
	if (argc < 2) {
		help(stderr);
		return CLI_USAGE;
	}
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") ||
	    !strcmp(argv[1], "-h")) {
		command = argc > 2 ? find(argv[2]) : NULL;
		if (argc > 2 && !command)
			return no_command(argv[2]);
		if (command)
			help_of(command);
		else
			help(stdout);
		return finish(CLI_OK);
	}
	if (!strcmp(argv[1], "--version")) {
		printf("kprobes " KP_VERSION "\n");
		return finish(CLI_OK);
	}
	command = find(argv[1]);
	if (!command)
		return no_command(argv[1]);
	return run(command, argc, argv);
}
