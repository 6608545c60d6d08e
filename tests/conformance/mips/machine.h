/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine.h - the suite's MIPS: registers, and where instructions of targets.S are.
 *
 * Owns: what a rule test may know of the processor.
 */
#ifndef KP_CONFORMANCE_MACHINE_H
#define KP_CONFORMANCE_MACHINE_H

#ifdef __KERNEL__
#include <linux/ktime.h>
#else
#include <time.h>
#endif

/* As long as a breakpoint; and the breakpoint. */
typedef unsigned int t_word;
#define T_BP 0x0000000du
#define T_JUMPS 0			/* may take a breakpoint's place */
#define T_POST_TRAPS 1			/* the end of a step does, in a process */
#define T_ADD_OPCODE T_ADD_FIRST	/* in struct kprobe */
#ifdef __mips64
#define T_ADD_FIRST 0x67bdfff0u		/* what t_add begins with */
#define T_ADD_SECOND 0x67a80000u
#define T_ADD_THIRD 0x0085102du
#define T_WIDE_SECOND 0x0088102du
#define T_SUM_SECOND 0x0044102du
#else
#define T_ADD_FIRST 0x27bdfff0u
#define T_ADD_SECOND 0x27a80000u
#define T_ADD_THIRD 0x00851021u
#define T_WIDE_SECOND 0x00881021u
#define T_SUM_SECOND 0x00441021u
#endif
#define T_NOP 0u
#define T_FOREIGN_BP 0x0000000du	/* t_trap's */
#define T_UNDECODABLE_NEXT 8
#define T_SKIP_LEN 4			/* of the instruction that is skipped */

/* What handlers see as instruction pointer at a probe. */
#define T_PRE_IP(addr) ((unsigned long)(addr))

/* The nth argument, from 0, at a function's entry. */
#define t_arg(r, n) ((r)->regs[4 + (n)])

/* Of struct pt_regs. */
#define T_IP(r) ((r).cp0_epc)
#define T_SP(r) ((r).regs[29])
#define T_FP(r) ((r).regs[8])
#define T_RESULT(r) ((r).regs[2])
#define T_LINK(r) ((r).regs[31])	/* the return address, at a function's entry */
#define T_REGS_RETURNING(value) { .regs = { [2] = (value), [3] = 1 } }
#include "machine_words.h"

/* What a trap's registers have besides the general ones: nothing in a process. */
static inline bool t_like_trap(const struct pt_regs *regs,
			       const struct pt_regs *trap)
{
	return regs->cp0_status == trap->cp0_status;
}

/* No breakpoint is shorter than an instruction. */
#define t_wide_intact() true
/* Where t_wide puts its 5. */
#define T_WIDE_FIVE(r) ((r).regs[8])
#define T_JUMP_SPANS 0			/* more than the probed instruction */

/* There are none but those of floating point, which struct pt_regs does not have. */
#define T_FLAGS_SHOWN 0
#define T_CARRY 1ul
#define t_flags_of(regs) ((regs)->cp0_status)
#ifdef __KERNEL__
/* It is off there. */
#define t_clear_flags(x) ((void)(x))
#define t_set_flags(x) ((void)(x))
#else
#define t_clear_flags(x) __asm__ volatile("ctc1 $0, $31" : : "r"(x))
#define t_set_flags(x) __asm__ volatile("ctc1 %0, $31" : : "r"(0x7cl + 0 * (x)->regs[0]))
#endif

/* A breakpoint of nobody's. */
#define t_own_breakpoint() __asm__ volatile("break" ::: "memory")

/* Instructions that are refused stand there in their functions; see instructions.c. */
#define T_REFUSED_AT 4
#define T_SKIP_ADC 8
#define T_JUMP_RET 12

/* Flags that the program may set. */
#define T_FLAG_BITS 4l, 8l, 16l, 32l, 64l
#define T_FLAG_BITS_NR 5
#define T_SWITCHES_STACK "resume"	/* a kernel's function */

#define T_WATCH_REGISTERS 0		/* debug registers tell of accesses */
#define T_WATCHED_IN_TRAPS 0		/* what handlers of breakpoints access */
#define T_STRUCTS_ON_STACK 1	/* by value: all of it, not its address */
#define T_STACK_IS_CODE 1	/* it may be executed */
#define T_ACCESS_FAULT 2	/* what fault handlers are told */
#define T_READ_ONLY_HANGS 0
#define T_ALL_WRITABLE T_IN_KERNEL	/* text, too */
#define T_STORE_FAULT (T_IN_KERNEL ? 3 : T_ACCESS_FAULT)	/* signals do not tell */
#define T_LENGTHS_VARY 0		/* of instructions */

/* Of a signal's handler: the instruction pointer; and on past a breakpoint. */
#define t_uc_ip(uc) ((uc)->uc_mcontext.pc)
#define t_uc_pass_breakpoint(uc) ((uc)->uc_mcontext.pc += 4)

/* The processor's own counter stands still under an emulator. */
static inline unsigned long t_ticks(void)
{
#ifdef __KERNEL__
	return (unsigned long)ktime_to_ns(ktime_get());
#else
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (unsigned long)now.tv_sec * 1000000000ul + (unsigned long)now.tv_nsec;
#endif
}

static inline void t_relax(void)
{
	__asm__ volatile("" : : : "memory");
}

/* Instructions that are refused, and with which errno; 0: any. */
void t_ud2(void), t_intn(void), t_vmcall(void), t_mwait(void), t_cli(void), t_reserve(void), t_delayed(void);
#define T_REFUSED(R)							\
	R(0, "K-XI-01", "break", t_int3)				\
	R(0, "K-XI-02", "sdbbp", t_ud2)					\
	R(0, "K-XI-02", "break 7", t_intn)				\
	R(0, "K-XI-03", "eret", t_iretq)				\
	R(0, "K-XI-03", "deret", t_vmcall)				\
	R(0, "K-XI-13", "an opcode that does not exist", t_badop)	\
	R(-EOPNOTSUPP, "K-XI-14", "ll", t_reserve)			\
	R(-EOPNOTSUPP, "K-XI-14", "what is in a delay slot", t_delayed)	\
	R(0, "K-XI-14", "wait", t_hlt)
#define T_REFUSED_IN_KERNEL(R)						\
	R(0, "K-XI-02", "syscall", t_mwait)

/* instructions.S has more than so many. */
#define T_INSTRUCTIONS (T_IN_KERNEL ? 50 : 60)

/* Flags: those of floating point, how a number becomes any of them, and all that count. */
#define T_FLAGS_ANY (T_IN_KERNEL ? 0ul : 0x7cul)
#define T_FLAGS_SPREAD 4ul
#define T_FLAGS_COMPARED T_FLAGS_ANY
static inline unsigned long t_flags_now(void)
{
	unsigned long flags = 0;

#ifndef __KERNEL__
	__asm__ volatile("cfc1 %0, $31" : "=r"(flags));
#endif
	return flags;
}

#define T_ADD_POP 12
#define T_ADD_RET 16
#define T_LOAD_RET 4
#define T_POKE_RET 4
#define T_JUMP_JZ 0
#define T_JUMP_MOV 8
#define T_CALLS_MOV 4
#define T_CALLS_CALL 8
#define T_TRAP_INT3 4
#define T_STEP_ADD 4
#define T_STEP_NOP 8
#define T_SUM_ADD 4
#define T_CALLED_NOP 12
#define T_INDIRECT_JMP 16
#define T_SHORT_RET 4

#endif
