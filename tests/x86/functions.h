/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * functions.h - little functions for what looks at code.
 *
 * Owns: a text at ADDR of which a test says the bytes, and its reader.
 */
#ifndef KP_UNIT_FUNCTIONS_H
#define KP_UNIT_FUNCTIONS_H

#include "probe.h"

#define ADDR 0x7f0000001000ul
#define BYTES(...) (const uint8_t[]){ __VA_ARGS__ }, \
		   sizeof((const uint8_t[]){ __VA_ARGS__ })
#define TEST(name) static void name(void **state)

static uint8_t text[0x1000];
static size_t text_len;

static int read_text(uint8_t *dst, uintptr_t addr, size_t len)
{
	if (addr < ADDR || addr - ADDR > text_len ||
	    len > text_len - (addr - ADDR))
		return -EFAULT;
	memcpy(dst, text + (addr - ADDR), len);
	return 0;
}

/* Behind what is put there, everything traps. */
static void put(size_t off, const uint8_t *bytes, size_t len)
{
	if (!off)
		memset(text, 0xcc, sizeof(text));
	memcpy(text + off, bytes, len);
	text_len = sizeof(text);
}

#endif
