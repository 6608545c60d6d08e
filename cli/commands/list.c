// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * list.c - the registered probes.
 *
 * Owns: the subcommand list and its forms.  Lines are as in the control file, sorted.  With -l,
 * or on a terminal, each line also has the probe's module, the missed hits, and why it is still
 * a breakpoint.  JSON is an array of targets, each with its probes.  Without -p: the kernel's
 * lines, if it has the engine, then every probed process under a heading.  A process that does
 * not answer does not keep the others from being shown.
 */
#include "attach_cli.h"
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 2
#define LOST_MS 8000			/* on all that do not answer */

/* ---- lines ------------------------------------------------------------------ */

/* A line of the list file, and what may stand behind it after tabs. */
struct entry {
	const char *line;
	size_t len;			/* of the file's line, without its end */
	const char *part[3];		/* missed, owner, why; NULL: not known */
	size_t part_len[3];
};

static void split(struct entry *entry, const char *line, size_t len)
{
	const char *at, *end = line + len, *next;
	int i;

	*entry = (struct entry){ .line = line, .len = len };
	at = memchr(line, '\t', len);
	if (at)
		entry->len = (size_t)(at - line);
	for (i = 0; at && i < 3; i++, at = next) {
		at++;
		next = memchr(at, '\t', (size_t)(end - at));
		entry->part[i] = at;
		entry->part_len[i] = (size_t)((next ? next : end) - at);
	}
}

static void print_part(const char *before, const struct entry *entry, int i)
{
	fputs(before, stdout);
	cli_print_line(entry->part[i], entry->part_len[i]);
}

static bool is_none(const struct entry *entry, int i)
{
	return !entry->part_len[i] ||
	       (entry->part_len[i] == 1 && entry->part[i][0] == '0');
}

static void print_more(const struct entry *entry)
{
	if (!entry->part[2])
		return;
	printf("%s", cli_colour(CLI_DIM));
	print_part("  ", entry, 1);
	if (!is_none(entry, 0))
		print_part("; missed: ", entry, 0);
	if (!is_none(entry, 2))
		print_part("; breakpoint: ", entry, 2);
	printf("%s", cli_colour(CLI_PLAIN));
}

/* Tags in colour: what is off or gone, and what is fast. */
static void print_line(const char *line, size_t len)
{
	struct entry entry;
	const char *tags;
	enum cli_colour colour;

	split(&entry, line, len);
	tags = memchr(line, '[', entry.len);
	if (!tags)
		tags = line + entry.len;
	colour = !strncmp(tags, "[GONE]", 6) ? CLI_RED :
		 !strncmp(tags, "[DISABLED]", 10) ? CLI_YELLOW : CLI_GREEN;
	cli_print_line(line, (size_t)(tags - line));
	fputs(cli_colour(colour), stdout);
	cli_print_line(tags, (size_t)(line + entry.len - tags));
	printf("%s", cli_colour(CLI_PLAIN));
	print_more(&entry);
	putchar('\n');
}

/* By address, which all lines begin with; the engine's order within one. */
static int compare(const void *a, const void *b)
{
	const char *const *one = a, *const *other = b;
	int by = strncmp(*one, *other, 16);

	return by ? by : (*one > *other) - (*one < *other);
}

static void each_line(const struct cli_lines *lines,
		      void (*fn)(const char *line, size_t len))
{
	const char *at, *end = lines->text + lines->len, **sorted;
	size_t i, nr = 1;

	for (at = lines->text; at && at < end; at++)
		nr += *at == '\n';
	sorted = malloc(nr * sizeof(*sorted));
	nr = 0;
	for (at = lines->text; sorted && at && at < end; nr++) {
		sorted[nr] = at;
		at = memchr(at, '\n', (size_t)(end - at));
		at = at ? at + 1 : end;
	}
	if (nr)
		qsort(sorted, nr, sizeof(*sorted), compare);
	for (i = 0; i < nr; i++) {
		at = memchr(sorted[i], '\n', (size_t)(end - sorted[i]));
		fn(sorted[i], (size_t)((at ? at : end) - sorted[i]));
	}
	free(sorted);
}

/* ---- JSON ---------------------------------------------------------------------- */

static bool first_probe;

static void json_flag(const char *name, const char *tags, const char *tag)
{
	printf(", \"%s\": %s", name, tags && strstr(tags, tag) ? "true"
							      : "false");
}

static void json_text(const char *head, const char *text)
{
	char joined[40];

	snprintf(joined, sizeof(joined), "%s%s", head, text);
	cli_json_string(joined, strlen(joined));
}

static void json_part(const char *name, const struct entry *entry, int i)
{
	printf(", \"%s\": ", name);
	if (entry->part_len[i])
		cli_json_string(entry->part[i], entry->part_len[i]);
	else
		printf("null");
}

