/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * source.c - the source of functions: a file, a process or the kernel.
 *
 * Owns: the choice between them, for the subcommands that show code.  Files and processes are
 * read in the jail.
 */
#include "source.h"
#include "links.h"

#include "jail.h"
#include "vmlinux.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int cannot_view(const struct view *view, int err)
{
	bool denied = err == -EACCES || err == -EPERM;

	if (view->file && err == -EINVAL)
		cli_error("%s: not a regular file", view->file);
	else if (view->file)
		cli_error("%s: %s", view->file, strerror(-err));
	else if (err == -ENOENT || err == -ESRCH)
		cli_error("there is no process %d", (int)view->pid);
	else
		cli_error("process %d: %s%s", (int)view->pid, strerror(-err),
			  !denied ? "" : geteuid() ?
			  "; it belongs to another user: run this as root" :
			  "; even root may not look into this one");
	return err == -EINVAL ? CLI_FAILED : cli_status_of(err);
}

int cli_source_view(struct view *view, const struct cli_args *args)
{
	const char *file = args->binary;
	int err;

	if (args->binary && args->pid) {
		cli_error("give either -p PID or -b FILE");
		return CLI_USAGE;
	}
	if (args->inlined && !file && !args->pid)
		file = vmlinux_path();
	memset(view, 0, sizeof(*view));
	view->fd = -1;
	if (!file && !args->pid)
		return CLI_OK;		/* the kernel */
	err = view_open(view, args->pid, file, getenv("KPROBES_DEBUG_DIR"));
	return err ? cannot_view(view, err) : CLI_OK;
}

int cli_source_read(struct symbols *s, const struct view *view)
{
	int status = CLI_OK;

	if (!cli_source_is_kernel(view)) {
		demangle_begin();
		status = jail_close(false);
	}
	return status ? status : cli_source_read_more(s, view);
}

int cli_source_read_more(struct symbols *s, const struct view *view)
{
	int err;

	cli_progress_begin("reading symbols");
	if (view->file)
		err = symbols_open_file(s, view);
	else if (view->pid)
		err = symbols_open_process(s, view);
	else
		err = symbols_open_kernel(s);
	cli_progress_end();
	if (!err && s->kind == SYMBOLS_KERNEL && s->check < 0)
		cli_error("kprobes.ko is not loaded, or its files may not be read: what this kernel forbids, and what goes through its tracer, is not known");
	return err ? cli_source_failed(s, err) : CLI_OK;
}

bool cli_source_is_kernel(const struct view *view)
{
	return !view->file && !view->pid;
}

int cli_source_open(struct symbols *s, const struct cli_args *args)
{
	static struct view view;
	int status = cli_source_view(&view, args), i;

	if (status)
		return status;
	for (i = 0; i < args->nr; i++)
		links_note_place(args->words[i]);
	/* The rest of the command is the jail's. */
	if (!cli_source_is_kernel(&view) && !jail_begin(&view, NULL, &status))
		exit(status);
	return cli_source_read(s, &view);
}

int cli_source_failed(struct symbols *s, int err)
{
	cli_error("%s", s->error);
	symbols_close(s);
	return cli_status_of(err);
}
