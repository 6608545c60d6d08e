// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_settings.c - what the user's environment sets for scripts: BPFTRACE_MAX_STRLEN ...
 *
 * Owns: the names of these variables, the older ones too, and what is said of a value that is
 * none.  A script's own config = { } changes what the environment does not set.
 */
#include "cli.h"
#include "tracing.h"

#include <stdlib.h>
#include <string.h>

/* The number that the first of two variables has, or the second; 0: none. */
static uint32_t number_of(const char *name, const char *older, uint32_t most)
{
	const char *text = getenv(name);
	unsigned long given;
	static bool said;
	char *end;

	if (!text || !*text) {
		name = older;
		text = getenv(older);
	}
	if (!text || !*text)
		return 0;
	given = strtoul(text, &end, 10);
	if (!*end && given && given <= most)
		return (uint32_t)given;
	if (!said)
		cli_error("%s=%s is ignored: it is a number from 1 to %u", name, text, most);
	said = true;
	return 0;
}

/* Which of the words the variable has, or 0. */
static uint32_t word_of(const char *name, const char *const *words, uint32_t nr)
{
	const char *text = getenv(name);
	static bool said;
	uint32_t i;

	if (!text || !*text)
		return 0;
	for (i = 1; i < nr; i++)
		if (!strcmp(text, words[i]))
			return i;
	if (!said)
		cli_error("%s=%s is ignored: it is %s, %s or %s", name, text, words[1],
			  words[2], words[3]);
	said = true;
	return 0;
}

void tracing_settings(struct trace_env *env)
{
	static const char *const stacks[] = { "", "bpftrace", "perf", "raw", "lines" };
	static const char *const missing[] = { "", "error", "warn", "ignore" };
	uint32_t strlen_max = number_of("BPFTRACE_MAX_STRLEN", "BPFTRACE_STRLEN",
					TRACE_STRLEN_MAX);
	uint32_t keys_max = number_of("BPFTRACE_MAX_MAP_KEYS", "BPFTRACE_MAP_KEYS_MAX",
				      KT_KEYS_MAX);
	uint32_t stack = word_of("BPFTRACE_STACK_MODE", stacks, 5);

	if (strlen_max) {
		env->strlen_max = strlen_max;
		env->given |= TRACE_GIVEN_STRLEN;
	}
	if (keys_max) {
		env->keys_max = keys_max;
		env->given |= TRACE_GIVEN_KEYS;
	}
	if (stack) {
		env->stack_mode = stack == 1 ? "" : stacks[stack];
		env->given |= TRACE_GIVEN_STACK;
	}
	env->missing = (enum trace_missing)word_of("BPFTRACE_MISSING_PROBES", missing, 4);
	if (env->missing)
		env->given |= TRACE_GIVEN_MISSING;
}
