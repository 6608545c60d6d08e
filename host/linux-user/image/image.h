/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * image.h - what the files of the image offer each other.
 *
 * Owns: the prototypes of image/.
 */
#ifndef KP_USER_IMAGE_H
#define KP_USER_IMAGE_H

#include "env.h"

/* kernel.c: before anything else. */
void kp_image_read_auxv(void);

/* open.c: the struct kp_module of what is to be loaded next. */
void kp_image_place(uintptr_t module);

#endif
