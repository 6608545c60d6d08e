/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * calls.h - the program's system calls that are watched, and whether all of them can be.
 *
 * Owns: the prototypes of calls.c.
 */
#ifndef KP_USER_CALLS_H
#define KP_USER_CALLS_H

#include "env.h"

/* Those that could block SIGTRAP, or that matter otherwise. */
#define KP_CALLS_HELD 22
extern const uint16_t kp_user_calls_held[KP_CALLS_HELD];
bool kp_user_calls_all_wanted(void);
enum kp_calls_miss { KP_CALLS_NO_STUB, KP_CALLS_NO_ROOM, KP_CALLS_NO_CODE };
void kp_user_calls_miss(enum kp_calls_miss why);	/* one that should be watched */
/* All are wanted, and none is missed yet: what was missed before.  The end of that. */
const char *kp_user_calls_begin_all(void);
void kp_user_calls_end_all(const char *before, bool all);
const char *kp_user_calls_missed(void);	/* why not all are watched; or NULL */

#endif
