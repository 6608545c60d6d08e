// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * jail.c - in place of the jail: a fuzzer's worker is one by itself.
 *
 * Owns: the answers, that nothing is there to be opened, and nobody to be waited for.
 */
#include "jail.h"

#include <errno.h>
#include <string.h>

bool jail_inside(void)
{
	return true;
}

int jail_split(const struct view *view, const char *name)
{
	(void)view;
	(void)name;
	return -ENOENT;
}

int jail_mapping(const struct view *view, uint64_t start)
{
	(void)view;
	(void)start;
	return -ENOENT;
}

int jail_build_id(const struct view *view, const uint8_t *id, size_t len)
{
	(void)view;
	(void)id;
	(void)len;
	return -ENOENT;
}

int jail_debuglink(const struct view *view, uint64_t start, const char *name,
		   unsigned int place)
{
	(void)view;
	(void)start;
	(void)place;
	return strlen(name) ? -ENOENT : -EINVAL;
}

int jail_perf_map(const struct view *view)
{
	(void)view;
	return -ENOENT;
}

bool jail_begin(struct view *view, struct cli_lines *take, int *status)
{
	(void)view;
	(void)take;
	*status = 1;
	return false;
}

int jail_close(bool lasts)
{
	(void)lasts;
	return 1;
}

int jail_view(struct view *view, pid_t pid, unsigned int who, const char *program)
{
	(void)view;
	(void)pid;
	(void)who;
	(void)program;
	return -ENOENT;
}

bool jail_start(struct jail *jail, struct view *views, unsigned int nr,
		struct jail_guests *guests, int keep, struct cli_lines *take,
		int *status)
{
	(void)guests;
	(void)jail;
	(void)nr;
	(void)keep;
	return jail_begin(views, take, status);
}

int jail_kept(void)
{
	return -1;
}

bool jail_pass(struct jail *jail, int ms)
{
	(void)jail;
	(void)ms;
	return false;
}

int jail_end(struct jail *jail)
{
	(void)jail;
	return 1;
}
