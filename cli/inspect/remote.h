/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * remote.h - looking into another process.
 *
 * Owns: its memory, its map, and symbols as its dynamic linker sees them: from
 * memory, so that it does not matter which files its namespace has.
 */
#ifndef KP_CLI_REMOTE_H
#define KP_CLI_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A word of the process, whose are as long as this command's. */
typedef uintptr_t remote_word;

struct remote_map {
	uint64_t start, end, offset;
	uint64_t dev, ino;		/* of its file; 0: anonymous */
	bool read, write, exec, shared;
	const char *path;		/* "" when anonymous */
};

struct remote {
	pid_t pid;
	int mem;			/* /proc/PID/mem, or -1 */
	char *text;			/* of the map */
	struct remote_map *maps;
	size_t maps_nr;
	bool calls_only;		/* no function is called in a thread of it */
	bool by_way;			/* and nothing is written on its stack (way.c) */
};

/* 0 or an errno; nothing is printed. */
int remote_open(struct remote *remote, pid_t pid);
void remote_close(struct remote *remote);
int remote_refresh(struct remote *remote);	/* the map again */
int remote_refresh_from(struct remote *remote, int file);	/* closes it */

int remote_read(const struct remote *remote, uint64_t addr, void *dst,
		size_t len);
/* Also where the process itself may not write. */
int remote_write(const struct remote *remote, uint64_t addr, const void *src,
		 size_t len);
const struct remote_map *remote_map_at(const struct remote *remote,
				       uint64_t addr);

/* The object that is mapped from map on: a dynamic symbol, or 0. */
uint64_t remote_symbol(const struct remote *remote,
		       const struct remote_map *map, const char *name);
/* The same in the first object that has it and whose path contains part. */
uint64_t remote_find(const struct remote *remote, const char *part,
		     const char *name);
/*
 * restorer.c: the C library's return from a signal handler, also where the
 * library watches it; or 0.  Is it at addr?
 */
uint64_t restorer_find(const struct remote *remote);
bool restorer_at(const struct remote *remote, uint64_t addr);
/*
 * Where there is none: one of ours, in what the kernel has left empty behind its own code; or
 * 0.  restorer_unmake takes it away, when no thread will come to it any more.
 */
uint64_t restorer_make(const struct remote *remote);
void restorer_unmake(const struct remote *remote, uint64_t addr);

/* One field of /proc/PID/status: its text after the colon, or NULL. */
char *remote_status(pid_t pid, pid_t tid, const char *field, char *buf,
		    size_t len);
/* Some of them, all of one moment.  False: there is no such thread. */
struct remote_look {
	char state;
	uint64_t pending, blocked;	/* the first 64 signals */
	int seccomp;
	uint64_t switches;		/* so often it was taken off a processor */
};
bool remote_look(pid_t pid, pid_t tid, struct remote_look *look);
/* Its state as in proc(5): 'R', 'Z'; 0: there is no such thread. */
char remote_state(pid_t pid, pid_t tid);
/* A thread of the kernel, which has no memory of its own. */
bool remote_is_kernel(pid_t pid);
/* Has the process ended, or begun to lose its memory? */
bool remote_ending(pid_t pid);
/* When it began, in ticks since the machine did; 0: it is not there. */
unsigned long long remote_began(pid_t pid);
/* Another one for each program that it begins; 0: that cannot be seen. */
unsigned long remote_image(pid_t pid);
/* Has it begun another program since it was opened? */
bool remote_has_changed(pid_t pid);
/* Is its program linked dynamically, as the kernel saw it? */
bool remote_has_interpreter(pid_t pid);
/* The processor's time that the process has used, in some unit. */
unsigned long long remote_ticks(pid_t pid);
int64_t remote_status_number(pid_t pid, pid_t tid, const char *field, int base);
/* The first 64 of a set of signals; -1: it is not there. */
int64_t remote_status_signals(pid_t pid, pid_t tid, const char *field);
/* Are threads and processes called by the same numbers there as here? */
bool remote_same_numbers(pid_t pid);
/* The thread's number in its own namespace, where it has another one. */
pid_t remote_inner_tid(pid_t pid, pid_t tid);
/* The process's name, for messages. */
const char *remote_comm(pid_t pid, char buf[32]);
/* Threads: how many; *tids is to be freed; -errno. */
int remote_threads(pid_t pid, pid_t **tids);

#endif
