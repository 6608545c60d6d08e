/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kernel.c - what a process can be told about where nobody but the kernel knows.
 *
 * Owns: the auxiliary vector, a copy of the kernel's record of it, which the command has taken;
 * and the same of what the program's environment says to the engine.
 *
 * Locks: none.  It is read before there is a second thread of ours.
 */
#include "attach.h"
#include "face.h"
#include "image.h"
#include "sys.h"
#include "process/ids.h"

#include <elf.h>

static struct { unsigned long type, value; } auxv[KP_MAILBOX_AUXV];

#define WISHES_MAX 16

static char wishes[KP_MAILBOX_WISHES + 1];
static char *environment[WISHES_MAX + 1];

static void know_wishes(const struct kp_mailbox *mailbox)
{
	unsigned int i;
	char *at;

	memcpy(wishes, mailbox->wishes, KP_MAILBOX_WISHES);
	for (i = 0, at = wishes; i < WISHES_MAX && *at; at += strlen(at) + 1)
		environment[i++] = at;
	environment[i] = NULL;
}

void kp_image_know(const struct kp_mailbox *mailbox)
{
	unsigned int i;

	know_wishes(mailbox);

	for (i = 0; i < KP_MAILBOX_AUXV; i++) {
		auxv[i].type = (unsigned long)mailbox->auxv[i][0];
		auxv[i].value = (unsigned long)mailbox->auxv[i][1];
	}
}

unsigned long kp_face_auxv(unsigned long type)
{
	unsigned int i;

	for (i = 0; i < KP_MAILBOX_AUXV && auxv[i].type != AT_NULL; i++)
		if (auxv[i].type == type)
			return auxv[i].value;
	return 0;
}

/* As the command has read it in the program's. */
char **kp_face_environment(void)
{
	return environment;
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

/* What mmap counts an offset in. */
#ifdef SYS_mmap2
#define MAP_CALL SYS_mmap2
#define MAP_UNIT 4096u
#else
#define MAP_CALL SYS_mmap
#define MAP_UNIT 1u
#endif

int kp_image_map_file(void *at, size_t len, int prot, long file, uint64_t from)
{
	long ret = sys6(MAP_CALL, (long)at, (long)len, prot, MAP_PRIVATE | MAP_FIXED, file,
			(long)(from / MAP_UNIT));

	return sys_failed(ret) ? (int)ret : 0;
}
