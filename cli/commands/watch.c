// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * watch.c - who accesses this memory.
 *
 * Owns: the subcommand watch.  It runs a script of watchpoints (trace/front/watch.c), one for each
 * word, and one for everything that a function returns.  The script prints each access: what it
 * was, by whom, and from where.  Without a process, and with -k, the memory is the kernel's.
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

static bool is_mode(const char *word)
{
	return !strcmp(word, "w") || !strcmp(word, "rw") || !strcmp(word, "wr") || !strcmp(word, "c");
}

/* Does its last part say which accesses?  What changes is meant where none does. */
static bool has_mode(const char *word)
{
	const char *colon = strrchr(word, ':');

	return colon && (is_mode(colon + 1) || (!isdigit((unsigned char)colon[1]) && strlen(colon) < 4));
}

/* How much of the word is the place, in front of bytes and mode. */
static int place_len(const char *word)
{
	size_t len = strlen(word), part;

	for (;;) {
		const char *colon = memrchr(word, ':', len);

		part = colon ? len - (size_t)(colon + 1 - word) : len;
		if (!colon || colon == word || colon[-1] == ':' ||
		    (part > 2 && !isdigit((unsigned char)colon[1])))
			return (int)len;
		len = (size_t)(colon - word);
	}
}

static bool of_kernel(const struct cli_args *args)
{
	return args->kernel || (!args->pid && !args->command);
}

/* Whose accesses are told.  In a process nobody else can. */
static void put_whose(FILE *to, const struct cli_args *args)
{
	int i, pids = of_kernel(args) ? args->pids_nr : 0;

	if (args->thread)
		fprintf(to, "/tid == %s/ ", args->thread);
	for (i = 0; i < pids && !args->thread; i++)
		fprintf(to, "%spid == %d%s", i ? " || " : "/", (int)args->pids[i],
			i + 1 < pids ? "" : "/ ");
}

/* What is watched is told: label, a text and what belongs to it. */
static void put_telling(FILE *to, const char *label, int len, const char *behind,
			const char *args, const char *stack)
{
	fprintf(to, "{ printf(\"%.*s%s", len, label, behind);
	fputs(" 0x%lx: %lu -> %lu (0x%lx -> 0x%lx), %s %d/%d%s\\n\", ", to);
	fputs(args, to);
	fprintf(to, "args.addr, args.before, args.after, args.before, args.after,"
		" comm, pid, tid, %s(16)); }\n", stack);
}

static void put_clause(FILE *to, const char *word, const struct cli_args *args)
{
	fprintf(to, "%swatchpoint:%s%s ", of_kernel(args) ? "k" : "", word,
		has_mode(word) ? "" : ":c");
	put_whose(to, args);
	put_telling(to, word, place_len(word), "", "",
		    of_kernel(args) ? "kstack" : "ustack");
}

/* ---- what a function returns -------------------------------------------------- */

/* How many bytes those return that everybody has, and what ends them. */
static const struct allocator {
	const char *name, *bytes, *until;
} allocators[] = {
	{ "malloc", "arg0", "free,realloc" },
	{ "calloc", "arg0*arg1", "free,realloc" },
	{ "realloc", "arg1", "free,realloc" },
	{ "valloc", "arg0", "free,realloc" },
	{ "memalign", "arg1", "free,realloc" },
	{ "aligned_alloc", "arg1", "free,realloc" },
	{ "_Znwm", "arg0", "free" },
	{ "_Znam", "arg0", "free" },
	{ "mmap", "arg1", "munmap" },
};

/* FUNCTION[:BYTES][:MODE], cut. */
struct returned {
	char *function;
	const char *bytes, *until, *mode;
};

/* The word behind the last colon, if it is one that is meant; it is cut off. */
static const char *cut_last(char *text, bool (*is_meant)(const char *word))
{
	char *colon = strrchr(text, ':');

	if (!colon || colon == text || colon[-1] == ':' || !is_meant(colon + 1))
		return NULL;
	*colon = 0;
	return colon + 1;
}

static bool is_bytes(const char *word)
{
	return isdigit((unsigned char)*word) || !strncmp(word, "arg", 3);
}

static bool are_bytes(const char *text)
{
	return !text[strspn(text, "0123456789abcdefgrx*+")];
}

/* Names between commas; more: of patterns, too. */
static bool is_list(const char *text, const char *more)
{
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr("_.$@:,", *text) &&
		    !strchr(more, *text))
			return false;
	return true;
}

/* The next name of a list, and how long it is; NULL: no more. */
static const char *next_name(const char **list, int *len)
{
	const char *name = *list + strspn(*list, ",");

	*len = (int)strcspn(name, ",");
	*list = name + *len;
	return *len ? name : NULL;
}

static void put_code(FILE *to, const struct cli_args *args)
{
	const char *list = args->code ? args->code : "", *name;
	int len;

	while ((name = next_name(&list, &len)))
		fprintf(to, "%s:%.*s { }\n", of_kernel(args) ? "kcode" : "code",
			len, name);
	if (args->code && strchr(args->code, '@'))
		fputs("kprobes: of @TYPE the functions are looked at whose parameters and "
		      "variables lead to one; what gets at it by a cast is not seen\n", stderr);
}

static const struct allocator *allocator_of(const char *function)
{
	const char *name = strrchr(function, ':');
	size_t i;

	name = name ? name + 1 : function;
	for (i = 0; i < sizeof(allocators) / sizeof(allocators[0]); i++)
		if (!strcmp(name, allocators[i].name))
			return &allocators[i];
	return NULL;
}

