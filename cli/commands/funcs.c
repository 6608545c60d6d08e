/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * funcs.c - functions, and what can be probed of them.
 *
 * Owns: the subcommand funcs in both forms, text and JSON, and --inlined.
 */
#include "points.h"
#include "source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct out {
	struct symbols *s;
	bool json;
	size_t nr;
	int status;			/* of the first that failed */
};

/* What is said of a function as a whole. */
struct verdict {
	const struct point *entry;	/* where a probe on its name goes */
	size_t points, probeable, jumps;
	const char *why_not;		/* of the entry */
	const char *why_slow;
};

static void judge(struct verdict *v, const struct points *points)
{
	size_t i;

	*v = (struct verdict){ .entry = points_entry(points) };
	v->points = points->nr;
	for (i = 0; i < points->nr; i++) {
		v->probeable += !points->all[i].why_not;
		v->jumps += !points->all[i].why_slow;
	}
	if (!v->entry) {
		v->why_not = points->nr || !points->broken
			? "its first instruction is not valid" : points->broken;
		v->why_slow = v->why_not;
		return;
	}
	v->why_not = v->entry->why_not;
	v->why_slow = v->entry->why_slow;
}

static void json_field(const char *name, const char *text)
{
	printf(", \"%s\": ", name);
	if (text)
		cli_json_string(text, strlen(text));
	else
		printf("null");
}

static void print_json(struct out *out, const struct symbol *fn,
		       const struct verdict *v)
{
	const struct symbol_module *m = &out->s->modules[fn->module];
	char place[700];

	printf("%s\n  {\"name\": ", out->nr ? "," : "[");
	cli_json_string(fn->name, strlen(fn->name));
	json_field("demangled", demangle(fn->name));
	json_field("owner", m->owner);
	printf(", \"address\": \"0x%" PRIx64 "\", \"size\": %" PRIu64,
	       fn->addr, fn->size);
	symbols_place(out->s, v->entry ? v->entry->addr : fn->addr, place,
		      sizeof(place));
	json_field("place", place);
	printf(", \"probeable\": %s", v->why_not ? "false" : "true");
	json_field("why_not", v->why_not);
	json_field("entry", points_way(v->entry));
	printf(", \"optimizable\": %s", v->why_slow ? "false" : "true");
	json_field("why_not_optimizable", v->why_not ? NULL : v->why_slow);
	printf(", \"indirect\": %s", fn->indirect ? "true" : "false");
	printf(", \"instructions\": %zu, \"probeable_instructions\": %zu, \"optimizable_instructions\": %zu}",
	       v->points, v->probeable, v->jumps);
}

static void print_text(struct out *out, const struct symbol *fn,
		       const struct verdict *v)
{
	const struct symbol_module *m = &out->s->modules[fn->module];
	const char *way = points_way(v->entry);
	const char *why = v->why_not ? v->why_not : v->why_slow;
	enum cli_colour colour = v->why_not ? CLI_RED :
				 v->why_slow ? CLI_YELLOW : CLI_GREEN;
	char points[48];
	const char *source;

	if (!out->nr)
		printf("%s%-16s %6s %13s  %-10s  %s%s\n", cli_colour(CLI_DIM),
		       "address", "size", "points", "entry", "function",
		       cli_colour(CLI_PLAIN));
	snprintf(points, sizeof(points), "%zu/%zu", v->probeable, v->points);
	printf("%016" PRIx64 " %6" PRIu64 " %13s  %s%-10s%s  %s", fn->addr,
	       fn->size, points, cli_colour(colour), way,
	       cli_colour(CLI_PLAIN), fn->name);
	source = demangle(fn->name);
	if (source) {
		printf("  %s", cli_colour(CLI_DIM));
		cli_print_line(source, strlen(source));
		printf("%s", cli_colour(CLI_PLAIN));
	}
	if (m->owner[0] && !fn->unnamed)
		printf(" [%s]", m->owner);
	if (fn->indirect)
		printf(" (indirect: a probe goes to what it selects)");
	if (why)
		printf("  %s%s%s", cli_colour(CLI_DIM), why,
		       cli_colour(CLI_PLAIN));
	putchar('\n');
}

static int show(struct out *out, const struct symbol *fn)
{
	struct points points;
	struct verdict v;
	int err = points_of(&points, out->s, fn);

	if (err == -EIO) {
		memset(&points, 0, sizeof(points));
		v = (struct verdict){ .why_not = "its code cannot be read",
				      .why_slow = "its code cannot be read" };
	} else if (err) {
		cli_error("%s: %s", fn->name, strerror(-err));
		return CLI_FAILED;
	} else {
		judge(&v, &points);
	}
	if (out->json)
		print_json(out, fn, &v);
	else
		print_text(out, fn, &v);
	out->nr++;
	points_free(&points);
	return CLI_OK;
}

