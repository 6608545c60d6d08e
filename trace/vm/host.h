/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * host.h - what the virtual machine needs from its host.
 *
 * Owns: the duties, which bind at compile time.  Each host has a "kt_host.h" of its own in its
 * include path, which includes this file and defines them inline.  None may fault, sleep,
 * allocate or take a lock.  Each may be called from any context that a probe's handler has.
 */
#ifndef KT_HOST_DUTIES_H
#define KT_HOST_DUTIES_H

#include "vm.h"

/* Of the builtins of the same names. */
static inline u64 kt_host_nsecs(void);
static inline u32 kt_host_cpu(void);		/* only a hint: the thread may move */
static inline u32 kt_host_pid(void);
static inline u32 kt_host_tid(void);
static inline u32 kt_host_uid(void);
static inline u32 kt_host_gid(void);
static inline u64 kt_host_curtask(void);
static inline u64 kt_host_cgroup(void);
static inline void kt_host_comm(char name[16]);	/* with zeros at its end */

/* 0, or not 0 when it cannot be read; then dst may be partly written. */
static inline int kt_host_read(void *dst, u64 addr, u32 len, bool user);
/*
 * At most len - 1 characters and a 0.  How many characters; negative: it cannot be
 * read at all.
 */
static inline int kt_host_string(char *dst, u64 addr, u32 len, bool user);

/* hit->regs is not NULL. */
static inline u64 kt_host_reg(const struct kt_hit *hit, u32 number);
static inline u64 kt_host_arg(const struct kt_hit *hit, u32 number);
/* The same, number being below KT_FROM_ARGS. */
static inline u64 kt_host_first_arg(const struct kt_hit *hit, u32 number);
/* The same, in a handler that is to be lean (kprobe.filter). */
static inline u64 kt_host_lean_arg(const struct pt_regs *regs, u32 number);
static inline u64 kt_host_retval(const struct kt_hit *hit);
static inline u64 kt_host_ip(const struct kt_hit *hit);
static inline u64 kt_host_sp(const struct kt_hit *hit);
/* The frames of the stack, the probed place first; at most room, 0: none. */
static inline u32 kt_host_stack(const struct kt_hit *hit, u64 *frames, u32 room,
				bool user);

/*
 * From the return on len bytes at addr are watched, or false; and those that begin
 * there no more.
 */
static inline bool kt_host_watch(u64 addr, u64 len);
static inline void kt_host_unwatch(u64 addr);

/*
 * KT_HOST_REGS, a constant: kt_host_reg() can be asked for less.  They are numbered
 * as trace/ARCH/kt_regs.h says.
 */

#endif
