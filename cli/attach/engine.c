// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * engine.c - a thread of the engine's in a process, and what is asked of it.
 *
 * Owns: the command's end of kp_mailbox.asked.  The borrowed thread makes the thread by clone:
 * both go on in the mailbox's code, the new one on the mailbox's stack, to the image's entry.
 * No code of the process takes part.
 *
 * Invariant: the thread has ended before the mailbox is unmapped, or the mailbox stays: then
 * the thread ends by itself (KP_ENGINE_MS), and the next command takes the mailbox away.
 */
#include "engine.h"
#include "cli.h"
#include "frame.h"
#include "calls.h"
#include "parked.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALL_MS 10000			/* for one call */
#define END_MS 2000
#define LOOK_US 50
#define SPINS 20			/* looks at once, before it waits between them */
#define STACK_ROOM 4096u		/* above the stack's begin */

static uint64_t field(const struct injection *in, size_t offset)
{
	return in->mailbox + KP_MAILBOX_CODE_LEN + offset;
}
#define FIELD(in, name) field(in, offsetof(struct kp_mailbox, name))

/* ---- the thread ------------------------------------------------------------------------ */

static int copy_auxv(const struct injection *in)
{
	uint64_t pairs[KP_MAILBOX_AUXV][2] = { { 0 } };
	remote_word pair[2];
	char path[64];
	FILE *file;
	int i;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)in->remote->pid);
	file = fopen(path, "re");
	for (i = 0; file && i < KP_MAILBOX_AUXV - 1 &&
	     fread(pair, sizeof(pair), 1, file) == 1 && pair[0]; i++) {
		pairs[i][0] = pair[0];
		pairs[i][1] = pair[1];
	}
	if (file)
		fclose(file);
	return remote_write(in->remote, FIELD(in, auxv), pairs, sizeof(pairs));
}

/*
 * Of the environment that it was executed with, what is for the engine.  One that we have started
 * has its messages on its standard error.
 */
static int copy_wishes(const struct injection *in)
{
	static const char ours[] = "KPROBES_", once[] = "KPROBES_ONCE=";
	char wishes[KP_MAILBOX_WISHES] = "", path[64], *text = NULL;
	size_t at = 0, room = 0;
	ssize_t len;
	FILE *file;

	if (parked_is(in->remote->pid)) {
		memcpy(wishes, once, sizeof(once));
		at = sizeof(once);
	}
	snprintf(path, sizeof(path), "/proc/%d/environ", (int)in->remote->pid);
	file = fopen(path, "re");
	while (file && (len = getdelim(&text, &room, 0, file)) > 0) {
		if (strncmp(text, ours, sizeof(ours) - 1) || text[len - 1] ||
		    !strncmp(text, once, sizeof(once) - 1) ||
		    (size_t)len >= sizeof(wishes) - at)
			continue;
		memcpy(wishes + at, text, (size_t)len);
		at += (size_t)len;
	}
	free(text);
	if (file)
		fclose(file);
	return remote_write(in->remote, FIELD(in, wishes), wishes, sizeof(wishes));
}

static int write_self(const struct injection *in, uint64_t base, uint64_t len)
{
	remote_word self = (remote_word)FIELD(in, pointer);
	uint64_t range[2] = { base, len };
	int err = remote_write(in->remote, FIELD(in, pointer), &self, sizeof(self));

	if (!err)
		err = remote_write(in->remote, FIELD(in, image), range, sizeof(range));
	if (!err)
		err = copy_auxv(in);
	return err ? err : copy_wishes(in);
}

/* Its number as we see it. */
static pid_t outer(pid_t pid, pid_t inner)
{
	pid_t *tids = NULL, found = 0;
	int i, nr = remote_threads(pid, &tids);

	for (i = 0; i < nr && !found; i++)
		if (remote_inner_tid(pid, tids[i]) == inner)
			found = tids[i];
	free(tids);
	return found;
}

/* All but those of faults, which are its own doing. */
static uint64_t mask(void)
{
	return ~(1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1) | 1ull << (SIGFPE - 1) |
		 1ull << (SIGILL - 1) | 1ull << (SIGTRAP - 1) | 1ull << (SIGSYS - 1));
}

