/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * targets.h - what the modules of rules have to know of MIPS.
 *
 * Owns: their functions in assembly, and how registers and traps are called.
 */
#ifndef KP_TEST_TARGETS_H
#define KP_TEST_TARGETS_H

#include <linux/stringify.h>

#ifdef CONFIG_64BIT
#define T_ADDI "daddiu"
#define T_ADD "daddu"
#define T_LOAD "ld"
#define T_STORE "sd"
#define T_WORD ".dword"
#else
#define T_ADDI "addiu"
#define T_ADD "addu"
#define T_LOAD "lw"
#define T_STORE "sw"
#define T_WORD ".word"
#endif

/* None besides. */
#define MACHINE_RULES() ((void)0)

/* From a function's entry past an ftrace site, which is its second instruction. */
#define PAST_SITE 12

/* On the way of a trap, where a task changes its stack, or what may not be late. */
#define BLACKLISTED "handle_bp", "ret_from_exception", "do_bp", "resume", "mips_next_event"

#define T_FUNCTION(name)						\
	".globl " #name "\n.type " #name ", @function\n" #name ":\n"
#define T_SIZE(name) ".size " #name ", . - " #name "\n"

/* kp_victim.c: n + 1, from the second instruction on; n + VICTIM_SUM; n + 2. */
#define VICTIM_SUM 0x123
#define VICTIM_SECOND 4
#define VICTIM_TARGETS							\
	".pushsection .text\n"						\
	".set push\n.set noreorder\n"					\
	T_FUNCTION(victim_work)						\
	"	nop\n"							\
	"	" T_ADDI " $2, $4, 1\n"					\
	"	jr $31\n"						\
	"	nop\n"							\
	T_SIZE(victim_work)						\
	T_FUNCTION(victim_other)					\
	"	" T_ADDI " $2, $4, 0x123\n"				\
	"	jr $31\n"						\
	"	nop\n"							\
	T_SIZE(victim_other)						\
	T_FUNCTION(victim_marked)					\
	"	nop\n"							\
	"	jr $31\n"						\
	"	nop\n"							\
	T_SIZE(victim_marked)						\
	".popsection\n"							\
	".pushsection .init.text, \"ax\"\n"				\
	T_FUNCTION(victim_early)					\
	"	nop\n"							\
	"	" T_ADDI " $2, $4, 2\n"					\
	"	jr $31\n"						\
	"	nop\n"							\
	T_SIZE(victim_early)						\
	".set pop\n"							\
	".popsection\n"

/* rules_list.c; and a function of the kernel's. */
#define LIST_CORE "single_open"
#define LIST_TARGETS							\
	".pushsection .text\n"						\
	".set push\n.set noreorder\n"					\
	".type list_target, @function\n"				\
	"list_target: " T_ADDI " $2, $4, 0x123\n"			\
	"list_inner: move $3, $2\n"					\
	"	nop\n"							\
	"	jr $31\n"						\
	"	nop\n"							\
	".set pop\n"							\
	T_SIZE(list_target) ".popsection\n"

/* kp_beside.c: n + 3.  No ftrace site; in a module an entry is one, and refused. */
#define BESIDE_TRACE notrace
#define BESIDE_TARGETS							\
	".pushsection .text\n"						\
	".set push\n.set noreorder\n"					\
	T_FUNCTION(beside_plain)					\
	"	li $2, 1\n"						\
	"	li $3, 2\n"						\
	"beside_sum:\n"							\
	"	" T_ADD " $2, $2, $4\n"					\
	"	" T_ADD " $2, $2, $3\n"					\
	"	jr $31\n"						\
	"	nop\n"							\
	".set pop\n"							\
	T_SIZE(beside_plain) ".popsection\n"

/* rules_fault.c: *p, or 7 when the access faults; n + 1. */
#define FAULT_TARGETS							\
	".pushsection .text\n"						\
	".set push\n.set noreorder\n"					\
	T_FUNCTION(guarded)						\
	"guarded_load: " T_LOAD " $2, 0($4)\n"				\
	"	jr $31\n"						\
	"	nop\n"							\
	"guarded_fix: li $2, 7\n"					\
	"	jr $31\n"						\
	"	nop\n"							\
	T_SIZE(guarded)							\
	T_FUNCTION(nothing)						\
	"nothing_nop: nop\n"						\
	"	" T_ADDI " $2, $4, 1\n"					\
	"	jr $31\n"						\
	"	nop\n"							\
	T_SIZE(nothing)							\
	".set pop\n.popsection\n"					\
	".pushsection __ex_table, \"a\"\n"				\
	T_WORD " guarded_load, guarded_fix\n"				\
	".popsection\n"
/* The TLB's, of a store; an address that is none, of 64 bits; what is told otherwise. */
#define FAULT_TRAP 3
#define FAULT_TRAP_ODD (IS_ENABLED(CONFIG_64BIT) ? 5 : FAULT_TRAP)
#define FAULT_TRAP_INVALID 10
#define FAULT_INVALID ".word 0x04040000"
/* The load is not done; it has this for its result. */
static inline void fault_skip(struct pt_regs *regs, long result)
{
	regs->regs[2] = result;
	regs->cp0_epc += 4;
}
#define ARGUMENT_OF(r) ((r)->regs[4])

/* rules_trace.c: calls trace_body.  The kernel's unwinder looks for these instructions. */
#define TRACE_INNER							\
	".pushsection .text\n"						\
	".set push\n.set noreorder\n"					\
	T_FUNCTION(trace_inner)						\
	"	" T_ADDI " $29, $29, -32\n"				\
	"	" T_STORE " $31, 24($29)\n"				\
	"	bal trace_body\n"					\
	"	nop\n"							\
	"	" T_LOAD " $31, 24($29)\n"				\
	"	jr $31\n"						\
	"	" T_ADDI " $29, $29, 32\n"				\
	".set pop\n"							\
	T_SIZE(trace_inner) ".popsection\n"
/*
 * Where the kernel keeps the return address of a function is not known beforehand, so
 * nobody prints one from there.  And without stack_trace_save() there are no traces but
 * those that are printed.
 */
#define TRACE_IS_MINE 0
/* At its entry the caller's address stands in a register: no unwinder looks there. */
#define TRACE_SHOWS_CALLER 0

#endif
