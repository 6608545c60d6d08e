/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * text.h - is all text what it was?
 *
 * Owns: a copy of all executable segments, and the comparison with it.
 */
#ifndef KP_LIVE_TEXT_H
#define KP_LIVE_TEXT_H

#include "live.h"

#include <kprobes/control.h>

#include <link.h>

#define TEXT_COPIES 32

static struct text_copy {
	const unsigned char *text;
	unsigned char *bytes;
	size_t len;
} text_copies[TEXT_COPIES];
static int text_copies_nr;

static int text_copy_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	int i;

	(void)size;
	(void)arg;
	for (i = 0; i < info->dlpi_phnum && text_copies_nr < TEXT_COPIES; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		struct text_copy *c = &text_copies[text_copies_nr];

		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X))
			continue;
		c->text = (void *)(info->dlpi_addr + ph->p_vaddr);
		c->len = ph->p_memsz;
		c->bytes = malloc(c->len);
		memcpy(c->bytes, c->text, c->len);
		text_copies_nr++;
	}
	return 0;
}

static inline void text_snapshot(void)
{
	dl_iterate_phdr(text_copy_object, NULL);
}

/* Is what stands there not the original?  In a snapshot only. */
static inline bool text_differs(const void *at, size_t len)
{
	int i;

	for (i = 0; i < text_copies_nr; i++) {
		size_t off = (size_t)((const unsigned char *)at -
				      text_copies[i].text);

		if (off < text_copies[i].len)
			return memcmp(at, text_copies[i].bytes + off, len) != 0;
	}
	return false;
}

/* An armed probe's text: a jump, and no breakpoint? */
static inline bool text_has_jump(const void *at)
{
	return *(const volatile unsigned char *)at != 0xcc &&
	       text_differs(at, 5);
}

/* Jumps of probes that are gone may stay for a while: not after this. */
static inline long text_changed(void)
{
	long nr = 0;
	size_t j;
	int i;

	kprobes_flush();
	for (i = 0; i < text_copies_nr; i++)
		for (j = 0; j < text_copies[i].len; j++)
			nr += text_copies[i].text[j] != text_copies[i].bytes[j];
	return nr;
}

#endif
