/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_types.h - the types that trace programs are written with, in a kernel.
 *
 * Owns: nothing; the kernel has them all.
 */
#include <linux/string.h>
#include <linux/types.h>
