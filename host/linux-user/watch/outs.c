/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * outs.c - what a system call writes to the program's memory.
 *
 * Owns: what a call with its arguments writes: by the table (outs_table.c), or by itself where
 * it is not like others.  An inexact length is too long, never too short.
 *
 * Any context.
 */
#include "watch/outs.h"
#include "host.h"
#include "machine.h"
#include "outs_arch.h"
#include "freestanding/copy.h"
#include "signals/outs_table.h"
#include "watch/page_table.h"

#include <linux/futex.h>
#include <linux/prctl.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/shm.h>
#include <sys/socket.h>

#ifndef MADV_COLD
#define MADV_COLD 20
#endif

#ifndef KP_OUTS_LEAD
/* The call that it leads to: itself, with its arguments in registers. */
KP_TRAP_PATH static inline long kp_outs_led_to(long nr, unsigned long args[6], bool *fixed)
{
	(void)args;
	*fixed = false;
	return nr;
}
#endif

/* ---- one call ------------------------------------------------------------------------ */

struct list {
	struct kp_out *outs;
	int *nr;
	bool whole;			/* nothing had to be left out */
};

KP_TRAP_PATH static void add(struct list *list, uintptr_t addr, size_t len,
			     int arg, bool counts)
{
	if (!addr || !len)
		return;
	if (*list->nr == KP_OUTS_MAX)
		list->whole = false;
	else
		list->outs[(*list->nr)++] =
			(struct kp_out){ addr, len, arg, counts };
}

struct vector {
	uintptr_t base;
	size_t len;
};

/* Only those that are on a protected page. */
KP_TRAP_PATH static void add_vectors(struct list *list, uintptr_t at, size_t nr)
{
	struct vector one;

	for (; nr; nr--, at += sizeof(one)) {
		if (kp_host_data_read(at, &one, sizeof(one)))
			return;
		if (kp_user_page_next(NULL, one.base, one.len))
			add(list, one.base, one.len, -1, false);
	}
}

KP_TRAP_PATH static void add_message(struct list *list, uintptr_t at)
{
	struct msghdr m;

	if (kp_host_data_read(at, &m, sizeof(m)))
		return;
	if (kp_user_page_next(NULL, at, sizeof(m)))
		add(list, at, sizeof(m), -1, false);
	if (kp_user_page_next(NULL, (uintptr_t)m.msg_name, m.msg_namelen))
		add(list, (uintptr_t)m.msg_name, m.msg_namelen, -1, false);
	if (kp_user_page_next(NULL, (uintptr_t)m.msg_control, m.msg_controllen))
		add(list, (uintptr_t)m.msg_control, m.msg_controllen, -1, false);
	add_vectors(list, (uintptr_t)m.msg_iov, m.msg_iovlen);
}

#define MESSAGE_LEN sizeof(struct mmsghdr)

KP_TRAP_PATH static void add_messages(struct list *list, uintptr_t at, size_t nr)
{
	for (; nr; nr--, at += MESSAGE_LEN) {
		if (kp_user_page_next(NULL, at, MESSAGE_LEN))
			add(list, at, MESSAGE_LEN, -1, false);
		add_message(list, at);
	}
}

KP_TRAP_PATH static void add_row(struct list *list, const struct kp_outs_row *row,
				 const unsigned long args[6])
{
	uint32_t len = 0;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		unsigned long at = args[row->outs[i].arg];
		unsigned int n = row->outs[i].n;
		int arg = row->outs[i].arg;

		switch (row->outs[i].how) {
		case BYTES:
			add(list, at, n, arg, false);
			break;
		case LEN:
			/* Behind what may be listed before it. */
			add(list, at, args[n] + 8, arg, false);
			break;
		case RESULT:
			add(list, at, args[n], arg, true);
			break;
		case TIMES:
			add(list, at, (n >> 8) * (uint32_t)args[n & 0xff], arg,
			    false);
			break;
		case SOCKLEN:
			kp_host_data_read(args[n], &len, sizeof(len));
			add(list, at, len, arg, false);
			break;
		case VECTOR:
			add_vectors(list, at, args[n]);
			break;
		case MESSAGE:
			add_message(list, at);
			break;
		case MESSAGES:
			add_messages(list, at, (uint32_t)args[n]);
			break;
		}
	}
}

