/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * face.h - what the process host asks of those who brought it into the process.
 *
 * Owns: the prototypes that linked/ and image/ implement, each in its way, and nobody else.
 * linked/ is libkprobes.so and libkprobes.a: it asks the C library that it was linked with.
 * image/ is kprobes.image, which the command has put into a process that may have none.
 */
#ifndef KP_USER_FACE_H
#define KP_USER_FACE_H

#include "env.h"

/* What the kernel told the program when it began (AT_...); 0: nothing. */
unsigned long kp_face_auxv(unsigned long type);
char **kp_face_environment(void);	/* NULL: none */

/* From the thread pointer to the errno that handlers may change. */
long kp_face_errno_offset(void);

/* Have them called around each fork that can be known of. */
void kp_face_forks(void (*prepare)(void), void (*parent)(void), void (*child)(void));

/*
 * A thread of ours that begins with fn and ends with it.  Who it is, as kp_face_self says it
 * there, is in *who before it is there.  It has the caller's signal mask.  0 or -errno.
 */
int kp_face_thread(uintptr_t *who, size_t stack_len, void (*fn)(void), bool waited_for);
void kp_face_thread_wait(uintptr_t who);	/* if it was to be: until it is over; once */
uintptr_t kp_face_self(void);
/* The memory of such threads, as far as it is ours; and none of them has come to the child. */
void kp_face_threads_each(void (*each)(void *arg, uintptr_t base, size_t len), void *arg);
void kp_face_threads_fork(void);

/*
 * The objects that are loaded, the program first, as dl_iterate_phdr says them.  What the
 * headers lead to may be gone: it is read with care.
 */
struct dl_phdr_info;
int kp_face_objects(int (*fn)(struct dl_phdr_info *info, size_t size, void *arg), void *arg);
/* Is a lock held meanwhile that others wait for? */
bool kp_face_objects_lock(void);

/* Text of ours that is in no object, or in the program's: none where both are 0. */
void kp_face_text(uintptr_t *start, uintptr_t *end);

/*
 * Modules.  path: as named when it was loaded; file: what it is to be mapped from, or -1.
 * What is wrong; NULL: nothing, and *handle is it.
 */
#define KP_FACE_PATH_MAX 4096
const char *kp_face_open(const char *path, long file, void **handle);
void *kp_face_symbol(void *handle, const char *name);	/* or NULL */
void kp_face_close(void *handle);

/*
 * Where no dynamic linker is asked: a range for a module, and its segments, as the command
 * says it (cli/attach/place.c).  0 or -errno; -ENOSYS: one is asked.
 */
int kp_face_room(const char *words, uintptr_t *base);
int kp_face_place(const char *words, long file);

/*
 * Calls may be hooked, or not any more: the program's unwinders have to know our frames.  Registry
 * lock.  An object in that range is gone.  Why return probes are refused in this process;
 * NULL: they are not.
 */
void kp_face_unwinders(bool on);
void kp_face_unwinder_gone(uintptr_t start, size_t len);
const char *kp_face_returns_refused(void);

#endif
