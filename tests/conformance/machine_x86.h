/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine_x86.h - what the suite may know of x86 in either mode.
 *
 * Owns: that.  machine.h of either includes it.
 */
#ifndef KP_CONFORMANCE_MACHINE_X86_H
#define KP_CONFORMANCE_MACHINE_X86_H

/* As long as a breakpoint; and the breakpoint. */
typedef unsigned char t_word;
#define T_BP 0xcc
#define T_JUMPS 1			/* may take a breakpoint's place */
#define T_POST_TRAPS 0			/* the end of a step does, in a process */
#define T_ADD_OPCODE T_ADD_FIRST	/* in struct kprobe */
#define T_ADD_FIRST 0x55		/* what t_add begins with */
#define T_NOP 0x90
#define T_FOREIGN_BP 0xcc		/* t_trap's */
#define T_OPCODE_LEN 1			/* of kprobe_opcode_t */
#define T_SKIP_LEN 1			/* of the instruction that is skipped */

/* What handlers see as instruction pointer at a probe. */
#define T_PRE_IP(addr) ((unsigned long)(addr) + 1)

/* The nth argument, from 0, at a function's entry. */
#define t_arg(regs, n) regs_get_kernel_argument(regs, n)

static inline void t_set_result(struct pt_regs *regs, unsigned long value)
{
	regs->ax = value;
}

/* How far a return moves the stack pointer. */
#define T_RETURN_POPS ((int)sizeof(long))

/* The return address, at a function's entry. */
static inline unsigned long t_caller_of(struct pt_regs *regs)
{
	return *(unsigned long *)regs->sp;
}

/* At a function's entry: return from it at once. */
static inline void t_return_now(struct pt_regs *regs, unsigned long value)
{
	regs->ax = value;
	regs->ip = *(unsigned long *)regs->sp;
	regs->sp += sizeof(long);
}

/* Of struct pt_regs. */
#define T_IP(r) ((r).ip)
#define T_SP(r) ((r).sp)
#define T_FP(r) ((r).bp)
#define T_RESULT(r) ((r).ax)
#define T_REGS_RETURNING(value) { .ax = (value), .dx = 1 }

/* What a trap's registers have besides the general ones. */
static inline bool t_like_trap(const struct pt_regs *regs,
			       const struct pt_regs *trap)
{
	return regs->orig_ax == -1ul && regs->cs == trap->cs &&
	       regs->ss == trap->ss;
}

/* Behind a breakpoint at its beginning t_wide's bytes are its own. */
#define t_wide_intact()							\
	(t_raw(T_AT(t_wide, 1)) == 5 && !t_raw(T_AT(t_wide, 2)) &&	\
	 !t_raw(T_AT(t_wide, 3)) && !t_raw(T_AT(t_wide, 4)))

#define T_JUMP_SPANS 1			/* more than the probed instruction */

#define T_FLAGS_SHOWN 1		/* in struct pt_regs */
#define T_CARRY 1ul
#define t_flags_of(regs) ((regs)->flags)

/* Arithmetic flags as two comparisons with regs leave them. */
#define t_clear_flags(x) __asm__ volatile("cmp %0, %0" : : "r"(x) : "cc")
#define t_set_flags(x) __asm__ volatile("cmp $0, %0; stc" : : "r"(x) : "cc")

/* A breakpoint of nobody's. */
#define t_own_breakpoint() __asm__ volatile("int3" ::: "memory")

/* Instructions that are refused stand there in their functions; see instructions.c. */
#define T_REFUSED_AT 1
/* Inside t_add's second instruction, and no instruction's beginning. */
#define T_ADD_INSIDE 2
#define T_SKIP_ADC 5
#define T_LANDING_MOV 4
#define T_WIDE_LEA 5
#define T_LONG_LEN 15

/* Flags that the program may set, besides those that it has; and the period of timers. */
#define T_FLAG_BITS 0x1, 0x4, 0x10, 0x40, 0x80, 0x800, 0x400
#define T_FLAG_BITS_NR 7
#define T_FLAGS_BASE 0x202
#define T_FLAGS_OF_INTERRUPTS 1		/* among them */
#define T_SWITCHES_STACK "__switch_to"	/* a kernel's function */
/* A kernel's: assembly, so no ftrace site stands at its entry. */
#define T_FOREIGN_SYMBOL "__put_user_4"
#define T_ASYNC_US 300

#define T_POKE_ARGS long *p
#define T_STEPS_ITSELF 1		/* a program can have itself single-stepped */
#define T_PRIVILEGED_FAULTS 1		/* in a process, and may be probed */
#define T_WATCH_REGISTERS 1		/* debug registers tell of accesses */
#define T_WATCHED_IN_TRAPS 1		/* what handlers of breakpoints access */
#define T_PADS_STEPPED 1	/* over, at a function's entry */
#define T_STRUCTS_ON_STACK 1	/* by value: all of it, not its address */
#define T_STACK_IS_CODE 0	/* it may be executed */
#define T_ACCESS_FAULT 14		/* what fault handlers are told */
#define T_READ_ONLY_HANGS 0
#define T_STORE_FAULT T_ACCESS_FAULT
#define T_LENGTHS_VARY 1		/* of instructions */

/* In a signal's handler the instruction pointer is past a breakpoint. */
#define t_uc_pass_breakpoint(uc) ((void)(uc))

/* In a process: are there instructions with a VEX prefix? */
#define T_HAS_AVX() (__builtin_cpu_supports("avx") != 0)

static inline void t_relax(void)
{
	__builtin_ia32_pause();
}

/* Flags: those of arithmetic, how a number becomes any of them, and all that count. */
#define T_FLAGS_ANY 0x8d5ul
#define T_FLAGS_SPREAD 0x35b
#define T_FLAGS_COMPARED 0xcd5ul

#define T_ADD_PUSH 0
#define T_ADD_MOV 1

#endif