static void take_one(void *arg, const struct symbol *fn, uint64_t addr)
{
	struct out *out = arg;

	(void)addr;
	cli_progress((size_t)(fn - out->s->all), out->s->nr);
	if (!out->status)
		out->status = show(out, fn);
}

static int show_matching(struct out *out, const char *pattern)
{
	cli_progress_begin("judging functions");
	symbols_list(out->s, pattern, take_one, out);
	cli_progress_end();
	return out->status;
}

/* ---- inlined copies -------------------------------------------------------- */

static void show_copy(void *arg, const struct symbol_inlined *copy)
{
	struct out *out = arg;
	const struct symbol *in = symbols_at(out->s, copy->entry);
	unsigned int i, kept = copy->ranges_nr < 8 ? copy->ranges_nr : 8;
	char function[700], place[700];

	symbols_place(out->s, copy->entry, place, sizeof(place));
	snprintf(function, sizeof(function), "%s+0x%" PRIx64,
		 in ? in->name : "?", copy->entry - (in ? in->addr : 0));
	if (out->json) {
		printf("%s\n  {\"inlined\": ", out->nr ? "," : "[");
		cli_json_string(copy->name, strlen(copy->name));
		json_field("function", function);
		json_field("place", place);
		printf(", \"address\": \"0x%" PRIx64 "\"", copy->entry);
		json_field("file", copy->file);
		printf(", \"line\": %d, \"ranges\": [", copy->line);
		for (i = 0; i < kept; i++)
			printf("%s[\"0x%" PRIx64 "\", \"0x%" PRIx64 "\"]",
			       i ? ", " : "", copy->ranges[i].start,
			       copy->ranges[i].end);
		printf("]}");
	} else {
		printf("%016" PRIx64 "  %-16s  in %s", copy->entry, place,
		       function);
		for (i = 0; i < kept; i++)
			printf("  %" PRIx64 "-%" PRIx64, copy->ranges[i].start,
			       copy->ranges[i].end);
		if (copy->ranges_nr > kept)
			printf(" and %u more", copy->ranges_nr - kept);
		if (copy->file)
			printf("  %s%s:%d%s", cli_colour(CLI_DIM), copy->file,
			       copy->line, cli_colour(CLI_PLAIN));
		putchar('\n');
	}
	out->nr++;
}

static int show_inlined(struct out *out, const char *name)
{
	int nr;

	cli_progress_begin("reading debugging information");
	nr = symbols_inlined(out->s, name, show_copy, out);
	cli_progress_end();
	if (nr < 0) {
		cli_error("%s", out->s->error);
		return cli_status_of(nr);
	}
	return CLI_OK;
}

/* ---- the subcommand -------------------------------------------------------- */

static int none(const struct cli_args *args, const struct symbols *s)
{
	const char *similar = strpbrk(args->words[0], "*?[") ? NULL :
			      symbols_similar(s, args->words[0]);

	if (similar && !args->inlined)
		cli_error("no function is called %s; did you mean %s?",
			  args->words[0], similar);
	else if (args->inlined)
		cli_error("no inlined copy of %s", args->words[0]);
	else if (!strpbrk(args->words[0], "*?["))
		cli_error("no function is called %s; a pattern such as '*%s*' finds more",
			  args->words[0], args->words[0]);
	else
		cli_error("no function matches %s", args->words[0]);
	return CLI_ABSENT;
}

static int run(const struct cli_args *args)
{
	struct symbols s;
	struct out out = { .s = &s, .json = args->json };
	int status = cli_source_open(&s, args);

	if (status)
		return status;
	if (args->inlined)
		status = show_inlined(&out, args->words[0]);
	else
		status = show_matching(&out, args->words[0]);
	if (out.json && !status)
		puts(out.nr ? "\n]" : "[]");
	if (!status && !out.nr)
		status = none(args, &s);
	symbols_close(&s);
	return status;
}

const struct cli_command cli_funcs = {
	.name = "funcs", .synopsis = "PATTERN [-b FILE | -p PID] [--inlined] [--json]",
	.summary = "show functions and how they can be probed",
	.takes = CLI_TAKES_PID | CLI_TAKES_BINARY | CLI_TAKES_JSON |
		 CLI_TAKES_INLINED,
	.least = 1, .most = 1, .run = run,
	.help =
		"PATTERN: a name or a glob ('*alloc*'), optionally with an object in front (libc:*).\n",
};
