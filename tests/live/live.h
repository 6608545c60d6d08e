/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * live.h - what the live tests share.
 *
 * Owns: the lines that they print, running a case in a child so that its death
 * is a result, where their files are, and a target function with a counting probe.
 */
#ifndef KP_LIVE_H
#define KP_LIVE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <linux/kprobes.h>

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds that what must come may take, on a machine with much to do. */
#define LIVE_PATIENCE 120

static int live_failed;

/* How often what is repeated is done: by T_FEW=N an Nth, where a processor is emulated. */
static inline int live_rounds(int whole)
{
	const char *few = getenv("T_FEW");
	int part = few ? atoi(few) : 1;

	return (whole + part - 1) / part;
}

#define EXPECT(name, cond)						\
	do {								\
		if (cond) {						\
			printf("ok %s\n", name);			\
		} else {						\
			printf("not ok %s %s (%s:%d)\n", name, #cond,	\
			       __FILE__, __LINE__);			\
			live_failed = 1;				\
		}							\
		fflush(stdout);						\
	} while (0)

/* Run fn in a child; the wait status. */
static inline int in_child(void (*fn)(void))
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		fn();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return status;
}

static inline const char *status_text(int status)
{
	static char text[64];

	if (WIFEXITED(status))
		snprintf(text, sizeof(text), "exit %d", WEXITSTATUS(status));
	else
		snprintf(text, sizeof(text), "signal %d", WTERMSIG(status));
	return text;
}

/* The case passes when the child exits with 0. */
static inline void child_case(const char *name, void (*fn)(void))
{
	int status = in_child(fn);

	if (!status) {
		printf("ok %s\n", name);
	} else {
		printf("not ok %s %s\n", name, status_text(status));
		live_failed = 1;
	}
	fflush(stdout);
}

/* In a child: leave with the line's number when cond does not hold. */
#define NEED(cond)							\
	do {								\
		if (!(cond)) {						\
			printf("# %s:%d: %s\n", __FILE__, __LINE__, #cond); \
			fflush(stdout);					\
			_exit(1);					\
		}							\
	} while (0)

/* A case that runs by breakpoint, then by jump; which, live_jumps says. */
struct live_case {
	const char *name;
	void (*fn)(void);
};

static bool live_jumps;

static inline void live_both(const struct live_case *cases, size_t nr)
{
	char name[128];
	size_t i;
	int by;

	for (by = 0; by < 2; by++) {
		live_jumps = by;
		for (i = 0; i < nr; i++) {
			snprintf(name, sizeof(name), "%s_by_%s", cases[i].name,
				 by ? "jump" : "breakpoint");
			child_case(name, cases[i].fn);
		}
	}
}

/* A file that lies beside the program; until the next one is asked for. */
static inline char *live_beside(const char *name)
{
	static char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 64);

	NEED(len > 0);
	path[len] = 0;
	strcpy(strrchr(path, '/') + 1, name);
	return path;
}

/* Threads ("task"), files ("fd") and the like of this process. */
static inline int live_entries(const char *kind)
{
	char path[64];
	struct dirent *entry;
	int nr = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/self/%s", kind);
	dir = opendir(path);
	NEED(dir);
	while ((entry = readdir(dir)))
		nr += entry->d_name[0] != '.';
	closedir(dir);
	return nr;
}

/* ---- a target and its probe ---------------------------------------------- */

static volatile long live_hits;

static __attribute__((noinline, noclone, used)) int live_target(int a)
{
	__asm__ volatile("");
	return a + 1;
}

static int live_pre(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	__atomic_fetch_add(&live_hits, 1, __ATOMIC_RELAXED);
	return 0;
}

static void live_post(struct kprobe *p, struct pt_regs *regs,
		      unsigned long flags)
{
	(void)p;
	(void)regs;
	(void)flags;
}

/* With a post handler, so that a hit takes both traps. */
static struct kprobe live_probe;

static inline void live_arm(void)
{
	int err;

	live_probe = (struct kprobe){
		.addr = (kprobe_opcode_t *)(unsigned long)live_target,
		.pre_handler = live_pre, .post_handler = live_post,
	};
	err = register_kprobe(&live_probe);
	if (err)
		printf("not ok register live_target %d %s\n", err,
		       live_probe.reason ? live_probe.reason : "");
}

static inline bool live_hit(void)
{
	long before = live_hits;

	return live_target(4) == 5 && live_hits == before + 1;
}

#endif
