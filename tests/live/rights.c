/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rights.c - what reaches this memory stays with who writes it.
 *
 * Children that raw system calls make, a thread that takes every number at
 * once, rights that are given up: while probes come and go.
 */
#include "live.h"

#include <kprobes/control.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define TIMES 300

static volatile int stop;

static void *toggle(void *unused)
{
	(void)unused;
	while (!stop) {
		live_probe.flags = 0;
		if (!register_kprobe(&live_probe))
			unregister_kprobe(&live_probe);
	}
	return NULL;
}

static pthread_t begin_toggling(void)
{
	pthread_t thread;

	live_probe.addr = (kprobe_opcode_t *)(unsigned long)live_target;
	live_probe.pre_handler = live_pre;
	stop = 0;
	NEED(!pthread_create(&thread, NULL, toggle, NULL));
	return thread;
}

/* A descriptor that leads to memory, or a socket. */
static int reaches(void)
{
	char path[64], to[256];
	ssize_t len;
	int fd;

	for (fd = 3; fd < 1100; fd++) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		len = readlink(path, to, sizeof(to) - 1);
		if (len < 0)
			continue;
		to[len] = 0;
		if (strstr(to, "/mem") || strstr(to, "socket"))
			return 1;
	}
	return 0;
}

static void children(unsigned long flags)
{
	pthread_t thread = begin_toggling();
	int i, status, bad = 0;
	long pid;

	for (i = 0; i < TIMES / 3; i++) {
		pid = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
		if (!pid)
			syscall(SYS_exit_group, reaches());
		NEED(pid > 0 && waitpid((pid_t)pid, &status, 0) == pid);
		bad += status != 0;
	}
	stop = 1;
	pthread_join(thread, NULL);
	NEED(!bad);
}

static void copied(void)
{
	children(0);
}

static void shared(void)
{
	children(CLONE_FILES);
}

static void moved(void)
{
	children(CLONE_NEWNS);
}

/* Every number that is closed is this file's at once. */
static void numbers(void)
{
	char byte[4096], zeros[4096] = { 0 };
	int file = memfd_create("the program's", 0), i, n;
	pthread_t thread = begin_toggling();
	struct stat st;

	NEED(file >= 0 && write(file, zeros, sizeof(zeros)) == sizeof(zeros));
	for (n = 0; n < 20 * TIMES; n++) {
		syscall(SYS_close_range, file + 1, ~0u, 0);
		for (i = 0; i < 4; i++)
			dup(file);
		if (n % 64 == 0)
			sched_yield();
	}
	stop = 1;
	pthread_join(thread, NULL);
	NEED(!fstat(file, &st) && st.st_size == sizeof(zeros));
	NEED(pread(file, byte, sizeof(byte), 0) == sizeof(byte));
	NEED(!memcmp(byte, zeros, sizeof(zeros)));
	unregister_kprobe(&live_probe);
	live_arm();
	NEED(live_hit());
}

/* Once the jump is there, nothing is put off. */
static void alone_after(void)
{
	live_arm();
	kprobes_flush();
	/* Who waits for the optimizer's turn ends, too. */
	while (live_entries("task") > 1)
		usleep(1000);
	live_probe.flags = 0;
	unregister_kprobe(&live_probe);
	kprobes_flush();
	while (live_entries("task") > 1)
		usleep(1000);
	NEED(!unshare(CLONE_NEWUSER) || errno == ENOSPC || errno == EPERM);
}

/* Raw, so that no other thread is told; a probe comes and goes after it. */
static void given_up(void)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct none[2] = { { 0, 0, 0 }, { 0, 0, 0 } };
	char path[300], line[256], *name;
	struct dirent *entry;
	int bad = 0;
	FILE *file;
	DIR *dir;

	live_arm();
	NEED(!syscall(SYS_capset, &head, none));
	dir = opendir("/proc/self/task");
	while ((entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/self/task/%s/status",
			 entry->d_name);
		file = entry->d_name[0] == '.' ? NULL : fopen(path, "r");
		while (file && fgets(line, sizeof(line), file)) {
			name = strstr(line, "CapEff:");
			bad += name && strtoull(name + 7, NULL, 16) != 0;
		}
		if (file)
			fclose(file);
	}
	closedir(dir);
	NEED(!bad);
	NEED(live_hit());
	unregister_kprobe(&live_probe);
	NEED(!live_hit());
}

/* The writer that stays a moment, of a process with root's rights put aside. */
static int someone_has_more(void)
{
	unsigned int real, now, saved, fs;
	char path[300], line[256];
	const char *ids = NULL;
	struct dirent *entry;
	int more = 0, ours;
	FILE *file;
	DIR *dir = opendir("/proc/self/task");

	while ((entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/self/task/%s/status",
			 entry->d_name);
		file = entry->d_name[0] == '.' ? NULL : fopen(path, "r");
		ours = 0;
		while (file && fgets(line, sizeof(line), file)) {
			ours |= !strcmp(line, "Name:\tkprobes\n");
			ids = strncmp(line, "Uid:", 4) ? NULL : line + 4;
			if (ours && ids && sscanf(ids, "%u %u %u %u", &real,
						  &now, &saved, &fs) == 4)
				more |= real != now || saved != now ? 1 : 2;
		}
		if (file)
			fclose(file);
	}
	closedir(dir);
	return more;
}

static void put_aside(void)
{
	int seen = 0, i, j;

	if (geteuid())
		return;
	/* The C library tells the optimizer's thread. */
	kprobes_set_optimization(0);
	NEED(!syscall(SYS_setresgid, 65534, 65534, 0));
	NEED(!syscall(SYS_setresuid, 65534, 65534, 0));
	/* What changes its user may not be looked at, and is told by /proc. */
	NEED(!prctl(PR_SET_DUMPABLE, 1));
	for (i = 0; i < TIMES && !(seen & 2); i++) {
		for (j = 0; j < 20; j++) {
			live_arm();
			unregister_kprobe(&live_probe);
			live_probe.flags = 0;
		}
		/* It is about to give it up. */
		if (someone_has_more() & 1)
			usleep(500);
		seen |= someone_has_more();
	}
	NEED(!(seen & 1));
	NEED(seen & 2);
}

int main(void)
{
	child_case("a raw clone() gets nothing that reaches memory", copied);
	child_case("nor does one that shares the table", shared);
	child_case("nor one in a namespace of its own", moved);
	child_case("a program that takes every number keeps its file", numbers);
	child_case("a program finds itself alone again", alone_after);
	child_case("no thread has capabilities that were given up", given_up);
	child_case("no thread has a user that was put aside", put_aside);
	return live_failed;
}
