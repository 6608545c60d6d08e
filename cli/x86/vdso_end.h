/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vdso_end.h - the room behind the kernel's own code in a process.
 *
 * Owns: where the vdso's last page ends, in front of which restorer.c, way.c and park.c have their
 * places; 0: there is none of so many bytes.
 */
#ifndef KP_CLI_VDSO_END_H
#define KP_CLI_VDSO_END_H

#include "remote.h"

#include <string.h>

static inline uint64_t vdso_end(const struct remote *remote, uint64_t room)
{
	size_t i;

	for (i = remote->maps_nr; i-- > 0;)
		if (!strcmp(remote->maps[i].path, "[vdso]") && remote->maps[i].exec &&
		    remote->maps[i].end - remote->maps[i].start > room)
			return remote->maps[i].end;
	return 0;
}

#endif
