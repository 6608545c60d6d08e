/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * linux/printk.h - messages of probe modules.
 *
 * Owns: the levels and the pr_… names.  A line goes into the log that
 *       "kprobes log" shows, and where KPROBES_LOG asks for it; a handler may
 *       print anywhere.
 */
#ifndef KP_SHIM_LINUX_PRINTK_H
#define KP_SHIM_LINUX_PRINTK_H

#include <linux/compiler.h>

#define KERN_SOH	"\001"
#define KERN_EMERG	KERN_SOH "0"
#define KERN_ALERT	KERN_SOH "1"
#define KERN_CRIT	KERN_SOH "2"
#define KERN_ERR	KERN_SOH "3"
#define KERN_WARNING	KERN_SOH "4"
#define KERN_NOTICE	KERN_SOH "5"
#define KERN_INFO	KERN_SOH "6"
#define KERN_DEBUG	KERN_SOH "7"
#define KERN_DEFAULT	""
#define KERN_CONT	KERN_SOH "c"

/*
 * Understands d i u x X o c s with flags - 0 # + and space, width, precision,
 * h l ll z t; p px pK as 16 hexadecimal digits; pS ps as a symbol.
 */
int kp_printk(const char *fmt, ...) __printf(1, 2);

#define printk(...)	kp_printk(__VA_ARGS__)
#define _printk(...)	kp_printk(__VA_ARGS__)

#ifndef pr_fmt
#define pr_fmt(fmt) fmt
#endif

#define pr_emerg(fmt, ...)	printk(KERN_EMERG pr_fmt(fmt), ##__VA_ARGS__)
#define pr_alert(fmt, ...)	printk(KERN_ALERT pr_fmt(fmt), ##__VA_ARGS__)
#define pr_crit(fmt, ...)	printk(KERN_CRIT pr_fmt(fmt), ##__VA_ARGS__)
#define pr_err(fmt, ...)	printk(KERN_ERR pr_fmt(fmt), ##__VA_ARGS__)
#define pr_warn(fmt, ...)	printk(KERN_WARNING pr_fmt(fmt), ##__VA_ARGS__)
#define pr_warning		pr_warn
#define pr_notice(fmt, ...)	printk(KERN_NOTICE pr_fmt(fmt), ##__VA_ARGS__)
#define pr_info(fmt, ...)	printk(KERN_INFO pr_fmt(fmt), ##__VA_ARGS__)
#define pr_cont(fmt, ...)	printk(KERN_CONT fmt, ##__VA_ARGS__)
#ifdef DEBUG
#define pr_debug(fmt, ...)	printk(KERN_DEBUG pr_fmt(fmt), ##__VA_ARGS__)
#else
#define pr_debug(fmt, ...) \
	do { if (0) printk(KERN_DEBUG pr_fmt(fmt), ##__VA_ARGS__); } while (0)
#endif

#define pr_once_(print, ...)						\
	do {								\
		static int said_;					\
		if (!__atomic_exchange_n(&said_, 1, __ATOMIC_RELAXED))	\
			print(__VA_ARGS__);				\
	} while (0)
#define printk_once(...)	pr_once_(printk, __VA_ARGS__)
#define pr_info_once(...)	pr_once_(pr_info, __VA_ARGS__)
#define pr_warn_once(...)	pr_once_(pr_warn, __VA_ARGS__)
#define pr_err_once(...)	pr_once_(pr_err, __VA_ARGS__)
/* Who floods the ring loses old lines, and is told so. */
#define printk_ratelimited	printk
#define pr_info_ratelimited	pr_info
#define pr_warn_ratelimited	pr_warn
#define pr_err_ratelimited	pr_err

#endif
