/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dis.c - a function's instructions, and what can be probed of them.
 *
 * Owns: the subcommand dis.  An instruction is shown as it is without probes.  If the text
 * differs now, the bytes that are there are shown beside it.  For a file, and for text that is
 * not patched, --plan shows what a probe would write.
 */
#include "arch.h"
#include "insn_text.h"
#include "points.h"
#include "source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void json_bytes(const char *name, const uint8_t *bytes, size_t len)
{
	size_t i;

	printf(", \"%s\": \"", name);
	for (i = 0; i < len; i++)
		printf("%s%02x", i ? " " : "", bytes[i]);
	putchar('"');
}

static void print_bytes(const uint8_t *bytes, size_t len, int width)
{
	size_t i;

	for (i = 0; i < len; i++, width -= 3)
		printf("%02x ", bytes[i]);
	printf("%*s", width > 0 ? width : 0, "");
}

/* The symbol that an operand leads to, as "name+0x12"; "" for none. */
static void name_target(char *dst, size_t len, const struct symbols *s,
			uint64_t target)
{
	const struct symbol *sym = symbols_at(s, target);

	if (!sym)
		return;
	if (target == sym->addr)
		snprintf(dst, len, "%s", sym->name);
	else
		snprintf(dst, len, "%s+0x%" PRIx64, sym->name,
			 target - sym->addr);
}

struct text {
	char insn[256];
	char target[600];
};

static void disassemble(struct text *out, const struct symbols *s,
			const struct point *point)
{
	uint64_t target;

	out->target[0] = 0;
	if (insn_text(out->insn, sizeof(out->insn), point->bytes, point->len,
		      point->addr, point->second, &target))
		name_target(out->target, sizeof(out->target), s, target);
}

/* The bytes that stand there now; false when they are the original ones. */
static bool patched(const struct symbols *s, const struct point *point,
		    uint8_t *now)
{
	return s->kind != SYMBOLS_FILE &&
	       symbols_read_now(s, point->addr, now, point->len) ==
	       point->len && memcmp(now, point->bytes, point->len);
}

/* 'j', 'b', 'f' or 'x'. */
static char mark_of(const struct point *point)
{
	return point->why_not ? 'x' : points_way(point)[0];
}

static void print_plan(const struct point *point)
{
	unsigned int i;

	if (point->why_not || point->traced)
		return;
	printf("%24splan:", "");
	for (i = 0; i < point->bp_len; i++)
		printf(" %02x", point->bp[i]);
	if (!point->why_slow && point->jump_len) {
		printf(", then");
		for (i = 0; i < point->jump_len; i++) {
			if (point->jump_known[i] == 0xff)
				printf(" %02x", point->jump[i]);
			else
				printf(" ??");
		}
	}
	putchar('\n');
}

static void print_point(const struct symbols *s, const struct symbol *fn,
			const struct point *point, bool plan)
{
	enum cli_colour colour = point->why_not ? CLI_RED :
				 point->why_slow ? CLI_YELLOW : CLI_GREEN;
	const char *why = point->why_not ? point->why_not : point->why_slow;
	struct text text;
	uint8_t now[KP_ARCH_INSN_MAX];

	disassemble(&text, s, point);
	printf("%s%c%s %016" PRIx64 " %s+0x%-5" PRIx64, cli_colour(colour),
	       mark_of(point), cli_colour(CLI_PLAIN), point->addr,
	       "", point->addr - fn->addr);
	print_bytes(point->bytes, point->len, 31);
	printf("%s", text.insn);
	if (text.target[0])
		printf("  %s# %s%s", cli_colour(CLI_CYAN), text.target,
		       cli_colour(CLI_PLAIN));
	if (why)
		printf("  %s; %s%s", cli_colour(CLI_DIM), why,
		       cli_colour(CLI_PLAIN));
	putchar('\n');
	if (patched(s, point, now)) {
		printf("%s%26s", cli_colour(CLI_BOLD), "now: ");
		print_bytes(now, point->len, 0);
		printf("%s\n", cli_colour(CLI_PLAIN));
	}
	if (plan)
		print_plan(point);
}

static void json_why(const char *name, const char *why)
{
	printf(", \"%s\": ", name);
	if (why)
		cli_json_string(why, strlen(why));
	else
		printf("null");
}

