/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * outs_arch.h - system calls that only i386 has, for outs.c.
 *
 * Owns: what they write, and calls whose arguments lie in memory: socketcall, ipc, and the
 * oldest mmap and select.
 */
#ifndef KP_USER_OUTS_ARCH_H
#define KP_USER_OUTS_ARCH_H

/* Calls that outs.c names and that come by way of another one: no call has these numbers. */
#define SYS_accept 500
#define SYS_semop 501
#define SYS_semtimedop 502
/* By its other name. */
#define SYS_newfstatat SYS_fstatat64

/* Those with a longer time count as the older ones: where a length is fixed, it is theirs. */
#define KP_OUTS_ROWS \
	{ SYS_getdents, { { 1, RESULT, 2 } } }, \
	{ SYS_readlink, { { 1, RESULT, 2 } } }, \
	{ SYS_oldstat, { { 1, BYTES, 32 } } }, \
	{ SYS_oldlstat, { { 1, BYTES, 32 } } }, \
	{ SYS_oldfstat, { { 1, BYTES, 32 } } }, \
	{ SYS_stat, { { 1, BYTES, 64 } } }, \
	{ SYS_lstat, { { 1, BYTES, 64 } } }, \
	{ SYS_stat64, { { 1, BYTES, 96 } } }, \
	{ SYS_lstat64, { { 1, BYTES, 96 } } }, \
	{ SYS_fstat64, { { 1, BYTES, 96 } } }, \
	{ SYS_statfs64, { { 2, BYTES, 84 } } }, \
	{ SYS_fstatfs64, { { 2, BYTES, 84 } } }, \
	{ SYS_ustat, { { 1, BYTES, 32 } } }, \
	{ SYS_olduname, { { 0, BYTES, 45 } } }, \
	{ SYS_oldolduname, { { 0, BYTES, 45 } } }, \
	{ SYS_pipe, { { 0, BYTES, 8 } } }, \
	{ SYS_poll, { { 0, TIMES, TIMES_OF(8, 1) } } }, \
	{ SYS_epoll_wait, { { 1, TIMES, TIMES_OF(sizeof(struct epoll_event), 2) } } }, \
	{ SYS_time, { { 0, BYTES, 4 } } }, \
	{ SYS__llseek, { { 3, BYTES, 8 } } }, \
	{ SYS_sendfile64, { { 2, BYTES, 8 } } }, \
	{ SYS_ugetrlimit, { { 1, BYTES, 8 } } }, \
	{ SYS_waitpid, { { 1, BYTES, 4 } } }, \
	{ SYS_sigpending, { { 0, BYTES, 4 } } }, \
	{ SYS_getgroups32, { { 1, TIMES, TIMES_OF(4, 0) } } }, \
	{ SYS_getresuid32, { { 0, BYTES, 4 }, { 1, BYTES, 4 }, { 2, BYTES, 4 } } }, \
	{ SYS_getresgid32, { { 0, BYTES, 4 }, { 1, BYTES, 4 }, { 2, BYTES, 4 } } }, \
	{ SYS_get_thread_area, { { 0, BYTES, 16 } } }, \
	{ SYS_set_thread_area, { { 0, BYTES, 16 } } }, \
	{ SYS_modify_ldt, { { 1, LEN, 2 } } }, \
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

#define KP_OUTS_NOTHING \
	SYS_open, SYS_access, SYS_dup2, SYS_pause, SYS_alarm, SYS_vfork, \
	SYS_rename, SYS_mkdir, SYS_rmdir, SYS_creat, SYS_link, SYS_unlink, \
	SYS_symlink, SYS_chmod, SYS_chown, SYS_lchown, SYS_getpgrp, SYS_utime, \
	SYS_mknod, SYS_epoll_create, SYS_utimes, SYS_inotify_init, \
	SYS_futimesat, SYS_signalfd, SYS_eventfd, SYS_umount, SYS_stime, SYS_nice, \
	SYS_sigreturn, SYS_sigaction, SYS_signal, SYS_sigsuspend, SYS_sgetmask, \
	SYS_ssetmask, SYS_truncate64, SYS_ftruncate64, SYS_chown32, SYS_lchown32, \
	SYS_fchown32, SYS_getuid32, SYS_getgid32, SYS_geteuid32, SYS_getegid32, \
	SYS_setreuid32, SYS_setregid32, SYS_setgroups32, SYS_setresuid32, \
	SYS_setresgid32, SYS_setuid32, SYS_setgid32, SYS_setfsuid32, \
	SYS_setfsgid32, SYS_fadvise64_64, SYS_clock_settime64, SYS_utimensat_time64, \
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

/* socketcall's, from 1 on; 0: it is not listed. */
KP_TRAP_PATH static inline long kp_outs_of_socket(unsigned long number)
{
	static const uint16_t calls[] = {
		0, SYS_socket, SYS_bind, SYS_connect, SYS_listen, SYS_accept, SYS_getsockname,
		SYS_getpeername, SYS_socketpair, SYS_sendto, SYS_recvfrom, SYS_sendto,
		SYS_recvfrom, SYS_shutdown, SYS_setsockopt, SYS_getsockopt, SYS_sendmsg,
		SYS_recvmsg, SYS_accept4, SYS_recvmmsg, SYS_sendmmsg,
	};

	return number < sizeof(calls) / sizeof(calls[0]) ? calls[number] : 0;
}

#define KP_OUTS_RECV 10			/* has no address */

/* ipc's; the third argument is no part of it. */
KP_TRAP_PATH static inline long kp_outs_of_ipc(unsigned long number)
{
	switch (number & 0xffff) {
	case 1:
	case 4:
		return SYS_semtimedop;
	case 2:
		return SYS_semget;
	case 11:
		return SYS_msgsnd;
	case 13:
		return SYS_msgget;
	case 22:
		return SYS_shmdt;
	case 23:
		return SYS_shmget;
	}
	return 0;			/* who knows */
}

#define KP_OUTS_LEAD 1

/*
 * The call that it leads to, with that one's arguments; -1: it cannot be known.  Where they
 * lie in memory none of them can be another one: *fixed.
 */
KP_TRAP_PATH static inline long kp_outs_led_to(long nr, unsigned long args[6], bool *fixed)
{
	unsigned long number = args[0], at = nr == SYS_socketcall ? args[1] : args[0];
	unsigned int i;
	long call;

	nr = call = kp_call_alike(nr);
	*fixed = true;
	switch (nr) {
	case SYS_socketcall:
		call = kp_outs_of_socket(number);
		break;
	case SYS_ipc:
		call = kp_outs_of_ipc(number);
		return call ? call : -1;
	case SYS_mmap:
		break;
	case SYS_select:
		call = SYS_pselect6;
		break;
	default:
		*fixed = false;
		return nr;
	}
	/* How many there are differs; what is behind them may not be there. */
	for (i = 0; i < 6; i++)
		if (kp_host_data_read(at + i * sizeof(at), &args[i], sizeof(args[i])))
			args[i] = 0;
	if (nr == SYS_socketcall && number == KP_OUTS_RECV)
		args[4] = args[5] = 0;
	return call ? call : -1;
}

#endif
