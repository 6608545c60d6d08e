/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * outofline.h - leaving a frame of ours, between outofline.c and detour.c.
 */
#ifndef KP_ARM64_OUTOFLINE_H
#define KP_ARM64_OUTOFLINE_H

#include "jump.h"
#include "probe.h"

/* The sp is at a frame: what the ldp at its end would do. */
void kp_a64_drop_frame(struct pt_regs *regs, const struct kp_arch_mem *mem);

#endif
