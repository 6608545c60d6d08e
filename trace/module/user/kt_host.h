/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_host.h - the duties of vm/host.h, in a process.
 *
 * Owns: who executes, where, when, and what its memory holds; without the C
 * library, which may be probed, or interrupted by the very hit.
 */
#ifndef KT_HOST_H
#define KT_HOST_H

#include "host.h"
#include "objects.h"
#include "process.h"

#include <kprobes/pt_regs.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <kprobes/process.h>
#include <sys/rseq.h>

static inline u64 kt_stack_word(u64 at);
#include "kt_machine.h"
#include "kt_process.h"
#include "kt_process_regs.h"

#define KT_HOST_REGS (sizeof(struct pt_regs) / sizeof(long))

static inline u64 kt_host_nsecs(void)
{
	return ktime_get_ns();
}

/*
 * The C library keeps it where the kernel writes it; otherwise the processor says it.
 */
static inline u32 kt_host_cpu(void)
{
	const struct rseq *area;
	u32 cpu = 0;

	if (kt_process_rseq) {
		area = (const void *)((char *)__builtin_thread_pointer() + kt_process_rseq);
		cpu = *(const volatile u32 *)&area->cpu_id_start;
	} else {
		cpu = kt_processor();
	}
	return cpu & 0xfff;
}

static inline u32 kt_host_pid(void)
{
	u32 pid = (u32)(kp_process_ids() >> 32);

	/* A child by fork has a number of its own. */
	return pid == kt_process_inner ? kt_process_outer : pid;
}

static inline u32 kt_host_tid(void)
{
	return (u32)kp_process_ids();
}

static inline u32 kt_host_uid(void)
{
	return kt_process_uid();
}

static inline u32 kt_host_gid(void)
{
	return kt_process_gid();
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
	kp_process_name(name);
}

static inline int kt_host_read(void *dst, u64 addr, u32 len, bool user)
{
	(void)user;
	return kp_copy_nofault(dst, (const void *)(unsigned long)addr, len);
}

static inline int kt_host_string(char *dst, u64 addr, u32 len, bool user)
{
	(void)user;
	return kt_process_string(dst, addr, len);
}

/* An argument's, or 0: where no function begins, there need be no memory. */
static inline u64 kt_stack_word(u64 at)
{
	unsigned long word = 0;

	kp_copy_nofault(&word, (const void *)(unsigned long)at, sizeof(word));
	return word;
}

static inline u64 kt_host_reg(const struct kt_hit *hit, u32 number)
{
	return ((const unsigned long *)hit->regs)[number];
}

static inline u64 kt_host_first_arg(const struct kt_hit *hit, u32 number)
{
	return kt_machine_arg(hit->regs, number);
}

/* At a function's entry: those behind the last register are on the stack. */
static inline u64 kt_host_arg(const struct kt_hit *hit, u32 number)
{
	u64 at;

	if (number < KT_FROM_ARGS)
		return kt_host_first_arg(hit, number);
	at = kt_machine_stack_arg(hit->regs, number);
	if (!at)
		return kt_machine_late_arg(hit->regs, number);
	return kt_stack_word(at);
}

static inline u64 kt_host_lean_arg(const struct pt_regs *regs, u32 number)
{
	return kt_machine_lean_arg(regs, number);
}

static inline u64 kt_host_retval(const struct kt_hit *hit)
{
	return regs_return_value(hit->regs);
}

static inline u64 kt_host_ip(const struct kt_hit *hit)
{
	return kt_regs_ip(hit->regs);
}

static inline u64 kt_host_sp(const struct kt_hit *hit)
{
	return user_stack_pointer(hit->regs);
}

static inline u32 kt_host_stack(const struct kt_hit *hit, u64 *frames, u32 room,
				bool user)
{
	return user ? kt_process_stack(hit, frames, room) : 0;
}

static inline bool kt_host_watch(u64 addr, u64 len)
{
	return kt_objects_watch(addr, len);
}

static inline void kt_host_unwatch(u64 addr)
{
	kt_objects_unwatch(addr);
}

#endif
