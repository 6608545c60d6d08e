/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * linux/kernel.h - small helpers, for probe modules in a process.
 *
 * Owns: the macros that such modules take from the kernel's header of this name.
 */
#ifndef KP_SHIM_LINUX_KERNEL_H
#define KP_SHIM_LINUX_KERNEL_H

#include <limits.h>
#include <linux/compiler.h>
#include <linux/kallsyms.h>
#include <linux/kstrtox.h>
#include <linux/limits.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/types.h>
#include <kprobes/processor.h>

#ifndef CONFIG_KPROBES
#define CONFIG_KPROBES 1
#define CONFIG_KRETPROBES 1
#endif

/* 1 when the option is defined to 1, in preprocessor and C expressions. */
#define KP_IS_1			0,
#define KP_SECOND(a, b, ...)	b
#define KP_ENABLED3(x)		KP_SECOND(x 1, 0, 0)
#define KP_ENABLED2(value)	KP_ENABLED3(KP_IS_##value)
#define KP_ENABLED1(value)	KP_ENABLED2(value)
#define IS_ENABLED(option)	KP_ENABLED1(option)
#define IS_BUILTIN(option)	KP_ENABLED1(option)
#define IS_MODULE(option)	0

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))
#define min(a, b)						\
	({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b);	\
	   a_ < b_ ? a_ : b_; })
#define max(a, b)						\
	({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b);	\
	   a_ > b_ ? a_ : b_; })
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b)	max((type)(a), (type)(b))
#define BUILD_BUG_ON(condition)	_Static_assert(!(condition), #condition)

#endif
