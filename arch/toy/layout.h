/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * layout.h - what assembly assumes of the core's structs: nothing, there is none.
 *
 * Owns: saying so.  core/layout.c includes it.
 */
