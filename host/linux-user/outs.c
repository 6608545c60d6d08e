/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * outs.c - what a system call writes to the program's memory.
 *
 * Owns: the table.  Invariant: a listed call writes nothing but what the table says.  A call
 * that is not listed may write anything.  An inexact length is too long, never too short.
 *
 * Any context.
 */
#include "pages.h"
#include "machine.h"
#include "outs_arch.h"

#include <linux/futex.h>
#include <linux/prctl.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/shm.h>
#include <sys/socket.h>

#ifndef SYS_futex_waitv
#define SYS_futex_waitv SYS_NEWER(449)
#endif
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

#define NOTHING 0xff			/* as the first how: no bytes at all */

enum how {
	END,
	BYTES,				/* n of them */
	LEN,				/* as many as argument n says */
	RESULT,				/* ditto, and of those as many as the result says */
	TIMES,				/* element size in the high byte, argument n */
	BITS,				/* as many as argument 0 says, in long words */
	SOCKLEN,			/* as argument n points at */
	VECTOR,				/* struct iovec, as many as argument n says */
	MESSAGE,			/* struct msghdr */
	MESSAGES,			/* struct mmsghdr, as many as argument n says */
};

struct row {
	uint16_t nr;
	struct {
		uint8_t arg, how;
		uint16_t n;
	} outs[3];
};

#define TIMES_OF(size, arg) ((size) << 8 | (arg))

