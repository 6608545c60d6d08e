/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * image.h - what the files of the image offer each other.
 *
 * Owns: the prototypes of image/.
 */
#ifndef KP_USER_IMAGE_H
#define KP_USER_IMAGE_H

#include "env.h"

struct kp_mailbox;
/* kernel.c: what the command has read of the program's; before anything else. */
void kp_image_know(const struct kp_mailbox *mailbox);
/* 0 or -errno. */
int kp_image_map_file(void *at, size_t len, int prot, long file, uint64_t from);

/* objects.c: modules that are there beside the program's objects.  Registry lock. */
struct kp_image_module {
	struct kp_image_module *next;
	char *name;
	uintptr_t base;			/* where its headers are */
};
void kp_image_module_came(struct kp_image_module *module);
void kp_image_module_goes(struct kp_image_module *module);

#endif
