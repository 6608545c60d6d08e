/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * patches.h - changes of text on their way to the host.
 */
#ifndef KP_CORE_PATCHES_H
#define KP_CORE_PATCHES_H

#include "site.h"

/* What became of a patch of that site; 0 or -errno. */
typedef void (*kp_patch_done)(struct kp_site *site, int err);

/* Takes the text lock.  done is called for each patch, in their order. */
void kp_patches_begin(kp_patch_done done);
/* At site->addr + at.  When too many are waiting, those are written first. */
void kp_patches_put(struct kp_site *site, unsigned int at,
		    const uint8_t *bytes, unsigned int len);
/* What waits is written; if anything was since the last time, all cores synchronise. */
void kp_patches_sync(void);
void kp_patches_end(void);

/*
 * How often something was about to be written: a reader who found neither a site of
 * ours nor original text looks again when that has changed.
 */
unsigned long kp_patches_generation(void);	/* any context */

#endif
