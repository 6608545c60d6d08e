/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * one_breakpoint.h - for a port with a single breakpoint, whose code pointers are addresses.
 *
 * Owns: these answers to the core.  The port's arch_probe.h includes this file after struct
 * kp_arch_probe and KP_ARCH_EACH_HIT.
 */
#ifndef KP_ONE_BREAKPOINT_H
#define KP_ONE_BREAKPOINT_H

KP_ARCH_EACH_HIT const uint8_t *kp_arch_bp_of(const struct kp_arch_probe *ap)
{
	(void)ap;
	return kp_arch_bp;
}

KP_ARCH_EACH_HIT unsigned int kp_arch_bp_len_of(const struct kp_arch_probe *ap)
{
	(void)ap;
	return KP_ARCH_BP_LEN;
}

KP_ARCH_EACH_HIT bool kp_arch_bp_begins(uint8_t byte)
{
	return byte == kp_arch_bp[0];
}

KP_ARCH_EACH_HIT uintptr_t kp_arch_code_at(uintptr_t pointer)
{
	return pointer;
}

KP_ARCH_EACH_HIT uintptr_t kp_arch_pointer_to(const struct kp_arch_probe *ap, uintptr_t addr)
{
	(void)ap;
	return addr;
}

#endif
