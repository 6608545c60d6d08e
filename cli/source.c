/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * source.c - whose functions a command line means.
 *
 * Owns: the choice between a file, a process and the kernel, for the
 * subcommands that look at code.
 */
#include "source.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Where distributions put the kernel's debugging information. */
static const char *find_vmlinux(void)
{
	static const char *const places[] = {
		"/usr/lib/debug/boot/vmlinux-%s",
		"/usr/lib/debug/lib/modules/%s/vmlinux",
		"/lib/modules/%s/build/vmlinux",
		"/boot/vmlinux-%s",
	};
	static char path[300];
	struct utsname name;
	size_t i;

	if (uname(&name))
		return NULL;
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), places[i], name.release);
		if (!access(path, R_OK))
			return path;
	}
	return NULL;
}

int cli_source_open(struct symbols *s, const struct cli_args *args)
{
	const char *debug_dir = getenv("KPROBES_DEBUG_DIR");
	const char *file = args->binary;
	int err;

	if (args->binary && args->pid) {
		cli_error("give either -p PID or -b FILE");
		return CLI_USAGE;
	}
	if (args->inlined && !file && !args->pid)
		file = find_vmlinux();
	cli_progress_begin("reading symbols");
	if (file)
		err = symbols_open_file(s, file, debug_dir);
	else if (args->pid)
		err = symbols_open_process(s, args->pid, debug_dir);
	else
		err = symbols_open_kernel(s);
	cli_progress_end();
	if (!err && s->kind == SYMBOLS_KERNEL && s->check < 0)
		cli_error("kprobes.ko is not loaded: what this kernel forbids, and what goes through its tracer, is not known");
	return err ? cli_source_failed(s, err) : CLI_OK;
}

int cli_source_failed(struct symbols *s, int err)
{
	cli_error("%s", s->error);
	symbols_close(s);
	return cli_status_of(err);
}
