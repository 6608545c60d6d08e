/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * open.c - modules, by the program's dynamic linker.
 *
 * Owns: the names by which the linker is told of files.
 *
 * Locks: load.c's, taken by the caller.
 */
#include "face.h"
#include "vet.h"

#include <dlfcn.h>

static char *add(char *to, const char *text)
{
	size_t len = strlen(text);

	memcpy(to, text, len + 1);
	return to + len;
}

/*
 * An open file as the linker can be told of it, each time by another name: it
 * takes a name that it knows for the object that it knows, and numbers are used
 * again.
 */
static void name_file(char *name, long fd)
{
	static unsigned int serial;
	unsigned int bits;
	char digits[3 * sizeof(fd)], *at = digits + sizeof(digits);

	name = add(name, "/proc/thread-self/");
	for (bits = ++serial; bits; bits >>= 1)
		name = add(name, bits & 1 ? "./" : "/");
	name = add(name, "fd/");
	*--at = 0;
	do
		*--at = (char)('0' + fd % 10);
	while (fd /= 10);
	add(name, at);
}

/* The file itself, also when no directory is given. */
const char *kp_face_open(const char *path, long file, void **handle)
{
	const char *wrong;
	/*
	 * Not on the stack: the linker stops at breakpoints of ours,
	 * and Valgrind delivers no signal on a page that was passed over.
	 */
	static char local[KP_FACE_PATH_MAX + 4];

	if (file >= 0)
		name_file(local, file);
	else if (strlen(path) > KP_FACE_PATH_MAX)
		return "its path is too long";
	else
		add(add(local, strchr(path, '/') ? "" : "./"), path);
	wrong = kp_vet(local);
	if (wrong)
		return wrong;
	*handle = dlopen(local, RTLD_NOW | RTLD_LOCAL);
	return *handle ? NULL : dlerror();
}

void *kp_face_symbol(void *handle, const char *name)
{
	return dlsym(handle, name);
}

void kp_face_close(void *handle)
{
	dlclose(handle);
}

int kp_face_room(const char *words, uintptr_t *base)
{
	(void)words;
	(void)base;
	return -ENOSYS;
}

int kp_face_place(const char *words, long file)
{
	(void)words;
	(void)file;
	return -ENOSYS;
}
