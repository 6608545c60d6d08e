/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * threads.c - the threads of the process, as /proc lists them.
 *
 * Owns: reading these directories, on a small buffer and without the C library.  Threads come
 * and go meanwhile.  A caller that must not miss one repeats until nothing new is found.
 *
 * If a thread ends while the kernel's listing is at it, the listing ends there, or continues
 * behind the next thread, so an existing thread is missing.  But the number of links of the
 * directory says how many there were before; if fewer were found, it is read again.
 *
 * Locks: none.  All of it may be called on the trap path.
 */
#include "process/threads.h"
#include "machine.h"

#define NAME 19				/* in what getdents64(2) says of an entry */
#define LEN 16				/* ditto, of 16 bits */

#define OWN_LINKS 2			/* of a directory that has none in it */
#define PASSES 64

/* links, unless NULL: how many the directory had before. */
KP_TRAP_PATH static int each_entry(const char *dir,
				   bool (*fn)(const char *name, void *arg),
				   void *arg, unsigned long *links)
{
	long fd = sys_open(dir, O_RDONLY | O_DIRECTORY), len, at;
	char buf[1024];
	bool stop = false;
	struct stat st;

	if (fd < 0)
		return (int)fd;
	if (links)
		*links = sys_fstat(fd, &st) ? 0 : st.st_nlink;
	while (!stop && (len = sys3(SYS_getdents64, fd, buf, sizeof(buf))) > 0)
		for (at = 0; at < len && !stop;
		     at += *(unsigned short *)(void *)(buf + at + LEN))
			stop = fn(buf + at + NAME, arg);
	sys_close(fd);
	return stop;
}

KP_TRAP_PATH int kp_user_each_entry(const char *dir,
				    bool (*fn)(const char *name, void *arg),
				    void *arg)
{
	return each_entry(dir, fn, arg, NULL);
}

struct visit {
	bool (*fn)(int tid, void *arg);
	void *arg;
	int self;
	unsigned long seen;
};

KP_TRAP_PATH static bool visit_one(const char *name, void *arg)
{
	struct visit *visit = arg;
	int tid = sys_number(name);

	visit->seen += tid != 0;
	return tid && tid != visit->self && visit->fn(tid, visit->arg);
}

KP_TRAP_PATH int kp_user_each_thread(bool (*fn)(int tid, void *arg), void *arg)
{
	struct visit of = { fn, arg, sys_gettid(), 0 };
	unsigned long links = 0;
	int pass = 0, result;

	do {
		of.seen = 0;
		result = each_entry("/proc/self/task", visit_one, &of, &links);
	} while (!result && of.seen + OWN_LINKS < links && ++pass < PASSES);
	return result;
}
