// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * connect.c - talking to the endpoint in a process.
 *
 * Owns: getting hold of it and the packets (attach.h).
 */
#include "attach_cli.h"
#include "cli.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define KNOCK_MS 3000
#define ANSWER_MS 1000			/* between looks at the process */

int cli_patience;

static int send_with(int fd, const char *text, size_t len, int file)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { { 0 } };
	struct iovec part = { (void *)(uintptr_t)text, len };
	struct msghdr msg = { .msg_iov = &part, .msg_iovlen = 1 };
	struct pollfd pfd = { .fd = fd, .events = POLLOUT };

	if (file >= 0) {
		struct cmsghdr *c = &control.align;

		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &file, sizeof(file));
	}
	if (poll(&pfd, 1, KNOCK_MS) != 1)
		return ETIMEDOUT;
	return sendmsg(fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? errno : 0;
}

static int knock(const struct process *process, int hand_in)
{
	int err, fd = take_socket(process->remote.pid,
				  process->surface.knock_fd,
				  process->surface.knock_ino[0]);

	if (fd < 0)
		return -fd;
	err = send_with(fd, KP_KNOCK, sizeof(KP_KNOCK) - 1, hand_in);
	close(fd);
	return err;
}

int process_connect(struct process *process, int *fd)
{
	int pair[2], err = process_awake(process);

	if (err)
		return err;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		cli_error("no socket: %s", strerror(errno));
		return CLI_FAILED;
	}
	err = knock(process, pair[1]);
	if (err == ENOTCONN || err == EBADF || err == EPIPE) {
		/* The program closed what it did not know. */
		int status = process_serve(process);

		if (status) {
			close(pair[0]);
			close(pair[1]);
			return status;
		}
		err = knock(process, pair[1]);
	}
	close(pair[1]);
	*fd = pair[0];
	if (!err)
		return CLI_OK;
	close(pair[0]);
	if (err == EPERM || err == EACCES)
		return process_denied(process, err);
	return process_failed(process->remote.pid, cli_status_of(err),
			      ": its endpoint does not answer: %s",
			      strerror(err));
}

static int fail(char *error, size_t len, const char *text)
{
	snprintf(error, len, "%s", text);
	return EPIPE;
}

/* What the module and the library said meanwhile, as the kernel log is shown. */
static void show_said(const char *text, size_t len)
{
	const char *end = text + len, *next;

	fflush(stdout);
	for (; text < end; text = next) {
		next = memchr(text, '\n', (size_t)(end - text));
		next = next ? next + 1 : end;
		fprintf(stderr, "  %.*s", (int)(next - text), text);
	}
}

static int parse_end(const char *text, char *error, size_t len)
{
	char *rest;
	long err = strtol(text, &rest, 10);

	snprintf(error, len, "%s", *rest == ' ' ? rest + 1 : rest);
	return err < 0 || err > 4095 ? EPROTO : (int)err;
}

int process_ask(int fd, const char *text, int file, char *error, size_t len,
		void (*emit)(void *arg, const char *line, size_t len),
		void *arg)
{
	static char packet[KP_PACKET_MAX + 1];
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	int left = cli_patience;
	size_t received = 0;
	ssize_t got;
	int err;

	if (strlen(text) >= KP_PACKET_MAX)
		return fail(error, len, "the request is too long");
	err = send_with(fd, text, strlen(text), file);
	if (err)
		return fail(error, len, "the process does not listen any more");
	cli_progress_begin("waiting for the process");
	for (;;) {
		if (poll(&pfd, 1, ANSWER_MS) == 0) {
			cli_progress(received, 0);
			if (!cli_patience || --left)
				continue;
			cli_progress_end();
			return fail(error, len, "the process does not answer; it may be stopped");
		}
		got = recv(fd, packet, KP_PACKET_MAX, 0);
		if (got < 0 && errno == EINTR)
			continue;
		cli_progress_end();
		if (got <= 0)
			return fail(error, len, "the process has ended, or dropped the request");
		packet[got] = 0;
		if (packet[0] == 'e')
			return parse_end(packet + 1, error, len);
		received += (size_t)got;
		if (packet[0] == 's')
			show_said(packet + 1, (size_t)got - 1);
		if (packet[0] == 'd' && emit)
			emit(arg, packet + 1, (size_t)got - 1);
	}
}
