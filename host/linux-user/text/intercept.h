/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * intercept.h - the host's own breakpoints and jumps.
 *
 * Owns: struct kp_intercept, and what the host does with them.
 */
#ifndef KP_USER_INTERCEPT_H
#define KP_USER_INTERCEPT_H

#include "machine.h"

enum kp_intercept_kind {
	KP_INTERCEPT_SYSCALL, KP_INTERCEPT_LINKER, KP_INTERCEPT_JUMP,
	KP_INTERCEPT_BACK,		/* of ours, in the place of a jump that does not reach */
};
struct kp_intercept {
	uintptr_t addr;			/* stored last */
	uint8_t original[KP_ARCH_BP_LEN];
	uint8_t kind;
	bool second;			/* of the processor's second instruction set */
	uint8_t len;			/* of a jump: how much is reserved */
	uint8_t bytes[KP_INTERCEPT_JUMP_LEN];	/* of a jump: what was there */
	uintptr_t stub;			/* runs the call, or is where to go on; or 0 */
};
const struct kp_intercept *kp_user_intercept_find(uintptr_t addr);	/* any context */
void kp_user_intercept_undo(uint8_t *bytes, uintptr_t addr, size_t len);
int kp_user_intercept_add(const struct kp_intercept *intercept);
int kp_user_intercept_arm(void);
int kp_user_intercept_start(void);			/* arm from now on */
void kp_user_intercept_forget(uintptr_t start, size_t len);
int kp_user_intercept_stop(void);
bool kp_user_intercept_started(void);
bool kp_user_intercept_overlaps(uintptr_t addr, size_t len);

#endif
