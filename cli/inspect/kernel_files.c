// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kernel_files.c - where the control files of kprobes.ko are.
 *
 * Owns: finding them.  On a kernel without Kprobes they have the documented names; beside the
 * kernel's own Kprobes they have names of their own, and only those are touched.
 */
#include "cli.h"
#include "kernel_files.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's own directory has no file "control". */
static struct kernel_files places[] = {
	{ "kp", "/proc/sys/debug/kp-optimization", KERNEL_FILES_DEBUGFS "/kp" },
	{ "kprobes", "/proc/sys/debug/kprobes-optimization", KERNEL_FILES_DEBUGFS "/kprobes" },
};

bool kernel_files_loaded(void)
{
	return !access("/sys/module/kprobes/initstate", F_OK);
}

static const struct kernel_files *find_in(const char *debugfs)
{
	char path[sizeof(places[0].dir) + 16];
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(places[i].dir, sizeof(places[i].dir), "%s/%s", debugfs, places[i].name);
		snprintf(path, sizeof(path), "%s/control", places[i].dir);
		if (!access(path, F_OK))
			return &places[i];
	}
	return NULL;
}

/* debugfs in another place. */
static const struct kernel_files *find_mounted(void)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	const struct kernel_files *found = NULL;
	struct mntent *mount;

	while (mounts && !found && (mount = getmntent(mounts)))
		if (!strcmp(mount->mnt_type, "debugfs"))
			found = find_in(mount->mnt_dir);
	if (mounts)
		endmntent(mounts);
	return found;
}

/*
 * Mounted nowhere: a mount of our own, that no directory shows and that goes with us.
 * Kernels since 5.2 have that.
 */
static const struct kernel_files *find_unmounted(void)
{
	static int root = -1;
	char path[32];
	int context;

	if (root < 0) {
		context = (int)syscall(SYS_fsopen, "debugfs", FSOPEN_CLOEXEC);
		if (context < 0)
			return NULL;
		if (!syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
			root = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0);
		close(context);
	}
	if (root < 0)
		return NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", root);
	return find_in(path);
}

const struct kernel_files *kernel_files(void)
{
	const struct kernel_files *found = find_in(KERNEL_FILES_DEBUGFS);

	if (!found && kernel_files_loaded())
		found = find_mounted();
	if (!found && kernel_files_loaded())
		found = find_unmounted();
	return found;
}

const char *cli_kernel_directory(void)
{
	const struct kernel_files *files = kernel_files();

	return files ? files->dir : NULL;
}

const struct kernel_files *kernel_files_default(void)
{
	return &places[1];
}
