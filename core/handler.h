/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * handler.h - what is known of handlers.  The registry lock.
 */
#ifndef KP_CORE_HANDLER_H
#define KP_CORE_HANDLER_H

#include "site.h"

/* The vector registers to be kept around it; NULL needs none. */
enum kp_arch_keep kp_handler_keep(const void *handler);
/* Of a jprobe's entry, which is called with the function's own. */
enum kp_arch_keep kp_handler_keep_entry(uintptr_t entry);
bool kp_handler_lean(const void *handler);	/* NULL is not */
/* It leaves its struct pt_regs alone; NULL does. */
bool kp_handler_spares(const void *handler);
/* And leaves nothing behind where it faults, as a lean one does not; NULL is none. */
bool kp_handler_bare(const void *handler);
/* Some may be gone, and others in their place. */
void kp_handlers_forget(void);

#endif
