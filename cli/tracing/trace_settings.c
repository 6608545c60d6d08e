// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_settings.c - what the user's environment sets for scripts: BPFTRACE_MAX_STRLEN ...
 *
 * Owns: the names of these variables, the older ones too, and what is said of a value that is
 * none.  A script's own config = { } changes what the environment does not set.
 */
#include "cli.h"
#include "tracing.h"

#include <stdio.h>
#include <stdlib.h>

/* A value that means nothing is reported once, however often an environment is made. */
static void ignored(const char *name, const char *text, const char *wants)
{
	static const char *said[4];
	unsigned int i;

	for (i = 0; i < sizeof(said) / sizeof(said[0]) && said[i]; i++)
		if (said[i] == name)
			return;
	if (i < sizeof(said) / sizeof(said[0]))
		said[i] = name;
	cli_error("%s=%s is ignored: it is %s", name, text, wants);
}

/* The text that the variable has, or the older one; *name says which.  NULL: none. */
static const char *text_of(const char **name, const char *older)
{
	const char *text = getenv(*name);

	if ((!text || !*text) && older) {
		*name = older;
		text = getenv(older);
	}
	return text && *text ? text : NULL;
}

/* 0: there is none. */
static uint32_t number_of(const char *name, const char *older, uint32_t most)
{
	const char *text = text_of(&name, older);
	unsigned long given;
	char *end, wants[40];

	if (!text)
		return 0;
	given = strtoul(text, &end, 10);
	if (!*end && given && given <= most)
		return (uint32_t)given;
	snprintf(wants, sizeof(wants), "a number from 1 to %u", most);
	ignored(name, text, wants);
	return 0;
}

void tracing_settings(struct trace_env *env)
{
	const char *stacks = "BPFTRACE_STACK_MODE", *missing = "BPFTRACE_MISSING_PROBES", *text;
	uint32_t strlen_max = number_of("BPFTRACE_MAX_STRLEN", "BPFTRACE_STRLEN",
					TRACE_STRLEN_MAX);
	uint32_t keys_max = number_of("BPFTRACE_MAX_MAP_KEYS", "BPFTRACE_MAP_KEYS_MAX",
				      KT_KEYS_MAX);

	if (strlen_max) {
		env->strlen_max = strlen_max;
		env->given |= TRACE_GIVEN_STRLEN;
	}
	if (keys_max) {
		env->keys_max = keys_max;
		env->given |= TRACE_GIVEN_KEYS;
	}
	text = text_of(&stacks, NULL);
	env->stack_mode = text ? trace_stack_mode(text) : NULL;
	if (env->stack_mode)
		env->given |= TRACE_GIVEN_STACK;
	else if (text)
		ignored(stacks, text, "bpftrace, perf, raw or lines");
	text = text_of(&missing, NULL);
	if (text && trace_missing_mode(text, &env->missing))
		env->given |= TRACE_GIVEN_MISSING;
	else if (text)
		ignored(missing, text, "error, warn or ignore");
}
