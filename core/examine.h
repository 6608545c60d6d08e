/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * examine.h - may there be a probe?  Whoever refuses one says why in the struct.  The
 * registry lock.
 */
#ifndef KP_CORE_EXAMINE_H
#define KP_CORE_EXAMINE_H

#include "site.h"

/* Bytes that preparing an instruction may look at. */
#define KP_EXAMINE_WINDOW 32

/* (symbol or addr) + offset (K-REG-01 to 07). */
int kp_examine_name(struct kprobe *p, uintptr_t *addr);
/* The same, inside a known symbol, [*start, *start + *len) (K-REG-08 to 14). */
int kp_examine_locate(struct kprobe *p, uintptr_t *addr, uintptr_t *start,
		      size_t *len, bool *on_entry);
int kp_examine_entry(struct kprobe *p, uintptr_t *addr, bool *on_entry);
/* What kind of text it is. */
int kp_examine_text(struct kprobe *p, uintptr_t addr,
		    struct kp_text_info *info);
/* Is it one of the function's instructions, and one that may trap there? */
int kp_examine_place(struct kprobe *p, uintptr_t addr, unsigned int text_flags, uintptr_t start,
		     size_t len);

#endif
