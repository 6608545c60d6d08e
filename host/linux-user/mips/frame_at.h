/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * frame_at.h - where a signal's frame tells whether floating point was used.
 *
 * Owns: its distance from the stack pointer that a handler begins with, for signal.S;
 * numbers.c asserts it.
 */
#ifndef KP_MIPS_FRAME_AT_H
#define KP_MIPS_FRAME_AT_H

#ifdef __mips64
#define KP_USED_MATH 780
#else
#define KP_USED_MATH 716
#endif

#endif
