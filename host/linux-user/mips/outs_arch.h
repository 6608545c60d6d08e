/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * outs_arch.h - system calls that only MIPS has, of 64 bits, for outs.c.
 *
 * Owns: what they write.  pipe has its result in registers.
 */
#ifndef KP_USER_OUTS_ARCH_H
#define KP_USER_OUTS_ARCH_H

#define KP_OUTS_ROWS \
	{ SYS_getdents, { { 1, RESULT, 2 } } }, \
	{ SYS_readlink, { { 1, RESULT, 2 } } }, \
	{ SYS_stat, { { 1, BYTES, 144 } } }, \
	{ SYS_lstat, { { 1, BYTES, 144 } } }, \
	{ SYS_ustat, { { 1, BYTES, 32 } } }, \
	{ SYS_poll, { { 0, TIMES, TIMES_OF(8, 1) } } }, \
	{ SYS_epoll_wait, { { 1, TIMES, TIMES_OF(sizeof(struct epoll_event), 2) } } },

#define KP_OUTS_NOTHING \
	SYS_open, SYS_access, SYS_pipe, SYS_dup2, SYS_pause, SYS_alarm, \
	SYS_rename, SYS_mkdir, SYS_rmdir, SYS_creat, SYS_link, SYS_unlink, \
	SYS_symlink, SYS_chmod, SYS_chown, SYS_lchown, SYS_getpgrp, SYS_utime, \
	SYS_mknod, SYS_epoll_create, SYS_utimes, SYS_inotify_init, \
	SYS_futimesat, SYS_signalfd, SYS_eventfd, SYS_cacheflush, SYS_set_thread_area,

/* Of newer ones a request has the direction, here from the kernel, and the length: up to 63. */
#define KP_OUTS_TERMINAL(request) \
	((request) >> 8 == 0x54u || ((request) & 0xffc0ff00u) == 0x40007400u)

/* One that does the same, of those that all have. */
KP_TRAP_PATH static inline long kp_outs_alike(long nr)
{
	return nr == SYS__newselect ? SYS_pselect6 : nr;
}

/* Does it copy this memory, whatever its arguments? */
KP_TRAP_PATH static inline bool kp_outs_forks(long nr)
{
	return nr == SYS_fork;
}

#endif
