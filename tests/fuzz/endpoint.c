// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fuzz endpoint: packets that a process answers (ask.c), and what is made of
 * them: lists as text and as JSON, switches, ranges.
 */
#include "fuzz.h"

/* Its form is what is tested: it is compiled into here. */
#include "../../cli/commands/list.c"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

static size_t sample(uint8_t *bytes, size_t room, uint64_t *random)
{
	static const char *const packets[] = {
		"d000000000040117a  k  main+0x0    [OPTIMIZED]\n",
		"d00007f7b9d2a0000  r  __read+0x10  libc.so.6 [DISABLED][GONE]\n"
		"d00007f7b9d2a0000  j  x+0x1  l \n",
		"s said: 1\n", "d1\n", "d7f0000000000-7f0000001000\n",
		"d7f0000000000\n", "e0 ", "e2 no such probe", "e22 ", "d",
		"d/usr/lib/module.so\n", "d\n\n\n",
	};
	size_t len = 0, nr = 1 + fuzz_random(random) % 8;

	/* Each packet after two bytes of its length. */
	while (nr-- && len + 200 < room) {
		const char *packet = packets[fuzz_random(random) %
					     (sizeof(packets) / sizeof(packets[0]))];
		size_t part = strlen(packet);

		bytes[len] = (uint8_t)part;
		bytes[len + 1] = (uint8_t)(part >> 8);
		memcpy(bytes + len + 2, packet, part);
		len += part + 2;
	}
	return len;
}

static const uint8_t *input;
static size_t input_len;

/* A connection whose other end has said all of it, and says no more. */
static int connection(int *other)
{
	size_t at = 0;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		abort();
	while (at + 2 <= input_len) {
		size_t len = (size_t)(input[at] | input[at + 1] << 8) % 9000;

		at += 2;
		len = len < input_len - at ? len : input_len - at;
		if (len && send(pair[1], input + at, len,
				MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
			break;
		at += len;
	}
	shutdown(pair[1], SHUT_WR);
	*other = pair[1];
	return pair[0];
}

static int ask(const char *verb, cli_line_fn emit, void *arg)
{
	char error[512];
	int other, fd = connection(&other);
	int err = process_ask(fd, verb, -1, error, sizeof(error), emit, arg);

	if (err)
		cli_error("%s", error);
	close(fd);
	close(other);
	return err ? CLI_FAILED : CLI_OK;
}

static int ask_list(struct cli_target *target, cli_line_fn emit, void *arg)
{
	(void)target;
	return ask("list", emit, arg);
}

static void close_nothing(struct cli_target *target)
{
	(void)target;
}

static const struct cli_target_ops ops = {
	.list = ask_list, .close = close_nothing,
};

static void list_it(bool json)
{
	struct cli_target target = { .ops = &ops, .pid = 1, .fd = -1 };
	struct state state = { .json = json, .headings = true };

	/* A name as a process may choose it. */
	snprintf(target.name, sizeof(target.name), "%.*s", (int)input_len,
		 (const char *)input);
	if (json)
		putchar('[');
	show(&state, &target);
	if (json)
		puts(state.shown ? "\n]" : "]");
}

static const char *run_one(const uint8_t *bytes, size_t len)
{
	static struct settling settling;
	const char *wrong;
	int other;

	input = bytes;
	input_len = len;
	list_it(false);
	wrong = fuzz_check_printed(false);
	list_it(true);
	if (!wrong)
		wrong = fuzz_check_printed(true);
	settling.slots_nr = 0;
	settling.fd = connection(&other);
	settle_begin(&settling);
	close(settling.fd);
	close(other);
	return settling.slots_nr > SETTLE_SLOTS ? "too many ranges" : wrong;
}

const struct fuzz_target fuzz_endpoint = {
	.name = "endpoint", .sample = sample, .run = run_one,
};
