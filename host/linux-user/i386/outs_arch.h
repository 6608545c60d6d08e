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

#include "host.h"
#include "outs_32.h"

#define KP_OUTS_ROWS KP_OUTS_ROWS_32 \
	{ SYS_oldstat, { { 1, BYTES, 32 } } }, \
	{ SYS_oldlstat, { { 1, BYTES, 32 } } }, \
	{ SYS_oldfstat, { { 1, BYTES, 32 } } }, \
	{ SYS_olduname, { { 0, BYTES, 45 } } }, \
	{ SYS_oldolduname, { { 0, BYTES, 45 } } }, \
	{ SYS_time, { { 0, BYTES, 4 } } }, \
	{ SYS_waitpid, { { 1, BYTES, 4 } } }, \
	{ SYS_get_thread_area, { { 0, BYTES, 16 } } }, \
	{ SYS_set_thread_area, { { 0, BYTES, 16 } } }, \
	{ SYS_modify_ldt, { { 1, LEN, 2 } } },

#define KP_OUTS_NOTHING KP_OUTS_NOTHING_32 \
	SYS_alarm, SYS_utime, SYS_umount, SYS_stime, SYS_signal, SYS_sgetmask, \
	SYS_ssetmask, SYS_fadvise64_64,

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
