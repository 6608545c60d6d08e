/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * parked.h - a program that is held before its first instruction.
 *
 * Owns: the prototypes of parked.c.
 */
#ifndef KP_CLI_PARKED_H
#define KP_CLI_PARKED_H

#include "park.h"

struct parked {
	pid_t pid;			/* 0: none */
	uint64_t park;
	struct tracee_regs begin;	/* with which it begins */
};

/*
 * pid waits for a byte on go, then executes a program; it is held when it has, as long as holder
 * is there.  A status, printed unless it has ended instead.
 */
int parked_take(struct parked *p, pid_t pid, int go, pid_t holder, bool *ended);
/*
 * The thread tid of the process pid is about to execute a program: granted() is called when it is traced, and
 * may do so.  False: it has not, or it cannot be held, and goes on.  over() says that it
 * will not, as execve has failed.
 */
bool parked_follow(struct parked *p, pid_t pid, pid_t tid, pid_t holder, void (*granted)(void *arg),
		   bool (*over)(void *arg), void *arg);
int parked_let_go(struct parked *p);		/* it begins.  A status, printed */
void parked_end(struct parked *p, int status);	/* it never does */
bool parked_is(pid_t pid);			/* is it waiting, and of our start? */

#endif
