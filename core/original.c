/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * original.c - text with our own patches undone.
 *
 * Owns: the pristine view that decoding uses (K-REG-36).  Invariant: only
 * bytes that an armed site of ours has overwritten, or the host's hooks, differ
 * from the text.
 *
 * Locks: the registry lock, so that no site changes state meanwhile.
 */
#include "site.h"

static void undo_at(uint8_t *dst, uintptr_t addr, size_t len, size_t i)
{
	struct kp_site *site = kp_table_find(addr + i);
	size_t j;

	if (!site || site->state != KP_SITE_ARMED)
		return;
	for (j = 0; j < KP_ARCH_BP_LEN && i + j < len; j++)
		dst[i + j] = site->original[j];
}

/* 0 or -EFAULT. */
int kp_original_read(uint8_t *dst, uintptr_t addr, size_t len)
{
	size_t i;
	int err = kp_host_text_read(dst, addr, len);

	if (err)
		return err;
	kp_host_hook_undo(dst, addr, len);
	for (i = 0; i < len; i++)
		if (dst[i] == kp_arch_bp[0])
			undo_at(dst, addr, len, i);
	return 0;
}
