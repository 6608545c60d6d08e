/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_host.h - trace programs in a kernel: the duties of vm/host.h.
 *
 * Owns: how a hit's registers, its task and memory are asked for.  Handlers run
 * with preemption off, so what is the current task's stays.
 *
 * No locks; any context of a handler.
 */
#ifndef KT_HOST_H
#define KT_HOST_H

#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <asm/ptrace.h>
#include "vm/host.h"
#include "vm/no_watch.h"		/* what a script names itself is a process's */

static inline u64 kt_stack_word(u64 at);
#include "kt_machine.h"

#define KT_HOST_REGS KT_MACHINE_REGS
_Static_assert(sizeof(struct pt_regs) >= KT_HOST_REGS * sizeof(long),
	       "registers are numbered as they lie in struct pt_regs");

/* unwind.c */
u32 kt_unwind_kernel(const struct kt_hit *hit, u64 *frames, u32 room);
u32 kt_unwind_user(u64 *frames, u32 room);

static inline u64 kt_host_nsecs(void)
{
	return ktime_get_mono_fast_ns();
}

static inline u32 kt_host_cpu(void)
{
	return raw_smp_processor_id();
}

static inline u32 kt_host_pid(void)
{
	return current->tgid;
}

static inline u32 kt_host_tid(void)
{
	return current->pid;
}

static inline u32 kt_host_uid(void)
{
	return __kuid_val(current_uid());
}

static inline u32 kt_host_gid(void)
{
	return __kgid_val(current_gid());
}

static inline u64 kt_host_curtask(void)
{
	return (unsigned long)current;
}

static inline u64 kt_host_cgroup(void)
{
#ifdef CONFIG_CGROUPS
	return cgroup_id(rcu_dereference_raw(current->cgroups)->dfl_cgrp);
#else
	return 0;
#endif
}

static inline void kt_host_comm(char name[16])
{
	_Static_assert(TASK_COMM_LEN == 16, "a name is copied as a whole");
	memcpy(name, current->comm, TASK_COMM_LEN);
	name[TASK_COMM_LEN - 1] = 0;
}

/*
 * A thread of the kernel has no memory of its own: it would read whoever's was used
 * last.  Not copy_from_user_nofault(): where copies are checked that takes a lock.
 */
static inline int kt_host_read_user(void *dst, u64 addr, u32 len)
{
	unsigned long left;

	if (!current->mm || addr >= TASK_SIZE_MAX || len > TASK_SIZE_MAX - addr)
		return -EFAULT;
	pagefault_disable();
	left = raw_copy_from_user(dst, (const void __user *)(unsigned long)addr, len);
	pagefault_enable();
	return left ? -EFAULT : 0;
}

/* Else each read of what is none is a fault that is fixed up. */
#ifndef kt_machine_may_be_memory
#define kt_machine_may_be_memory(addr) true
#endif

/*
 * Addresses that no page can have are refused here: of some of them the kernel thinks
 * that they may be tried, and warns.
 */
static inline int kt_host_read_kernel(void *dst, u64 addr, u32 len)
{
	if (addr < KT_MACHINE_KERNEL || addr > ULONG_MAX || len > -(unsigned long)addr ||
	    !kt_machine_may_be_memory(addr) || (len && !kt_machine_may_be_memory(addr + len - 1)))
		return -EFAULT;
	return copy_from_kernel_nofault(dst, (const void *)(unsigned long)addr, len);
}

static inline int kt_host_read(void *dst, u64 addr, u32 len, bool user)
{
	return user ? kt_host_read_user(dst, addr, len)
		    : kt_host_read_kernel(dst, addr, len);
}

/*
 * Piece by piece: what lies behind the string's end in a piece is on its page, so it
 * can be read, too.
 */
#define KT_STRING_PIECE 64u

static inline int kt_host_string(char *dst, u64 addr, u32 len, bool user)
{
	u32 at = 0, nr;
	char *end;

	while (at < len - 1) {
		nr = KT_STRING_PIECE - ((addr + at) & (KT_STRING_PIECE - 1));
		nr = min(nr, len - 1 - at);
		if (kt_host_read(dst + at, addr + at, nr, user)) {
			dst[at] = 0;
			return at ? (int)at : -EFAULT;
		}
		end = memchr(dst + at, 0, nr);
		if (end)
			return end - dst;
		at += nr;
	}
	dst[at] = 0;
	return at;
}

/* An argument's, or 0: where no function begins, there need be no memory. */
static inline u64 kt_stack_word(u64 at)
{
	unsigned long word;

	return kt_host_read_kernel(&word, at, sizeof(word)) ? 0 : word;
}

static inline u64 kt_host_reg(const struct kt_hit *hit, u32 number)
{
	return ((const unsigned long *)hit->regs)[number];
}

static inline u64 kt_host_first_arg(const struct kt_hit *hit, u32 number)
{
	return kt_machine_arg(hit->regs, number);
}

static inline u64 kt_host_arg(const struct kt_hit *hit, u32 number)
{
	u64 at;

	if (likely(number < KT_FROM_ARGS))
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
	return (unsigned long)regs_return_value(hit->regs);
}

/* A breakpoint's handlers find the address behind it in the registers. */
static inline u64 kt_host_ip(const struct kt_hit *hit)
{
	return hit->returns ? instruction_pointer(hit->regs) : hit->addr;
}

static inline u64 kt_host_sp(const struct kt_hit *hit)
{
	return kernel_stack_pointer(hit->regs);
}

static inline u32 kt_host_stack(const struct kt_hit *hit, u64 *frames, u32 room,
				bool user)
{
	if (!room)
		return 0;
	return user ? kt_unwind_user(frames, room)
		    : kt_unwind_kernel(hit, frames, room);
}

#endif
