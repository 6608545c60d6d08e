// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * view.c - the files of a process, or one file, as they may be read.
 *
 * Owns: how they are opened.  The names are the process's, and so is its mount namespace.  A name
 * may lead to a FIFO that blocks on opening, to a device on which opening has an effect, to a link
 * to a file of ours, and to something else a moment later.  So:
 *   1. a mapped file is opened by the mapping (/proc/PID/map_files), not by a
 *      name, where that is permitted; else by its name below the process's own
 *      root, which no link can lead out of (openat2)
 *   2. as a path first (O_PATH), which opens nothing
 *   3. only a regular file is then opened for reading, through that descriptor,
 *      without blocking
 */
#include "view.h"
#include "newer_calls.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NO_MAGICLINKS 0x02		/* RESOLVE_… of <linux/openat2.h> */
#define IN_ROOT 0x10

#define DEBUG_DIR "/usr/lib/debug"

/* path: an O_PATH descriptor, which is closed; or -errno. */
static int read_regular(int path)
{
	char name[64];
	struct stat st;
	int fd;

	if (path < 0)
		return path;
	if (fstat(path, &st) || !S_ISREG(st.st_mode)) {
		close(path);
		return -EINVAL;
	}
	snprintf(name, sizeof(name), "/proc/self/fd/%d", path);
	fd = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	close(path);
	return fd;
}

int view_open_file(const char *path)
{
	int fd = open(path, O_PATH | O_CLOEXEC);

	return read_regular(fd < 0 ? -errno : fd);
}

static int inside(pid_t pid, const char *path, uint64_t flags)
{
	struct { uint64_t flags, mode, resolve; } how = {
		O_PATH | O_CLOEXEC | flags, 0, IN_ROOT | NO_MAGICLINKS,
	};
	char name[64];
	int root, fd;

	snprintf(name, sizeof(name), "/proc/%d/root", (int)pid);
	root = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -errno;
	fd = (int)syscall(NR_openat2, root, path, &how, sizeof(how));
	if (fd < 0)
		fd = -errno;
	close(root);
	return fd;
}

int view_inside(pid_t pid, const char *path)
{
	return inside(pid, path, 0);
}

static int open_inside(const struct view *view, const char *path)
{
	return read_regular(view_inside(view->pid, path));
}

int view_in_root(const struct view *view, const char *path)
{
	return open_inside(view, path);
}

static const struct remote_map *mapping(const struct view *view, uint64_t start)
{
	const struct remote_map *map = remote_map_at(&view->remote, start);

	return map && map->start == start && map->path[0] == '/' ? map : NULL;
}

int view_mapping(const struct view *view, uint64_t start)
{
	const struct remote_map *map = mapping(view, start);
	char name[96];
	int fd;

	if (!map)
		return -ENOENT;
	snprintf(name, sizeof(name), "/proc/%d/map_files/%llx-%llx",
		 (int)view->pid, (unsigned long long)map->start,
		 (unsigned long long)map->end);
	fd = view_open_file(name);
	if (fd >= 0 || fd == -EINVAL || strstr(map->path, " (deleted)"))
		return fd;
	return open_inside(view, map->path);
}

/* ---- debugging information ---------------------------------------------------- */

static int open_in(const char *dir, const char *name)
{
	char path[4300];

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >=
	    (int)sizeof(path))
		return -ENAMETOOLONG;
	return view_open_file(path);
}

/* Our own directories; but the name is made of a file's words. */
static int open_debug(const struct view *view, const char *name)
{
	int fd = -ENOENT;

	if (!strncmp(name, "../", 3) || strstr(name, "/../"))
		return -EINVAL;
	if (view->debug_dir)
		fd = open_in(view->debug_dir, name);
	return fd >= 0 ? fd : open_in(DEBUG_DIR, name);
}

int view_build_id(const struct view *view, const uint8_t *id, size_t len)
{
	char name[160] = ".build-id/";
	size_t i, at = strlen(name);

	if (len < 2 || len > 64)
		return -EINVAL;
	for (i = 0; i < len; i++)
		at += (size_t)sprintf(name + at, i ? "%02x" : "%02x/", id[i]);
	strcpy(name + at, ".debug");
	return open_debug(view, name);
}

/* "dir/sub/name" of the object's path. */
static bool beside(char *dst, size_t room, const char *path, const char *sub,
		   const char *name)
{
	const char *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash - path) + 1 : 0;

	return snprintf(dst, room, "%.*s%s%s", dir, path, sub, name) <
	       (int)room;
}

/* A file that several share: named by a path to that directory. */
static int open_shared(const struct view *view, const char *name)
{
	const char *at = strstr(name, "/.dwz/");

	return at ? open_debug(view, at + 1) : -ENOENT;
}

