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
#include "user.h"
#include "shim.h"
#include "attach.h"

#define PUBLIC __attribute__((visibility("default")))

static void prepare(struct kp_mailbox *mailbox);
static void adopt(struct kp_mailbox *mailbox);
static void arm(struct kp_mailbox *mailbox);
static void serve(struct kp_mailbox *mailbox);

PUBLIC struct kp_attach_surface kp_attach = {
	.magic = KP_ATTACH_MAGIC, .version = KP_ATTACH_VERSION,
	.knock_fd = -1, .prepare = prepare, .adopt = adopt, .arm = arm, .serve = serve,
};

struct search {
	uintptr_t addr;
	bool found;
};

static bool is_mailbox(const struct kp_map *map, void *arg)
{
	struct search *search = arg;

	if (search->addr < map->start || search->addr >= map->end)
		return false;
	/* No file: a page of one may be behind its end. */
	search->found = map->read && map->write && !map->name[0];
	return true;
}

/* The mailbox, or NULL. */
struct kp_mailbox *kp_user_mailbox(void)
{
	struct kp_mailbox *mailbox;
	unsigned char resident;
	uint64_t magic = 0;
	unsigned int i;

	for (i = 0; i < KP_MAILBOX_PLACES; i++) {
		struct search search = {
			.addr = KP_MAILBOX_PLACE(i) + KP_MAILBOX_CODE_LEN,
		};

		if (sys3(SYS_mincore, search.addr, 1, &resident) ||
		    kp_user_maps(is_mailbox, &search) || !search.found)
			continue;
		mailbox = (struct kp_mailbox *)search.addr;
		/* The program may use this place, and unmap it just now. */
		if (!kp_user_copy(&magic, &mailbox->magic, sizeof(magic)) &&
		    magic == KP_ATTACH_MAGIC &&
		    mailbox->version == KP_ATTACH_VERSION)
			return mailbox;
	}
	return NULL;
}

void kp_user_attach_loaded(void)
{
	kp_attach.pid = sys_getpid();
}

void kp_user_attach_running(void)
{
	kp_attach.pid = sys_getpid();
	kp_attach.state = KP_ATTACH_RUNNING;
}

void kp_user_attach_fork(void)
{
	kp_attach.pid = sys_getpid();
	kp_attach.service_tid = 0;
	kp_attach.knock_fd = -1;
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
