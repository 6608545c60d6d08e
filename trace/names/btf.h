/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * btf.h - what kernel.c, which finds BTF, and btf.c, which reads it, share.
 *
 * Owns: nothing but the declarations of btf.c.
 */
#ifndef KT_NAMES_BTF_H
#define KT_NAMES_BTF_H

#include "own.h"

/* bytes lie in file, which is freed in any case, and may be NULL. */
struct names *btf_names(const void *bytes, size_t len, void *file);
/* A module's table.  0 or -errno. */
int btf_add(struct names *names, const void *bytes, size_t len, void *file);

#endif
