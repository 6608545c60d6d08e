/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * maps.c - the process's memory map, as the kernel tells it.
 *
 * Owns: reading /proc/thread-self/maps (/proc/self is empty once the first
 * thread has ended), line by line, on a small buffer and without the C library.
 */
#include "process/maps.h"
#include "host.h"
#include "machine.h"
#include "process/writer.h"

struct reader {
	long fd;
	char buf[4096];
	size_t have, at;
};

/* start-end perms offset dev inode   name */
static bool parse(const char *line, struct kp_map *map)
{
	int field;

	line = sys_hex(line, &map->start);
	if (*line++ != '-')
		return false;
	line = sys_hex(line, &map->end);
	if (*line++ != ' ')
		return false;
	map->read = line[0] == 'r';
	map->write = line[1] == 'w';
	map->exec = line[2] == 'x';
	map->shared = line[3] == 's';
	for (field = 0; field < 4; field++) {
		while (*line && *line != ' ')
			line++;
		while (*line == ' ')
			line++;
	}
	map->name = line;
	return true;
}

/* The next line, NUL-terminated; an overlong one is cut.  NULL at the end. */
static char *next_line(struct reader *r)
{
	for (;;) {
		size_t i;
		long len;

		for (i = r->at; i < r->have; i++) {
			char *line = r->buf + r->at;

			if (r->buf[i] != '\n')
				continue;
			r->buf[i] = 0;
			r->at = i + 1;
			return line;
		}
		memmove(r->buf, r->buf + r->at, r->have - r->at);
		r->have -= r->at;
		r->at = 0;
		if (r->have == sizeof(r->buf))
			r->have = 0;
		len = sys3(SYS_read, r->fd, r->buf + r->have,
			   sizeof(r->buf) - r->have);
		if (len <= 0)
			return NULL;
		r->have += (size_t)len;
	}
}

/* The first is empty once the first thread has ended; an emulator's other one is not the program's. */
struct walk {
	kp_map_fn fn;
	void *arg;
};

static int walk(void *arg)
{
	struct walk *walk = arg;
	struct reader r = { .fd = sys_open("/proc/self/maps", O_RDONLY) };
	struct kp_map map;
	char *line;

	if (r.fd < 0)
		return (int)r.fd;
	line = next_line(&r);
	if (!line) {
		sys_close(r.fd);
		r.fd = sys_open("/proc/thread-self/maps", O_RDONLY);
		line = r.fd < 0 ? NULL : next_line(&r);
	}
	for (; line; line = next_line(&r))
		if (parse(line, &map) && walk->fn(&map, walk->arg))
			break;
	if (r.fd >= 0)
		sys_close(r.fd);
	return r.fd < 0 ? (int)r.fd : 0;
}

/*
 * 0, or -errno when the map cannot be read.  By a thread with descriptors of
 * its own (writer.c): the program may close any number, and use it, at once.
 */
int kp_user_maps(kp_map_fn fn, void *arg)
{
	struct walk todo = { fn, arg };

	return kp_user_write_call(walk, &todo);
}

struct constant {
	uintptr_t addr;
	size_t len;
	bool is;
};

static bool look(const struct kp_map *map, void *arg)
{
	struct constant *c = arg;

	if (c->addr < map->start || c->addr >= map->end)
		return false;
	c->is = map->read && !map->write && c->len <= map->end - c->addr;
	return true;
}

bool kp_host_constant(uintptr_t addr, size_t len)
{
	struct constant c = { .addr = addr, .len = len };

	return !kp_user_maps(look, &c) && c.is;
}
