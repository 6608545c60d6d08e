/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * plain_calls.h - where a system call's number says all of what it does.
 *
 * Owns: the empty answers to what calls.h is asked on other processors: calls that the
 * command's lists mean, too, and what a call is that leads to another one.
 */
#ifndef KP_CLI_PLAIN_CALLS_H
#define KP_CLI_PLAIN_CALLS_H

#include <stdbool.h>

/* Does the second argument say where those of the call that it leads to lie? */
#define CALLS_BY_POINTER(call) false

#define CALLS_SLEEPS			/* restart.c: numbers of calls that sleep */
#define CALLS_REFUSED			/* confine.c: numbers */
#define CALLS_JAIL			/* jail.c: MAY(), each with a comma behind it */
#define CALLS_ATTACH			/* seccomp.c: struct call */

/* As which call of the lists it counts. */
static inline long calls_alike(long call, unsigned long first)
{
	(void)first;
	return call;
}

#endif
