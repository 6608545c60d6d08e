// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * remote.c - another process's memory, map and status.
 *
 * Owns: reading them under /proc.
 */
#include "remote.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A map of as many lines as a process may have, each with a long path. */
#define TEXT_MAX (512u << 20)
#define OWN_LINKS 2			/* of a directory that has none in it */
#define LISTINGS 64

/* ---- memory ------------------------------------------------------------------ */

int remote_read(const struct remote *remote, uint64_t addr, void *dst,
		size_t len)
{
	char *to = dst;

	while (len) {
		ssize_t got = pread(remote->mem, to, len, (off_t)addr);

		if (got <= 0)
			return got ? errno : EIO;
		to += got;
		addr += (uint64_t)got;
		len -= (size_t)got;
	}
	return 0;
}

int remote_write(const struct remote *remote, uint64_t addr, const void *src,
		 size_t len)
{
	ssize_t put = pwrite(remote->mem, src, len, (off_t)addr);

	return put == (ssize_t)len ? 0 : put < 0 ? errno : EIO;
}

/* ---- the map ------------------------------------------------------------------- */

/* fd is closed. */
static char *read_file(int fd)
{
	size_t len = 0, room = 65536;
	char *text = malloc(room), *more;
	ssize_t got;

	while (fd >= 0 && text) {
		got = read(fd, text + len, room - len - 1);
		if (got <= 0) {
			text[len] = 0;
			close(fd);
			if (!got)
				return text;
			free(text);
			return NULL;
		}
		len += (size_t)got;
		if (room - len > 4096)
			continue;
		if (room >= TEXT_MAX)
			break;
		room *= 2;
		more = realloc(text, room);
		if (!more)
			break;
		text = more;
	}
	if (fd >= 0)
		close(fd);
	free(text);
	return NULL;
}

static char *read_all(const char *path)
{
	return read_file(open(path, O_RDONLY | O_CLOEXEC));
}

static bool parse_line(char *line, struct remote_map *map)
{
	unsigned long long start, end, offset, ino;
	unsigned int major, minor;
	char perms[8];
	int at = 0;

	if (sscanf(line, "%llx-%llx %7s %llx %x:%x %llu %n", &start, &end,
		   perms, &offset, &major, &minor, &ino, &at) < 7 || !at)
		return false;
	*map = (struct remote_map){
		.start = start, .end = end, .offset = offset,
		.dev = (uint64_t)major << 32 | minor, .ino = ino,
		.read = perms[0] == 'r', .write = perms[1] == 'w',
		.exec = perms[2] == 'x', .shared = perms[3] == 's',
		.path = line + at,
	};
	return true;
}

static int parse_maps(struct remote *remote)
{
	char *line, *next;
	size_t lines = 1;

	for (line = remote->text; (line = strchr(line, '\n')); line++)
		lines++;
	remote->maps = calloc(lines, sizeof(*remote->maps));
	if (!remote->maps)
		return ENOMEM;
	for (line = remote->text; *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		else
			next = line + strlen(line);
		if (parse_line(line, &remote->maps[remote->maps_nr]))
			remote->maps_nr++;
	}
	return 0;
}

int remote_refresh(struct remote *remote)
{
	char path[64];

	errno = 0;
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)remote->pid);
	return remote_refresh_from(remote, open(path, O_RDONLY | O_CLOEXEC));
}

int remote_refresh_from(struct remote *remote, int file)
{
	free(remote->text);
	free(remote->maps);
	remote->maps = NULL;
	remote->maps_nr = 0;
	remote->text = read_file(file);
	if (!remote->text)
		return errno ? errno : ENOMEM;
	return parse_maps(remote);
}

const struct remote_map *remote_map_at(const struct remote *remote,
				       uint64_t addr)
{
	size_t from = 0, to = remote->maps_nr, i;

	/* The kernel lists them in order. */
	while (from < to) {
		i = from + (to - from) / 2;
		if (addr < remote->maps[i].start)
			to = i;
		else if (addr >= remote->maps[i].end)
			from = i + 1;
		else
			return &remote->maps[i];
	}
	return NULL;
}

static bool read_stat(pid_t pid, char *text, size_t len, const char **rest);

/* Where its stack begins: at random, and anew with each program. */
unsigned long remote_image(pid_t pid)
{
	unsigned long stack = 0;
	const char *rest;
	char text[1024];

	if (read_stat(pid, text, sizeof(text), &rest))
		sscanf(rest, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %*u %*u %*d %*u %*u %*u %lu",
		       &stack);
	return stack;
}

/* The process that was opened last. */
static pid_t opened;
static unsigned long opened_image;

