/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jump.c - for a port without jumps.
 *
 * Owns: the answer that no instruction can have one, so nothing else of jump.h is called.
 */
#include "jump.h"

/* arch_probe.h may say why. */
#ifndef KP_NO_JUMP_REASON
#define KP_NO_JUMP_REASON	"there are no jumps on this processor yet"
#endif

const char kp_arch_detour_entry[1], kp_arch_post_entry[1], kp_arch_call_entry[1];

int kp_arch_jump_way(struct kp_arch_jump *out, const struct kp_arch_probe *ap,
		     const uint8_t *text, size_t avail, size_t extent,
		     unsigned int n, const char **reason)
{
	(void)out;
	(void)ap;
	(void)text;
	(void)avail;
	(void)extent;
	(void)n;
	*reason = KP_NO_JUMP_REASON;
	return -ENOENT;
}

size_t kp_arch_padding(const uint8_t *bytes, size_t avail)
{
	(void)bytes;
	(void)avail;
	return 0;
}

KP_TRAP_PATH void kp_arch_emit_jump(const struct kp_arch_jump *jump, uintptr_t target,
		       uint8_t *bytes)
{
	(void)jump;
	(void)target;
	(void)bytes;
}

void kp_arch_emit_hub(uintptr_t hub, uintptr_t to, uint8_t *image)
{
	(void)hub;
	(void)to;
	(void)image;
}

int kp_arch_emit_head(const struct kp_arch_probe *ap, uintptr_t head,
		      uintptr_t entry, uintptr_t body, const void *tag,
		      uint8_t *image)
{
	(void)ap;
	(void)head;
	(void)entry;
	(void)body;
	(void)tag;
	(void)image;
	return -ERANGE;
}

KP_TRAP_PATH void kp_arch_head_abort(const struct kp_arch_probe *ap,
				     struct pt_regs *regs, uintptr_t head,
				     uintptr_t body)
{
	(void)ap;
	(void)regs;
	(void)head;
	(void)body;
}

KP_TRAP_PATH bool kp_arch_in_detour_entry(uintptr_t ip)
{
	(void)ip;
	return false;
}

KP_TRAP_PATH void kp_arch_guard_detour(struct kp_arch_guard *guard,
				       struct pt_regs *regs)
{
	(void)guard;
	(void)regs;
}

KP_TRAP_PATH bool kp_arch_detour_overwritten(const struct pt_regs *regs,
					     uintptr_t addr,
					     const struct kp_arch_mem *mem)
{
	(void)regs;
	(void)addr;
	(void)mem;
	return false;
}