int view_debuglink(const struct view *view, uint64_t start, const char *name,
		   unsigned int place)
{
	const struct remote_map *map = view->pid ? mapping(view, start) : NULL;
	const char *path = view->pid ? map ? map->path : NULL : view->file;
	char full[4200];

	if (strchr(name, '/'))
		return place ? -ENOENT : open_shared(view, name);
	if (!path || !*name || !strcmp(name, ".") || !strcmp(name, "..") ||
	    place > 3 ||
	    !beside(full, sizeof(full), place == 3 ? "" : path,
		    place == 1 ? ".debug/" : "", name))
		return -ENOENT;
	if (place >= 2)
		return open_debug(view, full[0] == '/' ? full + 1 : full);
	return view->pid ? open_inside(view, full) : view_open_file(full);
}

/* ---- code that it makes ---------------------------------------------------------- */

/* Anybody may have put a file there, but not in another's name. */
static bool is_its_own(pid_t pid, const struct stat *st)
{
	unsigned int ids[4];
	char text[128];

	return !st->st_uid ||
	       (remote_status(pid, pid, "Uid", text, sizeof(text)) &&
		sscanf(text, "%u %u %u %u", &ids[0], &ids[1], &ids[2], &ids[3]) == 4 &&
		(st->st_uid == ids[1] || st->st_uid == ids[3]));
}

/* Of the files that the process has mapped, or beside the file. */
static int split_beside(const struct view *view, const char *name)
{
	char path[8192], last[4096] = "";
	size_t i;
	int fd = -ENOENT;

	if (!view->pid)
		return beside(path, sizeof(path), view->file, "", name) ? view_open_file(path) : fd;
	for (i = 0; i < view->remote.maps_nr && fd < 0; i++) {
		const char *object = view->remote.maps[i].path;

		if (object[0] != '/' || !strcmp(object, last) || strlen(object) >= sizeof(last))
			continue;
		strcpy(last, object);
		if (beside(path, sizeof(path), object, "", name))
			fd = open_inside(view, path);
	}
	return fd;
}

int view_split(const struct view *view, const char *name)
{
	const char *slash = strrchr(name, '/'), *end = strrchr(name, '.');
	int fd;

	if (name[0] != '/' || !end || strcmp(end, ".dwo"))
		return -EINVAL;
	fd = view->pid ? open_inside(view, name) : view_open_file(name);
	if (fd < 0)
		fd = split_beside(view, slash + 1);
	return fd < 0 && view->debug_dir ? open_in(view->debug_dir, slash + 1) : fd;
}

int view_perf_map(const struct view *view)
{
	struct stat st;
	char name[64];
	int fd;

	if (!view->pid)
		return -ENOENT;
	snprintf(name, sizeof(name), "/tmp/perf-%d.map",
		 (int)remote_inner_tid(view->pid, view->pid));
	fd = read_regular(inside(view->pid, name, O_NOFOLLOW));
	if (fd < 0 || (!fstat(fd, &st) && is_its_own(view->pid, &st)))
		return fd;
	close(fd);
	return -EACCES;
}

/* ---- opening ------------------------------------------------------------------- */

/*
 * The name that it was executed by, without folders: what the kernel wrote above its
 * stack, as the auxiliary vector says where.
 */
static void read_executed(struct view *view)
{
	unsigned long vector[2 * 64];
	char path[4096];
	ssize_t len, at;
	char *slash;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)view->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? 0 : read(fd, vector, sizeof(vector));
	if (fd >= 0)
		close(fd);
	for (at = 0; at + 1 < len / (ssize_t)sizeof(vector[0]); at += 2) {
		if (vector[at] != AT_EXECFN)
			continue;
		len = pread(view->fd, path, sizeof(path) - 1, (off_t)vector[at + 1]);
		path[len > 0 ? len : 0] = 0;
		slash = strrchr(path, '/');
		snprintf(view->executed, sizeof(view->executed), "%.255s",
			 slash ? slash + 1 : path);
		return;
	}
}

static int open_process(struct view *view)
{
	char path[64];
	ssize_t len;
	int err = remote_refresh(&view->remote);

	if (err)
		return -err;
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)view->pid);
	view->fd = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)view->pid);
	len = readlink(path, view->program, sizeof(view->program) - 1);
	view->program[len > 0 ? len : 0] = 0;
	read_executed(view);
	return 0;
}

int view_open(struct view *view, pid_t pid, const char *file,
	      const char *debug_dir)
{
	memset(view, 0, sizeof(*view));
	view->pid = pid;
	view->file = file;
	view->debug_dir = debug_dir;
	view->fd = -1;
	view->remote.pid = pid;
	view->remote.mem = -1;
	if (pid)
		return open_process(view);
	view->fd = view_open_file(file);
	return view->fd < 0 ? view->fd : 0;
}

void view_close(struct view *view)
{
	if (view->fd >= 0)
		close(view->fd);
	remote_close(&view->remote);
	view->fd = -1;
}
