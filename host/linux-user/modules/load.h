/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * load.h - probe modules: shared objects with a module_init.
 *
 * Owns: the prototypes of load.c.
 */
#ifndef KP_USER_LOAD_H
#define KP_USER_LOAD_H

#include "env.h"

/* The modules that are named as KPROBES_LOAD does. */
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
