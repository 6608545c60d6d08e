/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine.h - the suite's riscv64: registers, and where instructions of targets.S are.
 *
 * Owns: what a rule test may know of the processor.
 */
#ifndef KP_CONFORMANCE_MACHINE_H
#define KP_CONFORMANCE_MACHINE_H

/* As long as a breakpoint; and the breakpoint.  Of instructions the first half. */
typedef unsigned short t_word;
#define T_BP 0x9002u
#define T_JUMPS 1			/* may take a breakpoint's place */
#define T_POST_TRAPS 0			/* the end of a step does, in a process */
#define T_ADD_OPCODE 0xff010113u
#define T_ADD_FIRST 0x0113u		/* what t_add begins with */
#define T_ADD_SECOND 0x0293u
#define T_ADD_THIRD 0x952eu
#define T_NOP 0x0001u
#define T_WIDE_SECOND 0x952eu
#define T_SUM_SECOND 0x95aau
#define T_FOREIGN_BP 0x0073u		/* t_trap's */
#define T_UNDECODABLE_NEXT 4
#define T_SKIP_LEN 2			/* of the instruction that is skipped */

/* What handlers see as instruction pointer at a probe. */
#define T_PRE_IP(addr) ((unsigned long)(addr))

/* The nth argument, from 0, at a function's entry. */
#define t_arg(r, n) ((&(r)->a0)[n])

/* Of struct pt_regs. */
#define T_IP(r) ((r).epc)
#define T_SP(r) ((r).sp)
#define T_FP(r) ((r).t0)
#define T_RESULT(r) ((r).a0)
#define T_LINK(r) ((r).ra)	/* the return address, at a function's entry */
#define T_REGS_RETURNING(value) { .a0 = (value), .a1 = 1 }
#include "machine_words.h"

/* What a trap's registers have besides the general ones: nothing in a process. */
static inline bool t_like_trap(const struct pt_regs *regs,
			       const struct pt_regs *trap)
{
	return regs->status == trap->status;
}

/* A breakpoint changes the first half of an instruction alone. */
#define t_wide_intact() (((const unsigned short *)(unsigned long)t_wide)[1] == 0x0050)
/* Where t_wide puts its 5. */
#define T_WIDE_FIVE(r) ((r).a1)
#define T_JUMP_SPANS 1			/* more than the probed instruction */

/* There are none but those of floating point, which struct pt_regs does not have. */
#define T_FLAGS_SHOWN 0
#define T_CARRY 1ul
#define t_flags_of(regs) ((regs)->status)
#ifdef __KERNEL__
/* It is off there. */
#define t_clear_flags(x) ((void)(x))
#define t_set_flags(x) ((void)(x))
#else
#define t_clear_flags(x) __asm__ volatile("fsflags zero" : : "r"(x))
#define t_set_flags(x) __asm__ volatile("fsflags %0" : : "r"(31l + 0 * (x)->a0))
#endif

/* A breakpoint of nobody's. */
#define t_own_breakpoint() __asm__ volatile("ebreak" ::: "memory")

/* Instructions that are refused stand there in their functions; see instructions.c. */
#define T_REFUSED_AT 2
#define T_SKIP_ADC 4
#define T_JUMP_RET 4

/* Flags that the program may set. */
#define T_FLAG_BITS 1l, 2l, 4l, 8l, 16l
#define T_FLAG_BITS_NR 5
#define T_SWITCHES_STACK "__switch_to"	/* a kernel's function */

#define T_WATCH_REGISTERS 0		/* debug registers tell of accesses */
#define T_WATCHED_IN_TRAPS 0		/* what handlers of breakpoints access */
#define T_STRUCTS_ON_STACK 0	/* by value: all of it, not its address */
#define T_STACK_IS_CODE 0	/* it may be executed */
#define T_ACCESS_FAULT 13	/* what fault handlers are told */
/*
 * Before 6.11 a kernel that faults in its area of modules tries again, as long as the page
 * is there.
 */
#ifdef __KERNEL__
#include <linux/version.h>
#define T_READ_ONLY_HANGS (LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0))
#else
#define T_READ_ONLY_HANGS 0
#endif
#define T_STORE_FAULT (T_IN_KERNEL ? 15 : T_ACCESS_FAULT)	/* signals do not tell */
#define T_LENGTHS_VARY 1		/* of instructions */

/* Of a signal's handler: the instruction pointer; and on past a breakpoint. */
#define t_uc_ip(uc) ((uc)->uc_mcontext.__gregs[REG_PC])
#define t_uc_pass_breakpoint(uc) ((uc)->uc_mcontext.__gregs[REG_PC] += 4)

static inline unsigned long t_ticks(void)
{
	unsigned long ticks;

	__asm__ volatile("rdtime %0" : "=r"(ticks) : : "memory");
	return ticks;
}

static inline void t_relax(void)
{
	__asm__ volatile(".word 0x0100000f" : : : "memory");	/* pause */
}

/* Instructions that are refused, and with which errno; 0: any. */
void t_ud2(void), t_intn(void), t_vmcall(void), t_mwait(void), t_cli(void), t_reserve(void);
#define T_REFUSED(R)							\
	R(0, "K-XI-01", "ebreak", t_int3)				\
	R(0, "K-XI-01", "c.ebreak", t_intn)				\
	R(0, "K-XI-02", "c.unimp", t_ud2)				\
	R(0, "K-XI-03", "sret", t_iretq)				\
	R(0, "K-XI-03", "mret", t_vmcall)				\
	R(0, "K-XI-13", "an opcode that does not exist", t_badop)	\
	R(-EOPNOTSUPP, "K-XI-14", "lr.d", t_reserve)			\
	R(0, "K-XI-14", "wfi", t_hlt)
#define T_REFUSED_IN_KERNEL(R)						\
	R(0, "K-XI-02", "ecall", t_mwait)

/* instructions.S has more than so many. */
#define T_INSTRUCTIONS (T_IN_KERNEL ? 70 : 80)

/* Flags: those of floating point, how a number becomes any of them, and all that count. */
#ifdef __KERNEL__
#define T_FLAGS_ANY 0ul
#else
#define T_FLAGS_ANY 0x1ful
#endif
#define T_FLAGS_SPREAD 1ul
#define T_FLAGS_COMPARED T_FLAGS_ANY
static inline unsigned long t_flags_now(void)
{
	unsigned long flags = 0;

#ifndef __KERNEL__
	__asm__ volatile("frflags %0" : "=r"(flags));
#endif
	return flags;
}

#define T_ADD_POP 10
#define T_ADD_RET 12
#define T_LOAD_RET 2
#define T_POKE_RET 4
#define T_JUMP_JZ 0
#define T_JUMP_MOV 2
#define T_CALLS_MOV 2
#define T_CALLS_CALL 4
#define T_TRAP_INT3 2
#define T_STEP_ADD 2
#define T_STEP_NOP 4
#define T_SUM_ADD 2
#define T_CALLED_NOP 6
#define T_INDIRECT_JMP 8
#define T_SHORT_RET 2

#endif
