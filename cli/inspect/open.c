// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * open.c - open(2), for this command and the libraries that it uses.
 *
 * Owns: open() and open64(), in place of the C library's: libdw calls one of them for each file
 * of split debugging information (split.c).
 */
#include "open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int (*asked)(const char *path);

void open_asks(int (*ask)(const char *path))
{
	asked = ask;
}

static bool is_split(const char *path)
{
	const char *end = strrchr(path, '.');

	return path[0] == '/' && end && !strcmp(end, ".dwo");
}

/* Whichever libdw was built for. */
int open_file(const char *path, int flags, ...) __asm__("open");
int open_large(const char *path, int flags, ...) __asm__("open64")
	__attribute__((alias("open"), visibility("default")));

__attribute__((visibility("default"))) int open_file(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list args;
	int fd = asked && is_split(path) ? asked(path) : -ENOSYS;

	if (fd >= 0)
		return fd;
	if (fd != -ENOSYS) {
		errno = -fd;
		return -1;
	}
	va_start(args, flags);
	/* O_TMPFILE has O_DIRECTORY's bit, too. */
	if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE)
		mode = va_arg(args, mode_t);
	va_end(args);
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_LARGEFILE, mode);
}