static int most_tries(pid_t pid)
{
	char state = remote_state(pid, pid);

	return !state || state == 'Z' || state == 'X' ? 10 : 1000;
}

int remote_open(struct remote *remote, pid_t pid)
{
	char path[64];
	int err, tries;

	*remote = (struct remote){ .pid = pid };
	opened = pid;
	opened_image = remote_image(pid);
	/* In the middle of exec it has none; nor where its main thread has ended. */
	for (tries = 0; !opened_image && tries < most_tries(pid) && !geteuid() &&
	     !remote_is_kernel(pid); tries++) {
		usleep(1000);
		opened_image = remote_image(pid);
	}
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	remote->mem = open(path, O_RDWR | O_CLOEXEC);
	if (remote->mem < 0)
		return errno;
	err = remote_refresh(remote);
	if (err)
		remote_close(remote);
	return err;
}

void remote_close(struct remote *remote)
{
	if (remote->mem >= 0)
		close(remote->mem);
	free(remote->text);
	free(remote->maps);
	*remote = (struct remote){ .mem = -1 };
}

/* ---- status ----------------------------------------------------------------- */

/* Mostly in one reading: room, or what is to be freed; NULL: there is no such thread. */
static char *read_status(pid_t pid, pid_t tid, char *room, size_t len)
{
	char path[96];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)pid,
		 (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	got = read(fd, room, len - 1);
	close(fd);
	if (got <= 0)
		return NULL;
	room[got] = 0;
	return (size_t)got < len - 1 ? room : read_all(path);
}

/* What follows the field's name; NULL: there is no such one. */
static const char *field_of(const char *text, const char *field)
{
	size_t name = strlen(field);
	const char *line;

	for (line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, field, name) && line[name] == ':')
			return line + name + 1 + strspn(line + name + 1, " \t");
	}
	return NULL;
}

char *remote_status(pid_t pid, pid_t tid, const char *field, char *buf,
		    size_t len)
{
	char room[8192], *text = read_status(pid, tid, room, sizeof(room));
	const char *value = field_of(text, field);
	bool found = value != NULL;
	size_t size;

	if (found) {
		size = strcspn(value, "\n");
		size = size < len - 1 ? size : len - 1;
		memcpy(buf, value, size);
		buf[size] = 0;
	}
	if (text != room)
		free(text);
	return found ? buf : NULL;
}

/* Digits of the first 64 come last. */
static uint64_t signals_of(const char *digits)
{
	size_t len = digits ? strcspn(digits, "\n") : 0;

	return digits ? strtoull(digits + (len > 16 ? len - 16 : 0), NULL, 16) : 0;
}

static uint64_t number_of(const char *text, const char *field)
{
	const char *value = field_of(text, field);

	return value ? strtoull(value, NULL, 10) : 0;
}

bool remote_look(pid_t pid, pid_t tid, struct remote_look *look)
{
	char room[8192], *text = read_status(pid, tid, room, sizeof(room));
	const char *state = field_of(text, "State");

	*look = (struct remote_look){ 0 };
	if (state)
		*look = (struct remote_look){
			.state = *state,
			.pending = signals_of(field_of(text, "SigPnd")),
			.blocked = signals_of(field_of(text, "SigBlk")),
			.seccomp = (int)number_of(text, "Seccomp"),
			.switches = number_of(text, "voluntary_ctxt_switches") +
				    number_of(text, "nonvoluntary_ctxt_switches"),
		};
	if (text != room)
		free(text);
	return state;
}

char remote_state(pid_t pid, pid_t tid)
{
	char buf[64];

	return remote_status(pid, tid, "State", buf, sizeof(buf)) ? buf[0] : 0;
}

/* What follows the name in /proc/PID/stat; the name may hold anything. */
static bool read_stat(pid_t pid, char *text, size_t len, const char **rest)
{
	char path[64], *end;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = read(fd, text, len - 1);
	close(fd);
	text[got > 0 ? got : 0] = 0;
	end = strrchr(text, ')');
	*rest = end ? end + 1 : NULL;
	return end != NULL;
}

