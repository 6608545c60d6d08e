/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * source.c - whose functions a command line means.
 *
 * Owns: the choice between a file, a process and the kernel, for the
 * subcommands that look at code.
 */
#include "source.h"

#include <stdlib.h>

int cli_source_open(struct symbols *s, const struct cli_args *args)
{
	const char *debug_dir = getenv("KPROBES_DEBUG_DIR");
	int err;

	if (args->binary && args->pid) {
		cli_error("give either -p PID or -b FILE");
		return CLI_USAGE;
	}
	cli_progress_begin("reading symbols");
	if (args->binary)
		err = symbols_open_file(s, args->binary, debug_dir);
	else if (args->pid)
		err = symbols_open_process(s, args->pid, debug_dir);
	else
		err = symbols_open_kernel(s);
	cli_progress_end();
	return err ? cli_source_failed(s, err) : CLI_OK;
}

int cli_source_failed(struct symbols *s, int err)
{
	cli_error("%s", s->error);
	symbols_close(s);
	return cli_status_of(err);
}
