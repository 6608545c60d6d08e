/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * watch.c - watchpoint:PLACE[:BYTES][:MODE], kwatchpoint:, watch() and unwatch()
 *
 * Owns: the parts behind the place, and the arguments: args.before and the like, or arg0 and so
 * on, which the program's runner has in registers.  The place * is the memory that watch() has
 * selected meanwhile.
 */
#include "check.h"

#include "vm/program.h"
#include "kt_regs.h"

#include <stdlib.h>
#include <string.h>

#define BYTES_MAX (1u << 20)
#define ANY "*"
#define EXECUTED UINT32_MAX		/* no access to memory: a probe on the instruction */

static const struct {
	const char *name;
	uint32_t kind;
	const char *instead;		/* why it is refused */
} modes[] = {
	{ "w", KT_WATCH_WRITE, NULL },
	{ "rw", KT_WATCH_RW, NULL },
	{ "wr", KT_WATCH_RW, NULL },
	{ "c", KT_WATCH_CHANGED, NULL },
	{ "r", 0, "no processor tells of reads alone: use rw" },
	{ "x", EXECUTED, NULL },
};

static uint32_t mode(struct front *f, const struct attach *at, const char *word)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		if (strcmp(word, modes[i].name))
			continue;
		if (modes[i].instead)
			front_fail(f, at->pos, "a watchpoint of mode %s cannot be: %s", word,
				   modes[i].instead);
		return modes[i].kind;
	}
	front_fail(f, at->pos, "'%s' is no mode of a watchpoint: w, rw, or c for what changes "
		   "the value", word);
}

static uint32_t bytes(struct front *f, const struct attach *at, const char *word)
{
	char *end;
	unsigned long n = strtoul(word, &end, 0);

	if (*word < '0' || *word > '9' || *end || !n || n > BYTES_MAX)
		front_fail(f, at->pos, "'%s' is no number of bytes to watch", word);
	return (uint32_t)n;
}

/* "FUNCTION+arg1": what this argument points to, from each call on. */
static void read_argument(struct attach *at)
{
	char *plus = strrchr(at->a.function, '+');
	char *digits = plus && !strncmp(plus + 1, "arg", 3) ? plus + 4 : NULL;

	if (!digits || !*digits || digits[strspn(digits, "0123456789")] || strlen(digits) > 2)
		return;
	*plus = 0;
	at->arg_of = at->a.function;
	at->arg_name = plus + 1;
	at->a.function = ANY;
}

bool watch_is_name(const char *word)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(modes); i++)
		if (!strcmp(word, modes[i].name))
			return false;
	/* What is shorter is a mode that was mistyped. */
	return strlen(word) > 2 && (*word < '0' || *word > '9');
}

void watch_read(struct front *f, struct attach *at, char *const *words, int nr)
{
	bool has_bytes = nr > 1 || (nr && *words[0] >= '0' && *words[0] <= '9');
	bool has_mode = nr > has_bytes;
	uint32_t len = has_bytes ? bytes(f, at, words[0]) : 0;
	uint32_t kind = has_mode ? mode(f, at, words[has_bytes]) : KT_WATCH_WRITE;

	read_argument(at);
	if (at->arg_of && (!len || *at->a.provider == 'k' || kind == EXECUTED))
		front_fail(f, at->pos, "what an argument points to is memory of a process, of so many "
			   "bytes: watchpoint:FUNCTION+arg1:8:w");
	if (kind == EXECUTED) {
		at->a.provider = *at->a.provider == 'k' ? "kprobe" : "uprobe";
		return;
	}
	if (at->arg_of) {
		at->arg_bytes = len;
		at->a.watch = KT_WATCH(0, kind);
		return;
	}

	if (!strcmp(at->a.function, ANY) && *at->a.provider == 'k')
		front_fail(f, at->pos, "what a script names while it runs is memory of a process: "
			   "watchpoint:*");
	if (has_bytes && !strcmp(at->a.function, ANY))
		front_fail(f, at->pos, "how many bytes of it are watched, watch(address, bytes) says");
	if (!len && at->a.is_address)
		front_fail(f, at->pos, "how many bytes? as in %s:8:w", at->text);
	at->a.watch = KT_WATCH(len, kind);
}

static const int regs[] = KT_WATCH_REGS;
static const char *const names[] = KT_WATCH_REGS_NAMES;

const struct trace_arg *watch_args(uint32_t *nr)
{
	static const struct ctype word = { .kind = CTYPE_INT, .size = 8,
					   .name = "unsigned long" };
	static struct trace_arg args[ARRAY_SIZE(regs)];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(regs); i++)
		args[i] = (struct trace_arg){
			.name = names[i], .type = &word,
			.kind = TRACE_ARG_REGISTER, .value = regs[i],
		};
	*nr = ARRAY_SIZE(regs);
	return args;
}

bool watch_replaces(int reg)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(regs); i++)
		if (regs[i] == reg)
			return true;
	return false;
}

/* ---- while it runs ---------------------------------------------------------- */

bool watch_is_any(const struct trace_place *place)
{
	return !strcmp(place->function, ANY);
}

static bool tells_of_any(const struct variant *v)
{
	const struct place *p = v->attach->a.watch ? v->places : NULL;

	while (p && !watch_is_any(&p->p))
		p = p->next;
	return p;
}

/* One that tells of what is named; all have one mode. */
static const struct attach *any_watch(struct check *c)
{
	const struct attach *found = NULL;
	const struct variant *v;

	for (v = c->f->variants; v; v = v->next) {
		const struct attach *at = v->attach;

		if (!tells_of_any(v))
			continue;
		if (found && found->a.watch != at->a.watch)
			front_fail(c->f, at->pos, "what watch() names is watched in one way: give all watchpoint:* one mode");
		found = at;
	}
	return found;
}

static void check_process(struct check *c, const struct expr *e)
{
	if (c->v->kind == VARIANT_BLOCK || c->v->kernel)
		front_fail(c->f, e->pos, "%s() belongs to a probe in a process, as in uretprobe:malloc",
			   e->name);
}

void watch_check(struct check *c, struct expr *e)
{
	check_process(c, e);
	check_number(c, e->args[0], "the address");
	check_number(c, e->args[1], "how many bytes are watched");
	if (!any_watch(c))
		front_fail(c->f, e->pos, "nothing tells of what is watched: add watchpoint:*");
}

int watch_gen(struct gen *g, struct expr *e, int want)
{
	int temps = g->temps, addr = gen_value(g, e->args[0], -1);

	code_put(g, KT_WATCH_ON, addr, gen_value(g, e->args[1], -1), 0, 0);
	g->temps = temps;
	return want;
}

void watch_check_end(struct check *c, struct expr *e)
{
	check_process(c, e);
	check_number(c, e->args[0], "the address");
}

int watch_gen_end(struct gen *g, struct expr *e, int want)
{
	code_put(g, KT_WATCH_OFF, gen_value(g, e->args[0], -1), 0, 0, 0);
	return want;
}
