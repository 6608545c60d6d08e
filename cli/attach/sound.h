/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sound.h - can the dynamic linker be given this shared object?
 *
 * Owns: the declaration of sound.c.
 */
#ifndef KP_CLI_SOUND_H
#define KP_CLI_SOUND_H

#include <stddef.h>

/* What is wrong with it; NULL: nothing. */
const char *cli_sound(const void *bytes, size_t size);

#endif
