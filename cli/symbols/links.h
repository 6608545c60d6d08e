/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * links.h - names of files that lead to other files.
 *
 * Owns: nothing but the declarations of links.c.
 */
#ifndef KP_CLI_LINKS_H
#define KP_CLI_LINKS_H

/* Before the jail closes: the file that a place names may be a link. */
void links_note(const char *target);
/* The same of "OWNER:NAME". */
void links_note_place(const char *where);
/* "/usr/lib/libc.so.6", "libc", "/proc/1/root/bin/ls": what a file is called by. */
const char *links_last_part(const char *path);
/* What the file is called that it leads to; NULL: it is none. */
const char *links_file(const char *target);

#endif
