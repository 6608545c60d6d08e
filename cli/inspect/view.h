/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * view.h - the files of a process, or one file, as they may be read.
 *
 * Owns: struct view.  Descriptors that it gives are of regular files only, read
 * only, and can block nobody; -errno otherwise.
 */
#ifndef KP_CLI_VIEW_H
#define KP_CLI_VIEW_H

#include "remote.h"

struct view {
	pid_t pid;		/* 0: a file */
	unsigned int who;	/* of several: which one it is */
	const char *file;	/* its name; NULL: a process */
	int fd;			/* the file, or the process's memory; -1 */
	const char *debug_dir;	/* besides /usr/lib/debug, or NULL */
	struct remote remote;	/* its map */
	char program[4096];	/* the path of its program */
	char executed[256];	/* the name it was executed by, which may be a link's; or "" */
};

/* pid, or file.  0 or -errno; close in any case. */
int view_open(struct view *view, pid_t pid, const char *file,
	      const char *debug_dir);
void view_close(struct view *view);

/* A file that one chose by its name. */
int view_open_file(const char *path);
/* What the process has under that name, whatever links there are: O_PATH. */
int view_inside(pid_t pid, const char *path);
/* A regular file that the process has under that name. */
int view_in_root(const struct view *view, const char *path);
/* The file that is mapped from start on. */
int view_mapping(const struct view *view, uint64_t start);
/* Separate debugging information, by build-id. */
int view_build_id(const struct view *view, const uint8_t *id, size_t len);
/*
 * The same by the name that the file has in it, of the object that is mapped
 * from start on (or of the file): beside it, and in the places for it.
 */
int view_debuglink(const struct view *view, uint64_t start, const char *name,
		   unsigned int place);
#define VIEW_PLACES 8
/*
 * The file of debugging information that one of its objects was compiled with
 * (-gsplit-dwarf): .dwo files only, where it was, beside an object, or in debug_dir.
 */
int view_split(const struct view *view, const char *name);
/* Where it says which code it has made: perfmap.h.  Its own file, or root's. */
int view_perf_map(const struct view *view);

#endif
