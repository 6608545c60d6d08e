/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * linux/init.h - a module's entry points.
 *
 * Owns: module_init and module_exit.  The loader (host/linux-user/modules/load.c) finds the
 *       two through struct kp_module of <linux/module.h>.
 */
#ifndef KP_SHIM_LINUX_INIT_H
#define KP_SHIM_LINUX_INIT_H

#include <linux/compiler.h>

#define __init
#define __exit
#define __initdata
#define __exitdata
#define __initconst

int kp_module_init(void) __attribute__((visibility("hidden")));
void kp_module_exit(void) __attribute__((visibility("hidden")));

/* Modules write them with and without a semicolon. */
#define module_init(fn) int kp_module_init(void) { return fn(); }
#define module_exit(fn) void kp_module_exit(void) { fn(); }

#endif
