/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rust.h - Rust's newer names (_R...), as the source writes them.
 *
 * Owns: nothing but the declaration of rust.c.
 */
#ifndef KP_CLI_RUST_H
#define KP_CLI_RUST_H

#include <stdbool.h>
#include <stddef.h>

/* False: that is none, or there is no room. */
bool rust_demangle(const char *name, char *to, size_t room);

#endif
