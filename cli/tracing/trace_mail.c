// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_mail.c - the memory by which the processes of a trace talk.
 *
 * Owns: the mail (struct tracing_mail), and how far a trace, and each process that came later,
 * is.  Beside it lies what only face and controller share: the ledger and the children.
 */
#include "jail.h"
#include "tracing.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

static void *shared(size_t len)
{
	return mmap(NULL, len, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

int tracing_mail(struct tracing *t)
{
	t->mail = shared(sizeof(*t->mail) +
			 TRACING_PIECES * TRACING_PROGRAM_MAX);
	t->ledger = shared(TRACING_PROCESSES * sizeof(*t->ledger));
	t->kin = shared(TRACING_KIN * sizeof(*t->kin));
	t->guests = shared(sizeof(*t->guests));
	if (t->mail != MAP_FAILED && t->ledger != MAP_FAILED &&
	    t->kin != MAP_FAILED && t->guests != MAP_FAILED)
		return CLI_OK;
	cli_error("no memory: %s", strerror(errno));
	return CLI_FAILED;
}

uint32_t tracing_state(const struct tracing *t)
{
	/* Acquire: what the other side wrote before it said so. */
	return __atomic_load_n(&t->mail->state, __ATOMIC_ACQUIRE);
}

/* Only forward: what the other side has said meanwhile, that all is over, stays. */
void tracing_say(struct tracing *t, enum tracing_state state)
{
	uint32_t was = __atomic_load_n(&t->mail->state, __ATOMIC_RELAXED);

	/* Release: what was written before is there. */
	while (was < state &&
	       !__atomic_compare_exchange_n(&t->mail->state, &was, state, false,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

uint8_t *tracing_piece(const struct tracing *t, unsigned int piece)
{
	return t->mail->bytes + (uint64_t)piece * TRACING_PROGRAM_MAX;
}

uint32_t tracing_step(const struct tracing *t, unsigned int process)
{
	/* Acquire: what the other side wrote before it took the step. */
	return __atomic_load_n(&t->mail->of[process].step, __ATOMIC_ACQUIRE);
}

void tracing_take_step(struct tracing *t, unsigned int process,
		       enum tracing_step step)
{
	t->processes[process].step = step;
	__atomic_store_n(&t->mail->of[process].step, step, __ATOMIC_RELEASE);
}
