/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * syscall.h - the instruction of a system call on arm.
 *
 * Owns: its registers, and which of several calls of the same name is meant: a file's
 * description and offsets are of 64 bits, identities of 32 without a name of their own.
 * sys.h includes it and has the rest.
 */
#ifndef KP_USER_SYSCALL_H
#define KP_USER_SYSCALL_H

#define SYS_mmap SYS_mmap2		/* the offset counts pages: 0, here */

SYS_INLINE long sys_nr(long nr)
{
	switch (nr) {
	case SYS_fstat:
		return SYS_fstat64;
	case SYS_getuid:
		return SYS_getuid32;
	case SYS_geteuid:
		return SYS_geteuid32;
	case SYS_getresuid:
		return SYS_getresuid32;
	case SYS_getresgid:
		return SYS_getresgid32;
	case SYS_setresuid:
		return SYS_setresuid32;
	case SYS_setresgid:
		return SYS_setresgid32;
	}
	return nr;
}

/*
 * The result as the kernel gives it: negative errno on failure.  A value of 64 bits, an
 * offset that is given as one of 32, has two registers from an even one on.
 */
SYS_INLINE long sys6(long nr, long a, long b, long c, long d, long e, long f)
{
	const bool offset = nr == SYS_pread64 || nr == SYS_pwrite64;
	register long r7 __asm__("r7") = sys_nr(nr);
	register long r0 __asm__("r0") = a;
	register long r1 __asm__("r1") = b;
	register long r2 __asm__("r2") = c;
	register long r3 __asm__("r3") = offset ? 0 : d;
	register long r4 __asm__("r4") = offset ? d : e;
	register long r5 __asm__("r5") = offset ? 0 : f;

	__asm__ volatile("svc #0"
			 : "+r"(r0)
			 : "r"(r7), "r"(r1), "r"(r2), "r"(r3), "r"(r4), "r"(r5)
			 : "memory");
	return r0;
}

#endif
