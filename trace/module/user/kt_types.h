/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* kt_types.h - the kernel's names of types, in a process: the shim's. */
#ifndef KT_TYPES_H
#define KT_TYPES_H

#include <linux/types.h>
#include <string.h>

/* Quotients of 64 bits. */
#define kt_udiv(x, y) ((x) / (y))
#define kt_sdiv(x, y) ((x) / (y))

#endif