/* By the kernel's flags of a thread: proc(5), the ninth field. */
bool remote_is_kernel(pid_t pid)
{
	unsigned int flags = 0;
	const char *rest;
	char text[1024];

	return read_stat(pid, text, sizeof(text), &rest) &&
	       sscanf(rest, " %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
	       (flags & 0x200000);
}

unsigned long long remote_began(pid_t pid)
{
	unsigned long long began = 0;
	const char *rest;
	char text[1024];

	if (read_stat(pid, text, sizeof(text), &rest))
		sscanf(rest, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
		       &began);
	return began;
}

unsigned long long remote_ticks(pid_t pid)
{
	unsigned long long user = 0, system = 0;
	const char *rest;
	char text[1024];

	if (read_stat(pid, text, sizeof(text), &rest))
		sscanf(rest, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu",
		       &user, &system);
	return user + system;
}

bool remote_has_changed(pid_t pid)
{
	unsigned long image = pid == opened ? remote_image(pid) : 0;

	/* Root, who may see it, has seen none: it was in the middle of exec. */
	return image && (opened_image || !geteuid()) && image != opened_image;
}

bool remote_has_interpreter(pid_t pid)
{
	remote_word pair[2];
	bool found = false, whole = false;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)pid);
	file = fopen(path, "re");
	while (file && !found && fread(pair, sizeof(pair), 1, file) == 1 &&
	       pair[0]) {
		found = pair[0] == 7 /* AT_BASE */ && pair[1];
		whole |= pair[0] == 31 /* AT_EXECFN, behind it */;
	}
	if (file)
		fclose(file);
	/* In the middle of exec there is nothing yet, or a part. */
	return found || !whole;
}

/* What ends loses its memory first, and its program with that. */
bool remote_ending(pid_t pid)
{
	char path[64], target[8], state = remote_state(pid, pid);

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return !state || state == 'Z' || state == 'X' ||
	       (readlink(path, target, sizeof(target)) < 0 && errno == ENOENT &&
		!remote_is_kernel(pid));
}

int64_t remote_status_number(pid_t pid, pid_t tid, const char *field, int base)
{
	char buf[128];

	return remote_status(pid, tid, field, buf, sizeof(buf))
		       ? (int64_t)strtoull(buf, NULL, base)
		       : -1;
}

/* Digits of the first 64 come last. */
int64_t remote_status_signals(pid_t pid, pid_t tid, const char *field)
{
	char buf[128];
	size_t len;

	if (!remote_status(pid, tid, field, buf, sizeof(buf)))
		return -1;
	len = strlen(buf);
	return (int64_t)strtoull(buf + (len > 16 ? len - 16 : 0), NULL, 16);
}

const char *remote_comm(pid_t pid, char buf[32])
{
	if (!remote_status(pid, pid, "Name", buf, 32))
		strcpy(buf, "?");
	return buf;
}

/* One reading of the list, and how many threads there were before it. */
static int list_threads(pid_t pid, pid_t **tids, int *before)
{
	char path[64];
	struct dirent *entry;
	int nr = 0, room = 64;
	struct stat st;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir)
		return -errno;
	*before = fstat(dirfd(dir), &st) ? 0 : (int)st.st_nlink - OWN_LINKS;
	*tids = malloc((size_t)room * sizeof(pid_t));
	while (*tids && (entry = readdir(dir))) {
		pid_t tid = (pid_t)atoi(entry->d_name);

		if (tid <= 0)
			continue;
		if (nr == room) {
			pid_t *more;

			room *= 2;
			more = realloc(*tids, (size_t)room * sizeof(pid_t));
			if (!more)
				break;
			*tids = more;
		}
		(*tids)[nr++] = tid;
	}
	closedir(dir);
	return *tids ? nr : -ENOMEM;
}

/*
 * Where a thread ends while the kernel stands at it, the list ends there, and who was
 * there all the time is missing: then there are fewer than before.
 */
int remote_threads(pid_t pid, pid_t **tids)
{
	int nr, before = 0, pass;

	for (pass = 0;; pass++) {
		nr = list_threads(pid, tids, &before);
		if (nr < 0 || nr >= before || pass == LISTINGS)
			return nr;
		free(*tids);
	}
}

static pid_t last_number(pid_t pid, pid_t tid)
{
	char buf[256], *last;

	if (!remote_status(pid, tid, "NSpid", buf, sizeof(buf)))
		return tid;
	last = strrchr(buf, '\t');
	return atoi(last ? last + 1 : buf);
}

/* All threads of a process are in one namespace: in ours, mostly. */
bool remote_same_numbers(pid_t pid)
{
	char path[64], theirs[64] = "", ours[64] = "";

	snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)pid);
	return readlink(path, theirs, sizeof(theirs) - 1) > 0 &&
	       readlink("/proc/self/ns/pid", ours, sizeof(ours) - 1) > 0 &&
	       !strcmp(theirs, ours);
}

pid_t remote_inner_tid(pid_t pid, pid_t tid)
{
	static pid_t asked, inner;

	if (asked != pid) {
		inner = last_number(pid, pid);
		asked = pid;
	}
	return inner == pid ? tid : last_number(pid, tid);
}
