/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * threads.c - who is there: directories of /proc, as the kernel lists them.
 *
 * Owns: reading them, on a small buffer and without the C library.  Threads come and
 * go meanwhile; whoever must not miss one asks until nothing new is found.
 *
 * Locks: none.  All of it may be asked on the trap path.
 */
#include "user.h"

#define NAME 19				/* in what getdents64(2) says of an entry */
#define LEN 16				/* ditto, of 16 bits */

KP_TRAP_PATH int kp_user_each_entry(const char *dir,
				    bool (*fn)(const char *name, void *arg),
				    void *arg)
{
	long fd = sys_open(dir, O_RDONLY | O_DIRECTORY), len, at;
	char buf[1024];
	bool stop = false;

	if (fd < 0)
		return (int)fd;
	while (!stop && (len = sys3(SYS_getdents64, fd, buf, sizeof(buf))) > 0)
		for (at = 0; at < len && !stop;
		     at += *(unsigned short *)(void *)(buf + at + LEN))
			stop = fn(buf + at + NAME, arg);
	sys_close(fd);
	return stop;
}

struct visit {
	bool (*fn)(int tid, void *arg);
	void *arg;
	int self;
};

KP_TRAP_PATH static bool visit_one(const char *name, void *arg)
{
	const struct visit *visit = arg;
	int tid = sys_number(name);

	return tid && tid != visit->self && visit->fn(tid, visit->arg);
}

KP_TRAP_PATH int kp_user_each_thread(bool (*fn)(int tid, void *arg), void *arg)
{
	struct visit of = { fn, arg, sys_gettid() };

	return kp_user_each_entry("/proc/self/task", visit_one, &of);
}
