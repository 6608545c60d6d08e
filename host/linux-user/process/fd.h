/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fd.h - descriptors that stay open.
 *
 * Owns: the prototypes of fd.c.
 */
#ifndef KP_USER_FD_H
#define KP_USER_FD_H

#include "env.h"

/* A descriptor that stays open, and which file it is of; fd -1: none. */
struct kp_fd {
	long fd;
	unsigned long dev, ino;
};
void kp_user_fd_keep(struct kp_fd *kept, long fd);	/* ours from now on */
long kp_user_fd(const struct kp_fd *kept);	/* -1: it is not ours any more */
void kp_user_fd_close(struct kp_fd *kept);
long kp_user_fd_lift(long fd);	/* another number of it; or fd, as it is */

#endif
