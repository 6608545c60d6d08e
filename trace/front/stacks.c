/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stacks.c - kstack and ustack, alone or with a mode and a depth.
 *
 * Owns: the modes and depths that a script may request.
 */
#include "check.h"

#include <string.h>

const char *trace_stack_mode(const char *word)
{
	static const char *const modes[] = { "bpftrace", "perf", "raw", "lines" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(modes); i++)
		if (!strcmp(word, modes[i]))
			return i ? modes[i] : "";
	return NULL;
}

static void check_mode(struct check *c, struct expr *e, struct expr *mode)
{
	const char *format = mode->kind == E_NAME ? trace_stack_mode(mode->name) : NULL;

	if (format) {
		e->type.t.format = format;
		return;
	}
	front_fail(c->f, mode->pos, "stacks are shown as bpftrace, perf, raw or lines: raw has addresses, "
		   "perf also files");
}

void stack_check(struct check *c, struct expr *e, bool user)
{
	int64_t frames = KT_DEPTH_MAX;
	struct expr *limit = NULL;

	e->type = type_of(c, user ? TRACE_USTACK : TRACE_KSTACK, 8);
	e->type.t.format = c->f->env->stack_mode ? c->f->env->stack_mode : "";
	if (e->kind == E_CALL && e->args_nr == 2) {
		check_mode(c, e, e->args[0]);
		limit = e->args[1];
	} else if (e->kind == E_CALL && e->args_nr == 1) {
		if (e->args[0]->kind == E_NAME)
			check_mode(c, e, e->args[0]);
		else
			limit = e->args[0];
	}
	if (limit) {
		frames = check_want_constant(c, limit, "how deep a stack is");
		if (frames < 1 || frames > KT_DEPTH_MAX)
			front_fail(c->f, limit->pos, "a stack has 1 to %d frames",
				   KT_DEPTH_MAX);
	}
	e->type.t.frames = (uint32_t)frames;
}

static void put_stack(struct gen *g, const struct expr *e, int reg)
{
	code_put(g, KT_STACK, reg, 0, e->type.t.kind == TRACE_USTACK ? KT_USER : 0,
		 (int32_t)e->type.t.frames);
	if (e->type.t.frames > g->f->depth)
		g->f->depth = e->type.t.frames;
}

int stack_gen(struct gen *g, struct expr *e, int want)
{
	want = code_dest(g, want);
	put_stack(g, e, want);
	return want;
}

/* Its number and whose it is, 4 bytes each. */
void stack_wide(struct gen *g, struct expr *e, uint32_t at)
{
	int reg = code_temp(g);

	put_stack(g, e, reg);
	code_put_store(g, reg, at, 4);
	code_put(g, KT_GET, reg, 0, 0, KT_GET_PID);
	code_put_store(g, reg, at + 4, 4);
	g->temps = reg;
}
