/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libc.c - what the C library says of the process.
 *
 * Owns: the calls of face.h that ask the C library for something that it knows or makes:
 * all but modules.
 */
#include "face.h"

#include <link.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <unistd.h>

unsigned long kp_face_auxv(unsigned long type)
{
	return getauxval(type);
}

char **kp_face_environment(void)
{
	return environ;
}

long kp_face_errno_offset(void)
{
	return (char *)__errno_location() - (char *)__builtin_thread_pointer();
}

void kp_face_forks(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
	pthread_atfork(prepare, parent, child);
}

static void *begin(void *fn)
{
	((void (*)(void))fn)();
	return NULL;
}

int kp_face_thread(uintptr_t *who, size_t stack_len, void (*fn)(void), bool waited_for)
{
	pthread_attr_t attr;
	int err;

	pthread_attr_init(&attr);
	if (!waited_for)
		pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, stack_len);
	/* The library stores it before it makes the thread. */
	err = pthread_create((pthread_t *)who, &attr, begin, (void *)fn);
	pthread_attr_destroy(&attr);
	return -err;
}

void kp_face_thread_wait(uintptr_t who)
{
	pthread_join((pthread_t)who, NULL);
}

uintptr_t kp_face_self(void)
{
	return (uintptr_t)pthread_self();
}

/* They are the C library's. */
void kp_face_threads_each(void (*each)(void *arg, uintptr_t base, size_t len), void *arg)
{
	(void)each;
	(void)arg;
}

void kp_face_threads_fork(void)
{
}

int kp_face_objects(int (*fn)(struct dl_phdr_info *info, size_t size, void *arg), void *arg)
{
	return dl_iterate_phdr(fn, arg);
}

bool kp_face_objects_lock(void)
{
	return true;
}

/* As libkprobes.a it is a section of the program's. */
extern const char __start_kp_text[] __attribute__((weak, visibility("hidden")));
extern const char __stop_kp_text[] __attribute__((weak, visibility("hidden")));

void kp_face_text(uintptr_t *start, uintptr_t *end)
{
	*start = (uintptr_t)__start_kp_text;
	*end = (uintptr_t)__stop_kp_text;
}

/* Our frames are the library's, or the program's: unwinders find them as all others. */
void kp_face_unwinders(bool on)
{
	(void)on;
}

void kp_face_unwinder_gone(uintptr_t start, size_t len)
{
	(void)start;
	(void)len;
}

const char *kp_face_returns_refused(void)
{
	return NULL;
}
