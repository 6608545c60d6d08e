/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * surface.c - what the command finds in this memory, and leaves here.
 *
 * Owns: kp_attach (attach.h), in which the command reads where the engine is and what to call;
 * attach.c has written that.  The mailbox of a command that attaches.
 */
#include "process/surface.h"
#include "attach.h"
#include "machine.h"
#include "freestanding/copy.h"
#include "process/maps.h"

#define PUBLIC __attribute__((visibility("default")))

PUBLIC struct kp_attach_surface kp_attach = {
	.magic = KP_ATTACH_MAGIC, .version = KP_ATTACH_VERSION, .knock_fd = -1,
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

void kp_user_surface_running(void)
{
	kp_attach.pid = sys_getpid();
	kp_attach.state = KP_ATTACH_RUNNING;
}

void kp_user_surface_fork(void)
{
	kp_attach.pid = sys_getpid();
	kp_attach.service_tid = 0;
	kp_attach.knock_fd = -1;
}

