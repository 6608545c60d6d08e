// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * connect.c - connecting to the endpoint in a process.
 *
 * Owns: when a connection is made, and made again.
 */
#include "attach_cli.h"
#include "ask.h"
#include "cli.h"

#include <fcntl.h>
#include <unistd.h>

/* A process that has changed its user may not open its own memory. */
static int give_memory(const struct process *process)
{
	char error[512];

	if (process->surface.wants_memory)
		process_ask(process->connection, "memory", process->remote.mem,
			    error, sizeof(error), NULL, NULL);
	return CLI_OK;
}

int process_connect(struct process *process, int *fd)
{
	int status = process_awake(process);

	if (!status && process->connection < 0)
		status = process_serve(process);
	if (status)
		return status;
	*fd = process->connection;
	if (*fd < 0)
		return CLI_OK;
	ask_partner(process->remote.pid);
	return give_memory(process);
}

/* The number of the connection stays: whoever asks by it goes on. */
int process_reconnect(struct process *process, int fd)
{
	int made, status;

	process->connection = -1;
	status = process_connect(process, &made);
	if (status || made < 0)
		return status;
	dup3(made, fd, O_CLOEXEC);
	close(made);
	process->connection = fd;
	return CLI_OK;
}
