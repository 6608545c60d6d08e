/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * tracer.c - the simulated host's tracer.
 *
 * Owns: which sites are called from, and in which way.  Such a site is a call
 * instruction in the text, like an ftrace site.
 */
#include <string.h>

#include "sim.h"

#define SITES 16

const uint8_t sim_tracer_nop[SIM_TRACER_LEN] = { TOY_wide_nop };
static const uint8_t call_bytes[SIM_TRACER_LEN] = { TOY_CALL, 1, 2, 3 };

static struct { uintptr_t addr; bool used[2]; } sites[SITES];
static size_t sites_nr;

void sim_tracer_reset(void)
{
	memset(sites, 0, sizeof(sites));
	sites_nr = 0;
}

void sim_tracer_region(uintptr_t addr)
{
	memcpy((void *)addr, sim_tracer_nop, sizeof(sim_tracer_nop));
	sim_region(addr, 1, KP_TEXT_TRACER, NULL);
	sim_region(addr + 1, sizeof(sim_tracer_nop) - 1, KP_TEXT_INNER,
		   "inside an instruction of the tracer");
	sites[sites_nr++].addr = addr;
}

static size_t find(uintptr_t addr)
{
	size_t i;

	for (i = 0; i < sites_nr && sites[i].addr != addr; i++)
		;
	return i;
}

unsigned int sim_traced(uintptr_t addr)
{
	size_t i = find(addr);

	return sites[i].used[0] + sites[i].used[1];
}

void sim_tracer_call(uintptr_t addr, struct pt_regs *regs)
{
	size_t i = find(addr);
	int kind;

	regs->pc = addr + sizeof(sim_tracer_nop);
	for (kind = 0; kind < 2; kind++)
		if (sites[i].used[kind])
			kp_core_on_tracer(regs, addr, kind);
}

static int set(struct kp_tracer_site *wanted, size_t nr, bool redirects, bool on)
{
	int err = 0;
	size_t n, i;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	sim_counts.tracer_requests++;
	for (n = 0; n < nr; n++) {
		i = find(wanted[n].addr);
		wanted[n].err = sim_fails(SIM_TRACER) ? -EBUSY : 0;
		if (i == sites_nr || sites[i].used[redirects] == on)
			kp_host_broken("a site is asked for or given back twice");
		if (!wanted[n].err)
			sites[i].used[redirects] = on;
		err = err ? err : wanted[n].err;
		memcpy((void *)wanted[n].addr,
		       sim_traced(wanted[n].addr) ? call_bytes : sim_tracer_nop,
		       sizeof(sim_tracer_nop));
	}
	return err;
}

int kp_host_tracer_on(struct kp_tracer_site *wanted, size_t nr, bool redirects)
{
	return set(wanted, nr, redirects, true);
}

int kp_host_tracer_off(struct kp_tracer_site *wanted, size_t nr, bool redirects)
{
	return set(wanted, nr, redirects, false);
}

void kp_host_tracer_stop(void)
{
	size_t i;

	for (i = 0; i < sites_nr; i++)
		if (sites[i].used[0] || sites[i].used[1])
			kp_host_broken("a site is left");
}

void kp_host_tracer_undo(uint8_t *bytes, uintptr_t addr, size_t len)
{
	size_t i, j;

	for (i = 0; i < sites_nr; i++)
		for (j = 0; j < sizeof(sim_tracer_nop); j++)
			if (sites[i].addr + j - addr < len)
				bytes[sites[i].addr + j - addr] =
					sim_tracer_nop[j];
}
