/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * thread_file.c - what /proc says of a thread.
 *
 * Owns: reading such a file, by a thread that has a file table of its own (writer.c).
 */
#include "process/thread_file.h"
#include "machine.h"
#include "freestanding/format.h"
#include "process/writer.h"

struct thread_file {
	const char *path;
	char *text;
	size_t room;
};

static int read_thread_file(void *arg)
{
	struct thread_file *file = arg;
	long fd = sys_open(file->path, O_RDONLY), len;

	if (fd < 0)
		return (int)fd;
	len = sys3(SYS_read, fd, file->text, file->room - 1);
	sys_close(fd);
	file->text[len > 0 ? len : 0] = 0;
	return (int)len;
}

bool kp_user_thread_file(int tid, const char *name, char *text, size_t room)
{
	char path[64];
	struct thread_file file = { path, text, room };

	kp_user_print(path, sizeof(path), "/proc/self/task/%d/%s", tid, name);
	return kp_user_write_call(read_thread_file, &file) > 0;
}
