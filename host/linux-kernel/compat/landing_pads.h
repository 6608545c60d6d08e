/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * compat/landing_pads.h - targets of indirect branches in assembly.
 *
 * Owns: how one is marked, on kernels older than these marks (5.18), too; and where the
 * hash is in what FineIBT puts before a function.
 */
#ifndef KP_COMPAT_LANDING_PADS_H
#define KP_COMPAT_LANDING_PADS_H

#if __has_include(<asm/ibt.h>)
#include <asm/ibt.h>
#else
#define ASM_ENDBR
#endif

#define KP_CALL_HASH 7

#endif