static int start(struct injection *in, uint64_t entry)
{
	const unsigned long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
				    CLONE_THREAD | CLONE_SYSVSEM | (TRACEE_CLONE_TLS ? CLONE_SETTLS : 0) |
				    CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID;
	/* What the code in the mailbox takes from the new stack, and where that begins. */
	const remote_word first[2] = { (remote_word)FIELD(in, magic), (remote_word)entry };
	uint64_t own = mask(), back = inject_way_back(in);
	uint64_t args[6] = { flags, (in->mailbox + KP_MAILBOX_LEN - STACK_ROOM) & ~63ull };
	long result = 0;
	int err;

	err = remote_write(in->remote, FIELD(in, own_mask), &own, sizeof(own));
	if (!err)
		err = remote_write(in->remote, FIELD(in, way_back), &back, sizeof(back));
	if (!err)
		err = remote_write(in->remote, args[1], first, sizeof(first));
	if (TRACEE_CLONE_TLS)
		args[TRACEE_CLONE_TLS] = FIELD(in, pointer);
	args[TRACEE_CLONE_TID] = FIELD(in, tid);
	in->after = in->mailbox + TRACEE_AFTER_CLONE;
	if (!err)
		err = inject_system_call(in, SYS_clone, args, &result);
	in->after = 0;
	if (!err && result <= 0)
		err = result ? (int)-result : EPROTO;
	if (!err)
		in->engine = outer(in->remote->pid, (pid_t)result);
	return err ? err : in->engine ? 0 : ESRCH;
}

/* ---- calls ------------------------------------------------------------------------------ */

/* 0, ETIMEDOUT, or an errno: the process is not there any more. */
static int wait_word(const struct injection *in, uint64_t at, uint32_t wanted, long ms)
{
	long end = thread_now_ms() + ms;
	uint32_t word = ~wanted;
	int err, looks = 0;

	for (;;) {
		err = remote_read(in->remote, at, &word, sizeof(word));
		if (err || word == wanted)
			return err;
		if (thread_now_ms() > end)
			return ETIMEDOUT;
		if (looks++ > SPINS)
			usleep(LOOK_US);
		else
			sched_yield();
	}
}

static int ask(struct injection *in, int call)
{
	uint32_t number = in->asked + 1;
	int32_t what = call;
	int err = remote_write(in->remote, FIELD(in, call), &what, sizeof(what));

	if (!err)
		err = remote_write(in->remote, FIELD(in, asked), &number, sizeof(number));
	if (!err)
		in->asked = number;
	return err;
}

static int failed(const struct injection *in, int err)
{
	process_wait_gone(in->remote->pid, err);
	return process_failed(in->remote->pid, CLI_FAILED,
			      ": the engine's thread in it %s: %s",
			      in->engine ? "does not answer" : "could not be made",
			      err == ETIMEDOUT ? "it goes on by itself; try again later" :
			      strerror(err));
}

int engine_start(struct process *process, struct injection *in)
{
	const struct image *image = engine_image();
	uint64_t base = engine_begin(&process->remote);
	int err;

	if (in->engine)
		return CLI_OK;
	err = image && base ? write_self(in, base, image->len) : ENOENT;
	if (!err)
		err = start(in, base + image->entry);
	return err ? failed(in, err) : CLI_OK;
}

int engine_call(struct process *process, struct injection *in, int call)
{
	int status = engine_start(process, in), err;

	if (status)
		return status;
	err = ask(in, call);
	if (!err)
		err = wait_word(in, FIELD(in, answered), in->asked, CALL_MS);
	return err ? failed(in, err) : CLI_OK;
}

void engine_end(struct injection *in)
{
	/* The kernel clears the word when the thread has left this memory for good. */
	if (in->engine && (ask(in, KP_ENGINE_END) ||
			   wait_word(in, FIELD(in, tid), 0, END_MS)))
		in->mailbox = 0;
	in->engine = 0;
}
