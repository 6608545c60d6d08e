/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * perfmap.h - names of code that a process makes while it runs.
 *
 * Owns: struct perfmap: what is known of the file in which runtimes such as node's
 * (--perf-basic-prof) or Java's say where they put a function: /tmp/perf-PID.map.
 * It belongs to the process, and grows.  In the jail.
 */
#ifndef KP_CLI_PERFMAP_H
#define KP_CLI_PERFMAP_H

#include "view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perfmap_entry {
	uint64_t start, end;
	size_t name;			/* in text; what comes later is newer */
};

struct perfmap {
	const struct view *view;
	int fd;				/* -1: it is not there yet */
	uint64_t next;			/* ns: when to look again */
	unsigned int tries;
	char *text;
	size_t len, room, parsed;	/* of text */
	struct perfmap_entry *all;	/* by address */
	size_t nr, all_room;
};

/* view: a process's; it has to stay. */
void perfmap_begin(struct perfmap *map, const struct view *view);
/* Now and then, or at once: the process may be gone when a name is asked for. */
void perfmap_look(struct perfmap *map, bool at_once);
/* The newest that has addr, or NULL; valid until the next call. */
const char *perfmap_at(struct perfmap *map, uint64_t addr, uint64_t *start);
void perfmap_end(struct perfmap *map);

#endif
