/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine.h - the suite's arm: registers, and where instructions of targets.S are.
 *
 * Owns: what a rule test may know of the processor; of Thumb, where the suite is compiled for
 * that.
 */
#ifndef KP_CONFORMANCE_MACHINE_H
#define KP_CONFORMANCE_MACHINE_H

#ifdef __KERNEL__
#include <linux/sched/clock.h>
#else
#include <time.h>
#endif

/* As long as a breakpoint; and the breakpoint.  Of Thumb's instructions the first half. */
#ifdef __thumb__
typedef unsigned short t_word;
#define T_BP 0xde01u
#define T_ADD_OPCODE 0x4800e92du
#define T_ADD_FIRST 0xe92du		/* what t_add begins with */
#define T_ADD_SECOND 0xea4fu
#define T_ADD_THIRD 0xeb00u
#define T_NOP 0xf3afu
#define T_WIDE_SECOND 0xeb00u
#define T_SUM_SECOND 0x0100eb01u
#define T_FOREIGN_BP 0xbe01u		/* t_trap's */
#define T_FOREIGN_LEN 2
#else
typedef unsigned int t_word;
#define T_BP 0xe7f001f0u
#define T_ADD_OPCODE T_ADD_FIRST	/* in struct kprobe */
#define T_ADD_FIRST 0xe92d4800u
#define T_ADD_SECOND 0xe1a0b00du
#define T_ADD_THIRD 0xe0800001u
#define T_NOP 0xe320f000u
#define T_WIDE_SECOND 0xe0800001u
#define T_SUM_SECOND 0xe0811000u
#ifdef __KERNEL__
#define T_FOREIGN_BP 0xe7ffdefeu	/* a debugger's: the other one is a program's */
#else
#define T_FOREIGN_BP 0xe7f001f0u
#endif
#define T_FOREIGN_LEN 4
#endif
#define T_JUMPS 1			/* may take a breakpoint's place */
#define T_POST_TRAPS 1			/* the end of a step does, in a process */
#define T_UNDECODABLE_NEXT 8
#define T_SKIP_LEN 4			/* of the instruction that is skipped */

/* What handlers see as instruction pointer at a probe. */
#define T_INSIDE 2
#define T_CODE(fn) ((unsigned long)(fn) & ~1ul)
#define T_PRE_IP(addr) T_CODE(addr)

/* The nth argument, from 0, at a function's entry. */
#define t_arg(r, n) ((r)->uregs[n])

/* Of struct pt_regs. */
#define T_IP(r) ((r).ARM_pc)
#define T_SP(r) ((r).ARM_sp)
#define T_FP(r) ((r).ARM_fp)
#define T_RESULT(r) ((r).ARM_r0)
#define T_LINK(r) ((r).ARM_lr)	/* the return address, at a function's entry */
#define T_REGS_RETURNING(value) { .uregs = { (value), 1 } }
#include "machine_words.h"

/* What a trap's registers have besides the general ones. */
static inline bool t_like_trap(const struct pt_regs *regs,
			       const struct pt_regs *trap)
{
	return (regs->ARM_cpsr & 0x1f) == (trap->ARM_cpsr & 0x1f);
}

/* A breakpoint changes the first half of an instruction alone, or all of it. */
#define t_wide_intact() true
/* Where t_wide puts its 5. */
#define T_WIDE_FIVE(r) ((r).ARM_r1)
/* Does a jump on t_sum cover more than the probed instruction? */
#ifdef __thumb__
#define T_JUMP_SPANS 1
#else
#define T_JUMP_SPANS 0
#endif

#define T_FLAGS_SHOWN 1		/* in struct pt_regs */
#define T_CARRY (1ul << 29)
#define t_flags_of(regs) ((regs)->ARM_cpsr)

/* Arithmetic flags as two comparisons with regs leave them. */
#define t_clear_flags(x) __asm__ volatile("cmp %0, %0" : : "r"(x) : "cc")
#define t_set_flags(x) __asm__ volatile("cmn %0, #0" : : "r"(x) : "cc")

/* A breakpoint of nobody's. */
#ifdef __thumb__
#define t_own_breakpoint() __asm__ volatile("bkpt #1" ::: "memory")
#else
#define t_own_breakpoint() __asm__ volatile("udf #0x10" ::: "memory")
#endif

