/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * image.h - a shared object as it will lie in a process's memory.
 *
 * Owns: the prototypes of image.c.
 */
#ifndef KP_CLI_IMAGE_H
#define KP_CLI_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IMAGE_PARTS 16

struct image_part {
	uint64_t from, len;		/* whole pages, from the image's begin on */
	int prot;			/* PROT_… */
};

struct image {
	uint8_t *bytes;			/* as they lie in memory */
	uint64_t len;			/* whole pages */
	uint64_t entry;			/* from the begin on; 0: none */
	struct image_part parts[IMAGE_PARTS];
	unsigned int parts_nr;
};

/*
 * What is wrong with the file; NULL: nothing, and image_end() frees what *image has.  It may
 * need nothing of who loads it but names.
 */
const char *image_read(struct image *image, const void *file, size_t size);
bool image_copy(struct image *image, const struct image *from);
void image_end(struct image *image);

/*
 * For this address of its begin, once.  find says where a name is that it does not have itself;
 * false: nowhere.  What is missing then, NULL: nothing; find may be NULL.
 */
const char *image_relocate(struct image *image, uint64_t base,
			   bool (*find)(void *arg, const char *name, uint64_t *addr), void *arg);

/* A symbol that it defines, from its begin on; false: it does not. */
bool image_symbol(const struct image *image, const char *name, uint64_t *at);

/* What it says of itself: an entry of its dynamic section; 0: there is no such one. */
uint64_t image_dynamic(const struct image *image, int64_t tag);
/* The name of the i-th object that it needs; NULL: no more. */
const char *image_needs(const struct image *image, unsigned int i);

#endif