/* ---- those that are not like others ------------------------------------------------------- */

KP_TRAP_PATH static void add_sets(struct list *list, const unsigned long args[6])
{
	size_t len = ((uint32_t)args[0] + 63ul) / 64 * 8;

	add(list, args[1], len, 1, false);
	add(list, args[2], len, 2, false);
	add(list, args[3], len, 3, false);
	add(list, args[4], 16, 4, false);
}

/* By address it is known to others: it cannot be another one. */
KP_TRAP_PATH static void add_futex(struct list *list, const unsigned long args[6])
{
	switch (args[1] & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAKE:
	case FUTEX_WAIT_BITSET:
	case FUTEX_WAKE_BITSET:
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
		return;
	}
	add(list, args[0], 4, -1, false);
	add(list, args[4], 4, -1, false);
}

struct clone_args {
	uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack,
		stack_size, tls;
};

KP_TRAP_PATH static enum kp_outs clone3(struct list *list,
					const unsigned long args[6])
{
	struct clone_args clone;

	if (args[1] < sizeof(clone) ||
	    kp_host_data_read(args[0], &clone, sizeof(clone)))
		return KP_OUTS_KNOWN;
	add(list, clone.pidfd, 4, -1, false);
	add(list, clone.child_tid, 4, -1, false);
	add(list, clone.parent_tid, 4, -1, false);
	if (!(clone.flags & CLONE_VM))
		return KP_OUTS_FORK;
	add(list, clone.stack, clone.stack_size, -1, false);
	return KP_OUTS_MEMORY;
}

#define STACK_MAX (16ul << 20)

/* How long a stack is, this call does not say: what can be read below its end. */
KP_TRAP_PATH static size_t stack_below(uintptr_t end)
{
	size_t len = KP_ARCH_PAGE;
	uint8_t byte;

	if (!kp_user_page_next(NULL, end - STACK_MAX, STACK_MAX))
		return len;
	while (len < STACK_MAX && !kp_user_copy(&byte, (const void *)(end - len - 1), 1))
		len += KP_ARCH_PAGE;
	return len;
}

KP_TRAP_PATH static enum kp_outs clone_outs(struct list *list,
					    const unsigned long args[6])
{
	size_t len;

	add(list, args[2], 4, -1, false);
	add(list, args[KP_CLONE_CHILD_TID], 4, -1, false);
	if (!(args[0] & CLONE_VM))
		return KP_OUTS_FORK;
	if (args[1]) {
		len = stack_below(args[1]);
		add(list, args[1] - len, len, -1, false);
	}
	return KP_OUTS_MEMORY;
}

/* The kernel itself writes to such a stack, with each signal. */
KP_TRAP_PATH static enum kp_outs alt_stack(struct list *list,
					   const unsigned long args[6])
{
	stack_t stack;

	add(list, args[1], sizeof(stack), 1, false);
	if (!args[0] || kp_host_data_read(args[0], &stack, sizeof(stack)) ||
	    (stack.ss_flags & SS_DISABLE) ||
	    !kp_user_page_next(NULL, (uintptr_t)stack.ss_sp, stack.ss_size))
		return KP_OUTS_KNOWN;
	add(list, (uintptr_t)stack.ss_sp, stack.ss_size, -1, false);
	return KP_OUTS_MEMORY;
}

KP_TRAP_PATH static enum kp_outs advice(struct list *list,
					const unsigned long args[6])
{
	switch (args[2]) {
	case MADV_NORMAL:
	case MADV_RANDOM:
	case MADV_SEQUENTIAL:
	case MADV_WILLNEED:
	case MADV_HUGEPAGE:
	case MADV_NOHUGEPAGE:
	case MADV_DONTDUMP:
	case MADV_DODUMP:
	case MADV_COLD:
		return KP_OUTS_KNOWN;
	}
	add(list, args[0], args[1], -1, false);
	return KP_OUTS_MEMORY;
}

#ifndef KP_OUTS_TERMINAL
#define KP_OUTS_TERMINAL(request) ((request) >> 8 == 0x54u)
#endif

