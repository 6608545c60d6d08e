/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * open.h - who is asked for files that libdw opens by itself.
 *
 * Owns: the prototype of open.c.
 */
#ifndef KP_CLI_OPEN_H
#define KP_CLI_OPEN_H

/* ask: a descriptor, or -errno; -ENOSYS: it is opened as any file.  Of .dwo files only. */
void open_asks(int (*ask)(const char *path));

#endif
