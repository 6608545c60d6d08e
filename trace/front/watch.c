/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * watch.c - watchpoint:PLACE[:BYTES][:MODE]
 *
 * Owns: what stands behind the place, and the arguments: args.before and the like,
 * or arg0 and so on, which whoever runs the program has in registers.
 */
#include "ast.h"

#include "vm/program.h"

#include <stdlib.h>
#include <string.h>

#define BYTES_MAX (1u << 20)

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
	{ "x", 0, "use uprobe: or kprobe:" },
};

static uint32_t mode(struct front *f, const struct attach *at, const char *word)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		if (strcmp(word, modes[i].name))
			continue;
		if (modes[i].instead)
			fail(f, at->pos, "a watchpoint of mode %s cannot be: %s", word,
			     modes[i].instead);
		return modes[i].kind;
	}
	fail(f, at->pos, "'%s' is no mode of a watchpoint: w, rw, or c for what changes "
	     "the value", word);
}

static uint32_t bytes(struct front *f, const struct attach *at, const char *word)
{
	char *end;
	unsigned long n = strtoul(word, &end, 0);

	if (*word < '0' || *word > '9' || *end || !n || n > BYTES_MAX)
		fail(f, at->pos, "'%s' is no number of bytes to watch", word);
	return (uint32_t)n;
}

void watch_read(struct front *f, struct attach *at, char *const *words, int nr)
{
	bool has_bytes = nr > 1 || (nr && *words[0] >= '0' && *words[0] <= '9');
	bool has_mode = nr > has_bytes;
	uint32_t len = has_bytes ? bytes(f, at, words[0]) : 0;
	uint32_t kind = has_mode ? mode(f, at, words[has_bytes]) : KT_WATCH_WRITE;

	if (!len && at->a.is_address)
		fail(f, at->pos, "how many bytes? as in %s:8:w", at->text);
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
