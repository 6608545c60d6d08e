/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * units.h - what xsave stores, as a signal's frame has it, in both modes of x86 (units.c).
 */
#ifndef KP_CLI_UNITS_H
#define KP_CLI_UNITS_H

#include <stddef.h>
#include <stdint.h>

/* How much of an image of len bytes a frame needs; which features are in it, or 0: fxsave's. */
size_t units_in_use(const uint8_t *image, size_t len, uint64_t *features);
/* Its marks; 4 bytes behind it, too.  before: what the frame has of the units ahead of it. */
void units_mark(uint8_t *image, size_t len, size_t before, uint64_t features);
/* What it may take. */
uint64_t units_room(void);

#endif
