/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * store.h - what an instruction stores, between written.c and store.c.
 */
#ifndef KP_ARCH_MIPS_STORE_H
#define KP_ARCH_MIPS_STORE_H

#include "probe.h"
#include "watch.h"

/* Which bytes of a register: all that there is room for, or, of an aligned word, those up to
 * its end or from its beginning. */
enum kp_mips_part { KP_MIPS_WHOLE, KP_MIPS_LEFT, KP_MIPS_RIGHT };

enum kp_mips_source { KP_MIPS_NONE, KP_MIPS_GENERAL, KP_MIPS_FLOAT, KP_MIPS_UNCERTAIN };

struct kp_mips_store {
	uint8_t source;			/* enum kp_mips_source */
	uint8_t reg;			/* which of those */
	struct kp_arch_write to;
};

/* What the word stores, unless it has a delay slot.  GENERAL, FLOAT: also where. */
void kp_mips_store_of(struct kp_mips_store *out, uint32_t word);

#endif
