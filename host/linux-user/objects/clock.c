/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * clock.c - the time, for handlers.
 *
 * Owns: CLOCK_MONOTONIC in any context: by the kernel's own code in the vdso, by a system call, or,
 * once a filter may kill for one (filter.c), by the processor's counter.
 *
 * Locks: the registry lock to look for the vdso's code; filter.c calls the rest one at a time.
 */
#include "objects/clock.h"
#include "atomic.h"
#include "code.h"
#include "machine.h"
#include "freestanding/copy.h"
#include "objects/elf.h"
#include "objects/objects.h"

static int alone;		/* atomic; set once the three below are there */
static uint64_t clock_tsc, clock_ns, clock_scale;	/* ns, 32 bits of fraction */

/* The kernel's own code for it, that makes no call as a rule; NULL: not known. */
static int (*vdso_clock)(clockid_t clock, struct timespec *ts);

/* It is called by handlers, so it must leave vector registers alone. */
void kp_user_clock_find(void)
{
	struct kp_object *object = kp_user_object_first();
	uintptr_t at;

	while (object && !object->vdso)
		object = object->next;
	at = object ? kp_user_elf_exported(object, "__vdso_clock_gettime") : 0;
	if (at && kp_arch_purity(at, kp_user_code_read, NULL, NULL) == KP_ARCH_PURE_GPR)
		vdso_clock = (void *)at;
}

KP_TRAP_PATH static uint64_t ask_clock(void)
{
	struct timespec ts = { 0 };

	if (!vdso_clock || vdso_clock(CLOCK_MONOTONIC, &ts))
		sys3(SYS_clock_gettime, CLOCK_MONOTONIC, &ts, 0);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

struct instant {
	uint64_t tsc, ns;
};

/* Both at the same time: of a few tries the one that took least. */
KP_TRAP_PATH static struct instant look_at_clocks(void)
{
	uint64_t least = ~0ull, before, ns, after;
	struct instant best = { 0, 0 };
	int tries;

	for (tries = 0; tries < 8; tries++) {
		before = kp_ticks();
		ns = ask_clock();
		after = kp_ticks();
		if (after - before >= least)
			continue;
		least = after - before;
		best = (struct instant){ before + least / 2, ns };
	}
	return best;
}

static struct instant beginning;	/* of the engine */

/* What the processor's counter means, as of now: ten milliseconds tell. */
KP_TRAP_PATH void kp_user_clock_alone(void)
{
	struct instant now;
	uint64_t ns, tsc;

	if (alone)
		return;
	do
		now = look_at_clocks();
	while (now.ns - beginning.ns < 10000000);
	clock_tsc = now.tsc;
	clock_ns = now.ns;
	/* Shorter, so that there is room for the fraction. */
	for (ns = now.ns - beginning.ns, tsc = now.tsc - beginning.tsc;
	     ns >> 32; ns >>= 1)
		tsc >>= 1;
	clock_scale = (ns << 32) / tsc;
	kp_store_release(&alone, 1);
}

/* Times clock_scale, whose point is behind 32 bits, half by half. */
KP_TRAP_PATH static uint64_t scaled(uint64_t since)
{
	uint64_t whole = clock_scale >> 32, part = clock_scale & UINT32_MAX;
	uint64_t low = since & UINT32_MAX;

	return (since >> 32) * clock_scale + low * whole + (low * part >> 32);
}

KP_TRAP_PATH int64_t kp_user_clock(void)
{
	uint64_t since;

	if (!kp_load_acquire(&alone))
		return (int64_t)ask_clock();
	since = kp_ticks() - clock_tsc;
	return (int64_t)(clock_ns + scaled(since));
}

void kp_user_clock_init(void)
{
	if (!beginning.ns)
		beginning = look_at_clocks();
}