static const struct row rows[] = {
	{ SYS_read, { { 1, RESULT, 2 } } },
	{ SYS_pread64, { { 1, RESULT, 2 } } },
	{ SYS_readv, { { 1, VECTOR, 2 } } },
	{ SYS_preadv, { { 1, VECTOR, 2 } } },
	{ SYS_preadv2, { { 1, VECTOR, 2 } } },
	{ SYS_process_vm_readv, { { 1, VECTOR, 2 } } },
	{ SYS_vmsplice, { { 1, VECTOR, 2 } } },
	{ SYS_recvfrom, { { 1, RESULT, 2 }, { 4, SOCKLEN, 5 }, { 5, BYTES, 4 } } },
	{ SYS_recvmsg, { { 1, MESSAGE, 0 } } },
	{ SYS_recvmmsg, { { 1, MESSAGES, 2 }, { 4, BYTES, 16 } } },
	{ SYS_sendmmsg, { { 1, MESSAGES, 2 } } },
	{ SYS_accept, { { 1, SOCKLEN, 2 }, { 2, BYTES, 4 } } },
	{ SYS_accept4, { { 1, SOCKLEN, 2 }, { 2, BYTES, 4 } } },
	{ SYS_getsockname, { { 1, SOCKLEN, 2 }, { 2, BYTES, 4 } } },
	{ SYS_getpeername, { { 1, SOCKLEN, 2 }, { 2, BYTES, 4 } } },
	{ SYS_getsockopt, { { 3, SOCKLEN, 4 }, { 4, BYTES, 4 } } },
	{ SYS_socketpair, { { 3, BYTES, 8 } } },
	{ SYS_sendfile, { { 2, BYTES, 8 } } },
	{ SYS_copy_file_range, { { 1, BYTES, 8 }, { 3, BYTES, 8 } } },
	{ SYS_splice, { { 1, BYTES, 8 }, { 3, BYTES, 8 } } },
	{ SYS_getdents64, { { 1, RESULT, 2 } } },
	{ SYS_readlinkat, { { 2, RESULT, 3 } } },
	{ SYS_getcwd, { { 0, RESULT, 1 } } },
	{ SYS_getxattr, { { 2, RESULT, 3 } } },
	{ SYS_lgetxattr, { { 2, RESULT, 3 } } },
	{ SYS_fgetxattr, { { 2, RESULT, 3 } } },
	{ SYS_listxattr, { { 1, RESULT, 2 } } },
	{ SYS_llistxattr, { { 1, RESULT, 2 } } },
	{ SYS_flistxattr, { { 1, RESULT, 2 } } },
	{ SYS_getrandom, { { 0, RESULT, 1 } } },
	{ SYS_syslog, { { 1, RESULT, 2 } } },
	{ SYS_getgroups, { { 1, TIMES, TIMES_OF(4, 0) } } },
	{ SYS_getresuid, { { 0, BYTES, 4 }, { 1, BYTES, 4 }, { 2, BYTES, 4 } } },
	{ SYS_getresgid, { { 0, BYTES, 4 }, { 1, BYTES, 4 }, { 2, BYTES, 4 } } },
	{ SYS_fstat, { { 1, BYTES, 144 } } },
	{ SYS_newfstatat, { { 2, BYTES, 144 } } },
	{ SYS_statx, { { 4, BYTES, 256 } } },
	{ SYS_statfs, { { 1, BYTES, 120 } } },
	{ SYS_fstatfs, { { 1, BYTES, 120 } } },
	{ SYS_pipe2, { { 0, BYTES, 8 } } },
	{ SYS_ppoll, { { 0, TIMES, TIMES_OF(8, 1) }, { 2, BYTES, 16 } } },
	{ SYS_epoll_pwait, { { 1, TIMES, TIMES_OF(sizeof(struct epoll_event), 2) } } },
	{ SYS_NEWER(441) /* epoll_pwait2 */, { { 1, TIMES, TIMES_OF(sizeof(struct epoll_event), 2) } } },
	{ SYS_clock_gettime, { { 1, BYTES, 16 } } },
	{ SYS_clock_getres, { { 1, BYTES, 16 } } },
	{ SYS_clock_adjtime, { { 1, BYTES, 208 } } },
	{ SYS_adjtimex, { { 0, BYTES, 208 } } },
	{ SYS_gettimeofday, { { 0, BYTES, 16 }, { 1, BYTES, 8 } } },
	{ SYS_times, { { 0, BYTES, 32 } } },
	{ SYS_nanosleep, { { 1, BYTES, 16 } } },
	{ SYS_clock_nanosleep, { { 3, BYTES, 16 } } },
	{ SYS_getitimer, { { 1, BYTES, 32 } } },
	{ SYS_setitimer, { { 2, BYTES, 32 } } },
	{ SYS_timer_create, { { 2, BYTES, 4 } } },
	{ SYS_timer_gettime, { { 1, BYTES, 32 } } },
	{ SYS_timer_settime, { { 3, BYTES, 32 } } },
	{ SYS_timerfd_gettime, { { 1, BYTES, 32 } } },
	{ SYS_timerfd_settime, { { 3, BYTES, 32 } } },
	{ SYS_getrusage, { { 1, BYTES, 144 } } },
	{ SYS_wait4, { { 1, BYTES, 4 }, { 3, BYTES, 144 } } },
	{ SYS_waitid, { { 2, BYTES, 128 }, { 4, BYTES, 144 } } },
	{ SYS_sysinfo, { { 0, BYTES, 112 } } },
	{ SYS_uname, { { 0, BYTES, 390 } } },
	{ SYS_getrlimit, { { 1, BYTES, 16 } } },
	{ SYS_prlimit64, { { 3, BYTES, 16 } } },
	{ SYS_getcpu, { { 0, BYTES, 4 }, { 1, BYTES, 4 } } },
	{ SYS_sched_getaffinity, { { 2, LEN, 1 } } },
	{ SYS_sched_getparam, { { 1, BYTES, 4 } } },
	{ SYS_sched_getattr, { { 1, LEN, 2 } } },
	{ SYS_sched_setattr, { { 1, BYTES, 4 } } },
	{ SYS_sched_rr_get_interval, { { 1, BYTES, 16 } } },
	{ SYS_capget, { { 0, BYTES, 8 }, { 1, BYTES, 24 } } },
	{ SYS_capset, { { 0, BYTES, 8 } } },
	{ SYS_rt_sigpending, { { 0, BYTES, sizeof(sys_sigset) } } },
	{ SYS_rt_sigtimedwait, { { 1, BYTES, 128 } } },
	{ SYS_get_robust_list, { { 1, BYTES, 8 }, { 2, BYTES, 8 } } },
	{ SYS_msgrcv, { { 1, BYTES, 8 }, { 1, LEN, 2 } } },
	{ SYS_mq_timedreceive, { { 1, RESULT, 2 }, { 3, BYTES, 4 } } },
	{ SYS_mq_getsetattr, { { 2, BYTES, 64 } } },
	{ SYS_shmctl, { { 2, BYTES, 128 } } },
	{ SYS_msgctl, { { 2, BYTES, 128 } } },
	KP_OUTS_ROWS
};

