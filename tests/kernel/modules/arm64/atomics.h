/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * atomics.h - does the machine report atomics to who watches reads, too?
 *
 * Owns: saying that it does: perf's own handlers are called before the access, for ever.
 */
#ifndef KP_TEST_ATOMICS_H
#define KP_TEST_ATOMICS_H

static int perf_is_told(long *word, void (*change)(void))
{
	return INT_MAX;
}

#endif
