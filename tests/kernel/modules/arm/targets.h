/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * targets.h - what the modules of rules have to know of arm.
 *
 * Owns: their functions in assembly, and how registers and traps are called.
 */
#ifndef KP_TEST_TARGETS_H
#define KP_TEST_TARGETS_H

/* No rules are arm's alone. */
#define MACHINE_RULES() ((void)0)

/* From a function's entry past an ftrace site, which is its second instruction. */
#define PAST_SITE 8

/* On the way of a trap, or where a task changes its stack. */
#define BLACKLISTED "__und_svc", "__und_fault", "do_undefinstr", "__switch_to"

/* kp_victim.c: n + 1, from the second instruction on; n + VICTIM_SUM; n + 2. */
#define VICTIM_SUM 0x120
#define VICTIM_SECOND 4
#define VICTIM_TARGETS							\
	".pushsection .text\n"						\
	".globl victim_work\n.type victim_work, %function\n"		\
	"victim_work:\n"						\
	"	nop\n"							\
	"	add r0, r0, #1\n"					\
	"	bx lr\n"						\
	".size victim_work, . - victim_work\n"				\
	".globl victim_other\n.type victim_other, %function\n"		\
	"victim_other:\n"						\
	"	add r0, r0, #0x120\n"					\
	"	bx lr\n"						\
	".size victim_other, . - victim_other\n"			\
	".globl victim_marked\n.type victim_marked, %function\n"	\
	"victim_marked:\n"						\
	"	nop\n"							\
	"	bx lr\n"						\
	".size victim_marked, . - victim_marked\n"			\
	".popsection\n"							\
	".pushsection .init.text, \"ax\"\n"				\
	".globl victim_early\n.type victim_early, %function\n"		\
	"victim_early:\n"						\
	"	nop\n"							\
	"	add r0, r0, #2\n"					\
	"	bx lr\n"						\
	".size victim_early, . - victim_early\n"			\
	".popsection\n"

/* rules_list.c; and a function of the kernel's. */
#define LIST_CORE "single_open"
#define LIST_TARGETS							\
	".pushsection .text\n"						\
	".type list_target, %function\n"				\
	"list_target: add r0, r0, #0x120\n"				\
	"list_inner: cmp r0, #0\n"					\
	"	nop\n"							\
	"	bx lr\n"						\
	".size list_target, . - list_target\n.popsection\n"

/* kp_beside.c: n + 3.  No ftrace site. */
#define BESIDE_TARGETS							\
	".pushsection .text\n.globl beside_plain\n"			\
	".type beside_plain, %function\n"				\
	"beside_plain:\n"						\
	"	mov r1, #1\n"						\
	"	mov r2, #2\n"						\
	"beside_sum:\n"							\
	"	add r0, r0, r1\n"					\
	"	add r0, r0, r2\n"					\
	"	bx lr\n"						\
	".size beside_plain, . - beside_plain\n.popsection\n"

/* rules_fault.c: *p, or 7 when the access faults; n + 1. */
#define FAULT_TARGETS							\
	".pushsection .text\n.globl guarded\n.type guarded, %function\n" \
	"guarded:\n"							\
	"guarded_load: ldr r0, [r0]\n"					\
	"	bx lr\n"						\
	"guarded_fix: mov r0, #7\n"					\
	"	bx lr\n"						\
	".size guarded, . - guarded\n"					\
	".globl nothing\n.type nothing, %function\n"			\
	"nothing:\n"							\
	"nothing_nop: nop\n"						\
	"	add r0, r0, #1\n"					\
	"	bx lr\n"						\
	".size nothing, . - nothing\n.popsection\n"			\
	".pushsection __ex_table, \"a\"\n"				\
	"	.balign 4\n"						\
	"	.long guarded_load, guarded_fix\n.popsection\n"
/* The kernel's own numbers. */
#define FAULT_TRAP 14
#define FAULT_TRAP_ODD 14
#define FAULT_TRAP_INVALID 6
#define FAULT_INVALID "udf #0"
/* The load is not done; it has this for its result. */
static inline void fault_skip(struct pt_regs *regs, long result)
{
	regs->ARM_r0 = result;
	regs->ARM_pc += 4;
}
#define ARGUMENT_OF(regs) ((regs)->ARM_r0)

/* rules_trace.c: calls trace_body. */
#define TRACE_INNER							\
	".pushsection .text\n.globl trace_inner\n"			\
	".type trace_inner, %function\n"				\
	"trace_inner:\n"						\
	"	.fnstart\n"						\
	"	.save {r3, lr}\n"					\
	"	push {r3, lr}\n"					\
	"	bl trace_body\n"					\
	"	pop {r3, pc}\n"						\
	"	.fnend\n"						\
	".size trace_inner, . - trace_inner\n.popsection\n"
/*
 * Where the kernel keeps the return address of a function is not known beforehand, so
 * nobody prints one from there.  And without stack_trace_save() there are no traces but
 * those that are printed.
 */
#define TRACE_IS_MINE 0
/* At its entry the caller's address stands in a register: no unwinder looks there. */
#define TRACE_SHOWS_CALLER 0

#endif