/* These write nothing, or what the engine does for them. */
static const uint16_t nothing[] = {
	SYS_write, SYS_close, SYS_lseek, SYS_pwrite64, SYS_writev,
	SYS_sched_yield, SYS_msync, SYS_dup, SYS_getpid, SYS_socket,
	SYS_connect, SYS_sendto, SYS_sendmsg, SYS_shutdown, SYS_bind,
	SYS_listen, SYS_setsockopt, SYS_execve, SYS_kill, SYS_semget,
	SYS_semop, SYS_shmget, SYS_shmdt, SYS_msgget, SYS_msgsnd, SYS_flock,
	SYS_fsync, SYS_fdatasync, SYS_truncate, SYS_ftruncate, SYS_chdir,
	SYS_fchdir, SYS_fchmod, SYS_fchown, SYS_umask, SYS_getuid, SYS_getgid,
	SYS_setuid, SYS_setgid, SYS_geteuid, SYS_getegid, SYS_setpgid,
	SYS_getppid, SYS_setsid, SYS_setreuid, SYS_setregid, SYS_setgroups,
	SYS_setresuid, SYS_setresgid, SYS_getpgid, SYS_setfsuid, SYS_setfsgid,
	SYS_getsid, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn,
	SYS_rt_sigqueueinfo, SYS_rt_sigsuspend, SYS_personality,
	SYS_getpriority, SYS_setpriority, SYS_sched_setparam,
	SYS_sched_setscheduler, SYS_sched_getscheduler,
	SYS_sched_get_priority_max, SYS_sched_get_priority_min, SYS_mlock,
	SYS_munlock, SYS_mlockall, SYS_munlockall, SYS_vhangup, SYS_setrlimit,
	SYS_chroot, SYS_sync, SYS_settimeofday, SYS_mount, SYS_umount2,
	SYS_sethostname, SYS_setdomainname, SYS_gettid, SYS_readahead,
	SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr,
	SYS_lremovexattr, SYS_fremovexattr, SYS_tkill, SYS_sched_setaffinity,
	SYS_semtimedop, SYS_fadvise64, SYS_timer_getoverrun, SYS_timer_delete,
	SYS_clock_settime, SYS_exit_group, SYS_epoll_ctl, SYS_tgkill, SYS_mbind,
	SYS_mq_open, SYS_mq_unlink, SYS_mq_timedsend, SYS_mq_notify,
	SYS_inotify_add_watch, SYS_inotify_rm_watch, SYS_openat, SYS_mkdirat,
	SYS_mknodat, SYS_fchownat, SYS_unlinkat, SYS_renameat, SYS_linkat,
	SYS_symlinkat, SYS_fchmodat, SYS_faccessat, SYS_tee,
	SYS_sync_file_range, SYS_utimensat, SYS_timerfd_create, SYS_fallocate,
	SYS_signalfd4, SYS_eventfd2, SYS_epoll_create1, SYS_dup3,
	SYS_inotify_init1, SYS_pwritev, SYS_rt_tgsigqueueinfo,
	SYS_fanotify_init, SYS_fanotify_mark, SYS_open_by_handle_at, SYS_syncfs,
	SYS_setns, SYS_process_vm_writev, SYS_kcmp, SYS_renameat2,
	SYS_memfd_create, SYS_execveat, SYS_membarrier, SYS_mlock2,
	SYS_pwritev2, SYS_unshare, SYS_restart_syscall, SYS_perf_event_open,
	SYS_NEWER(424) /* pidfd_send_signal */, SYS_NEWER(434) /* pidfd_open */,
	SYS_NEWER(436) /* close_range */, SYS_NEWER(437) /* openat2 */,
	SYS_NEWER(439) /* faccessat2 */,
	SYS_futex_waitv,
	KP_OUTS_NOTHING
};

/* Filled once, before there is a protected page. */
static uint8_t row_of[512];		/* by numbers from SYS_FIRST on: of rows, counted from 1; or NOTHING */

void kp_user_outs_init(void)
{
	size_t i;

	for (i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++)
		row_of[nothing[i] - SYS_FIRST] = NOTHING;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		row_of[rows[i].nr - SYS_FIRST] = (uint8_t)(i + 1);
}

KP_TRAP_PATH bool kp_user_outs_none(unsigned long nr)
{
	return nr - SYS_FIRST < sizeof(row_of) && row_of[nr - SYS_FIRST] == NOTHING;
}

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

KP_TRAP_PATH static void add_row(struct list *list, const struct row *row,
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
	uint8_t row;
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
		row = (unsigned long)nr - SYS_FIRST < sizeof(row_of) ? row_of[nr - SYS_FIRST] : 0;
		if (!row)
			return KP_OUTS_ANY;
		if (row != NOTHING)
			add_row(&list, &rows[row - 1], args);
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
