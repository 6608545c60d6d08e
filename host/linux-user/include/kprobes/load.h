/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kprobes/load.h - probe modules in a process.
 *
 * Owns: loading and unloading of probe modules: shared objects made from the
 * source of Linux modules with the shim headers in <linux/…>.
 */
#ifndef KPROBES_LOAD_H
#define KPROBES_LOAD_H

#include <stddef.h>

/*
 * Load "FILE.so [param=value…]" and call its module_init.  A value with blanks
 * is quoted: name="two words".
 * Returns 0, or a negative errno with what is wrong and what to do about it
 * in error[0..len), which may be NULL:
 *   -EEXIST   it is loaded already
 *   -ENOEXEC  it cannot be loaded, or is not a probe module
 *   -ENOENT   no parameter of that name
 *   -EINVAL   the value of a parameter is invalid
 *   -ENOSPC   a string parameter is too long
 *   other     the value that module_init returned
 */
int kp_load(const char *spec, char *error, size_t len);

/* Call FILE.so's module_exit and unload it.  0 or -ENOENT. */
int kp_unload(const char *path);

#endif
