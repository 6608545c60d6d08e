/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * unpatched.c - text with our own patches undone.
 *
 * Owns: the original view of the text that decoding uses (K-REG-36, K-OPT-56).
 * Invariant: it differs from the text only in bytes that an armed site of ours or the host's
 * tracer has overwritten.
 *
 * Locks: the registry lock, so that no site changes state meanwhile; except for kp_core_under,
 * which reads no state.
 */
#include "unpatched.h"
#include "jumps.h"
#include "table.h"

/* The site at addr, if it may have put the byte there that stands there. */
static struct kp_site *patcher(uintptr_t addr, uint8_t byte)
{
	struct kp_site *site;

	if (!kp_arch_bp_begins(byte) && !kp_jump_starts(byte))
		return NULL;
	site = kp_table_find(addr);
	return site && site->state == KP_SITE_ARMED ? site : NULL;
}

/* What the site has overwritten, as far as it is in [addr, addr+len). */
static void undo(uint8_t *dst, uintptr_t addr, size_t len,
		 const struct kp_site *site)
{
	bool jump = site->jump == KP_JUMP_IN;
	size_t nr = jump ? site->detour->jump.patched : kp_arch_bp_len_of(&site->arch), i;

	for (i = 0; i < nr; i++) {
		uintptr_t off = site->addr + i - addr;

		if (off < len)
			dst[off] = jump ? site->detour->original[i]
					: site->original[i];
	}
}

/* What begins before addr and reaches into it. */
static void undo_before(uint8_t *dst, uintptr_t addr, size_t len)
{
	struct kp_site *site;
	unsigned int back;

	for (back = 1; back < KP_ARCH_JUMP_MAX; back++) {
		site = kp_table_find(addr - back);
		if (site && (site->jump == KP_JUMP_IN ||
			     site->state == KP_SITE_ARMED))
			undo(dst, addr, len, site);
	}
}

/* 0 or -EFAULT. */
int kp_unpatched_read(uint8_t *dst, uintptr_t addr, size_t len)
{
	struct kp_site *site;
	size_t i;
	int err = kp_host_text_read(dst, addr, len);

	if (err)
		return err;
	kp_host_tracer_undo(dst, addr, len);
	/* Downwards: a jump's bytes behind the first hide no other site. */
	for (i = len; i-- > 0;) {
		site = patcher(addr + i, dst[i]);
		if (site)
			undo(dst, addr, len, site);
	}
	if (KP_ARCH_BP_LEN > 1 || kp_jump_nr())
		undo_before(dst, addr, len);
	return 0;
}

size_t kp_unpatched_window(uint8_t *dst, uintptr_t addr, size_t len)
{
	while (len && kp_unpatched_read(dst, addr, len))
		len--;
	return len;
}

int kp_core_original_locked(void *dst, uintptr_t addr, size_t len)
{
	return kp_unpatched_read(dst, addr, len);
}

int kp_core_original(void *dst, uintptr_t addr, size_t len)
{
	int err;

	kp_host_lock(KP_LOCK_REGISTRY);
	err = kp_unpatched_read(dst, addr, len);
	kp_host_unlock(KP_LOCK_REGISTRY);
	return err;
}

bool kp_core_under(uintptr_t addr, uint8_t *insn)
{
	const struct kp_site *site = kp_table_find(addr);

	if (site)
		memcpy(insn, site->original, KP_ARCH_BP_LEN);
	return site;
}
