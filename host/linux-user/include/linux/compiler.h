/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * linux/compiler.h - compiler markers, for probe modules in a process.
 *
 * Owns: the names; all of them map to what the compiler offers.
 */
#ifndef KP_SHIM_LINUX_COMPILER_H
#define KP_SHIM_LINUX_COMPILER_H

#include <sys/cdefs.h>

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

#define barrier()	__asm__ volatile("" : : : "memory")
#define READ_ONCE(x)	(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, value) \
	do { *(volatile __typeof__(x) *)&(x) = (value); } while (0)

#define __user
#define __kernel
#define __iomem
#define __percpu
#define __rcu
#define __force
#define __read_mostly
#define asmlinkage
#define notrace		__attribute__((no_instrument_function))
#undef noinline			/* the word may be used in an attribute */
#define noinline	__attribute__((__noinline__))
#undef __always_inline
#define __always_inline	inline __attribute__((__always_inline__))
#define __maybe_unused	__attribute__((__unused__))
#define __used		__attribute__((__used__))
#define __packed	__attribute__((__packed__))
#define __aligned(n)	__attribute__((__aligned__(n)))
#define __weak		__attribute__((__weak__))
#define __printf(a, b)	__attribute__((__format__(__printf__, a, b)))

#endif