static void json_more(const struct entry *entry)
{
	if (!entry->part[2])
		return;
	printf(", \"missed\": %lu", strtoul(entry->part[0], NULL, 10));
	json_part("probe_module", entry, 1);
	json_part("why_not_optimized", entry, 2);
}

/* address  type  symbol+0xoffset  module tags */
static void json_line(const char *line, size_t len)
{
	char copy[1536], address[32], type[4], place[600], *tags, *plus, *module;
	struct entry entry;
	int at = 0;

	split(&entry, line, len);
	if (entry.len >= sizeof(copy))
		return;
	memcpy(copy, line, entry.len);
	copy[entry.len] = 0;
	tags = strchr(copy, '[');
	if (sscanf(copy, "%31s %3s %599s%n", address, type, place, &at) < 3)
		return;
	printf("%s\n    {\"address\": ", first_probe ? "" : ",");
	json_text("0x", address);
	printf(", \"type\": ");
	json_text("", type);
	first_probe = false;
	plus = strrchr(place, '+');
	if (plus) {
		printf(", \"symbol\": ");
		cli_json_string(place, (size_t)(plus - place));
		printf(", \"offset\": %lu", strtoul(plus + 1, NULL, 0));
	}
	module = copy + at + strspn(copy + at, " ");
	len = strcspn(module, " [");
	if (len) {
		printf(", \"module\": ");
		cli_json_string(module, len);
	}
	json_flag("gone", tags, "[GONE]");
	json_flag("disabled", tags, "[DISABLED]");
	json_flag("optimized", tags, "[OPTIMIZED]");
	json_flag("ftrace", tags, "[FTRACE]");
	json_more(&entry);
	putchar('}');
}

/* ---- targets -------------------------------------------------------------------- */

struct state {
	bool json, headings, more;
	int shown, status;
};

static void json_target(const struct cli_target *target,
			const struct cli_lines *lines, int nr)
{
	printf("%s\n  {\"target\": ", nr ? "," : "");
	cli_json_string(target->name, strlen(target->name));
	if (target->pid)
		printf(", \"pid\": %d", (int)target->pid);
	printf(", \"probes\": [");
	first_probe = true;
	each_line(lines, json_line);
	printf("%s]}", first_probe ? "" : "\n  ");
}

static int show(struct state *state, struct cli_target *target)
{
	struct cli_lines lines = { NULL, 0 };
	int status = (state->more && target->ops->details
		      ? target->ops->details : target->ops->list)(
				target, cli_lines_add, &lines);

	if (!status && state->json) {
		json_target(target, &lines, state->shown);
	} else if (!status) {
		if (state->headings && target->pid)
			printf("%s%s:%s\n", cli_colour(CLI_BOLD), target->name,
			       cli_colour(CLI_PLAIN));
		each_line(&lines, print_line);
	}
	state->shown += !status;
	free(lines.text);
	cli_close(target);
	return status;
}

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Those that do not let themselves be asked must not keep us for ever. */
static void show_process(void *arg, pid_t pid)
{
	static long lost;
	struct state *state = arg;
	struct cli_target target;
	long begin = now_ms();
	int status = CLI_FAILED;

	if (lost < LOST_MS)
		status = cli_process_open(&target, pid, CLI_LOOK);
	else
		cli_error("process %d is passed over: others that do not answer took too long; \"kprobes list -p %d\" asks it alone",
			  (int)pid, (int)pid);
	if (!status)
		status = show(state, &target);
	if (status)
		lost += now_ms() - begin;
	state->status = state->status ? state->status : status;
}

static int show_all(struct state *state)
{
	struct cli_target target;
	int status = CLI_OK;

	state->headings = true;
	cli_patience = PATIENCE;
	if (cli_kernel_answers()) {
		status = cli_kernel_open(&target, CLI_LOOK);
		if (!status)
			status = show(state, &target);
	}
	state->status = status;
	status = cli_processes(show_process, state);
	if (!state->shown && !state->json && !state->status)
		cli_error("nothing is probed that you are allowed to see");
	return state->status ? state->status : status;
}

static int run(const struct cli_args *args)
{
	struct state state = {
		.json = args->json,
		.more = args->json || args->more || isatty(STDOUT_FILENO),
	};
	struct cli_target target;
	int status;

	if (args->json)
		putchar('[');
	if (args->pid) {
		status = cli_open(&target, args, CLI_LOOK);
		if (!status)
			status = show(&state, &target);
	} else {
		status = show_all(&state);
	}
	if (args->json)
		puts(state.shown ? "\n]" : "]");
	return status;
}

const struct cli_command cli_list = {
	.name = "list", .synopsis = "[-p PID] [-l] [--json]",
	.summary = "show the registered probes; without -p all of them",
	.takes = CLI_TAKES_PID | CLI_TAKES_JSON | CLI_TAKES_LONG, .run = run,
	.help =
		"On a terminal -l is the default.  [OPTIMIZED] marks a jump; other probes are breakpoints.\n",
};
