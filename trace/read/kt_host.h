/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_host.h - the duties of the machine's host, for the blocks of a script that
 * run in the reader.  There is no probe, so there are no registers.
 */
#ifndef KT_HOST_H
#define KT_HOST_H

#include "vm/host.h"
#include "vm/no_watch.h"		/* nobody watches what the reader has */

#include <sched.h>
#include <string.h>
#include <time.h>

/* More than any processor has: a program is proved once more where it is hit. */
#define KT_HOST_REGS 64

struct read_host {
	u32 pid, uid, gid;
	char comm[16];
	/* Memory of the kernel or of a process; NULL: none can be read. */
	int (*read)(void *dst, u64 addr, u32 len, bool user);
};
extern struct read_host read_host;

static inline u64 kt_host_nsecs(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec;
}

static inline u32 kt_host_cpu(void)
{
	int cpu = sched_getcpu();

	return cpu < 0 ? 0 : (u32)cpu;
}

static inline u32 kt_host_pid(void)
{
	return read_host.pid;
}

static inline u32 kt_host_tid(void)
{
	return read_host.pid;
}

static inline u32 kt_host_uid(void)
{
	return read_host.uid;
}

static inline u32 kt_host_gid(void)
{
	return read_host.gid;
}

static inline u64 kt_host_curtask(void)
{
	return 0;
}

static inline u64 kt_host_cgroup(void)
{
	return 0;
}

static inline void kt_host_comm(char name[16])
{
	memcpy(name, read_host.comm, 16);
}

static inline int kt_host_read(void *dst, u64 addr, u32 len, bool user)
{
	return read_host.read ? read_host.read(dst, addr, len, user) : -1;
}

/* Byte by byte: the next page may not be there. */
static inline int kt_host_string(char *dst, u64 addr, u32 len, bool user)
{
	u32 i;

	for (i = 0; i + 1 < len; i++)
		if (kt_host_read(&dst[i], addr + i, 1, user) || !dst[i])
			break;
	if (len)
		dst[i] = 0;
	return i || !len || !kt_host_read(dst, addr, 1, user) ? (int)i : -1;
}

static inline u64 kt_host_reg(const struct kt_hit *hit, u32 number)
{
	(void)hit;
	(void)number;
	return 0;
}

static inline u64 kt_host_first_arg(const struct kt_hit *hit, u32 number)
{
	return kt_host_reg(hit, number);
}

static inline u64 kt_host_arg(const struct kt_hit *hit, u32 number)
{
	return kt_host_reg(hit, number);
}

static inline u64 kt_host_lean_arg(const struct pt_regs *regs, u32 number)
{
	(void)regs;
	(void)number;
	return 0;
}

static inline u64 kt_host_retval(const struct kt_hit *hit)
{
	return kt_host_reg(hit, 0);
}

static inline u64 kt_host_ip(const struct kt_hit *hit)
{
	return kt_host_reg(hit, 0);
}

static inline u64 kt_host_sp(const struct kt_hit *hit)
{
	return kt_host_reg(hit, 0);
}

static inline u32 kt_host_stack(const struct kt_hit *hit, u64 *frames, u32 room,
				bool user)
{
	(void)hit;
	(void)user;
	memset(frames, 0, room * sizeof(*frames));
	return 0;
}

#endif
