/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * attached.h - the kprobes command attaches to this process.
 *
 * Owns: the prototypes of attach.c.
 */
#ifndef KP_USER_ATTACHED_H
#define KP_USER_ATTACHED_H

#include "env.h"

/* From now on the command may call us. */
void kp_user_attach_loaded(void);

#endif
