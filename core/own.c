/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * own.c - the host's own probes.
 *
 * Owns: the functions by which a host that has no better way follows functions of the probed
 * code.  Such a probe is a child of its site like a user's (kp_kind_own), so an address can
 * have both.  It is the last one there, and no list shows it.
 *
 * Its pre_handler may redirect the call.  The function can then be called past the probe,
 * through the copies that the site has.
 *
 * Locks: the registry lock is held, except for kp_core_own_past.
 */
#include "children.h"
#include "hit.h"
#include "kinds.h"
#include "register.h"
#include "slot.h"

/* Is there a copy that can be called? */
static bool copied(struct kprobe *p)
{
	const struct kp_site *site = kp_child_find(p)->site;

	return site->slot && site->arch.class == KP_ARCH_COPY;
}

int kp_core_own_register(struct kprobe *p, uintptr_t addr)
{
	int err;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	if (kp_child_find(p))
		return 0;
	p->addr = (kprobe_opcode_t *)addr;
	p->flags = 0;
	err = kp_probe_register_locked(&p, 1, &kp_kind_own);
	/* Nobody has asked for it. */
	kp_core_take_refusal();
	if (err || copied(p))
		return err;
	kp_probe_unregister_locked(&p, 1);
	p->reason = "its first instruction has no copy that could be called";
	return -EOPNOTSUPP;
}

void kp_core_own_unregister(struct kprobe *p)
{
	if (kp_child_find(p))
		kp_probe_unregister_locked(&p, 1);
}

/*
 * The pointer to call it by; for whoever was led there before the probe went, too: slots
 * stay.  A jump's chain saves the trap behind the probed instruction.
 */
uintptr_t kp_core_own_past(const struct kprobe *p)
{
	struct kp_site *site = kp_slot_site((uintptr_t)p->ainsn.insn);
	/* Pairs with enter_text(), and kp_plan: who sees the jump sees its detour whole. */
	bool jump = kp_load_acquire(&site->jump) == KP_JUMP_IN;
	struct kp_detour *detour = kp_load_acquire(&site->detour);
	uintptr_t past = jump && detour && detour->chain ? detour->chain : site->slot;

	if (kp_hit_wants_post(site) && site->step)
		past = site->step;
	return kp_arch_pointer_to(&site->arch, past);
}
