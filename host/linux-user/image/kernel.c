/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kernel.c - what a process can be told about where nobody but the kernel knows.
 *
 * Owns: the auxiliary vector, a copy of the kernel's record of it, which is taken once.
 *
 * Locks: none.  It is read before there is a second thread of ours.
 */
#include "face.h"
#include "image.h"
#include "user.h"

#include <elf.h>

#define PAIRS_MAX 64

static struct { unsigned long type, value; } auxv[PAIRS_MAX];

/* Of the thread that calls: "self" may have no first thread any more. */
void kp_image_read_auxv(void)
{
	long fd = sys_open("/proc/thread-self/auxv", O_RDONLY);
	long len = fd < 0 ? 0 : sys3(SYS_read, fd, auxv, sizeof(auxv) - sizeof(auxv[0]));

	if (fd >= 0)
		sys_close(fd);
	if (len < 0)
		len = 0;
	memset((char *)auxv + len, 0, sizeof(auxv) - (size_t)len);
}

unsigned long kp_face_auxv(unsigned long type)
{
	unsigned int i;

	for (i = 0; i < PAIRS_MAX && auxv[i].type != AT_NULL; i++)
		if (auxv[i].type == type)
			return auxv[i].value;
	return 0;
}

/* What the program was told there is not for us. */
char **kp_face_environment(void)
{
	return NULL;
}

/* Nothing tells us: fork.c finds out. */
void kp_face_forks(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
	(void)prepare;
	(void)parent;
	(void)child;
}

/* The linker's: where our headers are, and where the last of our memory ends. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

void kp_face_text(uintptr_t *start, uintptr_t *end)
{
	*start = (uintptr_t)__ehdr_start;
	*end = (uintptr_t)_end;
}

int kp_user_errno_none;

long kp_face_errno_offset(void)
{
	return 0;
}
