/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jail.h - reading what may be hostile in a process that can do nothing else.
 *
 * Owns: the prototypes of jail.c, and the requests that the jail can make.
 */
#ifndef KP_CLI_JAIL_H
#define KP_CLI_JAIL_H

#include "cli.h"
#include "view.h"

#include <stdio.h>

/*
 * Go on in a child.  True in the child, which is in the jail as soon as it calls
 * jail_close(): it may compute, print, and ask for the files of view.  False in
 * the caller, when the child is done: *status is what it ended with, and what it
 * printed has been printed, or, with take, is there.
 */
bool jail_begin(struct view *view, struct cli_lines *take, int *status);
bool jail_inside(void);			/* is this the child? */
/*
 * From here on nothing can be opened or changed.  lasts: it may compute as long as
 * it likes.  A status, printed.
 */
int jail_close(bool lasts);

/*
 * The same in steps, for a caller that has other things to do meanwhile, and for
 * several processes, a view each.  The child's mappings are the caller's, and of its
 * descriptors keep; jail_start() is false in the caller, where *status says whether
 * there is a child.
 */
struct jail_pump {
	int fd;				/* what the jail prints; -1: over */
	FILE *to;			/* NULL: into lines */
	struct cli_lines *lines;
};

struct jail {
	pid_t opener, pid;
	struct jail_pump pumps[2];
	const char *wrong;		/* why it is to be ended */
};

/*
 * Processes whose files may be asked for later, in memory that is shared with the
 * jail's opener, and which the jail does not have.  Those of views come first.
 */
#define JAIL_GUESTS CLI_PROCESSES_MAX
struct jail_guests {
	pid_t pids[JAIL_GUESTS];
	unsigned long long began[JAIL_GUESTS];	/* when; remote_began() */
};

bool jail_start(struct jail *jail, struct view *views, unsigned int nr,
		struct jail_guests *guests, int keep, struct cli_lines *take,
		int *status);
int jail_kept(void);			/* keep, as it is called in the child; or -1 */
/* Pass on what it prints, for ms at most.  False: it is over. */
bool jail_pass(struct jail *jail, int ms);
/* Wait for it, or end it if something is wrong.  Its status. */
int jail_end(struct jail *jail);

/* In the jail: as those of view.h; the first for a guest. */
int jail_view(struct view *view, pid_t pid, unsigned int who, const char *program);
int jail_mapping(const struct view *view, uint64_t start);
int jail_build_id(const struct view *view, const uint8_t *id, size_t len);
int jail_debuglink(const struct view *view, uint64_t start, const char *name,
		   unsigned int place);
int jail_split(const struct view *view, const char *name);
int jail_perf_map(const struct view *view);

#endif
