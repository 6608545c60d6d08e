/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * harmful.c - a probe module that harms the process that it is in.
 *
 * Owns: "when" it does: in its constructor (by the environment: HARM), or by
 * the parameter harm in its init or exit function; and what it does: crash,
 * end, abort, wait or loop for ever, or change a file (the one that FILE_NAMED
 * names) or another process (PROCESS_NAMED).
 */
#define _GNU_SOURCE
#include <linux/module.h>

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

/* What can be done to another process that is this user's. */
static void change_other(void)
{
	const char *name = getenv("PROCESS_NAMED");
	struct rlimit limit = { 7, 7 };
	struct sched_param param = { 0 };
	cpu_set_t cpus;
	int pid = name ? atoi(name) : 0;

	if (!pid)
		return;
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	setpriority(PRIO_PROCESS, (id_t)pid, 7);
	setpriority(PRIO_PGRP, 0, 7);
	setpriority(PRIO_USER, 0, 7);
	prlimit(pid, RLIMIT_CORE, &limit, NULL);
	sched_setscheduler(pid, SCHED_BATCH, &param);
	sched_setaffinity(pid, sizeof(cpus), &cpus);
	syscall(SYS_ioprio_set, 1, pid, 3 << 13);
	syscall(SYS_tgkill, pid, pid, 9);
	syscall(SYS_tkill, pid, 9);
	syscall(SYS_kill, pid, 9);
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
	if (!strcmp(what, "others"))
		change_other();
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
