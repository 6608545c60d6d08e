/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * linux/uaccess.h - careful access to memory, for probe modules in a process.
 *
 * Owns: copies that survive a bad address, in any context.
 */
#ifndef KP_SHIM_LINUX_UACCESS_H
#define KP_SHIM_LINUX_UACCESS_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/types.h>

/* 0 or -EFAULT. */
int kp_copy_nofault(void *dst, const void *src, size_t len);

#define copy_from_kernel_nofault(dst, src, len) kp_copy_nofault(dst, src, len)
#define copy_from_user_nofault(dst, src, len)	kp_copy_nofault(dst, src, len)

/* As in the kernel: the number of bytes that were not copied. */
static inline unsigned long copy_from_user(void *dst, const void __user *src,
					   unsigned long len)
{
	return kp_copy_nofault(dst, src, len) ? len : 0;
}

static inline unsigned long copy_to_user(void __user *dst, const void *src,
					 unsigned long len)
{
	return kp_copy_nofault(dst, src, len) ? len : 0;
}

/* The length without NUL, len when there is none within it, or -EFAULT. */
static inline long strncpy_from_user(char *dst, const char __user *src,
				     long len)
{
	long i;

	for (i = 0; i < len; i++) {
		if (kp_copy_nofault(dst + i, src + i, 1))
			return -EFAULT;
		if (!dst[i])
			break;
	}
	return i;
}

#define strncpy_from_user_nofault	strncpy_from_user
#define strncpy_from_kernel_nofault	strncpy_from_user

#endif
