/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * config.c - config = { max_map_keys = 100; stack_mode = perf }, and the kinds of maps.
 *
 * Owns: the settings that a script may make for itself.  One that the environment makes holds
 * against the script's.  Those that only BPF, or the peer's own way of working, has a use for
 * are known and change nothing.
 */
#include "parse.h"

#include <stdlib.h>
#include <string.h>

enum setting { KEYS, STRING, STACK, MISSING, PRINT_MAPS, NOTHING };

static const struct {
	const char *name;
	enum setting is;
} settings[] = {
	{ "max_map_keys", KEYS }, { "map_keys_max", KEYS },
	{ "max_strlen", STRING }, { "strlen", STRING },
	{ "stack_mode", STACK },
	{ "missing_probes", MISSING },
	{ "print_maps_on_exit", PRINT_MAPS },
	{ "cache_user_symbols", NOTHING }, { "cpp_demangle", NOTHING },
	{ "lazy_symbolication", NOTHING }, { "license", NOTHING },
	{ "log_size", NOTHING }, { "max_bpf_progs", NOTHING },
	{ "max_cat_bytes", NOTHING }, { "max_probes", NOTHING },
	{ "max_ast_nodes", NOTHING }, { "max_type_res_iterations", NOTHING },
	{ "on_stack_limit", NOTHING }, { "perf_rb_pages", NOTHING },
	{ "show_debug_info", NOTHING }, { "str_trunc_trailer", NOTHING },
	{ "symbol_source", NOTHING }, { "use_blazesym", NOTHING },
	{ "unstable_addr", NOTHING }, { "unstable_import", NOTHING },
	{ "unstable_macro", NOTHING }, { "unstable_map_decl", NOTHING },
	{ "unstable_tseries", NOTHING },
};

/* In small letters, without BPFTRACE_. */
static const char *plain(struct front *f, const char *name)
{
	char *text;
	size_t i;

	if (!strncmp(name, "BPFTRACE_", 9))
		name += 9;
	text = front_text(f, name, strlen(name));
	for (i = 0; text[i]; i++)
		if (text[i] >= 'A' && text[i] <= 'Z')
			text[i] = (char)(text[i] + 'a' - 'A');
	return text;
}

static enum setting find(struct front *f, const char *name, struct pos pos)
{
	const char *names[ARRAY_SIZE(settings)], *meant;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		if (!strcmp(settings[i].name, name))
			return settings[i].is;
		names[i] = settings[i].name;
	}
	meant = front_meant(name, names, ARRAY_SIZE(names));
	if (meant)
		front_fail(f, pos, "there is no setting %s: is %s meant?", name, meant);
	front_fail(f, pos, "there is no setting %s", name);
}

static uint32_t number(struct lex *lex, const struct token *t, uint32_t least, uint32_t most)
{
	if (t->kind != T_INT || t->value < least || t->value > most)
		front_fail(lex->f, t->pos, "a number from %u to %u is expected here", least, most);
	return (uint32_t)t->value;
}

bool trace_missing_mode(const char *word, enum trace_missing *missing)
{
	static const char *const words[] = {
		[TRACE_MISSING_ERROR] = "error", [TRACE_MISSING_WARN] = "warn",
		[TRACE_MISSING_IGNORE] = "ignore",
	};
	uint32_t i;

	for (i = TRACE_MISSING_ERROR; i < ARRAY_SIZE(words); i++)
		if (!strcmp(word, words[i])) {
			*missing = (enum trace_missing)i;
			return true;
		}
	return false;
}

/* "" where it is none. */
static const char *word_of(const struct token *t)
{
	return t->kind == T_NAME || t->kind == T_STRING ? t->text : "";
}

static bool truth(struct lex *lex, const struct token *t)
{
	if (t->kind == T_INT && (t->value == 0 || t->value == 1))
		return t->value == 1;
	if (!strcmp(word_of(t), "true") || !strcmp(word_of(t), "false"))
		return word_of(t)[0] == 't';
	front_fail(lex->f, t->pos, "true or false is expected here");
}

static void set(struct lex *lex, enum setting is, const struct token *t)
{
	struct trace_env *env = &lex->f->own_env;
	enum trace_missing missing;
	const char *stacks;
	uint32_t value;

	switch (is) {
	case KEYS:
		value = number(lex, t, 1, KT_KEYS_MAX);
		if (!(env->given & TRACE_GIVEN_KEYS))
			env->keys_max = value;
		break;
	case STRING:
		value = number(lex, t, 1, 1u << 20);
		if (value > TRACE_STRLEN_MAX)
			front_warn(lex->f, t->pos, "strings have at most %u bytes here",
				   TRACE_STRLEN_MAX);
		if (!(env->given & TRACE_GIVEN_STRLEN))
			env->strlen_max = value < TRACE_STRLEN_MAX ? value : TRACE_STRLEN_MAX;
		break;
	case STACK:
		stacks = trace_stack_mode(word_of(t));
		if (!stacks)
			front_fail(lex->f, t->pos, "bpftrace, perf, raw or lines is expected here");
		if (!(env->given & TRACE_GIVEN_STACK))
			env->stack_mode = stacks;
		break;
	case MISSING:
		if (!trace_missing_mode(word_of(t), &missing))
			front_fail(lex->f, t->pos, "error, warn or ignore is expected here");
		if (!(env->given & TRACE_GIVEN_MISSING))
			env->missing = missing;
		break;
	case PRINT_MAPS:
		lex->f->script->hides_maps = !truth(lex, t);
		break;
	case NOTHING:
		if (t->kind != T_INT && t->kind != T_NAME && t->kind != T_STRING)
			parse_unexpected(lex, "a value");
		break;
	}
}

void config_parse(struct lex *lex)
{
	struct front *f = lex->f;
	enum setting is;

	lex_next(lex);
	if (f->clauses)
		front_fail(f, lex->token.pos, "config stands above all probes");
	lex_next(lex);
	parse_want(lex, '=', "=");
	parse_want(lex, '{', "{");
	if (f->env != &f->own_env)
		f->own_env = *f->env;
	f->env = &f->own_env;
	while (!parse_is(lex, '}')) {
		if (lex->token.kind != T_NAME)
			parse_unexpected(lex, "the name of a setting");
		is = find(f, plain(f, lex->token.text), lex->token.pos);
		lex_next(lex);
		parse_want(lex, '=', "=");
		set(lex, is, &lex->token);
		lex_next(lex);
		if (!parse_take(lex, ';') && !parse_take(lex, ','))
			break;
	}
	if (!parse_is(lex, '}'))
		parse_unexpected(lex, "; or }");
}

void config_map(struct front *f, const char *kind, struct pos pos)
{
	static const char *const kinds[] = {
		"hash", "lruhash", "percpuhash", "percpulruhash", "percpuarray", "array",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kind, kinds[i]))
			return;
	front_fail(f, pos, "there is no kind of map %s: hash, lruhash, percpuhash and percpulruhash "
		   "are known", kind);
}
