/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * harmful.c - a probe module that harms the process that it is in.
 *
 * Owns: "when" it does: in its constructor (by the environment: HARM), or by
 * the parameter harm in its init or exit function; and what it does: crash,
 * end, abort, wait or loop for ever, or change a file (the one that FILE_NAMED
 * names).
 */
#include <linux/module.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static char *harm = "";
module_param(harm, charp, 0);
static char *leave = "";
module_param(leave, charp, 0);
extern int nowhere(void) __attribute__((weak));

static void change_files(void)
{
	const char *name = getenv("FILE_NAMED");
	char other[256] = "";
	int fd;

	if (!name || strlen(name) > 200)
		return;
	fd = open(name, O_WRONLY);
	if (fd >= 0 && write(fd, "new", 3))
		fsync(fd);
	close(open(name, O_WRONLY | O_TRUNC));
	strcat(strcat(other, name), ".other");
	close(open(other, O_WRONLY | O_CREAT, 0600));
	if (rename(name, other))
		unlink(name);
	if (!fork())
		_exit(0);
	syscall(SYS_kill, getppid(), 9);
}

static volatile int *volatile place = (void *)16;

static void do_harm(const char *what)
{
	if (!strcmp(what, "crash"))
		*place = 1;
	if (!strcmp(what, "end"))
		exit(0);
	if (!strcmp(what, "abort"))
		abort();
	if (!strcmp(what, "wait"))
		for (;;)
			pause();
	if (!strcmp(what, "compute"))
		for (;;)
			(void)*(volatile int *)&place;
	if (!strcmp(what, "nowhere"))
		nowhere();
	if (!strcmp(what, "files"))
		change_files();
}

__attribute__((constructor)) static void construct(void)
{
	const char *what = getenv("HARM");

	if (what)
		do_harm(what);
}

static int __init begin(void)
{
	do_harm(harm);
	return 0;
}

static void __exit end(void)
{
	do_harm(leave);
}

module_init(begin);
module_exit(end);
MODULE_LICENSE("Dual BSD/GPL");
