/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * linux/export.h - exported names.
 *
 * Owns: nothing to do: a shared object's global names are visible.
 */
#ifndef KP_SHIM_LINUX_EXPORT_H
#define KP_SHIM_LINUX_EXPORT_H

#define EXPORT_SYMBOL(name)
#define EXPORT_SYMBOL_GPL(name)
#define EXPORT_SYMBOL_NS(name, ns)
#define EXPORT_SYMBOL_NS_GPL(name, ns)

#endif
