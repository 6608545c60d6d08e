/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * go.h - an object's table of Go's functions.
 *
 * Owns: struct go.
 */
#ifndef KP_CLI_GO_H
#define KP_CLI_GO_H

#include "objects/gopcln.h"
#include "symbols.h"

struct go {
	struct kp_gopcln table;		/* addresses as linked */
	uint64_t bias;			/* to be added to them */
	uint8_t *copy;			/* NULL: the file's own bytes */
};

/* In the jail.  False: it has none, or none that is known. */
bool go_open(struct go *go, const struct symbol_module *module);
void go_close(struct go *go);

#endif
