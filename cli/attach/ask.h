/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ask.h - what makes connections, of the file that talks by them.
 *
 * Owns: the declarations of ask.c that attach_cli.h does not have.
 */
#ifndef KP_CLI_ASK_H
#define KP_CLI_ASK_H

#include <stddef.h>
#include <sys/types.h>

#define ASK_FILES_MAX 2			/* with a request */

/* One packet, with descriptors.  0 or errno. */
int ask_send(int fd, const char *text, size_t len, const int *files, size_t nr);
/* Whose processor time shows from now on that a request is being worked on. */
void ask_partner(pid_t pid);

#endif
