/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * outs_32.h - system calls of words of 32 bits, for outs.c: what i386 and arm have of them.
 *
 * Owns: what they write.  It is a part of outs_arch.h.
 */
#ifndef KP_USER_OUTS_32_H
#define KP_USER_OUTS_32_H

/* By its other name. */
#define SYS_newfstatat SYS_fstatat64

/* Those with a longer time count as the older ones: where a length is fixed, it is theirs. */
#define KP_OUTS_ROWS_32 \
	{ SYS_getdents, { { 1, RESULT, 2 } } }, \
	{ SYS_readlink, { { 1, RESULT, 2 } } }, \
	{ SYS_stat, { { 1, BYTES, 64 } } }, \
	{ SYS_lstat, { { 1, BYTES, 64 } } }, \
	{ SYS_stat64, { { 1, BYTES, 104 } } }, \
	{ SYS_lstat64, { { 1, BYTES, 104 } } }, \
	{ SYS_fstat64, { { 1, BYTES, 104 } } }, \
	{ SYS_statfs64, { { 2, BYTES, 88 } } }, \
	{ SYS_fstatfs64, { { 2, BYTES, 88 } } }, \
	{ SYS_ustat, { { 1, BYTES, 32 } } }, \
	{ SYS_pipe, { { 0, BYTES, 8 } } }, \
	{ SYS_poll, { { 0, TIMES, TIMES_OF(8, 1) } } }, \
	{ SYS_epoll_wait, { { 1, TIMES, TIMES_OF(sizeof(struct epoll_event), 2) } } }, \
	{ SYS__llseek, { { 3, BYTES, 8 } } }, \
	{ SYS_sendfile64, { { 2, BYTES, 8 } } }, \
	{ SYS_ugetrlimit, { { 1, BYTES, 8 } } }, \
	{ SYS_sigpending, { { 0, BYTES, 4 } } }, \
	{ SYS_getgroups32, { { 1, TIMES, TIMES_OF(4, 0) } } }, \
	{ SYS_getresuid32, { { 0, BYTES, 4 }, { 1, BYTES, 4 }, { 2, BYTES, 4 } } }, \
	{ SYS_getresgid32, { { 0, BYTES, 4 }, { 1, BYTES, 4 }, { 2, BYTES, 4 } } }, \
	{ SYS_clock_gettime64, { { 1, BYTES, 16 } } }, \
	{ SYS_clock_getres_time64, { { 1, BYTES, 16 } } }, \
	{ SYS_clock_nanosleep_time64, { { 3, BYTES, 16 } } }, \
	{ SYS_clock_adjtime64, { { 1, BYTES, 208 } } }, \
	{ SYS_timer_gettime64, { { 1, BYTES, 32 } } }, \
	{ SYS_timer_settime64, { { 3, BYTES, 32 } } }, \
	{ SYS_timerfd_gettime64, { { 1, BYTES, 32 } } }, \
	{ SYS_timerfd_settime64, { { 3, BYTES, 32 } } }, \
	{ SYS_sched_rr_get_interval_time64, { { 1, BYTES, 16 } } }, \
	{ SYS_recvmmsg_time64, { { 1, MESSAGES, 2 }, { 4, BYTES, 16 } } }, \
	{ SYS_mq_timedreceive_time64, { { 1, RESULT, 2 }, { 3, BYTES, 4 } } },

#define KP_OUTS_NOTHING_32 \
	SYS_open, SYS_access, SYS_dup2, SYS_pause, SYS_vfork, SYS_rename, \
	SYS_mkdir, SYS_rmdir, SYS_creat, SYS_link, SYS_unlink, SYS_symlink, \
	SYS_chmod, SYS_chown, SYS_lchown, SYS_getpgrp, SYS_mknod, \
	SYS_epoll_create, SYS_utimes, SYS_inotify_init, SYS_futimesat, \
	SYS_signalfd, SYS_eventfd, SYS_nice, SYS_sigreturn, SYS_sigaction, \
	SYS_sigsuspend, SYS_truncate64, SYS_ftruncate64, SYS_chown32, \
	SYS_lchown32, SYS_fchown32, SYS_getuid32, SYS_getgid32, SYS_geteuid32, \
	SYS_getegid32, SYS_setreuid32, SYS_setregid32, SYS_setgroups32, \
	SYS_setresuid32, SYS_setresgid32, SYS_setuid32, SYS_setgid32, \
	SYS_setfsuid32, SYS_setfsgid32, SYS_clock_settime64, SYS_utimensat_time64, \
	SYS_semtimedop_time64, SYS_mq_timedsend_time64,

/* One that does the same, of those that all have. */
KP_TRAP_PATH static inline long kp_outs_alike(long nr)
{
	switch (nr) {
	case SYS__newselect:
		return SYS_pselect6;
	case SYS_futex_time64:
		return SYS_futex;
	case SYS_fcntl64:
		return SYS_fcntl;
	case SYS_mmap2:
		return SYS_mmap;
	}
	return nr;
}

/* Does it copy this memory, whatever its arguments? */
KP_TRAP_PATH static inline bool kp_outs_forks(long nr)
{
	return nr == SYS_fork;
}

#endif
