/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * linux/kallsyms.h - lengths of symbol names.
 *
 * Owns: the two constants; names longer than that are cut.
 */
#ifndef KP_SHIM_LINUX_KALLSYMS_H
#define KP_SHIM_LINUX_KALLSYMS_H

#define KSYM_NAME_LEN	512
#define KSYM_SYMBOL_LEN	(KSYM_NAME_LEN + 128)

#endif
