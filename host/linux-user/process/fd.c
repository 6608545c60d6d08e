/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fd.c - descriptors that stay open.
 *
 * Owns: how one is kept.  The program expects to get the low numbers, and may close descriptors
 * that it does not know; the number may then belong to a file of its own.  So ours are high, and
 * the file is compared before each use and before closing.
 */
#include "process/fd.h"
#include "sys.h"

#include <sys/stat.h>

#define FD_MIN 100

KP_TRAP_PATH static int identify(long fd, struct kp_fd *out)
{
	struct stat st;
	long err = sys_fstat(fd, &st);

	if (err)
		return (int)err;
	out->dev = st.st_dev;
	out->ino = st.st_ino;
	return 0;
}

long kp_user_fd_lift(long fd)
{
	long high;

	if (fd < 0 || fd >= FD_MIN)
		return fd;
	high = sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, FD_MIN);
	if (high < 0)
		return fd;
	sys_close(fd);
	return high;
}

void kp_user_fd_keep(struct kp_fd *kept, long fd)
{
	kept->fd = kp_user_fd_lift(fd);
	if (kept->fd >= 0)
		identify(kept->fd, kept);
}

KP_TRAP_PATH long kp_user_fd(const struct kp_fd *kept)
{
	struct kp_fd now = { .fd = -1 };
	int err;

	if (kept->fd < 0)
		return -1;
	err = identify(kept->fd, &now);
	/* Other errors are a filter's of system calls: it may be ours. */
	if (err == -EBADF || (!err && (now.dev != kept->dev ||
				       now.ino != kept->ino)))
		return -1;
	return kept->fd;
}

void kp_user_fd_close(struct kp_fd *kept)
{
	if (kp_user_fd(kept) >= 0)
		sys_close(kept->fd);
	kept->fd = -1;
}
