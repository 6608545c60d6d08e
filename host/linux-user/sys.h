/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sys.h - system calls without the C library.
 *
 * Owns: the raw call and the kernel's own structures, but for what it is told of a signal's
 * handler (machine.h).  The trap path may
 * interrupt any function of the C library, and any of them may be probed, so
 * nothing here calls one, touches errno or is a cancellation point.
 */
#ifndef KP_USER_SYS_H
#define KP_USER_SYS_H

#include "env.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

#define SYS_INLINE static inline __attribute__((always_inline))

#include "syscall.h"

/* Calls that came since 2019 have the same number everywhere, counted from the first. */
#ifndef SYS_FIRST
#define SYS_FIRST 0
#endif
#define SYS_NEWER(nr) (SYS_FIRST + (nr))

#define sys3(nr, a, b, c) sys6(nr, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define sys4(nr, a, b, c, d) \
	sys6(nr, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

SYS_INLINE bool sys_failed(long ret)
{
	return (unsigned long)ret > -4096ul;
}

SYS_INLINE int sys_gettid(void)
{
	return (int)sys3(SYS_gettid, 0, 0, 0);
}

SYS_INLINE int sys_getpid(void)
{
	return (int)sys3(SYS_getpid, 0, 0, 0);
}

SYS_INLINE void *sys_mmap(void *at, size_t len, int prot, int flags, int fd)
{
	long ret = sys6(SYS_mmap, (long)at, (long)len, prot, flags, fd, 0);

	return sys_failed(ret) ? NULL : (void *)ret;
}

SYS_INLINE void sys_sleep_us(long us)
{
	struct timespec ts = { us / 1000000, us % 1000000 * 1000 };

	sys3(SYS_nanosleep, &ts, 0, 0);
}

SYS_INLINE long sys_open(const char *path, int flags)
{
	return sys4(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0);
}

SYS_INLINE void sys_close(long fd)
{
	sys3(SYS_close, fd, 0, 0);
}

/* Linux has one struct stat for the call and for the C library, but for some processors. */
#ifndef SYS_FSTAT
SYS_INLINE long sys_fstat(long fd, struct stat *st)
{
	return sys3(SYS_fstat, fd, st, 0);
}
#endif

/* The decimal number that s begins with; 0: none. */
SYS_INLINE int sys_number(const char *s)
{
	int n = 0;

	for (; *s >= '0' && *s <= '9'; s++)
		n = n * 10 + (*s - '0');
	return n;
}

/* The same in hexadecimal, in *value; the rest of s. */
SYS_INLINE const char *sys_hex(const char *s, uintptr_t *value)
{
	for (*value = 0;; s++) {
		if (*s >= '0' && *s <= '9')
			*value = *value * 16 + (uintptr_t)(*s - '0');
		else if (*s >= 'a' && *s <= 'f')
			*value = *value * 16 + (uintptr_t)(*s - 'a' + 10);
		else
			return s;
	}
}

/* Signals as the kernel numbers bits, in words; who has more says so in syscall.h. */
#ifndef SYS_SIGNALS
#define SYS_SIGNALS 64
typedef uint64_t __attribute__((aligned(sizeof(long)))) sys_sigset;
#define SYS_SIG(sig) ((sys_sigset)1 << ((sig) - 1))

SYS_INLINE bool sys_any(sys_sigset set)
{
	return set;
}

/* The first 64 of them; and a set that has those alone. */
SYS_INLINE uint64_t sys_first(sys_sigset set)
{
	return set;
}

SYS_INLINE sys_sigset sys_set_of(uint64_t first)
{
	return first;
}
#endif

SYS_INLINE long sys_sigprocmask(int how, const sys_sigset *set, sys_sigset *old)
{
	return sys4(SYS_rt_sigprocmask, how, set, old, sizeof(sys_sigset));
}

#endif