static void json_point(const struct symbols *s, const struct symbol *fn,
		       const struct point *point, bool first)
{
	struct text text;
	uint8_t now[KP_ARCH_INSN_MAX];

	disassemble(&text, s, point);
	printf("%s\n    {\"address\": \"0x%" PRIx64 "\", \"offset\": %" PRIu64,
	       first ? "" : ",", point->addr, point->addr - fn->addr);
	json_bytes("bytes", point->bytes, point->len);
	printf(", \"text\": ");
	cli_json_string(text.insn, strlen(text.insn));
	json_why("target", text.target[0] ? text.target : NULL);
	json_why("way", points_way(point));
	printf(", \"probeable\": %s", point->why_not ? "false" : "true");
	json_why("why_not", point->why_not);
	printf(", \"optimizable\": %s", point->why_slow ? "false" : "true");
	json_why("why_not_optimizable",
		 point->why_not ? NULL : point->why_slow);
	if (patched(s, point, now))
		json_bytes("now", now, point->len);
	putchar('}');
}

static bool traced(const struct points *points)
{
	size_t i;

	for (i = 0; i < points->nr; i++)
		if (points->all[i].traced)
			return true;
	return false;
}

static void print_all(const struct symbols *s, const struct symbol *fn,
		      const struct points *points, bool plan)
{
	const struct symbol_module *m = &s->modules[fn->module];
	size_t i;

	printf("%s%s%s%s%s%s at 0x%" PRIx64 ", %" PRIu64 " bytes; j: can become a jump, b: breakpoint, %sx: cannot be probed\n",
	       cli_colour(CLI_BOLD), fn->name, cli_colour(CLI_PLAIN),
	       m->owner[0] ? " [" : "", m->owner, m->owner[0] ? "]" : "",
	       fn->addr, fn->size,
	       traced(points) ? "f: through the function tracer, " : "");
	for (i = 0; i < points->nr; i++)
		print_point(s, fn, &points->all[i], plan);
	if (points->broken)
		printf("  the rest is %s\n", points->broken);
}

static void json_all(const struct symbols *s, const struct symbol *fn,
		     const struct points *points)
{
	size_t i;

	printf("{\"name\": ");
	cli_json_string(fn->name, strlen(fn->name));
	printf(", \"owner\": ");
	cli_json_string(s->modules[fn->module].owner,
			strlen(s->modules[fn->module].owner));
	printf(", \"address\": \"0x%" PRIx64 "\", \"size\": %" PRIu64
	       ", \"instructions\": [", fn->addr, fn->size);
	for (i = 0; i < points->nr; i++)
		json_point(s, fn, &points->all[i], !i);
	printf("\n]}\n");
}

static int run(const struct cli_args *args)
{
	const char *where = args->words[0];
	const struct symbol *fn;
	struct symbols_choice choice;
	struct points points;
	struct symbols s;
	uint64_t addr;
	int err, status = cli_source_open(&s, args);

	if (status)
		return status;
	err = symbols_choose(&s, where, &addr, &fn, &choice);
	if (!err && !fn)
		err = symbols_fail(&s, -ENOENT, "%s: no function is known there",
				   where);
	if (err)
		return cli_source_failed(&s, err);
	err = points_of(&points, &s, fn);
	if (err == -EIO)
		symbols_fail(&s, err, "%s: its code cannot be read%s", where,
			     s.kind == SYMBOLS_KERNEL ?
			     "; it comes from kprobes.ko, or else from /proc/kcore: load the one as root, or use a kernel with CONFIG_PROC_KCORE" : "");
	else if (err)
		symbols_fail(&s, err, "%s: %s", where, strerror(-err));
	if (err)
		return cli_source_failed(&s, err);
	if (choice.nr > 1)
		cli_error("%s: several functions have this name, and the first one is shown; name one by its place: %s",
			  where, choice.places);
	if (args->json)
		json_all(&s, fn, &points);
	else
		print_all(&s, fn, &points, args->plan);
	points_free(&points);
	symbols_close(&s);
	return CLI_OK;
}

const struct cli_command cli_dis = {
	.name = "dis", .synopsis = "PLACE [-b FILE | -p PID] [--plan] [--json]",
	.summary = "disassemble a function and mark what can be probed",
	.takes = CLI_TAKES_PID | CLI_TAKES_BINARY | CLI_TAKES_JSON |
		 CLI_TAKES_PLAN,
	.least = 1, .most = 1, .run = run,
	.help =
		"PLACE: a function, function+0x12, object:function, or an address.\n",
};
