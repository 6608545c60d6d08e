// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * placed.c - the engine's image in a process's memory.
 *
 * Owns: how it gets there, and how it is found again.  The borrowed thread makes system calls
 * and nothing else:
 *   1. memfd_create, whose name the process's map will show
 *   2. mmap of all of it, without any access: the range is the image's, and its address known
 *   3. the command relocates the image for that address, writes it into the memfd and seals
 *      that; nothing of the process reads or writes it meanwhile
 *   4. mmap of each segment over that, private, with its own access from the start: no page
 *      was ever to be written and executed
 *   5. close
 * Where the command was killed at one of them, the next one finds the range, or the
 * descriptor, by the name, and begins anew.
 */
#include "engine.h"
#include "cli.h"
#include "calls.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What mmap counts an offset in; where words have 32 bits it is mmap2 (narrow_calls.h). */
#define MMAP_UNIT (sizeof(long) == 8 ? 1u : 4096u)

/* ---- what a killed command has left ------------------------------------------------------- */

/* Where the last mapping of it ends. */
static uint64_t end_of(const struct remote *remote, uint64_t base)
{
	uint64_t end = base;
	size_t i;

	for (i = 0; i < remote->maps_nr; i++)
		if (!strcmp(remote->maps[i].path, ENGINE_PATH) &&
		    remote->maps[i].start - remote->maps[i].offset == base)
			end = remote->maps[i].end;
	return end;
}

/* A descriptor of the process by which a killed command left it; -1: none. */
static int left_open(pid_t pid)
{
	char path[64], target[128];
	struct dirent *entry;
	int found = -1;
	ssize_t len;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	while (dir && found < 0 && (entry = readdir(dir))) {
		len = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);
		target[len > 0 ? len : 0] = 0;
		if (!strcmp(target, ENGINE_PATH))
			found = atoi(entry->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* ---- bringing it in ----------------------------------------------------------------------- */

struct placing {
	struct process *process;
	struct injection *in;
	struct image image;
	long memory;			/* the process's descriptor; -1: none */
	uint64_t base;			/* 0: no range yet */
};

static int cannot(const struct placing *p, const char *what, int err)
{
	pid_t pid = p->process->remote.pid;

	process_wait_gone(pid, err);
	return process_failed(pid, err == EPERM || err == EACCES ? CLI_REFUSED : CLI_FAILED,
			      ": the engine cannot be brought into it, nothing was loaded: %s: %s%s",
			      what, strerror(err), err == ENOSYS || err == EPERM ?
			      " (a filter of system calls, or a security module, may forbid it)" : "");
}

static int call(const struct placing *p, long number, const uint64_t args[6], long *result)
{
	int err = inject_system_call(p->in, number, args, result);

	return err ? err : *result < 0 && *result > -4096 ? (int)-*result : 0;
}

static void remove_remains(const struct placing *p)
{
	const struct remote *remote = &p->process->remote;
	uint64_t begin = engine_begin(remote), args[6] = { begin };
	int fd = left_open(remote->pid);
	long unused;

	if (begin) {
		args[1] = end_of(remote, begin) - begin;
		call(p, SYS_munmap, args, &unused);
	}
	if (fd >= 0) {
		args[0] = (uint64_t)fd;
		call(p, SYS_close, args, &unused);
	}
}

static int make_memory(struct placing *p)
{
	static const char name[] = ENGINE_NAME;
	uint64_t args[6] = { 0, MFD_CLOEXEC | MFD_ALLOW_SEALING };
	int err;

	args[0] = p->in->mailbox + KP_MAILBOX_CODE_LEN + offsetof(struct kp_mailbox, path);
	err = remote_write(p->in->remote, args[0], name, sizeof(name));
	if (!err)
		err = call(p, SYS_memfd_create, args, &p->memory);
	return err ? cannot(p, "memfd_create", err) : CLI_OK;
}

/* A private mapping of the memory. */
static int map(const struct placing *p, uint64_t at, uint64_t from, uint64_t len, int prot,
	       int flags, long *where)
{
	const uint64_t args[6] = {
		at, len, (uint64_t)prot, (uint64_t)(MAP_PRIVATE | flags),
		(uint64_t)p->memory, from / MMAP_UNIT,
	};

	return call(p, SYS_mmap, args, where);
}

static int reserve(struct placing *p)
{
	long at = 0;
	int err = map(p, 0, 0, p->image.len, PROT_NONE, MAP_NORESERVE, &at);

	p->base = err ? 0 : (uint64_t)(unsigned long)at;
	return err ? cannot(p, "mmap", err) : CLI_OK;
}

static int fill(const struct placing *p)
{
	int fd = take_memfd(p->process->remote.pid, (int)p->memory), err = 0;
	uint64_t at;
	ssize_t put;

	if (fd < 0)
		return -fd;
	for (at = 0; at < p->image.len && !err; at += (uint64_t)put) {
		put = pwrite(fd, p->image.bytes + at, p->image.len - at, (off_t)at);
		err = put <= 0 ? EIO : 0;
	}
	if (!err)
		err = take_seal(fd);
	close(fd);
	return err;
}

static int map_parts(const struct placing *p)
{
	unsigned int i;
	long at;
	int err;

	for (i = 0; i < p->image.parts_nr; i++) {
		const struct image_part *part = &p->image.parts[i];

		err = map(p, p->base + part->from, part->from, part->len, part->prot, MAP_FIXED,
			  &at);
		if (err)
			return cannot(p, part->prot & PROT_EXEC ? "mmap of code" : "mmap", err);
	}
	return CLI_OK;
}

static int place(struct placing *p)
{
	const char *wrong;
	int status, err;

	status = make_memory(p);
	if (!status)
		status = reserve(p);
	if (status)
		return status;
	wrong = image_relocate(&p->image, p->base, NULL, NULL);
	if (wrong)
		return process_failed(p->process->remote.pid, CLI_FAILED,
				      ": the engine's image is damaged: %s", wrong);
	err = fill(p);
	if (err)
		return cannot(p, "its memory for the engine", err);
	return map_parts(p);
}

static void give_up(struct placing *p)
{
	uint64_t args[6] = { p->base, p->image.len };
	long unused;

	if (p->base)
		call(p, SYS_munmap, args, &unused);
}

int engine_place(struct process *process, struct injection *in)
{
	struct placing p = { .process = process, .in = in, .memory = -1 };
	const struct image *image = engine_image();
	uint64_t args[6] = { 0 };
	long unused;
	int status;

	if (!image || !image_copy(&p.image, image))
		return process_failed(in->remote->pid, CLI_FAILED, ": the engine cannot be brought into it: its image %s",
				      image ? "is too large for the memory here" : "is not there");
	remove_remains(&p);
	status = place(&p);
	if (status)
		give_up(&p);
	args[0] = (uint64_t)p.memory;
	if (p.memory >= 0)
		call(&p, SYS_close, args, &unused);
	image_end(&p.image);
	return status ? status : process_reread(process);
}

void engine_unplace(struct process *process, struct injection *in)
{
	const struct placing p = { .process = process, .in = in, .memory = -1 };

	remove_remains(&p);
}
