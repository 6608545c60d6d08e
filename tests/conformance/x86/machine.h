/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine.h - the suite's x86-64: registers, and where instructions of targets.S are.
 *
 * Owns: what a rule test may know of the processor.
 */
#ifndef KP_CONFORMANCE_MACHINE_H
#define KP_CONFORMANCE_MACHINE_H

#include "machine_x86.h"

#define T_ADD_SECOND 0x48
#define T_ADD_THIRD 0x48
#define T_WIDE_SECOND 0x48
#define T_SUM_SECOND 0x48
#define T_UNDECODABLE_NEXT 2

static inline void t_set_arg0(struct pt_regs *regs, unsigned long value)
{
	regs->di = value;
}

/* The same where a function has them in registers: t_add, t_load. */
#define t_held(r, n) t_arg(r, n)
#define t_set_held(r, value) t_set_arg0(r, value)

/* Where t_wide puts its 5. */
#define T_WIDE_FIVE(r) ((r).ax)

/* What intact.c looks at: general registers, words of the red zone; and it changes all. */
#define T_INTACT_GPRS 16
#define T_INTACT_RED 16
static inline void t_scribble(void)
{
	__asm__ volatile("mov $-1, %%eax\n	mov %%rax, %%rcx\n"
			 "	mov %%rax, %%rdx\n	mov %%rax, %%rbx\n"
			 "	mov %%rax, %%rsi\n	mov %%rax, %%rdi\n"
			 "	mov %%rax, %%r8\n	mov %%rax, %%r9\n"
			 "	mov %%rax, %%r10\n	mov %%rax, %%r11\n"
			 "	mov %%rax, %%r12\n	mov %%rax, %%r13\n"
			 "	mov %%rax, %%r14\n	mov %%rax, %%r15\n"
			 "	add $1, %%rax"
			 ::: "rax", "rcx", "rdx", "rbx", "rsi", "rdi", "r8",
			 "r9", "r10", "r11", "r12", "r13", "r14", "r15", "cc",
			 "memory");
}

#define T_JUMP_RET 10

#define T_BY_REGISTER			/* how a function gets its argument: usual */

#define T_ADD_LEA_NAME "t_add+0x4"

/* Of a signal's handler: the instruction pointer. */
#define t_uc_ip(uc) ((uc)->uc_mcontext.gregs[REG_RIP])

/* Instructions with an operand at a 32-bit address. */
#define T_SHORT_ADDRESSES 1

static inline unsigned long t_ticks(void)
{
	return __builtin_ia32_rdtsc();
}

/* Instructions that are refused, and with which errno; 0: any. */
void t_ud2(void), t_intn(void), t_lret(void), t_farjmp(void), t_farcall(void);
void t_movss(void), t_vmcall(void), t_xen(void), t_kvm(void), t_mwait(void);
void t_cli(void);
long t_jump_67(long *fn);		/* 0 nop  1 jmp *(%edi) */
#define T_REFUSED(R)							\
	R(-EINVAL, "K-XI-11", "forced emulation, Xen's", t_xen)		\
	R(-EINVAL, "K-XI-11", "forced emulation, KVM's", t_kvm)		\
	R(0, "K-XI-01", "int3", t_int3)					\
	R(0, "K-XI-02", "ud2", t_ud2)					\
	R(0, "K-XI-02", "int n", t_intn)				\
	R(0, "K-XI-03", "iretq", t_iretq)				\
	R(0, "K-XI-05", "far jump through memory", t_farjmp)		\
	R(0, "K-XI-05", "far call through memory", t_farcall)		\
	R(0, "K-XI-08", "vmcall", t_vmcall)				\
	R(0, "K-XI-09", "mov to ss", t_movss)				\
	R(0, "K-XI-13", "an opcode that does not exist", t_badop)	\
	R(0, "K-XI-29", "far return", t_lret)
#define T_REFUSED_IN_KERNEL(R)						\
	R(0, "K-XI-14", "hlt", t_hlt)					\
	R(0, "K-XI-14", "mwait", t_mwait)

/* instructions.S has more than so many. */
#define T_INSTRUCTIONS 80

static inline unsigned long t_flags_now(void)
{
	unsigned long flags;

	__asm__ volatile("pushfq; pop %0" : "=r"(flags));
	return flags;
}

#define T_ADD_LEA 4
#define T_ADD_POP 8
#define T_ADD_RET 9
#define T_LOAD_RET 3
#define T_POKE_RET 7
#define T_JUMP_JZ 3
#define T_JUMP_MOV 5
#define T_CALLS_MOV 1
#define T_RELATIVE_LOAD 1
#define T_CALLS_CALL 4
#define T_FLAGS_NOP 2
#define T_FILL_STOS 8
#define T_TRAP_INT3 2
#define T_STEP_ADD 15
#define T_STEP_NOP 22
#define T_SUM_ADD 2
#define T_CALLED_NOP 2
#define T_INDIRECT_JMP 7
#define T_SHORT_RET 2
#define T_DEEP_NOP 4

#endif
