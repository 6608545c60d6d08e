/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * landing.c - arriving where the text has been patched.
 *
 * Owns: the meaning of an address: boundaries inside a jump's span, where a thread traps and
 * continues in the chain; and instruction pointers inside heads, slots and chains.  All of it
 * is trap path.
 *
 *   jmp head:  J  d0 d1 d2 d3        the span
 *              A.....|B....|C....    the original instructions
 *                     ^ lands here: traps, continues at the chain's copy of B
 *
 * Locks: none.
 */
#include "landing.h"
#include "context.h"
#include "head.h"
#include "hit.h"
#include "jumps.h"
#include "place.h"
#include "slot.h"
#include "table.h"

/*
 * The nth instruction of the detour, n > 0, for which addr is a boundary that
 * the site's jump makes trap; 0: it is not.
 */
KP_TRAP_PATH static unsigned int inner_at(const struct kp_detour *detour,
					  const struct kp_site *site,
					  uintptr_t addr)
{
	unsigned int i;

	for (i = 0; i < detour->jump.inner_nr; i++)
		if (site->addr + detour->jump.inner[i] == addr)
			return i + 1;
	return 0;
}

static bool disturbed;			/* lock-free */

KP_TRAP_PATH bool kp_core_disturbed(void)
{
	return kp_load_relaxed(&disturbed);
}

void kp_landing_looked(void)
{
	kp_store_relaxed(&disturbed, false);
}

/* Somebody has got around the site's jump: the hit is missed, and the jump has to go. */
KP_TRAP_PATH static void got_around(struct kp_site *site)
{
	kp_hit_missed(site);
	kp_store_relaxed(&disturbed, true);
}

/*
 * Somebody is behind the first instruction: not by the jump, if that does not begin as we
 * left it.  A uprobe of the kernel's has executed the instruction instead: the hit is
 * missed, and the bytes that it puts back one day fit no jump.
 */
KP_TRAP_PATH static void look_before(struct kp_site *site, const struct kp_detour *detour)
{
	unsigned int len = kp_arch_bp_len_of(&site->arch);
	uint8_t now[KP_ARCH_JUMP_MAX];

	/* Pairs with jump.c: whole, its first byte is the jump's. */
	if (!kp_load_acquire(&site->jump_whole) ||
	    kp_host_text_read(now, site->addr, len) || !memcmp(now, detour->bytes, len) ||
	    !kp_load_acquire(&site->jump_whole))
		return;
	got_around(site);
}

/*
 * Did executing what is at addr trap since the original first byte stands there again, the
 * rest of the jump behind it?  Then *body is where that instruction is executed.
 */
KP_TRAP_PATH bool kp_landing_put_back(uintptr_t addr, uintptr_t *body)
{
	struct kp_site *site = kp_jump_nr() ? kp_table_find(addr) : NULL;
	unsigned int len = site ? kp_arch_bp_len_of(&site->arch) : 0;
	uint8_t now[KP_ARCH_JUMP_MAX];
	struct kp_detour *detour;

	/* As in look_before. */
	if (!site || kp_load_acquire(&site->jump) != KP_JUMP_IN ||
	    !kp_load_acquire(&site->jump_whole))
		return false;
	detour = kp_load_acquire(&site->detour);
	if (kp_host_text_read(now, addr, len) || !memcmp(now, detour->bytes, len) ||
	    memcmp(now, detour->original, len))
		return false;
	*body = detour->body;
	got_around(site);
	return true;
}

/* Does the site's jump, whose bytes somebody else has changed, lead to addr now? */
KP_TRAP_PATH static bool leads_astray(struct kp_site *site, uintptr_t addr, uintptr_t *body)
{
	uint8_t now[KP_ARCH_JUMP_MAX], to_addr[KP_ARCH_JUMP_MAX];
	struct kp_detour *detour;

	/* As in look_before. */
	if (kp_load_acquire(&site->jump) != KP_JUMP_IN || !kp_load_acquire(&site->jump_whole))
		return false;
	detour = kp_load_acquire(&site->detour);
	if (kp_host_text_read(now, site->addr, detour->jump.len) ||
	    !memcmp(now, detour->bytes, detour->jump.len))
		return false;
	kp_arch_emit_jump(&detour->jump, addr, to_addr);
	if (memcmp(now, to_addr, detour->jump.len))
		return false;
	*body = detour->body;
	return true;
}

/*
 * Nothing can be executed at addr.  A uprobe of the kernel's under a jump changes a byte of
 * its displacement: whoever comes by it has executed nothing yet, and goes on at *body.
 * The caller is a reader.
 */
KP_TRAP_PATH bool kp_landing_astray(uintptr_t addr, uintptr_t *body)
{
	struct kp_site *site;
	uint8_t byte;

	if (!kp_jump_nr() || !kp_host_text_read(&byte, addr, 1))
		return false;
	for (site = kp_table_next(NULL); site; site = kp_table_next(site)) {
		if (!leads_astray(site, addr, body))
			continue;
		got_around(site);
		return true;
	}
	return false;
}

