// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * offsets.c - what env_asm.h has to know of C.
 *
 * Owns: nothing; offsets_both.h has it.
 */
#include "offsets_both.h"
