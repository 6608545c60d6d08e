/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * compat.h - what kernels have named differently.
 *
 * Owns: the flags of a mapping, which have functions since 6.3.
 */
#ifndef KT_COMPAT_H
#define KT_COMPAT_H

#include <linux/mm.h>
#include <linux/version.h>

static inline void kt_compat_vma_set(struct vm_area_struct *vma,
				     unsigned long flags)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_set(vma, flags);
#else
	vma->vm_flags |= flags;
#endif
}

#endif
