/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine_words.h - what the suite may know of processors whose return addresses are in a
 * register and whose system has no debug registers for steps.
 *
 * Owns: that, and where instructions of targets.S are on all of them.  machine.h of the
 * processor includes it, having said where a trap's registers are: t_arg, T_IP, T_RESULT, and
 * the return address at a function's entry (T_LINK).
 */
#ifndef KP_CONFORMANCE_MACHINE_WORDS_H
#define KP_CONFORMANCE_MACHINE_WORDS_H

#define T_FOREIGN_SYMBOL "vfs_statfs"
#define T_OPCODE_LEN 4			/* of kprobe_opcode_t */

static inline void t_set_arg0(struct pt_regs *regs, unsigned long value)
{
	t_arg(regs, 0) = value;
}

/* The same where a function has them in registers: t_add, t_load. */
#define t_held(r, n) t_arg(r, n)
#define t_set_held(r, value) t_set_arg0(r, value)

static inline void t_set_result(struct pt_regs *regs, unsigned long value)
{
	T_RESULT(*regs) = value;
}

/* The return address, at a function's entry. */
static inline unsigned long t_caller_of(struct pt_regs *regs)
{
	return T_LINK(*regs);
}

/* At a function's entry: return from it at once. */
static inline void t_return_now(struct pt_regs *regs, unsigned long value)
{
	T_RESULT(*regs) = value;
	T_IP(*regs) = T_LINK(*regs);
}

/* How far a return moves the stack pointer. */
#define T_RETURN_POPS 0

/* Of the flags that a program may set: those that it has, and those of interrupts. */
#define T_FLAGS_BASE 0
#define T_FLAGS_OF_INTERRUPTS 0
#define T_ASYNC_US 20000		/* the period of timers: an emulator takes long for a hit */

/* One store, of what the caller has loaded. */
#define T_BY_REGISTER			/* how a function gets its argument: usual */
#define T_POKE_ARGS long *p, long one
#define t_poke(p) (t_poke)(p, 1)

#define T_STEPS_ITSELF 0		/* a program can have itself single-stepped */
#define T_PRIVILEGED_FAULTS 0		/* in a process, and may be probed */
#define T_PADS_STEPPED 0		/* over, at a function's entry */
#define T_HAS_AVX() 0			/* instructions with a VEX prefix, in a process */
#define T_SHORT_ADDRESSES 0		/* instructions with an operand at a 32-bit address */
long t_jump_67(long *fn);		/* there is none */

#define T_LONG_LEN 4
#define T_ADD_INSIDE 6			/* in t_add's second instruction, where none begins */
#define T_ADD_LEA_NAME "t_add+0x8"
#define T_ADD_PUSH 0
#define T_ADD_MOV 4
#define T_ADD_LEA 8
#define T_DEEP_NOP 4
#define T_FILL_STOS 0
#define T_FLAGS_NOP 4
#define T_LANDING_MOV 4
#define T_RELATIVE_LOAD 4
#define T_WIDE_LEA 4

#endif
