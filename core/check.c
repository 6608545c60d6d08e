/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * check.c - what would become of a probe, without one.
 *
 * Owns: the answers for tools that show what can be probed.  The checks are
 * those of a registration, in the same order; no site and no slot is made.
 *
 * Locks: takes the registry lock.
 */
#include "site.h"

/* Bytes that preparing an instruction may look at. */
#define WINDOW 32

static int prepare(uintptr_t addr, unsigned int arch_flags,
		   const char **reason)
{
	struct kp_arch_probe ap;
	uint8_t bytes[WINDOW];
	size_t avail = sizeof(bytes);

	while (avail && kp_original_read(bytes, addr, avail))
		avail--;
	return kp_arch_prepare(&ap, addr, bytes, avail, arch_flags, reason);
}

int kp_core_check(uintptr_t addr, const char **reason)
{
	struct kprobe p = { .addr = (kprobe_opcode_t *)addr };
	struct kp_text_info info;
	int err;

	*reason = NULL;
	if (!addr)
		return -EINVAL;
	if (kp_probe_in_handler())
		return -EDEADLK;
	kp_host_lock(KP_LOCK_REGISTRY);
	kp_boundary_reset();
	err = kp_probe_examine(&p, &addr, &info);
	*reason = p.reason;
	if (!err && info.kind == KP_TEXT_OK)
		err = prepare(addr, info.arch_flags, reason);
	else if (!err)
		*reason = "through the function tracer";
	kp_host_unlock(KP_LOCK_REGISTRY);
	return err;
}

int kp_core_original_locked(void *dst, uintptr_t addr, size_t len)
{
	return kp_original_read(dst, addr, len);
}

int kp_core_original(void *dst, uintptr_t addr, size_t len)
{
	int err;

	kp_host_lock(KP_LOCK_REGISTRY);
	err = kp_original_read(dst, addr, len);
	kp_host_unlock(KP_LOCK_REGISTRY);
	return err;
}