/* Instructions that are refused stand there in their functions; see instructions.c. */
#define T_REFUSED_AT 4
#define T_SKIP_ADC 8
#define T_JUMP_RET 12

/* Flags that the program may set. */
#define T_FLAG_BITS 1l << 28, 1l << 29, 1l << 30, (long)(1ul << 31)
#define T_FLAG_BITS_NR 4
#define T_SWITCHES_STACK "__switch_to"	/* a kernel's function */

#define T_WATCH_REGISTERS 0		/* debug registers tell of accesses */
#define T_WATCHED_IN_TRAPS 0		/* what handlers of breakpoints access */
#define T_STRUCTS_ON_STACK 1	/* by value: all of it, not its address */
#define T_STACK_IS_CODE 0	/* it may be executed */
#define T_ACCESS_FAULT 14		/* what fault handlers are told */
#define T_READ_ONLY_HANGS 0
#define T_LENGTHS_VARY 0		/* of what is no instruction: that is known */
#define T_STORE_FAULT T_ACCESS_FAULT

/* Of a signal's handler: the instruction pointer; and on past a breakpoint. */
#define t_uc_ip(uc) ((uc)->uc_mcontext.arm_pc)
#define t_uc_pass_breakpoint(uc) ((uc)->uc_mcontext.arm_pc += T_FOREIGN_LEN)

/* A program need not be allowed to read the processor's counter. */
static inline unsigned long t_ticks(void)
{
#ifdef __KERNEL__
	return (unsigned long)local_clock();
#else
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (unsigned long)now.tv_sec * 1000000ul + (unsigned long)now.tv_nsec / 1000;
#endif
}

static inline void t_relax(void)
{
	__asm__ volatile("yield" : : : "memory");
}

/* Instructions that are refused, and with which errno; 0: any. */
void t_ud2(void), t_intn(void), t_vmcall(void), t_mwait(void), t_cli(void), t_reserve(void);
void t_spsr(void);
#define T_REFUSED(R)							\
	R(-EINVAL, "K-XI-01", "udf, a breakpoint", t_int3)		\
	R(-EINVAL, "K-XI-01", "bkpt", t_intn)				\
	R(0, "K-XI-02", "udf", t_ud2)					\
	R(-EOPNOTSUPP, "K-XI-03", "rfe", t_iretq)			\
	R(-EOPNOTSUPP, "K-XI-08", "hvc", t_vmcall)			\
	R(-EOPNOTSUPP, "K-XI-08", "smc", t_mwait)			\
	R(0, "K-XI-13", "an opcode that does not exist", t_badop)	\
	R(-EOPNOTSUPP, "K-XI-30", "cps", t_cli)				\
	R(-EOPNOTSUPP, "K-XI-30", "mrs of spsr", t_spsr)		\
	R(-EOPNOTSUPP, "K-XI-14", "ldrex", t_reserve)			\
	R(0, "K-XI-14", "hlt", t_hlt)
#define T_REFUSED_IN_KERNEL(R)

/* instructions.S has more than so many. */
#define T_INSTRUCTIONS (T_IN_KERNEL ? 90 : 200)

/* Flags: those of arithmetic, how a number becomes any of them, and all that count. */
#define T_FLAGS_ANY 0xf0000000ul
#define T_FLAGS_SPREAD 0x10000000ul
#define T_FLAGS_COMPARED 0xf80f0000ul
static inline unsigned long t_flags_now(void)
{
	unsigned long flags;

	/* Not those that whatever was before has left: Q, GE. */
	__asm__ volatile("mrs %0, APSR" : "=r"(flags));
	return flags & T_FLAGS_ANY;
}

#define T_ADD_POP 12
#define T_ADD_RET 16
#define T_LOAD_RET 4
#define T_POKE_RET 4
#define T_JUMP_JZ 4
#define T_JUMP_MOV 8
#define T_CALLS_MOV 4
#define T_CALLS_CALL 8
#define T_TRAP_INT3 4
#define T_STEP_ADD 4
#define T_STEP_NOP 8
#ifdef __thumb__
#define T_SUM_ADD 2
#else
#define T_SUM_ADD 4
#endif
#define T_CALLED_NOP 12
#define T_INDIRECT_JMP 4
#define T_SHORT_RET 4

#endif
