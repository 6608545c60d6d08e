// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * knock.c - handing a process its end of a connection.
 *
 * Owns: the knock: one packet to the socket on which the service thread waits (attach.h), with
 * the descriptor and the word that only this command knows.
 */
#include "attach_cli.h"
#include "ask.h"
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static int knock(const struct process *process, int hand_in)
{
	bool own = take_knows_threads();
	pid_t tid = own ? process_service(process) : 0;
	char text[KP_KNOCK_LEN + 1];
	int err, fd;

	/* It has waited too long for us, and ended: the number is nobody's now. */
	if (own && !tid)
		return EAGAIN;
	fd = take_socket(process->remote.pid, tid, process->surface.knock_fd,
			 process->surface.knock_ino[0]);
	if (fd < 0)
		return -fd;
	snprintf(text, sizeof(text), KP_KNOCK, (unsigned long long)process->token[0],
		 (unsigned long long)process->token[1]);
	err = ask_send(fd, text, KP_KNOCK_LEN, &hand_in, 1);
	close(fd);
	return err;
}

int process_knock(struct process *process)
{
	int pair[2], err, yes = 1;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return errno;
	/* Before the first request: each one has to say who sends it. */
	err = setsockopt(pair[1], SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes))
		? errno : knock(process, pair[1]);
	close(pair[1]);
	if (err)
		close(pair[0]);
	else
		process->connection = pair[0];
	return err;
}