KP_TRAP_PATH static enum kp_outs request(struct list *list,
					 const unsigned long args[6])
{
	if (!KP_OUTS_TERMINAL((uint32_t)args[1]))
		return KP_OUTS_ANY;
	add(list, args[2], 64, 2, false);
	return KP_OUTS_KNOWN;
}

KP_TRAP_PATH static void add_lock(struct list *list, const unsigned long args[6])
{
	switch (args[1]) {
	case F_GETLK:
	case F_OFD_GETLK:
	case 16:			/* F_GETOWN_EX */
	case 1036:			/* F_GET_FILE_RW_HINT and its like */
	case 1037:
	case 1038:
	case 1039:
		add(list, args[2], 32, 2, false);
	}
}

KP_TRAP_PATH static enum kp_outs outs_of(long nr, const unsigned long args[6],
					 struct kp_out outs[KP_OUTS_MAX], int *outs_nr)
{
	struct list list = { outs, outs_nr, true };
	const struct kp_outs_row *row;
	long end;

	*outs_nr = 0;
	if (kp_outs_forks(nr))
		return KP_OUTS_FORK;
	switch (kp_outs_alike(nr)) {
	case SYS_pselect6:
		add_sets(&list, args);
		break;
	case SYS_futex:
		add_futex(&list, args);
		break;
	case SYS_fcntl:
		add_lock(&list, args);
		break;
	case SYS_ioctl:
		return request(&list, args);
	case SYS_clone:
		return clone_outs(&list, args);
	case SYS_NEWER(435):		/* clone3 */
		return clone3(&list, args);
	case SYS_sigaltstack:
		return alt_stack(&list, args);
	case SYS_munmap:
	case SYS_mprotect:
	case SYS_pkey_mprotect:
	case SYS_remap_file_pages:
		add(&list, args[0], args[1], -1, false);
		return KP_OUTS_MEMORY;
	case SYS_mmap:
		if (args[3] & MAP_FIXED)
			add(&list, args[0], args[1], -1, false);
		return KP_OUTS_MEMORY;
	case SYS_mremap:
		add(&list, args[0], args[1], -1, false);
		if (args[3] & MREMAP_FIXED)
			add(&list, args[4], args[2], -1, false);
		return KP_OUTS_MEMORY;
	case SYS_brk:
		end = sys3(SYS_brk, 0, 0, 0);
		if (args[0] && args[0] < (unsigned long)end)
			add(&list, args[0], (unsigned long)end - args[0], -1,
			    false);
		return KP_OUTS_MEMORY;
	case SYS_shmat:
		if (args[2] & SHM_REMAP)
			add(&list, args[1], 1ul << 30, -1, false);
		return KP_OUTS_MEMORY;
	case SYS_madvise:
		return advice(&list, args);
	case SYS_set_tid_address:
	case SYS_set_robust_list:
	case SYS_rseq:
		add(&list, args[0], 32, -1, false);
		return KP_OUTS_MEMORY;
	case SYS_exit:			/* robust.c */
		break;
	case SYS_io_setup:
	case SYS_NEWER(425):		/* io_uring_setup */
	case SYS_seccomp:
		return KP_OUTS_RING;
	case SYS_prctl:
		if (args[0] == PR_SET_SECCOMP)
			return KP_OUTS_RING;
		add(&list, args[1], 16, 1, false);
		break;
	default:
		row = kp_user_outs_row((unsigned long)nr);
		if (!row)
			return KP_OUTS_ANY;
		add_row(&list, row, args);
	}
	return list.whole ? KP_OUTS_KNOWN : KP_OUTS_ANY;
}

KP_TRAP_PATH enum kp_outs kp_user_outs(long nr, const unsigned long given[6],
				       struct kp_out outs[KP_OUTS_MAX],
				       int *outs_nr)
{
	unsigned long args[6];
	enum kp_outs kind;
	bool fixed;
	int i;

	memcpy(args, given, sizeof(args));
	nr = kp_outs_led_to(nr, args, &fixed);
	kind = outs_of(nr, args, outs, outs_nr);
	for (i = 0; fixed && i < *outs_nr; i++)
		outs[i].arg = -1;
	return kind;
}
