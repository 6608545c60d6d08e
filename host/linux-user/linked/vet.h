/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vet.h - whether the dynamic linker may be given a file.
 *
 * Owns: the prototype of vet.c.
 */
#ifndef KP_USER_VET_H
#define KP_USER_VET_H

/* What is wrong with it; NULL: nothing that the linker would not say. */
const char *kp_vet(const char *path);

#endif
