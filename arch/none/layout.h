/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * layout.h - for a port whose assembly assumes nothing about the core's structs.
 *
 * Owns: the absence of assertions.  core/layout.c includes it.
 */
#ifndef KP_NONE_LAYOUT_H
#define KP_NONE_LAYOUT_H

#endif
