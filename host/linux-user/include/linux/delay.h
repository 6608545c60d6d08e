/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * linux/delay.h - waiting, for probe modules in a process.
 *
 * Owns: msleep, which is for init and exit functions; a handler must not.
 */
#ifndef KP_SHIM_LINUX_DELAY_H
#define KP_SHIM_LINUX_DELAY_H

void kp_msleep(unsigned int ms);

static inline void msleep(unsigned int ms)
{
	kp_msleep(ms);
}

#endif
