/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine.h - the suite's arm64: registers, and where instructions of targets.S are.
 *
 * Owns: what a rule test may know of the processor.
 */
#ifndef KP_CONFORMANCE_MACHINE_H
#define KP_CONFORMANCE_MACHINE_H

/* As long as a breakpoint; and the breakpoint. */
typedef unsigned int t_word;
#define T_BP 0xd42d6e00u
#define T_JUMPS 1			/* may take a breakpoint's place */
#define T_POST_TRAPS 0			/* the end of a step does, in a process */
#define T_ADD_OPCODE T_ADD_FIRST	/* in struct kprobe */
#define T_ADD_FIRST 0xa9bf7bfdu		/* what t_add begins with */
#define T_ADD_SECOND 0x910003fdu
#define T_ADD_THIRD 0x8b010000u
#define T_NOP 0xd503201fu
#define T_WIDE_SECOND 0x8b010000u
#define T_SUM_SECOND 0x8b000021u
#define T_FOREIGN_BP 0xd4200000u	/* t_trap's */
#define T_UNDECODABLE_NEXT 8
#define T_SKIP_LEN 4			/* of the instruction that is skipped */

/* What handlers see as instruction pointer at a probe. */
#define T_PRE_IP(addr) ((unsigned long)(addr))

/* The nth argument, from 0, at a function's entry. */
#define t_arg(r, n) ((r)->regs[n])

/* Of struct pt_regs. */
#define T_IP(r) ((r).pc)
#define T_SP(r) ((r).sp)
#define T_FP(r) ((r).regs[29])
#define T_RESULT(r) ((r).regs[0])
#define T_LINK(r) ((r).regs[30])	/* the return address, at a function's entry */
#define T_REGS_RETURNING(value) { .regs = { (value), 1 } }
#include "machine_words.h"

/* What a trap's registers have besides the general ones. */
static inline bool t_like_trap(const struct pt_regs *regs,
			       const struct pt_regs *trap)
{
	return (regs->pstate & 0x1f) == (trap->pstate & 0x1f);
}

/* No breakpoint is shorter than an instruction. */
#define t_wide_intact() true
/* Where t_wide puts its 5. */
#define T_WIDE_FIVE(r) ((r).regs[1])
#define T_JUMP_SPANS 0			/* more than the probed instruction */

#define T_FLAGS_SHOWN 1		/* in struct pt_regs */
#define T_CARRY (1ul << 29)
#define t_flags_of(regs) ((regs)->pstate)

/* Arithmetic flags as two comparisons with regs leave them. */
#define t_clear_flags(x) __asm__ volatile("cmp %0, %0" : : "r"(x) : "cc")
#define t_set_flags(x) __asm__ volatile("cmn %0, #0" : : "r"(x) : "cc")

/* A breakpoint of nobody's. */
#ifdef __KERNEL__
/* A kernel gives to each hook of breakpoints those of its number: of ours. */
#define t_own_breakpoint() __asm__ volatile("brk #0x6b70" ::: "memory")
#else
#define t_own_breakpoint() __asm__ volatile("brk #0" ::: "memory")
#endif

/* Instructions that are refused stand there in their functions; see instructions.c. */
#define T_REFUSED_AT 4
#define T_SKIP_ADC 8
#define T_JUMP_RET 8

/* Flags that the program may set. */
#define T_FLAG_BITS 1l << 28, 1l << 29, 1l << 30, 1l << 31
#define T_FLAG_BITS_NR 4
#define T_SWITCHES_STACK "cpu_switch_to"	/* a kernel's function */

#define T_WATCH_REGISTERS T_IN_KERNEL		/* debug registers tell of accesses */
#define T_WATCHED_IN_TRAPS (!T_IN_KERNEL)	/* what handlers of breakpoints access */
#define T_STRUCTS_ON_STACK 0	/* by value: all of it, not its address */
#define T_STACK_IS_CODE 0	/* it may be executed */
#define T_ACCESS_FAULT (T_IN_KERNEL ? 0x25 : 0x24)	/* what fault handlers are told */
#define T_READ_ONLY_HANGS 0
#define T_STORE_FAULT T_ACCESS_FAULT
#define T_LENGTHS_VARY 0		/* of instructions */

/* Of a signal's handler: the instruction pointer; and on past a breakpoint. */
#define t_uc_ip(uc) ((uc)->uc_mcontext.pc)
#define t_uc_pass_breakpoint(uc) ((uc)->uc_mcontext.pc += 4)

static inline unsigned long t_ticks(void)
{
	unsigned long ticks;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
	return ticks;
}

static inline void t_relax(void)
{
	__asm__ volatile("yield" : : : "memory");
}

/* Instructions that are refused, and with which errno; 0: any. */
void t_ud2(void), t_intn(void), t_vmcall(void), t_mwait(void), t_cli(void);
#define T_REFUSED(R)							\
	R(0, "K-XI-01", "brk", t_int3)					\
	R(0, "K-XI-02", "udf", t_ud2)					\
	R(0, "K-XI-02", "smc", t_intn)					\
	R(0, "K-XI-03", "eret", t_iretq)				\
	R(0, "K-XI-08", "hvc", t_vmcall)				\
	R(0, "K-XI-13", "an opcode that does not exist", t_badop)	\
	R(0, "K-XI-14", "hlt", t_hlt)
#define T_REFUSED_IN_KERNEL(R)						\
	R(0, "K-XI-14", "wfi", t_mwait)

/* instructions.S has more than so many. */
#define T_INSTRUCTIONS 60

/* Flags: those of arithmetic, how a number becomes any of them, and all that count. */
#define T_FLAGS_ANY 0xf0000000ul
#define T_FLAGS_SPREAD 0x10000000ul
#define T_FLAGS_COMPARED 0xf0000000ul
static inline unsigned long t_flags_now(void)
{
	unsigned long flags;

	__asm__ volatile("mrs %0, nzcv" : "=r"(flags));
	return flags;
}

#define T_ADD_POP 12
#define T_ADD_RET 16
#define T_LOAD_RET 4
#define T_POKE_RET 4
#define T_JUMP_JZ 0
#define T_JUMP_MOV 4
#define T_CALLS_MOV 4
#define T_CALLS_CALL 8
#define T_TRAP_INT3 4
#define T_STEP_ADD 4
#define T_STEP_NOP 8
#define T_SUM_ADD 4
#define T_CALLED_NOP 12
#define T_INDIRECT_JMP 4
#define T_SHORT_RET 4

#endif
