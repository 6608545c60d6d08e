// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * log.c - the messages of probe modules and of the library in a process.
 *
 * Owns: the subcommand log.  The ring (attach.h, kp_log) is read in the process's memory.  No
 * thread of the process is needed, it may be stopped, and nothing in it is changed.  The ring
 * may contain anything: only sizes of this version are accepted, and the output is harmless on a
 * terminal.
 */
#include "attach_cli.h"
#include "cli.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOK_US 200000
#define LINE_MAX_LEN 8192u

struct reading {
	const struct remote *remote;
	uint64_t at;			/* of kp_log */
	uint64_t next;			/* ticket */
	uint64_t lost;			/* slots that were written again */
	char line[LINE_MAX_LEN];
	size_t len;
};

static uint64_t find_log(const struct remote *remote)
{
	uint64_t at = remote_find(remote, "kprobes", "kp_log");

	/* Linked into the program, or under another name. */
	return at ? at : remote_find(remote, "", "kp_log");
}

static bool read_head(const struct reading *r, uint64_t *head)
{
	struct kp_log log;

	if (remote_read(r->remote, r->at, &log, offsetof(struct kp_log, slots)))
		return false;
	*head = log.head;
	return log.magic == KP_LOG_MAGIC && log.slots_nr == KP_LOG_SLOTS &&
	       log.text_len == KP_LOG_TEXT;
}

static void end_line(struct reading *r)
{
	if (r->len && r->line[r->len - 1] == '\n')
		r->len--;
	cli_print_line(r->line, r->len);
	putchar('\n');
	r->len = 0;
}

static void say_lost(struct reading *r)
{
	if (!r->lost)
		return;
	r->len = 0;
	printf("... %llu pieces of lines are lost: there is room for %u\n",
	       (unsigned long long)r->lost, KP_LOG_SLOTS);
	r->lost = 0;
}

static void add(struct reading *r, const struct kp_log_slot *slot)
{
	size_t len = slot->len < KP_LOG_TEXT ? slot->len : KP_LOG_TEXT;

	say_lost(r);
	if (r->len + len > sizeof(r->line))
		end_line(r);
	memcpy(r->line + r->len, slot->text, len);
	r->len += len;
	if (!slot->more)
		end_line(r);
}

/* One ticket.  0; EAGAIN: it is being written; EIO: it cannot be read. */
static int take(struct reading *r)
{
	uint64_t slot_at = r->at + offsetof(struct kp_log, slots) +
			   r->next % KP_LOG_SLOTS * sizeof(struct kp_log_slot);
	struct kp_log_slot slot;
	uint64_t again;

	if (remote_read(r->remote, slot_at, &slot, sizeof(slot)) ||
	    remote_read(r->remote, slot_at, &again, sizeof(again)))
		return EIO;
	if (!slot.ticket || slot.ticket < r->next + 1)
		return EAGAIN;
	if (slot.ticket != r->next + 1 || again != slot.ticket)
		r->lost++;
	else
		add(r, &slot);
	r->next++;
	return 0;
}

/* All that is there.  False: the process has ended, or is not what it was. */
static bool show(struct reading *r)
{
	uint64_t head, i;
	int err = 0;

	if (!read_head(r, &head) || head < r->next)
		return false;
	if (head - r->next > KP_LOG_SLOTS) {
		r->lost += head - KP_LOG_SLOTS - r->next;
		r->next = head - KP_LOG_SLOTS;
	}
	for (i = r->next; i < head && !err; i++)
		err = take(r);
	say_lost(r);
	fflush(stdout);
	return err != EIO;
}

static int run(const struct cli_args *args)
{
	static struct reading reading;
	struct process process;
	uint64_t head;
	int status;

	if (!args->pid) {
		cli_error("name a process with -p PID; messages in the kernel are in its log: dmesg");
		return CLI_USAGE;
	}
	status = process_examine(&process, args->pid);
	if (status)
		return status;
	reading.remote = &process.remote;
	reading.at = find_log(&process.remote);
	if (!reading.at || !read_head(&reading, &head)) {
		cli_error("%s is not probed, and has no log", process.label);
		process_end(&process);
		return CLI_ABSENT;
	}
	while (show(&reading) && args->follow && !ferror(stdout))
		usleep(LOOK_US);
	process_end(&process);
	return CLI_OK;
}

const struct cli_command cli_log = {
	.name = "log", .synopsis = "-p PID [-f]",
	.summary = "print the messages of probe modules in a process",
	.takes = CLI_TAKES_PID | CLI_TAKES_FOLLOW, .run = run,
};
