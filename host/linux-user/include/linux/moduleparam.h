/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * linux/moduleparam.h - a module's parameters.
 *
 * Owns: the record that each parameter leaves in the object, for the loader.
 */
#ifndef KP_SHIM_LINUX_MODULEPARAM_H
#define KP_SHIM_LINUX_MODULEPARAM_H

#include <linux/types.h>
#include <linux/compiler.h>

enum kp_param_type {
	KP_PARAM_byte, KP_PARAM_short, KP_PARAM_ushort, KP_PARAM_int,
	KP_PARAM_uint, KP_PARAM_hexint, KP_PARAM_long, KP_PARAM_ulong,
	KP_PARAM_ullong, KP_PARAM_bool, KP_PARAM_invbool, KP_PARAM_charp,
	KP_PARAM_string,
	KP_PARAM__Bool = KP_PARAM_bool,	/* bool is a macro */
};

struct kp_param {
	const char *name;
	void *value;
	size_t len;			/* bytes at value */
	enum kp_param_type type;
};

#define kp_param_record(pname, pvalue, plen, ptype)			\
	static const struct kp_param kp_param_##pname			\
	__attribute__((used, section("kp_params"),			\
		       aligned(sizeof(void *)))) =			\
		{ #pname, (void *)(pvalue), plen, ptype }

/* The permissions are those of a sysfs file that a process does not have. */
#define module_param_named(pname, variable, ptype, perm)		\
	kp_param_record(pname, &(variable), sizeof(variable),		\
			KP_PARAM_##ptype)
#define module_param(variable, ptype, perm)				\
	module_param_named(variable, variable, ptype, perm)
#define module_param_string(pname, buffer, size, perm)			\
	kp_param_record(pname, buffer, size, KP_PARAM_string)
#define MODULE_PARM_DESC(pname, text)

#ifndef S_IRUGO
#define S_IRUGO (0444)
#endif
#ifndef S_IWUSR
#define S_IWUSR 00200
#endif
#ifndef S_IRUSR
#define S_IRUSR 00400
#endif

#endif
