/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vmlinux.h - the running kernel's file with debugging information.
 *
 * Owns: nothing but the declaration of vmlinux.c.
 */
#ifndef KP_CLI_VMLINUX_H
#define KP_CLI_VMLINUX_H

/* What KPROBES_VMLINUX names, else where distributions put it; NULL: it is nowhere. */
const char *vmlinux_path(void);

#endif
