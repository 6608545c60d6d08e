/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * barrier.c - barriers on all processors that execute this process.
 *
 * Owns: core synchronisation, and a memory barrier in all threads: membarrier(2), or what old
 * kernels have in its place.
 */
#include "threads/barrier.h"
#include "host.h"
#include "sys.h"

#include <linux/membarrier.h>

static bool have_barrier, have_sync_core;
static char *sync_page;		/* for kernels without membarrier */

static long membarrier(int cmd)
{
	return sys3(SYS_membarrier, cmd, 0, 0);
}

/* Also in a forked child, whose address space must register again. */
void kp_user_barrier_init(void)
{
	have_barrier =
		!membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
	have_sync_core =
		!membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE);
	if (have_barrier && have_sync_core)
		return;
	if (!sync_page) {
		sync_page = sys_mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1);
		kp_host_log(KP_LOG_INFO, "kprobes: this kernel has no expedited membarrier; using a page-protection interrupt instead");
	}
}

/*
 * Taking a right away from a resident page interrupts every CPU that runs a
 * thread of this process; returning from the interrupt serialises it.
 */
static void interrupt_all(void)
{
	if (!sync_page)
		return;
	sys3(SYS_mprotect, sync_page, 4096, PROT_READ | PROT_WRITE);
	*(volatile char *)sync_page = 1;
	sys3(SYS_mprotect, sync_page, 4096, PROT_READ);
}

void kp_host_sync_cores(void)
{
	if (!have_sync_core ||
	    membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE))
		interrupt_all();
}

void kp_user_barrier(void)
{
	if (!have_barrier || membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED))
		interrupt_all();
}
