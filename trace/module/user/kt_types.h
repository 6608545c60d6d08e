/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* kt_types.h - the kernel's names of types, in a process. */
#ifndef KT_TYPES_H
#define KT_TYPES_H

#include <stdbool.h>
#include <stddef.h>

typedef unsigned char u8;
typedef signed char s8;
typedef unsigned short u16;
typedef short s16;
typedef unsigned int u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;

#endif
