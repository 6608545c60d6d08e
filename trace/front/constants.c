/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * constants.c - macros of the system's headers that scripts use.
 *
 * Owns: the table of those macros.  Debugging information has enumerators, but no macros.
 */
#include "ast.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define IS(name) { #name, name }

static const struct {
	const char *name;
	int64_t value;
} macros[] = {
	IS(AF_UNSPEC), IS(AF_UNIX), IS(AF_INET), IS(AF_INET6), IS(AF_NETLINK),
	IS(AF_PACKET), IS(SOCK_STREAM), IS(SOCK_DGRAM), IS(SOCK_RAW),
	IS(O_RDONLY), IS(O_WRONLY), IS(O_RDWR), IS(O_CREAT), IS(O_EXCL), IS(O_TRUNC),
	IS(O_APPEND), IS(O_NONBLOCK), IS(O_SYNC), IS(O_DIRECT), IS(O_CLOEXEC),
	IS(O_DIRECTORY), IS(AT_FDCWD),
	IS(S_IFMT), IS(S_IFREG), IS(S_IFDIR), IS(S_IFLNK), IS(S_IFCHR), IS(S_IFBLK),
	IS(S_IFIFO), IS(S_IFSOCK),
	IS(PROT_READ), IS(PROT_WRITE), IS(PROT_EXEC), IS(MAP_SHARED), IS(MAP_PRIVATE),
	IS(MAP_ANONYMOUS), IS(MAP_FIXED),
	IS(SIGHUP), IS(SIGINT), IS(SIGQUIT), IS(SIGILL), IS(SIGTRAP), IS(SIGABRT),
	IS(SIGBUS), IS(SIGFPE), IS(SIGKILL), IS(SIGUSR1), IS(SIGSEGV), IS(SIGUSR2),
	IS(SIGPIPE), IS(SIGALRM), IS(SIGTERM), IS(SIGCHLD), IS(SIGCONT), IS(SIGSTOP),
	IS(SIGTSTP),
	IS(EPERM), IS(ENOENT), IS(ESRCH), IS(EINTR), IS(EIO), IS(EBADF), IS(ECHILD),
	IS(EAGAIN), IS(ENOMEM), IS(EACCES), IS(EFAULT), IS(EBUSY), IS(EEXIST),
	IS(ENODEV), IS(ENOTDIR), IS(EISDIR), IS(EINVAL), IS(ENFILE), IS(EMFILE),
	IS(EFBIG), IS(ENOSPC), IS(EROFS), IS(EPIPE), IS(ENOSYS), IS(ETIMEDOUT),
	IS(ECONNREFUSED), IS(ECONNRESET), IS(EADDRINUSE),
	/* The kernel's own, what its tracepoints tell of a task. */
	{ "TASK_RUNNING", 0 }, { "TASK_INTERRUPTIBLE", 1 },
	{ "TASK_UNINTERRUPTIBLE", 2 },
};

bool constant_known(const char *name, int64_t *value)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(macros); i++)
		if (!strcmp(name, macros[i].name)) {
			*value = macros[i].value;
			return true;
		}
	return false;
}
