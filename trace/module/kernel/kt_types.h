/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_types.h - the types that trace programs are written with, in a kernel.
 *
 * Owns: nothing; the kernel has them all.  Of 32 bits, it has functions for quotients of 64,
 * and not what compilers call; so machines divide by these names.
 */
#include <linux/math64.h>
#include <linux/string.h>
#include <linux/types.h>

#define kt_udiv div64_u64
#define kt_sdiv div64_s64
