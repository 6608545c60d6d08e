// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * park.c - no place where a new process could wait.
 *
 * Owns: that there is none on processors for which none is written yet.
 */
#include "park.h"

bool park_is_known(void)
{
	return false;
}

uint64_t park_make(const struct remote *remote, pid_t holder, uint64_t begin)
{
	(void)begin;
	(void)remote;
	(void)holder;
	return 0;
}

void park_unmake(const struct remote *remote, uint64_t park)
{
	(void)remote;
	(void)park;
}

uint64_t park_wait_at(uint64_t park)
{
	return park;
}

uint64_t park_end_at(const struct remote *remote, uint64_t park, int status)
{
	(void)remote;
	(void)status;
	return park;
}
