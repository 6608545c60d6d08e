/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * look.c - what others have made of our breakpoints and jumps.
 *
 * Owns: the look at all of them, and what follows.  The kernel puts a uprobe where a
 * probe of ours is, and takes it out again, without a word; what it puts back is what the
 * file has.
 *
 *   jump --his breakpoint on it--> taken: original bytes behind that
 *   jump --original byte back---> breakpoint --follow--> jump
 *   taken, or breakpoint --original byte back--> breakpoint --follow--> jump
 *
 * A uprobe under a jump, at an instruction behind the first, changes a byte of the jump's
 * displacement: the jump goes, and cannot come back while the uprobe is there.
 *
 * Hosts call this now and then: it reads the bytes of each site.
 *
 * Locks: the registry lock.
 */
#include "look.h"
#include "batch.h"
#include "breakpoint.h"
#include "jumps.h"
#include "landing.h"
#include "optimize.h"
#include "queue.h"
#include "table.h"

/* Is what stands there neither ours nor known? */
static bool is_disturbed(const struct kp_site *site)
{
	bool jump = site->jump == KP_JUMP_IN;
	unsigned int len = jump ? site->detour->jump.len : kp_arch_bp_len_of(&site->arch);
	uint8_t now[KP_ARCH_JUMP_MAX > KP_ARCH_INSN_MAX ? KP_ARCH_JUMP_MAX : KP_ARCH_INSN_MAX];

	if (site->state != KP_SITE_ARMED || site->tracer ||
	    kp_host_text_read(now, site->addr, len))
		return false;
	if (jump)
		return memcmp(now, site->detour->bytes, len) != 0;
	return memcmp(now, kp_arch_bp_of(&site->arch), len) != 0;
}

static int look(void *unused)
{
	struct kp_batch jumps = { NULL, NULL }, idle = { NULL, NULL };
	struct kp_site *site;

	(void)unused;
	for (site = kp_table_next(NULL); site; site = kp_table_next(site))
		if (is_disturbed(site)) {
			if (site->jump == KP_JUMP_IN)
				kp_batch_add(&jumps, site);
			else if (kp_breakpoint_in_vain(site))
				kp_batch_add(&idle, site);
		}
	if (idle.first)
		kp_host_log(KP_LOG_WARN, "kprobes: the breakpoint at 0x%lx, or more of them, had been taken out by someone else; put back",
			    (unsigned long)idle.first->addr);
	if (jumps.first)
		kp_jump_remove(&jumps);
	while ((site = kp_batch_pop(&jumps)))
		kp_queue_follow(site);
	if (idle.first)
		kp_breakpoints_arm(&idle);
	return 0;
}

static bool any_disturbed(void)
{
	const struct kp_site *site;

	for (site = kp_table_next(NULL); site; site = kp_table_next(site))
		if (is_disturbed(site))
			return true;
	return false;
}

void kp_core_look_locked(void)
{
	kp_host_assert_locked(KP_LOCK_REGISTRY);
	kp_landing_looked();
	if (any_disturbed())
		kp_host_patching(look, NULL);
}

void kp_core_look(void)
{
	kp_host_lock(KP_LOCK_REGISTRY);
	kp_core_look_locked();
	kp_optimize_kick();
	kp_host_unlock(KP_LOCK_REGISTRY);
}
