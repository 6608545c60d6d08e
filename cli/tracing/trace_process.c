// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_process.c - a script at work in one process.
 *
 * Owns: the module's way in and out, and whether the process is still the one that was meant.
 * How one is started to be traced is trace_start.c's.
 */
#include "attach_cli.h"
#include "tracing.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Its number is not another's as long as this says no. */
bool tracing_has_ended(const struct tracing_process *p)
{
	struct pollfd end = { .fd = p->handle, .events = POLLIN };

	return poll(&end, 1, 0) > 0 || remote_ending(p->pid);
}

static bool has_changed(const struct tracing_ledger *ledger)
{
	unsigned long image = remote_image(ledger->pid);

	return image && ledger->image && image != ledger->image;
}

/* One that was started is told by its end, unless what it executes is followed. */
bool tracing_has_changed(const struct tracing *t, const struct tracing_ledger *ledger)
{
	return (!t->started || t->follows) && has_changed(ledger);
}

/* What executes programs in a process; NULL: it is not there, which is said. */
const char *tracing_module(void)
{
	const char *module = cli_own_module("trace");

	if (!module)
		cli_error("trace.so is not beside this program, nor in ../lib/kprobes");
	return module;
}

int tracing_load(struct tracing_process *p, struct tracing_ledger *ledger)
{
	const char *module = tracing_module();
	struct cli_target target;
	int status;

	if (!module)
		return CLI_FAILED;
	status = cli_process_open(&target, p->pid, CLI_ATTACH);
	if (status)
		return status;
	snprintf(ledger->module, sizeof(ledger->module), "trace-%d.so",
		 (int)getpid());
	p->share->state = KT_SHARE_GO;
	status = cli_process_share(&target, module, ledger->module, p->memory);
	if (status && target.ops->alive(&target))
		cli_process_leave(&target);
	cli_close(&target);
	return status;
}

/*
 * Somebody looks, or not any more.  The addresses come out of the jail: what is
 * written is the process's own memory, by its own rules; p, if any, says whether it
 * is still the one.
 */
static void count_in(const struct tracing_ledger *ledger, int change,
		     const struct tracing_process *p)
{
	struct remote remote;
	uint16_t count;
	uint32_t i;

	if (!ledger->semaphores.nr || remote_open(&remote, ledger->pid))
		return;
	for (i = 0; i < ledger->semaphores.nr && !(p && tracing_has_ended(p)); i++) {
		uint64_t at = ledger->semaphores.at[i];

		if (remote_read(&remote, at, &count, sizeof(count)))
			continue;
		count = (uint16_t)(count + change);
		remote_write(&remote, at, &count, sizeof(count));
	}
	remote_close(&remote);
}

static void take_semaphores(struct tracing_ledger *ledger,
			    const struct tracing_semaphores *from)
{
	uint32_t nr = __atomic_load_n(&from->nr, __ATOMIC_RELAXED);

	if (nr > TRACING_SEMAPHORES)
		nr = TRACING_SEMAPHORES;
	memcpy(ledger->semaphores.at, from->at, nr * sizeof(from->at[0]));
	ledger->semaphores.nr = nr;
}

void tracing_count(struct tracing *t, unsigned int i)
{
	take_semaphores(&t->ledger[i], &t->mail->of[i].semaphores);
	count_in(&t->ledger[i], 1, &t->processes[i]);
}

void tracing_uncount(struct tracing *t, unsigned int i)
{
	count_in(&t->ledger[i], -1, &t->processes[i]);
}

int tracing_leave_one(struct tracing *t, struct tracing_ledger *ledger)
{
	struct cli_target target;
	int status;

	if (!ledger->loaded || remote_ending(ledger->pid) ||
	    tracing_has_changed(t, ledger))
		return CLI_OK;
	count_in(ledger, -1, NULL);
	status = cli_process_open(&target, ledger->pid, CLI_LOOK);
	if (!status) {
		status = target.ops->unload(&target, ledger->module);
		cli_close(&target);
	}
	ledger->loaded = 0;
	/* Then nothing stays. */
	return remote_ending(ledger->pid) || tracing_has_changed(t, ledger) ? CLI_OK : status;
}
