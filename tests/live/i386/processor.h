/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * processor.h - what tests in a process have to know of i386.
 *
 * Owns: other values in vector registers, and in those that handlers are given; what a
 * jump begins with; and where a return address is.
 */
#ifndef KP_LIVE_PROCESSOR_H
#define KP_LIVE_PROCESSOR_H

#include <linux/kprobes.h>

#define LIVE_JUMPS 1			/* may take a breakpoint's place */
#define LIVE_ADD_ARG "add 4(%esp), %eax"	/* a function's first argument to its result */
#define VDSO_OBJECT "linux-gate.so.1"
#define VDSO_NAME "__vdso_clock_gettime"

/*
 * A return address stands on the stack: who looks there sees which call it is of, and
 * which calls are over.
 */
#define RETURNS_STAND 1

static inline void spoil_vectors(void)
{
	__asm__ volatile("pxor %xmm0,%xmm0; pxor %xmm1,%xmm1; pxor %xmm7,%xmm7; fninit");
}

static inline void spoil_regs(struct pt_regs *regs)
{
	regs->ax = 999;
	regs->dx = regs->bx = regs->bp = regs->si = regs->di = 0x1234;
	regs->flags |= 0x400;
}

static inline bool is_jump(const void *text)
{
	return *(const unsigned char *)text == 0xe9;
}

/* A system call that costs no trap: its number is in front of it. */
#define plain_call(nr, a, b)						\
({									\
	long result_;							\
									\
	__asm__ volatile("mov %1, %%eax; int $0x80" : "=&a"(result_)	\
			 : "i"(nr), "b"(a), "c"(b) : "memory");		\
	result_;							\
})

/* long keeps(void *at, long value): in two of those registers around a write there, added. */
#define KEEPS \
	"mov 4(%esp), %edx; mov 8(%esp), %eax; movd %eax, %xmm7; movd %eax, %xmm1\n" \
	"mov %eax, (%edx)\n" \
	"movd %xmm7, %eax; movd %xmm1, %ecx; add %ecx, %eax; ret"

/* The compiler uses no vector registers. */
#define STORE_USES
/* Calls for sockets are made by socketcall, whose arguments lie in memory. */
#define SOCKETS_BY_POINTER 1
/* A word is counted up, by its address in a register that is set before. */
#define STORES_ARGUMENT "mov 4(%esp), %eax"
#define STORES_COUNT "lock; incl (%eax)"
#include "../x86/writes.h"

#endif
