/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * layout.h - of a port whose assembly assumes nothing of the core's structs.
 *
 * Owns: having no assertions.  core/layout.c includes it.
 */
#ifndef KP_NONE_LAYOUT_H
#define KP_NONE_LAYOUT_H

#endif
