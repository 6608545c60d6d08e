/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * syscall.h - the instruction of a system call on i386.
 *
 * Owns: its registers, and which of several calls of the same name is meant: identities
 * are of 32 bits, a file's description and offsets of 64.  sys.h includes it and has the
 * rest.
 */
#ifndef KP_USER_SYSCALL_H
#define KP_USER_SYSCALL_H

/* What else has that name takes 16 bits, or a pointer to its arguments. */
SYS_INLINE long sys_nr(long nr)
{
	switch (nr) {
	case SYS_mmap:
		return SYS_mmap2;	/* the offset counts pages: 0, here */
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

/* The result as the kernel gives it: negative errno on failure. */
SYS_INLINE long sys6(long nr, long a, long b, long c, long d, long e, long f)
{
	long ret;

	__asm__ volatile("pushl %[f]\n\t"
			 "pushl %%ebp\n\t"
			 "movl 4(%%esp), %%ebp\n\t"
			 "int $0x80\n\t"
			 "popl %%ebp\n\t"
			 "leal 4(%%esp), %%esp"
			 : "=a"(ret)
			 : "0"(sys_nr(nr)), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e), [f] "im"(f)
			 : "memory");
	return ret;
}

#endif
