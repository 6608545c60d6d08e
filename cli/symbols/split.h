/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * split.h - debugging information in files of its own (-gsplit-dwarf).
 *
 * Owns: the prototype of split.c.
 */
#ifndef KP_CLI_SPLIT_H
#define KP_CLI_SPLIT_H

struct view;

/* Files that objects of the view name may be asked for.  It stays. */
void split_know(const struct view *view);

#endif
