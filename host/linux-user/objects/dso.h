/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dso.h - the program and its shared objects.
 *
 * Owns: the prototypes of dso.c.
 */
#ifndef KP_USER_DSO_H
#define KP_USER_DSO_H

#include "sys.h"

struct kp_object;

struct kp_user_dso_steps {		/* what files above do with it */
	/* Code of an object that is new, or wanted again.  Registry lock. */
	void (*code)(struct kp_object *object, uintptr_t start, size_t len);
	/* No lock is held.  An object is new; one was there, and the core has forgotten it. */
	void (*came)(struct kp_object *object);
	void (*gone)(uintptr_t start, size_t len);
	void (*settled)(void);		/* after some of these, or none */
};
void kp_user_dso_init(const struct kp_user_dso_steps *steps);
void kp_user_dso_watched(void);
void kp_user_dso_changed(uintptr_t gone, size_t len);	/* len: of what is to be unmapped */
void kp_user_dso_scan_again(void);
bool kp_user_dso_any(bool (*is)(uintptr_t start, size_t len));	/* text of the program's */
void kp_user_dso_look(void);		/* registry lock */
void kp_user_dso_locked(void);
bool kp_user_dso_waits_for_us(void);
void kp_user_dso_fork(bool told);
bool kp_user_dso_calls_back(void);	/* the program's callback */
void kp_user_dso_drop_symbols(void);
void kp_user_dso_trap(ucontext_t *uc);
bool kp_user_object_files(void);	/* true: it knows more files than before */

#endif
