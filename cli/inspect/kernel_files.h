/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kernel_files.h - where the control files of kprobes.ko are.
 *
 * Owns: nothing but the declarations of kernel_files.c.
 */
#ifndef KP_CLI_KERNEL_FILES_H
#define KP_CLI_KERNEL_FILES_H

#include <stdbool.h>

#define KERNEL_FILES_DEBUGFS "/sys/kernel/debug"
#define KERNEL_FILES_DIR_LEN (4096 + 64)

struct kernel_files {
	const char *name, *optimization;
	char dir[KERNEL_FILES_DIR_LEN];
};

/* NULL: they are not visible. */
const struct kernel_files *kernel_files(void);
/* Their documented names, where none is visible. */
const struct kernel_files *kernel_files_default(void);
/* Is kprobes.ko loaded? */
bool kernel_files_loaded(void);

#endif
