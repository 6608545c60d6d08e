/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * outs_table.c - what each system call writes to memory.
 *
 * Owns: the table.  Invariant: a listed call writes nothing but what the table says.  A call
 * that is not listed may write anything.  An inexact length is too long, never too short.
 *
 * Locks: none; filled once, before there is a protected page.
 */
#include "signals/outs_table.h"
#include "machine.h"
#include "outs_arch.h"

#include <sys/epoll.h>

#ifndef SYS_futex_waitv
#define SYS_futex_waitv SYS_NEWER(449)
#endif
#define NOTHING 0xff			/* no bytes at all */

static const struct kp_outs_row rows[] = {
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

const struct kp_outs_row kp_user_outs_nothing;

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

KP_TRAP_PATH const struct kp_outs_row *kp_user_outs_row(unsigned long nr)
{
	uint8_t row = nr - SYS_FIRST < sizeof(row_of) ? row_of[nr - SYS_FIRST] : 0;

	if (row == NOTHING)
		return &kp_user_outs_nothing;
	return row ? &rows[row - 1] : NULL;
}
