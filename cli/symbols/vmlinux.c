/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vmlinux.c - the running kernel's file with debugging information.
 *
 * Owns: the list of places where it may be.
 */
#include "vmlinux.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

const char *vmlinux_path(void)
{
	static const char *const places[] = {
		"/usr/lib/debug/boot/vmlinux-%s",
		"/usr/lib/debug/lib/modules/%s/vmlinux",
		"/lib/modules/%s/build/vmlinux",
		"/boot/vmlinux-%s",
	};
	static char path[300];
	const char *named = getenv("KPROBES_VMLINUX");
	struct utsname name;
	size_t i;

	if (named && *named)
		return named;
	if (uname(&name))
		return NULL;
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), places[i], name.release);
		if (!access(path, R_OK))
			return path;
	}
	return NULL;
}
