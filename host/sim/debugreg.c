/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * debugreg.c - debug registers, simulated.
 *
 * Owns: which words are watched; a test accesses them by sim_access.
 */
#include "sim.h"

#include "no_pages.h"

static struct kp_watch_word held[KP_ARCH_WATCH_WORDS];
static unsigned int held_nr;
int sim_task;

void sim_watch_reset(void)
{
	held_nr = 0;
	sim_task = SIM_PROCESS;
}

unsigned int sim_watched(void)
{
	return held_nr;
}

const char *kp_host_watch_refused(uintptr_t addr, size_t len)
{
	/* As much of the engine as there is here. */
	return addr - (uintptr_t)&sim_counts < sizeof(sim_counts) && len ?
		       "part of the engine" : NULL;
}

int kp_host_watch(struct kp_watch_set *set, const char **reason)
{
	if (sim_fails(SIM_WATCH) || held_nr + set->nr > KP_ARCH_WATCH_WORDS) {
		*reason = "all debug registers are in use";
		return -ENOSPC;
	}
	memcpy(held + held_nr, set->words, set->nr * sizeof(held[0]));
	held_nr += set->nr;
	return 0;
}

void kp_host_unwatch(struct kp_watch_set *set)
{
	unsigned int i, to = 0;

	for (i = 0; i < held_nr; i++)
		if (held[i].addr - set->words[0].addr >=
		    set->words[set->nr - 1].addr + set->words[set->nr - 1].len -
			    set->words[0].addr)
			held[to++] = held[i];
	held_nr = to;
}

bool kp_host_is_task(int task)
{
	return task == sim_task || task == -SIM_PROCESS;
}

bool sim_access(uintptr_t addr, size_t len, bool write, struct pt_regs *regs)
{
	unsigned int i;

	for (i = 0; i < held_nr; i++) {
		if (held[i].addr >= addr + len ||
		    addr >= held[i].addr + held[i].len ||
		    !(write || held[i].reads))
			continue;
		/* One report for an instruction, as of a process. */
		kp_core_on_access(regs, held[i].addr);
		return true;
	}
	return false;
}
