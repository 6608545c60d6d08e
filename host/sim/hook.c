/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * hook.c - the simulated host's hooks.
 *
 * Owns: which hooks are in use, and by which kind.  A hook in use is a call
 * instruction in the text, like an ftrace site.
 */
#include <string.h>

#include "sim.h"

#define HOOKS 16

const uint8_t sim_hook_nop[SIM_HOOK_LEN] = { TOY_wide_nop };
static const uint8_t call_bytes[SIM_HOOK_LEN] = { TOY_CALL, 1, 2, 3 };

static struct { uintptr_t addr; bool used[2]; } hooks[HOOKS];
static size_t hooks_nr;

void sim_hook_reset(void)
{
	memset(hooks, 0, sizeof(hooks));
	hooks_nr = 0;
}

void sim_hook_region(uintptr_t addr)
{
	memcpy((void *)addr, sim_hook_nop, sizeof(sim_hook_nop));
	sim_region(addr, 1, KP_TEXT_HOOKED, NULL);
	sim_region(addr + 1, sizeof(sim_hook_nop) - 1, KP_TEXT_INNER,
		   "inside a hook");
	hooks[hooks_nr++].addr = addr;
}

static size_t find(uintptr_t addr)
{
	size_t i;

	for (i = 0; i < hooks_nr && hooks[i].addr != addr; i++)
		;
	return i;
}

unsigned int sim_hooked(uintptr_t addr)
{
	size_t i = find(addr);

	return hooks[i].used[0] + hooks[i].used[1];
}

void sim_hook_call(uintptr_t addr, struct pt_regs *regs)
{
	size_t i = find(addr);
	int kind;

	regs->pc = addr + sizeof(sim_hook_nop);
	for (kind = 0; kind < 2; kind++)
		if (hooks[i].used[kind])
			kp_core_on_hook(regs, addr, kind);
}

static int set(struct kp_hook_site *wanted, size_t nr, bool redirects, bool on)
{
	int err = 0;
	size_t n, i;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	sim_counts.hook_requests++;
	for (n = 0; n < nr; n++) {
		i = find(wanted[n].addr);
		wanted[n].err = sim_fails(SIM_HOOK) ? -EBUSY : 0;
		if (i == hooks_nr || hooks[i].used[redirects] == on)
			kp_host_broken("a hook is set or cleared twice");
		if (!wanted[n].err)
			hooks[i].used[redirects] = on;
		err = err ? err : wanted[n].err;
		memcpy((void *)wanted[n].addr,
		       sim_hooked(wanted[n].addr) ? call_bytes : sim_hook_nop,
		       sizeof(sim_hook_nop));
	}
	return err;
}

int kp_host_hook(struct kp_hook_site *wanted, size_t nr, bool redirects)
{
	return set(wanted, nr, redirects, true);
}

int kp_host_unhook(struct kp_hook_site *wanted, size_t nr, bool redirects)
{
	return set(wanted, nr, redirects, false);
}

void kp_host_hook_stop(void)
{
	size_t i;

	for (i = 0; i < hooks_nr; i++)
		if (hooks[i].used[0] || hooks[i].used[1])
			kp_host_broken("a hook is left");
}

void kp_host_hook_undo(uint8_t *bytes, uintptr_t addr, size_t len)
{
	size_t i, j;

	for (i = 0; i < hooks_nr; i++)
		for (j = 0; j < sizeof(sim_hook_nop); j++)
			if (hooks[i].addr + j - addr < len)
				bytes[hooks[i].addr + j - addr] =
					sim_hook_nop[j];
}
