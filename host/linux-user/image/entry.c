/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * entry.c - where the command's thread begins in an image that the command has loaded.
 *
 * Owns: the order of what the command asks for (attach.h: kp_mailbox.asked).  The thread runs
 * on the mailbox's stack, so it has ended before the command takes the mailbox away; a
 * command that was killed asks for nothing any more, and the thread ends by itself.  What
 * is to live longer, as the service, is a thread of its own.
 *
 * Locks: none.  One such thread works for one mailbox.
 */
#include "atomic.h"
#include "attach.h"
#include "image.h"
#include "machine.h"
#include "thread.h"
#include "objects/clock.h"
#include "attach/attached.h"

/* The command's clone gave the thread its pointer. */
#ifndef KP_CLONE_SETS_THREAD
#define KP_CLONE_SETS_THREAD 1
#endif

#define LOOK_US 50			/* between looks at what is asked */

/* The ELF entry of the image. */
__attribute__((visibility("default"), noreturn)) void kp_image_entry(struct kp_mailbox *mailbox);

static void run(struct kp_mailbox *mailbox)
{
	switch (mailbox->call) {
	case KP_ENGINE_PREPARE:
		kp_user_attach_loaded();
		kp_attach.prepare(mailbox);
		break;
	case KP_ENGINE_ADOPT:
		kp_attach.adopt(mailbox);
		break;
	case KP_ENGINE_ARM:
		kp_attach.arm(mailbox);
		break;
	case KP_ENGINE_SERVE:
		kp_attach.serve(mailbox);
		break;
	default:
		mailbox->result = -ENOSYS;
	}
}

/* False: nobody asks any more. */
static bool wait_asked(const struct kp_mailbox *mailbox, uint32_t answered)
{
	int64_t end = kp_user_clock() + KP_ENGINE_MS * INT64_C(1000000);

	/* Acquire: what it asks for is there. */
	while (kp_load_acquire(&mailbox->asked) == answered) {
		if (kp_user_clock() > end)
			return false;
		sys_sleep_us(LOOK_US);
	}
	return true;
}

void kp_image_entry(struct kp_mailbox *mailbox)
{
	uint32_t answered = 0;

	if (!KP_CLONE_SETS_THREAD)
		kp_set_thread((uintptr_t)&mailbox->pointer);
	kp_user_thread_engines();
	kp_image_know(mailbox);
	while (wait_asked(mailbox, answered) && mailbox->call != KP_ENGINE_END) {
		run(mailbox);
		answered = mailbox->asked;
		/* Pairs with the command, which reads this first. */
		kp_store_release(&mailbox->answered, answered);
	}
	for (;;)
		sys3(SYS_exit, 0, 0, 0);
}
