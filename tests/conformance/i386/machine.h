/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine.h - the suite's i386: registers, and where instructions of targets.S are.
 *
 * Owns: what a rule test may know of the processor.
 */
#ifndef KP_CONFORMANCE_MACHINE_H
#define KP_CONFORMANCE_MACHINE_H

#include "machine_x86.h"

#define T_ADD_SECOND 0x89
#define T_ADD_THIRD 0x8d
#define T_WIDE_SECOND 0x03
#define T_SUM_SECOND (T_IN_KERNEL ? 0x8d : 0x03)
#define T_UNDECODABLE_NEXT 3

static inline void t_set_arg0(struct pt_regs *regs, unsigned long value)
{
#ifdef __KERNEL__
	regs->ax = value;
#else
	((unsigned long *)regs->sp)[1] = value;
#endif
}

/* The same where a function has them in registers: t_add, t_load. */
#define t_held(r, n) ((n) ? (r)->dx : (r)->ax)
#define t_set_held(r, value) ((r)->ax = (value))

/* Where t_wide puts its 5. */
#ifdef __KERNEL__
#define T_WIDE_FIVE(r) ((r).cx)
#else
#define T_WIDE_FIVE(r) ((r).ax)
#endif

/* What intact.c looks at: general registers; and it changes all. */
#define T_INTACT_GPRS 8
#define T_INTACT_RED 0
static inline void t_scribble(void)
{
	__asm__ volatile("mov $-1, %%eax\n	mov %%eax, %%ecx\n"
			 "	mov %%eax, %%edx\n	mov %%eax, %%ebx\n"
			 "	mov %%eax, %%esi\n	mov %%eax, %%edi\n"
			 "	add $1, %%eax"
			 ::: "eax", "ecx", "edx", "ebx", "esi", "edi", "cc", "memory");
}

#define T_JUMP_RET 13

#define T_BY_REGISTER __attribute__((regparm(2)))

#define T_ADD_LEA_NAME "t_add+0x3"

/* Of a signal's handler: the instruction pointer. */
#define t_uc_ip(uc) ((uc)->uc_mcontext.gregs[REG_EIP])

/* Instructions with an operand at an address of half a word: of 64 KB that are not there. */
#define T_SHORT_ADDRESSES 0

static inline unsigned long t_ticks(void)
{
	return (unsigned long)__builtin_ia32_rdtsc();
}

/* Instructions that are refused, and with which errno; 0: any. */
void t_ud2(void), t_intn(void), t_lret(void), t_farjmp(void), t_farcall(void);
void t_movss(void), t_vmcall(void), t_xen(void), t_kvm(void), t_mwait(void);
void t_cli(void);
void t_sysenter(void), t_branch_16(void), t_branch_fs(void);
long t_jump_67(long *fn);		/* there is none */
#define T_REFUSED(R)							\
	R(-EINVAL, "K-XI-11", "forced emulation, Xen's", t_xen)		\
	R(-EINVAL, "K-XI-11", "forced emulation, KVM's", t_kvm)		\
	R(0, "K-XI-01", "int3", t_int3)					\
	R(0, "K-XI-02", "ud2", t_ud2)					\
	R(0, "K-XI-02", "int n", t_intn)				\
	R(0, "K-XI-03", "iret", t_iretq)				\
	R(-EOPNOTSUPP, "K-XI-03", "sysenter", t_sysenter)		\
	R(-EOPNOTSUPP, "K-XI-07", "a branch of 16 bits", t_branch_16)	\
	R(-EOPNOTSUPP, "K-XI-06", "a call through fs", t_branch_fs)	\
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

	__asm__ volatile("pushf; pop %0" : "=r"(flags));
	return flags;
}

#define T_ADD_LEA 3
#ifdef __KERNEL__
#define T_ADD_POP 10
#define T_ADD_RET 11
#else
#define T_ADD_POP 7
#define T_ADD_RET 8
#endif
#define T_LOAD_RET 2
#define T_POKE_RET 6
#define T_JUMP_JZ 6
#define T_JUMP_MOV 8
#define T_CALLS_MOV 1
#define T_RELATIVE_LOAD 1
#define T_CALLS_CALL 6
#define T_FLAGS_NOP 5
#define T_FILL_STOS 14
#define T_TRAP_INT3 2
#define T_STEP_ADD 14
#define T_STEP_NOP 21
#ifdef __KERNEL__
#define T_SUM_ADD 3
#else
#define T_SUM_ADD 2
#endif
#define T_CALLED_NOP 2
#define T_INDIRECT_JMP 5
#define T_SHORT_RET 2
#define T_DEEP_NOP 3

#endif
