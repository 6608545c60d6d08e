/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * compat/exports.h - that what a module exports is exported.
 *
 * Owns: one difference between kernels that drop exports.  Before 6.10 they drop those
 * of modules as well, at the macro that exports, which no list of the kernel's knows.
 *
 * Included before all other headers.
 */
#ifndef KP_COMPAT_EXPORTS_H
#define KP_COMPAT_EXPORTS_H

#undef CONFIG_TRIM_UNUSED_KSYMS

#endif
