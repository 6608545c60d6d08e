/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * linux/module.h - what makes a shared object a probe module.
 *
 * Owns: struct kp_module, by which the loader (host/linux-user/modules/load.c) finds a
 *       module's parameters and entry points.
 */
#ifndef KP_SHIM_LINUX_MODULE_H
#define KP_SHIM_LINUX_MODULE_H

#include <linux/errno.h>
#include <linux/export.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>

#ifndef KBUILD_MODNAME
#define KBUILD_MODNAME __FILE_NAME__
#endif

struct module;
#define THIS_MODULE ((struct module *)0)

#define MODULE_LICENSE(text)
#define MODULE_AUTHOR(text)
#define MODULE_DESCRIPTION(text)
#define MODULE_VERSION(text)
#define MODULE_ALIAS(text)
#define MODULE_INFO(tag, text)
#define MODULE_IMPORT_NS(ns)

#define KP_MODULE_VERSION 1

struct kp_module {
	unsigned int version;
	int (*init)(void);			/* NULL when there is none */
	void (*exit)(void);
	const struct kp_param *params, *params_end;
};

/* Nowhere in a module without parameters. */
__attribute__((weak, visibility("hidden")))
extern const struct kp_param __start_kp_params[], __stop_kp_params[];

#pragma weak kp_module_init
#pragma weak kp_module_exit

/* Every file of a module has it; the linker keeps one. */
extern const struct kp_module kp_module;
__attribute__((weak, used, visibility("default")))
const struct kp_module kp_module = {
	KP_MODULE_VERSION, kp_module_init, kp_module_exit,
	__start_kp_params, __stop_kp_params,
};

#endif
