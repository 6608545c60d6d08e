// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * place.c - a probe module in a process that has the engine's image.
 *
 * Owns: what the dynamic linker does elsewhere.  The engine gives a range of addresses ("room");
 * the module is relocated for that here, and the engine maps it from a sealed copy ("place"),
 * each segment with its own access from the start.
 *
 * A name is looked for in the engine's API first, then in the process's objects.  Before anything
 * of the module is in the process, it is refused for a name that is nowhere, and for an object
 * that it needs and the process does not have.
 */
#include "place.h"
#include "ask.h"
#include "cli.h"
#include "engine.h"
#include "native_elf.h"
#include "view.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX (64l << 20)

struct placing {
	struct cli_target *target;
	const struct remote *remote;
	const char *file;		/* for messages */
	struct image image;
	uint64_t base;
};

static int refuse(const struct placing *p, const char *why)
{
	return process_failed(p->remote->pid, CLI_REFUSED, ": %s: %s", p->file, why);
}

/* ---- what it needs ------------------------------------------------------------------ */

static bool find(void *arg, const char *name, uint64_t *addr)
{
	const struct placing *p = arg;
	const struct image *engine = engine_image();

	if (engine && image_symbol(engine, name, addr)) {
		*addr += engine_begin(p->remote);
		return true;
	}
	*addr = remote_find(p->remote, "", name);
	return *addr;
}

static bool is_object(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	size_t len = strlen(name);

	return slash && !strncmp(slash + 1, name, len) &&
	       (!slash[1 + len] || slash[1 + len] == ' ');
}

/* The engine is libkprobes.so to a module, too. */
static bool has_object(const struct placing *p, const char *name)
{
	size_t i;

	if (!strcmp(name, "libkprobes.so"))
		return true;
	for (i = 0; i < p->remote->maps_nr; i++)
		if (is_object(p->remote->maps[i].path, name))
			return true;
	return false;
}

static int check_needs(const struct placing *p)
{
	const char *name;
	unsigned int i;

	for (i = 0; (name = image_needs(&p->image, i)); i++)
		if (!has_object(p, name))
			return process_failed(
				p->remote->pid, CLI_REFUSED,
				": %s needs %s, which the process does not have; build it without (-nostdlib -shared)",
				p->file, name);
	return CLI_OK;
}

/* ---- asking ----------------------------------------------------------------------------- */

static void take_address(void *arg, const char *text, size_t len)
{
	(void)len;
	*(uint64_t *)arg = strtoull(text, NULL, 16);
}

static int ask(const struct placing *p, const char *text, int file, uint64_t *address)
{
	char error[512];
	int err = process_ask(p->target->fd, text, file, error, sizeof(error),
			      address ? take_address : NULL, address);

	return err ? process_failed(p->remote->pid, cli_status_of(err), ": %s: %s", p->file,
				    error[0] ? error : strerror(err)) : CLI_OK;
}

/* An address in it that the dynamic section has, and how many words are there. */
static size_t put_words(char *text, size_t room, const struct placing *p, int64_t where, int64_t len)
{
	uint64_t at = image_dynamic(&p->image, where);
	uint64_t nr = len ? image_dynamic(&p->image, len) / sizeof(remote_word) : at != 0;

	return (size_t)snprintf(text, room, " %" PRIx64 " %" PRIx64, at && nr ? p->base + at : 0,
				at ? nr : 0);
}

/* "place BASE LEN MODULE", what is called first and last, then FROM LEN PROT of each segment. */
static int place(const struct placing *p, int memory, uint64_t about)
{
	char text[2048];
	size_t len, room = sizeof(text);
	unsigned int i;

	len = (size_t)snprintf(text, room, "place %" PRIx64 " %" PRIx64 " %" PRIx64, p->base,
			       p->image.len, p->base + about);
	len += put_words(text + len, room - len, p, DT_INIT, 0);
	len += put_words(text + len, room - len, p, DT_INIT_ARRAY, DT_INIT_ARRAYSZ);
	len += put_words(text + len, room - len, p, DT_FINI_ARRAY, DT_FINI_ARRAYSZ);
	len += put_words(text + len, room - len, p, DT_FINI, 0);
	for (i = 0; i < p->image.parts_nr; i++)
		len += (size_t)snprintf(text + len, room - len, " %" PRIx64 " %" PRIx64 " %x",
					p->image.parts[i].from, p->image.parts[i].len,
					(unsigned int)p->image.parts[i].prot);
	return ask(p, text, memory, NULL);
}

/* ---- all of it ------------------------------------------------------------------------------ */

static int copy(const struct placing *p)
{
	int memory = memfd_create(basename(p->file), MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int err;

	if (memory < 0)
		return -errno;
	err = pwrite(memory, p->image.bytes, p->image.len, 0) == (ssize_t)p->image.len ? 0 : EIO;
	if (!err)
		err = take_seal(memory);
	if (!err)
		return memory;
	close(memory);
	return -err;
}

static const char *read_module(struct image *image, int fd)
{
	const char *wrong = "it cannot be read";
	struct stat st;
	void *bytes = MAP_FAILED;

	if (!fstat(fd, &st) && st.st_size > 0 && st.st_size < FILE_MAX)
		bytes = malloc((size_t)st.st_size);
	if (bytes != MAP_FAILED && bytes && pread(fd, bytes, (size_t)st.st_size, 0) == st.st_size)
		wrong = image_read(image, bytes, (size_t)st.st_size);
	if (bytes != MAP_FAILED)
		free(bytes);
	return wrong;
}

static int bring(struct placing *p)
{
	char text[64];
	const char *wrong;
	uint64_t about;
	int status = check_needs(p), memory;

	if (status)
		return status;
	if (!image_symbol(&p->image, "kp_module", &about))
		return refuse(p, "not a probe module: it does not include <linux/module.h> of kprobes");
	snprintf(text, sizeof(text), "room %" PRIx64, p->image.len);
	status = ask(p, text, -1, &p->base);
	if (status)
		return status;
	wrong = image_relocate(&p->image, p->base, find, p);
	if (wrong)
		return refuse(p, wrong);
	memory = copy(p);
	if (memory < 0)
		return refuse(p, strerror(-memory));
	status = place(p, memory, about);
	close(memory);
	return status;
}

int cli_place_module(struct cli_target *target, const char *file, int fd)
{
	const struct process *process = target->own;
	struct placing p = { .target = target, .remote = &process->remote, .file = file };
	const char *wrong = read_module(&p.image, fd);
	int status;

	if (wrong)
		return refuse(&p, wrong);
	status = bring(&p);
	image_end(&p.image);
	return status;
}