/* Does addr lie in a jump where whoever gets there goes on at *body? */
KP_TRAP_PATH bool kp_landing_find(uintptr_t addr, uintptr_t *body)
{
	unsigned int back, n;

	for (back = 1; kp_jump_nr() && back < KP_ARCH_JUMP_MAX; back++) {
		struct kp_site *site = kp_table_find(addr - back);
		struct kp_detour *detour;

		/* Pairs with jump.c: the detour is complete. */
		if (!site || kp_load_acquire(&site->jump) != KP_JUMP_IN)
			continue;
		detour = kp_load_acquire(&site->detour);
		n = inner_at(detour, site, addr);
		if (!n)
			continue;
		*body = kp_arch_chain_entry(detour->insns, detour->insns_nr,
					    detour->chain, n);
		if (n == 1)
			look_before(site, detour);
		return true;
	}
	return false;
}

/*
 * A fault at addr, where no jump is in the text: may it come from one that was
 * removed after the fault was taken?  Then the instruction there is tried
 * again; when the same context comes back and no jump was removed meanwhile,
 * the fault is the instruction's own.
 */
KP_TRAP_PATH bool kp_landing_stale(struct kp_context *ctx, uintptr_t addr)
{
	unsigned long now = kp_jump_removals();
	unsigned int back;

	if (!ctx || !now || (ctx->retried == addr && ctx->retried_at == now))
		return false;
	for (back = 1; back < KP_ARCH_JUMP_MAX; back++) {
		struct kp_site *site = kp_table_find(addr - back);
		/* As in kp_landing_find. */
		struct kp_detour *detour =
			site ? kp_load_acquire(&site->detour) : NULL;

		if (!detour || !inner_at(detour, site, addr))
			continue;
		ctx->retried = addr;
		ctx->retried_at = now;
		return true;
	}
	return false;
}

KP_TRAP_PATH uintptr_t kp_landing_next(struct kp_site *site)
{
	/* Pairs with kp_plan and kp_head_suit: it is complete. */
	struct kp_detour *detour = kp_load_acquire(&site->detour);

	/* Pairs with enter_text(): its chain is there. */
	if (detour && detour->next && kp_load_acquire(&site->jump) == KP_JUMP_IN)
		return detour->next;
	return site->addr + site->arch.len;
}

/* The detour in whose chain ip is, or NULL: then it is in the site's slot. */
KP_TRAP_PATH static struct kp_detour *chain_at(struct kp_site *site,
					       uintptr_t ip)
{
	/* As in kp_landing_next. */
	struct kp_detour *detour = kp_load_acquire(&site->detour);

	if (detour && detour->chain && ip - detour->chain < detour->chain_len)
		return detour;
	return NULL;
}

/* *probed: the probed instruction was about to be executed, or had been. */
KP_TRAP_PATH struct kp_site *kp_landing_leave(struct pt_regs *regs,
					      bool *probed)
{
	uintptr_t start;
	struct kp_site *site = kp_place_owner(instruction_pointer(regs), &start);
	struct kp_site *head = site;
	struct kp_detour *detour;

	*probed = false;
	if (site)
		kp_arch_head_abort(&site->arch, regs, start,
				   kp_head_detour(site, start)->body);
	site = kp_slot_site(instruction_pointer(regs));
	if (!site)
		return head;
	detour = chain_at(site, instruction_pointer(regs));
	if (!detour) {
		*probed = !head;
		kp_arch_step_abort(&site->arch, regs, site->slot, &host_mem);
		return site;
	}
	kp_arch_chain_abort(detour->insns, detour->insns_nr, regs,
			    detour->chain, &host_mem);
	*probed = !head && instruction_pointer(regs) == site->addr;
	return site;
}

/* A single step ended in a chain: between two instructions?  Then there. */
KP_TRAP_PATH bool kp_landing_stepped(struct pt_regs *regs)
{
	uintptr_t ip = instruction_pointer(regs);
	struct kp_site *site = kp_slot_site(ip);
	struct kp_detour *detour = site ? chain_at(site, ip) : NULL;
	unsigned int i;

	for (i = 1; detour && i < detour->insns_nr; i++) {
		if (kp_arch_chain_entry(detour->insns, detour->insns_nr,
					detour->chain, i) != ip)
			continue;
		instruction_pointer_set(regs, detour->insns[i].addr);
		return true;
	}
	return false;
}

KP_TRAP_PATH uintptr_t kp_landing_original(uintptr_t ip)
{
	struct kp_site *site = kp_head_site(ip);
	struct kp_detour *detour;
	unsigned int i;

	if (site)
		return site->addr;
	site = kp_slot_site(ip);
	if (!site)
		return ip;
	detour = chain_at(site, ip);
	if (!detour)
		return site->addr;
	for (i = detour->insns_nr; i > 1; i--)
		if (kp_arch_chain_entry(detour->insns, detour->insns_nr,
					detour->chain, i - 1) <= ip)
			break;
	return detour->insns[i - 1].addr;
}
