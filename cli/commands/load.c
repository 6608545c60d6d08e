// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * load.c - loading a probe module into a target.
 *
 * Owns: the subcommand load.  A new process gets the library and the module by its environment
 * (command.c).  Everything else goes through the target.
 */
#include "attach_cli.h"
#include "cli.h"
#include "expand.h"
#include "native_elf.h"
#include "trial.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A shared object is for processes, a relocatable object for the kernel. */
static int check_kind(const char *file, bool process)
{
	ElfW(Ehdr) head = { 0 };
	int fd = open(file, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, &head, sizeof(head)) < 0) {
		cli_error("%s: %s", file, strerror(errno));
		if (fd >= 0)
			close(fd);
		return cli_status_of(errno);
	}
	close(fd);
	if (memcmp(head.e_ident, ELFMAG, SELFMAG))
		return CLI_OK;
	if (process && head.e_type == ET_REL) {
		cli_error("%s is for the kernel: leave out -p and --", file);
		return CLI_USAGE;
	}
	if (!process && head.e_type == ET_DYN) {
		cli_error("%s is for processes: name one with -p PID, or a command after --",
			  file);
		return CLI_USAGE;
	}
	return CLI_OK;
}

static int run(const struct cli_args *args)
{
	struct cli_target target;
	bool process = args->pid || args->command;
	int status;

	if (process)
		args->words[0] = (char *)(uintptr_t)cli_find_module(
							args->words[0]);
	status = check_kind(args->words[0], process);
	if (!status)
		status = cli_expand_params(args);
	if (status)
		return status;
	/* In what it executes in its own place it is loaded again: host/linux-user/signals/follow.c. */
	if (args->command)
		setenv("KPROBES_AGAIN", "1", 1);
	if (args->command)
		return cli_process_run(args->words[0], args->words + 1,
				       args->command);
	/* Before anything is done to the process. */
	if (args->pid)
		status = cli_trial(args->words[0], args->words + 1);
	if (status)
		return status;
	status = cli_open(&target, args, CLI_ATTACH);
	if (status)
		return status;
	status = target.ops->load(&target, args->words[0], args->words + 1);
	/* What was begun for a module that is not there is not left behind. */
	if (status && target.pid && target.ops->alive(&target))
		cli_process_leave(&target);
	cli_close(&target);
	return status;
}

const struct cli_command cli_load = {
	.name = "load",
	.synopsis = "PROBE.so|PROBE.ko [PARAM=VALUE...] [-p PID | -- COMMAND...]",
	.summary = "load a probe module into a process or the kernel",
	.takes = CLI_TAKES_PID | CLI_TAKES_COMMAND,
	.least = 1, .most = -1, .run = run,
	.help =
		"A file, or the name of a module that came with the command:\n"
		"  kprobes load hotspots probes=malloc,free -p PID\n"
		"  kprobes load hotspots probes=main -- COMMAND\n"
		"@PLACE and @inlined:FUNCTION in a parameter are looked up with debugging\n"
		"information.  Without -p and -- it is for the kernel (.ko).\n",
};
