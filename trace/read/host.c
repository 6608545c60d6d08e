// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * host.c - what the reader's virtual machine knows about the process that it runs in.
 *
 * Owns: struct read_host, filled when the first reader is made.
 */
#include "kt_host.h"
#include "read.h"

#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

struct read_host read_host;

void read_host_begin(void)
{
	if (read_host.pid)
		return;
	read_host.pid = (u32)getpid();
	read_host.uid = (u32)getuid();
	read_host.gid = (u32)getgid();
	prctl(PR_GET_NAME, read_host.comm);
}
