/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * syscall.h - the instruction of a system call on MIPS.
 *
 * Owns: its registers, and which of several calls of the same name is meant: a file's
 * description and offsets are of 64 bits.  On 32 bits arguments from the fifth on stand on
 * the stack, and one of 64 bits in a pair of words that begins at an even one.  sys.h
 * includes it and has the rest.
 */
#ifndef KP_USER_SYSCALL_H
#define KP_USER_SYSCALL_H

#include "many_signals.h"

#ifdef __mips64
#define SYS_FIRST 5000
#else
#define SYS_FIRST 4000
#endif

#if __mips_isa_rev < 6
#define SYS_CHANGES "hi", "lo", "memory"
#else
#define SYS_CHANGES "memory"
#endif

/* The result as the kernel gives it elsewhere: negative errno on failure. */
SYS_INLINE long sys_args(long nr, long a, long b, long c, long d, long e, long f)
{
	register long v0 __asm__("$2") = nr;
	register long a0 __asm__("$4") = a;
	register long a1 __asm__("$5") = b;
	register long a2 __asm__("$6") = c;
	register long a3 __asm__("$7") = d;
#ifdef __mips64
	register long a4 __asm__("$8") = e;
	register long a5 __asm__("$9") = f;

	__asm__ volatile("syscall"
			 : "+r"(v0), "+r"(a3), "+r"(a4), "+r"(a5)
			 : "r"(a0), "r"(a1), "r"(a2)
			 : "$1", "$3", "$10", "$11", "$12", "$13", "$14", "$15", "$24", "$25",
			   SYS_CHANGES);
#else
	__asm__ volatile("subu $29, $29, 32\n\t"
			 "sw %[e], 16($29)\n\t"
			 "sw %[f], 20($29)\n\t"
			 "syscall\n\t"
			 "addiu $29, $29, 32"
			 : "+r"(v0), "+r"(a3)
			 : "r"(a0), "r"(a1), "r"(a2), [e] "r"(e), [f] "r"(f)
			 : "$1", "$3", "$8", "$9", "$10", "$11", "$12", "$13", "$14", "$15",
			   "$24", "$25", SYS_CHANGES);
#endif
	return a3 ? -v0 : v0;
}

SYS_INLINE long sys6(long nr, long a, long b, long c, long d, long e, long f)
{
#ifndef __mips64
	if (nr == SYS_fstat)
		nr = SYS_fstat64;
	else if (nr == SYS_pread64 || nr == SYS_pwrite64)
		return sys_args(nr, a, b, c, 0, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 0 : d,
				__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? d : 0);
#endif
	return sys_args(nr, a, b, c, d, e, f);
}

#ifdef __mips64
/* The C library's description of a file is another one than the call's. */
#define SYS_FSTAT
SYS_INLINE long sys_fstat(long fd, struct stat *st)
{
	struct {
		uint32_t dev, pad[3];
		uint64_t ino;
		uint32_t mode, nlink, uid, gid, rdev, pad_too[3];
		int64_t size;
		uint64_t rest[12];
	} as_told;
	long err = sys6(SYS_fstat, fd, (long)&as_told, 0, 0, 0, 0);

	if (err)
		return err;
	st->st_dev = as_told.dev;
	st->st_ino = as_told.ino;
	st->st_mode = as_told.mode;
	st->st_nlink = as_told.nlink;
	st->st_size = as_told.size;
	return 0;
}
#endif

#endif
