// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * way.c - no other way back than a signal's frame.
 *
 * Owns: that there is none on processors for which none is written yet, and that the kernel
 * brings the return from signal handlers itself.
 */
#include "frame.h"

bool way_possible(const struct remote *remote)
{
	(void)remote;
	return false;
}

uint64_t way_make(const struct remote *remote, const struct tracee_regs *regs, uint64_t mask)
{
	(void)remote;
	(void)regs;
	(void)mask;
	return 0;
}

int way_set_mask(const struct remote *remote, uint64_t way, uint64_t mask)
{
	(void)remote;
	(void)way;
	(void)mask;
	return ENOSYS;
}

void way_unmake(const struct remote *remote, uint64_t way)
{
	(void)remote;
	(void)way;
}

uint64_t way_stale(const struct remote *remote)
{
	(void)remote;
	return 0;
}

bool way_holds(uint64_t way, uint64_t ip)
{
	(void)way;
	(void)ip;
	return false;
}

uint64_t restorer_make(const struct remote *remote)
{
	(void)remote;
	return 0;
}

void restorer_unmake(const struct remote *remote, uint64_t addr)
{
	(void)remote;
	(void)addr;
}
