// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ask.c - talking to the endpoint in a process.
 *
 * Owns: the packets (attach.h), and limits for the time and the length of answers.  The process
 * may be hostile: it may say nothing, say a little now and then, or never end.  So there is one
 * deadline for a whole request, a shorter one for a process that is idle, and a limit for how
 * much is accepted.  The kernel drops descriptors that the process sends, since none is
 * requested.
 */
#include "ask.h"
#include "attach_cli.h"
#include "cli.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define SEND_MS 3000
#define TICK_MS 500			/* between looks at the process */
#define LOOK_MS 30000			/* for what only looks */
#define WORK_MS 1800000			/* for what waits for a module's code */
#define IDLE_LOOK_MS 5000		/* of them, without a sign of life */
#define IDLE_WORK_MS 120000
#define LOST_MS 8000			/* that all processes together may cost */
#define HURRY_MS 200			/* for each one after that */

/* What the library sends at most (control.c), and a little for what was said. */
#define RECEIVED_MAX (65u << 20)
#define SAID_MAX (256u << 10)

int cli_patience;
static pid_t partner;			/* of the connection made last */
static long lost_ms;			/* on processes that did not answer */

int ask_send(int fd, const char *text, size_t len, const int *files, size_t nr)
{
	union {
		char bytes[CMSG_SPACE(ASK_FILES_MAX * sizeof(int))];
		struct cmsghdr align;
	} control = { { 0 } };
	struct iovec part = { (void *)(uintptr_t)text, len };
	struct msghdr msg = { .msg_iov = &part, .msg_iovlen = 1 };
	struct pollfd pfd = { .fd = fd, .events = POLLOUT };

	if (nr) {
		struct cmsghdr *c = &control.align;

		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(nr * sizeof(int));
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(nr * sizeof(int));
		memcpy(CMSG_DATA(c), files, nr * sizeof(int));
	}
	if (poll(&pfd, 1, SEND_MS) != 1)
		return ETIMEDOUT;
	return sendmsg(fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? errno : 0;
}

void ask_partner(pid_t pid)
{
	partner = pid;
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
		if (next[-1] != '\n')
			fputc('\n', stderr);
	}
}

static int parse_end(const char *text, char *error, size_t len)
{
	char *rest;
	long err = strtol(text, &rest, 10);

	snprintf(error, len, "%s", *rest == ' ' ? rest + 1 : rest);
	return err < 0 || err > 4095 ? EPROTO : (int)err;
}

/* ---- how long ----------------------------------------------------------------- */

struct wait {
	long begin, last;		/* ms; a packet, or work, was seen */
	long total, idle;		/* of them at most */
	unsigned long long ticks;	/* of the processor, at last */
	size_t received, said;
};

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Requests that run a module's code, or wait for handlers. */
static bool works(const char *text)
{
	static const char *const verbs[] = { "load", "unload", "clear",
					     "disarm", "finish" };
	size_t i;

	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strncmp(text, verbs[i], strlen(verbs[i])))
			return true;
	return false;
}

static void wait_begin(struct wait *wait, const char *text)
{
	bool long_one = works(text);

	*wait = (struct wait){
		.total = long_one ? WORK_MS : LOOK_MS,
		.idle = long_one ? IDLE_WORK_MS : IDLE_LOOK_MS,
	};
	if (cli_patience)
		wait->total = lost_ms < LOST_MS ? cli_patience * 1000l
						: HURRY_MS;
	wait->begin = wait->last = now_ms();
	wait->ticks = remote_ticks(partner);
}

/* Is it to be given up? */
static bool is_late(struct wait *wait)
{
	long now = now_ms();
	unsigned long long ticks;

	if (now - wait->begin > wait->total)
		return true;
	if (now - wait->last <= wait->idle)
		return false;
	ticks = remote_ticks(partner);
	if (ticks == wait->ticks)
		return true;
	wait->ticks = ticks;
	wait->last = now;
	return false;
}

/* ---- asking --------------------------------------------------------------------- */

typedef void (*emit_fn)(void *arg, const char *line, size_t len);

/* NULL: go on; otherwise what is wrong. */
static const char *take_packet(struct wait *wait, const char *packet,
			       size_t len, emit_fn emit, void *arg)
{
	wait->last = now_ms();
	wait->received += len;
	if (wait->received > RECEIVED_MAX)
		return "the process answers without an end";
	if (packet[0] == 's' && wait->said < SAID_MAX) {
		wait->said += len;
		show_said(packet + 1, len - 1);
		if (wait->said >= SAID_MAX)
			show_said("... and more", 12);
	}
	if (packet[0] == 'd' && emit)
		emit(arg, packet + 1, len - 1);
	return NULL;
}

static const char *receive(int fd, struct wait *wait, char *packet,
			   ssize_t *got)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	for (;;) {
		if (is_late(wait))
			return "the process does not answer; it may be stopped";
		if (poll(&pfd, 1, wait->total < TICK_MS ? (int)wait->total
							: TICK_MS) != 1) {
			cli_progress(wait->received, 0);
			continue;
		}
		*got = recv(fd, packet, KP_PACKET_MAX, MSG_DONTWAIT);
		if (*got > 0)
			return NULL;
		if (!*got || (errno != EINTR && errno != EAGAIN))
			return "the process has ended, or dropped the request";
	}
}

int process_ask(int fd, const char *text, int file, char *error, size_t len,
		emit_fn emit, void *arg)
{
	return process_ask_with(fd, text, &file, file >= 0, error, len, emit,
				arg);
}

int process_ask_with(int fd, const char *text, const int *files, size_t nr,
		     char *error, size_t len, emit_fn emit, void *arg)
{
	static char packet[KP_PACKET_MAX + 1];
	const char *wrong = NULL;
	struct wait wait;
	ssize_t got = 0;

	if (strlen(text) >= KP_PACKET_MAX)
		return fail(error, len, "the request is too long");
	if (ask_send(fd, text, strlen(text), files, nr))
		return fail(error, len, "the process does not listen any more");
	wait_begin(&wait, text);
	cli_progress_begin("waiting for the process");
	while (!wrong) {
		wrong = receive(fd, &wait, packet, &got);
		if (wrong)
			break;
		packet[got] = 0;
		if (packet[0] == 'e')
			break;
		wrong = take_packet(&wait, packet, (size_t)got, emit, arg);
	}
	cli_progress_end();
	if (!wrong)
		return parse_end(packet + 1, error, len);
	lost_ms += now_ms() - wait.begin;
	return fail(error, len, wrong);
}
