/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * patches.c - changes of text on their way to the host.
 *
 * Owns: the pending patches, the core's only call of kp_host_text_write, and the text lock
 * around it.  Patches go to the host in chunks, in order.  So a batch costs a constant number
 * of core synchronisations, however many sites it has.
 *
 * Locks: the registry lock is held; takes the text lock inside it, from begin to end.
 */
#include "patches.h"

#define CHUNK 64

/* Guarded by the text lock. */
static struct kp_text_patch chunk[CHUNK];
static struct kp_site *chunk_site[CHUNK];
static size_t chunk_nr;
static kp_patch_done chunk_done;
static bool wrote;

/*
 * How often states were set that make bytes ours: after they were, and before
 * such a byte can be in the text.
 */
static unsigned long generation;	/* text lock; lock-free readers */

KP_TRAP_PATH unsigned long kp_patches_generation(void)
{
	/* Pairs with the release in flush(). */
	return kp_load_acquire(&generation);
}

static void flush(void)
{
	size_t i;

	/* Whoever sees the bytes, sees the number, and with it the states set before. */
	kp_store_release(&generation, generation + 1);
	if (chunk_nr)
		kp_host_text_write(chunk, chunk_nr);
	for (i = 0; i < chunk_nr; i++)
		chunk_done(chunk_site[i], chunk[i].err);
	chunk_nr = 0;
}

void kp_patches_begin(kp_patch_done done)
{
	kp_host_assert_locked(KP_LOCK_REGISTRY);
	kp_host_lock(KP_LOCK_TEXT);
	chunk_done = done;
	wrote = false;
}

void kp_patches_put(struct kp_site *site, unsigned int at,
		    const uint8_t *bytes, unsigned int len)
{
	struct kp_text_patch *patch;

	if (!len)
		return;
	if (chunk_nr == CHUNK)
		flush();
	patch = &chunk[chunk_nr];
	chunk_site[chunk_nr++] = site;
	patch->addr = site->addr + at;
	patch->len = (uint8_t)len;
	memcpy(patch->bytes, bytes, len);
	patch->err = 0;
	wrote = true;
}

void kp_patches_sync(void)
{
	flush();
	if (wrote)
		kp_host_sync_cores();
	wrote = false;
}

void kp_patches_end(void)
{
	kp_host_unlock(KP_LOCK_TEXT);
}
