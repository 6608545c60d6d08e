/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * room.h - before functions in assembly.
 *
 * Owns: what a kernel that counts calls (retbleed=stuff) looks at before a function
 * that is called.  Without it that is not the module's memory, where the function is
 * the first in its section.
 */
#ifndef ROOM_H
#define ROOM_H

#define ROOM_BEFORE "	.skip 16, 0x90\n"

#endif
