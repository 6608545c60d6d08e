/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * syscall.h - the instruction of a system call on x86-64.
 *
 * Owns: its registers.  sys.h includes it and has the rest.
 */
#ifndef KP_USER_SYSCALL_H
#define KP_USER_SYSCALL_H

/* The result as the kernel gives it: negative errno on failure. */
SYS_INLINE long sys6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8),
			   "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

#endif
