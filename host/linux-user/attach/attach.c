/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * attach.c - the kprobes command attaches to this process.
 *
 * Owns: what the command reads and calls here: kp_attach (attach.h).  Its
 * functions run on an injected stack, in a thread that was stopped at a system
 * call, so at a place where it holds no lock of the heap or of the linker.
 *
 * The order that the command keeps: the library is loaded and starts nothing
 * when it finds the command's mailbox; prepare() while all threads run; then
 * all other threads are stopped, SIGTRAP is taken out of their masks, and
 * arm() writes the host's breakpoints.  Nothing is signalled, so no system
 * call of the program ends early.
 */
#include "attach/attached.h"
#include "atomic.h"
#include "attach.h"
#include "sys.h"
#include "process/ids.h"
#include "process/writer.h"
#include "threads/contexts.h"
#include "text/intercept.h"
#include "signals/calls.h"
#include "traps/trap.h"
#include "start/init.h"
#include "attach/control.h"

static void prepare(struct kp_mailbox *mailbox);
static void adopt(struct kp_mailbox *mailbox);
static void arm(struct kp_mailbox *mailbox);
static void serve(struct kp_mailbox *mailbox);

void kp_user_attach_loaded(void)
{
	kp_attach.prepare = prepare;
	kp_attach.adopt = adopt;
	kp_attach.arm = arm;
	kp_attach.serve = serve;
	/* Release: the command reads this first. */
	kp_store_release(&kp_attach.pid, sys_getpid());
}

static void say(struct kp_mailbox *mailbox, int err, const char *text)
{
	mailbox->result = err;
	mailbox->text[0] = 0;
	if (text)
		memcpy(mailbox->text, text, strlen(text) + 1);
}

static void prepare(struct kp_mailbox *mailbox)
{
	int err = kp_user_prepare(sys_set_of(mailbox->own_mask));

	if (err) {
		say(mailbox, err, err == -ENOSPC
			? kp_user_calls_missed()
			: "the kernel refused a signal handler");
		return;
	}
	kp_user_writer_end();
	kp_attach.attached = 1;
	kp_attach.state = KP_ATTACH_PREPARED;
	say(mailbox, 0, NULL);
}

/* Others may hold the heap or the linker, here and in arm(). */
static void adopt(struct kp_mailbox *mailbox)
{
	kp_user_adopt(mailbox->threads, mailbox->masks, mailbox->threads_nr,
		      mailbox->own_mask);
	/* A breakpoint that was met with SIGTRAP blocked has undone it. */
	kp_user_trap_renew();
	say(mailbox, 0, NULL);
}

static void arm(struct kp_mailbox *mailbox)
{
	/* A command that was killed may have come so far meanwhile. */
	int err;

	kp_user_writer_apart(true);
	err = kp_user_intercept_started() ? 0 : kp_user_intercept_start();
	kp_user_writer_apart(false);
	if (!err)
		kp_attach.state = KP_ATTACH_RUNNING;
	say(mailbox, err, err ? "the host's breakpoints could not be written"
			      : NULL);
}

static void serve(struct kp_mailbox *mailbox)
{
	int err;

	kp_user_fork_check();
	err = kp_user_control_start(mailbox);
	say(mailbox, err, err == -EBUSY ? "another client is connected"
		    : err ? "no thread could be made for the endpoint" : NULL);
}