/* text: cut to pieces.  A status. */
static int take_returned(const struct cli_args *args, char *text, struct returned *r)
{
	const struct allocator *known;

	r->function = text;
	r->mode = cut_last(text, is_mode);
	r->bytes = cut_last(text, is_bytes);
	known = allocator_of(text);
	if (!r->mode)
		r->mode = "c";
	if (!r->bytes && known)
		r->bytes = known->bytes;
	r->until = args->until ? args->until : known ? known->until : "free";
	if (*text && !r->bytes) {
		cli_error("how many bytes does %s return?  As in %s:64 or %s:arg0",
			  text, text, text);
		return CLI_USAGE;
	}
	if (*text && is_plain(text) && are_bytes(r->bytes) && is_list(r->until, ""))
		return CLI_OK;
	cli_error("--on-return takes FUNCTION[:BYTES][:w|rw|c], as in malloc or make_item:arg1*8:w");
	return CLI_USAGE;
}

/* A call is known by its stack, so that one may be within another. */
static void put_returned(FILE *to, const struct cli_args *args, const struct returned *r)
{
	const char *list = r->until, *name;
	int len;

	fprintf(to, "uprobe:%s { if (%s) { @watched[tid, reg(\"sp\") + 8] = %s; } }\n",
		r->function, args->where ? args->where : "1", r->bytes);
	fprintf(to, "uretprobe:%s /@watched[tid, reg(\"sp\")]/ {"
		" watch(retval, @watched[tid, reg(\"sp\")]);"
		" delete(@watched[tid, reg(\"sp\")]); }\n", r->function);
	while ((name = next_name(&list, &len)))
		fprintf(to, "uprobe:%.*s { unwatch(arg0); }\n", len, name);
	fputs("END { clear(@watched); }\n", to);
	fprintf(to, "watchpoint:*:%s ", r->mode);
	put_whose(to, args);
	put_telling(to, r->function, (int)strlen(r->function), "+%lu",
		    "args.addr - args.object, ", "ustack");
}

/* ------------------------------------------------------------------------------- */

static int put_all(FILE *to, const struct cli_args *args)
{
	char *text = args->on_return ? strdup(args->on_return) : NULL;
	struct returned returned;
	char **word;
	int status = CLI_OK;

	put_code(to, args);
	for (word = args->words; *word; word++)
		put_clause(to, *word, args);
	if (text) {
		status = take_returned(args, text, &returned);
		if (!status)
			put_returned(to, args, &returned);
		free(text);
	} else if (args->on_return) {
		status = CLI_FAILED;
	}
	return status;
}

static int compose(struct tracing *t)
{
	FILE *to = open_memstream(&t->text, &t->len);
	int status = to ? put_all(to, t->args) : CLI_FAILED;

	t->name = "watch";
	if (to && fclose(to) && !status)
		status = CLI_FAILED;
	return status;
}

static int check_words(const struct cli_args *args)
{
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
	if (args->code && (!args->code[strspn(args->code, ",")] ||
			   !is_list(args->code, "*?[]-/"))) {
		cli_error("--code takes functions separated by commas, as in retitle,parse_*; @conn selects those that can reach a struct conn");
		return CLI_USAGE;
	}
	if (!args->nr && !args->on_return) {
		cli_error("what is watched?  A variable, an address, or with --on-return what a function returns");
		return CLI_USAGE;
	}
	if (args->on_return && of_kernel(args)) {
		cli_error("--on-return needs a process, by -p PID or a command after --, without -k: return values of kernel functions are not followed");
		return CLI_USAGE;
	}
	if (args->on_return || (!args->until && !args->where))
		return CLI_OK;
	cli_error("--until and --where belong to --on-return");
	return CLI_USAGE;
}

static int run(const struct cli_args *args)
{
	int status = check_words(args);
	struct tracing t;

	if (status)
		return status;
	tracing_begin(&t, args);
	status = tracing_go(&t, compose(&t));
	if (status >= CLI_ABSENT && of_kernel(args) && !args->kernel)
		cli_error("this watches memory of the kernel; to watch a process, give -p PID, or a command after --");
	return status;
}

const struct cli_command cli_watch = {
	.name = "watch",
	.synopsis = "[-k] PLACE[:BYTES][:w|rw|c]... | --on-return FUNCTION[:BYTES][:w|rw|c] [-p PID | -- COMMAND...]",
	.summary = "show who accesses memory, from where, and its value before",
	.takes = CLI_TAKES_PID | CLI_TAKES_PIDS | CLI_TAKES_COMMAND |
		 CLI_TAKES_WATCH | CLI_TAKES_VERBOSE,
	.least = 0, .most = -1, .run = run,
	.help =
		"PLACE is a variable, or an address with its BYTES; both take +OFFSET.\n"
		"  c   report writes that change the value (default)\n"
		"  w   report every write\n"
		"  rw  report every read and write\n"
		"--code reports what these functions write themselves, for any number of bytes, and\n"
		"slows no other code down; @TYPE selects the functions whose parameters and variables\n"
		"lead to an object of that type.  Without a process, and with -k, the memory is the\n"
		"kernel's.  -k -p PID reports what that process does; -k with a command reports\n"
		"everything until the command ends.\n"
		"  kprobes watch total -p PID\n"
		"  kprobes watch config+16:8:w -- ./server\n"
		"  kprobes watch total -p PID --thread TID\n"
		"  kprobes watch table:65536 --code 'insert,grow_*' -p PID\n"
		"  kprobes watch --on-return malloc --where 'arg0 == 24' -p PID\n"
		"  kprobes watch --on-return new_item:8:w --until put_item -- ./server\n"
		"  kprobes watch 0x7f3a5c001040:4:rw -p PID\n"
		"  kprobes watch -k panic_timeout:4 -- sysctl kernel.panic=1\n",
};
