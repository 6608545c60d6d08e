/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_host.h - the machine that trace programs are tested on.
 *
 * Owns: a clock and a thread that a test sets, and a small memory, all else of
 * which cannot be read.
 */
#ifndef KT_HOST_H
#define KT_HOST_H

#include <string.h>

#include "vm/host.h"

#ifdef __aarch64__
#define KT_HOST_REGS 34
#elif defined(__riscv)
#define KT_HOST_REGS 32
#elif defined(__i386__) || defined(__arm__)
#define KT_HOST_REGS 17
#elif defined(__mips__)
#define KT_HOST_REGS 38
#else
#define KT_HOST_REGS 21
#endif

struct pt_regs {
	u64 r[KT_HOST_REGS];
};

extern u64 fake_nsecs;
extern __thread u32 fake_cpu;
/* What can be read begins at FAKE_AT. */
#define FAKE_AT 0x10000u
#define FAKE_LEN 4096u
extern u8 fake_memory[FAKE_LEN];

static inline u64 kt_host_nsecs(void) { return fake_nsecs; }
static inline u32 kt_host_cpu(void) { return fake_cpu; }
static inline u32 kt_host_pid(void) { return 1001; }
static inline u32 kt_host_tid(void) { return 1002; }
static inline u32 kt_host_uid(void) { return 1003; }
static inline u32 kt_host_gid(void) { return 1004; }
static inline u64 kt_host_curtask(void) { return 1005; }
static inline u64 kt_host_cgroup(void) { return 1006; }

static inline void kt_host_comm(char name[16])
{
	memcpy(name, "a-thread\0\0\0\0\0\0\0\0", 16);
}

static inline int kt_host_read(void *dst, u64 addr, u32 len, bool user)
{
	u64 at = addr - FAKE_AT;

	if (!user && at < FAKE_LEN / 2)
		return -1;
	if (at > FAKE_LEN || len > FAKE_LEN - at)
		return -1;
	memcpy(dst, fake_memory + at, len);
	return 0;
}

static inline int kt_host_string(char *dst, u64 addr, u32 len, bool user)
{
	u32 nr;

	for (nr = 0; nr < len - 1; nr++) {
		if (kt_host_read(dst + nr, addr + nr, 1, user))
			return nr ? (int)nr : -1;
		if (!dst[nr])
			return (int)nr;
	}
	dst[nr] = 0;
	return (int)nr;
}

static inline u64 kt_host_reg(const struct kt_hit *hit, u32 number)
{
	return hit->regs->r[number];
}

static inline u64 kt_host_first_arg(const struct kt_hit *hit, u32 number)
{
	return hit->regs->r[number];
}

static inline u64 kt_host_arg(const struct kt_hit *hit, u32 number)
{
	return number < KT_FROM_ARGS ? kt_host_first_arg(hit, number) : 0;
}

static inline u64 kt_host_lean_arg(const struct pt_regs *regs, u32 number)
{
	return regs->r[number];
}

static inline u64 kt_host_retval(const struct kt_hit *hit)
{
	return hit->regs->r[10];
}

static inline u64 kt_host_ip(const struct kt_hit *hit)
{
	return hit->regs->r[16];
}

static inline u64 kt_host_sp(const struct kt_hit *hit)
{
	return hit->regs->r[19];
}

/* As many frames as register 0 says, each one more than the last. */
static inline u32 kt_host_stack(const struct kt_hit *hit, u64 *frames, u32 room,
				bool user)
{
	u32 nr = (u32)hit->regs->r[0], i;

	nr = nr < room ? nr : room;
	for (i = 0; i < nr; i++)
		frames[i] = hit->regs->r[1] + i + user;
	return nr;
}

/* Addresses below 0x1000 cannot be watched. */
extern u64 fake_watched_at, fake_watched_len;

static inline bool kt_host_watch(u64 addr, u64 len)
{
	if (addr < 0x1000)
		return false;
	fake_watched_at = addr;
	fake_watched_len = len;
	return true;
}

static inline void kt_host_unwatch(u64 addr)
{
	if (fake_watched_at == addr)
		fake_watched_at = fake_watched_len = 0;
}

#endif
