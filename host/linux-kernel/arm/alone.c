// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * alone.c - text is written when no core executes it.
 *
 * Owns: how the others wait meanwhile: interrupts off, in the kernel's stop_machine, whose
 * form for who holds off processors that come and go no module is shown.
 *
 *	1. All cores come together.
 *	2. The first one writes; what it has written, caches show as instructions.
 *	3. The others see that it is done, forget what they have fetched, and go on.
 *
 * No locks of its own.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/stop_machine.h>
#include "alone.h"
#include "local.h"

struct write {
	void (*fn)(void *arg);
	void *arg;
	atomic_t came;
	bool done;
};

void kp_alone_begin(void)
{
	cpus_read_lock();
}

void kp_alone_end(void)
{
	cpus_read_unlock();
}

static int on_each_core(void *arg)
{
	struct write *write = arg;

	if (atomic_inc_return(&write->came) == 1) {
		write->fn(write->arg);
		/* Pairs with the others' load: they execute what was written. */
		smp_store_release(&write->done, true);
	} else {
		while (!smp_load_acquire(&write->done))
			cpu_relax();
	}
	isb();
	return 0;
}

void kp_alone(void (*fn)(void *arg), void *arg)
{
	struct write write = { .fn = fn, .arg = arg };

	kp_kernel_stop_machine(on_each_core, &write, cpu_online_mask);
}
