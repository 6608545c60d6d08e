/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * shim.h - what the files behind the shim headers offer each other.
 *
 * Owns: the internal prototypes of format.c, shim.c and load.c.
 */
#ifndef KP_USER_SHIM_H
#define KP_USER_SHIM_H

#include "env.h"

#include <stdarg.h>

#define KP_SHIM_SYMBOL_MAX 128

/*
 * shim.c: the symbol at addr and its object ("" for the program), in any
 * context: -EAGAIN when looking it up now would wait or allocate.
 */
struct kp_shim_symbol {
	char name[KP_SHIM_SYMBOL_MAX], object[KP_SHIM_SYMBOL_MAX];
	uintptr_t offset;		/* from its first byte */
	size_t len;
};
int kp_shim_symbol(struct kp_shim_symbol *out, uintptr_t addr);

/* format.c: symbol says what %pS names; NULL: addresses are numbers. */
typedef int (*kp_shim_symbol_fn)(struct kp_shim_symbol *out, uintptr_t addr);
size_t kp_shim_format(char *text, size_t room, const char *fmt, va_list *args,
		      kp_shim_symbol_fn symbol);

/*
 * The calling thread: the struct task_struct of <linux/sched.h>, which cannot
 * be included here because the system has a header of that name, and more.
 */
struct kp_shim_identity {
	int pid, tgid;
	char comm[16];
	void *mm;
	unsigned long serial;		/* task.c; not 0 when tid is not */
	int tid;			/* pid, or 0: a vfork child's was last */
	uintptr_t stack;		/* task.c; the thread's own, */
	size_t stack_len;		/* 0: not known */
	uint64_t named;			/* the processor's counter, when comm was read */
};
/* task.c */
struct kp_shim_identity *kp_shim_identity(void);	/* any context */
struct kp_shim_identity *kp_shim_current(void);	/* ditto; and its name is what it is now */
void kp_shim_know_name(void);
/* The forked child's thread has a new identity. */
void kp_shim_fork(void);

/* load.c: the modules that are named as KPROBES_LOAD does. */
int kp_shim_load_all(const char *all);	/* 0 or the first -errno */
/* In a forked child, whose only thread is the caller. */
void kp_shim_load_fork(void);
/*
 * End all modules, the last one first; the engine still runs.  Without unmap the process
 * ends, and those are left out that stay to its very end.  True: some are left.
 */
bool kp_shim_unload(bool unmap);
/*
 * kp_load from an open file: fd is read under /proc; -1: by name.  shared >= 0 is
 * mapped for as long as the module is loaded, which learns where by its parameter
 * "memory".  Both are ours from now on.
 */
int kp_shim_load(const char *spec, int fd, int shared, char *error, size_t len);
void kp_shim_modules(void (*emit)(void *arg, const char *path), void *arg);

#endif
