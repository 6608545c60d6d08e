/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * environment.c - what the environment asks for.
 *
 * Owns: the reading of KPROBES_… variables.  A program that runs with rights
 * that its user does not have (AT_SECURE: setuid, file capabilities, a security
 * module's transition) takes no wishes from that user's environment.
 *
 * "kprobes load -- COMMAND" asks for one program, not for all that it starts:
 * it says so with KPROBES_ONCE, whose value is the LD_PRELOAD that the user
 * had.  Then what it set is gone before main, in the very array that main gets.  What
 * follow.c sets goes in the same way; that program does not know of it, so nothing is
 * said on its standard error.
 */
#include "process/environment.h"
#include "face.h"
#include "sys.h"

#include <elf.h>

static char **variable(const char *name)
{
	size_t len = strlen(name);
	char **at;

	for (at = kp_face_environment(); at && *at; at++)
		if (!strncmp(*at, name, len) && (*at)[len] == '=')
			return at;
	return NULL;
}

const char *kp_user_wish(const char *name)
{
	char **at = kp_face_auxv(AT_SECURE) ? NULL : variable(name);

	return at ? *at + strlen(name) + 1 : NULL;
}

static void forget(const char *name)
{
	char **at = variable(name);

	for (; at && *at; at++)
		at[0] = at[1];
}

/* In its own bytes: main may have the array and not the C library's idea of it. */
static void restore_preload(const char *before)
{
	char **at = variable("LD_PRELOAD");
	size_t len = strlen(before), name_len = strlen("LD_PRELOAD=");

	if (!len)
		forget("LD_PRELOAD");
	else if (at && strlen(*at) >= name_len + len)
		memmove(*at + name_len, before, len + 1);
}

void kp_user_wishes_end(void)
{
	const char *before = kp_user_wish("KPROBES_ONCE");

	if (!before)
		before = kp_user_wish("KPROBES_FOLLOWED");
	if (!before)
		return;
	restore_preload(before);
	forget("KPROBES_LOAD");
	forget("KPROBES_ONCE");
	forget("KPROBES_AGAIN");
	forget("KPROBES_FOLLOWED");
}
