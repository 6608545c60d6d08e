// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * take.c - descriptors of a process that may be hostile.
 *
 * Owns: taking one over, and the proof of what it is before it is used.  The process chose the
 * number, so behind it may be anything that it could obtain: another user's file opened with
 * O_PATH, a device, a service's socket.  It is taken with pidfd_getfd and never opened again by
 * name.  So we can do with it what the process can, and no more.
 */
#include "attach_cli.h"
#include "newer_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define SEALED (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

#define THREAD O_EXCL			/* PIDFD_THREAD, since Linux 6.9 */

/* Our copy of a descriptor of the process, close-on-exec; or -errno. */
static int take(pid_t pid, unsigned int flags, int number)
{
	int pidfd = (int)syscall(NR_pidfd_open, pid, flags), fd, err;

	if (pidfd < 0)
		return -errno;
	fd = (int)syscall(NR_pidfd_getfd, pidfd, number, 0);
	err = errno;
	close(pidfd);
	return fd < 0 ? -err : fd;
}

/* Whatever it is: only to be asked what it is. */
int take_any(pid_t pid, int number)
{
	return take(pid, 0, number);
}

static int refuse(int fd, int err)
{
	close(fd);
	return -err;
}

/*
 * Only a memfd that was made to be sealed has no seals: a file on a tmpfs has
 * F_SEAL_SEAL from the start, and what is no memory answers EINVAL.
 */
int take_memfd(pid_t pid, int number)
{
	int fd = take(pid, 0, number);
	struct stat st;

	if (fd < 0)
		return fd;
	if (fcntl(fd, F_GET_SEALS) != 0 || fstat(fd, &st) ||
	    !S_ISREG(st.st_mode) || st.st_nlink || st.st_size ||
	    (fcntl(fd, F_GETFL) & (O_ACCMODE | O_PATH)) != O_RDWR)
		return refuse(fd, EPERM);
	return fd;
}

int take_seal(int fd)
{
	return fcntl(fd, F_ADD_SEALS, SEALED) ? errno : 0;
}

static bool has_option(int fd, int option, int wanted)
{
	int value = -1;
	socklen_t len = sizeof(value);

	return !getsockopt(fd, SOL_SOCKET, option, &value, &len) &&
	       value == wanted;
}

/* One end of a pair that this very process has made: nobody else's service. */
static bool is_pair_of(int fd, pid_t pid)
{
	struct sockaddr_un name;
	socklen_t len = sizeof(name);
	struct ucred made = { 0 };
	socklen_t made_len = sizeof(made);

	return has_option(fd, SO_DOMAIN, AF_UNIX) &&
	       has_option(fd, SO_TYPE, SOCK_SEQPACKET) &&
	       has_option(fd, SO_ACCEPTCONN, 0) &&
	       !getsockname(fd, (struct sockaddr *)&name, &len) &&
	       len == sizeof(sa_family_t) &&
	       !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &made, &made_len) &&
	       made.pid == pid;
}

bool take_knows_threads(void)
{
	int pidfd = (int)syscall(NR_pidfd_open, getpid(), THREAD);

	if (pidfd >= 0)
		close(pidfd);
	return pidfd >= 0;
}

/* tid: the thread that has it in its own table; 0: it is in the process's. */
int take_socket(pid_t pid, pid_t tid, int number, uint64_t ino)
{
	int fd = tid ? take(tid, THREAD, number) : take(pid, 0, number);
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) || !S_ISSOCK(st.st_mode) || st.st_ino != ino)
		return refuse(fd, ENOTCONN);
	if (!is_pair_of(fd, pid))
		return refuse(fd, EPROTO);
	return fd;
}
