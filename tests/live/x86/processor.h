/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * processor.h - what tests in a process have to know of x86.
 *
 * Owns: other values in vector registers, and in those that handlers are given; what a
 * jump begins with; and where a return address is.
 */
#ifndef KP_LIVE_PROCESSOR_H
#define KP_LIVE_PROCESSOR_H

#include <linux/kprobes.h>

#define LIVE_JUMPS 1			/* may take a breakpoint's place */
#define LIVE_ADD_ARG "add %edi, %eax"	/* a function's first argument to its result */
#define VDSO_OBJECT "linux-vdso.so.1"
#define VDSO_NAME "__vdso_clock_gettime"

/*
 * A return address stands on the stack: who looks there sees which call it is of, and
 * which calls are over.
 */
#define RETURNS_STAND 1

static inline void spoil_vectors(void)
{
	__asm__ volatile("pxor %%xmm0,%%xmm0; pxor %%xmm1,%%xmm1;"
			 "pxor %%xmm7,%%xmm7; pxor %%xmm15,%%xmm15"
			 ::: "xmm0", "xmm1", "xmm7", "xmm15");
}

static inline void spoil_regs(struct pt_regs *regs)
{
	regs->ax = 999;
	regs->dx = regs->bx = regs->bp = regs->r12 = regs->r13 = 0x1234;
	regs->r14 = regs->r15 = 0x1234;
	regs->flags |= 0x400;
}

static inline bool is_jump(const void *text)
{
	return *(const unsigned char *)text == 0xe9;
}

/* A system call that costs no trap: syscall(2) is led aside by a jump. */
#define plain_call(nr, a, b) syscall(nr, a, b)

/* long keeps(void *at, long value): in two of those registers around a write there, added. */
#define KEEPS \
	"movq %rsi, %xmm7; movq %rsi, %xmm15\n" \
	"mov %rsi, (%rdi)\n" \
	"movq %xmm7, %rax; movq %xmm15, %rcx; add %rcx, %rax; ret"

/* What one instruction uses that is the compiler's, too. */
#define STORE_USES "xmm0",
#define SOCKETS_BY_POINTER 0	/* nor any call, but by registers */
/* A word is counted up, by its address in a register. */
#define STORES_ARGUMENT "nop"
#define STORES_COUNT "lock; incq (%rdi)"
#include "writes.h"

#endif
