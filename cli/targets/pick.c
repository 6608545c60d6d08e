// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * pick.c - the processes that a command line selects.
 *
 * Owns: what may follow -p: the number of a process, of a thread, or a name.  A command that
 * takes several accepts a list of these, and then a name means all processes that have it.  The
 * result belongs to the command, also that of cgroup.c.
 */
#include "cli.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A thread's number means its process: there is one text and one engine. */
static pid_t process_of(pid_t number)
{
	char path[64], line[256];
	int process = 0;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)number);
	status = fopen(path, "re");
	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "Tgid: %d", &process) == 1)
			break;
	if (status)
		fclose(status);
	if (process <= 0 || process == number)
		return number;
	cli_error("%d is a thread of process %d, which is meant", (int)number,
		  process);
	return process;
}

static bool is_number(const char *text, pid_t *pid)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end || value < 1 || value > 0x7fffffff)
		return false;
	*pid = process_of((pid_t)value);
	return true;
}

static int no_process(const char *text)
{
	cli_error("-p takes the number of a process, or its name, not \"%s\"",
		  text ? text : "");
	return CLI_USAGE;
}

/* Before anything else is done for it. */
static bool is_there(pid_t pid)
{
	if (!kill(pid, 0) || errno != ESRCH)
		return true;
	cli_error("there is no process %d", (int)pid);
	return false;
}

static void take_one(void *arg, pid_t pid)
{
	*(pid_t *)arg = pid;
}

int cli_pick_one(struct cli_args *args, const char *text)
{
	int nr;

	if (!text || !*text)
		return no_process(text);
	args->pids_nr = 1;
	nr = is_number(text, &args->pid) ? 1 :
	     cli_processes_called(text, take_one, &args->pid);
	args->pids[0] = args->pid;
	if (!nr)
		return no_process(text);
	if (nr == 1)
		return is_there(args->pid) ? CLI_OK : CLI_ABSENT;
	cli_error("-p %s: %d processes are called that; give the number of one (pgrep lists them)",
		  text, nr);
	return CLI_USAGE;
}

/* ---- several ------------------------------------------------------------------- */

/* One more than there is room for is seen at the end. */
void cli_pick_add(void *arg, pid_t pid)
{
	struct cli_args *args = arg;
	int i;

	if (pid == getpid())
		return;
	for (i = 0; i < args->pids_nr; i++)
		if (args->pids[i] == pid)
			return;
	if (args->pids_nr <= CLI_PROCESSES_MAX)
		args->pids[args->pids_nr++] = pid;
}

static void say_which(const struct cli_args *args, int first, const char *word)
{
	char numbers[CLI_PROCESSES_MAX * 12 + 1] = "";
	size_t len = 0;
	int i;

	for (i = first; i < args->pids_nr && i < CLI_PROCESSES_MAX; i++)
		len += (size_t)snprintf(numbers + len, sizeof(numbers) - len,
					" %d", (int)args->pids[i]);
	cli_error("%s:%s", word, numbers);
}

int cli_pick_end(struct cli_args *args, int first, const char *word)
{
	args->pid = args->pids[0];
	if (args->pids_nr > first + 1)
		say_which(args, first, word);
	if (args->pids_nr <= CLI_PROCESSES_MAX)
		return CLI_OK;
	cli_error("these are more than %d processes, which is the limit",
		  CLI_PROCESSES_MAX);
	return CLI_USAGE;
}

static int pick_word(struct cli_args *args, const char *word)
{
	int first = args->pids_nr;
	pid_t pid;

	if (is_number(word, &pid)) {
		if (is_there(pid))
			cli_pick_add(args, pid);
		return cli_pick_end(args, args->pids_nr, word);
	}
	if (!*word || !cli_processes_called(word, cli_pick_add, args))
		return no_process(word);
	return cli_pick_end(args, first, word);
}

int cli_pick(struct cli_args *args, const char *text)
{
	char *words = text ? strdup(text) : NULL, *word, *next = words;
	int status = words ? CLI_OK : no_process(text);

	while (!status && (word = strsep(&next, ",")))
		status = pick_word(args, word);
	free(words);
	/* Those that are there are asked without the others. */
	return !status && !args->pids_nr ? CLI_ABSENT : status;
}
